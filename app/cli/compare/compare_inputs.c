/* What `sotto compare` compares: graphs of one's own, or reports that a run of gwldp left at its server. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "common/file.h"
#include "compare.h"
#include "sotto/options.h"

/* RUN/seed-N of the run's first seed, or the folder as it is named; fresh. */
static sotto_status find_seed(char **out, const char *folder, sotto_error *err) {
  static sotto_options options;
  char *yaml = NULL, name[40];
  sotto_status status;
  SOTTO_TRY(app_join(&yaml, folder, "run.yaml", err));
  if (!sotto_i_is_file(yaml)) {
    status = app_join(out, folder, "", err);
    goto done;
  }
  sotto_options_default(&options);
  SOTTO_TRY(sotto_options_read(&options, yaml, err));
  (void)snprintf(name, sizeof name, "seed-%llu", (unsigned long long)options.seed);
  SOTTO_TRY(app_join(out, folder, name, err));
done:
  free(yaml);
  return status;
}

static sotto_status open_reports(compare_inputs *in, sotto_gw_plan *plan, const char *folder,
                                 sotto_error *err) {
  char *seed = NULL;
  sotto_status status;
  SOTTO_TRY(find_seed(&seed, folder, err));
  SOTTO_TRY(sotto_gw_reports_open(&in->reports, seed, plan->by, err));
  in->graphs = &in->reports.graphs;
  if (plan->by == SOTTO_GW_BY_CODES)
    plan->codes = &in->reports.codes;
  else
    plan->embeddings = &in->reports.embeddings;
done:
  free(seed);
  return status;
}

bool compare_by_reports(const compare_request *r, sotto_gw_by by) {
  return (by == SOTTO_GW_BY_CODES && r->codes == NULL) ||
         (by == SOTTO_GW_BY_EMBEDDINGS && r->embeddings == NULL);
}

sotto_status compare_open(compare_inputs *in, sotto_gw_plan *plan, const compare_request *r, const char *path,
                          sotto_error *err) {
  sotto_status status;
  if (compare_by_reports(r, plan->by)) {
    if (sotto_i_is_folder(path)) return open_reports(in, plan, path, err);
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: is no run folder of gwldp; of graphs of your own give --%s FILE as well", path,
                        plan->by == SOTTO_GW_BY_CODES ? "codes" : "embeddings");
  }
  SOTTO_TRY(sotto_dataset_open(&in->data, path, NULL, err));
  in->graphs = &in->data;
  if (r->codes != NULL) {
    SOTTO_TRY(sotto_gw_codes_open(&in->codes, r->codes, err));
    plan->codes = &in->codes;
  }
  if (r->embeddings != NULL) {
    const char *array = r->array == NULL ? "embeddings" : r->array;
    SOTTO_TRY(sotto_gw_embeddings_open(&in->embeddings, r->embeddings, array, err));
    plan->embeddings = &in->embeddings;
  }
done:
  return status;
}

void compare_close(compare_inputs *in) {
  sotto_dataset_free(&in->data);
  sotto_gw_codes_free(&in->codes);
  sotto_matrix_free(&in->embeddings);
  sotto_gw_reports_free(&in->reports);
}
