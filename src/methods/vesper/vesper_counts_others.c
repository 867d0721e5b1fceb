/* Predictions for other data by two parties, or by several holders and their label party, of a run that
 * published counts. As in training, each data party sends embeddings, the label party sends the predicted
 * class of each node, and counts of neighbours by class are released. No node was trained on, and nothing is
 * learnt. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "protocols/answers/corrections.h"
#include "protocols/counts.h"
#include "protocols/feature_clusters.h"
#include "protocols/rounds.h"
#include "protocols/table.h"
#include "protocols/transfer_weights.h"
#include "tensor/columns.h"
#include "vesper_answer.h"
#include "vesper_halves.h"

static const char rounds_name[] = "rounds";
static const char *const rounds_reason =
    "how many rounds of counts the label party's model reads, and by which clusters; its labels chose both";
static const char *const features_reason = "functions of each node's own features, which the label party may "
                                           "know: this adjacency does not protect them";
static const char *const clusters_reason =
    "the predicted class of each node and its confidence; neighbours are counted by class";

static const char *const no_noise_reason = "no privacy was asked for: counts of neighbours without noise";

/* The label party's message about its model. */
enum { ROUNDS, CLASSES, KIND, told_words };

static sotto_status receive_rounds(uint32_t told[told_words], const sotto_i_joint *joint, sotto_error *err) {
  const uint64_t layers = joint->job->options->layers;
  const sotto_expectation expected = {rounds_name, SOTTO_WIRE_EXPOSED, 1, told_words, 0};
  sotto_status status = sotto_link_receive_words(joint->link, told, &expected, err);
  if (status == SOTTO_OK && told[ROUNDS] > layers)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "rounds: the label party asks for %u, and the run has %llu",
                        (unsigned)told[ROUNDS], (unsigned long long)layers);
  if (status == SOTTO_OK && told[KIND] >= SOTTO_I_CLUSTER_KINDS)
    return sotto_i_fail(err, SOTTO_PROTOCOL,
                        "rounds: the label party asks for clusters of kind %u, and there are %d",
                        (unsigned)told[KIND], SOTTO_I_CLUSTER_KINDS);
  if (status == SOTTO_OK && joint->number > 0 && told[KIND] != SOTTO_I_BY_CLASS)
    return sotto_i_fail(err, SOTTO_PROTOCOL,
                        "rounds: the label party asks one of several holders for clusters of kind %u; they "
                        "release counts by class alone",
                        (unsigned)told[KIND]);
  return status == SOTTO_OK ? sotto_i_counts_classes(&told[CLASSES], (float)told[CLASSES], err) : status;
}

static sotto_status receive_clusters(sotto_i_clusters *clusters, uint8_t *levels, const sotto_i_joint *joint,
                                     sotto_error *err) {
  sotto_status status;
  sotto_matrix told = {0};
  const sotto_expectation expected = {.name = SOTTO_I_CLUSTERS_NAME,
                                      .kind = SOTTO_WIRE_EXPOSED,
                                      .rows = clusters->nodes,
                                      .cols = SOTTO_I_CLUSTER_COLUMNS};
  SOTTO_TRY(sotto_matrix_new(&told, expected.rows, expected.cols, err));
  SOTTO_TRY(sotto_link_receive(joint->link, &told, &expected, err));
  SOTTO_TRY(sotto_i_clusters_take(clusters, levels, &told, err));
done:
  sotto_matrix_free(&told);
  return status;
}

/* What the first round counts by, where that is not classes. */
typedef struct cells {
  sotto_i_clusters clusters; /* owned */
  sotto_matrix weights;      /* owned: those of the bins; empty: none */
  sotto_i_transfer_bins bins;
} cells;

static sotto_status clusters_of_features(sotto_i_clusters *out, sotto_params *centres,
                                         const sotto_matrix *features, sotto_error *err) {
  const sotto_i_row_source rows = sotto_i_row_source_of(features);
  return sotto_i_feature_clusters_of(out, centres, &rows, err);
}

static sotto_status open_bins(cells *out, const sotto_i_vesper_networks *own, const sotto_i_joint *joint,
                              sotto_i_cluster_kind kind, sotto_error *err) {
  const sotto_dataset *data = joint->job->data;
  sotto_status status;
  if (kind == SOTTO_I_BY_KINDS) {
    SOTTO_TRY(sotto_i_kind_bins(&out->bins, data, 0, err));
  } else {
    SOTTO_TRY(sotto_i_transfer_bins_take(&out->bins, own->bins, err));
    SOTTO_TRY(sotto_i_transfer_bins_fit(&out->bins, data, err));
  }
  if (own->weights == NULL) return SOTTO_OK;
  SOTTO_TRY(sotto_i_table_join(&out->weights, sotto_params_value(own->weights, 0), &(sotto_matrix){0}, err));
  SOTTO_TRY(sotto_i_transfer_weights_check(&out->weights, SOTTO_CORRUPT, err));
  out->bins.weights = &out->weights;
done:
  return status;
}

