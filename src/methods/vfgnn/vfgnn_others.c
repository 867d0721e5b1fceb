/* Predictions of vfgnn about other data: its protocol, with the networks and corrections of the training.
 * Holders share their new columns, and the first layer's rows are opened as before. Each holder releases
 * counts of its new edges, or rows that read them (vfgnn_rows.c), charged to its own ledger. No node was
 * trained on, and nothing is learnt. */
#include "vfgnn_others.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "protocols/counts.h"
#include "protocols/rounds.h"
#include "protocols/table.h"
#include "tensor/columns.h"
#include "vfgnn_choice.h"
#include "vfgnn_counts.h"

static const char rounds_name[] = "rounds";
static const char *const rounds_reason =
    "how many rounds of counts the label holder's model reads, and by which clusters; its labels chose both";
enum { other_masks = 0x6f746865 }; /* the key of the dealer's masks: never those of the training */

typedef sotto_i_vfgnn_others others;
typedef sotto_i_vfgnn_model reader;

/* The label holder's message about its model. */
enum { ROUNDS, KIND, told_words };

static sotto_status tell_rounds(const others *o, uint32_t kind, sotto_link **links, size_t count,
                                sotto_error *err) {
  const uint32_t told[told_words] = {o->rounds, kind};
  const sotto_words words = {rounds_name, SOTTO_WIRE_EXPOSED, rounds_reason, told, 1, told_words};
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; status == SOTTO_OK && i < count; i++)
    status = sotto_link_send_words(links[i], &words, err);
  return status;
}

static sotto_status receive_rounds(uint32_t *kind, others *o, sotto_link *from, sotto_error *err) {
  const uint64_t layers = o->shared.job->options->layers;
  const sotto_expectation expected = {rounds_name, SOTTO_WIRE_EXPOSED, 1, told_words, 0};
  uint32_t told[told_words];
  const sotto_status status = sotto_link_receive_words(from, told, &expected, err);
  if (status != SOTTO_OK) return status;
  o->rounds = told[ROUNDS];
  *kind = told[KIND];
  if (o->rounds > layers)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "rounds: the label holder asks for %u, and the run has %llu",
                        (unsigned)o->rounds, (unsigned long long)layers);
  return status;
}

/* The server counts nothing, and knows the kind alone. */
static sotto_status receive_kind(sotto_i_vfgnn_cells *cells, others *o, sotto_link *from, sotto_error *err) {
  uint32_t kind;
  sotto_status status;
  SOTTO_TRY(receive_rounds(&kind, o, from, err));
  SOTTO_TRY(sotto_i_vfgnn_cells_check(kind, err));
  cells->kind = (sotto_i_cluster_kind)kind;
done:
  return status;
}

static void log_none(const others *o) {
  sotto_i_log(o->shared.job->observer, SOTTO_LOG_INFO,
              "the model reads features alone, as its validation nodes decided: no counts are released, and "
              "nothing is charged");
}

/* The first layer over this data, with this holder's share of the trained W. */
static sotto_status begin_first(sotto_i_vfgnn_holder *h, const size_t *cols, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  const sotto_i_shared_shape shape = sotto_i_vfgnn_shape(c, cols, c->nodes);
  sotto_matrix none = {0};
  sotto_status status = SOTTO_OK;
  if (!sotto_i_vfgnn_shares_first(c)) return SOTTO_OK;
  SOTTO_TRY(sotto_matrix_new(&none, sotto_i_shared_inner(&shape), c->width, err));
  SOTTO_TRY(sotto_i_shared_begin(&h->first, &shape, &h->peers, &h->features, &none, err));
  SOTTO_TRY(sotto_i_vfgnn_load_first(&h->first.weight, c->job, err));
done:
  sotto_matrix_free(&none);
  return status;
}

/* Sets from the file of this role, or from that of all roles. */
static sotto_status load_sets(const others *o, sotto_params *const *sets, size_t count, sotto_error *err) {
  if (o->joint->together) return sotto_i_params_load_some(sets, count, o->joint->file, err);
  return sotto_params_load(sets, count, o->joint->file, err);
}

