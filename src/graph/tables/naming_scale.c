/* The declared scaling of columns: its digest, and the same in the order of other names. */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "naming.h"

/* A feature by name. */
typedef struct scaled {
  const char *name;
  uint64_t number;
} scaled;

static int by_name(const void *a, const void *b) {
  return strcmp(((const scaled *)a)->name, ((const scaled *)b)->name);
}

static bool is_declared(const sotto_dataset *data) {
  const sotto_schema *s = data->schema;
  return s != NULL && s->moments != NULL && s->feature_count == data->features.cols &&
         data->feature_names.count == data->features.cols;
}

static sotto_status sort_names(scaled **out, const sotto_names *names, sotto_error *err) {
  const sotto_status status = sotto_i_new_raw(out, names->count, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t i = 0; i < names->count; i++) (*out)[i] = (scaled){sotto_name(names, i), i};
  qsort(*out, names->count, sizeof **out, by_name);
  return SOTTO_OK;
}

sotto_status sotto_i_naming_scaling(char out[65], const sotto_dataset *data, sotto_error *err) {
  uint8_t digest[32];
  crypto_generichash_state hash;
  scaled *order = NULL;
  sotto_status status;
  out[0] = '\0';
  if (!is_declared(data)) return SOTTO_OK;
  const double *mean = data->schema->moments, *square = mean + data->schema->feature_count;
  SOTTO_TRY(sort_names(&order, &data->feature_names, err));
  crypto_generichash_init(&hash, NULL, 0, sizeof digest);
  for (uint64_t i = 0; i < data->feature_names.count; i++) {
    char numbers[80];
    const int size =
        snprintf(numbers, sizeof numbers, " %.17g %.17g\n", mean[order[i].number], square[order[i].number]);
    crypto_generichash_update(&hash, (const uint8_t *)order[i].name, strlen(order[i].name));
    crypto_generichash_update(&hash, (const uint8_t *)numbers, (size_t)size);
  }
  crypto_generichash_final(&hash, digest, sizeof digest);
  sotto_i_hex(out, digest, sizeof digest);
done:
  sotto_i_free(order);
  return status;
}

/* to[i]: what `from` has of the feature with the i-th name. */
static sotto_status reorder(double *to, const double *from, const sotto_names *names, const sotto_names *own,
                            sotto_error *err) {
  scaled *wanted = NULL, *have = NULL;
  sotto_status status;
  SOTTO_TRY(sort_names(&wanted, names, err));
  SOTTO_TRY(sort_names(&have, own, err));
  for (uint64_t i = 0, k = 0; i < names->count; i++) {
    while (k < own->count && strcmp(have[k].name, wanted[i].name) < 0) k++;
    if (k == own->count || strcmp(have[k].name, wanted[i].name) != 0) {
      status =
          sotto_i_fail(err, SOTTO_INVALID,
                       "scaling: the schema declares no mean and variance of '%.80s'; declare them of all "
                       "columns, and of all words of categories that any client has",
                       wanted[i].name);
      goto done;
    }
    to[wanted[i].number] = from[have[k].number];
    to[names->count + wanted[i].number] = from[own->count + have[k].number];
  }
done:
  sotto_i_free(wanted);
  sotto_i_free(have);
  return status;
}

sotto_status sotto_i_dataset_scale_by(sotto_dataset *data, const sotto_schema *schema, sotto_error *err) {
  sotto_i_parts *stored = data->storage;
  sotto_names names = {0};
  double *moments = NULL;
  sotto_status status = SOTTO_OK;
  if (schema->moments == NULL || stored == NULL || stored->schema == NULL || data->schema != stored->schema ||
      data->schema->feature_count != data->feature_names.count)
    return SOTTO_OK;
  SOTTO_TRY(sotto_i_schema_features(&names, schema, err));
  SOTTO_TRY(sotto_i_new_raw(&moments, 2 * data->feature_names.count, sizeof *moments, err));
  SOTTO_TRY(reorder(moments, schema->moments, &data->feature_names, &names, err));
  status = sotto_i_schema_set_moments(stored->schema, moments, err);
done:
  sotto_i_names_free(&names);
  sotto_i_free(moments);
  return status;
}

sotto_status sotto_i_arranged_scale(sotto_i_arranged *a, const sotto_dataset *data, sotto_error *err) {
  const sotto_names *names = &a->names.features;
  double *moments = NULL;
  sotto_status status = SOTTO_OK;
  if (!is_declared(data) || a->view.schema != NULL) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new_raw(&moments, 2 * names->count, sizeof *moments, err));
  SOTTO_TRY(reorder(moments, data->schema->moments, names, &data->feature_names, err));
  SOTTO_TRY(sotto_schema_of(&a->schema, &a->view, err));
  SOTTO_TRY(sotto_i_schema_set_moments(a->schema, moments, err));
  a->view.schema = a->schema;
done:
  sotto_i_free(moments);
  return status;
}
