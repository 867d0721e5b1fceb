/* A holder of vfgnn: checks its data and shares its columns. In every epoch it computes first-layer rows,
 * aggregates them over its own edges, publishes, and learns from the gradients that come back. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/graph.h"
#include "inside/mpc.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "party/wire/link/transport.h"
#include "run/parties/party_split.h"
#include "run/train/run.h"
#include "securegnn.h"
#include "vfgnn.h"
#include "vfgnn_choice.h"
#include "vfgnn_memory.h"

static const char gradients_name[] = "gradients.embeddings", first_name[] = "gradients.first";
static const char *const first_reason = "the first layer's training signal, by which each holder corrects "
                                        "its columns' weights; it depends on labels";
static const char *const clean_reason =
    "no privacy was asked for: functions of the holder's edges, and of features, without noise";

uint64_t sotto_i_vfgnn_sent(const sotto_link *link) {
  uint64_t bytes = 0;
  const sotto_traffic traffic = sotto_link_traffic(link);
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) bytes += traffic.sent[kind];
  return bytes;
}

uint64_t sotto_i_vfgnn_sent_by_holder(const sotto_i_vfgnn_holder *h) {
  uint64_t bytes = sotto_i_vfgnn_sent(h->peers.dealer);
  for (size_t i = 0; i < sotto_i_vfgnn_members(h->shared); i++)
    if (i != h->index) bytes += sotto_i_vfgnn_sent(h->peers.holder[i]);
  return bytes;
}

sotto_i_shared_shape sotto_i_vfgnn_shape(const sotto_i_vfgnn *c, const size_t *cols, size_t trained) {
  const sotto_options *o = c->job->options;
  const sotto_i_holder_settings *own = sotto_i_holder_settings_of(o);
  sotto_i_shared_shape shape = {.holders = c->holders,
                                .rows = c->nodes,
                                .width = c->width,
                                .bits = SOTTO_I_FRACTION_BITS,
                                .feature_bound = own->feature_bound,
                                .rate = SOTTO_I_SHARED_RATE,
                                .momentum = SOTTO_I_SHARED_MOMENTUM,
                                .decay = o->weight_decay,
                                .trained = trained,
                                .one_reads = sotto_i_vfgnn_one_reads(c),
                                .reader = sotto_i_vfgnn_reader(c)};
  memcpy(shape.cols, cols, c->holders * sizeof *cols);
  return shape;
}

/* Called before anything is sent. A holder in its own process has met these bounds before it connected. */
sotto_status sotto_i_vfgnn_check_data(const sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  size_t cols[SOTTO_MOST_HOLDERS] = {0};
  sotto_error found = {0};
  if (h->data->graph.nodes != c->nodes)
    return sotto_i_fail(err, SOTTO_INVALID, "holder %zu: its data has %llu nodes, where %zu were agreed on",
                        h->index + 1, (unsigned long long)h->data->graph.nodes, c->nodes);
  if (h->features.cols == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "holder %zu: has no features", h->index + 1);
  cols[h->index] = h->features.cols;
  const sotto_i_shared_shape shape = sotto_i_vfgnn_shape(c, cols, 0);
  sotto_status status = sotto_i_shared_check_features(&shape, h->index, &h->features, err);
  if (status == SOTTO_OK && c->secure)
    status = sotto_i_securegnn_check_edges(c->job->options, h->index, &h->data->graph, err);
  if (status != SOTTO_OK || c->job->options->max_degree == 0) return status;
  status = sotto_graph_check_degrees(&h->data->graph, c->job->options->max_degree, &found);
  if (status == SOTTO_OK) return status;
  return sotto_i_fail(err, status, "max-degree: holder %zu: %.300s: declare a larger one", h->index + 1,
                      found.text);
}

void sotto_i_vfgnn_clip_rows(sotto_matrix *features, double bound) {
  for (size_t i = 0; i < features->rows; i++) {
    float *row = features->data + i * features->cols;
    double square = 0;
    for (size_t j = 0; j < features->cols; j++) square += (double)row[j] * row[j];
    const double by = square > bound * bound ? bound / sqrt(square) * (1 - 1e-6) : 1;
    for (size_t j = 0; j < features->cols; j++) row[j] = (float)(row[j] * by);
  }
}

