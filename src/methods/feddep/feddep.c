/* --method feddep: one exchange of prototypes, and the work of a client before the first round. */
#include "feddep.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "candidates.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "kept_generator.h"
#include "methods/federated/protocol.h"
#include "nn/kmeans.h"
#include "noisy_prototypes.h"
#include "options.h"
#include "party/wire/link/transport.h"
#include "prototypes.h"

enum { embedding_streams = 1 << 15 };

static void normalise_rows(sotto_matrix *x) {
  for (size_t v = 0; v < x->rows; v++) {
    double square = 0;
    for (size_t j = 0; j < x->cols; j++)
      square += (double)x->data[v * x->cols + j] * x->data[v * x->cols + j];
    for (size_t j = 0; square > 0 && j < x->cols; j++)
      x->data[v * x->cols + j] = (float)(x->data[v * x->cols + j] / sqrt(square));
  }
}

static sotto_status make_network(sotto_i_fed_model *out, const sotto_i_fed_client *c, sotto_error *err) {
  const sotto_options *o = c->federation->options;
  const sotto_i_graph_net_options options = {.mean = true,
                                             .layers = (size_t)sotto_i_part_settings_of(o)->embed_layers,
                                             .in = c->federation->inputs,
                                             .hidden = (size_t)o->hidden,
                                             .out = c->federation->classes,
                                             .embeds = true,
                                             .fixed_last = true,
                                             .dropout = (float)o->dropout};
  sotto_key
      key; /* all clients begin with the same weights; otherwise their embeddings would not be comparable */
  sotto_status status;
  sotto_key_public(&key, c->federation->seed);
  *out = (sotto_i_fed_model){.params = NULL};
  SOTTO_TRY(sotto_params_new(&out->params, err));
  SOTTO_TRY(sotto_i_graph_net_new(&out->net, out->params, &options, embedding_streams, &key, err));
done:
  if (status != SOTTO_OK) sotto_i_fed_model_free(out);
  return status;
}

static sotto_status read_embeddings(sotto_matrix *out, const sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_graph_batch all = {
      .features = &c->features, .entries = c->entries, .fixed = true, .spread = c->spread};
  const sotto_pass pass = {.tape = c->tape, .key = &c->key};
  sotto_status status;
  sotto_tape_reset(c->tape);
  sotto_var z = sotto_i_graph_net_embed(&c->model.net, c->model.params, &pass, &all);
  SOTTO_TRY(sotto_tape_copy(out, c->tape, z, err));
  normalise_rows(out);
done:
  return status;
}

/* L-hop embeddings (fresh, normalised rows) by a network that the client trains alone on the labels of
 * rows[0..count). */
static sotto_status feddep_embed(sotto_matrix *out, sotto_i_fed_client *c, uint32_t *rows, size_t count,
                                 sotto_error *err) {
  const sotto_i_federation *shared = c->federation;
  const sotto_i_fed_model model = c->model;
  sotto_i_fed_model own;
  sotto_i_client_settings settings = *shared->settings;
  sotto_i_federation alone = *shared;
  uint32_t *all = c->rows[SOTTO_PART_TRAIN];
  size_t all_count = c->count[SOTTO_PART_TRAIN];
  double loss;
  sotto_status status = make_network(&own, c, err);
  if (status != SOTTO_OK) return status;
  alone.epochs = sotto_i_part_settings_of(shared->options)->embed_epochs;
  settings.prox_mu = 0;
  alone.settings = &settings;
  c->model = own;
  c->federation = &alone;
  c->rows[SOTTO_PART_TRAIN] = rows;
  c->count[SOTTO_PART_TRAIN] = count;
  SOTTO_TRY(sotto_i_fed_train(c, &loss, err)); /* without a labelled node: the initial weights */
  SOTTO_TRY(read_embeddings(out, c, err));
done:
  sotto_tape_reset(c->tape);
  c->model = model;
  c->federation = shared;
  c->rows[SOTTO_PART_TRAIN] = all;
  c->count[SOTTO_PART_TRAIN] = all_count;
  sotto_i_fed_model_free(&own);
  return status;
}

enum { prototype_keys = 1 };

static bool of_classes(const sotto_options *o) {
  return sotto_i_prototypes_of(o).classes;
}

