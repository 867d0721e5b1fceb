/* Transfers: collected, sorted, checked. */
#include "transfers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { first_room = 1024 };

void sotto_i_transfers_free(sotto_i_transfers *t) {
  sotto_i_free(t->sources);
  sotto_i_free(t->targets);
  sotto_i_free(t->amounts);
  sotto_i_free(t->times);
  *t = (sotto_i_transfers){.count = 0};
}

sotto_transfers sotto_i_transfers_view(const sotto_i_transfers *t) {
  return (sotto_transfers){t->count, t->sources, t->targets, t->amounts, t->times};
}

static sotto_status grow(void *array, size_t *room, const sotto_i_transfers *t, uint64_t need, size_t size,
                         sotto_error *err) {
  *room = t->room;
  return sotto_i_grow(array, room, need, size, err);
}

static sotto_status make_room(sotto_i_transfers *t, uint64_t need, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  size_t room = 0;
  if (need <= t->room) return SOTTO_OK;
  if (need < first_room) need = first_room;
  SOTTO_TRY(grow(&t->sources, &room, t, need, sizeof *t->sources, err));
  SOTTO_TRY(grow(&t->targets, &room, t, need, sizeof *t->targets, err));
  if (t->has_amounts) SOTTO_TRY(grow(&t->amounts, &room, t, need, sizeof *t->amounts, err));
  if (t->has_times) SOTTO_TRY(grow(&t->times, &room, t, need, sizeof *t->times, err));
  t->room = room;
done:
  return status;
}

sotto_status sotto_i_transfers_add(sotto_i_transfers *t, uint32_t source, uint32_t target, double amount,
                                   double time, sotto_error *err) {
  const sotto_status status = make_room(t, t->count + 1, err);
  if (status != SOTTO_OK) return status;
  t->sources[t->count] = source;
  t->targets[t->count] = target;
  if (t->has_amounts) t->amounts[t->count] = (float)amount;
  if (t->has_times) t->times[t->count] = time;
  t->count++;
  return SOTTO_OK;
}

/* A row to be sorted. */
typedef struct key {
  uint64_t ends; /* the lower one, then the higher one */
  double time;
  uint64_t row;
} key;

static uint64_t ends_of(uint32_t source, uint32_t target) {
  const uint32_t low = source < target ? source : target, high = source < target ? target : source;
  return (uint64_t)low << 32 | high;
}

static int by_ends(const void *a, const void *b) {
  const key *x = a, *y = b;
  if (x->ends != y->ends) return x->ends < y->ends ? -1 : 1;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

static sotto_status copy_sorted(sotto_i_transfers *out, const sotto_i_transfers *from, const key *keys,
                                uint64_t count, sotto_error *err) {
  sotto_status status;
  out->has_amounts = from->has_amounts;
  out->has_times = from->has_times;
  SOTTO_TRY(make_room(out, 1, err)); /* also where there is no row: there are transfers, of number 0 */
  SOTTO_TRY(make_room(out, count, err));
  for (uint64_t i = 0; i < count; i++)
    SOTTO_TRY(sotto_i_transfers_add(out, from->sources[keys[i].row], from->targets[keys[i].row],
                                    from->has_amounts ? (double)from->amounts[keys[i].row] : 0, keys[i].time,
                                    err));
done:
  return status;
}

sotto_status sotto_i_transfers_sort(sotto_i_transfers *t, sotto_error *err) {
  sotto_i_transfers sorted = {.count = 0};
  key *keys = NULL;
  uint64_t count = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&keys, t->count, sizeof *keys, err));
  for (uint64_t i = 0; i < t->count; i++)
    if (t->sources[i] != t->targets[i])
      keys[count++] = (key){ends_of(t->sources[i], t->targets[i]), t->has_times ? t->times[i] : 0, i};
  if (count > 0) qsort(keys, count, sizeof *keys, by_ends);
  SOTTO_TRY(copy_sorted(&sorted, t, keys, count, err));
  sotto_i_transfers_free(t);
  *t = sorted;
  sorted = (sotto_i_transfers){.count = 0};
