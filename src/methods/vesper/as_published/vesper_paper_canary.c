/* The canary of VESPER as published: rows of two stars, whose centres the edge joins, in all steps whose
 * batch has one of the centres, and of all nodes after the last step. Batches are public, as the label party
 * knows them. Weights are of norm 1 and stay as they are: a training may have such ones. Layer 1 alone is
 * looked at, so the bound leaves out what later layers reveal. */
#include "vesper_paper_canary.h"

#include <math.h>

#include "audit/canary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/audit.h"
#include "inside/tensor.h"
#include "run/train/run.h"
#include "tensor/columns.h"
#include "vesper_paper_batches.h"
#include "vesper_paper_rows.h"

enum { most_steps = 64, most_leaves = 64 };

/* One of the two worlds, at one layer. */
typedef struct starred {
  sotto_dataset data; /* its graph is the world's */
  sotto_matrix shape; /* of features, without data */
  sotto_i_job job;
  sotto_i_paper_plan plan;
  sotto_i_paper_network net;
  sotto_i_sampler sampler;
  sotto_tape *tape;
  uint64_t first_steps; /* the other steps have the second centre */
} starred;

static void free_stars(sotto_i_canary *c) {
  for (int which = 0; which < 2; which++) {
    starred *s = c->made_of[which];
    if (s == NULL) continue;
    sotto_i_paper_network_free(&s->net);
    sotto_i_sampler_free(&s->sampler);
    sotto_tape_free(s->tape);
    sotto_i_free(s);
    c->made_of[which] = NULL;
  }
}

/* Rows of all nodes; without a key without noise. */
static sotto_status all_rows(sotto_matrix *out, const sotto_i_canary *c, int which, const sotto_key *key,
                             sotto_error *err) {
  starred *s = c->made_of[which];
  sotto_i_paper_plan plan = s->plan;
  plan.grid = key == NULL ? (sotto_grid){.sigma = 0} : c->world[which].plan.grid;
  const sotto_i_paper_rows rows = {.network = &s->net, .plan = &plan, .encoded = &c->world[which].inputs};
  return sotto_i_paper_rows_compute(out, &rows, 1, key, err);
}

/* The first number of the row that a step shows of a centre. */
static sotto_status step_value(double *value, const sotto_i_canary *c, int which, uint32_t centre,
                               const sotto_key *key, sotto_error *err) {
  starred *s = c->made_of[which];
  const sotto_i_noising noising = {.grid = c->world[which].plan.grid, .clip = s->plan.clip, .key = *key};
  sotto_matrix near = {0};
  sotto_var shown = {0};
  sotto_status status;
  sotto_tape_reset(s->tape);
  SOTTO_TRY(sotto_i_sampler_draw(&s->sampler, &centre, 1, key, err));
  SOTTO_TRY(sotto_i_take_rows(&near, &c->world[which].inputs, s->sampler.list, s->sampler.count, err));
  SOTTO_TRY(sotto_i_paper_show_roots(&shown, &s->net, s->tape, &s->sampler, &noising, 1,
                                     sotto_tape_constant(s->tape, &near), err));
  SOTTO_TRY(sotto_tape_check(s->tape, err));
  *value = (double)sotto_tape_value(s->tape, shown).data[0];
done:
  sotto_tape_reset(s->tape);
  sotto_matrix_free(&near);
  return status;
}

/* Steps show the positive part of a row, scaled to unit norm: about 1 / (sigma sqrt(hidden / 2)) of it. */
static sotto_status draw_rows(void *context, double *value, bool second, const sotto_key *key,
                              sotto_error *err) {
  const sotto_i_canary *c = context;
  const int which = second ? 1 : 0;
  const double scale = c->world[which].plan.grid.sigma * sqrt((double)c->options.hidden / 2);
  const uint64_t first_steps = ((const starred *)c->made_of[0])->first_steps;
  sotto_matrix table = {0};
  sotto_key each = {.origin = SOTTO_KEY_NONE};
  sotto_status status;
  double shown;
  sotto_i_key_derive(&each, key, 0);
  SOTTO_TRY(all_rows(&table, c, which, &each, err));
  *value = sotto_i_canary_projection(c, &table);
  for (uint64_t step = 1; step < c->releases; step++) {
    const uint32_t centre = step <= first_steps ? 0 : 1;
    const size_t at = centre * c->clean[0].cols;
    sotto_i_key_derive(&each, key, step);
    SOTTO_TRY(step_value(&shown, c, which, centre, &each, err));
    *value += scale * shown * ((double)c->clean[1].data[at] - (double)c->clean[0].data[at]);
  }
done:
  sotto_key_wipe(&each);
  sotto_matrix_free(&table);
  return status;
}