/* With noise there is no structure: one node changes the buckets of all its neighbours (docs/privacy.md). */
static size_t buckets_of(const sotto_options *o, uint32_t classes) {
  return sotto_i_class_buckets(classes, !sotto_i_prototypes_are_noisy(o));
}

/* Rows of each client's table; 0: none is sent. */
static size_t prototype_rows(const sotto_options *o, uint32_t classes) {
  if (!of_classes(o)) return (size_t)sotto_i_prototypes_of(o).centres;
  return classes * buckets_of(o, classes);
}

static sotto_i_labelled labelled_of(const sotto_i_fed_client *c, const uint32_t *rows, size_t count) {
  return (sotto_i_labelled){.graph = &c->data.graph,
                            .labels = c->data.labels,
                            .rows = rows,
                            .count = count,
                            .classes = c->federation->classes};
}

/* Fills out (rows x width) from the client's embeddings, without noise, or with noise and a receipt. `own`
 * has rows of single nodes, used with noise only. Errors: NOMEM, those of the ledger. */
static sotto_status own_prototypes(sotto_matrix *out, sotto_i_receipt *receipt, const sotto_matrix *targets,
                                   const sotto_matrix *own, const sotto_i_fed_client *c, sotto_error *err) {
  const sotto_options *o = c->federation->options;
  const sotto_i_labelled of = labelled_of(c, c->rows[SOTTO_PART_TRAIN], c->count[SOTTO_PART_TRAIN]);
  sotto_key key;
  if (sotto_i_prototypes_are_noisy(o)) return sotto_i_noisy_prototypes(out, receipt, own, targets, c, err);
  if (of_classes(o))
    return sotto_i_class_prototypes(out, targets, buckets_of(o, c->federation->classes), &of, err);
  sotto_i_key_derive(&key, &c->key, prototype_keys);
  return sotto_i_kmeans(out, targets, &key, err);
}

/* Computes the common scale of all clients with the same tables from their non-empty rows, and applies it
 * to the tables (class tables have empty rows: zeros). scale->mean is NULL if all rows are empty. Errors:
 * NOMEM. */
static sotto_status scale_prototypes(sotto_i_scale *scale, sotto_matrix *tables, const sotto_options *o,
                                     sotto_error *err) {
  size_t cols = tables->cols;
  sotto_matrix filled = {0};
  sotto_status status;
  if (!of_classes(o)) {
    SOTTO_TRY(sotto_i_scale_new(scale, tables, err));
    sotto_i_scale_rows(tables, scale);
    goto done;
  }
  SOTTO_TRY(sotto_matrix_new(&filled, tables->rows, cols, err));
  filled.rows = 0;
  for (size_t r = 0; r < tables->rows; r++)
    if (!sotto_i_is_empty_row(tables, r))
      memcpy(filled.data + filled.rows++ * cols, tables->data + r * cols, cols * sizeof(float));
  if (filled.rows == 0) goto done;
  SOTTO_TRY(sotto_i_scale_new(scale, &filled, err));
  for (size_t r = 0; r < tables->rows; r++) {
    sotto_matrix row = {tables->data + r * cols, 1, cols};
    if (!sotto_i_is_empty_row(tables, r)) sotto_i_scale_rows(&row, scale);
  }
done:
  sotto_matrix_free(&filled);
  return status;
}

/* The prototypes of others for the client's nodes, from the labels of rows[0..count) alone. Errors: NOMEM. */
static sotto_status prototype_candidates(sotto_i_candidates *out, const sotto_matrix *others,
                                         const sotto_i_fed_client *c, const uint32_t *rows, size_t count,
                                         sotto_error *err) {
  const sotto_options *o = c->federation->options;
  size_t clients = c->federation->clients - 1;
  const sotto_i_labelled of = labelled_of(c, rows, count);
  if (of_classes(o))
    return sotto_i_candidates_by_class(out, others, clients, buckets_of(o, c->federation->classes), &of, err);
  return sotto_i_candidates_by_client(out, clients, prototype_rows(o, c->federation->classes), err);
}

static const char *reason_of(const sotto_options *options) {
  if (of_classes(options))
    return "other clients' generators learn from means of a client's embeddings by label and by the label of "
           "most neighbours; prototype-noise adds noise to means by label alone";
  return "other clients' generators learn from centres of a client's embeddings; "
         "prototype-noise adds noise to them";
}

static bool of_features(const sotto_options *options) {
  return sotto_i_part_settings_of(options)->generate == SOTTO_I_GENERATED_FEATURES;
}

