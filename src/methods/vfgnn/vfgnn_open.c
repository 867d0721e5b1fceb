/* The predictor of vfgnn and securegnn in one process. Scores of the run's own nodes are kept from the
 * training. Other data are divided among the holders as those of the training were, and all roles of vfgnn
 * answer about them as they do between processes, each on a thread of its own. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/mpc.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "protocols/answers/predict_kept.h"
#include "run/train/predict.h"
#include "securegnn.h"
#include "tensor/columns.h"
#include "vfgnn_corrected.h"
#include "vfgnn_others.h"

typedef struct predictor {
  sotto_i_vfgnn shared;
  const sotto_i_job *job;
  const sotto_i_parted *parted;
  bool own;
  sotto_matrix scores; /* of all nodes */
} predictor;

static sotto_status rows_of(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                            sotto_error *err) {
  const predictor *p = self;
  return sotto_i_kept_rows(out, &p->scores, p->job, x, nodes, err);
}

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  const predictor *p = self;
  sotto_status status = SOTTO_OK;
  if (p->own) status = sotto_i_vfgnn_check_opened(&p->shared, p->parted, nodes, count, err);
  return status == SOTTO_OK ? sotto_i_take_rows(out, rows, nodes, count, err) : status;
}

static void free_all(void *self) {
  predictor *p = self;
  sotto_matrix_free(&p->scores);
  sotto_i_free(p);
}

/* What all roles share: role 0 is the server's, role i holder i's. */
typedef struct answering {
  const sotto_i_opening *from;
  sotto_dataset parts[SOTTO_MOST_HOLDERS];
  sotto_i_joint joint[SOTTO_MOST_HOLDERS + 1];
  sotto_i_vfgnn_others role[SOTTO_MOST_HOLDERS + 1];
  sotto_matrix opened; /* X W of all nodes */
  uint32_t *nodes;     /* all */
  sotto_matrix *scores;
} answering;

/* The release that the caller opened; without noise the run's own job. */
static sotto_status give_release(void *context, const sotto_i_job **out, uint64_t layers, sotto_error *err) {
  const answering *a = context;
  (void)layers, (void)err;
  *out = a->from->release != NULL ? a->from->release : a->from->job;
  return SOTTO_OK;
}

static sotto_status scale_part(sotto_matrix *out, const sotto_i_job *job, const sotto_dataset *part,
                               bool standardised, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_options as_they_are = *o;
  if (!standardised) return sotto_i_vfgnn_features(out, o, job->data, part, err);
  as_they_are.feature_scale = SOTTO_FEATURE_SCALE_NONE;
  const sotto_status status = sotto_i_vfgnn_features(out, &as_they_are, part, part, err);
  if (status == SOTTO_OK && o->feature_scale == SOTTO_FEATURE_SCALE_SUITED)
    sotto_i_vfgnn_clip_rows(out, sotto_i_holder_settings_of(o)->feature_bound);
  return status;
}

/* Each holder's part of the data, and its scaled features. */
static sotto_status prepare_parts(answering *a, const sotto_i_vfgnn *c, sotto_error *err) {
  const sotto_i_job *job = a->from->job;
  const size_t holders = (size_t)job->options->holders;
  const size_t label_holder = (size_t)job->options->label_holder - 1;
  const bool divided = holders > 1;
  bool standardised = false;
  sotto_status status = SOTTO_OK;
  if (divided) SOTTO_TRY(sotto_i_holders_deal_others(a->parts, &standardised, job, label_holder, err));
  for (size_t i = 0; i < holders; i++) {
    sotto_i_vfgnn_others *role = &a->role[i + 1];
    role->part = divided ? &a->parts[i] : job->data;
    SOTTO_TRY(scale_part(&role->features, job, role->part, standardised, err));
    const sotto_i_vfgnn_holder of = {.shared = c, .index = i, .data = role->part, .features = role->features};
    SOTTO_TRY(sotto_i_vfgnn_check_data(&of, err));
  }
done:
  return status;
}

/* Rows of all holders' columns, concatenated, from row `begin` on. */
static void fill_block(sotto_matrix *block, const answering *a, size_t begin) {
  size_t first = 0;
  for (size_t i = 0; i < a->from->job->options->holders; i++) {
    const sotto_matrix *own = &a->role[i + 1].features;
    for (size_t v = 0; v < block->rows; v++)
      memcpy(block->data + v * block->cols + first, own->data + (begin + v) * own->cols,
             own->cols * sizeof(float));
    first += own->cols;
  }
}

