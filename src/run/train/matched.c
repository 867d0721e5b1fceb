/* Data for predictions, matched with the schema in a run's folder. */
#include "matched.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "graph/blocks/block.h"
#include "graph/names.h"
#include "graph/schema.h"
#include "graph/schema_match.h"
#include "run/files/folder_file.h"
#include "run/method/method.h"
#include "run/storage/data_file.h"
#include "run/storage/facts_file.h"
#include "run/storage/schema_file.h"

static sotto_status check_unnamed(const sotto_dataset *data, const char *run, const sotto_options *options,
                                  bool any, sotto_error *err) {
  bool own = data->feature_names.count == 0 || any;
  if (own) return SOTTO_OK;
  const sotto_status status = sotto_i_data_file_is_of(&own, run, data, options, true, err);
  if (status != SOTTO_OK || own) return status;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: its columns have names, and %s has no schema.yaml to match them by; give the run's "
      "folder with its owner-only, or data without names in the order of the training",
      data->name, run);
}

static void log_unseen(const sotto_unseen *u, const char *name, const sotto_observer *observer) {
  if (u->nodes > 0)
    sotto_i_log(
        observer, SOTTO_LOG_INFO,
        "%s: %llu nodes have a word that the training did not have (%s); all features of its category "
        "are 0",
        name, (unsigned long long)u->nodes, u->words);
  if (u->labels > 0)
    sotto_i_log(observer, SOTTO_LOG_INFO,
                "%s: %llu labels name a class that the model does not have (%s); they count as unknown", name,
                (unsigned long long)u->labels, u->words);
}

static sotto_status read_classes(uint32_t *out, const char *run, sotto_error *err) {
  sotto_i_facts facts = {{0}};
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_folder_find(&path, run, "facts", err));
  if (sotto_i_is_file(path)) SOTTO_TRY(sotto_i_facts_load(&facts, run, err));
  *out = facts.words[SOTTO_I_FACT_CLASSES];
done:
  sotto_i_free(path);
  return status;
}

static bool are_same(const sotto_names *a, const sotto_names *b) {
  for (uint64_t i = 0; a->count == b->count && i < a->count; i++)
    if (strcmp(sotto_name(a, i), sotto_name(b, i)) != 0) return false;
  return a->count == b->count;
}

/* Ranks read rows of features as they lie in the file. */
static sotto_status check_order(const sotto_schema *schema, const sotto_dataset *data, sotto_error *err) {
  sotto_names features = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_schema_features(&features, schema, err));
  if (!are_same(&features, &data->feature_names) || !are_same(&schema->classes, &data->class_names))
    status = sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "%s: its columns or classes are not in the order of the training, and ranks read them as "
        "they lie in the file; start it without mpirun",
        data->name);
done:
  sotto_i_names_free(&features);
  return status;
}

sotto_status sotto_i_matched_open(sotto_i_matched *out, const sotto_dataset *data, const char *run,
                                  const sotto_options *options, bool any, const sotto_observer *observer,
                                  sotto_error *err) {
  uint32_t classes = 0;
  bool changed = false;
  sotto_status status;
  *out = (sotto_i_matched){.given = data, .data = data};
  SOTTO_TRY(sotto_i_schema_load(&out->schema, run, err));
  if (out->schema == NULL) return check_unnamed(data, run, options, any, err);
  if (sotto_i_block_of(data) != NULL) SOTTO_TRY(check_order(out->schema, data, err));
  SOTTO_TRY(read_classes(&classes, run, err));
  SOTTO_TRY(sotto_i_schema_apply(&out->ordered, &changed, &out->unseen, out->schema, classes, data, err));
  if (changed) out->data = &out->ordered;
  if (!changed && out->schema->moments != NULL) {
    out->scaled = *data;
    out->scaled.schema = out->schema;
    out->data = &out->scaled;
  }
  log_unseen(&out->unseen, data->name, observer);
done:
  return status;
}

sotto_status sotto_i_matched_is_own(bool *own, const sotto_i_matched *m, const char *run,
                                    const sotto_options *options, sotto_error *err) {
  const sotto_status status = sotto_i_data_file_is_of(own, run, m->given, options, true, err);
  if (status != SOTTO_OK || *own || m->data == m->given) return status;
  return sotto_i_data_file_is_of(own, run, m->data, options, true, err);
}

void sotto_i_matched_free(sotto_i_matched *matched) {
  sotto_dataset_free(&matched->ordered);
  sotto_schema_free(matched->schema);
  *matched = (sotto_i_matched){.given = NULL};
}
