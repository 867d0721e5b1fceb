/* Scores of canaries from the releases of one training: matched filters for rows, tables and graphs. */
#include <dirent.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "canary.h"
#include "inside/graph.h"
#include "inside/pmp.h"
#include "one_run.h"
#include "pmp/release.h"

static double inner(const float *a, const float *b, size_t count) {
  double sum = 0;
  for (size_t j = 0; j < count; j++) sum += (double)a[j] * (double)b[j];
  return sum;
}

static const float *row_at(const sotto_matrix *m, uint32_t row) {
  return m->data + (size_t)row * m->cols;
}

/* The projection of a noisy row on the contribution of the canaries' edges, minus its value half-way. A
 * normalised row is rescaled to its expected length. */
static double matched_filter(const sotto_matrix *shown, const sotto_matrix made[2], uint32_t row,
                             double noise) {
  const float *y = row_at(shown, row), *without = row_at(&made[0], row), *with = row_at(&made[1], row);
  const double clear = inner(without, without, shown->cols);
  const double length = noise > 0 ? sqrt(clear + noise) : 1;
  return length * (inner(y, with, shown->cols) - inner(y, without, shown->cols)) -
         (inner(with, with, shown->cols) - clear) / 2;
}

static void add_likeness(sotto_i_one_run *run, const sotto_matrix *rows) {
  for (size_t i = 0; run->others != NULL && i < run->count; i++) {
    const float *a = row_at(rows, run->nodes[i]), *b = row_at(rows, run->others[i]);
    const double lengths = inner(a, a, rows->cols) * inner(b, b, rows->cols);
    run->likeness[i] += inner(a, b, rows->cols) / sqrt(lengths + 1e-30);
  }
}

/* Each layer given the one before, which was released too. For rows directly after their noise this is the
 * log likelihood ratio times the variance. */
static sotto_status score_pairs(sotto_i_one_run *run, const sotto_release *release, bool scaled,
                                sotto_error *err) {
  const sotto_pmp_plan *plan = sotto_release_plan(release);
  const sotto_pmp_options *o = &plan->options;
  const sotto_matrix *first = sotto_release_layer(release, 0);
  const double noise =
      scaled && !o->raw ? (double)first->cols * plan->grid.sigma * plan->grid.sigma : 0; /* squared norm */
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
      run->scores[i] += matched_filter(shown, made, run->nodes[i], noise) +
                        matched_filter(shown, made, run->others[i], noise);
  }
done:
  for (int w = 0; w < 2; w++) {
    sotto_matrix_free(&made[w]);
    sotto_operator_free(spread[w]);
  }
  sotto_matrix_free(&read);
  return status;
}

/* At node level the previous layer is not released. A node with its edges has a longer row, and one that is
 * similar to its neighbours' rows. */
static void score_nodes(sotto_i_one_run *run, const sotto_release *release) {
  for (uint32_t k = 1; k <= sotto_release_plan(release)->options.layers; k++) {
    const sotto_matrix *shown = sotto_release_layer(release, k);
    for (size_t i = 0; i < run->count; i++) {
      const uint32_t u = run->nodes[i];
      const float *row = row_at(shown, u);
      run->scores[i] += inner(row, row, shown->cols);
      for (uint64_t e = run->with.offsets[u]; e < run->with.offsets[u + 1]; e++)
        run->scores[i] += 2 * inner(row, row_at(shown, run->with.targets[e]), shown->cols);
    }
  }
}

/* Laplace noise has an excess kurtosis of 3, Gaussian noise one of 0. */
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

/* The contribution of an edge to the rows of its ends: twice the mean, since half of the canaries are in. A
 * mean within four standard errors of 0 counts as 0. */