sotto_status sotto_i_vfgnn_features(sotto_matrix *out, const sotto_options *options,
                                    const sotto_dataset *whole, const sotto_dataset *own, sotto_error *err) {
  sotto_options scaled = *options;
  const bool suited = options->feature_scale == SOTTO_FEATURE_SCALE_SUITED;
  scaled.feature_scale = sotto_i_scale_of(options, whole);
  const sotto_status status = sotto_i_scaled_features(out, &scaled, own, err);
  if (status == SOTTO_OK && suited && scaled.feature_scale == SOTTO_FEATURE_SCALE_STANDARD)
    sotto_i_vfgnn_clip_rows(out, sotto_i_holder_settings_of(options)->feature_bound);
  return status;
}

/* Before anything is written or charged: all parties in one process. */
static sotto_status check_all_fit(const sotto_i_run *run, sotto_error *err) {
  const sotto_graph *graph = &run->data->graph;
  const double columns = (double)run->data->features.cols;
  const double degree = graph->nodes == 0 ? 0 : (double)graph->entries / (double)graph->nodes;
  const sotto_i_vfgnn_size size = sotto_i_vfgnn_size_of(run->options, (size_t)graph->nodes, degree);
  const double need =
      sotto_i_vfgnn_is_secure(run->options)
          ? sotto_i_securegnn_bytes(run->options, size.nodes, columns, (size_t)run->options->holders + 1)
          : sotto_i_vfgnn_all_bytes(&size, columns);
  return sotto_i_vfgnn_check_memory("all parties in one process", size.nodes, need,
                                    sotto_i_vfgnn_machine_bytes(), err);
}

/* The same of one holder, when it knows the columns of all. Its edges do not count: the others hear of a
 * refusal. */
static sotto_status check_fits(const sotto_i_vfgnn_holder *h, const size_t *cols, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  const sotto_i_vfgnn_size size = sotto_i_vfgnn_size_of(c->job->options, c->nodes, 0);
  char who[32];
  double all = 0;
  for (size_t i = 0; i < c->holders; i++) all += (double)cols[i];
  (void)snprintf(who, sizeof who, "holder %zu", h->index + 1);
  return sotto_i_vfgnn_check_memory(
      who, size.nodes,
      sotto_i_vfgnn_holder_bytes(&size, (double)cols[h->index], all, h->index == sotto_i_vfgnn_reader(c)),
      sotto_i_vfgnn_machine_bytes(), err);
}

sotto_status sotto_i_vfgnn_check_own(const sotto_i_run *run, sotto_error *err) {
  if (run->party == NULL) return check_all_fit(run, err);
  if (run->party->role != SOTTO_ROLE_HOLDER) return SOTTO_OK;
  const size_t index = run->party->number - 1;
  if (index >= run->options->holders) return SOTTO_OK; /* labels alone */
  sotto_i_shared_shape shape = {.rows = run->data->features.rows,
                                .feature_bound = sotto_i_holder_settings_of(run->options)->feature_bound};
  sotto_matrix features = {0};
  sotto_status status = sotto_i_vfgnn_features(&features, run->options, run->data, run->data, err);
  shape.cols[index] = features.cols;
  if (status == SOTTO_OK) status = sotto_i_shared_check_features(&shape, index, &features, err);
  if (status == SOTTO_OK && sotto_i_vfgnn_is_secure(run->options))
    status = sotto_i_securegnn_check_edges(run->options, index, &run->data->graph, err);
  sotto_matrix_free(&features);
  return status;
}

/* This holder's part of the initial weights. It is secret, since X W would reveal X to anyone who knows W. */
static sotto_status start_first(sotto_i_vfgnn_holder *h, const size_t *cols, size_t trained,
                                sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  const sotto_i_shared_shape shape = sotto_i_vfgnn_shape(c, cols, trained);
  size_t inner = sotto_i_shared_inner(&shape);
  double reach = sqrt(6.0 / (double)(inner + sotto_i_vfgnn_hidden(c))) / sqrt((double)c->holders);
  sotto_matrix start = {0};
  sotto_i_random random;
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&start, inner, c->width, err));
  sotto_i_random_init(&random, &c->first_key, SOTTO_I_PURPOSE_INIT, 0, h->index);
  for (size_t i = 0; i < inner * c->width; i++)
    start.data[i] = (float)(reach * (2 * sotto_i_random_double(&random) - 1));
  if (c->clear != NULL)
    SOTTO_TRY(sotto_i_vfgnn_clear_begin(c->clear, &shape, h->index, &h->features, &start, err));
  else
    SOTTO_TRY(sotto_i_shared_begin(&h->first, &shape, &h->peers, &h->features, &start, err));
  SOTTO_TRY(sotto_ring_new(&h->best_first, inner, c->width, err));
