/* Final steps of a file that ranks write: the graph's sections, statistics of the graph, and the dataset. */
#include "written.h"

#include <string.h>

#include "base/memory.h"

void sotto_i_written_graph_header(sotto_i_native_header *h, bool present[SOTTO_I_NATIVE_KINDS],
                                  const sotto_i_rows *rows, const char *name) {
  h->nodes = rows->first[rows->mail.count];
  h->entries = rows->entries;
  h->table[SOTTO_I_NATIVE_NAME].size = strlen(name);
  present[SOTTO_I_NATIVE_NAME] = present[SOTTO_I_NATIVE_OFFSETS] = present[SOTTO_I_NATIVE_TARGETS] = true;
}

static sotto_status write_offsets(sotto_i_shared_file *file, const sotto_i_rows *rows, sotto_error *err) {
  enum { some = 1 << 12 };
  const uint32_t number = rows->mail.number;
  const uint64_t own = rows->first[number + 1] - rows->first[number];
  /* the last rank also writes the end of the last row */
  const uint64_t count = own + (number + 1 == rows->mail.count ? 1 : 0), size = count * sizeof(uint64_t);
  uint64_t buffer[some];
  sotto_i_strip s = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_strip_begin(&s, file, SOTTO_I_NATIVE_OFFSETS, &size, 1, err));
  for (uint64_t v = 0; v < count;) {
    size_t used = 0;
    for (; used < some && v < count; v++) buffer[used++] = rows->before + rows->offsets[v];
    SOTTO_TRY(sotto_i_strip_add(&s, buffer, used * sizeof *buffer, err));
  }
  SOTTO_TRY(sotto_i_strip_end(&s, err));
done:
  sotto_i_strip_free(&s);
  return status;
}

sotto_status sotto_i_written_graph(sotto_i_shared_file *file, const sotto_i_rows *rows, const char *name,
                                   sotto_error *err) {
  const uint32_t number = rows->mail.number;
  const uint64_t own = rows->first[number + 1] - rows->first[number];
  sotto_status status;
  SOTTO_TRY(sotto_i_strip_write(file, SOTTO_I_NATIVE_NAME, name, number == 0 ? strlen(name) : 0, err));
  SOTTO_TRY(write_offsets(file, rows, err));
  SOTTO_TRY(sotto_i_strip_write(file, SOTTO_I_NATIVE_TARGETS, rows->targets,
                                rows->offsets[own] * sizeof *rows->targets, err));
done:
  return status;
}

/* Counts edges of own rows whose ends both have a label, each once, and those with equal labels. */
static void count_labels(sotto_figures *out, const sotto_i_rows *rows, const int32_t *labels) {
  const uint64_t first = rows->first[rows->mail.number], end = rows->first[rows->mail.number + 1];
  for (uint64_t v = first; v < end; v++)
    for (uint64_t e = rows->offsets[v - first]; e < rows->offsets[v - first + 1]; e++) {
      const uint32_t u = rows->targets[e];
      if (u <= v || labels[v] < 0 || labels[u] < 0) continue;
      out->labelled_edges++;
      out->alike_edges += labels[v] == labels[u];
    }
}

sotto_status sotto_i_written_figures(sotto_figures *out, const sotto_i_rows *rows, const int32_t *labels,
                                     sotto_error *err) {
  const uint64_t own = rows->first[rows->mail.number + 1] - rows->first[rows->mail.number];
  sotto_figures *all = NULL;
  size_t size = 0;
  sotto_status status;
  *out = (sotto_figures){0};
  for (uint64_t v = 0; v < own; v++) {
    const uint64_t degree = rows->offsets[v + 1] - rows->offsets[v];
    if (degree > out->largest) out->largest = degree;
    out->isolated += degree == 0;
  }
  if (labels != NULL) count_labels(out, rows, labels);
  SOTTO_TRY(sotto_i_exchange_all((void **)&all, &size, rows->mail.ranks, out, sizeof *out, err));
  for (uint32_t r = 0; r < rows->mail.count; r++) {
    if (r == rows->mail.number) continue;
    if (all[r].largest > out->largest) out->largest = all[r].largest;
    out->isolated += all[r].isolated;
    out->labelled_edges += all[r].labelled_edges;
    out->alike_edges += all[r].alike_edges;
  }
done:
  sotto_i_free(all);
  return status;
}

sotto_status sotto_i_written_dataset(sotto_dataset *out, sotto_i_parts *parts, const sotto_i_native_header *h,
                                     sotto_error *err) {
  parts->edge_entries = h->entries;
  parts->summed = true;
  for (size_t k = SOTTO_I_NATIVE_OFFSETS; k < SOTTO_I_NATIVE_NAMES; k++)
    memcpy(parts->sums[k - SOTTO_I_NATIVE_OFFSETS], h->table[k].checksum, sizeof h->table[k].checksum);
  return sotto_i_dataset_counted(out, parts, err);
}
