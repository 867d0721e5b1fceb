/* Memory and time of Gromov-Wasserstein distances between points against their number: by factors of the
 * costs, and by the dense solver where DENSE allows it. A line a size. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "base/random.h"
#include "inside/gw.h"
#include "sotto/gw.h"

enum { dims = 4 };

static void give_up(const sotto_error *err) {
  (void)fprintf(stderr, "bench_gw_points: %s\n", err->text);
  exit(1);
}

static double seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

static void fill(sotto_matrix *out, size_t points, sotto_i_random *random) {
  sotto_error err = {0};
  if (sotto_matrix_new(out, points, dims, &err) != SOTTO_OK) give_up(&err);
  for (size_t k = 0; k < points * dims; k++)
    out->data[k] = (float)(sotto_i_random_normal(random) * (double)(1 + k % dims));
}

/* The squared Euclidean distances of the rows. */
static double *squares(const sotto_matrix *x) {
  sotto_error err = {0};
  double *out = NULL;
  if (sotto_i_new_raw(&out, x->rows * x->rows, sizeof *out, &err) != SOTTO_OK ||
      sotto_gw_costs(out, x, x, SOTTO_GW_EUCLIDEAN, &err) != SOTTO_OK)
    give_up(&err);
  for (size_t k = 0; k < x->rows * x->rows; k++) out[k] *= out[k];
  return out;
}

static sotto_gw_result dense(const sotto_matrix *x, const sotto_matrix *y, const sotto_gw_options *options) {
  sotto_error err = {0};
  sotto_gw_result result;
  double *from = squares(x), *to = squares(y);
  const sotto_gw_space a = {.points = x->rows, .distance = from}, b = {.points = y->rows, .distance = to};
  if (sotto_gw_distance(&result, NULL, &a, &b, options, &err) != SOTTO_OK) give_up(&err);
  sotto_i_free(from);
  sotto_i_free(to);
  return result;
}

int main(int argc, char **argv) {
  const size_t most = argc > 1 ? (size_t)atoi(argv[1]) : 4000,
               most_dense = argc > 2 ? (size_t)atoi(argv[2]) : 1000;
  sotto_gw_options options = sotto_gw_defaults();
  options.starts = 1;
  printf("%8s%14s%10s%14s%14s%10s%14s\n", "points", "factors, MB", "s", "value", "dense, MB", "s", "value");
  for (size_t points = 500; points <= most; points *= 2) {
    sotto_error err = {0};
    sotto_key key;
    sotto_i_random random;
    sotto_matrix x, y;
    sotto_gw_result result;
    sotto_key_public(&key, 1);
    sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_TEST, 0, points);
    fill(&x, points, &random);
    fill(&y, points, &random);
    (void)sotto_i_memory_peak();
    double begun = seconds();
    if (sotto_gw_distance_of_points(&result, NULL, NULL, &x, &y, &options, &err) != SOTTO_OK) give_up(&err);
    printf("%8zu%14.3f%10.3f%14.6f", points, (double)sotto_i_memory_peak() / 1e6, seconds() - begun,
           result.value);
    if (points <= most_dense) {
      begun = seconds();
      result = dense(&x, &y, &options);
      printf("%14.3f%10.3f%14.6f", (double)sotto_i_memory_peak() / 1e6, seconds() - begun, result.value);
    }
    printf("\n");
    (void)fflush(stdout);
    sotto_matrix_free(&x);
    sotto_matrix_free(&y);
  }
  return 0;
}
