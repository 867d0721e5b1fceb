/* A release on disk: header, charge, layers, BLAKE2b over all of it. Layers are written as the float32 that
 * is sent, so that what a resumed run sends is what was charged. Layer 0, which has no noise, is written only
 * where features are public; versions 3 and 4 have none. In version 4 no row that was added up had a value
 * below 0, which its noise counts on; a file of an older version is one of signed rows. */
#include <sodium.h>
#include <string.h>

#include "base/cancel.h"
#include "base/file.h"
#include "base/memory.h"
#include "release.h"

typedef struct header {
  char magic[8];
  uint32_t version, layers, aggregator, activation;
  uint64_t degree_floor, rows, cols;
  double sensitivity, sigma, step, mu;
  uint32_t self, insecure;
  uint32_t text_size[3];            /* id, run, description */
  uint32_t level, raw, nonnegative; /* the last 0 before version 4 */
  uint64_t most;
  double row_clip;
} header;

static const char file_magic[8] = "SOTTOREL";
enum { with_inputs = 2, without_inputs = 3, nonnegative_rows = 4, digest_size = 32, longest_text = 4096 };

bool sotto_i_release_shows_inputs(const sotto_pmp_plan *plan) {
  const sotto_level level = plan->options.protection.level;
  return level == SOTTO_LEVEL_EDGE || level == SOTTO_LEVEL_NEIGHBOURS;
}

typedef struct sink {
  sotto_i_writer writer;
  crypto_generichash_state hash;
  size_t left_out; /* how many of the values to come are not written */
} sink;

static sotto_status put(sink *s, const void *data, size_t size, sotto_error *err) {
  crypto_generichash_update(&s->hash, data, size);
  return sotto_i_writer_add(&s->writer, data, size, err);
}

static sotto_status put_values(void *context, const float *values, size_t count, sotto_error *err) {
  sink *s = context;
  const size_t skipped = count < s->left_out ? count : s->left_out;
  s->left_out -= skipped;
  return put(s, values + skipped, (count - skipped) * sizeof *values, err);
}

/* Everything that stands before the layers. */
static sotto_status begin(sink *s, const sotto_release *release, size_t rows, size_t cols, const char *path,
                          sotto_error *err) {
  sotto_status status;
  const sotto_pmp_plan *plan = &release->plan;
  const char *texts[3] = {release->id, release->run, release->description};
  header h;
  memset(&h, 0, sizeof h);
  h.nonnegative = plan->options.protection.nonnegative;
  h.version = sotto_i_release_shows_inputs(plan) ? with_inputs : without_inputs;
  if (h.nonnegative != 0) h.version = nonnegative_rows;
  s->left_out = h.version == with_inputs ? 0 : rows * cols;
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
  memcpy(h.magic, file_magic, sizeof h.magic);
  for (int i = 0; i < 3; i++) h.text_size[i] = (uint32_t)strlen(texts[i]);
  crypto_generichash_init(&s->hash, NULL, 0, digest_size);
  SOTTO_TRY(sotto_i_writer_open(&s->writer, path, err));
  SOTTO_TRY(put(s, &h, sizeof h, err));
  for (int i = 0; i < 3; i++) SOTTO_TRY(put(s, texts[i], h.text_size[i], err));
done:
  return status;
}

static sotto_status finish(sink *s, sotto_error *err) {
  uint8_t digest[digest_size];
  crypto_generichash_final(&s->hash, digest, digest_size);
  sotto_status status = sotto_i_writer_add(&s->writer, digest, digest_size, err);
  return status == SOTTO_OK ? sotto_i_writer_commit(&s->writer, err) : status;
}

sotto_status sotto_release_save(const sotto_release *release, const char *path, sotto_error *err) {
  sotto_status status;
  sink s = {.writer = {.descriptor = -1}};
  const sotto_matrix *layers = release->layers;
  SOTTO_TRY(begin(&s, release, layers[0].rows, layers[0].cols, path, err));
  for (uint32_t k = 0; k <= release->plan.options.layers; k++)
    SOTTO_TRY(put_values(&s, layers[k].data, layers[k].rows * layers[k].cols, err));
  SOTTO_TRY(finish(&s, err));
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
  SOTTO_TRY(begin(&s, release, inputs->rows, inputs->cols, path, err));
  SOTTO_TRY(sotto_i_release_layers(plan, graph, inputs, key, &file, observer, err));
  SOTTO_TRY(finish(&s, err));
  *out = release;
  release = NULL;
done:
  sotto_i_writer_abandon(&s.writer);
  sotto_release_free(release);
  return status;
}

