/* Time, memory and disk space of a run, by extrapolation. Trainings with a few of the run's epochs are
 * timed on its number of nodes or, for larger data, on two smaller numbers. Their needs are extrapolated
 * linearly. */
#include "estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "common/print.h"

enum { most_probes = 12 };

typedef struct estimate {
  const sotto_options *options;
  estimate_shape shape;
  estimate_probe probes[most_probes];
  size_t count;
  double seconds, memory, disk, allowed; /* bytes that the run may use; 0: the machine's memory */
} estimate;

/* Least difference in seconds between two trainings with few epochs; a smaller one is mostly clock error
 * and other processes. */
static const double enough_seconds = 0.6;
static const double first_share = 0.04, factor = 3;
/* Data with more numbers than this is measured on a part. */
static const double most_numbers = 3e7;
/* Bytes for each number of the data: the larger of making a part and training on it. */
static const double bytes_a_number = 16;

static double density_of(const sotto_dataset *data) {
  const sotto_matrix *x = &data->features;
  if (data->entries.offsets != NULL)
    return (double)data->entries.offsets[x->rows] / ((double)x->rows * (double)x->cols);
  const size_t all = x->rows * x->cols, every = all / 1000000 + 1;
  size_t seen = 0, kept = 0;
  for (size_t i = 0; i < all; i += every, seen++) kept += x->data[i] != 0;
  return seen == 0 ? 1 : (double)kept / (double)seen;
}

/* A part of the data is trained in batches of the same proportion. All tables of a training then scale with
 * the part, and the largest table of the run is the largest of the part. The part is rounded to a multiple
 * of the smallest batch, since a batch that is rounded up would make the line too flat. */
enum { batch = 16384, least_batch = 64, steps = batch / least_batch };

static unsigned batch_rows(const estimate_shape *shape, uint64_t items) {
  const double share = (double)items / (double)estimate_items(shape->data);
  const double rows = ceil(share * steps - 1e-6) * least_batch;
  return rows >= batch ? 0 : (unsigned)rows;
}

/* A part of about `items`, an even number of steps. */
static uint64_t round_to_steps(uint64_t all, uint64_t items) {
  const uint64_t half = (uint64_t)((double)items / (double)all * steps / 2), part = half < 1 ? 2 : 2 * half;
  return all < steps ? items : all * part / steps;
}

static sotto_status add_probe(estimate *e, uint64_t items, double share, sotto_error *err) {
  estimate_probe *probe = &e->probes[e->count];
  *probe = (estimate_probe){.items = items, .share = share, .batch_rows = batch_rows(&e->shape, items)};
  probe->allowed = e->allowed * (double)items / (double)estimate_items(e->shape.data);
  sotto_status status = estimate_measure(probe, e->options, &e->shape, err);
  if (status == SOTTO_OK) e->count++;
  return status;
}

/* Two probes that differ only in their epochs, as far apart as necessary; *full gets the time of all
 * epochs. */
static sotto_status measure_pair(estimate *e, uint64_t items, double *full, sotto_error *err) {
  sotto_status status;
  double share = first_share;
  size_t before = e->count;
  SOTTO_TRY(add_probe(e, items, share, err));
  do {
    share = share * factor < 1 ? share * factor : 1;
    SOTTO_TRY(add_probe(e, items, share, err));
  } while (share < 1 && e->probes[e->count - 1].seconds - e->probes[before].seconds < enough_seconds);
  const estimate_probe *a = &e->probes[before], *b = &e->probes[e->count - 1];
  const double slope = (b->seconds - a->seconds) / (b->share - a->share);
  *full = b->seconds + (slope > 0 ? slope : 0) * (1 - b->share);
done:
  return status;
}

static double extrapolate(double x, double x1, double y1, double x2, double y2) {
  return x2 > x1 ? y2 + (y2 - y1) / (x2 - x1) * (x - x2) : y2;
}

/* Largest number of nodes or graphs in a probe that may hold `most` numbers. */
static uint64_t most_items(const sotto_dataset *data, double most) {
  const uint64_t *entries = data->entries.offsets;
  const double features = entries != NULL ? 2 * (double)entries[data->graph.nodes]
                                          : (double)data->features.rows * (double)data->features.cols;
  const double numbers = features + (double)data->graph.entries;
  const uint64_t all = estimate_items(data);
  return numbers > most ? round_to_steps(all, (uint64_t)ceil((double)all * (most / numbers))) : all;
}

