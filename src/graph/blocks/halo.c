/* The halo: finds the rows of other ranks that own rows are adjacent to, and exchanges them. Node numbers
 * have 64 bits in messages. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "block.h"
#include "inside/ranks.h"

/* A node of another rank; sorted by rank, then by node. */
typedef struct remote_node {
  uint32_t rank, node;
} remote_node;

static int compare_remote(const void *a, const void *b) {
  const remote_node *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

/* Lists the targets held by other ranks. Uses one bit per node of the whole graph meanwhile. */
static sotto_status list_remote(remote_node **out, size_t *count, const sotto_i_block *b, sotto_error *err) {
  const uint32_t number = sotto_ranks_number(b->ranks);
  uint8_t *seen = NULL;
  size_t used = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&seen, b->nodes / 8 + 1, 1, err));
  *count = 0;
  for (uint64_t e = 0; e < b->graph.entries; e++) {
    const uint32_t v = b->graph.targets[e];
    if ((seen[v / 8] >> v % 8 & 1) != 0) continue;
    seen[v / 8] = (uint8_t)(seen[v / 8] | 1U << v % 8);
    *count += sotto_i_block_owner(b, v) != number;
  }
  SOTTO_TRY(sotto_i_new_raw(out, *count, sizeof **out, err));
  for (uint64_t v = 0; v < b->nodes; v++) {
    const uint32_t owner = (seen[v / 8] >> v % 8 & 1) != 0 ? sotto_i_block_owner(b, v) : number;
    if (owner != number) (*out)[used++] = (remote_node){owner, (uint32_t)v};
  }
  qsort(*out, used, sizeof **out, compare_remote);
done:
  sotto_i_free(seen);
  return status;
}

/* The row of a node: an own row, or a row of the halo; `all` is sorted. */
static uint32_t find_row(const sotto_i_block *b, const remote_node *all, uint32_t node) {
  const uint32_t owner = sotto_i_block_owner(b, node);
  if (owner == sotto_ranks_number(b->ranks)) return (uint32_t)sotto_i_block_from(b, node);
  const remote_node wanted = {owner, node};
  const remote_node *found = bsearch(&wanted, all, b->halo, sizeof *all, compare_remote);
  SOTTO_I_CHECK(found != NULL);
  return (uint32_t)(b->count + (size_t)(found - all));
}

typedef struct row_naming {
  const sotto_i_block *block;
  const remote_node *all;
  uint32_t *targets;
} row_naming;

static void name_rows(void *context, size_t begin, size_t end) {
  const row_naming *n = context;
  for (size_t e = begin; e < end; e++) n->targets[e] = find_row(n->block, n->all, n->targets[e]);
}

/* Sends every rank the list of its nodes that are needed here, and receives the lists of nodes needed
 * there. */
static sotto_status swap_lists(sotto_i_block *b, uint64_t *requested, uint64_t *wanted, sotto_error *err) {
  const uint32_t count = sotto_ranks_count(b->ranks), number = sotto_ranks_number(b->ranks);
  sotto_i_parcel *parcels = NULL;
  sotto_status status;
  size_t used = 0;
  SOTTO_TRY(sotto_i_new(&parcels, 2 * (size_t)count, sizeof *parcels, err));
  for (uint32_t r = 0; r < count; r++) {
    if (r == number) continue;
    parcels[used++] = (sotto_i_parcel){.peer = r,
                                       .data = wanted + b->halo_first[r],
                                       .bytes = (b->halo_first[r + 1] - b->halo_first[r]) * sizeof *wanted};
    parcels[used++] =
        (sotto_i_parcel){.peer = r,
                         .take = true,
                         .data = requested + b->send_first[r],
                         .bytes = (b->send_first[r + 1] - b->send_first[r]) * sizeof *requested};
  }
  SOTTO_TRY(sotto_i_ranks_pass(b->ranks, parcels, used, err));
done:
  sotto_i_free(parcels);
  return status;
}

