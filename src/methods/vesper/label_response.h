/* Labels under randomised response: reported once a run, before the data party sees anything that depends
 * on them (Wu et al. 2023, appendix D.1). They have the label party's own account, whose dataset is the
 * labels. */
#ifndef SOTTO_SRC_METHODS_VESPER_LABEL_RESPONSE_H
#define SOTTO_SRC_METHODS_VESPER_LABEL_RESPONSE_H

#include "inside/dp.h"
#include "run/method/method.h"

typedef struct sotto_i_reported_labels {
  double flip;        /* flip probability; 0: nothing is reported, and the rest is empty */
  int32_t *labels[4]; /* by part, like the true ones in sotto_i_parted */
} sotto_i_reported_labels;

/* Is there a --label-epsilon, and a method of two parties that uses it? */
bool sotto_i_labels_asked(const sotto_options *options);
/* The charge of one run for them, whatever the number of seeds. Errors: RANGE, INVALID (no labels). */
sotto_status sotto_i_labels_price(sotto_response *out, const sotto_options *options,
                                  const sotto_dataset *data, sotto_error *err);
/* Adds this item, and the account of the labels, to the plan of the process that has them. */
sotto_status sotto_i_labels_plan(sotto_cost *cost, const sotto_options *options, const sotto_dataset *data,
                                 sotto_error *err);
/* The reported labels of the job's parts: those in the run folder, or new ones, stored there and charged
 * before the call returns. */
SOTTO_MUST_USE sotto_status sotto_i_reported_labels_new(sotto_i_reported_labels *out, const sotto_i_job *job,
                                                        const sotto_i_parted *parted, sotto_error *err);
void sotto_i_reported_labels_free(sotto_i_reported_labels *labels);

#endif
