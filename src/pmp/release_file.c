/* Writing a release: header, charge, layers, and BLAKE2b over all of it.
 *
 * Layers are written as the float32 values that are sent, so that a resumed run sends what was charged. Layer
 * 0, which has no noise, is written only where features are public; versions 3 and 4 omit it. In version 4 no
 * row that was added up had a value below 0, on which its noise relies; in the others rows are signed. */
#include <sodium.h>
#include <string.h>

#include "base/cancel.h"
#include "base/file.h"
#include "base/memory.h"
#include "contractive.h"
#include "inside/pmp.h"
#include "release_header.h"
#include "release_ranks.h"

bool sotto_i_release_shows_inputs(const sotto_pmp_plan *plan) {
  const sotto_level level = plan->options.protection.level;
  return level == SOTTO_LEVEL_EDGE || level == SOTTO_LEVEL_NEIGHBOURS;
}

typedef struct sink {
  sotto_i_writer writer;
  crypto_generichash_state hash;
  size_t left_out; /* number of the next values that are not written */
} sink;

static sotto_status write_bytes(sink *s, const void *data, size_t size, sotto_error *err) {
  crypto_generichash_update(&s->hash, data, size);
  return sotto_i_writer_add(&s->writer, data, size, err);
}

static sotto_status put_values(void *context, const float *values, size_t count, sotto_error *err) {
  sink *s = context;
  const size_t skipped = count < s->left_out ? count : s->left_out;
  s->left_out -= skipped;
  return write_bytes(s, values + skipped, (count - skipped) * sizeof *values, err);
}

/* Writes everything before the layers. */
static sotto_status write_head(sink *s, const sotto_release *release, size_t rows, size_t cols,
                               const char *path, sotto_error *err) {
  sotto_status status;
  const sotto_pmp_plan *plan = &release->plan;
  char run[256]; /* where it lies is the owner's affair, and the file may be handed on */
  sotto_i_last_name(run, sizeof run, release->run);
  const char *texts[3] = {release->id, run, release->description};
  sotto_i_release_header h;
  memset(&h, 0, sizeof h);
  h.nonnegative = plan->options.protection.nonnegative;
  h.version =
      sotto_i_release_shows_inputs(plan) ? SOTTO_I_RELEASE_WITH_INPUTS : SOTTO_I_RELEASE_WITHOUT_INPUTS;
  if (h.nonnegative != 0) h.version = SOTTO_I_RELEASE_NONNEGATIVE;
  s->left_out = h.version == SOTTO_I_RELEASE_WITH_INPUTS ? 0 : rows * cols;
  h.layers = plan->options.layers;
  h.aggregator = (uint32_t)plan->options.aggregator;
  h.activation = (uint32_t)plan->options.activation;
  h.degree_floor = plan->options.degree_floor;
  h.rows = rows;
  h.cols = cols;
  h.sensitivity = plan->sensitivity;
  h.sigma = plan->grid.sigma;
  h.step = plan->grid.step;
  h.mu = plan->mu;
  h.self = plan->options.self;
  h.raw = plan->options.raw;
  h.insecure = release->insecure;
  h.level = (uint32_t)plan->options.protection.level;
  h.most = plan->options.protection.most;
  h.row_clip = plan->options.protection.row_clip;
  memcpy(h.magic, SOTTO_I_RELEASE_MAGIC, sizeof h.magic);
  for (int i = 0; i < 3; i++) h.text_size[i] = (uint32_t)strlen(texts[i]);
  crypto_generichash_init(&s->hash, NULL, 0, SOTTO_I_RELEASE_DIGEST);
  SOTTO_TRY(sotto_i_writer_open(&s->writer, path, err));
  SOTTO_TRY(write_bytes(s, &h, sizeof h, err));
  for (int i = 0; i < 3; i++) SOTTO_TRY(write_bytes(s, texts[i], h.text_size[i], err));
done:
  return status;
}

static sotto_status write_digest(sink *s, sotto_error *err) {
  uint8_t digest[SOTTO_I_RELEASE_DIGEST];
  crypto_generichash_final(&s->hash, digest, SOTTO_I_RELEASE_DIGEST);
  sotto_status status = sotto_i_writer_add(&s->writer, digest, SOTTO_I_RELEASE_DIGEST, err);
  return status == SOTTO_OK ? sotto_i_writer_commit(&s->writer, err) : status;
}

