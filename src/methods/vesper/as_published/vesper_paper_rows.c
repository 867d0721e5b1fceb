#include "vesper_paper_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/base.h"
#include "inside/tensor.h"
#include "protocols/networks/networks.h"
#include "release/artifact.h"
#include "release/plan.h"
#include "tensor/columns.h"

enum { chunk_rows = 1024, sampling_keys = 128 };

sotto_status sotto_i_paper_encode_all(sotto_matrix *out, sotto_i_paper_network *n, const sotto_matrix *x,
                                      sotto_error *err) {
  const sotto_status status = sotto_i_embed_all(out, &n->encoder, n->params, x, &n->key, err);
  if (status == SOTTO_OK && !n->alone) sotto_i_rows_to_unit_norm(out);
  return status;
}

/* One layer over the whole graph, chunk by chunk. */
typedef struct layer_pass {
  const sotto_i_paper_rows *rows;
  uint32_t layer;
  const sotto_key *key; /* of the noise */
  const sotto_matrix *from;
  sotto_matrix *to, *next; /* noisy rows, from this column on; what the next layer reads, or NULL */
  size_t column;
  sotto_i_sampler sampler;
  sotto_tape *tape;
  uint32_t *nodes; /* all, in order */
} layer_pass;

static void copy_rows(sotto_matrix *to, size_t begin, size_t column, const sotto_matrix *from) {
  for (size_t i = 0; i < from->rows; i++)
    memcpy(to->data + (begin + i) * to->cols + column, from->data + i * from->cols,
           from->cols * sizeof(float));
}

static sotto_status pass_chunk(layer_pass *p, size_t begin, size_t count, sotto_error *err) {
  const sotto_i_paper_plan *plan = p->rows->plan;
  const uint64_t number = ((uint64_t)p->layer << 40) + begin / chunk_rows + 1;
  sotto_i_noising noising = {.grid = plan->grid, .clip = plan->clip, .layer = p->layer};
  sotto_matrix near = {0};
  sotto_key sampling;
  sotto_var x;
  sotto_status status;
  SOTTO_TRY(sotto_i_check_interrupt(err));
  sotto_i_key_derive(&sampling, &p->rows->network->key, number + sampling_keys);
  if (p->key != NULL) sotto_i_key_derive(&noising.key, p->key, number);
  sotto_tape_reset(p->tape);
  SOTTO_TRY(sotto_i_sampler_draw(&p->sampler, p->nodes + begin, count, &sampling, err));
  SOTTO_TRY(sotto_i_take_rows(&near, p->from, p->sampler.list, p->sampler.count, err));
  SOTTO_TRY(sotto_i_paper_update(&x, p->rows->network, p->tape, p->layer, &p->sampler.block[0],
                                 p->sampler.own, sotto_tape_constant(p->tape, &near), err));
  x = sotto_i_noising_var(&noising, p->tape, x);
  const sotto_var shown = sotto_i_paper_shown(p->tape, x);
  SOTTO_TRY(sotto_tape_check(p->tape, err));
  const sotto_matrix noisy = sotto_tape_value(p->tape, x), after = sotto_tape_value(p->tape, shown);
  copy_rows(p->to, begin, p->column, &noisy);
  if (p->next != NULL) copy_rows(p->next, begin, 0, &after);
done:
  sotto_tape_reset(p->tape);
  sotto_matrix_free(&near);
  sotto_key_wipe(&noising.key);
  return status;
}

static sotto_status pass_layer(layer_pass *p, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t begin = 0; begin < p->from->rows; begin += chunk_rows) {
    const size_t left = p->from->rows - begin;
    SOTTO_TRY(pass_chunk(p, begin, left < chunk_rows ? left : chunk_rows, err));
  }
done:
  return status;
}

static sotto_status pass_new(layer_pass *p, sotto_error *err) {
  const sotto_i_job *job = p->rows->network->job;
  const size_t nodes = p->rows->encoded->rows;
  sotto_status status;
  p->from = p->rows->encoded;
  SOTTO_TRY(sotto_i_sampler_new(&p->sampler, job->options, &job->data->graph, err));
  p->sampler.layers = 1;
  SOTTO_TRY(sotto_tape_new(&p->tape, err));
  SOTTO_TRY(sotto_i_new_raw(&p->nodes, nodes, sizeof *p->nodes, err));
  for (size_t i = 0; i < nodes; i++) p->nodes[i] = (uint32_t)i;
done:
  return status;
}

static void pass_free(layer_pass *p) {
  sotto_i_free(p->nodes);
  sotto_tape_free(p->tape);
  sotto_i_sampler_free(&p->sampler);
}

