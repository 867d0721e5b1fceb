/* Canaries of published rows. That of the release: all rows that an edge changes change sign in every
 * publication. That of what the paper claims of a run: rows by a holder's own hops, of two stars. */
#include <math.h>
#include <string.h>

#include "audit/canary.h"
#include "base/error.h"
#include "base/random.h"
#include "inside/audit.h"
#include "inside/tensor.h"
#include "pmp/publish.h"
#include "pmp/release.h"
#include "run/train/run.h"
#include "vfgnn.h"

enum { most_rows = 64, most_releases = 16, most_leaves = most_rows / 2 - 1 };

static sotto_status publish_rows(sotto_release **out, const sotto_i_canary *c, int which,
                                 const sotto_key *key, sotto_error *err) {
  return sotto_i_publish_clean(out, &c->world[0].plan, NULL, &c->clean[which], key, "audit", "audit", "",
                               err);
}

/* The log likelihood ratio up to a factor. */
static sotto_status draw_ratio(void *context, double *value, bool second, const sotto_key *key,
                               sotto_error *err) {
  sotto_i_canary *c = context;
  sotto_status status = SOTTO_OK;
  sotto_release *release = NULL;
  sotto_key each = {.origin = SOTTO_KEY_NONE};
  *value = 0;
  for (uint64_t r = 0; r < c->releases; r++) {
    sotto_i_key_derive(&each, key, r);
    SOTTO_TRY(publish_rows(&release, c, second ? 1 : 0, &each, err));
    *value += sotto_i_canary_projection(c, sotto_release_layer(release, 1));
    sotto_release_free(release);
    release = NULL;
  }
done:
  sotto_release_free(release);
  sotto_key_wipe(&each);
  return status;
}

static sotto_status draw_noise(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err) {
  sotto_i_canary *c = context;
  sotto_release *release = NULL;
  sotto_status status = publish_rows(&release, c, 1, key, err);
  if (status == SOTTO_OK)
    sotto_i_canary_noise(out, sotto_release_layer(release, 1), &c->clean[1], c->world[0].plan.grid.sigma);
  sotto_release_free(release);
  return status;
}

/* `clean` has the rows of both worlds. */
static void begin(sotto_i_canary *c, const sotto_i_run *run) {
  c->world[0].plan = run->plan.layers;
  c->world[0].plan.options.raw = true; /* directly after the noise */
  c->releases = run->releases < most_releases ? run->releases : most_releases;
  c->stated.context = c;
  c->stated.statistics = 1;
  c->stated.draw = draw_ratio;
  c->stated.noise = draw_noise;
}

sotto_status sotto_i_vfgnn_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                  sotto_error *err) {
  const sotto_options *o = run->options;
  const double moved = sotto_i_publish_rows_moved(run->plan.layers.options.aggregator, (uint32_t)o->layers,
                                                  o->max_degree, run->data->graph.nodes);
  const size_t rows = (size_t)fmin(most_rows, moved);
  sotto_status status = SOTTO_OK;
  (void)kind;
  for (int which = 0; which < 2; which++) {
    SOTTO_TRY(sotto_matrix_new(&c->clean[which], rows, (size_t)o->hidden, err));
    for (size_t v = 0; v < rows; v++)
      c->clean[which].data[v * (size_t)o->hidden] = (which == 0 ? -1 : 1) * (1 - 0x1p-20F);
  }
  begin(c, run);
done:
  return status;
}

/* Short rows on one side, so that the other side's long row decides the signs of all of them. */
static void shorten_side(sotto_matrix *rows) {
  for (size_t i = 0; i < rows->rows * rows->cols; i++)
    if (rows->data[i] > 0) rows->data[i] *= 0x1p-10F;
}

static sotto_status compute_rows(sotto_i_canary *c, sotto_i_vfgnn_local *local, sotto_tape *tape, int which,
                                 sotto_error *err) {
  sotto_i_world *w = &c->world[which];
  sotto_matrix *rows = &c->clean[which];
  sotto_status status;
  shorten_side(&w->inputs);
  sotto_tape_reset(tape);
  SOTTO_TRY(sotto_i_vfgnn_local_move(local, &w->graph, err));
  const sotto_var shown = sotto_i_vfgnn_local_apply(local, tape, sotto_tape_constant(tape, &w->inputs), true);
  SOTTO_TRY(sotto_tape_check(tape, err));
  const sotto_matrix value = sotto_tape_value(tape, shown);
  SOTTO_TRY(sotto_matrix_new(rows, value.rows, value.cols, err));
  for (size_t i = 0; i < value.rows * value.cols; i++) rows->data[i] = value.data[i] * (1 - 0x1p-20F);
done:
  return status;
}

/* The same weights in every publication, those that a training starts from: an edge may change trained ones,
 * too, which is left out. */
sotto_status sotto_i_vfgnn_claim_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                        sotto_error *err) {
  const sotto_options *o = &c->options;
  const sotto_i_job job = {
      .options = o, .data = run->data, .plan = &run->plan.layers, .seed = o->seed, .facts = NULL};
  const uint64_t others = o->max_degree > 0 ? o->max_degree - 1 : most_leaves;
  sotto_i_vfgnn shared;
  sotto_i_vfgnn_local local = {.params = NULL};
  sotto_tape *tape = NULL;
  sotto_status status;
  (void)kind;
  sotto_i_vfgnn_settle(&shared, &job);
  shared.collaborative = true; /* rows come from the first layer */
  SOTTO_TRY(sotto_i_canary_build_stars(c, (uint32_t)(others < most_leaves ? others : most_leaves),
                                       shared.width, err));
  SOTTO_TRY(sotto_i_vfgnn_local_new(&local, &shared, 0, &c->world[0].graph, 0, err));
  SOTTO_TRY(sotto_tape_new(&tape, err));
  for (int which = 0; which < 2; which++) SOTTO_TRY(compute_rows(c, &local, tape, which, err));
  begin(c, run);
done:
  sotto_tape_free(tape);
  sotto_i_vfgnn_local_free(&local);
  sotto_key_wipe(&shared.key);
  sotto_key_wipe(&shared.first_key);
  return status;
}
