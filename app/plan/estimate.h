/* sotto plan --trainings: time and memory of a run, by short trainings on generated data of the same shape.
 */
#ifndef SOTTO_APP_PLAN_ESTIMATE_H
#define SOTTO_APP_PLAN_ESTIMATE_H

#include "sotto/run.h"

/* The shape of a dataset, without its contents. */
typedef struct estimate_shape {
  const sotto_dataset *data;
  double density; /* share of non-zero features */
} estimate_shape;

/* One short training: number of nodes (or graphs), and its share of all epochs and rounds. */
typedef struct estimate_probe {
  uint64_t items;
  double share;
  unsigned batch_rows;          /* 0: the usual size */
  double allowed;               /* limit of memory in bytes; 0: the machine's memory */
  double seconds, memory, disk; /* measured: wall seconds, peak bytes of the process, bytes of a run folder */
} estimate_probe;

/* made.c: a generated dataset like the first `items` nodes or graphs. It has the same mean degree,
 * features, classes and graph sizes; edges, values and labels are random. Errors: NOMEM, and those of
 * sotto_dataset_from_arrays. */
sotto_status estimate_made(sotto_dataset *out, const estimate_shape *shape, uint64_t items, sotto_error *err);
uint64_t estimate_items(const sotto_dataset *data);

/* probe.c: trains generated data in its own process, with its own ledger, in a private folder that is
 * removed. Errors: those of the training. */
sotto_status estimate_measure(estimate_probe *probe, const sotto_options *options,
                              const estimate_shape *shape, sotto_error *err);

/* estimate.c: measures, and prints the predicted needs of the run. Errors: those of a training,
 * INTERRUPTED. */
sotto_status estimate_run(const sotto_options *options, const sotto_dataset *data, bool json,
                          sotto_error *err);

/* Peak bytes of a run with these options under sotto_memory_set(most), without pages that the system can
 * drop. It is extrapolated from one or two short trainings with the same share of that memory. Errors:
 * those of a training, INTERRUPTED. */
sotto_status estimate_memory(double *bytes, uint64_t most, const sotto_options *options,
                             const sotto_dataset *data, sotto_error *err);

#endif