static sotto_status reader_begin(reader *r, const others *o, sotto_error *err) {
  const sotto_i_vfgnn *c = &o->shared;
  sotto_status status;
  SOTTO_TRY(sotto_tape_new(&r->labels.tape, err));
  SOTTO_TRY(sotto_params_new(&r->labels.params, err));
  SOTTO_TRY(sotto_i_vfgnn_outputs_new(&r->labels, c, err));
  r->sets[r->count++] = r->labels.params;
  if (!c->counts) goto done;
  SOTTO_TRY(sotto_i_folds_of_others(&r->labels.folds, SOTTO_I_MOST_FOLDS, c->nodes, err));
  SOTTO_TRY(sotto_i_vfgnn_corrected_open(&r->corrected, r->sets, &r->count, c, o->joint->file, err));
done:
  return status;
}

static void reader_end(reader *r) {
  sotto_i_vfgnn_corrected_free(&r->corrected);
  sotto_i_vfgnn_labels_free(&r->labels);
  sotto_params_free(r->first);
  sotto_matrix_free(&r->base);
  sotto_i_free(r->levels);
}

/* Loads a holder's part of the model, in which initial opened has the first layer in the clear, too. */
static sotto_status load_model(reader *r, sotto_i_vfgnn_holder *h, const others *o, const size_t *cols,
                               sotto_error *err) {
  const sotto_i_shared_shape shape = sotto_i_vfgnn_shape(&o->shared, cols, o->shared.nodes);
  bool exported;
  size_t number;
  sotto_status status;
  r->sets[r->count++] = h->local.params;
  SOTTO_TRY(sotto_i_model_names(&exported, o->joint->file, "first.weight", err));
  if (exported && !o->joint->together) {
    SOTTO_TRY(sotto_params_new(&r->first, err));
    SOTTO_TRY(sotto_params_add(r->first, &number, "first.weight", sotto_i_shared_inner(&shape),
                               o->shared.width, SOTTO_INIT_ZERO, false, NULL, err));
    r->sets[r->count++] = r->first;
  }
  SOTTO_TRY(load_sets(o, r->sets, r->count, err));
done:
  return status;
}

sotto_status sotto_i_vfgnn_others_load(others *o, sotto_i_vfgnn_holder *h, reader *r, sotto_error *err) {
  size_t cols[SOTTO_MOST_HOLDERS] = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_vfgnn_agree_on_columns(cols, h, err));
  SOTTO_TRY(load_model(r, h, o, cols, err));
  SOTTO_TRY(begin_first(h, cols, err));
done:
  return status;
}

sotto_status sotto_i_vfgnn_others_release(others *o, sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_job *release = NULL;
  const sotto_status status = o->joint->release(o->joint->context, &release, o->rounds, err);
  o->released = o->shared;
  o->released.job = release;
  h->shared = &o->released;
  return status;
}

/* Clusters follow from the latest scores, as in the training. */
static sotto_status tell_clusters(sotto_i_told *told, const reader *r, const sotto_i_vfgnn_holder *h,
                                  const sotto_matrix *latest, const uint8_t *levels, sotto_error *err) {
  sotto_matrix scores = {0};
  sotto_i_clusters clusters = {.of = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_table_join(&scores, latest, &(sotto_matrix){0}, err));
  if (r->corrected.of.scale.even) sotto_i_rounds_even_odds(&scores);
  SOTTO_TRY(sotto_i_clusters_largest(&clusters, &scores, err));
  SOTTO_TRY(sotto_i_vfgnn_counts_tell(told, h, &clusters, levels, err));
done:
  sotto_i_clusters_free(&clusters);
  sotto_matrix_free(&scores);
  return status;
}

/* One round of counts; `latest` becomes its scores. */
static sotto_status label_round(sotto_matrix *latest, reader *r, sotto_i_vfgnn_holder *h, sotto_i_told *told,
                                uint32_t round, const sotto_laplace_grid *noise, sotto_error *err) {
  sotto_i_vfgnn_stage stages[SOTTO_I_STAGES];
  sotto_matrix all = {0};
  sotto_status status;
  SOTTO_I_CHECK(sotto_i_vfgnn_stages(stages, &h->cells, round) == 1);
  SOTTO_TRY(tell_clusters(told, r, h, latest, r->levels, err));
  SOTTO_TRY(sotto_i_vfgnn_counts_ask(&all, h, told, stages, err));
  sotto_matrix_free(latest);
  SOTTO_TRY(
      sotto_i_vfgnn_corrected_scores(latest, &r->corrected, round, &all, noise, &r->base, r->levels, err));
done:
  sotto_matrix_free(&all);
  return status;
}

