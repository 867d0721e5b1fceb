/* sotto plan: a cost model of a run, of a graph that is partitioned by nodes over ranks. */
#ifndef SOTTO_APP_PLAN_PLAN_H
#define SOTTO_APP_PLAN_PLAN_H

#include <jansson.h>

#include "sotto/plan.h"

/* What operations cost on this machine, in seconds for each, with the threads that they were measured with.
 * Pairs are of a matrix of `places[0]` bytes, which a core's cache holds, and of one of `places[1]`, which
 * memory holds. */
typedef struct plan_machine {
  double threads;
  double places[2];
  double multiply_add[2], operand; /* of dense products */
  double pass[2], gather[2], sum[2];
  double curve, scaled, normed, copied, draw, normal, score;
} plan_machine;

/* machine.c: measures them in about a second, with kernels of the library on made data. Errors: NOMEM. */
sotto_status plan_measure(plan_machine *out, sotto_error *err);
/* constants.c: as JSON, and back. Errors of reading: NOT_FOUND, IO, PARSE, RANGE, naming the file. */
json_t *plan_machine_json(const plan_machine *machine);
sotto_status plan_machine_read(plan_machine *out, const char *path, sotto_error *err);

/* How the run is spread over ranks. */
typedef struct plan_ranks {
  uint64_t ranks;
  double bandwidth; /* bytes a second that a rank sends, and as many that it receives at the same time */
  double latency;   /* seconds of a message */
  double cut;       /* share of edges between nodes of different ranks; below 0: that of a random partition */
} plan_ranks;

typedef struct plan_phase_time {
  double compute, traffic; /* seconds, of all times that the phase is run */
  double sent;             /* bytes that a rank sends, likewise */
} plan_phase_time;

typedef struct plan_result {
  plan_phase_time phases[SOTTO_PLAN_PHASES], all;
  double border; /* rows of other ranks that a rank needs */
  double memory; /* bytes of a rank at its peak */
} plan_result;

/* predict.c */
void plan_predict(plan_result *out, const sotto_plan_work *work, const sotto_plan_shape *shape,
                  const plan_machine *machine, const plan_ranks *ranks);

/* A question to the model, and what it takes. */
typedef struct plan_question {
  const sotto_options *options;
  sotto_plan_shape shape;
  plan_machine machine;
  plan_ranks ranks;
  bool weak; /* scaling: nodes and edges are those of each rank */
} plan_question;

/* show.c: one point as a table; all of 1, 2, 4 ... ranks, as a table. Errors: of sotto_plan_count. */
sotto_status plan_print(const plan_question *question, sotto_error *err);
sotto_status plan_json(json_t **out, const plan_question *question, sotto_error *err);
/* scaling.c: seconds at 1, 2, 4, ... ranks as a picture. Errors: of sotto_plan_count, of app_chart_write. */
sotto_status plan_plot(const plan_question *question, const char *path, sotto_error *err);
/* The shape and the prediction at so many ranks, as the scaling of the question has it. */
sotto_status plan_at(plan_result *out, sotto_plan_work *work, const plan_question *question, uint64_t ranks,
                     sotto_error *err);

#endif
