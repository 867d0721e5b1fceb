/* The neighbour generator: its network, loss, training and output. */
#include "generator.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "tensor/tape.h"

enum { streams_of_net = SOTTO_I_GRAPH_LAYERS * (SOTTO_MLP_LAYERS + 1) };

void sotto_i_generator_free(sotto_i_generator *generator) {
  sotto_params_free(generator->params);
  sotto_params_free(generator->judge);
  *generator = (sotto_i_generator){.params = NULL};
}

sotto_status sotto_i_generator_new(sotto_i_generator *out, const sotto_i_generator_options *options,
                                   uint32_t streams, const sotto_key *key, sotto_error *err) {
  const sotto_i_generator_options *o = options;
  const sotto_i_graph_net_options encoder = {.mean = true,
                                             .layers = o->layers,
                                             .in = o->in,
                                             .hidden = o->hidden,
                                             .out = 1, /* the last layer: the number of missing neighbours */
                                             .embeds = true,
                                             .dropout = o->dropout};
  const sotto_i_graph_net_options classifier = {.mean = true,
                                                .layers = o->layers,
                                                .in = o->in,
                                                .hidden = o->hidden,
                                                .out = o->classes,
                                                .beside = o->width,
                                                .beside_once = o->beside_once,
                                                .dropout = o->dropout};
  sotto_key own;
  sotto_status status;
  *out = (sotto_i_generator){.options = *options};
  SOTTO_TRY(sotto_params_new(&out->params, err));
  SOTTO_TRY(sotto_i_graph_net_new(&out->encoder, out->params, &encoder, streams, key, err));
  SOTTO_TRY(sotto_linear_new(&out->rows, out->params, "rows", o->hidden, o->most * o->width, key, err));
  sotto_i_key_derive(&own, key, streams);
  SOTTO_TRY(sotto_params_new(&out->judge, err));
  SOTTO_TRY(
      sotto_i_graph_net_new(&out->classifier, out->judge, &classifier, streams + streams_of_net, &own, err));
done:
  if (status != SOTTO_OK) sotto_i_generator_free(out);
  return status;
}

/* The generator's output for every node: the number of missing neighbours (n x 1), and their rows. */
typedef struct generated {
  sotto_var count, rows;
} generated;

static generated apply_generator(sotto_i_generator *m, const sotto_pass *pass,
                                 const sotto_i_graph_batch *batch) {
  sotto_var h = sotto_i_graph_net_embed(&m->encoder, m->params, pass, batch);
  return (generated){.count = sotto_linear_apply(&m->encoder.linear, m->params, pass->tape, h),
                     .rows = sotto_linear_apply(&m->rows, m->params, pass->tape, h)};
}

static void round_counts(uint32_t *made, sotto_tape *tape, sotto_var count, size_t most) {
  sotto_matrix value = sotto_tape_value(tape, count);
  for (size_t v = 0; v < value.rows; v++)
    made[v] = (uint32_t)fmax(0, fmin((double)most, rint((double)value.data[v])));
}

sotto_var sotto_i_generator_loss(sotto_i_generator *m, sotto_i_generator_turn *t,
                                 const sotto_i_generator_data *data, const sotto_pass *pass) {
  const sotto_i_generator_options *o = &m->options;
  sotto_tape *tape = pass->tape;
  sotto_i_graph_batch batch = {
      .features = data->features, .entries = data->entries, .fixed = true, .hops = &t->hops};
  const generated said = apply_generator(m, pass, &batch);
  if (sotto_tape_check(tape, NULL) != SOTTO_OK) return said.count;
  round_counts(t->predicted, tape, said.count, o->most);
  sotto_var loss =
      sotto_tape_scale(tape, sotto_i_smooth_l1_var(&t->count_loss, tape, said.count), (float)o->count_weight);
  sotto_var near = sotto_i_nearest_row_var(&t->hidden_loss, tape, said.rows);
  loss = sotto_tape_add(tape, loss, sotto_tape_scale(tape, near, (float)o->hidden_weight));
  if (data->candidates != NULL && o->other_weight > 0) {
    sotto_var far = sotto_i_nearest_row_var(&t->other_loss, tape, said.rows);
    loss = sotto_tape_add(tape, loss, sotto_tape_scale(tape, far, (float)o->other_weight));
  }
  if (t->learnt_count == 0) return loss;
  sotto_var beside = sotto_i_made_mean_var(&t->mean, tape, said.rows);
  batch.beside_var = &beside;
  sotto_var logits = sotto_i_graph_net_nodes(&m->classifier, m->judge, pass, &batch);
  return sotto_tape_add(tape, loss,
                        sotto_tape_cross_entropy(tape, logits, data->labels, t->learnt, t->learnt_count));
}