sotto_status sotto_i_paper_rows_compute(sotto_matrix *out, const sotto_i_paper_rows *rows, uint32_t layers,
                                        const sotto_key *key, sotto_error *err) {
  const size_t nodes = rows->encoded->rows, width = rows->network->job->options->hidden;
  sotto_matrix kept[2] = {{0}};
  layer_pass p = {.rows = rows, .key = key, .to = out};
  sotto_status status;
  SOTTO_I_CHECK(key != NULL || rows->plan->grid.sigma == 0);
  SOTTO_TRY(pass_new(&p, err));
  SOTTO_TRY(sotto_matrix_new(out, nodes, layers * width, err));
  for (uint32_t l = 0; l < layers; l++) {
    p.layer = l;
    p.column = l * width;
    p.next = l + 1 < layers ? &kept[l % 2] : NULL;
    if (p.next != NULL && p.next->data == NULL) SOTTO_TRY(sotto_matrix_new(p.next, nodes, width, err));
    SOTTO_TRY(pass_layer(&p, err));
    p.from = p.next;
  }
done:
  for (int i = 0; i < 2; i++) sotto_matrix_free(&kept[i]);
  pass_free(&p);
  return status;
}

/* The release as an artifact. */
typedef struct release_use {
  const sotto_i_paper_rows *rows;
  sotto_dataset *out;
  sotto_i_receipt *receipt;
} release_use;

static sotto_status make_rows(void *context, const char *path, const sotto_key *key, sotto_error *err) {
  const sotto_i_paper_rows *rows = ((release_use *)context)->rows;
  sotto_graph none = {0};
  sotto_matrix table = {0};
  sotto_status status;
  SOTTO_TRY(
      sotto_i_paper_rows_compute(&table, rows, (uint32_t)rows->network->job->options->layers, key, err));
  SOTTO_TRY(sotto_graph_from_pairs(&none, table.rows, NULL, NULL, 0, err));
  const sotto_dataset made = {.name = SOTTO_I_PAPER_ROWS_FILE, .graph = none, .features = table};
  SOTTO_TRY(sotto_dataset_save(&made, path, err));
done:
  sotto_graph_free(&none);
  sotto_matrix_free(&table);
  return status;
}

static sotto_status load_rows(void *context, const char *path, const sotto_i_receipt *receipt,
                              sotto_error *err) {
  const release_use *use = context;
  *use->receipt = *receipt;
  return sotto_dataset_open(use->out, path, NULL, err);
}

/* For audits: the first layer, since a row of a later one moves with the noise of the layer before it. */
static sotto_status show_first_layer(void *context, sotto_graph *unused, sotto_matrix *table,
                                     const sotto_key *key, sotto_error *err) {
  (void)unused;
  return sotto_i_paper_rows_compute(table, ((release_use *)context)->rows, 1, key, err);
}

/* What layer `layer`, from 1, reads: encoded rows, or the kept noisy rows of the layer before it. */
static sotto_status take_inputs(sotto_matrix *out, const sotto_i_paper_rows *rows, uint32_t layer,
                                const sotto_matrix *kept, sotto_error *err) {
  const size_t width = rows->network->job->options->hidden;
  if (layer == 1) return sotto_i_take_columns(out, rows->encoded, 0, width, err);
  const sotto_status status = sotto_i_take_columns(out, kept, (layer - 2) * width, (layer - 1) * width, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < out->rows * out->cols; i++) out->data[i] = fmaxf(out->data[i], 0);
  sotto_i_rows_to_unit_norm(out);
  return SOTTO_OK;
}

/* A layer of the file, and the same without noise: from the rows of the layer before it that are kept. */
static sotto_status compare_layer(void *context, const char *path, uint32_t layer, sotto_matrix *kept,
                                  sotto_matrix *exact, bool *scaled, sotto_error *err) {
  sotto_i_paper_rows rows = *((release_use *)context)->rows;
  const sotto_options *o = rows.network->job->options;
  sotto_i_paper_plan clear = *rows.plan;
  layer_pass p = {.rows = &rows, .layer = layer - 1, .to = exact};
  sotto_dataset file = {0};
  sotto_matrix inputs = {0};
  sotto_status status;
  *scaled = false;
  if (rows.unlike || layer > o->layers) return SOTTO_OK;
  clear.grid = (sotto_grid){.sigma = 0};
  rows.plan = &clear;
  SOTTO_TRY(sotto_dataset_open(&file, path, NULL, err));
  SOTTO_TRY(sotto_i_take_columns(kept, &file.features, (layer - 1) * o->hidden, layer * o->hidden, err));
  SOTTO_TRY(take_inputs(&inputs, &rows, layer, &file.features, err));
  SOTTO_TRY(pass_new(&p, err));
  p.from = &inputs;
  SOTTO_TRY(sotto_matrix_new(exact, inputs.rows, o->hidden, err));
  SOTTO_TRY(pass_layer(&p, err));
done:
  pass_free(&p);
  sotto_matrix_free(&inputs);
  sotto_dataset_free(&file);
  return status;
}