size_t sotto_i_feddep_width(const sotto_options *options, size_t inputs) {
  return of_features(options) ? inputs : (size_t)options->hidden;
}

sotto_i_generator_options sotto_i_feddep_generator(const sotto_i_federation *f, size_t width) {
  const sotto_options *o = f->options;
  const sotto_i_part_settings *own = sotto_i_part_settings_of(o);
  double weights[3];
  SOTTO_I_CHECK(sotto_i_generator_weights(weights, o, NULL) == SOTTO_OK);
  return (sotto_i_generator_options){.in = f->inputs,
                                     .hidden = (size_t)o->hidden,
                                     .layers = (size_t)o->layers,
                                     .width = width,
                                     .most = SOTTO_I_MOST_MISSING,
                                     .classes = f->classes,
                                     .beside_once = own->generate == SOTTO_I_GENERATED_EMBEDDINGS_ONCE,
                                     .hide = SOTTO_I_HIDE_SHARE,
                                     .count_weight = weights[0],
                                     .hidden_weight = weights[1],
                                     .other_weight = weights[2],
                                     .rate = own->prototype_rate,
                                     .fan_out = (size_t)o->fan_out,
                                     .epochs = own->generator_epochs,
                                     .adam = sotto_i_job_training(o, 1).adam,
                                     .dropout = (float)o->dropout};
}

sotto_i_generator_data sotto_i_feddep_data(const sotto_i_fed_client *c, const sotto_matrix *targets) {
  return (sotto_i_generator_data){.graph = &c->data.graph,
                                  .features = &c->features,
                                  .entries = c->entries,
                                  .targets = targets,
                                  .labels = c->data.labels,
                                  .training = c->rows[SOTTO_PART_TRAIN],
                                  .training_count = c->count[SOTTO_PART_TRAIN]};
}

/* Some of the training nodes, and what depends on their labels alone. */
typedef struct fold {
  uint32_t *rows;
  size_t count;
  sotto_matrix targets, beside;
  sotto_matrix own; /* with --prototype-noise: rows of single nodes */
} fold;

static void folds_free(fold *folds, size_t count) {
  for (size_t k = 0; folds != NULL && k < count; k++) {
    sotto_i_free(folds[k].rows);
    sotto_matrix_free(&folds[k].targets);
    sotto_matrix_free(&folds[k].own);
    sotto_matrix_free(&folds[k].beside);
  }
  sotto_i_free(folds);
}

/* The training nodes outside the kth share; with one fold, all of them. */
static sotto_status choose_rows(fold *out, const sotto_i_fed_client *c, size_t k, size_t folds,
                                sotto_error *err) {
  sotto_status status = sotto_i_new(&out->rows, c->count[SOTTO_PART_TRAIN], sizeof *out->rows, err);
  for (size_t i = 0; status == SOTTO_OK && i < c->count[SOTTO_PART_TRAIN]; i++)
    if (folds == 1 || i % folds != k) out->rows[out->count++] = c->rows[SOTTO_PART_TRAIN][i];
  return status;
}

static sotto_status set_targets(fold *of, sotto_i_fed_client *c, sotto_error *err) {
  sotto_matrix *out = &of->targets;
  if (sotto_i_prototypes_are_noisy(c->federation->options))
    return sotto_i_public_embed(&of->own, out, c, (size_t)c->federation->options->hidden, err);
  if (!of_features(c->federation->options)) return feddep_embed(out, c, of->rows, of->count, err);
  sotto_status status = sotto_matrix_new(out, c->features.rows, c->features.cols, err);
  if (status == SOTTO_OK) memcpy(out->data, c->features.data, out->rows * out->cols * sizeof(float));
  return status;
}

static sotto_status folds_new(fold **out, sotto_i_fed_client *c, size_t count, sotto_error *err) {
  fold *folds = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&folds, count, sizeof *folds, err));
  for (size_t k = 0; k < count; k++) {
    SOTTO_TRY(choose_rows(&folds[k], c, k, count, err));
    SOTTO_TRY(set_targets(&folds[k], c, err));
  }
done:
  *out = folds;
  return status;
}