done:
  sotto_matrix_free(&start);
  return status;
}

static sotto_status begin_training(sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  size_t cols[SOTTO_MOST_HOLDERS] = {0};
  sotto_split split = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_vfgnn_check_data(h, err));
  SOTTO_TRY(sotto_i_vfgnn_local_new(&h->local, c, h->index, &h->data->graph, h->features.cols, err));
  SOTTO_TRY(sotto_params_clone(&h->best, h->local.params, err));
  if (h->labels != NULL) SOTTO_TRY(sotto_i_vfgnn_labels_begin(h, err));
  SOTTO_TRY(sotto_i_receive_split(&split, h->peers.dealer, c->nodes, err));
  SOTTO_TRY(sotto_i_vfgnn_batches(&h->batch, c, &split, err));
  SOTTO_TRY(sotto_i_vfgnn_agree_on_columns(cols, h, err));
  SOTTO_TRY(check_fits(h, cols, err));
  SOTTO_TRY(sotto_i_vfgnn_cells_draw(h, cols, &split, err));
  if (c->collaborative) SOTTO_TRY(start_first(h, cols, split.count[SOTTO_PART_TRAIN], err));
  h->setup_bytes = sotto_i_vfgnn_sent_by_holder(h);
done:
  sotto_split_free(&split);
  return status;
}

static sotto_var first_rows(const sotto_i_vfgnn_holder *h, sotto_tape *tape, const sotto_matrix *opened) {
  if (h->shared->collaborative) return sotto_tape_input(tape, opened);
  sotto_var features = sotto_tape_constant(tape, &h->features);
  if (!sotto_i_vfgnn_batch_whole(&h->batch))
    features = sotto_tape_gather_rows(tape, features, h->batch.rows, h->batch.count);
  return sotto_tape_matmul(tape, features, sotto_params_var(h->local.params, h->local.first, tape));
}

sotto_status sotto_i_vfgnn_show_rows(sotto_i_vfgnn_holder *h, sotto_tape *tape, const sotto_matrix *opened,
                                     uint64_t epoch, sotto_var *first, sotto_var *out, sotto_error *err) {
  sotto_matrix copy = {0};
  sotto_status status;
  sotto_tape_reset(tape);
  *first = first_rows(h, tape, opened);
  *out = sotto_i_vfgnn_local_apply(&h->local, tape, *first, true);
  SOTTO_TRY(sotto_tape_check(tape, err));
  const sotto_matrix rows = sotto_tape_value(tape, *out);
  if (!h->shared->noisy)
    return sotto_link_send_exposed(h->peers.dealer, "embeddings", clean_reason, &rows, err);
  SOTTO_TRY(sotto_matrix_new(&copy, rows.rows, rows.cols, err));
  memcpy(copy.data, rows.data, rows.rows * rows.cols * sizeof(float));
  SOTTO_TRY(sotto_i_vfgnn_publish(h, &copy, epoch, err));
done:
  sotto_matrix_free(&copy);
  return status;
}

/* Gradients go back through *out and *first. These are the pass over the graph, or, in a sound private run, a
 * pass without the graph, which follows from public values and features alone. */
static sotto_status forward(sotto_i_vfgnn_holder *h, sotto_tape *tape, const sotto_matrix *opened,
                            uint64_t epoch, sotto_var *first, sotto_var *out, sotto_error *err) {
  sotto_status status = sotto_i_vfgnn_show_rows(h, tape, opened, epoch, first, out, err);
  if (status != SOTTO_OK || !h->shared->sound) return status;
  sotto_tape_reset(tape);
  *first = first_rows(h, tape, opened);
  *out = sotto_i_vfgnn_local_apply(&h->local, tape, *first, false);
  return sotto_tape_check(tape, err);
}

static sotto_status receive_gradient(sotto_matrix *all, const sotto_i_vfgnn_holder *h, sotto_error *err) {
  const size_t count = h->batch.members[SOTTO_PART_TRAIN];
  const uint32_t *at = h->batch.at[SOTTO_PART_TRAIN];
  sotto_matrix came = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&came, count, all->cols, err));
  SOTTO_TRY(sotto_i_vfgnn_receive_rows(&came, h->peers.dealer, gradients_name, 0, err));
  memset(all->data, 0, all->rows * all->cols * sizeof(float));
  for (size_t i = 0; i < count; i++)
    memcpy(all->data + at[i] * all->cols, came.data + i * all->cols, all->cols * sizeof(float));
