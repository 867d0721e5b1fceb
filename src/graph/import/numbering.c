/* Numbers nodes in the order in which their ids first occur, by a distributed sort; and assigns rows to
 * ranks. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "shared_ids.h"

enum { buckets = 1 << 14 };

static uint64_t bucket_width(uint64_t all) {
  return all / buckets + 1;
}

/* Distributes buckets so that each rank has nearly the same total cost: rank r has buckets cut[r] to cut[r
 * + 1] - 1. */
static void distribute_buckets(uint32_t *cut, uint32_t ranks, const uint64_t *cost) {
  uint64_t all = 0, sum = 0;
  uint32_t r = 0;
  for (size_t i = 0; i < buckets; i++) all += cost[i];
  cut[0] = 0;
  for (uint32_t i = 0; i < buckets; i++) {
    /* a bucket across the border goes to the side with the larger part of it */
    while (r + 1 < ranks && sum + cost[i] / 2 >= all / ranks * (r + 1)) cut[++r] = i;
    sum += cost[i];
  }
  while (r < ranks) cut[++r] = buckets;
}

static uint32_t bucket_rank(const uint32_t *cut, uint32_t ranks, uint64_t bucket) {
  uint32_t r = 0;
  while (r + 1 < ranks && cut[r + 1] <= bucket) r++;
  return r;
}

typedef struct position {
  uint64_t at;
  uint32_t from, index;
} position;

static int compare_positions(const void *left, const void *right) {
  const position *a = left, *b = right;
  return (a->at > b->at) - (a->at < b->at);
}

/* Sorts the positions from all ranks, and answers each with its number. */
static sotto_status sort_positions(sotto_i_exchange *x, uint64_t number, sotto_error *err) {
  position *places = NULL;
  uint32_t **numbers = NULL;
  size_t count = 0, used = 0;
  sotto_status status;
  for (uint32_t r = 0; r < x->count; r++) count += x->in[r].size / sizeof(uint64_t);
  SOTTO_TRY(sotto_i_new_raw(&places, count, sizeof *places, err));
  SOTTO_TRY(sotto_i_new(&numbers, x->count, sizeof *numbers, err));
  for (uint32_t r = 0; r < x->count; r++) {
    const size_t some = x->in[r].size / sizeof(uint64_t);
    SOTTO_TRY(sotto_i_new_raw(&numbers[r], some, sizeof **numbers, err));
    for (size_t i = 0; i < some; i++, used++) {
      places[used] = (position){.from = r, .index = (uint32_t)i};
      memcpy(&places[used].at, sotto_i_exchange_take(x, r, sizeof places->at), sizeof places->at);
    }
  }
  if (count > 0) qsort(places, count, sizeof *places, compare_positions);
  for (size_t i = 0; i < count; i++) numbers[places[i].from][places[i].index] = (uint32_t)(number + i);
  for (uint32_t r = 0; r < x->count; r++)
    SOTTO_TRY(
        sotto_i_exchange_put(x, r, numbers[r], x->in[r].size / sizeof(uint64_t) * sizeof **numbers, err));
done:
  for (uint32_t r = 0; numbers != NULL && r < x->count; r++) sotto_i_free(numbers[r]);
  sotto_i_free(numbers);
  sotto_i_free(places);
  return status;
}

/* Converts `seen` from the position within a rank to the global position; returns the number of positions. */
static sotto_status make_global(sotto_i_shared_ids *ids, uint64_t places, uint64_t *all, sotto_error *err) {
  const uint64_t mask = ((uint64_t)1 << SOTTO_I_SEEN_RANK) - 1;
  uint64_t *before = NULL;
  size_t size = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_exchange_all((void **)&before, &size, ids->mail.ranks, &places, sizeof places, err));
  *all = 0;
  for (uint32_t r = 0; r < ids->mail.count; r++) {
    const uint64_t here = before[r];
    before[r] = *all;
    *all += here;
  }
  for (size_t i = 0; i < ids->count; i++)
    ids->items[i].seen = before[ids->items[i].seen >> SOTTO_I_SEEN_RANK] + (ids->items[i].seen & mask);