static sotto_status check_header(const header *h, const sotto_i_map *map, sotto_error *err) {
  if (memcmp(h->magic, file_magic, sizeof h->magic) != 0 || h->version < with_inputs ||
      h->version > nonnegative_rows)
    return sotto_i_fail(err, SOTTO_CORRUPT, "is not a release of version %d to %d", with_inputs,
                        nonnegative_rows);
  uint64_t texts = 0, values, bytes, written = h->layers + (h->version == with_inputs ? 1U : 0U);
  for (int i = 0; i < 3; i++) {
    if (h->text_size[i] > longest_text)
      return sotto_i_fail(err, SOTTO_CORRUPT, "claims a text of %u bytes", h->text_size[i]);
    texts += h->text_size[i];
  }
  if (h->layers < 1 || h->layers > SOTTO_I_MOST_LAYERS || h->aggregator > SOTTO_AGGREGATOR_GCN ||
      h->activation > SOTTO_ACTIVATION_SIGMOID || h->level > SOTTO_LEVEL_ROW ||
      h->nonnegative != (h->version == nonnegative_rows ? 1U : 0U) ||
      __builtin_mul_overflow(h->rows, h->cols, &values) ||
      __builtin_mul_overflow(values, 4 * written, &bytes) || bytes > map->size ||
      map->size != sizeof *h + texts + bytes + digest_size)
    return sotto_i_fail(err, SOTTO_CORRUPT, "its %zu bytes do not fit what its header claims", map->size);
  return SOTTO_OK;
}

static sotto_status read_release(sotto_release **out, const sotto_i_map *map, sotto_error *err) {
  sotto_status status;
  header h;
  uint8_t digest[digest_size];
  char *texts[3] = {NULL, NULL, NULL};
  sotto_release *release = NULL;
  if (map->size < sizeof h + digest_size) return sotto_i_fail(err, SOTTO_CORRUPT, "is cut short");
  memcpy(&h, map->data, sizeof h);
  SOTTO_TRY(check_header(&h, map, err));
  crypto_generichash(digest, digest_size, map->data, map->size - digest_size, NULL, 0);
  if (memcmp(digest, map->data + map->size - digest_size, digest_size) != 0)
    return sotto_i_fail(err, SOTTO_CORRUPT, "its checksum does not match");
  const uint8_t *at = map->data + sizeof h;
  for (int i = 0; i < 3; i++) {
    SOTTO_TRY(sotto_i_new(&texts[i], h.text_size[i] + 1U, 1, err));
    memcpy(texts[i], at, h.text_size[i]);
    at += h.text_size[i];
  }
  const sotto_pmp_plan plan = {.options = {.protection = {.level = (sotto_level)h.level,
                                                          .most = h.most,
                                                          .row_clip = h.row_clip,
                                                          .nonnegative = h.nonnegative != 0},
                                           .aggregator = (sotto_aggregator)h.aggregator,
                                           .layers = h.layers,
                                           .degree_floor = h.degree_floor,
                                           .self = h.self != 0,
                                           .raw = h.raw != 0,
                                           .activation = (sotto_activation)h.activation},
                               .sensitivity = h.sensitivity,
                               .grid = {.sigma = h.sigma, .step = h.step},
                               .mu = h.mu};
  SOTTO_TRY(sotto_i_release_shell(&release, &plan, h.rows, h.cols, texts[0], texts[1], texts[2], err));
  for (uint32_t k = h.version == with_inputs ? 0 : 1; k <= h.layers; k++) {
    if (k > 0 || sotto_i_release_shows_inputs(&plan)) /* older files may have what is not to be shown */
      memcpy(release->layers[k].data, at, h.rows * h.cols * sizeof(float));
    at += h.rows * h.cols * sizeof(float);
  }
  release->insecure = h.insecure != 0;
  *out = release;
done:
  for (int i = 0; i < 3; i++) sotto_i_free(texts[i]);
  return status;
}

sotto_status sotto_release_load(sotto_release **out, const char *path, sotto_error *err) {
  sotto_i_map map;
  *out = NULL;
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  status = read_release(out, &map, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", path);
  sotto_i_map_close(&map);
  return status;
}

sotto_status sotto_i_release_load_charged(sotto_release **out, const char *path, const sotto_pmp_plan *plan,
                                          const sotto_i_receipt *receipt, sotto_error *err) {
  const bool floored = plan->options.protection.nonnegative;
  sotto_release *release = NULL;
  *out = NULL;
  sotto_status status = sotto_release_load(&release, path, err);
  if (status != SOTTO_OK || release == NULL) return status;
  if (release->plan.options.protection.nonnegative != floored) {
    sotto_release_free(release);
    return sotto_i_fail(err, SOTTO_INVALID, "%s: holds sums of %s rows; the plan has %s ones", path,
                        floored ? "signed" : "nonnegative", floored ? "nonnegative" : "signed");
  }
  release->paid = sotto_i_receipt_holds(receipt);
  *out = release;
  return SOTTO_OK;
}
