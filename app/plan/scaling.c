/* Predictions at 1, 2, 4, ... ranks, and their picture. */
#include <stdio.h>
#include <string.h>

#include "plan.h"
#include "report/chart.h"

enum { most_points = 64 };

sotto_status plan_at(plan_result *out, sotto_plan_work *work, const plan_question *q, uint64_t ranks,
                     sotto_error *err) {
  sotto_plan_shape shape = q->shape;
  plan_ranks spread = q->ranks;
  spread.ranks = ranks;
  if (q->weak) {
    shape.nodes *= ranks;
    shape.edges *= ranks;
  }
  const sotto_status status = sotto_plan_count(work, q->options, &shape, err);
  if (status == SOTTO_OK) plan_predict(out, work, &shape, &q->machine, &spread);
  return status;
}

sotto_status plan_plot(const plan_question *q, const char *path, sotto_error *err) {
  double x[most_points], all[most_points], compute[most_points], traffic[most_points], ideal[most_points];
  size_t count = 0;
  for (uint64_t ranks = 1; ranks <= q->ranks.ranks && count < most_points; ranks *= 2, count++) {
    plan_result r;
    sotto_plan_work work;
    const sotto_status status = plan_at(&r, &work, q, ranks, err);
    if (status != SOTTO_OK) return status;
    x[count] = (double)ranks;
    compute[count] = r.all.compute;
    traffic[count] = r.all.traffic;
    all[count] = r.all.compute + r.all.traffic;
    ideal[count] = all[0] / (q->weak ? 1 : (double)ranks);
  }
  const app_series series[] = {{.name = "time", .x = x, .y = all, .count = count},
                               {.name = "computation", .x = x, .y = compute, .count = count},
                               {.name = "traffic", .x = x, .y = traffic, .count = count},
                               {.name = "ideal", .x = x, .y = ideal, .count = count}};
  char title[160];
  (void)snprintf(title, sizeof title, "%s, %.3g nodes and %.3g edges%s", q->options->method,
                 (double)q->shape.nodes, (double)q->shape.edges, q->weak ? " a rank" : "");
  const app_chart chart = {.title = title,
                           .x_label = "ranks",
                           .y_label = "seconds",
                           .note = "Predicted by sotto plan from constants of one machine.",
                           .log_x = true,
                           .log_y = true,
                           .series = series,
                           .series_count = sizeof series / sizeof *series};
  return app_chart_write(&chart, path, err);
}