static sotto_status label_rounds(sotto_matrix *latest, reader *r, others *o, sotto_i_vfgnn_holder *h,
                                 sotto_error *err) {
  const bool bare = isinf(o->joint->epsilon);
  sotto_i_told told = {.levels = NULL};
  sotto_laplace_grid grid;
  sotto_status status;
  SOTTO_TRY(sotto_i_vfgnn_all_hold(&r->base, h, err));
  SOTTO_TRY(sotto_i_table_join(latest, &r->base, &(sotto_matrix){0}, err));
  if (o->rounds == 0) log_none(o);
  if (o->rounds == 0) goto done;
  SOTTO_TRY(sotto_i_corrections_levels(&r->levels, &r->corrected.of, &r->base, NULL, err));
  if (sotto_i_vfgnn_has_columns(h)) SOTTO_TRY(sotto_i_vfgnn_others_release(o, h, err));
  if (!bare) SOTTO_TRY(sotto_i_counts_grid_of(&grid, o->joint->epsilon / o->rounds, err));
  SOTTO_TRY(sotto_i_told_new(&told, &o->shared, err));
  for (uint32_t round = 0; round < o->rounds; round++)
    SOTTO_TRY(label_round(latest, r, h, &told, round, bare ? NULL : &grid, err));
done:
  sotto_i_told_free(&told);
  return status;
}

static sotto_status counts_label(sotto_matrix *out, others *o, sotto_i_vfgnn_holder *h, reader *r,
                                 sotto_error *err) {
  const uint32_t kind = r->corrected.of.scale.kind;
  sotto_matrix latest = {0};
  sotto_status status;
  o->rounds = r->corrected.of.kept;
  SOTTO_TRY(tell_rounds(o, kind, o->joint->links, sotto_i_vfgnn_members(&o->shared), err)); /* all others */
  if (sotto_i_vfgnn_has_columns(h))
    SOTTO_TRY(sotto_i_vfgnn_others_load(o, h, r, err));
  else
    SOTTO_TRY(load_sets(o, r->sets, r->count, err));
  SOTTO_TRY(sotto_i_vfgnn_cells_open(h, kind, o->joint->together, err));
  SOTTO_TRY(label_rounds(&latest, r, o, h, err));
  SOTTO_TRY(sotto_i_take_rows(out, &latest, o->joint->nodes, o->joint->count, err));
done:
  sotto_matrix_free(&latest);
  return status;
}

static sotto_status counts_holder(others *o, sotto_i_vfgnn_holder *h, reader *r, sotto_error *err) {
  uint32_t kind;
  sotto_status status;
  SOTTO_TRY(receive_rounds(&kind, o, h->peers.holder[o->shared.label_holder], err));
  SOTTO_TRY(sotto_i_vfgnn_others_load(o, h, r, err));
  SOTTO_TRY(sotto_i_vfgnn_all_hold(NULL, h, err));
  if (o->rounds == 0) log_none(o);
  if (o->rounds == 0) goto done;
  SOTTO_TRY(sotto_i_vfgnn_cells_open(h, kind, o->joint->together, err));
  SOTTO_TRY(sotto_i_vfgnn_others_release(o, h, err));
  SOTTO_TRY(sotto_i_vfgnn_counts_hold(h, o->rounds, err));
done:
  return status;
}

/* With rows a label holder publishes its own, as the others do, and scores what the server makes of all. */
static sotto_status rows_holder(sotto_matrix *out, others *o, sotto_i_vfgnn_holder *h, reader *r,
                                sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (sotto_i_vfgnn_has_columns(h)) {
    SOTTO_TRY(sotto_i_vfgnn_others_load(o, h, r, err));
    SOTTO_TRY(sotto_i_vfgnn_rows_hold(o, h, err));
  } else {
    SOTTO_TRY(load_sets(o, r->sets, r->count, err));
  }
  if (h->labels != NULL) SOTTO_TRY(sotto_i_vfgnn_score_asked(out, h, o->joint, err));
done:
  return status;
}

