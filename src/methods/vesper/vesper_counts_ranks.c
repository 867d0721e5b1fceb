/* The publication by counts over ranks: what all ranks begin their rounds from, and the rounds of ranks
 * other than the first. Messages of MPI at rank 0 come from the threads of both parties, never from both at
 * the same time: one party waits for the other's counts or clusters meanwhile. Where rank 0 is the data party
 * alone, it tells the others of each release, since the label party chooses what is counted. */
#include "vesper_counts_ranks.h"

#include "base/error.h"
#include "base/memory.h"
#include "epoch_relay.h"
#include "inside/nn.h"
#include "options.h"
#include "protocols/feature_clusters.h"
#include "protocols/first_inputs.h"
#include "vesper_halves.h"

sotto_status sotto_i_vesper_first_new(sotto_i_vesper_first *f, bool few_features, sotto_error *err) {
  const sotto_dataset *data = f->job->data;
  sotto_status status;
  SOTTO_TRY(sotto_i_first_new(&f->scores, data->classes, f->job, err));
  if (few_features && sotto_i_can_choose(f->parted))
    SOTTO_TRY(sotto_matrix_new(&f->projected, data->graph.nodes, SOTTO_I_PROJECTED, err));
done:
  return status;
}

static sotto_status give_matrix(const sotto_matrix *m, sotto_ranks *ranks, sotto_error *err) {
  return sotto_i_ranks_give(ranks, m->data, (uint64_t)m->rows * m->cols * sizeof(float), err);
}

sotto_status sotto_i_vesper_first_give(sotto_i_vesper_first *f, sotto_error *err) {
  sotto_ranks *ranks = sotto_i_job_ranks(f->job);
  sotto_status status;
  if (!sotto_i_first_at_one(f->job)) SOTTO_TRY(give_matrix(&f->scores, ranks, err));
  SOTTO_TRY(give_matrix(&f->projected, ranks, err));
  SOTTO_TRY(sotto_i_ranks_give(ranks, &f->validation, sizeof f->validation, err));
  SOTTO_TRY(sotto_i_ranks_give(ranks, &f->test, sizeof f->test, err));
done:
  return status;
}

sotto_status sotto_i_vesper_rounds_begin(sotto_i_rounds *rounds, sotto_i_vesper_first *f, sotto_error *err) {
  const sotto_i_vesper_settings *settings = sotto_i_vesper_settings_of(f->job->options);
  f->projected_rows = sotto_i_row_source_of(&f->projected);
  *rounds = (sotto_i_rounds){.job = f->job,
                             .parted = f->parted,
                             .shown = f->reported ? f->shown : f->parted,
                             .told = settings->clusters == SOTTO_I_CLUSTERS_LABELS,
                             .exactly = !f->reported,
                             .first = &f->scores,
                             .owners = f->owners,
                             .reads_last = f->owners > 0,
                             .choice = f->choice,
                             .transfer_cells = f->transfer_cells,
                             .kind_cells = f->kind_cells,
                             .own = f->projected.cols > 0 ? &f->projected_rows : NULL,
                             .validation = f->validation,
                             .test = f->test};
  return sotto_i_rounds_begin(rounds, err);
}

void sotto_i_vesper_first_free(sotto_i_vesper_first *f) {
  sotto_matrix_free(&f->scores);
  sotto_matrix_free(&f->projected);
}

/* This rank's share of a stage: counts of its own nodes, which it reads once they are charged. */
static sotto_status help_stage(sotto_i_rounds *r, uint32_t round, uint32_t number, sotto_error *err) {
  const bool noisy = sotto_i_price_asked(r->job->options);
  sotto_i_rounds_asked asked = {.levels = NULL};
  sotto_dataset released = {0};
  sotto_laplace_grid grid;
  sotto_status status;
  if (noisy) SOTTO_TRY(sotto_i_counts_grid(&grid, r->job->options, err));
  SOTTO_TRY(sotto_i_rounds_ask(&asked, r, round, number, err));
  if (asked.stage == 0) SOTTO_TRY(sotto_i_rounds_share(r, err));
  const sotto_i_counts counts = {.job = r->job,
                                 .noise = noisy ? &grid : NULL,
                                 .round = round,
                                 .item = round,
                                 .part = asked.part,
                                 .stage = asked.stage,
                                 .rows = asked.rows,
                                 .row_count = asked.row_count};
  SOTTO_TRY(sotto_i_counts_release(&released, NULL, &counts, err));
  const sotto_i_row_source rows = sotto_i_counts_released(&released);
  SOTTO_TRY(sotto_i_rounds_read(r, &rows, round, number, err));
done:
  sotto_i_rounds_asked_free(&asked);
  sotto_dataset_free(&released);
  return status;
}