static sotto_status set_up_halo(sotto_i_block *b, const remote_node *all, sotto_error *err) {
  const uint32_t count = sotto_ranks_count(b->ranks);
  uint64_t *wanted = NULL, *requested = NULL, *numbers = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&numbers, 2 * (size_t)count, sizeof *numbers, err));
  SOTTO_TRY(sotto_i_new(&b->halo_first, (size_t)count + 1, sizeof *b->halo_first, err));
  SOTTO_TRY(sotto_i_new(&b->send_first, (size_t)count + 1, sizeof *b->send_first, err));
  SOTTO_TRY(sotto_i_new_raw(&wanted, b->halo, sizeof *wanted, err));
  for (size_t i = 0; i < b->halo; i++) {
    numbers[all[i].rank]++;
    wanted[i] = all[i].node;
  }
  SOTTO_TRY(sotto_i_ranks_all_to_all(b->ranks, numbers + count, numbers, err));
  for (uint32_t r = 0; r < count; r++) {
    b->halo_first[r + 1] = b->halo_first[r] + numbers[r];
    b->send_first[r + 1] = b->send_first[r] + numbers[count + r];
  }
  SOTTO_TRY(sotto_i_new_raw(&requested, b->send_first[count], sizeof *requested, err));
  SOTTO_TRY(swap_lists(b, requested, wanted, err));
  SOTTO_TRY(sotto_i_new_raw(&b->send, b->send_first[count], sizeof *b->send, err));
  for (uint64_t i = 0; i < b->send_first[count]; i++) {
    const size_t row = sotto_i_block_from(b, requested[i]);
    SOTTO_I_CHECK(row < b->count && b->own[row] == requested[i]);
    b->send[i] = (uint32_t)row;
  }
done:
  sotto_i_free(numbers);
  sotto_i_free(wanted);
  sotto_i_free(requested);
  return status;
}

sotto_status sotto_i_block_find_halo(sotto_i_block *b, uint32_t *targets, sotto_error *err) {
  remote_node *all = NULL;
  sotto_status status;
  SOTTO_TRY(list_remote(&all, &b->halo, b, err));
  if (b->count + b->halo >= UINT32_MAX) {
    status = sotto_i_fail(err, SOTTO_RANGE, "a rank and its halo have 2^32 rows or more; start more ranks");
    goto done;
  }
  row_naming names = {b, all, targets};
  sotto_i_parallel(b->graph.entries, 1 << 14, name_rows, &names);
  status = set_up_halo(b, all, err);
done:
  sotto_i_free(all);
  return status;
}

sotto_status sotto_i_halo_new(sotto_i_halo *out, const sotto_i_block *b, size_t cols, sotto_error *err) {
  const uint32_t count = sotto_ranks_count(b->ranks), number = sotto_ranks_number(b->ranks);
  const uint64_t row = cols * sizeof(int32_t);
  sotto_i_parcel *parcels = NULL;
  sotto_status status;
  size_t used = 0;
  *out = (sotto_i_halo){.block = b, .cols = cols};
  SOTTO_TRY(sotto_i_new_raw(&out->rows, (b->count + b->halo) * cols, sizeof *out->rows, err));
  SOTTO_TRY(sotto_i_new_raw(&out->packed, b->send_first[count] * cols, sizeof *out->packed, err));
  SOTTO_TRY(sotto_i_new(&parcels, 2 * (size_t)count, sizeof *parcels, err));
  for (uint32_t r = 0; r < count; r++) {
    if (r == number) continue;
    parcels[used++] = (sotto_i_parcel){.peer = r,
                                       .data = out->packed + b->send_first[r] * cols,
                                       .bytes = (b->send_first[r + 1] - b->send_first[r]) * row};
    parcels[used++] = (sotto_i_parcel){.peer = r,
                                       .take = true,
                                       .data = out->rows + (b->count + b->halo_first[r]) * cols,
                                       .bytes = (b->halo_first[r + 1] - b->halo_first[r]) * row};
  }
  SOTTO_TRY(sotto_i_route_new(&out->route, b->ranks, parcels, used, err));
done:
  sotto_i_free(parcels);
  if (status != SOTTO_OK) sotto_i_halo_free(out);
  return status;
}

static void pack_rows(void *context, size_t begin, size_t end) {
  const sotto_i_halo *h = context;
  for (size_t i = begin; i < end; i++)
    memcpy(h->packed + i * h->cols, h->rows + h->block->send[i] * h->cols, h->cols * sizeof *h->rows);
}

sotto_status sotto_i_halo_pass(sotto_i_halo *h, sotto_error *err) {
  const sotto_i_block *b = h->block;
  const uint64_t sent = b->send_first[sotto_ranks_count(b->ranks)], row = h->cols * sizeof(int32_t);
  const sotto_rank_traffic before = sotto_ranks_traffic(b->ranks);
  sotto_i_parallel(sent, 1 << 10, pack_rows, h);
  const sotto_status status = sotto_i_route_run(h->route, err);
  const sotto_rank_traffic after = sotto_ranks_traffic(b->ranks);
  sotto_i_ranks_count_halo(b->ranks, after.sent - before.sent, after.received - before.received, sent * row);
  return status;
}

void sotto_i_halo_free(sotto_i_halo *h) {
  sotto_i_route_free(h->route);
  sotto_i_free(h->rows);
  sotto_i_free(h->packed);
  *h = (sotto_i_halo){0};
}
