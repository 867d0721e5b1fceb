/* sotto plan --trainings: time and memory of a run, by short trainings on generated data of the same shape.
 */
#ifndef SOTTO_APP_PLAN_ESTIMATE_H
#define SOTTO_APP_PLAN_ESTIMATE_H

#include "sotto/run.h"

/* What a dataset is, without what is in it. */
typedef struct estimate_shape {
  const sotto_dataset *data;
  double density; /* share of features that are not 0 */
} estimate_shape;

/* One short training: of so many nodes (or graphs), with this share of all epochs and rounds. */
typedef struct estimate_probe {
  uint64_t items;
  double share;
  unsigned batch_rows; /* 0: as usual */
  double allowed;      /* bytes of memory; 0: that of the machine */
  double seconds, memory,
      disk; /* measured: wall time, peak bytes of the process; bytes of a run folder of all seeds */
} estimate_probe;

/* made.c: a dataset like it of the first `items` nodes or graphs: mean degree, features, classes, sizes of
 * graphs; edges, values and labels are drawn. Errors: NOMEM, and those of sotto_dataset_from_arrays. */
sotto_status estimate_made(sotto_dataset *out, const estimate_shape *shape, uint64_t items, sotto_error *err);
uint64_t estimate_items(const sotto_dataset *data);

/* probe.c: trains made data in a process of its own, with a ledger of its own, in a private folder that is
 * removed. Errors: of the training, as it says them. */
sotto_status estimate_measure(estimate_probe *probe, const sotto_options *options,
                              const estimate_shape *shape, sotto_error *err);

/* estimate.c: measures, and prints what the run will need. Errors: those of a training, INTERRUPTED. */
sotto_status estimate_run(const sotto_options *options, const sotto_dataset *data, bool json,
                          sotto_error *err);

/* The peak bytes of a run with these options under sotto_memory_set(most), without what the system can drop,
 * from a short training or two under as small a share of it. Errors: those of a training, INTERRUPTED. */
sotto_status estimate_memory(double *bytes, uint64_t most, const sotto_options *options,
                             const sotto_dataset *data, sotto_error *err);

#endif