/* The mean of the folds' targets. */
static sotto_status mean_targets(sotto_matrix *out, const fold *folds, size_t count, sotto_error *err) {
  sotto_status status = sotto_matrix_new(out, folds[0].targets.rows, folds[0].targets.cols, err);
  for (size_t k = 0; status == SOTTO_OK && k < count; k++)
    for (size_t i = 0; i < out->rows * out->cols; i++)
      out->data[i] += folds[k].targets.data[i] / (float)count;
  return status;
}

/* Sends own prototypes: charged to the client's account if they are noisy, else exposed. */
static sotto_status send_prototypes(const sotto_i_fed_client *c, const sotto_matrix *own,
                                    const sotto_i_receipt *receipt, sotto_error *err) {
  if (sotto_i_receipt_holds(receipt))
    return sotto_i_link_send_charged(c->link, "prototypes", own, receipt, err);
  return sotto_link_send_exposed(c->link, "prototypes", reason_of(c->federation->options), own, err);
}

static sotto_wire_kind kind_of(const sotto_options *o) {
  return sotto_i_prototypes_are_noisy(o) && isfinite(sotto_i_part_settings_of(o)->prototype_noise)
             ? SOTTO_WIRE_RELEASE
             : SOTTO_WIRE_EXPOSED;
}

static sotto_matrix others_of(const sotto_matrix *shown, size_t each) {
  return (sotto_matrix){shown->data + each * shown->cols, shown->rows - each, shown->cols};
}

/* Sends own prototypes and receives those of all others, client by client; `shown` has own rows first.
 * `own` has rows of single nodes, used with noise only. */
static sotto_status exchange_prototypes(sotto_matrix *shown, sotto_i_fed_client *c,
                                        const sotto_matrix *targets, const sotto_matrix *own,
                                        sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  size_t each = prototype_rows(f->options, f->classes), cols = targets->cols;
  sotto_i_receipt receipt = {{0}};
  sotto_status status = sotto_matrix_new(shown, each * f->clients, cols, err);
  if (status != SOTTO_OK) return status;
  sotto_matrix mine = {shown->data, each, cols}, others = others_of(shown, each);
  SOTTO_TRY(own_prototypes(&mine, &receipt, targets, own, c, err));
  const sotto_expectation expected = {.name = "others' prototypes",
                                      .kind = kind_of(f->options),
                                      .rows = others.rows,
                                      .cols = cols,
                                      .row_norm = 1};
  SOTTO_TRY(send_prototypes(c, &mine, &receipt, err));
  SOTTO_TRY(sotto_link_receive(c->link, &others, &expected, err));
done:
  return status;
}

/* Exchanges prototypes, then scales embeddings and prototypes to the common scale of all clients. */
static sotto_status exchange_and_scale(sotto_matrix *shown, sotto_i_fed_client *c, fold *folds, size_t count,
                                       sotto_error *err) {
  sotto_i_scale scale = {.mean = NULL};
  sotto_matrix all = {0};
  sotto_status status;
  SOTTO_TRY(mean_targets(&all, folds, count, err));
  SOTTO_TRY(exchange_prototypes(shown, c, &all, &folds[0].own, err));
  if (of_features(c->federation->options)) goto done;
  SOTTO_TRY(scale_prototypes(&scale, shown, c->federation->options, err));
  for (size_t k = 0; scale.mean != NULL && k < count; k++) sotto_i_scale_rows(&folds[k].targets, &scale);
done:
  sotto_matrix_free(&all);
  sotto_i_scale_free(&scale);
  return status;
}

/* Trains fold k's generator, keeps it, and generates rows by it. */
static sotto_status generate_rows(sotto_matrix *out, sotto_i_fed_client *c, size_t k,
                                  const sotto_i_generator_data *data, sotto_error *err) {
  sotto_i_generator generator = {.params = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_feddep_generator_new(&generator, c, data->targets->cols, err));
  SOTTO_TRY(sotto_i_generator_fit(&generator, data, &c->key, NULL, err));
  SOTTO_TRY(sotto_i_generator_keep(&generator, c, k, err));
  SOTTO_TRY(sotto_i_generator_mean(out, &generator, data, err));
done:
  sotto_i_generator_free(&generator);
  return status;
}

