/* Predictions of a run that published counts, by two parties with their own processes. The data party sends
 * embeddings of the requested nodes and their stored counts; the label party computes the rest. Both were
 * already sent in training, for all nodes. */
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "protocols/counts.h"
#include "protocols/feature_clusters.h"
#include "protocols/table.h"
#include "protocols/transfer_weights.h"
#include "release/plan.h"
#include "tensor/columns.h"
#include "vesper_answer.h"
#include "vesper_features_once.h"

static const char asked_name[] = "embeddings.asked";
static const char *const features_reason = "functions of the features of each node that is asked for, as in "
                                           "training";
static const char *const no_noise_reason = "no privacy was asked for: counts of neighbours without noise";

/* Some rows of the features; nodes NULL: all. */
static sotto_status copy_rows(sotto_matrix *out, const sotto_matrix *from, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  if (nodes == NULL) return sotto_i_table_join(out, from, &(sotto_matrix){0}, err);
  return sotto_i_take_rows(out, from, nodes, count, err);
}

sotto_status sotto_i_vesper_load_sets(const sotto_i_joint *joint, sotto_params *const *sets, size_t count,
                                      sotto_error *err) {
  return joint->together ? sotto_i_params_load_some(sets, count, joint->file, err)
                         : sotto_params_load(sets, count, joint->file, err);
}

sotto_status sotto_i_vesper_networks_open(sotto_i_vesper_networks *out, const sotto_i_joint *joint,
                                          sotto_error *err) {
  const sotto_i_job *job = joint->job;
  sotto_params *sets[SOTTO_I_MOST_FOLDS + 3];
  size_t count = 0;
  uint32_t folds;
  bool clustered, binned, weighed;
  char prefix[32] = "encoder";
  sotto_status status;
  *out = (sotto_i_vesper_networks){.centres = NULL};
  if (joint->number > 0) (void)snprintf(prefix, sizeof prefix, "holder%u.encoder", (unsigned)joint->number);
  SOTTO_TRY(sotto_i_networks_named(&folds, joint->file, prefix, SOTTO_I_MOST_FOLDS, err));
  SOTTO_TRY(sotto_i_halves_encoders(&out->encoders, folds, job, job->features->cols, joint->number, err));
  for (uint32_t k = 0; k < folds; k++) sets[count++] = out->encoders.params[k];
  SOTTO_TRY(sotto_i_model_names(&clustered, joint->file, SOTTO_I_CLUSTERS_PARAMETER, err));
  if (clustered) {
    SOTTO_TRY(sotto_params_new(&out->centres, err));
    SOTTO_TRY(sotto_i_feature_clusters_new(out->centres, job->features->cols, err));
    sets[count++] = out->centres;
  }
  SOTTO_TRY(sotto_i_model_names(&binned, joint->file, SOTTO_I_BINS_PARAMETER, err));
  if (binned) {
    SOTTO_TRY(sotto_params_new(&out->bins, err));
    SOTTO_TRY(sotto_i_transfer_bins_new(out->bins, job->options, err));
    sets[count++] = out->bins;
  }
  SOTTO_TRY(sotto_i_model_names(&weighed, joint->file, SOTTO_I_WEIGHTS_PARAMETER, err));
  if (weighed) SOTTO_TRY(sotto_i_transfer_weights_new(&out->weights, err));
  if (weighed) sets[count++] = out->weights;
  SOTTO_TRY(sotto_i_vesper_load_sets(joint, sets, count, err));
done:
  return status;
}

void sotto_i_vesper_networks_free(sotto_i_vesper_networks *n) {
  sotto_i_halves_free(&n->encoders);
  sotto_params_free(n->centres);
  sotto_params_free(n->bins);
  sotto_params_free(n->weights);
}

sotto_status sotto_i_vesper_send_embeddings(const sotto_i_joint *joint, const uint32_t *nodes, size_t count,
                                            const char *name, const char *reason, sotto_error *err) {
  sotto_i_vesper_networks own = {.centres = NULL};
  sotto_matrix x = {0}, rows = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_vesper_networks_open(&own, joint, err));
  const sotto_i_halves *encoders = &own.encoders;
  SOTTO_TRY(copy_rows(&x, joint->job->features, nodes, count, err));
  SOTTO_TRY(sotto_i_round_shared(&x, joint->job->options, err));
  for (uint32_t k = 0; k < encoders->count; k++) {
    sotto_matrix_free(&rows);
    SOTTO_TRY(sotto_i_embed_all(&rows, &encoders->mlp[k], encoders->params[k], &x, &encoders->key[k], err));
    SOTTO_TRY(sotto_i_link_send_rounded(joint->link, name, reason, &rows, err));
  }
done:
  sotto_i_vesper_networks_free(&own);
  sotto_matrix_free(&x);
  sotto_matrix_free(&rows);
  return status;
}

