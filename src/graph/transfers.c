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
  sotto_i_free(t->kinds);
  sotto_i_names_free(&t->kind_names);
  *t = (sotto_i_transfers){.count = 0};
}

sotto_transfers sotto_i_transfers_view(const sotto_i_transfers *t) {
  return (sotto_transfers){t->count, t->sources, t->targets, t->amounts, t->times, t->kinds, t->kind_names};
}

sotto_i_transfer sotto_i_transfers_row(const sotto_transfers *t, uint64_t row) {
  return (sotto_i_transfer){.source = t->sources[row],
                            .target = t->targets[row],
                            .amount = t->amounts != NULL ? (double)t->amounts[row] : 0,
                            .time = t->times != NULL ? t->times[row] : 0,
                            .kind = t->kinds != NULL ? t->kinds[row] : 0};
}

sotto_status sotto_i_transfers_like(sotto_i_transfers *out, const sotto_transfers *from, sotto_error *err) {
  *out = (sotto_i_transfers){.has_amounts = from->amounts != NULL, .has_times = from->times != NULL};
  if (from->kinds == NULL) return SOTTO_OK;
  return sotto_i_names_take(&out->kind_names, &from->kind_names, NULL, 0, err);
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
  if (t->kind_names.count > 0) SOTTO_TRY(grow(&t->kinds, &room, t, need, sizeof *t->kinds, err));
  t->room = room;
done:
  return status;
}

sotto_status sotto_i_transfers_add(sotto_i_transfers *t, sotto_i_transfer transfer, sotto_error *err) {
  const sotto_status status = make_room(t, t->count + 1, err);
  if (status != SOTTO_OK) return status;
  t->sources[t->count] = transfer.source;
  t->targets[t->count] = transfer.target;
  if (t->has_amounts) t->amounts[t->count] = (float)transfer.amount;
  if (t->has_times) t->times[t->count] = transfer.time;
  if (t->kind_names.count > 0) t->kinds[t->count] = transfer.kind;
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

/* The names of kinds move. */
static sotto_status copy_sorted(sotto_i_transfers *out, sotto_i_transfers *from, const key *keys,
                                uint64_t count, sotto_error *err) {
  const sotto_transfers rows = sotto_i_transfers_view(from);
  sotto_status status;
  *out = (sotto_i_transfers){
      .has_amounts = from->has_amounts, .has_times = from->has_times, .kind_names = from->kind_names};
  from->kind_names = (sotto_names){.count = 0};
  SOTTO_TRY(make_room(out, 1, err)); /* also where there is no row: there are transfers, of number 0 */
  SOTTO_TRY(make_room(out, count, err));
  for (uint64_t i = 0; i < count; i++)
    SOTTO_TRY(sotto_i_transfers_add(out, sotto_i_transfers_row(&rows, keys[i].row), err));
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

static sotto_status check_kinds(const sotto_names *names, sotto_error *err) {
  if (names->count < 1 || names->count > SOTTO_I_MOST_KINDS)
    return sotto_i_fail(err, SOTTO_RANGE, "transfers have %llu kinds; declare 1 to %d",
                        (unsigned long long)names->count, SOTTO_I_MOST_KINDS);
  const sotto_status status = sotto_i_names_check(names, names->count, "kinds", err);
  if (status != SOTTO_OK) return status;
  for (uint64_t i = 0; i < names->count; i++)
    for (uint64_t j = 0; j < i; j++)
      if (strcmp(sotto_name(names, i), sotto_name(names, j)) == 0)
        return sotto_i_fail(err, SOTTO_CORRUPT, "two kinds of transfers have one name, '%.80s'",
                            sotto_name(names, i));
  return SOTTO_OK;
}

static sotto_status check_row(const sotto_transfers *t, uint64_t i, uint64_t nodes, sotto_error *err) {
  if (t->sources[i] >= nodes || t->targets[i] >= nodes || t->sources[i] == t->targets[i])
    return fail_row(i, SOTTO_CORRUPT, "does not join two nodes", err);
  if (t->amounts != NULL && !(isfinite(t->amounts[i]) && t->amounts[i] >= 0))
    return fail_row(i, SOTTO_NUMERIC, "has an amount that is below 0 or not finite", err);
  if (t->times != NULL && !(fabs(t->times[i]) <= SOTTO_I_MOST_DAYS))
    return fail_row(i, SOTTO_RANGE, "has a time that is no day of the years 1 to 3999", err);
  if (t->kinds != NULL && t->kinds[i] >= t->kind_names.count)
    return fail_row(i, SOTTO_RANGE, "is of a kind without a name", err);
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
  if (t->kinds != NULL) SOTTO_TRY(check_kinds(&t->kind_names, err));
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
  sotto_status status;
  SOTTO_TRY(sotto_i_transfers_like(out, from, err));
  if (from->sources == NULL) return SOTTO_OK;
  for (uint64_t i = 0; i < from->count; i++) {
    sotto_i_transfer row = sotto_i_transfers_row(from, i);
    row.source = number[row.source];
    row.target = number[row.target];
    if (row.source == UINT32_MAX || row.target == UINT32_MAX) continue;
    SOTTO_TRY(sotto_i_transfers_add(out, row, err));
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
  sotto_status status;
  SOTTO_TRY(sotto_i_transfers_like(out, from, err));
  if (from->sources == NULL) return SOTTO_OK;
  SOTTO_TRY(make_room(out, 1, err));
  for (uint64_t i = 0; i < from->count; i++)
    if (has_edge(graph, from->sources[i], from->targets[i]))
      SOTTO_TRY(sotto_i_transfers_add(out, sotto_i_transfers_row(from, i), err));
done:
  return status;
}
