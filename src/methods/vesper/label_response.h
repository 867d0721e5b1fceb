/* Labels under randomised response: reported once a run, before anything that the data party sees is made of
 * them (Wu et al. 2023, appendix D.1). The label party's own account: its dataset is the labels. */
#ifndef SOTTO_SRC_METHODS_VESPER_LABEL_RESPONSE_H
#define SOTTO_SRC_METHODS_VESPER_LABEL_RESPONSE_H

#include "run/method/method.h"

typedef struct sotto_i_reported_labels {
  double flip;        /* probability; 0: nothing was reported, all else is empty */
  int32_t *labels[4]; /* by part, as sotto_i_parted has the true ones */
} sotto_i_reported_labels;

/* Is there a --label-epsilon, and a method with two parties to use it? */
bool sotto_i_labels_asked(const sotto_options *options);
/* What one run charges for them, whatever the number of seeds. Errors: RANGE, INVALID (no labels). */
sotto_status sotto_i_labels_price(sotto_response *out, const sotto_options *options,
                                  const sotto_dataset *data, sotto_error *err);
/* The account of a dataset's labels. */
void sotto_i_labels_digest(uint8_t digest[32], const sotto_dataset *data);
/* Adds that item, and the account of the labels, to the plan of the process that has them. */
sotto_status sotto_i_labels_plan(sotto_cost *cost, const sotto_options *options, const sotto_dataset *data,
                                 sotto_error *err);
/* The reported labels of the job's parts: those in the run folder, or new ones, saved there; charged before
 * the call returns. */
SOTTO_MUST_USE sotto_status sotto_i_reported_labels_new(sotto_i_reported_labels *out, const sotto_i_job *job,
                                                        const sotto_i_parted *parted, sotto_error *err);
void sotto_i_reported_labels_free(sotto_i_reported_labels *labels);

#endif
