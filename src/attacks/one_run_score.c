/* Scores of canaries from what one training released: matched filters for rows, tables and graphs. */
#include <dirent.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "canary.h"
#include "one_run.h"
#include "pmp/release.h"

static double inner(const float *a, const float *b, size_t count) {
  double sum = 0;
  for (size_t j = 0; j < count; j++) sum += (double)a[j] * (double)b[j];
  return sum;
}

static const float *row_of(const sotto_matrix *m, uint32_t row) {
  return m->data + (size_t)row * m->cols;
}

/* The projection of a noisy row on what the edges of the canaries add to it, less what it would be half-way.
 * Of a row that was scaled to norm 1 the length is taken to be what is likely. */
static double filter(const sotto_matrix *shown, const sotto_matrix made[2], uint32_t row, double noise) {
  const float *y = row_of(shown, row), *without = row_of(&made[0], row), *with = row_of(&made[1], row);
  const double clear = inner(without, without, shown->cols);
  const double length = noise > 0 ? sqrt(clear + noise) : 1;
  return length * (inner(y, with, shown->cols) - inner(y, without, shown->cols)) -
         (inner(with, with, shown->cols) - clear) / 2;
}

static void add_likeness(sotto_i_one_run *run, const sotto_matrix *rows) {
  for (size_t i = 0; run->others != NULL && i < run->count; i++) {
    const float *a = row_of(rows, run->nodes[i]), *b = row_of(rows, run->others[i]);
    const double lengths = inner(a, a, rows->cols) * inner(b, b, rows->cols);
    run->likeness[i] += inner(a, b, rows->cols) / sqrt(lengths + 1e-30);
  }
}

/* Each layer given the one before, which was released too: of rows as noise left them the log likelihood
 * ratio times the variance. */
static sotto_status score_pairs(sotto_i_one_run *run, const sotto_release *release, bool scaled,
                                sotto_error *err) {
  const sotto_pmp_plan *plan = sotto_release_plan(release);
  const sotto_pmp_options *o = &plan->options;
  const sotto_matrix *first = sotto_release_layer(release, 0);
  const double noise =
      scaled && !o->raw ? (double)first->cols * plan->grid.sigma * plan->grid.sigma : 0; /* square norm */
  sotto_status status;
  sotto_matrix read = {0}, made[2] = {{0}, {0}};
  sotto_operator *spread[2] = {NULL, NULL};
  SOTTO_TRY(sotto_matrix_new(&read, first->rows, first->cols, err));
  for (int w = 0; w < 2; w++) {
    SOTTO_TRY(sotto_matrix_new(&made[w], first->rows, first->cols, err));
    SOTTO_TRY(sotto_operator_new(&spread[w], w == 0 ? &run->without : &run->with, o->aggregator,
                                 o->degree_floor, o->self, err));
  }
  for (uint32_t k = 1; k <= o->layers; k++) {
    const sotto_matrix *shown = sotto_release_layer(release, k);
    sotto_i_canary_unit(&read, sotto_release_layer(release, k - 1), o->protection.nonnegative);
    for (int w = 0; w < 2; w++) SOTTO_TRY(sotto_operator_apply(spread[w], &made[w], &read, err));
    for (size_t i = 0; i < run->count; i++)
      run->scores[i] +=
          filter(shown, made, run->nodes[i], noise) + filter(shown, made, run->others[i], noise);
  }
done:
  for (int w = 0; w < 2; w++) {
    sotto_matrix_free(&made[w]);
    sotto_operator_free(spread[w]);
  }
  sotto_matrix_free(&read);
  return status;
}

/* Rows at node level have no layer before that is seen: a node with its neighbours has a longer row, and one
 * that is like theirs. */
static void score_nodes(sotto_i_one_run *run, const sotto_release *release) {
  for (uint32_t k = 1; k <= sotto_release_plan(release)->options.layers; k++) {
    const sotto_matrix *shown = sotto_release_layer(release, k);
    for (size_t i = 0; i < run->count; i++) {
      const uint32_t u = run->nodes[i];
      const float *row = row_of(shown, u);
      run->scores[i] += inner(row, row, shown->cols);
      for (uint64_t e = run->with.offsets[u]; e < run->with.offsets[u + 1]; e++)
        run->scores[i] += 2 * inner(row, row_of(shown, run->with.targets[e]), shown->cols);
    }
  }
}

enum { most_classes = 64 };

/* Neighbours of each class. */
static void count_classes(double *counts, size_t classes, const sotto_graph *g, const int32_t *labels,
                          uint32_t node) {
  for (size_t c = 0; c < classes; c++) counts[c] = 0;
  for (uint64_t e = g->offsets[node]; e < g->offsets[node + 1]; e++) {
    const int32_t label = labels[g->targets[e]];
    if (label >= 0 && (size_t)label < classes) counts[label] += 1;
  }
}

