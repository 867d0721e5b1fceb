/* Predictions for other data by two parties, of a run that published counts. As in training, the data party
 * sends embeddings, the label party sends the predicted class of each node, and counts of neighbours by
 * class are released. No node was trained on, and nothing is learnt. */
#include "base/error.h"
#include "base/memory.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "protocols/answers/corrections.h"
#include "protocols/counts.h"
#include "protocols/rounds.h"
#include "protocols/table.h"
#include "tensor/columns.h"
#include "vesper_answer.h"
#include "vesper_halves.h"

static const char rounds_name[] = "rounds";
static const char *const rounds_reason =
    "how many rounds of counts the label party's model reads, which its validation labels chose";
static const char *const features_reason =
    "functions of each node's own features, which the label party may know under edge-level adjacency";
static const char *const clusters_reason =
    "the predicted class of each node and its confidence; neighbours are counted by class";

/* Receives the number of rounds that the label party's model reads, and the number of classes. */
static sotto_status receive_rounds(uint32_t told[2], const sotto_i_joint *joint, sotto_error *err) {
  const uint64_t layers = joint->job->options->layers;
  const sotto_expectation expected = {rounds_name, SOTTO_WIRE_EXPOSED, 1, 2, 0};
  sotto_status status = sotto_link_receive_words(joint->link, told, &expected, err);
  if (status == SOTTO_OK && told[0] > layers)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "rounds: the label party asks for %u, and the run has %llu",
                        (unsigned)told[0], (unsigned long long)layers);
  return status == SOTTO_OK ? sotto_i_counts_classes(&told[1], (float)told[1], err) : status;
}

static sotto_status receive_clusters(sotto_matrix *clusters, uint8_t *levels, const sotto_i_joint *joint,
                                     sotto_error *err) {
  sotto_status status;
  sotto_matrix told = {0};
  const sotto_expectation expected = {.name = SOTTO_I_CLUSTERS_NAME,
                                      .kind = SOTTO_WIRE_EXPOSED,
                                      .rows = clusters->rows,
                                      .cols = SOTTO_I_CLUSTER_COLUMNS};
  SOTTO_TRY(sotto_matrix_new(&told, expected.rows, expected.cols, err));
  SOTTO_TRY(sotto_link_receive(joint->link, &told, &expected, err));
  SOTTO_TRY(sotto_i_clusters_take(clusters, levels, &told, err));
done:
  sotto_matrix_free(&told);
  return status;
}

sotto_status sotto_i_vesper_counts_other_data(const sotto_i_joint *joint, sotto_error *err) {
  const uint64_t nodes = joint->job->data->graph.nodes;
  const sotto_i_job *release = NULL;
  uint32_t told[2];
  sotto_laplace_grid grid;
  sotto_i_receipt receipt;
  sotto_matrix clusters = {0};
  sotto_dataset released = {0};
  uint8_t *levels = NULL;
  sotto_status status;
  SOTTO_TRY(receive_rounds(told, joint, err));
  SOTTO_TRY(sotto_i_vesper_send_embeddings(joint, NULL, nodes, SOTTO_I_ALL_NAME, features_reason, err));
  if (told[0] == 0) goto done;
  SOTTO_TRY(joint->release(joint->context, &release, told[0], err));
  SOTTO_TRY(sotto_i_counts_grid(&grid, release->options, err));
  SOTTO_TRY(sotto_matrix_new(&clusters, nodes, told[1], err));
  SOTTO_TRY(sotto_i_new(&levels, nodes, sizeof *levels, err));
  for (uint32_t round = 0; round < told[0]; round++) {
    const sotto_i_counts counts = {
        .job = release, .scores = &clusters, .levels = levels, .noise = &grid, .round = round, .item = round};
    SOTTO_TRY(receive_clusters(&clusters, levels, joint, err));
    sotto_dataset_free(&released);
    SOTTO_TRY(sotto_i_counts_release(&released, &receipt, &counts, err));
    SOTTO_TRY(sotto_i_link_send_charged(joint->link, SOTTO_I_COUNTS_NAME, &released.features, &receipt, err));
  }
done:
  sotto_matrix_free(&clusters);
  sotto_dataset_free(&released);
  sotto_i_free(levels);
  return status;
}

/* The noise of a round, equal to the data party's. */
static sotto_status noise_of(sotto_laplace_grid *grid, const sotto_i_vesper_reader *r, double epsilon,
                             sotto_error *err) {
  return sotto_i_counts_grid_of(grid, epsilon / r->corrections.kept, err);
}

static sotto_status send_clusters(const sotto_i_vesper_reader *r, const sotto_matrix *scores,
                                  const sotto_i_joint *joint, sotto_error *err) {
  const sotto_options *o = joint->job->options;
  sotto_matrix clusters = {0}, told = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_table_join(&clusters, scores, &(sotto_matrix){0}, err));
  if (sotto_i_vesper_settings_of(o)->clusters == SOTTO_I_CLUSTERS_LABELS && clusters.cols == 2)
    sotto_i_rounds_even_odds(&clusters);
  SOTTO_TRY(sotto_i_clusters_tell(&told, &clusters, r->levels, err));
  SOTTO_TRY(sotto_link_send_exposed(joint->link, SOTTO_I_CLUSTERS_NAME, clusters_reason, &told, err));
done:
  sotto_matrix_free(&clusters);
  sotto_matrix_free(&told);
  return status;
}

static sotto_status run_rounds(sotto_matrix *latest, sotto_i_vesper_reader *r, const sotto_i_joint *joint,
                               sotto_error *err) {
  sotto_laplace_grid grid;
  sotto_matrix counts = {0};
  sotto_status status;
  const sotto_expectation expected = {
      .name = SOTTO_I_COUNTS_NAME, .kind = SOTTO_WIRE_RELEASE, .rows = r->base.rows, .cols = r->base.cols};
  SOTTO_TRY(sotto_i_table_join(latest, &r->base, &(sotto_matrix){0}, err));
  if (r->corrections.kept == 0) goto done;
  SOTTO_TRY(noise_of(&grid, r, joint->epsilon, err));
  SOTTO_TRY(sotto_matrix_new(&counts, expected.rows, expected.cols, err));
  for (uint32_t round = 0; round < r->corrections.kept; round++) {
    SOTTO_TRY(send_clusters(r, latest, joint, err));
    SOTTO_TRY(sotto_link_receive(joint->link, &counts, &expected, err));
    SOTTO_TRY(sotto_i_corrections_read(&r->read, &counts, &grid, err));
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
  const uint32_t told[2] = {r.corrections.kept, joint->job->data->classes};
  const sotto_words words = {rounds_name, SOTTO_WIRE_EXPOSED, rounds_reason, told, 1, 2};
  SOTTO_TRY(sotto_link_send_words(joint->link, &words, err));
  SOTTO_TRY(sotto_i_vesper_reader_base(&r, joint, NULL, SOTTO_I_ALL_NAME, err));
  SOTTO_TRY(sotto_i_corrections_levels(&r.levels, &r.corrections, &r.base, NULL, err));
  SOTTO_TRY(run_rounds(&latest, &r, joint, err));
  SOTTO_TRY(sotto_i_take_rows(out, &latest, joint->nodes, joint->count, err));
done:
  sotto_i_vesper_reader_free(&r);
  sotto_matrix_free(&latest);
  return status;
}