static sotto_status help_round(sotto_i_rounds *r, uint32_t round, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t stage = 0; stage < sotto_i_rounds_stages(r, round); stage++)
    SOTTO_TRY(help_stage(r, round, stage, err));
  SOTTO_TRY(sotto_i_rounds_correct(r, round, err));
done:
  return status;
}

/* One release, as rank 0 tells the others of it. */
typedef struct shared_counts {
  uint32_t more, round, part, stage;
  uint32_t some; /* the table has rows of pilots alone, which follow */
  uint64_t rows;
} shared_counts;

sotto_status sotto_i_vesper_counts_share(const sotto_i_counts *counts, sotto_ranks *ranks, sotto_error *err) {
  shared_counts told = {.more = 0};
  sotto_status status;
  if (counts != NULL)
    told = (shared_counts){
        1, counts->round, counts->part, counts->stage, counts->rows != NULL, counts->row_count};
  SOTTO_TRY(sotto_i_ranks_give(ranks, &told, sizeof told, err));
  if (told.some)
    SOTTO_TRY(
        sotto_i_ranks_give(ranks, (void *)(uintptr_t)counts->rows, told.rows * sizeof *counts->rows, err));
done:
  return status;
}

/* This rank's counts for the data party's next release; *more: there was one. */
static sotto_status help_release(bool *more, const sotto_i_job *job, sotto_error *err) {
  const bool noisy = sotto_i_price_asked(job->options);
  shared_counts told = {.more = 0};
  uint32_t *rows = NULL;
  sotto_dataset released = {0};
  sotto_laplace_grid grid;
  sotto_status status;
  SOTTO_TRY(sotto_i_ranks_give(sotto_i_job_ranks(job), &told, sizeof told, err));
  *more = told.more;
  if (!*more) goto done;
  if (noisy) SOTTO_TRY(sotto_i_counts_grid(&grid, job->options, err));
  if (told.some) {
    SOTTO_TRY(sotto_i_new(&rows, told.rows, sizeof *rows, err));
    SOTTO_TRY(sotto_i_ranks_give(sotto_i_job_ranks(job), rows, told.rows * sizeof *rows, err));
  }
  const sotto_i_counts counts = {.job = job,
                                 .noise = noisy ? &grid : NULL,
                                 .round = told.round,
                                 .item = told.round,
                                 .part = told.part,
                                 .stage = told.stage,
                                 .rows = rows,
                                 .row_count = told.rows};
  SOTTO_TRY(sotto_i_counts_release(&released, NULL, &counts, err));
done:
  sotto_dataset_free(&released);
  sotto_i_free(rows);
  return status;
}

/* The data party's share of this rank. It has no labels, and learns no quality. */
static sotto_status help_data_party(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  bool more = true;
  const sotto_quality none = sotto_i_quality_none();
  sotto_status status;
  out->quality = (sotto_seed_result){.seed = job->seed,
                                     .baseline_validation = none,
                                     .baseline_test = none,
                                     .validation = none,
                                     .test = none};
  SOTTO_TRY(sotto_i_epoch_relay_await(sotto_i_job_ranks(job), err));
  while (more) SOTTO_TRY(help_release(&more, job, err));
done:
  return status;
}

sotto_status sotto_i_vesper_counts_help(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  if (job->seat != NULL) return help_data_party(out, job, err);
  sotto_i_parted parted = {0};
  sotto_i_rounds rounds = {.job = NULL};
  sotto_i_vesper_first first = {.job = job, .parted = &parted, .shown = &parted};
  const size_t cols = job->features->cols;
  sotto_status status;
  first.choice.features = sotto_i_can_cluster_features(cols);
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  SOTTO_TRY(sotto_i_epoch_relay_await(sotto_i_job_ranks(job), err));
  SOTTO_TRY(sotto_i_vesper_first_new(&first, cols <= SOTTO_I_MOST_OWN_COLUMNS, err));
  SOTTO_TRY(sotto_i_vesper_first_give(&first, err));
  SOTTO_TRY(sotto_i_vesper_rounds_begin(&rounds, &first, err));
  for (uint32_t round = 0; round < job->options->layers; round++) SOTTO_TRY(help_round(&rounds, round, err));
  out->quality = (sotto_seed_result){.seed = job->seed,
                                     .baseline_validation = first.validation,
                                     .baseline_test = first.test,
                                     .validation = rounds.validation,
                                     .test = rounds.test};
done:
  sotto_i_rounds_free(&rounds);
  sotto_i_vesper_first_free(&first);
  sotto_i_parted_free(&parted);
  return status;
}