static sotto_status prepare_holder(others *o, sotto_i_vfgnn_holder *h, reader *r, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  sotto_status status = SOTTO_OK;
  if (sotto_i_vfgnn_has_columns(h)) {
    h->data = o->part != NULL ? o->part : c->job->data;
    h->batch = (sotto_i_vfgnn_batch){.steps = 1, .nodes = c->nodes, .count = c->nodes};
    h->features = o->features;
    o->features = (sotto_matrix){.rows = 0};
    if (h->features.data == NULL) SOTTO_TRY(sotto_i_vfgnn_holder_prepare(h, err));
    SOTTO_TRY(sotto_i_vfgnn_check_data(h, err));
    SOTTO_TRY(sotto_i_vfgnn_local_new(&h->local, c, h->index, &h->data->graph, h->features.cols, err));
  }
  if (h->index != c->label_holder) goto done;
  h->labels = &r->labels;
  SOTTO_TRY(reader_begin(r, o, err));
done:
  return status;
}

static sotto_status answer_holder(sotto_matrix *out, others *o, sotto_error *err) {
  sotto_i_vfgnn_holder h = {.shared = &o->shared};
  reader r = {.count = 0};
  sotto_status status;
  sotto_i_vfgnn_join_links(&h, o->joint->number - 1, o->joint->links);
  SOTTO_TRY(prepare_holder(o, &h, &r, err));
  if (!o->shared.counts)
    SOTTO_TRY(rows_holder(out, o, &h, &r, err));
  else if (h.labels != NULL)
    SOTTO_TRY(counts_label(out, o, &h, &r, err));
  else
    SOTTO_TRY(counts_holder(o, &h, &r, err));
done:
  reader_end(&r);
  sotto_i_vfgnn_holder_free(&h);
  return status;
}

static sotto_status answer_server(others *o, sotto_error *err) {
  const sotto_i_vfgnn *c = &o->shared;
  sotto_i_vfgnn_server s = {.shared = c};
  size_t cols[SOTTO_MOST_HOLDERS] = {0};
  sotto_status status;
  for (size_t i = 0; i < sotto_i_vfgnn_members(c); i++) s.links[i] = o->joint->links[i];
  SOTTO_TRY(sotto_i_vfgnn_join_new(&s, err));
  SOTTO_TRY(load_sets(o, &s.params, 1, err));
  if (c->counts) SOTTO_TRY(receive_kind(&s.cells, o, s.links[c->label_holder], err));
  SOTTO_TRY(sotto_i_vfgnn_tell_columns(&s, cols, c->holders, err));
  if (sotto_i_vfgnn_shares_first(c)) {
    const sotto_i_shared_shape shape = sotto_i_vfgnn_shape(c, cols, c->nodes);
    SOTTO_TRY(sotto_i_shared_deal_begin(&s.dealer, &shape, s.links, &c->first_key, err));
  }
  if (!c->counts) {
    SOTTO_TRY(sotto_i_vfgnn_rows_join(o, &s, err));
    goto done;
  }
  SOTTO_TRY(sotto_i_vfgnn_all_join(&s, err));
  SOTTO_TRY(sotto_i_vfgnn_counts_join(&s, o->rounds, err));
done:
  sotto_i_vfgnn_server_free(&s);
  return status;
}

void sotto_i_vfgnn_others_begin(others *o) {
  sotto_i_vfgnn_settle(&o->shared, o->joint->job);
  o->shared.opened = o->opened;
  o->shared.together = o->joint->together && o->shared.holders > 1;
  sotto_i_key_derive(&o->shared.first_key, &o->shared.first_key, other_masks);
}

void sotto_i_vfgnn_others_end(others *o) {
  sotto_key_wipe(&o->shared.first_key);
  sotto_key_wipe(&o->released.first_key);
  sotto_matrix_free(&o->features);
}

sotto_status sotto_i_vfgnn_others_run(sotto_matrix *out, others *o, sotto_error *err) {
  if (o->shared.secure) return sotto_i_securegnn_others_run(out, o, err);
  return o->joint->role == SOTTO_ROLE_SERVER ? answer_server(o, err) : answer_holder(out, o, err);
}

sotto_status sotto_i_vfgnn_others_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err) {
  others o = {.joint = joint};
  if (joint->release == NULL) return sotto_i_vfgnn_answer(out, joint, err);
  sotto_i_vfgnn_others_begin(&o);
  const sotto_status status = sotto_i_vfgnn_others_run(out, &o, err);
  sotto_i_vfgnn_others_end(&o);
  return status;
}
