/* Exports a dataset and a split as .npz, in the form of numpy.savez. */
#include "base/memory.h"
#include "npz.h"
#include "sotto/graph.h"
#include "sotto/split.h"

enum { most_arrays = 14 };

static void add_array(sotto_i_npz_part *parts, size_t *count, sotto_i_npz_part part) {
  if (part.data != NULL || part.shape[0] == 0) parts[(*count)++] = part;
}

/* The part of each of `items` nodes or graphs; SOTTO_PART_NONE outside of the split. */
static sotto_status list_parts(uint8_t **out, const sotto_split *split, uint64_t items, sotto_error *err) {
  const sotto_status status = sotto_i_new(out, items, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  for (int part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    for (size_t i = 0; i < split->count[part]; i++) {
      if (split->rows[part][i] >= items)
        return sotto_i_fail(err, SOTTO_RANGE, "the split has item %u, but there are %llu items",
                            (unsigned)split->rows[part][i], (unsigned long long)items);
      (*out)[split->rows[part][i]] = (uint8_t)part;
    }
  return SOTTO_OK;
}

static void add_transfers(sotto_i_npz_part *parts, size_t *count, const sotto_transfers *t) {
  if (t->sources == NULL) return;
  add_array(parts, count, (sotto_i_npz_part){"transfer_sources", "<u4", t->sources, 4, 1, {t->count, 1}});
  add_array(parts, count, (sotto_i_npz_part){"transfer_targets", "<u4", t->targets, 4, 1, {t->count, 1}});
  add_array(parts, count, (sotto_i_npz_part){"transfer_amounts", "<f4", t->amounts, 4, 1, {t->count, 1}});
  add_array(parts, count, (sotto_i_npz_part){"transfer_times", "<f8", t->times, 8, 1, {t->count, 1}});
  add_array(parts, count, (sotto_i_npz_part){"transfer_kinds", "|u1", t->kinds, 1, 1, {t->count, 1}});
}

sotto_status sotto_dataset_export(const sotto_dataset *data, const sotto_split *split, const char *path,
                                  sotto_error *err) {
  const sotto_graph *g = &data->graph;
  const sotto_entries *e = &data->entries;
  const size_t nodes = g->nodes, cols = data->features.cols, graphs = data->graph_count;
  const uint64_t size[2] = {nodes, cols};
  sotto_i_npz_part parts[most_arrays];
  size_t count = 0;
  uint8_t *listed = NULL;
  sotto_status status;
  if (g->offsets == NULL)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "%s: its edges are distributed over ranks; open it in one process", data->name);
  if (split != NULL) SOTTO_TRY(list_parts(&listed, split, graphs > 0 ? graphs : nodes, err));
  add_array(parts, &count, (sotto_i_npz_part){"shape", "<u8", size, sizeof *size, 1, {2, 1}});
  add_array(parts, &count,
            (sotto_i_npz_part){"indptr", "<u8", g->offsets, sizeof *g->offsets, 1, {nodes + 1, 1}});
  add_array(parts, &count,
            (sotto_i_npz_part){"indices", "<u4", g->targets, sizeof *g->targets, 1, {g->entries, 1}});
  if (e->offsets != NULL) {
    const size_t held = e->offsets[nodes];
    add_array(parts, &count,
              (sotto_i_npz_part){"feature_indptr", "<u8", e->offsets, sizeof *e->offsets, 1, {nodes + 1, 1}});
    add_array(parts, &count,
              (sotto_i_npz_part){"feature_indices", "<u4", e->columns, sizeof *e->columns, 1, {held, 1}});
    add_array(parts, &count,
              (sotto_i_npz_part){"feature_data", "<f4", e->values, sizeof *e->values, 1, {held, 1}});
  } else if (cols > 0) {
    add_array(parts, &count,
              (sotto_i_npz_part){"features", "<f4", data->features.data, sizeof(float), 2, {nodes, cols}});
  }
  if (graphs > 0) {
    add_array(
        parts, &count,
        (sotto_i_npz_part){"graph_first", "<u8", data->graph_first, sizeof(uint64_t), 1, {graphs + 1, 1}});
    add_array(parts, &count,
              (sotto_i_npz_part){"labels", "<i4", data->graph_labels, sizeof(int32_t), 1, {graphs, 1}});
  } else {
    add_array(parts, &count,
              (sotto_i_npz_part){"labels", "<i4", data->labels, sizeof(int32_t), 1, {nodes, 1}});
    add_array(parts, &count,
              (sotto_i_npz_part){"targets", "<f4", data->numbers, sizeof(float), 1, {nodes, 1}});
  }
  add_transfers(parts, &count, &data->transfers);
  if (listed != NULL)
    add_array(parts, &count,
              (sotto_i_npz_part){"split", "|u1", listed, 1, 1, {graphs > 0 ? graphs : nodes, 1}});
  status = sotto_i_npz_write(path, parts, count, err);
done:
  sotto_i_free(listed);
  return status;
}
