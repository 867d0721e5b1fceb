/* Several holders of columns and edges in one process: the parts of one dataset. */
#include "holders.h"

#include <string.h>

#include "base/error.h"
#include "options.h"
#include "sotto/split.h"

sotto_status sotto_i_holders_shares(double *share, const sotto_options *o, sotto_error *err) {
  const char *partition = sotto_i_partition_of(o);
  if (strcmp(partition, "alike") != 0)
    return sotto_vertical_shares(share, (size_t)o->holders, partition, err);
  for (size_t i = 0; i < o->holders; i++) share[i] = 1.0 / (double)o->holders;
  return SOTTO_OK;
}

sotto_status sotto_i_holders_deal(sotto_dataset *parts, const sotto_i_job *job, size_t label_holder,
                                  sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_vertical how = {
      .holders = (size_t)o->holders, .label_holder = label_holder, .features = true, .edges = true};
  sotto_key key;
  sotto_status status;
  SOTTO_TRY(sotto_i_holders_shares(how.share, o, err));
  sotto_i_job_key(&key, job);
  SOTTO_TRY(sotto_split_vertical(parts, job->data, &how, &key, err));
done:
  return status;
}

sotto_status sotto_i_holders_deal_others(sotto_dataset *parts, bool *standard, const sotto_i_job *job,
                                         size_t label_holder, sotto_error *err) {
  sotto_i_job divided = *job;
  sotto_dataset scaled = *job->data;
  *standard = sotto_i_scale_of(job->options, job->data) == SOTTO_FEATURE_SCALE_STANDARD;
  scaled.features = *job->features;
  scaled.entries = (sotto_entries){.offsets = NULL};
  scaled.schema = NULL;
  if (*standard) divided.data = &scaled;
  return sotto_i_holders_deal(parts, &divided, label_holder, err);
}
