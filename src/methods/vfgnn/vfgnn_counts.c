/* Counts of neighbours by cluster, at the holders and at the server.
 *
 * Clusters and levels follow from features, labels and earlier sums of releases, and come from the label
 * holder. An edge belongs to one holder, and changes that holder's counts by 2 in the l1 norm whatever the
 * clusters are (protocols/counts.h). Each holder's own loop limits the number of releases. */
#include "vfgnn_counts.h"
#include "base/error.h"
#include "base/memory.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "protocols/counts.h"
#include "release/plan.h"

static const char *const no_noise_reason = "no privacy was asked for: counts of neighbours without noise";

static bool is_noisy(const sotto_i_vfgnn *c) {
  return sotto_i_price_asked(c->job->options);
}

sotto_status sotto_i_vfgnn_counts_check(const sotto_i_vfgnn *c, sotto_error *err) {
  if (c->classes >= 2 && c->classes <= SOTTO_I_MOST_CLUSTERS) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                      "the data has %zu classes; counts of neighbours are released by 2 to %d clusters",
                      c->classes, SOTTO_I_MOST_CLUSTERS);
}

sotto_status sotto_i_vfgnn_counts_publish(sotto_i_vfgnn_holder *h, const sotto_matrix *clusters,
                                          const uint8_t *levels, uint32_t round, sotto_error *err) {
  const sotto_i_job *job = h->shared->job;
  sotto_link *server = h->peers.dealer;
  sotto_laplace_grid grid;
  sotto_i_receipt receipt;
  sotto_dataset released = {0};
  sotto_matrix exact = {0};
  sotto_status status = SOTTO_OK;
  const bool noise = is_noisy(h->shared);
  const sotto_i_counts counts = {.job = job,
                                 .scores = clusters,
                                 .levels = levels,
                                 .noise = noise ? &grid : NULL,
                                 .round = round,
                                 .item = round,
                                 .graph = &h->data->graph,
                                 .owner = (uint32_t)h->index + 1,
                                 .part = h->shared->together ? (uint32_t)h->index + 1 : 0};
  if (noise) SOTTO_TRY(sotto_i_counts_grid(&grid, job->options, err));
  if (noise) {
    SOTTO_TRY(sotto_i_counts_release(&released, &receipt, &counts, err));
    SOTTO_TRY(sotto_i_link_send_charged(server, SOTTO_I_COUNTS_NAME, &released.features, &receipt, err));
  } else {
    SOTTO_TRY(sotto_i_counts_exact(&exact, &counts, err));
    SOTTO_TRY(sotto_link_send_exposed(server, SOTTO_I_COUNTS_NAME, no_noise_reason, &exact, err));
  }
done:
  sotto_dataset_free(&released);
  sotto_matrix_free(&exact);
  return status;
}

/* Receives the label holder's clusters; the label holder itself does not. */
static sotto_status receive_clusters(sotto_i_told *told, const sotto_i_vfgnn_holder *h, sotto_error *err) {
  sotto_status status;
  sotto_matrix came = {0};
  const sotto_expectation expected = {.name = SOTTO_I_CLUSTERS_NAME,
                                      .kind = SOTTO_WIRE_EXPOSED,
                                      .rows = h->shared->nodes,
                                      .cols = SOTTO_I_CLUSTER_COLUMNS};
  SOTTO_TRY(sotto_matrix_new(&came, expected.rows, expected.cols, err));
  SOTTO_TRY(sotto_link_receive(h->peers.holder[h->shared->label_holder], &came, &expected, err));
  SOTTO_TRY(sotto_i_clusters_take(&told->clusters, told->levels, &came, err));
done:
  sotto_matrix_free(&came);
  return status;
}

sotto_status sotto_i_told_new(sotto_i_told *out, const sotto_i_vfgnn *c, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&out->clusters, c->nodes, c->classes, err));
  SOTTO_TRY(sotto_i_new(&out->levels, c->nodes, sizeof *out->levels, err));
done:
  return status;
}

void sotto_i_told_free(sotto_i_told *told) {
  sotto_matrix_free(&told->clusters);
  sotto_i_free(told->levels);
}

sotto_status sotto_i_vfgnn_counts_hold(sotto_i_vfgnn_holder *h, uint32_t rounds, sotto_error *err) {
  sotto_i_told told = {.levels = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_told_new(&told, h->shared, err));
  for (uint32_t round = 0; round < rounds; round++) {
    SOTTO_TRY(receive_clusters(&told, h, err));
    SOTTO_TRY(sotto_i_vfgnn_counts_publish(h, &told.clusters, told.levels, round, err));
  }
done:
  sotto_i_told_free(&told);
  return status;
}

static sotto_status receive_sum(sotto_matrix *sum, sotto_matrix *one, const sotto_i_vfgnn_server *s,
                                sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  const sotto_expectation expected = {.name = SOTTO_I_COUNTS_NAME,
                                      .kind = is_noisy(c) ? SOTTO_WIRE_RELEASE : SOTTO_WIRE_EXPOSED,
                                      .rows = c->nodes,
                                      .cols = c->classes};
  const size_t count = sum->rows * sum->cols;
  for (size_t j = 0; j < count; j++) sum->data[j] = 0;
  for (size_t i = 0; i < c->holders; i++) {
    sotto_status status = sotto_link_receive(s->links[i], one, &expected, err);
    if (status != SOTTO_OK) return status;
    for (size_t j = 0; j < count; j++) sum->data[j] += one->data[j];
  }
  return SOTTO_OK;
}

sotto_status sotto_i_vfgnn_counts_join(sotto_i_vfgnn_server *s, uint32_t rounds, sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  sotto_link *label = s->links[c->label_holder];
  sotto_matrix sum = {0}, one = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&sum, c->nodes, c->classes, err));
  SOTTO_TRY(sotto_matrix_new(&one, c->nodes, c->classes, err));
  for (uint32_t round = 0; round < rounds; round++) {
    SOTTO_TRY(receive_sum(&sum, &one, s, err));
    if (is_noisy(c))
      SOTTO_TRY(sotto_i_link_pass_on(label, SOTTO_I_SUM_NAME, &sum, err));
    else
      SOTTO_TRY(sotto_link_send_exposed(label, SOTTO_I_SUM_NAME, no_noise_reason, &sum, err));
  }
done:
  sotto_matrix_free(&sum);
  sotto_matrix_free(&one);
  return status;
}