/* Weights are of the predicted classes of the other end, which the label party sends. */
static sotto_status check_weighed(const cells *c, uint32_t classes, sotto_error *err) {
  if (c->bins.weights == NULL || c->bins.weights->cols == classes) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PROTOCOL,
                      "rounds: the label party says that there are %u classes, and the model of this run has "
                      "weights of %zu",
                      (unsigned)classes, c->bins.weights->cols);
}

/* By the centres, the bins and the weights of the training. */
static sotto_status open_cells(cells *out, const sotto_i_joint *joint, sotto_i_cluster_kind kind,
                               sotto_error *err) {
  sotto_i_vesper_networks own = {.centres = NULL};
  sotto_status status = SOTTO_OK;
  *out = (cells){.bins = {.amounts = 0}};
  if (kind == SOTTO_I_BY_CLASS) return SOTTO_OK;
  SOTTO_TRY(sotto_i_vesper_networks_open(&own, joint, err));
  if (kind != SOTTO_I_BY_KINDS && (kind == SOTTO_I_BY_FEATURES ? own.centres : own.bins) == NULL) {
    status = sotto_i_fail(err, SOTTO_PROTOCOL,
                          "rounds: the label party asks for counts by %s, and the model of this run has none",
                          kind == SOTTO_I_BY_FEATURES ? "clusters of features" : "transfers");
    goto done;
  }
  if (kind == SOTTO_I_BY_FEATURES)
    SOTTO_TRY(clusters_of_features(&out->clusters, own.centres, joint->job->features, err));
  else
    SOTTO_TRY(open_bins(out, &own, joint, kind, err));
done:
  sotto_i_vesper_networks_free(&own);
  return status;
}

static bool is_bare(const sotto_i_joint *joint) {
  return isinf(joint->epsilon);
}

/* Sends one round of counts: a release, or counts without noise, of which nothing is stored. */
static sotto_status send_counts(const sotto_i_joint *joint, const sotto_i_counts *counts, sotto_error *err) {
  sotto_i_receipt receipt;
  sotto_dataset released = {0};
  sotto_matrix exact = {0};
  sotto_status status;
  if (counts->noise != NULL) {
    SOTTO_TRY(sotto_i_counts_release(&released, &receipt, counts, err));
    SOTTO_TRY(sotto_i_link_send_charged(joint->link, SOTTO_I_COUNTS_NAME, &released.features, &receipt, err));
  } else {
    SOTTO_TRY(sotto_i_counts_exact(&exact, counts, err));
    SOTTO_TRY(sotto_link_send_exposed(joint->link, SOTTO_I_COUNTS_NAME, no_noise_reason, &exact, err));
  }
done:
  sotto_dataset_free(&released);
  sotto_matrix_free(&exact);
  return status;
}

sotto_status sotto_i_vesper_counts_other_data(const sotto_i_joint *joint, sotto_error *err) {
  const uint64_t nodes = joint->job->data->graph.nodes;
  const sotto_i_job *release = NULL;
  uint32_t told[told_words];
  sotto_laplace_grid grid;
  sotto_i_clusters clusters = {.of = NULL};
  cells first = {.bins = {.amounts = 0}};
  uint8_t *levels = NULL;
  sotto_status status;
  SOTTO_TRY(receive_rounds(told, joint, err));
  SOTTO_TRY(sotto_i_vesper_send_embeddings(joint, NULL, nodes, SOTTO_I_ALL_NAME, features_reason, err));
  if (told[ROUNDS] == 0) goto done;
  SOTTO_TRY(open_cells(&first, joint, (sotto_i_cluster_kind)told[KIND], err));
  SOTTO_TRY(check_weighed(&first, told[CLASSES], err));
  SOTTO_TRY(joint->release(joint->context, &release, told[ROUNDS], err));
  SOTTO_TRY(sotto_i_clusters_new(&clusters, nodes, told[CLASSES], err));
  SOTTO_TRY(sotto_i_new(&levels, nodes, sizeof *levels, err));
  for (uint32_t round = 0; round < told[ROUNDS]; round++) {
    const bool sums = round == 0 && first.bins.weights != NULL;
    if (!is_bare(joint)) SOTTO_TRY(sotto_i_release_grid(&grid, sums, release->options, err));
    const sotto_i_counts counts = {.job = release,
                                   .clusters =
                                       round == 0 && first.clusters.count > 0 ? &first.clusters : &clusters,
                                   .levels = levels,
                                   .noise = is_bare(joint) ? NULL : &grid,
                                   .round = round,
                                   .item = round,
                                   .owner = joint->number,
                                   .part = joint->together ? joint->number : 0,
                                   .bins = round == 0 && first.bins.amounts > 0 ? &first.bins : NULL};
    SOTTO_TRY(receive_clusters(&clusters, levels, joint, err));
    SOTTO_TRY(send_counts(joint, &counts, err));
  }
done:
  sotto_i_clusters_free(&clusters);
  sotto_i_clusters_free(&first.clusters);
  sotto_matrix_free(&first.weights);
  sotto_i_free(levels);
  return status;
}

