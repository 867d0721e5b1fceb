/* A prediction as tables and as JSON. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "common/print.h"
#include "plan.h"

static const char *bytes_text(char out[32], double bytes) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < sizeof units / sizeof *units; unit++) bytes /= 1000;
  (void)snprintf(out, 32, "%.3g %s", bytes, units[unit]);
  return out;
}

static const char *seconds_text(char out[32], double seconds) {
  if (seconds >= 7200)
    (void)snprintf(out, 32, "%.1f h", seconds / 3600);
  else if (seconds >= 120)
    (void)snprintf(out, 32, "%.1f min", seconds / 60);
  else
    (void)snprintf(out, 32, seconds >= 0.01 || seconds == 0 ? "%.2f s" : "%.2g s", seconds);
  return out;
}

static void print_phases(const plan_result *r, const sotto_plan_work *work) {
  char a[32], b[32], c[32];
  app_print(stdout, "  %-10s %8s %14s %12s %14s\n", "phase", "times", "computation", "traffic",
            "sent a rank");
  for (size_t i = 0; i < work->count; i++) {
    const plan_phase_time *t = &r->phases[i];
    app_print(stdout, "  %-10s %8llu %14s %12s %14s\n", work->phases[i].name,
              (unsigned long long)work->phases[i].times, seconds_text(a, t->compute),
              seconds_text(b, t->traffic), bytes_text(c, t->sent));
  }
}

static void print_scaling_row(const plan_result *r, uint64_t ranks, double efficiency) {
  char a[32], b[32], c[32], d[32];
  app_print(stdout, "  %8llu %12s %12s %14s %14s %10.0f %%\n", (unsigned long long)ranks,
            seconds_text(a, r->all.compute + r->all.traffic), seconds_text(b, r->all.traffic),
            bytes_text(c, r->all.sent), bytes_text(d, r->memory), 100 * efficiency);
}

static sotto_status print_scaling(const plan_question *q, sotto_error *err) {
  double first = 0;
  app_print(stdout, "\n  %8s %12s %12s %14s %14s %12s\n", "ranks", "time", "of traffic", "sent a rank",
            "memory a rank", "efficiency");
  for (uint64_t ranks = 1; ranks <= q->ranks.ranks; ranks *= 2) {
    sotto_plan_work work;
    plan_result r;
    const sotto_status status = plan_at(&r, &work, q, ranks, err);
    if (status != SOTTO_OK) return status;
    const double all = r.all.compute + r.all.traffic;
    if (ranks == 1) first = all;
    print_scaling_row(&r, ranks, first / all / (q->weak ? 1 : (double)ranks));
  }
  return SOTTO_OK;
}

/* Bytes between parties, which are no ranks. */
static void print_wire(const sotto_plan_work *work) {
  char a[32], trips[48] = "";
  if (!(work->wire_bytes > 0)) return;
  if (work->wire_trips > 0) (void)snprintf(trips, sizeof trips, " in %.0f round trips", work->wire_trips);
  app_print(stdout, "  parties   send each other at most %s%s; their time is not counted\n",
            bytes_text(a, work->wire_bytes), trips);
}

sotto_status plan_print(const plan_question *q, sotto_error *err) {
  char a[32], b[32];
  sotto_plan_work work;
  plan_result r;
  const sotto_status status = plan_at(&r, &work, q, q->ranks.ranks, err);
  if (status != SOTTO_OK) return status;
  const double threads = q->machine.threads;
  app_print(
      stdout, "  %s, %llu rank%s of %.0f thread%s; each has %.4g nodes and needs %.4g of other ranks\n\n",
      q->options->method, (unsigned long long)q->ranks.ranks, q->ranks.ranks == 1 ? "" : "s", threads,
      threads == 1 ? "" : "s", (double)q->shape.nodes / (q->weak ? 1 : (double)q->ranks.ranks), r.border);
  print_phases(&r, &work);
  app_print(stdout, "\n  time      %s\n", seconds_text(a, r.all.compute + r.all.traffic));
  app_print(stdout, "  memory    %s a rank\n", bytes_text(a, r.memory));
  app_print(stdout, "  traffic   %s a rank, %s in all\n", bytes_text(a, r.all.sent),
            bytes_text(b, r.all.sent * (double)q->ranks.ranks));
  print_wire(&work);
  if (work.released_bytes > 0) app_print(stdout, "  release   %s\n", bytes_text(a, work.released_bytes));
  if (q->options->seeds > 1)
    app_print(stdout, "  seeds     of one seed; the run has %llu\n", (unsigned long long)q->options->seeds);
  return q->ranks.ranks > 1 ? print_scaling(q, err) : SOTTO_OK;
}

static json_t *phase_json(const char *name, uint64_t times, const plan_phase_time *t) {
  return json_pack("{s:s, s:I, s:f, s:f, s:f}", "name", name, "times", (json_int_t)times, "compute_seconds",
                   t->compute, "traffic_seconds", t->traffic, "sent_bytes", t->sent);
}

static sotto_status point_json(json_t **out, const plan_question *q, uint64_t ranks, sotto_error *err) {
  sotto_plan_work work;
  plan_result r;
  const sotto_status status = plan_at(&r, &work, q, ranks, err);
  if (status != SOTTO_OK) return status;
  json_t *phases = json_array();
  for (size_t i = 0; i < work.count; i++)
    (void)json_array_append_new(phases, phase_json(work.phases[i].name, work.phases[i].times, &r.phases[i]));
  *out =
      json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "ranks", (json_int_t)ranks, "seconds",
                r.all.compute + r.all.traffic, "traffic_seconds", r.all.traffic, "memory_bytes", r.memory,
                "sent_bytes", r.all.sent, "border_rows", r.border, "released_bytes", work.released_bytes,
                "wire_bytes", work.wire_bytes, "wire_trips", work.wire_trips, "phases", phases);
  return *out == NULL ? sotto_i_fail(err, SOTTO_NOMEM, "no memory for a plan") : SOTTO_OK;
}

sotto_status plan_json(json_t **out, const plan_question *q, sotto_error *err) {
  json_t *points = json_array();
  sotto_status status = SOTTO_OK;
  for (uint64_t ranks = 1; status == SOTTO_OK; ranks *= 2) {
    const uint64_t at = ranks < q->ranks.ranks ? ranks : q->ranks.ranks;
    json_t *point = NULL;
    status = point_json(&point, q, at, err);
    if (status == SOTTO_OK) (void)json_array_append_new(points, point);
    if (at == q->ranks.ranks) break;
  }
  if (status != SOTTO_OK) {
    json_decref(points);
    return status;
  }
  *out = json_pack("{s:{s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:o}}", "plan", "method", q->options->method,
                   "scaling", q->weak ? "weak" : "strong", "nodes", (json_int_t)q->shape.nodes, "edges",
                   (json_int_t)q->shape.edges, "features", (json_int_t)q->shape.features, "classes",
                   (json_int_t)q->shape.classes, "points", points, "machine", plan_machine_json(&q->machine));
  return *out == NULL ? sotto_i_fail(err, SOTTO_NOMEM, "no memory for a plan") : SOTTO_OK;
}