done:
  sotto_matrix_free(&came);
  return status;
}

static sotto_status keep_best(sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  if (c->clear != NULL)
    sotto_i_vfgnn_clear_keep(c->clear, h->index);
  else if (c->collaborative)
    memcpy(h->best_first.data, h->first.weight.data,
           h->best_first.rows * h->best_first.cols * sizeof(uint64_t));
  return sotto_params_copy(h->best, h->local.params, err);
}

/* Buffers of every epoch, allocated once. */
typedef struct workspace {
  sotto_tape *tape;
  sotto_matrix opened, gradient; /* nodes x width; with counts the rows of a step, and its training rows */
  sotto_adam adam;
} workspace;

static sotto_status first_backward(sotto_i_vfgnn_holder *h, const sotto_matrix *gradient, sotto_error *err) {
  sotto_i_vfgnn_clear *clear = h->shared->clear;
  if (clear != NULL) return sotto_i_vfgnn_clear_backward(clear, h->index, gradient, err);
  return sotto_i_shared_backward(&h->first, gradient, err);
}

static sotto_status first_forward(sotto_i_vfgnn_holder *h, sotto_matrix *out, sotto_error *err) {
  sotto_i_vfgnn_clear *clear = h->shared->clear;
  if (!h->shared->collaborative) return SOTTO_OK;
  if (clear != NULL) return sotto_i_vfgnn_clear_forward(clear, h->index, out, err);
  return sotto_i_shared_forward(&h->first, out, err);
}

/* With noise a gradient that is not finite counts as zero: the server chose the values that it follows
 * from. */
static sotto_status take_step(sotto_i_vfgnn_holder *h, const workspace *w, sotto_error *err) {
  sotto_error problem = {0};
  const sotto_status status = sotto_adam_step(h->local.params, &w->adam, &problem);
  if (status == SOTTO_OK || (status == SOTTO_NUMERIC && h->shared->noisy)) return SOTTO_OK;
  return sotto_i_fail(err, status, "%s", problem.text);
}

/* In a sound private run gradients go back without the graph, so that those of all but the training nodes
 * are zero: these alone pass under masks. Who trains is public. */
static sotto_status backward_trained(sotto_i_vfgnn_holder *h, const sotto_matrix *gradient,
                                     sotto_error *err) {
  const sotto_i_vfgnn_batch *b = &h->batch;
  const size_t count = b->members[SOTTO_PART_TRAIN];
  sotto_matrix trained = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_take_rows(&trained, gradient, b->at[SOTTO_PART_TRAIN], count, err));
  sotto_i_shared_take_rows(&h->first, b->trained, count);
  SOTTO_TRY(sotto_i_shared_backward(&h->first, &trained, err));
  sotto_i_shared_take_rows(&h->first, sotto_i_vfgnn_batch_whole(b) ? NULL : b->rows, b->count);
done:
  sotto_matrix_free(&trained);
  return status;
}

static sotto_status backward(sotto_i_vfgnn_holder *h, workspace *w, sotto_var first, sotto_var out,
                             sotto_error *err) {
  sotto_status status;
  sotto_params_zero_gradients(h->local.params);
  SOTTO_TRY(sotto_tape_backward_from(w->tape, out, &w->gradient, err));
  SOTTO_TRY(take_step(h, w, err));
  if (h->shared->collaborative) {
    const sotto_matrix gradient = sotto_tape_gradient(w->tape, first);
    SOTTO_TRY(sotto_i_vfgnn_trains_alone(h->shared) ? backward_trained(h, &gradient, err)
                                                    : first_backward(h, &gradient, err));
  }
done:
  return status;
}

/* With counts, the first layer's gradient of the training nodes: one holder computes it from the server's,
 * and tells the others. */
static sotto_status share_gradient(sotto_i_vfgnn_holder *h, workspace *w, const sotto_i_vfgnn_input *in,
                                   sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  sotto_status status;
  if (!sotto_i_vfgnn_sends(c, h->index))
    return sotto_i_vfgnn_receive_rows(&w->gradient, h->peers.holder[sotto_i_vfgnn_reader(c)], first_name, 0,
                                      err);
  SOTTO_TRY(sotto_i_vfgnn_receive_rows(&w->gradient, h->peers.dealer, gradients_name, 0, err));
  SOTTO_TRY(sotto_i_vfgnn_encoded_backward(&w->gradient, h, w->tape, in, err));
  SOTTO_TRY(take_step(h, w, err));
  for (size_t i = 0; i < h->peers.count && sotto_i_vfgnn_one_reads(c); i++)
    if (i != h->index)
      SOTTO_TRY(sotto_i_vfgnn_send_rows(h->peers.holder[i], first_name, first_reason, &w->gradient, err));
done:
  return status;
}