done:
  sotto_i_transfers_free(&sorted);
  sotto_i_free(keys);
  return status;
}

static sotto_status fail_row(uint64_t row, sotto_status status, const char *what, sotto_error *err) {
  return sotto_i_fail(err, status, "transfer %llu %s", (unsigned long long)row, what);
}

static sotto_status check_row(const sotto_transfers *t, uint64_t i, uint64_t nodes, sotto_error *err) {
  if (t->sources[i] >= nodes || t->targets[i] >= nodes || t->sources[i] == t->targets[i])
    return fail_row(i, SOTTO_CORRUPT, "does not join two nodes", err);
  if (t->amounts != NULL && !(isfinite(t->amounts[i]) && t->amounts[i] >= 0))
    return fail_row(i, SOTTO_NUMERIC, "has an amount that is below 0 or not finite", err);
  if (t->times != NULL && !(fabs(t->times[i]) <= SOTTO_I_MOST_DAYS))
    return fail_row(i, SOTTO_RANGE, "has a time that is no day of the years 1 to 3999", err);
  if (i == 0) return SOTTO_OK;
  const uint64_t own = ends_of(t->sources[i], t->targets[i]),
                 before = ends_of(t->sources[i - 1], t->targets[i - 1]);
  if (own < before || (own == before && t->times != NULL && t->times[i] < t->times[i - 1]))
    return fail_row(i, SOTTO_CORRUPT, "is out of order", err);
  return SOTTO_OK;
}

sotto_status sotto_i_transfers_check(const sotto_transfers *t, const sotto_graph *graph, sotto_error *err) {
  uint64_t row = 0;
  sotto_status status = SOTTO_OK;
  for (uint64_t i = 0; i < t->count; i++) SOTTO_TRY(check_row(t, i, graph->nodes, err));
  for (uint64_t v = 0; v < graph->nodes && t->count > 0; v++)
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
      if (graph->targets[e] <= v) continue;
      const uint64_t edge = v << 32 | graph->targets[e], first = row;
      while (row < t->count && ends_of(t->sources[row], t->targets[row]) == edge) row++;
      if (row == first) return fail_row(row, SOTTO_CORRUPT, "is not of the next edge of the graph", err);
    }
  if (row < t->count) return fail_row(row, SOTTO_CORRUPT, "is of no edge of the graph", err);
done:
  return status;
}

sotto_status sotto_i_transfers_take(sotto_i_transfers *out, const sotto_transfers *from,
                                    const uint32_t *number, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_transfers){.has_amounts = from->amounts != NULL, .has_times = from->times != NULL};
  if (from->sources == NULL) return SOTTO_OK;
  for (uint64_t i = 0; i < from->count; i++) {
    const uint32_t source = number[from->sources[i]], target = number[from->targets[i]];
    if (source == UINT32_MAX || target == UINT32_MAX) continue;
    SOTTO_TRY(sotto_i_transfers_add(out, source, target, from->amounts != NULL ? (double)from->amounts[i] : 0,
                                    from->times != NULL ? from->times[i] : 0, err));
  }
  SOTTO_TRY(sotto_i_transfers_sort(out, err));
done:
  return status;
}

static bool has_edge(const sotto_graph *graph, uint32_t from, uint32_t to) {
  uint64_t low = graph->offsets[from], high = graph->offsets[from + 1];
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (graph->targets[middle] == to) return true;
    if (graph->targets[middle] < to)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

sotto_status sotto_i_transfers_of_edges(sotto_i_transfers *out, const sotto_transfers *from,
                                        const sotto_graph *graph, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_transfers){.has_amounts = from->amounts != NULL, .has_times = from->times != NULL};
  if (from->sources == NULL) return SOTTO_OK;
  SOTTO_TRY(make_room(out, 1, err));
  for (uint64_t i = 0; i < from->count; i++)
    if (has_edge(graph, from->sources[i], from->targets[i]))
      SOTTO_TRY(sotto_i_transfers_add(out, from->sources[i], from->targets[i],
                                      from->amounts != NULL ? (double)from->amounts[i] : 0,
                                      from->times != NULL ? from->times[i] : 0, err));
done:
  return status;
}