static void measure_adds(double *adds, const sotto_i_one_run *run, const sotto_matrix *table,
                         const uint32_t *ends) {
  const double count = (double)run->count;
  for (size_t j = 0; j < table->cols; j++) {
    double mean = 0, square = 0;
    for (size_t i = 0; i < run->count; i++) {
      const double value = (double)row_at(table, ends[i])[j];
      mean += value / count;
      square += value * value / count;
    }
    const double error = sqrt(fmax(0, square - mean * mean) / count);
    adds[j] = fabs(mean) > 4 * error ? 2 * mean : 0;
  }
}

/* Scores from a table with a row for each node: counts of neighbours, or sums of their rows. They are log
 * likelihood ratios up to a factor; for Laplace noise these are constant outside the interval between the
 * two values. */
static sotto_status score_table(sotto_i_one_run *run, const sotto_matrix *table, sotto_error *err) {
  const uint32_t *ends[] = {run->nodes, run->others};
  double *adds = NULL, *column = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&adds, table->cols + 1, sizeof *adds, err));
  SOTTO_TRY(sotto_i_new(&column, run->count, sizeof *column, err));
  for (int side = 0; side < 2; side++) {
    measure_adds(adds, run, table, ends[side]);
    for (size_t j = 0; j < table->cols; j++) {
      if (adds[j] == 0) continue;
      for (size_t i = 0; i < run->count; i++) column[i] = (double)row_at(table, ends[side][i])[j];
      const bool heavy = has_heavy_tails(column, run->count);
      for (size_t i = 0; i < run->count; i++)
        run->scores[i] +=
            heavy ? fabs(column[i]) - fabs(column[i] - adds[j]) : adds[j] * (column[i] - adds[j] / 2);
    }
  }
done:
  sotto_i_free(adds);
  sotto_i_free(column);
  return status;
}

/* A node with its edges has a longer row. */
static void score_lengths(sotto_i_one_run *run, const sotto_matrix *table) {
  for (size_t i = 0; i < run->count; i++) {
    const float *row = row_at(table, run->nodes[i]);
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

static sotto_status score_file(sotto_i_one_run *run, bool *any, const char *path, sotto_error *err) {
  sotto_dataset kept = {0};
  sotto_status status;
  SOTTO_TRY(sotto_dataset_open(&kept, path, NULL, err));
  if (kept.graph.nodes == run->with.nodes && kept.graph.entries > 0) {
    score_graph(run, &kept.graph);
    *any = true;
  } else if (kept.features.rows == run->with.nodes && kept.features.data != NULL && run->others == NULL) {
    score_lengths(run, &kept.features);
    *any = true;
  } else if (kept.features.rows == run->with.nodes && kept.features.data != NULL) {
    add_likeness(run, &kept.features);
    SOTTO_TRY(score_table(run, &kept.features, err));
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
                                            const sotto_options *options, sotto_error *err) {
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
    if (status == SOTTO_OK) status = score_file(run, any, path, err);
    sotto_i_free(path);
    path = NULL;
  }
  (void)closedir(list);
done:
  sotto_i_free(path);
  return status;
}

/* An edge draws each end's prediction towards those of the other ends. So log-probabilities are projected
 * on the mean difference between the two kinds of nodes. */
sotto_status sotto_i_one_run_score_answers(sotto_i_one_run *run, const sotto_matrix *posteriors,
                                           sotto_error *err) {
  const double least = 1e-6;
  double *between = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&between, posteriors->cols + 1, sizeof *between, err));
  for (size_t i = 0; i < run->count; i++)
    for (size_t j = 0; j < posteriors->cols; j++)
      between[j] += (log(fmax(least, (double)row_at(posteriors, run->others[i])[j])) -
                     log(fmax(least, (double)row_at(posteriors, run->nodes[i])[j]))) /
                    (double)run->count;
  for (size_t i = 0; i < run->count; i++)
    for (size_t j = 0; j < posteriors->cols; j++)
      run->scores[i] += between[j] * (log(fmax(least, (double)row_at(posteriors, run->nodes[i])[j])) -
                                      log(fmax(least, (double)row_at(posteriors, run->others[i])[j])));
done:
  sotto_i_free(between);
  return status;
}
