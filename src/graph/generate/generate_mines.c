/* A field of mines as a graph (Platonov et al. 2023): a square grid whose cells have up to eight neighbours,
 * of which a fifth are mines. Half of the cells show how many of their neighbours are mines. A cell's own
 * features say nothing about its class, nor do its neighbours' classes; its neighbours' features do. */
#include <math.h>

#include "base/memory.h"
#include "generate.h"
#include "sotto/generate.h"

enum { most_around = 8, width = most_around + 2, hidden_column = most_around + 1, least_nodes = 100 };

static const double mine_share = 0.2, hidden_share = 0.5;

static sotto_status add_neighbours(sotto_i_edge_arrays *out, uint32_t side, sotto_error *err) {
  const sotto_status status =
      sotto_i_edge_arrays_new(out, 2 * (uint64_t)(side - 1) * (side + (side - 1)), err);
  uint64_t e = 0;
  if (status != SOTTO_OK) return status;
  for (uint32_t y = 0; y < side; y++)
    for (uint32_t x = 0; x < side; x++) {
      const uint32_t v = y * side + x;
      const struct {
        bool there;
        uint32_t to;
      } next[4] = {{x + 1 < side, v + 1},
                   {y + 1 < side, v + side},
                   {x + 1 < side && y + 1 < side, v + side + 1},
                   {x > 0 && y + 1 < side, v + side - 1}};
      for (int i = 0; i < 4; i++) {
        if (!next[i].there) continue;
        out->sources[e] = v;
        out->targets[e++] = next[i].to;
      }
    }
  return SOTTO_OK;
}

/* A column for each number of mines around, and one for cells that hide it. */
static void show_numbers(sotto_i_parts *parts, const sotto_i_edge_arrays *pairs, uint8_t *around,
                         sotto_i_random *random) {
  for (uint64_t e = 0; e < pairs->count; e++) {
    around[pairs->sources[e]] = (uint8_t)(around[pairs->sources[e]] + parts->labels[pairs->targets[e]]);
    around[pairs->targets[e]] = (uint8_t)(around[pairs->targets[e]] + parts->labels[pairs->sources[e]]);
  }
  for (uint64_t v = 0; v < parts->nodes; v++) {
    const bool hidden = sotto_i_random_double(random) < hidden_share;
    parts->features[v * width + (hidden ? hidden_column : around[v])] = 1;
  }
}

sotto_status sotto_generate_mines(sotto_dataset *out, const sotto_mines_options *options,
                                  const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sotto_i_parts parts = {0};
  sotto_i_edge_arrays pairs = {0};
  sotto_i_random random;
  uint8_t *around = NULL;
  *out = (sotto_dataset){0};
  if (options->nodes < least_nodes || options->nodes > UINT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "mines: %llu nodes; there can be %d to %u",
                        (unsigned long long)options->nodes, least_nodes, UINT32_MAX);
  const uint32_t side = (uint32_t)floor(sqrt((double)options->nodes));
  SOTTO_TRY(sotto_i_generate_begin(&parts, "mines", (uint64_t)side * side, width, 2, key, err));
  SOTTO_TRY(sotto_i_new(&around, parts.nodes, sizeof *around, err));
  SOTTO_TRY(add_neighbours(&pairs, side, err));
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_MINES, 0);
  for (uint64_t v = 0; v < parts.nodes; v++) parts.labels[v] = sotto_i_random_double(&random) < mine_share;
  show_numbers(&parts, &pairs, around, &random);
  SOTTO_TRY(sotto_i_generate_finish(out, &parts, &pairs, err));
done:
  sotto_i_free(around);
  sotto_i_edge_arrays_free(&pairs);
  sotto_i_parts_free(&parts);
  return status;
}
