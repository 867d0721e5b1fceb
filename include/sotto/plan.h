/* What a run has to compute, hold and send, counted from its options and public numbers of its data alone. No
 * data is read. A cost model multiplies the counts by what each costs on a machine. */
#ifndef SOTTO_PLAN_H
#define SOTTO_PLAN_H

#include "sotto/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Size of the data. Features are counted as dense. */
typedef struct sotto_plan_shape {
  uint64_t nodes;
  uint64_t edges;    /* undirected */
  uint64_t features; /* columns, at least 1 */
  uint32_t classes;  /* at least 2 */
} sotto_plan_shape;

/* One phase of a run, over the whole graph. All counts are for one time. Matrices are float32. */
typedef struct sotto_plan_phase {
  const char *name;     /* static */
  uint64_t times;       /* epochs, if no patience ends them earlier; else 1 */
  double rows, width;   /* shape of the matrix that the phase reads most: it decides which cache holds it */
  double multiply_adds; /* of dense products; a row of the result counts as a multiple of 16 values */
  double operands;      /* values of the tall factors and results of these products */
  double passes;        /* values that an elementwise step reads and writes, forward or backward */
  double curves;        /* the same, of a step that takes an exponential (selu, tanh) */
  double scaled;        /* values of rows that are scaled to norm 1, or columns to a standard */
  double normed;        /* values that batch normalisation reads and writes, forward or backward */
  double copied;        /* values that pass from one party to another in the same process */
  double draws;         /* values that dropout draws for */
  double gathers;       /* values of neighbours' rows that sparse products read */
  double sums;          /* the same in the exact integers of a release */
  double normals;       /* values of Gaussian noise */
  double scores;        /* logits that are measured */
  double exchanges;     /* how often rows of nodes at the border between ranks are exchanged */
  double exchanged;     /* columns of these rows, over all exchanges */
  double at_once;       /* columns of these rows that ranks of the program hold and send at once; 0: all */
  double dealt;    /* values that pass from the rank that makes a batch of rows to those that have them */
  double gathered; /* values that rank 0 gets, of all rows */
  double reduced;  /* gradients that all ranks add up */
} sotto_plan_phase;

enum { SOTTO_PLAN_PHASES = 8 };

typedef struct sotto_plan_work {
  sotto_plan_phase phases[SOTTO_PLAN_PHASES];
  size_t count;
  double node_values;  /* float32 values held for each node at the peak, features included */
  double rank_values;  /* the same for ranks of the program, which read features in batches; 0: node_values */
  double batch_values; /* float32 values held once, whatever the size of the graph */
  double released_bytes; /* of the release; 0: none is made */
  double wire_bytes;     /* payloads that parties send each other, all together; 0: there is one party */
  double wire_trips;     /* between two parties: how often one waits for an answer of the other; else 0 */
  double all_bytes;      /* peak memory of one process with all parties, by the function by which a run
                            refuses to begin; 0: it follows from the values above */
} sotto_plan_work;

/* Counts one seed of a run. `options` were resolved and checked (sotto_run_check, sotto_options_check).
 * Errors: RANGE (a shape without nodes, features or classes, or with more than 2^40 nodes or edges),
 * UNSUPPORTED (the method has no count with these options; the text names those that have one). */
SOTTO_API sotto_status sotto_plan_count(sotto_plan_work *out, const sotto_options *options,
                                        const sotto_plan_shape *shape, sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
