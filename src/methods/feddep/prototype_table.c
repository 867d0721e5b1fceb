/* Prototypes of either kind: made, put on one scale, and asked by nodes. */
#include "prototype_table.h"

#include <string.h>

#include "base/error.h"
#include "options.h"

enum { prototype_keys = 1 };

static bool of_classes(const sotto_options *o) {
  return sotto_i_part_settings_of(o)->prototype_kind == SOTTO_I_PROTOTYPES_CLASSES;
}

/* With noise structure is left out: one node moves the buckets of all its neighbours (docs/privacy.md). */
static size_t buckets_of(const sotto_options *o, uint32_t classes) {
  return sotto_i_class_buckets(classes, !sotto_i_prototypes_are_noisy(o));
}

size_t sotto_i_prototype_rows(const sotto_options *o, uint32_t classes) {
  const sotto_i_part_settings *own = sotto_i_part_settings_of(o);
  if (own->prototypes == 0 || !of_classes(o)) return (size_t)own->prototypes;
  return classes * buckets_of(o, classes);
}

static sotto_i_labelled labelled_of(const sotto_i_fed_client *c, const uint32_t *rows, size_t count) {
  return (sotto_i_labelled){.graph = &c->data.graph,
                            .labels = c->data.labels,
                            .rows = rows,
                            .count = count,
                            .classes = c->federation->classes};
}

sotto_status sotto_i_own_prototypes(sotto_matrix *out, sotto_i_receipt *receipt, const sotto_matrix *targets,
                                    const sotto_matrix *own, const sotto_i_fed_client *c, sotto_error *err) {
  const sotto_options *o = c->federation->options;
  const sotto_i_labelled of = labelled_of(c, c->rows[SOTTO_PART_TRAIN], c->count[SOTTO_PART_TRAIN]);
  sotto_key key;
  if (sotto_i_prototypes_are_noisy(o)) return sotto_i_noisy_prototypes(out, receipt, own, targets, c, err);
  if (of_classes(o))
    return sotto_i_class_prototypes(out, targets, buckets_of(o, c->federation->classes), &of, err);
  sotto_i_key_derive(&key, &c->key, prototype_keys);
  return sotto_i_prototypes(out, targets, &key, err);
}

sotto_status sotto_i_scale_prototypes(sotto_i_scale *scale, sotto_matrix *tables, const sotto_options *o,
                                      sotto_error *err) {
  size_t cols = tables->cols;
  sotto_matrix filled = {0};
  sotto_status status;
  if (!of_classes(o)) {
    SOTTO_TRY(sotto_i_scale_new(scale, tables, err));
    sotto_i_scale_rows(tables, scale);
    goto done;
  }
  SOTTO_TRY(sotto_matrix_new(&filled, tables->rows, cols, err));
  filled.rows = 0;
  for (size_t r = 0; r < tables->rows; r++)
    if (!sotto_i_is_empty_row(tables, r))
      memcpy(filled.data + filled.rows++ * cols, tables->data + r * cols, cols * sizeof(float));
  if (filled.rows == 0) goto done;
  SOTTO_TRY(sotto_i_scale_new(scale, &filled, err));
  for (size_t r = 0; r < tables->rows; r++) {
    sotto_matrix row = {tables->data + r * cols, 1, cols};
    if (!sotto_i_is_empty_row(tables, r)) sotto_i_scale_rows(&row, scale);
  }
done:
  sotto_matrix_free(&filled);
  return status;
}

sotto_status sotto_i_prototype_candidates(sotto_i_candidates *out, const sotto_matrix *others,
                                          const sotto_i_fed_client *c, const uint32_t *rows, size_t count,
                                          sotto_error *err) {
  const sotto_options *o = c->federation->options;
  size_t clients = c->federation->clients - 1;
  const sotto_i_labelled of = labelled_of(c, rows, count);
  if (of_classes(o))
    return sotto_i_candidates_by_class(out, others, clients, buckets_of(o, c->federation->classes), &of, err);
  return sotto_i_candidates_by_client(out, clients, sotto_i_prototype_rows(o, c->federation->classes), err);
}
