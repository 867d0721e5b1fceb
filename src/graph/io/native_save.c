/* Saves a dataset in the native format, in one process. */
#include <string.h>

#include "base/memory.h"
#include "native.h"

/* Number of padding zeros behind a section of this size. */
static uint64_t padding_of(uint64_t size) {
  return (SOTTO_I_NATIVE_ALIGN - size % SOTTO_I_NATIVE_ALIGN) % SOTTO_I_NATIVE_ALIGN;
}

/* The known checksum of a section, if the digest was made of it and the array is the library's own; else
 * NULL. */
static const uint8_t *known_sum(const sotto_dataset *d, size_t kind, const void *data) {
  const sotto_i_parts *p = d->storage;
  const size_t sum = kind - SOTTO_I_NATIVE_OFFSETS;
  if (p == NULL || kind < SOTTO_I_NATIVE_OFFSETS || sum >= SOTTO_I_SUMS) return NULL;
  const void *const arrays[SOTTO_I_SUMS] = {p->offsets, p->targets,     p->features,    p->labels,
                                            p->split,   p->graph_first, p->graph_labels};
  const bool same = arrays[sum] == data && p->nodes == d->graph.nodes && p->width == d->features.cols &&
                    p->graph_count == d->graph_count;
  return same && p->summed && (p->borrowed >> sum & 1U) == 0 ? p->sums[sum] : NULL;
}

static sotto_status check_counts(const sotto_i_native_header *h, const sotto_names *const *names,
                                 sotto_error *err) {
  const uint64_t counts[SOTTO_I_NAME_LISTS] = {h->nodes, h->width, h->classes, h->graph_classes};
  for (size_t i = 0; i < SOTTO_I_NAME_LISTS; i++)
    if (names[i]->count > 0 && names[i]->count != counts[i])
      return sotto_i_fail(err, SOTTO_INVALID, "the dataset has %llu %s for %llu",
                          (unsigned long long)names[i]->count,
                          sotto_i_native_kind_name((sotto_i_native_kind)(SOTTO_I_NATIVE_NAMES + i)),
                          (unsigned long long)counts[i]);
  return SOTTO_OK;
}

static void list_sections(const void *data[SOTTO_I_NATIVE_KINDS], const sotto_dataset *d,
                          const char *schema) {
  const sotto_transfers *t = &d->transfers;
  const void *const sections[SOTTO_I_NATIVE_KINDS] = {d->name == NULL ? "" : d->name,
                                                      d->graph.offsets,
                                                      d->graph.targets,
                                                      d->features.data,
                                                      d->labels,
                                                      d->split,
                                                      d->graph_count == 0 ? NULL : d->graph_first,
                                                      d->graph_count == 0 ? NULL : d->graph_labels,
                                                      d->node_ids.starts,
                                                      d->feature_names.starts,
                                                      d->class_names.starts,
                                                      d->graph_class_names.starts,
                                                      d->entries.offsets,
                                                      d->entries.columns,
                                                      d->entries.values,
                                                      schema,
                                                      t->sources,
                                                      t->targets,
                                                      t->amounts,
                                                      t->times,
                                                      d->numbers,
                                                      d->foreign.nodes,
                                                      d->foreign.nodes == NULL ? NULL : d->foreign.ids.starts,
                                                      t->kinds,
                                                      t->kinds == NULL ? NULL : t->kind_names.starts};
  memcpy(data, sections, sizeof sections);
}

static sotto_status fill_header(sotto_i_native_header *h, const void *data[SOTTO_I_NATIVE_KINDS],
                                const sotto_dataset *d, const char *schema, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  bool present[SOTTO_I_NATIVE_KINDS];
  const sotto_names *const names[SOTTO_I_NAME_LISTS] = {&d->node_ids, &d->feature_names, &d->class_names,
                                                        &d->graph_class_names};
  *h = (sotto_i_native_header){.nodes = d->graph.nodes,
                               .entries = d->graph.entries,
                               .width = d->features.cols,
                               .graph_count = d->graph_count,
                               .classes = d->classes,
                               .graph_classes = d->graph_classes};
  list_sections(data, d, schema);
  h->table[SOTTO_I_NATIVE_NAME].size = strlen(data[SOTTO_I_NATIVE_NAME]);
  h->table[SOTTO_I_NATIVE_SOURCES].size = d->transfers.count * sizeof(uint32_t);
  if (d->transfers.kinds != NULL)
    h->table[SOTTO_I_NATIVE_KIND_NAMES].size = sotto_i_names_size(&d->transfers.kind_names);
  if (d->foreign.nodes != NULL) {
    h->table[SOTTO_I_NATIVE_FOREIGN].size = d->foreign.ids.count * sizeof(uint32_t);
    h->table[SOTTO_I_NATIVE_FOREIGN_IDS].size = sotto_i_names_size(&d->foreign.ids);
  }
  if (schema != NULL) h->table[SOTTO_I_NATIVE_SCHEMA].size = strlen(schema);
  for (size_t i = 0; i < SOTTO_I_NAME_LISTS; i++)
    if (names[i]->count > 0) h->table[SOTTO_I_NATIVE_NAMES + i].size = sotto_i_names_size(names[i]);
  if (d->entries.offsets != NULL)
    h->table[SOTTO_I_NATIVE_ENTRY_VALUES].size = d->entries.offsets[h->nodes] * sizeof(float);
  SOTTO_TRY(check_counts(h, names, err));
  for (size_t k = 0; k < SOTTO_I_NATIVE_KINDS; k++) present[k] = data[k] != NULL;
  if (d->graph.offsets == NULL || !sotto_i_native_place(h, present))
    return sotto_i_fail(err, SOTTO_INVALID, "the dataset has no graph to save");
  for (size_t k = 0; k < SOTTO_I_NATIVE_KINDS && status == SOTTO_OK; k++) {
    if (!present[k]) continue;
    const uint8_t *known = known_sum(d, k, data[k]);
    if (known != NULL)
      memcpy(h->table[k].checksum, known, sizeof h->table[k].checksum);
    else
      status = sotto_i_checksum(h->table[k].checksum, data[k], h->table[k].size, err);
  }
  sotto_i_native_seal(h);
done:
  return status;
}

sotto_status sotto_dataset_save(const sotto_dataset *dataset, const char *path, sotto_error *err) {
  static const uint8_t zeros[SOTTO_I_NATIVE_ALIGN];
  sotto_i_native_header header;
  const void *data[SOTTO_I_NATIVE_KINDS] = {0};
  sotto_i_writer writer = {.descriptor = -1};
  char *schema = NULL;
  sotto_status status = SOTTO_OK;
  if (dataset->schema != NULL) SOTTO_TRY(sotto_schema_yaml(&schema, dataset->schema, err));
  SOTTO_TRY(fill_header(&header, data, dataset, schema, err));
  SOTTO_TRY(sotto_i_writer_open(&writer, path, err));
  SOTTO_TRY(sotto_i_writer_add(&writer, &header, sizeof header, err));
  for (size_t k = 0; k < SOTTO_I_NATIVE_KINDS; k++) {
    const sotto_i_native_section *s = &header.table[k];
    if (data[k] == NULL) continue;
    SOTTO_TRY(sotto_i_writer_add(&writer, data[k], s->size, err));
    SOTTO_TRY(sotto_i_writer_add(&writer, zeros, padding_of(s->size), err));
  }
  status = sotto_i_writer_commit(&writer, err);
done:
  sotto_i_writer_abandon(&writer);
  sotto_text_free(schema);
  return status;
}