/* Generates rows from the labels of fold k, *of; `others` are prototypes, NULL: none. */
static sotto_status generate_fold(fold *of, size_t k, sotto_i_fed_client *c, const sotto_matrix *others,
                                  sotto_error *err) {
  sotto_i_generator_data data = sotto_i_feddep_data(c, &of->targets);
  sotto_i_candidates candidates = {.groups = 0};
  sotto_status status = SOTTO_OK;
  data.training = of->rows;
  data.training_count = of->count;
  if (others != NULL) {
    SOTTO_TRY(prototype_candidates(&candidates, others, c, of->rows, of->count, err));
    data.others = others;
    data.candidates = &candidates;
  }
  SOTTO_TRY(generate_rows(&of->beside, c, k, &data, err));
done:
  sotto_i_candidates_free(&candidates);
  return status;
}

/* A training node gets the rows generated without its label; any other node gets the mean over folds. */
static sotto_status join_folds(sotto_i_fed_client *c, const fold *folds, size_t count, sotto_error *err) {
  size_t cols = folds[0].beside.cols;
  sotto_matrix *out = &c->beside;
  sotto_status status = sotto_matrix_new(out, folds[0].beside.rows, cols, err);
  if (status != SOTTO_OK) return status;
  for (size_t k = 0; k < count; k++)
    for (size_t i = 0; i < out->rows * cols; i++) out->data[i] += folds[k].beside.data[i] / (float)count;
  for (size_t i = 0; count > 1 && i < c->count[SOTTO_PART_TRAIN]; i++) {
    size_t at = c->rows[SOTTO_PART_TRAIN][i] * cols;
    memcpy(out->data + at, folds[i % count].beside.data + at, cols * sizeof(float));
  }
  sotto_i_feddep_soften(out);
  return SOTTO_OK;
}

sotto_status sotto_i_feddep_prepare(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  size_t count = (size_t)sotto_i_part_settings_of(f->options)->cross_fit;
  sotto_matrix shown = {0}, others = {0};
  fold *folds = NULL;
  const char *phase = "embeddings";
  sotto_status status;
  SOTTO_TRY(folds_new(&folds, c, count, err));
  size_t each = prototype_rows(f->options, f->classes);
  if (each > 0) {
    phase = "prototypes";
    SOTTO_TRY(exchange_and_scale(&shown, c, folds, count, err));
    others = others_of(&shown, each);
  }
  phase = "generator";
  for (size_t k = 0; k < count; k++)
    SOTTO_TRY(generate_fold(&folds[k], k, c, each > 0 ? &others : NULL, err));
  SOTTO_TRY(join_folds(c, folds, count, err));
done:
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", phase);
  folds_free(folds, count);
  sotto_matrix_free(&shown);
  return status;
}

static sotto_status send_others(sotto_i_fed_server *s, const sotto_matrix *all, sotto_matrix *others,
                                uint32_t client, sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  size_t each = prototype_rows(f->options, f->classes) * all->cols, at = client * each;
  memcpy(others->data, all->data, at * sizeof(float));
  memcpy(others->data + at, all->data + at + each,
         ((size_t)s->federation->clients - 1 - client) * each * sizeof(float));
  if (kind_of(s->federation->options) == SOTTO_WIRE_RELEASE)
    return sotto_i_link_pass_on(s->links[client], "others' prototypes", others, err);
  return sotto_link_send_exposed(s->links[client], "others' prototypes", reason_of(s->federation->options),
                                 others, err);
}

sotto_status sotto_i_feddep_exchange(sotto_i_fed_server *s, sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  size_t each = prototype_rows(f->options, f->classes), width = sotto_i_feddep_width(f->options, f->inputs);
  sotto_matrix all = {0}, others = {0};
  sotto_status status;
  if (each == 0) return SOTTO_OK;
  const sotto_expectation expected = {
      .name = "prototypes", .kind = kind_of(f->options), .rows = each, .cols = width, .row_norm = 1};
  SOTTO_TRY(sotto_matrix_new(&all, each * f->clients, width, err));
  SOTTO_TRY(sotto_matrix_new(&others, each * (f->clients - 1), width, err));
  for (uint32_t i = 0; i < f->clients; i++) {
    sotto_matrix part = {all.data + i * each * width, each, width};
    status = sotto_link_receive(s->links[i], &part, &expected, err);
    if (status != SOTTO_OK) {
      sotto_i_error_prefix(err, "prototypes of client %u", (unsigned)i + 1);
      goto done;
    }
  }
  for (uint32_t i = 0; i < f->clients; i++) SOTTO_TRY(send_others(s, &all, &others, i, err));
done:
  sotto_matrix_free(&all);
  sotto_matrix_free(&others);
  return status;
}
