/* VESPER with --accounting paper: noise by the authors' theorem, and the charge that this noise needs. */
#ifndef SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_PLAN_H
#define SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_PLAN_H

#include "inside/dp.h"
#include "run/method/method.h"

/* Items of the plan with noise, in order. */
enum { SOTTO_I_PAPER_ITEM_OF_STEPS, SOTTO_I_PAPER_ITEM_OF_ANSWERS };
/* Marks in a seed's folder that a training with noise began. */
#define SOTTO_I_PAPER_MARK "begun"

/* The plan of a seed and its claim, from options and public numbers alone. */
typedef struct sotto_i_paper_plan {
  uint64_t batch, epoch_steps, steps;
  sotto_grid grid; /* sigma 0: no privacy was requested */
  double clip;     /* of a row before noise: with weights of norm 1 no row exceeds it; 0: no privacy */
  double rows;     /* rows of all layers that the label party gets in the steps of a seed */
  double answers;  /* rows of all nodes, once in each layer, from which nodes are classified */
  double row_sensitivity;
  sotto_paper_claim claim;
} sotto_i_paper_plan;
/* Parties in processes of their own plan as if every node had a label: the data party is charged before it
 * hears the split. Errors: those of the split; RANGE; INVALID and UNSUPPORTED, for a split that such parties
 * cannot plan by. */
sotto_status sotto_i_paper_plan_new(sotto_i_paper_plan *out, const sotto_i_job *job, sotto_error *err);

/* The hook `price` of the variant. */
sotto_status sotto_i_vesper_paper_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);

#endif