/* With counts no edge is read, and rows pass in blocks. */
static sotto_status counts_step(sotto_i_vfgnn_holder *h, workspace *w, uint64_t epoch, bool *stop,
                                sotto_error *err) {
  const sotto_i_vfgnn_batch *b = &h->batch;
  const bool shared = h->shared->collaborative, sends = sotto_i_vfgnn_sends(h->shared, h->index);
  const size_t trained = b->members[SOTTO_PART_TRAIN];
  const sotto_i_vfgnn_input all = {shared ? &w->opened : &h->features, shared ? NULL : b->rows, b->count},
                            train = {all.from, shared ? b->at[SOTTO_PART_TRAIN] : b->trained, trained};
  sotto_i_decision decision;
  sotto_status status;
  w->gradient.rows = trained;
  SOTTO_TRY(first_forward(h, &w->opened, err));
  for (size_t begin = 0; sends && begin < all.count; begin += SOTTO_I_VFGNN_BLOCK)
    SOTTO_TRY(sotto_i_vfgnn_send_encoded(h, w->tape, &all, begin, err));
  if (h->labels != NULL) SOTTO_TRY(sotto_i_vfgnn_labels_step(h, epoch, err));
  SOTTO_TRY(sotto_i_vfgnn_receive_decision(&decision, h->peers.dealer, err));
  if (decision.better) SOTTO_TRY(keep_best(h, err));
  SOTTO_TRY(share_gradient(h, w, &train, err));
  if (shared) {
    sotto_i_shared_take_rows(&h->first, b->trained, trained);
    SOTTO_TRY(sotto_i_shared_backward(&h->first, &w->gradient, err));
  }
  *stop = decision.stop;
done:
  return status;
}

/* The last step of an epoch receives the validation decision. */
static sotto_status holder_step(sotto_i_vfgnn_holder *h, workspace *w, uint64_t epoch, bool *stop,
                                sotto_error *err) {
  sotto_var first, out;
  sotto_i_decision decision = {.better = false};
  sotto_status status;
  w->opened.rows = w->gradient.rows = h->batch.count;
  SOTTO_TRY(first_forward(h, &w->opened, err));
  SOTTO_TRY(forward(h, w->tape, &w->opened, epoch, &first, &out, err));
  if (h->labels != NULL) SOTTO_TRY(sotto_i_vfgnn_labels_step(h, epoch, err));
  if (sotto_i_vfgnn_batch_last(&h->batch))
    SOTTO_TRY(sotto_i_vfgnn_receive_decision(&decision, h->peers.dealer, err));
  if (decision.better) SOTTO_TRY(keep_best(h, err));
  SOTTO_TRY(receive_gradient(&w->gradient, h, err));
  SOTTO_TRY(backward(h, w, first, out, err));
  *stop = decision.stop;
done:
  return status;
}

static sotto_status holder_epoch(sotto_i_vfgnn_holder *h, workspace *w, uint64_t epoch, bool *stop,
                                 sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_vfgnn_epoch_check(h->shared, epoch, err));
  for (size_t step = 0; step < h->batch.steps; step++) {
    SOTTO_TRY(sotto_i_vfgnn_holder_step(h, epoch, step, err));
    SOTTO_TRY(h->shared->counts ? counts_step(h, w, epoch, stop, err) : holder_step(h, w, epoch, stop, err));
  }
  h->epochs++;
  SOTTO_TRY(sotto_i_vfgnn_holder_save(h, epoch + 1, *stop, err));
  sotto_i_vfgnn_forget_published(h);
done:
  return status;
}