static sotto_status open_block(answering *a, const sotto_ring *weight, size_t begin, sotto_error *err) {
  const sotto_options *o = a->from->job->options;
  sotto_matrix block = {0}, out = sotto_i_vfgnn_block(&a->opened, begin);
  sotto_ring x = {.data = NULL}, product = {.data = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&block, out.rows, weight->rows, err));
  fill_block(&block, a, begin);
  SOTTO_TRY(sotto_ring_new(&x, block.rows, block.cols, err));
  SOTTO_TRY(sotto_ring_new(&product, out.rows, out.cols, err));
  SOTTO_TRY(sotto_fixed_encode(&x, &block, SOTTO_I_FRACTION_BITS,
                               sotto_i_holder_settings_of(o)->feature_bound, err));
  SOTTO_TRY(sotto_ring_product(&product, &x, weight, false, err));
  sotto_fixed_decode(&out, &product, 2 * SOTTO_I_FRACTION_BITS);
done:
  sotto_matrix_free(&block);
  sotto_ring_free(&x);
  sotto_ring_free(&product);
  return status;
}

/* X W of all nodes. All shares of W are in this folder, so that computing under shares would hide nothing;
 * and its fresh masks would round every answer in another way. */
static sotto_status open_first(answering *a, const sotto_i_vfgnn *c, sotto_error *err) {
  sotto_ring weight = {.data = NULL};
  size_t inner = 0;
  sotto_status status;
  for (size_t i = 0; i < c->holders; i++) inner += a->role[i + 1].features.cols;
  SOTTO_TRY(sotto_ring_new(&weight, inner, c->width, err));
  SOTTO_TRY(sotto_i_vfgnn_load_all_first(&weight, c->job, err));
  SOTTO_TRY(sotto_matrix_new(&a->opened, c->nodes, c->width, err));
  for (size_t begin = 0; begin < c->nodes; begin += SOTTO_I_VFGNN_BLOCK)
    SOTTO_TRY(open_block(a, &weight, begin, err));
done:
  sotto_ring_free(&weight);
  return status;
}

static sotto_i_joint joint_of(answering *a, const sotto_i_session *session) {
  const sotto_i_job *job = a->from->job, *release = a->from->release;
  return (sotto_i_joint){.job = job,
                         .role = session->role,
                         .number = session->number,
                         .links = session->links,
                         .file = a->from->file,
                         .together = true,
                         .nodes = a->nodes,
                         .count = job->data->graph.nodes,
                         .release = give_release,
                         .context = a,
                         .epsilon = release != NULL ? release->options->epsilon : INFINITY};
}

static sotto_status prepare(void *shared, const sotto_i_job *job, sotto_i_session *sessions, size_t count,
                            sotto_error *err) {
  answering *a = shared;
  const size_t nodes = job->data->graph.nodes;
  sotto_i_vfgnn c;
  sotto_status status;
  sotto_i_vfgnn_settle(&c, job);
  sotto_key_wipe(&c.first_key);
  SOTTO_TRY(sotto_i_new_raw(&a->nodes, nodes, sizeof *a->nodes, err));
  for (size_t v = 0; v < nodes; v++) a->nodes[v] = (uint32_t)v;
  SOTTO_TRY(prepare_parts(a, &c, err));
  if (c.collaborative) SOTTO_TRY(open_first(a, &c, err));
  for (size_t i = 0; i < count; i++) {
    sotto_i_vfgnn_others *role = &a->role[sessions[i].number];
    a->joint[i] = joint_of(a, &sessions[i]);
    role->joint = &a->joint[i];
    sessions[i].own = role;
    role->opened = c.collaborative ? &a->opened : NULL;
    sotto_i_vfgnn_others_begin(role);
  }
done:
  return status;
}

static sotto_status run_role(sotto_i_session *session, sotto_error *err) {
  sotto_i_vfgnn_others *role = session->own;
  return sotto_i_vfgnn_others_run(((answering *)role->joint->context)->scores, role, err);
}

static uint32_t member_count(const sotto_i_job *job) {
  return (uint32_t)(job->options->holders + sotto_i_has_labels_apart(job->options));
}