sotto_status sotto_i_generator_fit(sotto_i_generator *m, const sotto_i_generator_data *data,
                                   const sotto_key *key, const sotto_i_generator_hook *hook,
                                   sotto_error *err) {
  sotto_i_generator_turn turn = {.hidden = NULL};
  sotto_tape *tape = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_generator_turn_new(&turn, m, data, err));
  SOTTO_TRY(sotto_tape_new(&tape, err));
  sotto_i_tape_lean(tape);
  for (uint64_t epoch = 0; epoch < m->options.epochs; epoch++) {
    const sotto_pass pass = {.tape = tape, .key = key, .step = epoch, .training = true};
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(sotto_i_generator_turn_draw(&turn, m, data, key, epoch, err));
    sotto_tape_reset(tape);
    sotto_params_zero_gradients(m->params);
    sotto_params_zero_gradients(m->judge);
    SOTTO_TRY(sotto_tape_backward(tape, sotto_i_generator_loss(m, &turn, data, &pass), err));
    if (hook != NULL) SOTTO_TRY(hook->call(hook->context, m, &turn, epoch, err));
    SOTTO_TRY(sotto_adam_step(m->params, &m->options.adam, err));
    SOTTO_TRY(sotto_adam_step(m->judge, &m->options.adam, err));
  }
done:
  sotto_tape_free(tape);
  sotto_i_generator_turn_free(&turn);
  return status;
}

sotto_status sotto_i_generator_make(uint32_t *made, sotto_matrix *rows, sotto_i_generator *m,
                                    const sotto_i_generator_data *data, sotto_error *err) {
  sotto_operator *spread = NULL;
  sotto_tape *tape = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_graph_net_operator(&spread, &m->encoder.options, data->graph, err));
  SOTTO_TRY(sotto_tape_new(&tape, err));
  const sotto_pass pass = {.tape = tape};
  const sotto_i_graph_batch batch = {
      .features = data->features, .entries = data->entries, .fixed = true, .spread = spread};
  const generated said = apply_generator(m, &pass, &batch);
  SOTTO_TRY(sotto_tape_check(tape, err));
  round_counts(made, tape, said.count, m->options.most);
  SOTTO_TRY(sotto_tape_copy(rows, tape, said.rows, err));
done:
  sotto_tape_free(tape);
  sotto_operator_free(spread);
  return status;
}

sotto_status sotto_i_generator_mean(sotto_matrix *out, sotto_i_generator *m,
                                    const sotto_i_generator_data *data, sotto_error *err) {
  size_t width = m->options.width;
  uint32_t *made = NULL;
  sotto_matrix rows = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&made, data->graph->nodes, sizeof *made, err));
  SOTTO_TRY(sotto_i_generator_make(made, &rows, m, data, err));
  SOTTO_TRY(sotto_matrix_new(out, rows.rows, width, err));
  for (size_t v = 0; v < rows.rows; v++)
    for (size_t p = 0; p < made[v]; p++)
      for (size_t j = 0; j < width; j++)
        out->data[v * width + j] += rows.data[v * rows.cols + p * width + j] / (float)made[v];
done:
  sotto_matrix_free(&rows);
  sotto_i_free(made);
  return status;
}
