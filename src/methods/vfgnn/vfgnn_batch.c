/* The nodes of a step of vfgnn. */
#include "vfgnn_batch.h"

#include "base/memory.h"
#include "base/random.h"

sotto_status sotto_i_vfgnn_batch_new(sotto_i_vfgnn_batch *out, const sotto_split *split, size_t nodes,
                                     uint64_t size, bool narrow, const sotto_key *key, sotto_error *err) {
  size_t train = split->count[SOTTO_PART_TRAIN];
  sotto_status status;
  *out = (sotto_i_vfgnn_batch){.nodes = nodes, .count = nodes, .steps = 1, .narrow = narrow, .key = *key};
  if (size > 0 && size < train) out->steps = (train + size - 1) / size;
  SOTTO_TRY(sotto_i_new(&out->part, nodes, sizeof *out->part, err));
  SOTTO_TRY(sotto_i_new(&out->place, nodes, sizeof *out->place, err));
  SOTTO_TRY(sotto_i_new(&out->turn, nodes, sizeof *out->turn, err));
  SOTTO_TRY(sotto_i_new(&out->order, nodes, sizeof *out->order, err));
  SOTTO_TRY(sotto_i_new(&out->rows, nodes, sizeof *out->rows, err));
  SOTTO_TRY(sotto_i_new(&out->trained, train, sizeof *out->trained, err));
  for (int part = SOTTO_PART_NONE; part <= SOTTO_PART_TEST; part++) {
    SOTTO_TRY(sotto_i_new(&out->at[part], nodes, sizeof **out->at, err));
    SOTTO_TRY(sotto_i_new(&out->member[part], nodes, sizeof **out->member, err));
  }
  for (int part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    for (size_t i = 0; i < split->count[part]; i++) {
      out->part[split->rows[part][i]] = (uint8_t)part;
      out->place[split->rows[part][i]] = (uint32_t)i;
    }
done:
  if (status != SOTTO_OK) sotto_i_vfgnn_batch_free(out);
  return status;
}

/* Divides the nodes of one part as evenly as possible among the steps of an epoch. */
static void divide_nodes(sotto_i_vfgnn_batch *b, int part, uint64_t epoch) {
  sotto_i_random random;
  size_t count = 0;
  for (size_t v = 0; v < b->nodes; v++)
    if (b->part[v] == part) b->order[count++] = (uint32_t)v;
  sotto_i_random_init(&random, &b->key, SOTTO_I_PURPOSE_BATCH, (uint32_t)part, epoch);
  if (b->steps > 1) sotto_i_random_shuffle(&random, b->order, count);
  for (size_t i = 0; i < count; i++) b->turn[b->order[i]] = (uint32_t)(i % b->steps);
}

static bool is_passed_over(const sotto_i_vfgnn_batch *b, int part) {
  return b->narrow && part != SOTTO_PART_TRAIN && part != SOTTO_PART_VALIDATION;
}

void sotto_i_vfgnn_batch_go(sotto_i_vfgnn_batch *b, uint64_t epoch, size_t step) {
  for (int part = SOTTO_PART_NONE; part <= SOTTO_PART_TEST; part++) {
    divide_nodes(b, part, epoch);
    b->members[part] = 0;
  }
  b->number = epoch * b->steps + step;
  b->step = step;
  b->count = 0;
  for (size_t v = 0; v < b->nodes; v++) {
    int part = b->part[v];
    if (b->turn[v] != step || is_passed_over(b, part)) continue;
    size_t i = b->members[part]++;
    if (part == SOTTO_PART_TRAIN) b->trained[i] = (uint32_t)v;
    b->at[part][i] = (uint32_t)b->count;
    b->member[part][i] = b->place[v];
    b->rows[b->count++] = (uint32_t)v;
  }
}

void sotto_i_vfgnn_batch_free(sotto_i_vfgnn_batch *b) {
  sotto_i_free(b->part);
  sotto_i_free(b->place);
  sotto_i_free(b->turn);
  sotto_i_free(b->order);
  sotto_i_free(b->rows);
  sotto_i_free(b->trained);
  for (int part = SOTTO_PART_NONE; part <= SOTTO_PART_TEST; part++) {
    sotto_i_free(b->at[part]);
    sotto_i_free(b->member[part]);
  }
  *b = (sotto_i_vfgnn_batch){0};
}
