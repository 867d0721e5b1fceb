/* sotto plan: a cost model of a run whose graph is partitioned by nodes over ranks. */
#ifndef SOTTO_APP_PLAN_PLAN_H
#define SOTTO_APP_PLAN_PLAN_H

#include <jansson.h>

#include "sotto/plan.h"

/* Costs of operations on this machine: seconds per operation, with the number of threads of the
 * measurement. Pairs are costs for a matrix of `places[0]` bytes (in a core's cache) and of `places[1]`
 * bytes (in memory). */
typedef struct plan_machine {
  double threads;
  double places[2];
  double multiply_add[2], operand; /* of dense products */
  double pass[2], gather[2], sum[2];
  double curve, scaled, normed, copied, draw, normal, score;
} plan_machine;

/* machine.c: measures the constants in about a second, with the library's kernels on generated data.
 * Errors: NOMEM. */
sotto_status plan_measure(plan_machine *out, sotto_error *err);
/* constants.c: writes them as JSON and reads them. Errors of reading: NOT_FOUND, IO, PARSE, RANGE, naming
 * the file. */
json_t *plan_machine_json(const plan_machine *machine);
sotto_status plan_machine_read(plan_machine *out, const char *path, sotto_error *err);

/* Distribution of the run over ranks. */
typedef struct plan_ranks {
  uint64_t ranks;
  double bandwidth; /* bytes a second that a rank can send, and receive at the same time */
  double latency;   /* seconds per message */
  double cut;       /* share of edges between nodes of different ranks; below 0: that of a random partition */
} plan_ranks;

typedef struct plan_phase_time {
  double compute, traffic; /* seconds, summed over all repetitions of the phase */
  double sent;             /* bytes that a rank sends, summed likewise */
} plan_phase_time;

typedef struct plan_result {
  plan_phase_time phases[SOTTO_PLAN_PHASES], all;
  double border; /* rows that a rank needs from other ranks */
  double memory; /* peak bytes of a rank */
} plan_result;

/* predict.c */
void plan_predict(plan_result *out, const sotto_plan_work *work, const sotto_plan_shape *shape,
                  const plan_machine *machine, const plan_ranks *ranks);

/* A question to the model: the run, its shape, the machine and the ranks. */
typedef struct plan_question {
  const sotto_options *options;
  sotto_plan_shape shape;
  plan_machine machine;
  plan_ranks ranks;
  bool weak; /* weak scaling: `shape` is that of each rank */
} plan_question;

/* show.c: the prediction at these ranks, then at 1, 2, 4 ... ranks, as tables or JSON. Errors: those of
 * sotto_plan_count. */
sotto_status plan_print(const plan_question *question, sotto_error *err);
sotto_status plan_json(json_t **out, const plan_question *question, sotto_error *err);
/* scaling.c: seconds at 1, 2, 4, ... ranks as a picture. Errors: those of sotto_plan_count and of
 * app_chart_write. */
sotto_status plan_plot(const plan_question *question, const char *path, sotto_error *err);
/* The shape and the prediction at `ranks` ranks, under the question's scaling. */
sotto_status plan_at(plan_result *out, sotto_plan_work *work, const plan_question *question, uint64_t ranks,
                     sotto_error *err);

#endif
