/* Counts of neighbours by cluster, at the holders and at the server.
 *
 * Clusters and levels follow from features, labels and earlier sums of releases, and come from the label
 * holder. An edge belongs to one holder, and changes that holder's counts by 2 in the l1 norm whatever the
 * clusters are (protocols/counts.h), those of pilots and of all others together (protocols/pilots.h). Each
 * holder's own loop limits the number of releases. */
#include "vfgnn_counts.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "protocols/counts.h"
#include "release/plan.h"
#include "vfgnn_choice.h"

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

/* Parts of the account: owners of edges that share it, and the stages of each. */
static uint32_t part_of(const sotto_i_vfgnn_holder *h, const sotto_i_vfgnn_stage *s) {
  const uint32_t owner = h->shared->together ? (uint32_t)h->index + 1 : 0;
  if (s->number == SOTTO_I_STAGE_OTHERS && !s->after_pilots) return owner;
  return owner * SOTTO_I_STAGES + s->number;
}

/* Those of one stage (fresh): of its pilots, or of all that are none. By features all of these are alike. */
static sotto_status levels_of(uint8_t **out, const sotto_i_vfgnn_holder *h, const sotto_i_told *told,
                              const sotto_i_vfgnn_stage *s, sotto_error *err) {
  const size_t nodes = h->shared->nodes;
  const sotto_status status = sotto_i_new_raw(out, nodes, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  memcpy(*out, told->levels, nodes);
  if (s->kind == SOTTO_I_BY_FEATURES) memset(*out, SOTTO_I_DEAF + 1, nodes);
  if (s->number != SOTTO_I_STAGE_OTHERS) sotto_i_pilots_levels(*out, nodes, &h->cells.pilots, s->number);
  if (s->after_pilots && is_noisy(h->shared)) sotto_i_pilots_spent(*out, nodes, &h->cells.pilots);
  return SOTTO_OK;
}

sotto_status sotto_i_vfgnn_counts_publish(sotto_i_vfgnn_holder *h, const sotto_i_told *told,
                                          const sotto_i_vfgnn_stage *s, sotto_error *err) {
  const sotto_i_job *job = h->shared->job;
  const bool noise = is_noisy(h->shared), pilots = s->number != SOTTO_I_STAGE_OTHERS;
  sotto_link *server = h->peers.dealer;
  sotto_laplace_grid grid;
  sotto_i_receipt receipt;
  sotto_dataset released = {0};
  sotto_matrix exact = {0};
  uint8_t *levels = NULL;
  sotto_status status = SOTTO_OK;
  if (noise) SOTTO_TRY(sotto_i_counts_grid(&grid, job->options, err));
  SOTTO_TRY(levels_of(&levels, h, told, s, err));
  const sotto_i_counts counts = {.job = job,
                                 .clusters =
                                     s->kind == SOTTO_I_BY_FEATURES ? &h->cells.by_features : &told->clusters,
                                 .levels = levels,
                                 .noise = noise ? &grid : NULL,
                                 .round = s->round,
                                 .item = s->round,
                                 .graph = &h->data->graph,
                                 .owner = (uint32_t)h->index + 1,
                                 .part = part_of(h, s),
                                 .stage = pilots ? s->number : 0,
                                 .rows = pilots ? h->cells.pilots.nodes[s->number] : NULL,
                                 .row_count = h->cells.pilots.count[s->number]};
  if (noise) {
    SOTTO_TRY(sotto_i_counts_release(&released, &receipt, &counts, err));
    SOTTO_TRY(sotto_i_link_send_charged(server, SOTTO_I_COUNTS_NAME, &released.features, &receipt, err));
  } else {
    SOTTO_TRY(sotto_i_counts_exact(&exact, &counts, err));
    SOTTO_TRY(sotto_link_send_exposed(server, SOTTO_I_COUNTS_NAME, no_noise_reason, &exact, err));
  }
done:
  sotto_i_free(levels);
  sotto_dataset_free(&released);
  sotto_matrix_free(&exact);
  return status;
}

sotto_status sotto_i_vfgnn_receive_kind(sotto_i_vfgnn_stage *s, sotto_i_vfgnn_cells *cells, sotto_link *from,
                                        sotto_error *err) {
  uint32_t kind;
  const sotto_expectation expected = {
      .name = SOTTO_I_KIND_NAME, .kind = SOTTO_WIRE_EXPOSED, .rows = 1, .cols = 1};
  sotto_status status = SOTTO_OK;
  if (!s->after_pilots) return SOTTO_OK;
  SOTTO_TRY(sotto_link_receive_words(from, &kind, &expected, err));
  SOTTO_TRY(sotto_i_vfgnn_cells_check(kind, err));
  s->kind = cells->kind = (sotto_i_cluster_kind)kind;
done:
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
  SOTTO_TRY(sotto_i_clusters_new(&out->clusters, c->nodes, c->classes, err));
  SOTTO_TRY(sotto_i_new(&out->levels, c->nodes, sizeof *out->levels, err));
done:
  return status;
}

void sotto_i_told_free(sotto_i_told *told) {
  sotto_i_clusters_free(&told->clusters);
  sotto_i_free(told->levels);
}

sotto_status sotto_i_vfgnn_counts_hold(sotto_i_vfgnn_holder *h, uint32_t rounds, sotto_error *err) {
  sotto_link *label = h->peers.holder[h->shared->label_holder];
  sotto_i_told told = {.levels = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_told_new(&told, h->shared, err));
  for (uint32_t round = 0; round < rounds; round++) {
    sotto_i_vfgnn_stage stages[SOTTO_I_STAGES];
    const size_t count = sotto_i_vfgnn_stages(stages, &h->cells, round);
    SOTTO_TRY(receive_clusters(&told, h, err));
    for (size_t i = 0; i < count; i++) {
      SOTTO_TRY(sotto_i_vfgnn_receive_kind(&stages[i], &h->cells, label, err));
      SOTTO_TRY(sotto_i_vfgnn_counts_publish(h, &told, &stages[i], err));
    }
  }
done:
  sotto_i_told_free(&told);
  return status;
}

/* Adds a holder's counts to those of all, or puts them into its own columns. */
static void place(sotto_matrix *all, const sotto_matrix *one, size_t holder) {
  const size_t from = all->cols > one->cols ? holder * one->cols : 0;
  for (size_t v = 0; v < one->rows; v++)
    for (size_t j = 0; j < one->cols; j++)
      all->data[v * all->cols + from + j] += one->data[v * one->cols + j];
}

/* `all`: fresh, like the room for one. */
static sotto_status receive_all(sotto_matrix *all, sotto_matrix *one, const sotto_i_vfgnn_server *s,
                                const sotto_i_vfgnn_stage *stage, sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  const sotto_expectation expected = {.name = SOTTO_I_COUNTS_NAME,
                                      .kind = is_noisy(c) ? SOTTO_WIRE_RELEASE : SOTTO_WIRE_EXPOSED,
                                      .rows = sotto_i_vfgnn_stage_rows(stage, c, &s->cells),
                                      .cols = sotto_i_vfgnn_kind_cols(stage->kind, c)};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(all, expected.rows, sotto_i_vfgnn_kind_cols_of_all(stage->kind, c), err));
  SOTTO_TRY(sotto_matrix_new(one, expected.rows, expected.cols, err));
  for (size_t i = 0; i < c->holders; i++) {
    SOTTO_TRY(sotto_link_receive(s->links[i], one, &expected, err));
    place(all, one, i);
  }
done:
  return status;
}

static sotto_status join_stage(sotto_i_vfgnn_server *s, sotto_i_vfgnn_stage *stage, sotto_error *err) {
  sotto_link *label = s->links[s->shared->label_holder];
  sotto_matrix all = {0}, one = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_vfgnn_receive_kind(stage, &s->cells, label, err));
  SOTTO_TRY(receive_all(&all, &one, s, stage, err));
  if (is_noisy(s->shared))
    SOTTO_TRY(sotto_i_link_pass_on(label, SOTTO_I_SUM_NAME, &all, err));
  else
    SOTTO_TRY(sotto_link_send_exposed(label, SOTTO_I_SUM_NAME, no_noise_reason, &all, err));
done:
  sotto_matrix_free(&all);
  sotto_matrix_free(&one);
  return status;
}

sotto_status sotto_i_vfgnn_counts_join(sotto_i_vfgnn_server *s, uint32_t rounds, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t round = 0; round < rounds; round++) {
    sotto_i_vfgnn_stage stages[SOTTO_I_STAGES];
    const size_t count = sotto_i_vfgnn_stages(stages, &s->cells, round);
    for (size_t i = 0; i < count; i++) SOTTO_TRY(join_stage(s, &stages[i], err));
  }
done:
  return status;
}
