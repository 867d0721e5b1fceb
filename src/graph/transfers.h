/* Transfers of a dataset: directed, repeated edges with amounts and times (sotto_transfers). */
#ifndef SOTTO_SRC_GRAPH_TRANSFERS_H
#define SOTTO_SRC_GRAPH_TRANSFERS_H

#include "names.h"

/* Days before and after 2000-01-01 that a time may be. */
enum { SOTTO_I_MOST_DAYS = 730000 };
enum { SOTTO_I_MOST_KINDS = 16 };

/* One of them. `amount`, `time` and `kind` count where there are any. */
typedef struct sotto_i_transfer {
  uint32_t source, target;
  double amount, time;
  uint8_t kind;
} sotto_i_transfer;

/* Being collected. The holder owns the arrays, which come from sotto_i_new. */
typedef struct sotto_i_transfers {
  uint64_t count, room;
  bool has_amounts, has_times;
  uint32_t *sources, *targets;
  float *amounts; /* NULL without */
  double *times;
  uint8_t *kinds;
  sotto_names kind_names; /* none: transfers have no kinds */
} sotto_i_transfers;

/* Makes an empty list of transfers that have the same as these: copies the names of kinds. Errors: NOMEM. */
sotto_status sotto_i_transfers_like(sotto_i_transfers *out, const sotto_transfers *from, sotto_error *err);
/* Errors: NOMEM. */
sotto_status sotto_i_transfers_add(sotto_i_transfers *t, sotto_i_transfer transfer, sotto_error *err);
sotto_i_transfer sotto_i_transfers_row(const sotto_transfers *t, uint64_t row);
/* Leaves out self-loops and sorts, stably, by the lower end, the higher end and the time. Errors: NOMEM. */
sotto_status sotto_i_transfers_sort(sotto_i_transfers *t, sotto_error *err);
void sotto_i_transfers_free(sotto_i_transfers *t);
sotto_transfers sotto_i_transfers_view(const sotto_i_transfers *t);

/* Are they in that order, finite, not below 0 and of kinds with names, and is each edge that of some transfer
 * and the other way round? Errors: CORRUPT, NUMERIC, RANGE. */
sotto_status sotto_i_transfers_check(const sotto_transfers *t, const sotto_graph *graph, sotto_error *err);
/* out (fresh): those between nodes that have a new number, which is below UINT32_MAX. Errors: NOMEM. */
sotto_status sotto_i_transfers_take(sotto_i_transfers *out, const sotto_transfers *from,
                                    const uint32_t *number, sotto_error *err);
/* out (fresh): those of the graph's edges. Errors: NOMEM. */
sotto_status sotto_i_transfers_of_edges(sotto_i_transfers *out, const sotto_transfers *from,
                                        const sotto_graph *graph, sotto_error *err);

#endif