static sotto_status send_counts(const sotto_i_joint *joint, uint32_t round, sotto_error *err) {
  const sotto_i_job *job = joint->job;
  const bool noisy = sotto_i_price_asked(job->options);
  bool clustered, binned, weighed;
  sotto_laplace_grid grid;
  sotto_i_receipt receipt;
  sotto_dataset released = {0};
  sotto_matrix asked = {0};
  sotto_status status = SOTTO_OK;
  SOTTO_TRY(sotto_i_model_names(&clustered, joint->file, SOTTO_I_CLUSTERS_PARAMETER, err));
  SOTTO_TRY(sotto_i_model_names(&binned, joint->file, SOTTO_I_BINS_PARAMETER, err));
  SOTTO_TRY(sotto_i_model_names(&weighed, joint->file, SOTTO_I_WEIGHTS_PARAMETER, err));
  if (noisy) SOTTO_TRY(sotto_i_release_grid(&grid, weighed && round == 0, job->options, err));
  const sotto_i_counts counts = {.job = job,
                                 .noise = noisy ? &grid : NULL,
                                 .round = round,
                                 .item = round,
                                 .part = (clustered || binned) && round == 0 ? SOTTO_I_STAGE_OTHERS : 0,
                                 .kept = true};
  SOTTO_TRY(sotto_i_counts_release(&released, &receipt, &counts, err));
  SOTTO_TRY(sotto_i_take_rows(&asked, &released.features, joint->nodes, joint->count, err));
  if (noisy)
    SOTTO_TRY(sotto_i_link_send_charged(joint->link, SOTTO_I_COUNTS_NAME, &asked, &receipt, err));
  else
    SOTTO_TRY(sotto_link_send_exposed(joint->link, SOTTO_I_COUNTS_NAME, no_noise_reason, &asked, err));
done:
  sotto_dataset_free(&released);
  sotto_matrix_free(&asked);
  return status;
}

static sotto_status answer_data(const sotto_i_joint *joint, sotto_error *err) {
  sotto_status status =
      sotto_i_vesper_send_embeddings(joint, joint->nodes, joint->count, asked_name, features_reason, err);
  for (uint32_t round = 0; status == SOTTO_OK && round < joint->job->options->layers; round++)
    status = send_counts(joint, round, err);
  return status;
}

/* The folds of the training, or, for other data, folds in which no node was trained on. */
static sotto_status set_folds(sotto_i_folds *out, const sotto_i_joint *joint, sotto_error *err) {
  uint32_t count;
  if (joint->parted != NULL && joint->release == NULL)
    return sotto_i_folds_deal(out, joint->job, joint->parted, err);
  sotto_status status = sotto_i_networks_named(&count, joint->file, "head", SOTTO_I_MOST_FOLDS, err);
  if (status != SOTTO_OK) return status;
  return sotto_i_folds_of_others(out, count, joint->job->data->graph.nodes, err);
}

sotto_status sotto_i_vesper_reader_open(sotto_i_vesper_reader *r, const sotto_i_joint *joint,
                                        const uint32_t *nodes, size_t count, sotto_error *err) {
  const sotto_i_job *job = joint->job;
  sotto_params *sets[SOTTO_I_MOST_FOLDS + SOTTO_MOST_COSTS];
  const size_t parties = sotto_i_vesper_data_parties(joint);
  const size_t others = (parties - 1) * sotto_i_embedding_width(job->options);
  size_t made = 0;
  sotto_status status = SOTTO_OK;
  if (parties == 1 && job->features->cols > 0)
    SOTTO_TRY(copy_rows(&r->own, job->features, nodes, count, err));
  SOTTO_TRY(sotto_matrix_new(&r->base, count, job->data->classes, err));
  SOTTO_TRY(set_folds(&r->folds, joint, err));
  SOTTO_TRY(sotto_i_halves_heads(&r->heads, r->folds.count, job, r->own.cols + others, err));
  for (uint32_t k = 0; k < r->folds.count; k++) sets[made++] = r->heads.params[k];
  SOTTO_TRY(sotto_i_corrections_open(&r->corrections, sets, &made, job, joint->file, err));
  if (parties > 1) r->corrections.owners = parties;
  SOTTO_TRY(sotto_i_vesper_load_sets(joint, sets, made, err));
done:
  return status;
}

void sotto_i_vesper_reader_free(sotto_i_vesper_reader *r) {
  sotto_i_folds_free(&r->folds);
  sotto_i_halves_free(&r->heads);
  sotto_i_corrections_free(&r->corrections);
  sotto_matrix_free(&r->own);
  sotto_matrix_free(&r->base);
  sotto_matrix_free(&r->read);
  sotto_i_free(r->levels);
}

/* One fold's embeddings, those of several data parties concatenated. */
static sotto_status receive_embeddings(sotto_matrix *out, size_t rows, const sotto_i_joint *joint,
                                       const char *name, sotto_error *err) {
  const sotto_expectation expected = {.name = name,
                                      .kind = SOTTO_WIRE_EXPOSED,
                                      .rows = rows,
                                      .cols = sotto_i_embedding_width(joint->job->options)};
  const size_t parties = sotto_i_vesper_data_parties(joint);
  sotto_matrix one = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&one, expected.rows, expected.cols, err));
  SOTTO_TRY(sotto_matrix_new(out, expected.rows, parties * expected.cols, err));
  for (size_t i = 0; i < parties; i++) {
    SOTTO_TRY(sotto_i_link_receive_rounded(joint->links[i], &one, &expected, err));
    sotto_i_table_put(out, i * one.cols, &one);
  }