done:
  sotto_i_free(before);
  return status;
}

sotto_status sotto_i_shared_ids_number(sotto_i_shared_ids *ids, uint64_t places, uint64_t *nodes,
                                       sotto_error *err) {
  sotto_i_exchange x = {0};
  uint64_t *firsts = NULL, all = 0, before = 0;
  uint32_t *cut = NULL;
  bool more = false;
  const uint32_t ranks = ids->mail.count;
  sotto_status status;
  SOTTO_TRY(make_global(ids, places, &all, err));
  SOTTO_TRY(sotto_i_exchange_new(&x, ids->mail.ranks, err));
  SOTTO_TRY(sotto_i_new(&firsts, buckets, sizeof *firsts, err));
  SOTTO_TRY(sotto_i_new(&cut, (size_t)ranks + 1, sizeof *cut, err));
  for (size_t i = 0; i < ids->count; i++) firsts[ids->items[i].seen / bucket_width(all)]++;
  SOTTO_TRY(sotto_i_ranks_sum(ids->mail.ranks, firsts, buckets, err));
  distribute_buckets(cut, ranks, firsts);
  *nodes = 0;
  for (size_t i = 0; i < buckets; i++) {
    if (i < cut[x.number]) before += firsts[i];
    *nodes += firsts[i];
  }
  if (*nodes >= UINT32_MAX) {
    status = sotto_i_fail(err, SOTTO_RANGE, "a graph holds fewer than 2^32 - 1 ids");
    goto done;
  }
  for (size_t i = 0; i < ids->count; i++)
    SOTTO_TRY(sotto_i_exchange_put(&x, bucket_rank(cut, ranks, ids->items[i].seen / bucket_width(all)),
                                   &ids->items[i].seen, sizeof ids->items[i].seen, err));
  SOTTO_TRY(sotto_i_exchange_pass(&x, &more, err));
  SOTTO_TRY(sort_positions(&x, before, err));
  SOTTO_TRY(sotto_i_exchange_pass(&x, &more, err));
  for (size_t i = 0; i < ids->count; i++) {
    const uint32_t from = bucket_rank(cut, ranks, ids->items[i].seen / bucket_width(all));
    memcpy(&ids->items[i].number, sotto_i_exchange_take(&x, from, sizeof(uint32_t)), sizeof(uint32_t));
  }
done:
  sotto_i_free(firsts);
  sotto_i_free(cut);
  sotto_i_exchange_free(&x);
  return status;
}

sotto_status sotto_i_shared_ids_rows(const sotto_i_shared_ids *ids, uint64_t nodes, uint64_t *first,
                                     sotto_error *err) {
  enum { edge_cost = 12, node_cost = 16 }; /* bytes per rank, approximately */
  uint64_t *cost = NULL;
  uint32_t *cut = NULL;
  const uint32_t ranks = ids->mail.count;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&cost, buckets, sizeof *cost, err));
  SOTTO_TRY(sotto_i_new(&cut, (size_t)ranks + 1, sizeof *cut, err));
  for (size_t i = 0; i < ids->count; i++)
    cost[ids->items[i].number / bucket_width(nodes)] += edge_cost * (uint64_t)ids->items[i].count + node_cost;
  SOTTO_TRY(sotto_i_ranks_sum(ids->mail.ranks, cost, buckets, err));
  distribute_buckets(cut, ranks, cost);
  for (uint32_t r = 0; r <= ranks; r++) {
    const uint64_t node = cut[r] * bucket_width(nodes);
    first[r] = node < nodes ? node : nodes;
  }
done:
  sotto_i_free(cost);
  sotto_i_free(cut);
  return status;
}
