/* Link stealing (He et al. 2021): neighbours have similar posteriors. */
#include <math.h>
#include <string.h>

#include "attack_net.h"
#include "base/memory.h"
#include "inside/audit.h"
#include "pairs.h"

enum { distances = SOTTO_STEALINGS - 1 };

const char *const *sotto_stealing_names(void) {
  static const char *const names[SOTTO_STEALINGS] = {"cosine",    "euclidean",         "correlation",
                                                     "chebyshev", "bray-curtis",       "manhattan",
                                                     "canberra",  "squared-euclidean", "known-half"};
  return names;
}

/* 1 - cosine of the rows minus a and b. */
static double angle(const float *x, const float *y, size_t count, double a, double b) {
  double xy = 0, xx = 0, yy = 0;
  for (size_t j = 0; j < count; j++) {
    double p = x[j] - a, q = y[j] - b;
    xy += p * q;
    xx += p * p;
    yy += q * q;
  }
  return xx > 0 && yy > 0 ? 1 - xy / sqrt(xx * yy) : 1;
}

static double mean(const float *x, size_t count) {
  double sum = 0;
  for (size_t j = 0; j < count; j++) sum += x[j] / (double)count;
  return sum;
}

void sotto_i_stealing_distances(float out[SOTTO_STEALINGS - 1], const float *x, const float *y,
                                size_t count) {
  double square = 0, largest = 0, sum = 0, whole = 0, canberra = 0;
  for (size_t j = 0; j < count; j++) {
    double gap = fabs((double)x[j] - (double)y[j]), both = (double)x[j] + (double)y[j];
    square += gap * gap;
    largest = fmax(largest, gap);
    sum += gap;
    whole += both;
    canberra += both > 0 ? gap / both : 0;
  }
  const double all[distances] = {angle(x, y, count, 0, 0),
                                 sqrt(square),
                                 angle(x, y, count, mean(x, count), mean(y, count)),
                                 largest,
                                 whole > 0 ? sum / whole : 0,
                                 sum,
                                 canberra,
                                 square};
  for (size_t k = 0; k < distances; k++) out[k] = (float)all[k];
}

/* A row of eight distances for each pair. */
static sotto_status measure_pairs(sotto_matrix *out, const sotto_i_pair *pairs, size_t count,
                                  const sotto_matrix *posteriors, sotto_error *err) {
  size_t cols = posteriors->cols;
  sotto_status status = sotto_matrix_new(out, count, distances, err);
  for (size_t i = 0; status == SOTTO_OK && i < count; i++)
    sotto_i_stealing_distances(out->data + i * distances, posteriors->data + pairs[i].u * cols,
                               posteriors->data + pairs[i].v * cols, cols);
  return status;
}

static sotto_status by_distance(sotto_attack_result *out, const sotto_matrix *table, size_t k, double delta,
                                sotto_error *err) {
  size_t each = table->rows / 2;
  double *scores = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&scores, table->rows, sizeof *scores, err));
  for (size_t i = 0; i < table->rows; i++) scores[i] = -(double)table->data[i * distances + k];
  SOTTO_TRY(sotto_attack_measure(out, scores, each, scores + each, each, delta, err));
done:
  sotto_i_free(scores);
  return status;
}

/* The first half of the table's rows are edges. Every second row is known, the others are guessed. */
static sotto_status by_perceptron(sotto_attack_result *out, const sotto_matrix *table,
                                  const sotto_link_options *options, sotto_error *err) {
  size_t each = table->rows / 4, all = 2 * each, first = table->rows / 2;
  sotto_status status;
  sotto_matrix known = {0}, asked = {0};
  uint8_t *members = NULL;
  double *scores = NULL;
  SOTTO_TRY(sotto_matrix_new(&known, all, distances, err));
  SOTTO_TRY(sotto_matrix_new(&asked, all, distances, err));
  SOTTO_TRY(sotto_i_new_raw(&members, all, 1, err));
  SOTTO_TRY(sotto_i_new_raw(&scores, all, sizeof *scores, err));
  for (size_t i = 0; i < all; i++) {
    size_t row = i < each ? 2 * i : first + 2 * (i - each), bytes = distances * sizeof(float);
    memcpy(known.data + i * distances, table->data + row * distances, bytes);
    memcpy(asked.data + i * distances, table->data + (row + 1) * distances, bytes);
    members[i] = i < each;
  }
  SOTTO_TRY(sotto_i_attack_net(scores, &known, members, &asked, options->seed, err));
  SOTTO_TRY(sotto_attack_measure(out, scores, each, scores + each, each, options->delta, err));
done:
  sotto_matrix_free(&known);
  sotto_matrix_free(&asked);
  sotto_i_free(members);
  sotto_i_free(scores);
  return status;
}

sotto_status sotto_attack_stealing(sotto_attack_result out[SOTTO_STEALINGS], const sotto_target *target,
                                   const sotto_link_options *options, sotto_error *err) {
  sotto_status status;
  sotto_i_pair *pairs = NULL;
  sotto_matrix table = {0};
  size_t each;
  SOTTO_TRY(sotto_i_link_check(options, err));
  SOTTO_TRY(sotto_i_sample_pairs(&pairs, &each, target->graph, options, err));
  SOTTO_TRY(measure_pairs(&table, pairs, 2 * each, target->posteriors, err));
  for (size_t k = 0; k < distances; k++) SOTTO_TRY(by_distance(&out[k], &table, k, options->delta, err));
  SOTTO_TRY(by_perceptron(&out[distances], &table, options, err));
  for (size_t k = 0; k < SOTTO_STEALINGS; k++) out[k].queries = 1;
done:
  sotto_i_free(pairs);
  sotto_matrix_free(&table);
  return status;
}