static sotto_status finish_training(sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  sotto_status status;
  SOTTO_TRY(sotto_params_copy(h->local.params, h->best, err));
  if (c->counts && c->collaborative)
    memcpy(h->first.weight.data, h->best_first.data,
           h->best_first.rows * h->best_first.cols * sizeof(uint64_t));
  SOTTO_TRY(sotto_i_vfgnn_cells_fit(h, err));
  if (h->labels != NULL) SOTTO_TRY(sotto_i_vfgnn_labels_end(h, err));
  if (c->counts && h->labels == NULL) SOTTO_TRY(sotto_i_vfgnn_all_hold(NULL, h, err));
  if (c->counts && h->labels == NULL)
    SOTTO_TRY(sotto_i_vfgnn_counts_hold(h, (uint32_t)c->job->options->layers, err));
  if (sotto_i_holder_settings_of(c->job->options)->initial != SOTTO_I_INITIAL_OPENED) goto done;
  SOTTO_TRY(sotto_matrix_new(&h->weight, h->best_first.rows, h->best_first.cols, err));
  if (c->clear != NULL)
    sotto_i_vfgnn_clear_export(c->clear, &h->weight);
  else
    SOTTO_TRY(sotto_i_shared_export(&h->first, &h->best_first, &h->weight, err));
done:
  return status;
}

/* For a start without an epoch left to train: adds what earlier starts exposed, as the server does. */
static sotto_status note_exposed(sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  sotto_status status = SOTTO_OK;
  if (sotto_i_vfgnn_sends(c, h->index))
    SOTTO_TRY(sotto_i_link_note(h->peers.dealer, "embeddings", sotto_i_vfgnn_features_reason, err));
  for (size_t i = 0; i < h->peers.count && sotto_i_vfgnn_one_reads(c); i++)
    if (i != h->index && sotto_i_vfgnn_sends(c, h->index))
      SOTTO_TRY(sotto_i_link_note(h->peers.holder[i], first_name, first_reason, err));
  if (h->labels == NULL) return status;
  SOTTO_TRY(sotto_i_vfgnn_note_gradient(h->peers.dealer, err));
  SOTTO_TRY(sotto_i_vfgnn_note_decision(h->peers.dealer, err));
done:
  return status;
}

static sotto_status workspace_new(workspace *w, sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  const bool reads = !c->counts || (c->collaborative && sotto_i_vfgnn_sends(c, h->index));
  sotto_status status;
  sotto_i_vfgnn_batch_go(&h->batch, 0, 0);
  const size_t trained = h->batch.members[SOTTO_PART_TRAIN], rows = c->counts ? h->batch.count : c->nodes;
  SOTTO_TRY(sotto_tape_new(&w->tape, err));
  SOTTO_TRY(sotto_matrix_new(&w->opened, reads ? rows : 0, c->width, err));
  SOTTO_TRY(sotto_matrix_new(&w->gradient, c->counts ? trained : rows, c->width, err));
done:
  return status;
}

static void workspace_free(workspace *w) {
  sotto_tape_free(w->tape);
  w->tape = NULL;
  sotto_matrix_free(&w->opened);
  sotto_matrix_free(&w->gradient);
}

sotto_status sotto_i_vfgnn_holder_protocol(sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  workspace w = {.adam = sotto_i_job_training(c->job->options, 1).adam};
  bool stop = false;
  uint64_t first;
  sotto_status status;
  SOTTO_TRY(begin_training(h, err));
  SOTTO_TRY(sotto_i_vfgnn_holder_load(&first, &stop, h, err));
  if (stop) SOTTO_TRY(note_exposed(h, err));
  SOTTO_TRY(workspace_new(&w, h, err));
  double start = sotto_i_seconds();
  for (uint64_t epoch = first; !stop; epoch++) SOTTO_TRY(holder_epoch(h, &w, epoch, &stop, err));
  h->seconds = sotto_i_seconds() - start;
  h->trained_bytes = sotto_i_vfgnn_sent_by_holder(h);
  workspace_free(&w);
  SOTTO_TRY(finish_training(h, err));
done:
  workspace_free(&w);
  return status;
}

void sotto_i_vfgnn_holder_free(sotto_i_vfgnn_holder *h) {
  sotto_matrix_free(&h->features);
  sotto_matrix_free(&h->weight);
  sotto_i_vfgnn_batch_free(&h->batch);
  sotto_i_vfgnn_local_free(&h->local);
  sotto_dataset_free(&h->step);
  sotto_params_free(h->best);
  sotto_i_shared_free(&h->first);
  sotto_ring_free(&h->best_first);
  for (size_t k = 0; k < SOTTO_I_SECUREGNN_WEIGHTS; k++) sotto_ring_free(&h->best_weights[k]);
  sotto_i_vfgnn_cells_free(&h->cells);
}