done:
  sotto_matrix_free(&one);
  return status;
}

sotto_status sotto_i_vesper_reader_base(sotto_i_vesper_reader *r, const sotto_i_joint *joint,
                                        const uint32_t *nodes, const char *name, sotto_error *err) {
  sotto_matrix rows = {0}, joined = {0}, own = {0}, projected = {0}, beside = {0};
  sotto_status status = SOTTO_OK;
  if (r->corrections.own_rounds != 0)
    SOTTO_TRY(sotto_matrix_new(&projected, r->base.rows, SOTTO_I_PROJECTED, err));
  for (uint32_t k = 0; k < r->folds.count; k++) {
    sotto_matrix_free(&rows);
    sotto_matrix_free(&joined);
    sotto_matrix_free(&own);
    SOTTO_TRY(receive_embeddings(&rows, r->base.rows, joint, name, err));
    if (k == 0 && projected.cols > 0) sotto_i_halves_project(&projected, 0, &rows, joint->job);
    SOTTO_TRY(sotto_i_table_join(&joined, &rows, &r->own, err));
    SOTTO_TRY(sotto_i_embed_all(&own, &r->heads.mlp[k], r->heads.params[k], &joined, &r->heads.key[k], err));
    sotto_i_rows_to_softmax(&own);
    sotto_i_folds_add(&r->base, &own, &r->folds, k, nodes);
  }
  sotto_i_to_logarithms(&r->base);
  SOTTO_TRY(sotto_i_table_join(&beside, &r->base, &projected, err));
  sotto_matrix_free(&r->base);
  r->base = beside;
done:
  sotto_matrix_free(&projected);
  sotto_matrix_free(&rows);
  sotto_matrix_free(&joined);
  sotto_matrix_free(&own);
  return status;
}

/* Rounds after the last correction are received, but not read. */
static sotto_status receive_counts(sotto_i_vesper_reader *r, const sotto_i_joint *joint, sotto_error *err) {
  const sotto_options *o = joint->job->options;
  const bool noisy = sotto_i_price_asked(o);
  sotto_laplace_grid grid;
  sotto_matrix counts = {0};
  sotto_status status = SOTTO_OK;
  for (uint32_t round = 0; round < o->layers; round++) {
    const bool sums = sotto_i_corrections_sums(&r->corrections, round);
    if (noisy) SOTTO_TRY(sotto_i_release_grid(&grid, sums, o, err));
    const sotto_expectation expected = {.name = SOTTO_I_COUNTS_NAME,
                                        .kind = noisy ? SOTTO_WIRE_RELEASE : SOTTO_WIRE_EXPOSED,
                                        .rows = joint->count,
                                        .cols = sotto_i_corrections_clusters(&r->corrections, round)};
    sotto_matrix_free(&counts);
    SOTTO_TRY(sotto_matrix_new(&counts, expected.rows, expected.cols, err));
    SOTTO_TRY(sotto_link_receive(joint->link, &counts, &expected, err));
    if (round < r->corrections.kept)
      SOTTO_TRY(sotto_i_corrections_read(&r->read, &r->corrections, round, &counts, r->levels,
                                         noisy ? &grid : NULL, err));
  }
done:
  sotto_matrix_free(&counts);
  return status;
}

static sotto_status choose_levels(sotto_i_vesper_reader *r, const sotto_i_joint *joint, sotto_error *err) {
  uint8_t *all = NULL, *roles = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_corrections_roles(&all, &r->corrections, joint->parted, err));
  SOTTO_TRY(sotto_i_new_raw(&roles, joint->count, sizeof *roles, err));
  for (size_t i = 0; i < joint->count; i++) roles[i] = all[joint->nodes[i]];
  SOTTO_TRY(sotto_i_corrections_levels(&r->levels, &r->corrections, &r->base, roles, err));
done:
  sotto_i_free(all);
  sotto_i_free(roles);
  return status;
}

static sotto_status answer_label(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err) {
  sotto_i_vesper_reader r = {.levels = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_vesper_reader_open(&r, joint, joint->nodes, joint->count, err));
  SOTTO_TRY(sotto_i_vesper_reader_base(&r, joint, joint->nodes, asked_name, err));
  SOTTO_TRY(choose_levels(&r, joint, err));
  SOTTO_TRY(receive_counts(&r, joint, err));
  SOTTO_TRY(
      sotto_i_corrections_scores(out, &r.corrections, r.corrections.kept, &r.base, &r.read, r.levels, err));
done:
  sotto_i_vesper_reader_free(&r);
  return status;
}

sotto_status sotto_i_vesper_counts_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err) {
  const bool is_data = joint->role == SOTTO_ROLE_DATA;
  if (joint->release != NULL)
    return is_data ? sotto_i_vesper_counts_other_data(joint, err)
                   : sotto_i_vesper_counts_other_label(out, joint, err);
  return is_data ? answer_data(joint, err) : answer_label(out, joint, err);
}