static void describe(char out[200], const sotto_options *o, const sotto_i_paper_plan *plan) {
  (void)snprintf(out, 200,
                 "vesper as published: %s, %u layers of width %zu, fan-out %u, clip %.17g, noise %.17g",
                 sotto_layer_name(o->aggregator), (unsigned)o->layers, (size_t)o->hidden,
                 (unsigned)o->fan_out, plan->clip, plan->grid.sigma);
}

/* `kept`: of the folder alone. */
static sotto_status use_release(release_use *use, const sotto_i_job *job, const sotto_i_paper_plan *plan,
                                bool kept, sotto_error *err) {
  char made_with[200];
  const sotto_i_artifact artifact = {.owner = sotto_i_job_owner(job),
                                     .item = SOTTO_I_PAPER_ITEM_OF_ANSWERS,
                                     .file = SOTTO_I_PAPER_ROWS_FILE,
                                     .made_with = made_with,
                                     .kept = kept,
                                     .context = use,
                                     .make = make_rows,
                                     .show = show_first_layer,
                                     .compare = compare_layer,
                                     .load = load_rows};
  describe(made_with, job->options, plan);
  *use->out = (sotto_dataset){0};
  return sotto_i_artifact_use(&artifact, err);
}

sotto_status sotto_i_paper_rows_release(sotto_dataset *out, sotto_i_receipt *receipt,
                                        const sotto_i_paper_rows *rows, sotto_error *err) {
  release_use use = {rows, out, receipt};
  return use_release(&use, rows->network->job, rows->plan, rows->network->job->kept, err);
}

sotto_status sotto_i_paper_rows_kept(sotto_dataset *out, sotto_i_receipt *receipt, const sotto_i_job *job,
                                     const sotto_i_paper_plan *plan, sotto_error *err) {
  release_use use = {NULL, out, receipt};
  return use_release(&use, job, plan, true, err);
}

/* Shown rows of all layers, from the noisy ones. */
static sotto_var join_layers(const sotto_i_paper_network *n, sotto_tape *tape, sotto_var noisy) {
  const size_t width = n->job->options->hidden;
  sotto_var joined = {0};
  for (uint32_t l = 0; l < n->job->options->layers; l++) {
    const sotto_var layer =
        sotto_i_paper_shown(tape, sotto_tape_columns(tape, noisy, l * width, (l + 1) * width));
    joined = l == 0 ? layer : sotto_tape_concat(tape, joined, layer);
  }
  return joined;
}

static sotto_status chunk_logits(sotto_matrix *out, sotto_i_paper_network *n, sotto_tape *tape,
                                 const sotto_matrix *rows, const uint32_t *nodes, size_t begin, size_t count,
                                 sotto_error *err) {
  const sotto_pass pass = {.tape = tape, .key = &n->key};
  sotto_matrix taken = {0};
  sotto_status status;
  sotto_tape_reset(tape);
  SOTTO_TRY(sotto_i_take_rows(&taken, rows, nodes + begin, count, err));
  sotto_var x = sotto_tape_constant(tape, &taken);
  if (!n->alone) x = join_layers(n, tape, x);
  const sotto_var logits = sotto_i_paper_decode(n, &pass, x);
  SOTTO_TRY(sotto_tape_check(tape, err));
  const sotto_matrix value = sotto_tape_value(tape, logits);
  copy_rows(out, begin, 0, &value);
done:
  sotto_tape_reset(tape);
  sotto_matrix_free(&taken);
  return status;
}

sotto_status sotto_i_paper_logits(sotto_matrix *out, sotto_i_paper_network *n, const sotto_matrix *rows,
                                  const uint32_t *nodes, size_t count, sotto_error *err) {
  sotto_tape *tape = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_matrix_new(out, count, n->job->data->classes, err));
  for (size_t begin = 0; begin < count; begin += chunk_rows) {
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(chunk_logits(out, n, tape, rows, nodes, begin,
                           count - begin < chunk_rows ? count - begin : chunk_rows, err));
  }
done:
  sotto_tape_free(tape);
  return status;
}