sotto_status sotto_release_save(const sotto_release *release, const char *path, sotto_error *err) {
  sotto_status status;
  sink s = {.writer = {.descriptor = -1}};
  const sotto_matrix *layers = release->layers;
  SOTTO_TRY(write_head(&s, release, layers[0].rows, layers[0].cols, path, err));
  for (uint32_t k = 0; k <= release->plan.options.layers; k++)
    SOTTO_TRY(put_values(&s, layers[k].data, layers[k].rows * layers[k].cols, err));
  SOTTO_TRY(write_digest(&s, err));
done:
  sotto_i_writer_abandon(&s.writer);
  return status;
}

sotto_status sotto_release_write(sotto_release **out, const char *path, const sotto_pmp_plan *plan,
                                 const sotto_graph *graph, const sotto_matrix *inputs, const sotto_key *key,
                                 const char *id, const char *run, const char *description,
                                 const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_status status;
  sink s = {.writer = {.descriptor = -1}};
  sotto_release *release = NULL;
  const sotto_i_release_sink file = {.take = put_values, .context = &s};
  *out = NULL;
  SOTTO_TRY(sotto_i_pmp_check(&plan->options, err));
  SOTTO_TRY(sotto_i_release_shell(&release, plan, 0, inputs->cols, id, run, description, err));
  release->insecure = plan->grid.sigma > 0 && key->origin == SOTTO_KEY_INSECURE;
  SOTTO_TRY(write_head(&s, release, inputs->rows, inputs->cols, path, err));
  SOTTO_TRY(sotto_i_release_layers(plan, graph, inputs, key, &file, observer, err));
  SOTTO_TRY(write_digest(&s, err));
  *out = release;
  release = NULL;
done:
  sotto_i_writer_abandon(&s.writer);
  sotto_release_free(release);
  return status;
}

struct sotto_i_release_out {
  sink sink;
  sotto_release *release;
};

sotto_status sotto_i_release_out_new(sotto_i_release_out **out, const char *path, const sotto_pmp_plan *plan,
                                     size_t rows, size_t cols, const sotto_key *key, const char *run,
                                     const char *description, sotto_error *err) {
  sotto_i_release_out *o = NULL;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(sotto_i_new(&o, 1, sizeof *o, err));
  o->sink.writer.descriptor = -1;
  SOTTO_TRY(sotto_i_release_shell(&o->release, plan, 0, cols, "", run, description, err));
  o->release->insecure = plan->grid.sigma > 0 && key->origin == SOTTO_KEY_INSECURE;
  SOTTO_TRY(write_head(&o->sink, o->release, rows, cols, path, err));
  *out = o;
  o = NULL;
done:
  sotto_i_release_out_free(o);
  return status;
}

sotto_status sotto_i_release_out_take(void *context, const float *values, size_t count, sotto_error *err) {
  sotto_i_release_out *out = context;
  return put_values(&out->sink, values, count, err);
}

sotto_status sotto_i_release_out_finish(sotto_i_release_out *out, sotto_error *err) {
  return write_digest(&out->sink, err);
}

void sotto_i_release_out_free(sotto_i_release_out *out) {
  if (out == NULL) return;
  sotto_i_writer_abandon(&out->sink.writer);
  sotto_release_free(out->release);
  sotto_i_free(out);
}

/* Inputs and the rows of an aggregate have values of the same size. */
static int32_t *integers_over(const sotto_matrix *inputs) {
  _Static_assert(sizeof(float) == sizeof(int32_t), "rows are overwritten in place");
  return (int32_t *)(void *)inputs->data;
}

sotto_status sotto_i_contractive_write(sotto_release **out, const char *path,
                                       const sotto_contractive_plan *plan, const sotto_graph *graph,
                                       sotto_matrix *inputs, const char *folder, const sotto_key *key,
                                       const char *id, const char *run, const char *description,
                                       const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_status status;
  sink s = {.writer = {.descriptor = -1}};
  sotto_release *release = NULL;
  const sotto_i_release_sink file = {.take = put_values, .context = &s};
  const sotto_pmp_plan shown = sotto_i_contractive_shown(plan);
  *out = NULL;
  SOTTO_TRY(sotto_i_release_shell(&release, &shown, 0, inputs->cols, id, run, description, err));
  release->insecure = plan->grid.sigma > 0 && key->origin == SOTTO_KEY_INSECURE;
  SOTTO_TRY(write_head(&s, release, inputs->rows, inputs->cols, path, err));
  SOTTO_TRY(sotto_i_contractive_layers(plan, graph, inputs, integers_over(inputs), key, &file, folder,
                                       observer, err));
  SOTTO_TRY(write_digest(&s, err));
  *out = release;
  release = NULL;
done:
  sotto_i_writer_abandon(&s.writer);
  sotto_release_free(release);
  return status;
}