/* square (n x n) and right (n x m) become the identity and the solution; a small ridge keeps them regular. */
static void solve(double *square, double *right, size_t n, size_t m) {
  for (size_t p = 0; p < n; p++) {
    square[p * n + p] += 1e-3;
    for (size_t i = 0; i < n; i++) {
      const double factor = i == p ? 0 : square[i * n + p] / square[p * n + p];
      for (size_t j = 0; j < n && i != p; j++) square[i * n + j] -= factor * square[p * n + j];
      for (size_t j = 0; j < m && i != p; j++) right[i * m + j] -= factor * right[p * m + j];
    }
  }
  for (size_t p = 0; p < n; p++)
    for (size_t j = 0; j < m; j++) right[p * m + j] /= square[p * n + p];
}

/* adds (classes x columns): what a neighbour of each class adds to a row, by least squares over all rows. */
static sotto_status fit_table(double *adds, size_t classes, const sotto_graph *g, const sotto_matrix *table,
                              const int32_t *labels, sotto_error *err) {
  double counts[most_classes], *square = NULL;
  sotto_status status = sotto_i_new(&square, classes * classes, sizeof *square, err);
  if (status != SOTTO_OK) return status;
  for (uint32_t v = 0; v < g->nodes; v++) {
    const float *row = row_of(table, v);
    count_classes(counts, classes, g, labels, v);
    for (size_t c = 0; c < classes; c++) {
      for (size_t d = 0; d < classes; d++) square[c * classes + d] += counts[c] * counts[d];
      for (size_t j = 0; j < table->cols; j++) adds[c * table->cols + j] += counts[c] * (double)row[j];
    }
  }
  solve(square, adds, classes, table->cols);
  sotto_i_free(square);
  return SOTTO_OK;
}

/* About 1 with a neighbour of that class more than `g` has, about 0 without. */
static double more_of(const sotto_matrix *table, const double *adds, size_t classes, const sotto_graph *g,
                      const int32_t *labels, uint32_t node, int32_t label) {
  const float *row = row_of(table, node);
  const double *add = adds + (size_t)label * table->cols;
  double counts[most_classes], sum = 0, square = 1e-12;
  count_classes(counts, classes, g, labels, node);
  for (size_t j = 0; j < table->cols; j++) {
    double left = (double)row[j];
    for (size_t c = 0; c < classes; c++) left -= counts[c] * adds[c * table->cols + j];
    sum += left * add[j];
    square += add[j] * add[j];
  }
  return sum / square;
}

/* Laplace noise has an excess kurtosis of 3, Gaussian noise of 0. */
static bool has_heavy_tails(const double *values, size_t count) {
  double mean = 0, second = 0, fourth = 0;
  for (size_t i = 0; i < count; i++) mean += values[i] / (double)count;
  for (size_t i = 0; i < count; i++) {
    const double gap = (values[i] - mean) * (values[i] - mean);
    second += gap / (double)count;
    fourth += gap * gap / (double)count;
  }
  return fourth > 4 * second * second;
}

/* A table with a row for each node: counts of neighbours, sums of their rows. The ratio of two Laplace laws
 * is constant outside of the two values. */
static sotto_status score_table(sotto_i_one_run *run, const sotto_matrix *table, const sotto_dataset *data,
                                sotto_error *err) {
  const size_t classes = (size_t)data->classes;
  double *adds = NULL, *more = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&adds, classes * table->cols, sizeof *adds, err));
  SOTTO_TRY(sotto_i_new(&more, 2 * run->count, sizeof *more, err));
  SOTTO_TRY(fit_table(adds, classes, &run->without, table, data->labels, err));
  for (size_t i = 0; i < run->count; i++) {
    const uint32_t ends[] = {run->nodes[i], run->others[i]};
    for (int side = 0; side < 2; side++) {
      const int32_t label = data->labels[ends[1 - side]];
      if (label < 0 || (size_t)label >= classes) continue;
      more[2 * i + (size_t)side] =
          more_of(table, adds, classes, &run->without, data->labels, ends[side], label);
    }
  }
  const double least = has_heavy_tails(more, 2 * run->count) ? 0 : -INFINITY;
  for (size_t i = 0; i < 2 * run->count; i++) run->scores[i / 2] += fmax(least, fmin(1 - least, more[i]));
done:
  sotto_i_free(adds);
  sotto_i_free(more);
  return status;
}

/* A node with its neighbours has a longer row. */
static void score_lengths(sotto_i_one_run *run, const sotto_matrix *table) {
  for (size_t i = 0; i < run->count; i++) {
    const float *row = row_of(table, run->nodes[i]);
    run->scores[i] += inner(row, row, table->cols);
  }
}