/* securegnn: all shares of all weights are in this folder. */
static sotto_status answer_clear(sotto_matrix *scores, answering *a, sotto_error *err) {
  const sotto_i_job *job = a->from->job;
  const sotto_graph *graph[SOTTO_MOST_HOLDERS] = {NULL};
  sotto_matrix features = {0}, weights[SOTTO_I_SECUREGNN_WEIGHTS] = {{0}};
  sotto_i_vfgnn c;
  size_t inner = 0;
  sotto_status status;
  sotto_i_vfgnn_settle(&c, job);
  sotto_key_wipe(&c.first_key);
  SOTTO_TRY(prepare_parts(a, &c, err));
  for (size_t i = 0; i < c.holders; i++) {
    graph[i] = &a->role[i + 1].part->graph;
    inner += a->role[i + 1].features.cols;
  }
  SOTTO_TRY(sotto_matrix_new(&features, c.nodes, inner, err));
  fill_block(&features, a, 0);
  SOTTO_TRY(sotto_i_securegnn_load_all(weights, &c, inner, err));
  SOTTO_TRY(sotto_i_securegnn_clear(scores, &c, graph, &features, weights, err));
done:
  sotto_matrix_free(&features);
  for (size_t k = 0; k < SOTTO_I_SECUREGNN_WEIGHTS; k++) sotto_matrix_free(&weights[k]);
  return status;
}

static sotto_status answer_others(sotto_matrix *scores, const sotto_i_opening *from, sotto_error *err) {
  const bool secure = sotto_i_vfgnn_is_secure(from->job->options);
  answering *a = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&a, 1, sizeof *a, err));
  a->from = from;
  a->scores = scores;
  const sotto_i_roles roles = {.member = SOTTO_ROLE_HOLDER,
                               .members = member_count,
                               .prepare = prepare,
                               .run = {[SOTTO_ROLE_SERVER] = run_role, [SOTTO_ROLE_HOLDER] = run_role},
                               .given = a};
  SOTTO_TRY(secure ? answer_clear(scores, a, err) : sotto_i_roles_run(NULL, from->job, &roles, err));
done:
  for (size_t i = 0; a != NULL && i <= SOTTO_MOST_HOLDERS; i++) sotto_i_vfgnn_others_end(&a->role[i]);
  for (size_t i = 0; a != NULL && i < SOTTO_MOST_HOLDERS; i++) sotto_dataset_free(&a->parts[i]);
  if (a != NULL) sotto_matrix_free(&a->opened);
  if (a != NULL) sotto_i_free(a->nodes);
  sotto_i_free(a);
  return status;
}

/* With noise the scores follow from a release, which the caller asked for; a model whose corrections read no
 * counts needs none. securegnn makes none. */
static sotto_status check_released(const sotto_i_opening *from, sotto_error *err) {
  sotto_options read = *from->job->options;
  sotto_status status;
  if (sotto_i_vfgnn_is_secure(&read)) return SOTTO_OK;
  if (from->alone) return sotto_i_opening_check(from, err);
  if (from->release != NULL || !sotto_i_price_asked(&read)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_method_of(&read)->narrow(&read, from->file, err));
  if (!sotto_i_vfgnn_by_counts(&read) || read.layers > 0) return sotto_i_opening_check(from, err);
done:
  return status;
}

/* At edge level the run's own data are known without their edges, so that others may have come with its
 * nodes: securegnn, which needs no release for that, reads the edges at hand. */
static bool has_scores(const sotto_i_opening *from) {
  const sotto_options *o = from->job->options;
  return from->own && !(sotto_i_vfgnn_is_secure(o) && o->adjacency == SOTTO_ADJACENCY_EDGE);
}

sotto_status sotto_i_vfgnn_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  predictor *p = NULL;
  const sotto_i_job *job = from->job;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&p, 1, sizeof *p, err));
  *out =
      (sotto_i_predictor){.self = p, .rows = rows_of, .scores = scores_of, .free = free_all, .fixed = true};
  if (from->fresh)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "fresh: %s answers from the rows that it keeps alone",
                        job->options->method);
  p->job = job;
  p->parted = from->parted;
  p->own = has_scores(from);
  sotto_i_vfgnn_settle(&p->shared, job);
  sotto_key_wipe(&p->shared.first_key);
  if (p->own) return sotto_i_vfgnn_load_scores(&p->scores, &p->shared, err);
  SOTTO_TRY(check_released(from, err));
  SOTTO_TRY(answer_others(&p->scores, from, err));
done:
  return status;
}

sotto_status sotto_i_vfgnn_narrow(sotto_options *o, const char *file, sotto_error *err) {
  bool weighted[SOTTO_MOST_COSTS];
  uint32_t kept = 0;
  sotto_status status = SOTTO_OK;
  if (sotto_i_vfgnn_by_counts(o)) {
    status = sotto_i_vfgnn_corrected_kept(&kept, weighted, file, o->layers, err);
    o->layers = kept;
  } else {
    o->epochs = 1;
  }
  return status;
}
