/* The first inputs of corrections. */
#include "first_inputs.h"

#include "base/memory.h"
#include "nn/readings.h"
#include "nn/rows/batch.h"
#include "nn/rows/gradients.h"
#include "nn/rows/source.h"
#include "ranks/ranks.h"
#include "run/settings/options.h"
#include "tensor/columns.h"

bool sotto_i_first_at_one(const sotto_i_job *job) {
  return sotto_i_job_ranks(job) != NULL && job->options->layers == 1;
}

/* Whether this process has no rows of its own. */
static bool is_given(const sotto_i_job *job) {
  return sotto_i_first_at_one(job) && !sotto_i_ranks_first(sotto_i_job_ranks(job));
}

sotto_status sotto_i_first_new(sotto_matrix *out, size_t cols, const sotto_i_job *job, sotto_error *err) {
  const size_t nodes = job->data->graph.nodes;
  *out = (sotto_matrix){NULL, nodes, cols};
  return is_given(job) ? SOTTO_OK : sotto_matrix_new(out, nodes, cols, err);
}

sotto_status sotto_i_first_take(sotto_matrix *out, const sotto_matrix *first, const uint32_t *nodes,
                                size_t count, const sotto_i_job *job, sotto_error *err) {
  const sotto_status status = is_given(job) ? sotto_matrix_new(out, count, first->cols, err)
                                            : sotto_i_take_rows(out, first, nodes, count, err);
  if (status != SOTTO_OK || !sotto_i_first_at_one(job)) return status;
  return sotto_i_ranks_give(sotto_i_job_ranks(job), out->data, count * first->cols * sizeof(float), err);
}

/* Rank 0's part: its own rows, after those of the others have left. */
static sotto_status give_rows(sotto_matrix *out, const sotto_matrix *first, const sotto_split *split,
                              const sotto_i_rank_rows *held, sotto_ranks *ranks, sotto_error *err) {
  sotto_i_rank_rows theirs = {.nodes = NULL};
  sotto_matrix rows = {0};
  sotto_status status = SOTTO_OK;
  for (uint32_t r = 1; r < sotto_ranks_count(ranks); r++) {
    SOTTO_TRY(sotto_i_batches_of_rank(&theirs, split, first->rows, r, sotto_ranks_count(ranks), err));
    SOTTO_TRY(sotto_i_take_rows(&rows, first, theirs.nodes, theirs.count, err));
    const sotto_i_parcel sent = {
        .peer = r, .data = rows.data, .bytes = rows.rows * rows.cols * sizeof(float)};
    SOTTO_TRY(sotto_i_ranks_pass(ranks, &sent, 1, err));
    sotto_matrix_free(&rows);
    sotto_i_rank_rows_free(&theirs);
  }
  SOTTO_TRY(sotto_i_take_rows(out, first, held->nodes, held->count, err));
done:
  sotto_matrix_free(&rows);
  sotto_i_rank_rows_free(&theirs);
  return status;
}

sotto_status sotto_i_first_share(sotto_matrix *out, const sotto_matrix *first, const sotto_i_rank_rows *held,
                                 const sotto_split *split, const sotto_i_job *job, sotto_error *err) {
  sotto_ranks *ranks = sotto_i_job_ranks(job);
  if (!is_given(job)) return give_rows(out, first, split, held, ranks, err);
  const sotto_status status = sotto_matrix_new(out, held->count, first->cols, err);
  const sotto_i_parcel taken = {
      .take = true, .data = out->data, .bytes = held->count * first->cols * sizeof(float)};
  return status == SOTTO_OK ? sotto_i_ranks_pass(ranks, &taken, 1, err) : status;
}

sotto_status sotto_i_first_moments(double **moments, const sotto_matrix *first, const sotto_i_job *job,
                                   sotto_error *err) {
  const size_t cols = first->cols;
  sotto_matrix window = {0};
  sotto_status status;
  *moments = NULL;
  SOTTO_TRY(sotto_matrix_new(&window, SOTTO_I_WINDOW_ROWS, cols, err));
  SOTTO_TRY(sotto_i_new(moments, 2 * cols, sizeof **moments, err));
  for (int squares = 0; !is_given(job) && squares < 2; squares++)
    for (size_t begin = 0; begin < first->rows; begin += SOTTO_I_WINDOW_ROWS) {
      const size_t left = first->rows - begin;
      const sotto_matrix some = {first->data + begin * cols,
                                 left < SOTTO_I_WINDOW_ROWS ? left : SOTTO_I_WINDOW_ROWS, cols};
      window.rows = some.rows;
      sotto_i_rows_less_mean(&window, &some);
      sotto_i_column_moments_add(*moments, &window, (double)first->rows, squares == 1);
    }
  if (sotto_i_first_at_one(job))
    SOTTO_TRY(sotto_i_ranks_give(sotto_i_job_ranks(job), *moments, 2 * cols * sizeof **moments, err));
done:
  sotto_matrix_free(&window);
  return status;
}

sotto_status sotto_i_first_inputs(sotto_matrix *out, const sotto_matrix *rows, const double *moments,
                                  sotto_error *err) {
  const sotto_status status = sotto_matrix_new(out, rows->rows, rows->cols, err);
  if (status != SOTTO_OK) return status;
  sotto_i_rows_less_mean(out, rows);
  sotto_i_columns_by_moments(out, moments);
  return SOTTO_OK;
}