static sotto_status draw_noise(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err) {
  const sotto_i_canary *c = context;
  sotto_matrix table = {0};
  const sotto_status status = all_rows(&table, c, 0, key, err);
  if (status == SOTTO_OK)
    sotto_i_canary_noise(out, &table, &c->clean[0], ((starred *)c->made_of[0])->plan.grid.sigma);
  sotto_matrix_free(&table);
  return status;
}

/* How many batches have each of the two training nodes that most have. */
static sotto_status most_batches(uint64_t out[2], const sotto_i_job *job, const sotto_i_paper_plan *plan,
                                 sotto_error *err) {
  sotto_i_paper_batches batches = {.place = NULL};
  uint64_t *times = NULL;
  sotto_status status;
  out[0] = out[1] = 0;
  SOTTO_TRY(sotto_i_paper_batches_new(&batches, job, plan->claim.roots, plan->batch, err));
  SOTTO_TRY(sotto_i_new(&times, plan->claim.roots, sizeof *times, err));
  for (uint64_t step = 1; step <= plan->steps; step++) {
    sotto_i_paper_batches_draw(&batches, step);
    for (uint64_t i = 0; i < plan->batch; i++) times[batches.place[i]]++;
  }
  for (uint64_t i = 0; i < plan->claim.roots; i++) {
    if (times[i] > out[1]) out[1] = times[i];
    if (out[1] <= out[0]) continue;
    out[1] = out[0];
    out[0] = times[i];
  }
done:
  sotto_i_free(times);
  sotto_i_paper_batches_free(&batches);
  return status;
}

/* The identity as the weight of messages, and its negative as that of rows without messages. */
static void set_weights(sotto_i_paper_network *n) {
  sotto_matrix *messages = sotto_params_value(n->params, n->layers[0].weight);
  sotto_matrix *low = n->gcn ? sotto_params_value(n->params, n->layers[0].low.weight) : NULL;
  for (size_t i = 0; i < messages->rows * messages->cols; i++) {
    const float one = i % (messages->cols + 1) == 0 ? 1 : 0;
    messages->data[i] = one;
    if (low != NULL) low->data[i] = -one;
  }
}

static sotto_status make_star(sotto_i_canary *c, int which, const sotto_i_paper_plan *plan,
                              sotto_error *err) {
  starred *s = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&s, 1, sizeof *s, err));
  c->made_of[which] = s;
  s->data = (sotto_dataset){.name = "canary", .graph = c->world[which].graph, .classes = 2};
  s->shape = (sotto_matrix){.rows = s->data.graph.nodes, .cols = 1};
  s->job =
      (sotto_i_job){.options = &c->options, .data = &s->data, .features = &s->shape, .seed = c->options.seed};
  s->plan = *plan;
  s->net.job = &s->job;
  c->world[which].plan.grid = plan->grid;
  SOTTO_TRY(sotto_i_paper_extractor_new(&s->net, err));
  set_weights(&s->net);
  SOTTO_TRY(sotto_i_sampler_new(&s->sampler, &c->options, &s->data.graph, err));
  s->sampler.layers = 1;
  SOTTO_TRY(sotto_tape_new(&s->tape, err));
  SOTTO_TRY(all_rows(&c->clean[which], c, which, NULL, err));
done:
  return status;
}

/* The edge takes centres of gcn from below the least degree to it. Those of gin have as many neighbours as
 * are sampled without it, so that it takes the place of another one. */
static uint32_t leaves_of(const sotto_options *o) {
  const bool gcn = o->aggregator == SOTTO_LAYER_GCN;
  const uint64_t leaves = !gcn ? o->fan_out : o->degree_floor > 0 ? (uint64_t)o->degree_floor - 1 : 0;
  return (uint32_t)(leaves < most_leaves ? leaves : most_leaves);
}

sotto_status sotto_i_vesper_paper_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                         sotto_error *err) {
  const sotto_i_job job = {.options = &c->options, .data = run->data, .seed = c->options.seed};
  sotto_i_paper_plan plan;
  uint64_t batches[2];
  sotto_status status;
  (void)kind;
  c->forget = free_stars;
  SOTTO_TRY(sotto_i_paper_plan_new(&plan, &job, err));
  SOTTO_TRY(most_batches(batches, &job, &plan, err));
  for (int i = 0; i < 2; i++) batches[i] = batches[i] < most_steps ? batches[i] : most_steps;
  c->releases = 1 + batches[0] + batches[1];
  SOTTO_TRY(sotto_i_canary_build_stars(c, leaves_of(&c->options), (size_t)c->options.hidden, err));
  for (int which = 0; which < 2; which++) SOTTO_TRY(make_star(c, which, &plan, err));
  ((starred *)c->made_of[0])->first_steps = batches[0];
  c->stated.context = c;
  c->stated.statistics = 1;
  c->stated.draw = draw_rows;
  c->stated.noise = draw_noise;
done:
  return status;
}