/* The noise of a round, equal to the data party's. */
static sotto_status noise_of(sotto_laplace_grid *grid, const sotto_i_vesper_reader *r, uint32_t round,
                             double epsilon, sotto_error *err) {
  const sotto_options of_release = {.epsilon = epsilon, .layers = r->corrections.kept};
  return sotto_i_release_grid(grid, sotto_i_corrections_sums(&r->corrections, round), &of_release, err);
}

static sotto_status send_clusters(const sotto_i_vesper_reader *r, const sotto_matrix *scores,
                                  const sotto_i_joint *joint, sotto_error *err) {
  sotto_matrix of_classes = {0}, told = {0};
  sotto_i_clusters clusters = {.of = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_take_columns(&of_classes, scores, 0, joint->job->data->classes, err));
  if (r->corrections.scale.even) sotto_i_rounds_even_odds(&of_classes);
  SOTTO_TRY(sotto_i_clusters_largest(&clusters, &of_classes, err));
  SOTTO_TRY(sotto_i_clusters_tell(&told, &clusters, r->levels, err));
  for (size_t i = 0; i < sotto_i_vesper_data_parties(joint); i++)
    SOTTO_TRY(sotto_link_send_exposed(joint->links[i], SOTTO_I_CLUSTERS_NAME, clusters_reason, &told, err));
done:
  sotto_i_clusters_free(&clusters);
  sotto_matrix_free(&of_classes);
  sotto_matrix_free(&told);
  return status;
}

/* The counts of a round; those of several holders are added up. */
static sotto_status receive_counts(sotto_matrix *counts, const sotto_expectation *expected,
                                   const sotto_i_joint *joint, sotto_error *err) {
  sotto_matrix one = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(counts, expected->rows, expected->cols, err));
  SOTTO_TRY(sotto_matrix_new(&one, expected->rows, expected->cols, err));
  for (size_t i = 0; i < sotto_i_vesper_data_parties(joint); i++) {
    SOTTO_TRY(sotto_link_receive(joint->links[i], &one, expected, err));
    for (size_t k = 0; k < one.rows * one.cols; k++) counts->data[k] += one.data[k];
  }
done:
  sotto_matrix_free(&one);
  return status;
}

static sotto_status run_rounds(sotto_matrix *latest, sotto_i_vesper_reader *r, const sotto_i_joint *joint,
                               sotto_error *err) {
  sotto_laplace_grid grid;
  sotto_matrix counts = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_table_join(latest, &r->base, &(sotto_matrix){0}, err));
  if (r->corrections.kept == 0) goto done;
  for (uint32_t round = 0; round < r->corrections.kept; round++) {
    if (!is_bare(joint)) SOTTO_TRY(noise_of(&grid, r, round, joint->epsilon, err));
    const sotto_expectation expected = {.name = SOTTO_I_COUNTS_NAME,
                                        .kind = is_bare(joint) ? SOTTO_WIRE_EXPOSED : SOTTO_WIRE_RELEASE,
                                        .rows = r->base.rows,
                                        .cols = sotto_i_corrections_clusters(&r->corrections, round)};
    sotto_matrix_free(&counts);
    SOTTO_TRY(send_clusters(r, latest, joint, err));
    SOTTO_TRY(receive_counts(&counts, &expected, joint, err));
    SOTTO_TRY(sotto_i_corrections_read(&r->read, &r->corrections, round, &counts, r->levels,
                                       is_bare(joint) ? NULL : &grid, err));
    sotto_matrix_free(latest);
    SOTTO_TRY(
        sotto_i_corrections_scores(latest, &r->corrections, round + 1, &r->base, &r->read, r->levels, err));
  }
done:
  sotto_matrix_free(&counts);
  return status;
}

sotto_status sotto_i_vesper_counts_other_label(sotto_matrix *out, const sotto_i_joint *joint,
                                               sotto_error *err) {
  sotto_i_vesper_reader r = {.levels = NULL};
  sotto_matrix latest = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_vesper_reader_open(&r, joint, NULL, joint->job->data->graph.nodes, err));
  const uint32_t told[told_words] = {r.corrections.kept, joint->job->data->classes, r.corrections.scale.kind};
  const sotto_words words = {rounds_name, SOTTO_WIRE_EXPOSED, rounds_reason, told, 1, told_words};
  for (size_t i = 0; i < sotto_i_vesper_data_parties(joint); i++)
    SOTTO_TRY(sotto_link_send_words(joint->links[i], &words, err));
  SOTTO_TRY(sotto_i_vesper_reader_base(&r, joint, NULL, SOTTO_I_ALL_NAME, err));
  SOTTO_TRY(sotto_i_corrections_levels(&r.levels, &r.corrections, &r.base, NULL, err));
  SOTTO_TRY(run_rounds(&latest, &r, joint, err));
  SOTTO_TRY(sotto_i_take_rows(out, &latest, joint->nodes, joint->count, err));
done:
  sotto_i_vesper_reader_free(&r);
  sotto_matrix_free(&latest);
  return status;
}