static sotto_status measure_probes(estimate *e, sotto_error *err) {
  const sotto_dataset *data = e->shape.data;
  const uint64_t all = estimate_items(data), large = most_items(data, most_numbers);
  double last, first;
  sotto_status status;
  if (large == all) {
    SOTTO_TRY(measure_pair(e, all, &e->seconds, err));
    e->memory = e->probes[e->count - 1].memory;
    e->disk = e->probes[e->count - 1].disk;
    return SOTTO_OK;
  }
  SOTTO_TRY(measure_pair(e, large / 2, &first, err));
  const estimate_probe small = e->probes[e->count - 1];
  SOTTO_TRY(measure_pair(e, large, &last, err));
  const estimate_probe big = e->probes[e->count - 1];
  const double x = (double)all, x1 = (double)small.items, x2 = (double)big.items;
  e->seconds = extrapolate(x, x1, first, x2, last);
  e->memory = extrapolate(x, x1, small.memory, x2, big.memory);
  e->disk = extrapolate(x, x1, small.disk, x2, big.disk);
done:
  return status;
}

static void print_bytes(const char *what, double bytes, const char *note) {
  if (bytes >= 1e9)
    app_print(stdout, "  %-9s %.1f GB%s\n", what, bytes / 1e9, note);
  else
    app_print(stdout, "  %-9s %.*f MB%s\n", what, bytes < 1e7 ? 1 : 0, bytes / 1e6, note);
}

static void print_text(const estimate *e) {
  const uint64_t seeds = e->options->seeds;
  const double seconds = e->seconds * (double)seeds;
  app_print(
      stdout, "  estimate  %s on %s, %llu seed%s; by %zu short trainings on made data of the same shape\n",
      e->options->method, e->shape.data->name, (unsigned long long)seeds, seeds == 1 ? "" : "s", e->count);
  if (seconds < 90)
    app_print(stdout, "  time      %.1f s\n", seconds);
  else
    app_print(stdout, "  time      %.0f min\n", seconds / 60);
  print_bytes("memory", e->memory, " at the peak");
  print_bytes("disk", e->disk, " for the run folder");
  (void)puts("  note      no training used your data, and nothing was charged");
}

static void print_json(const estimate *e) {
  app_print(stdout,
            "{\"estimate\":{\"method\":\"%s\",\"seeds\":%llu,\"seconds\":%.3f,\"memory_bytes\":%.0f,"
            "\"disk_bytes\":%.0f,\"probes\":[",
            e->options->method, (unsigned long long)e->options->seeds, e->seconds * (double)e->options->seeds,
            e->memory, e->disk);
  for (size_t i = 0; i < e->count; i++)
    app_print(stdout, "%s{\"items\":%llu,\"share\":%.3f,\"seconds\":%.3f,\"memory_bytes\":%.0f}",
              i == 0 ? "" : ",", (unsigned long long)e->probes[i].items, e->probes[i].share,
              e->probes[i].seconds, e->probes[i].memory);
  (void)puts("]}}");
}

sotto_status estimate_run(const sotto_options *options, const sotto_dataset *data, bool json,
                          sotto_error *err) {
  estimate e = {.options = options, .shape = {data, density_of(data)}};
  const sotto_status status = measure_probes(&e, err);
  if (status != SOTTO_OK) return status;
  if (json)
    print_json(&e);
  else
    print_text(&e);
  return SOTTO_OK;
}

/* Peaks vary by a megabyte between trainings, and extrapolation multiplies that error. The larger of two
 * extrapolations is used, with some margin. */
sotto_status estimate_memory(double *bytes, uint64_t most, const sotto_options *options,
                             const sotto_dataset *data, sotto_error *err) {
  const double numbers = (double)most / bytes_a_number, room = 1.05;
  estimate e = {.options = options, .shape = {data, density_of(data)}, .allowed = (double)most};
  const uint64_t all = estimate_items(data), large = most_items(data, fmin(numbers, most_numbers));
  const uint64_t smaller[] = {large / 2, round_to_steps(all, 1)};
  sotto_status status;
  SOTTO_TRY(add_probe(&e, large, first_share, err));
  const estimate_probe *last = &e.probes[0];
  *bytes = last->memory;
  for (size_t i = 0; i < 2 && large < all; i++) {
    if (smaller[i] == 0 || smaller[i] >= large || (i > 0 && smaller[i] >= smaller[0])) continue;
    SOTTO_TRY(add_probe(&e, smaller[i], first_share, err));
    const estimate_probe *small = &e.probes[e.count - 1];
    const double need =
        extrapolate((double)all, (double)small->items, small->memory, (double)last->items, last->memory);
    *bytes = fmax(*bytes, need * room);
  }
done:
  return status;
}