static double neighbours_kept(const sotto_graph *kept, const sotto_graph *with, uint32_t u) {
  double count = 0;
  for (uint64_t e = kept->offsets[u]; e < kept->offsets[u + 1]; e++)
    for (uint64_t f = with->offsets[u]; f < with->offsets[u + 1]; f++)
      count += kept->targets[e] == with->targets[f] ? 1 : 0;
  return count;
}

static void score_graph(sotto_i_one_run *run, const sotto_graph *released) {
  for (size_t i = 0; i < run->count; i++) {
    const uint32_t u = run->nodes[i];
    if (run->others == NULL) run->scores[i] += neighbours_kept(released, &run->with, u);
    for (uint64_t e = released->offsets[u]; run->others != NULL && e < released->offsets[u + 1]; e++)
      run->scores[i] += released->targets[e] == run->others[i] ? 1 : 0;
  }
}

static sotto_status score_release(sotto_i_one_run *run, bool *any, const char *path, bool scaled,
                                  sotto_error *err) {
  sotto_release *release = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_release_load(&release, path, err));
  if (sotto_release_layer(release, 0)->rows != run->with.nodes) goto done;
  const bool shows = sotto_i_release_shows_inputs(sotto_release_plan(release));
  *any = true;
  add_likeness(run, sotto_release_layer(release, sotto_release_plan(release)->options.layers));
  if (run->others != NULL && shows)
    SOTTO_TRY(score_pairs(run, release, scaled, err));
  else if (run->others == NULL)
    score_nodes(run, release);
done:
  sotto_release_free(release);
  return status;
}

static sotto_status score_file(sotto_i_one_run *run, bool *any, const char *path, const sotto_dataset *data,
                               sotto_error *err) {
  sotto_dataset kept = {0};
  sotto_status status;
  SOTTO_TRY(sotto_dataset_open(&kept, path, NULL, err));
  if (kept.graph.nodes == run->with.nodes && kept.graph.entries > 0) {
    score_graph(run, &kept.graph);
    *any = true;
  } else if (kept.features.rows == run->with.nodes && kept.features.data != NULL && run->others == NULL) {
    score_lengths(run, &kept.features);
    *any = true;
  } else if (kept.features.rows == run->with.nodes && kept.features.data != NULL && data->labels != NULL &&
             data->classes <= most_classes) {
    add_likeness(run, &kept.features);
    SOTTO_TRY(score_table(run, &kept.features, data, err));
    *any = true;
  }
done:
  sotto_dataset_free(&kept);
  return status;
}

static bool ends_with(const char *name, const char *end) {
  const size_t length = strlen(name), tail = strlen(end);
  return length >= tail && strcmp(name + length - tail, end) == 0;
}

sotto_status sotto_i_one_run_score_releases(sotto_i_one_run *run, bool *any, const char *folder,
                                            const sotto_options *options, const sotto_dataset *data,
                                            sotto_error *err) {
  sotto_status status = SOTTO_OK;
  char *path = NULL;
  for (uint64_t round = 0; round < sotto_i_job_releases(options); round++) {
    char file[40];
    sotto_i_release_file(file, options, round, false);
    SOTTO_TRY(sotto_i_join(&path, folder, file, err));
    if (sotto_i_is_file(path))
      SOTTO_TRY(score_release(run, any, path, !sotto_i_variant_of(options)->contractive, err));
    sotto_i_free(path);
    path = NULL;
  }
  DIR *list = opendir(folder);
  if (list == NULL) return sotto_i_fail(err, SOTTO_IO, "%s: cannot be read", folder);
  for (struct dirent *entry = readdir(list); entry != NULL && status == SOTTO_OK; entry = readdir(list)) {
    if (!ends_with(entry->d_name, ".sotto")) continue;
    status = sotto_i_join(&path, folder, entry->d_name, err);
    if (status == SOTTO_OK) status = score_file(run, any, path, data, err);
    sotto_i_free(path);
    path = NULL;
  }
  (void)closedir(list);
done:
  sotto_i_free(path);
  return status;
}

static double log_of(const sotto_matrix *posteriors, uint32_t node, int32_t class) {
  const double least = 1e-6;
  return class < 0 || (size_t) class >= posteriors->cols
             ? 0
             : log(fmax(least, (double)row_of(posteriors, node)[class]));
}

/* With the edge each end's answer leans to the class of the other end. */
void sotto_i_one_run_score_answers(sotto_i_one_run *run, const sotto_matrix *posteriors,
                                   const int32_t *labels) {
  for (size_t i = 0; i < run->count; i++) {
    const uint32_t u = run->nodes[i], v = run->others[i];
    run->scores[i] += log_of(posteriors, u, labels[v]) - log_of(posteriors, u, labels[u]) +
                      log_of(posteriors, v, labels[u]) - log_of(posteriors, v, labels[v]);
  }
}
