/* Loading a release (release_file.c writes it): into memory, or to be read from the file row by row. */
#include <sodium.h>
#include <string.h>

#include "base/memory.h"
#include "release_header.h"

enum { longest_text = 4096 };

static sotto_status check_header(const sotto_i_release_header *h, uint64_t size, sotto_error *err) {
  if (memcmp(h->magic, SOTTO_I_RELEASE_MAGIC, sizeof h->magic) != 0 ||
      h->version < SOTTO_I_RELEASE_WITH_INPUTS || h->version > SOTTO_I_RELEASE_NONNEGATIVE)
    return sotto_i_fail(err, SOTTO_CORRUPT, "is not a release of version %d to %d",
                        SOTTO_I_RELEASE_WITH_INPUTS, SOTTO_I_RELEASE_NONNEGATIVE);
  uint64_t texts = 0, values, bytes,
           written = h->layers + (h->version == SOTTO_I_RELEASE_WITH_INPUTS ? 1U : 0U);
  for (int i = 0; i < 3; i++) {
    if (h->text_size[i] > longest_text)
      return sotto_i_fail(err, SOTTO_CORRUPT, "claims a text of %u bytes", h->text_size[i]);
    texts += h->text_size[i];
  }
  if (h->layers < 1 || h->layers > SOTTO_I_MOST_LAYERS || h->aggregator > SOTTO_AGGREGATOR_GCN ||
      h->activation > SOTTO_ACTIVATION_SIGMOID || h->level > SOTTO_LEVEL_ROW ||
      h->nonnegative != (h->version == SOTTO_I_RELEASE_NONNEGATIVE ? 1U : 0U) ||
      __builtin_mul_overflow(h->rows, h->cols, &values) ||
      __builtin_mul_overflow(values, 4 * written, &bytes) || bytes > size ||
      size != sizeof *h + texts + bytes + SOTTO_I_RELEASE_DIGEST)
    return sotto_i_fail(err, SOTTO_CORRUPT, "its %llu bytes do not fit what its header claims",
                        (unsigned long long)size);
  return SOTTO_OK;
}

static sotto_pmp_plan plan_of(const sotto_i_release_header *h) {
  return (sotto_pmp_plan){.options = {.protection = {.level = (sotto_level)h->level,
                                                     .most = h->most,
                                                     .row_clip = h->row_clip,
                                                     .nonnegative = h->nonnegative != 0},
                                      .aggregator = (sotto_aggregator)h->aggregator,
                                      .layers = h->layers,
                                      .degree_floor = h->degree_floor,
                                      .self = h->self != 0,
                                      .raw = h->raw != 0,
                                      .activation = (sotto_activation)h->activation},
                          .sensitivity = h->sensitivity,
                          .grid = {.sigma = h->sigma, .step = h->step},
                          .mu = h->mu};
}

/* A file being loaded. Every byte used is hashed, so that the checked bytes are the used ones. */
typedef struct loading {
  sotto_i_reader reader;
  uint64_t at;
  crypto_generichash_state hash;
  sotto_i_release_header h;
  char *texts[3];
} loading;

static sotto_status take_bytes(loading *t, void *out, size_t size, sotto_error *err) {
  const sotto_status status = sotto_i_reader_at(&t->reader, out, size, t->at, err);
  if (status != SOTTO_OK) return status;
  crypto_generichash_update(&t->hash, out, size);
  t->at += size;
  return SOTTO_OK;
}

/* Reads everything before the layers. */
static sotto_status take_head(loading *t, sotto_error *err) {
  sotto_status status;
  if (t->reader.size < sizeof t->h + SOTTO_I_RELEASE_DIGEST)
    return sotto_i_fail(err, SOTTO_CORRUPT, "is cut short");
  crypto_generichash_init(&t->hash, NULL, 0, SOTTO_I_RELEASE_DIGEST);
  SOTTO_TRY(take_bytes(t, &t->h, sizeof t->h, err));
  SOTTO_TRY(check_header(&t->h, t->reader.size, err));
  for (int i = 0; i < 3; i++) {
    SOTTO_TRY(sotto_i_new(&t->texts[i], t->h.text_size[i] + 1U, 1, err));
    SOTTO_TRY(take_bytes(t, t->texts[i], t->h.text_size[i], err));
  }
done:
  return status;
}

static sotto_status check_digest(loading *t, const uint8_t found[SOTTO_I_RELEASE_DIGEST], sotto_error *err) {
  uint8_t digest[SOTTO_I_RELEASE_DIGEST];
  const sotto_status status = sotto_i_reader_at(&t->reader, digest, SOTTO_I_RELEASE_DIGEST,
                                                t->reader.size - SOTTO_I_RELEASE_DIGEST, err);
  if (status != SOTTO_OK) return status;
  if (memcmp(digest, found, SOTTO_I_RELEASE_DIGEST) == 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_CORRUPT, "its checksum does not match");
}

static sotto_status take_layers(loading *t, sotto_release *release, sotto_error *err) {
  const bool inputs = t->h.version == SOTTO_I_RELEASE_WITH_INPUTS;
  const size_t bytes = t->h.rows * t->h.cols * sizeof(float);
  uint8_t digest[SOTTO_I_RELEASE_DIGEST];
  for (uint32_t k = inputs ? 0 : 1; k <= t->h.layers; k++) {
    const sotto_status status = take_bytes(t, release->layers[k].data, bytes, err);
    if (status != SOTTO_OK) return status;
  }
  /* A file may contain rows that must not be released. */
  if (inputs && !sotto_i_release_shows_inputs(&release->plan)) memset(release->layers[0].data, 0, bytes);
  crypto_generichash_final(&t->hash, digest, sizeof digest);
  return check_digest(t, digest, err);
}

/* Leaves the layers in the file, which the release then holds open. */
static sotto_status leave_layers(loading *t, sotto_release *release, sotto_error *err) {
  uint8_t digest[SOTTO_I_RELEASE_DIGEST];
  sotto_status status =
      sotto_i_reader_digest(&t->reader, digest, 0, t->reader.size - SOTTO_I_RELEASE_DIGEST, err);
  if (status == SOTTO_OK) status = check_digest(t, digest, err);
  if (status != SOTTO_OK) return status;
  release->file = t->reader;
  release->rows = t->h.rows;
  release->layer_at = t->at;
  release->first_layer = t->h.version == SOTTO_I_RELEASE_WITH_INPUTS ? 0 : 1;
  t->reader = (sotto_i_reader){.descriptor = -1};
  return SOTTO_OK;
}

static sotto_status read_release(sotto_release **out, loading *t, bool by_rows, sotto_error *err) {
  sotto_release *release = NULL;
  sotto_status status;
  SOTTO_TRY(take_head(t, err));
  const sotto_pmp_plan plan = plan_of(&t->h);
  SOTTO_TRY(sotto_i_release_shell(&release, &plan, by_rows ? 0 : t->h.rows, t->h.cols, t->texts[0],
                                  t->texts[1], t->texts[2], err));
  SOTTO_TRY(by_rows ? leave_layers(t, release, err) : take_layers(t, release, err));
  release->insecure = t->h.insecure != 0;
  *out = release;
  release = NULL;
done:
  sotto_release_free(release);
  return status;
}

static sotto_status load_file(sotto_release **out, const char *path, bool by_rows, sotto_error *err) {
  loading t = {.texts = {NULL}};
  *out = NULL;
  sotto_status status = sotto_i_reader_open(&t.reader, path, err);
  if (status != SOTTO_OK) return status;
  status = read_release(out, &t, by_rows, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", path);
  for (int i = 0; i < 3; i++) sotto_i_free(t.texts[i]);
  sotto_i_reader_close(&t.reader);
  return status;
}

sotto_status sotto_release_load(sotto_release **out, const char *path, sotto_error *err) {
  return load_file(out, path, false, err);
}

sotto_status sotto_i_release_open(sotto_release **out, const char *path, size_t rows, sotto_error *err) {
  const sotto_status status = load_file(out, path, true, err);
  if (status != SOTTO_OK || (*out)->rows == rows) return status;
  sotto_release_free(*out);
  *out = NULL;
  return sotto_i_fail(err, SOTTO_INVALID, "%s: is not a release of %zu nodes", path, rows);
}

sotto_status sotto_i_release_read(const sotto_release *release, uint32_t k, float *out, size_t first,
                                  size_t count, sotto_error *err) {
  const size_t cols = release->layers[0].cols;
  SOTTO_I_CHECK(k <= release->plan.options.layers);
  if (release->file.path == NULL) {
    memcpy(out, release->layers[k].data + first * cols, count * cols * sizeof *out);
    return SOTTO_OK;
  }
  SOTTO_I_CHECK(k >= release->first_layer && first + count <= release->rows);
  const uint64_t row = (uint64_t)(k - release->first_layer) * release->rows + first;
  return sotto_i_reader_at(&release->file, out, count * cols * sizeof *out,
                           release->layer_at + row * cols * sizeof *out, err);
}

sotto_status sotto_i_release_load_charged(sotto_release **out, const char *path, const sotto_pmp_plan *plan,
                                          const sotto_i_receipt *receipt, bool by_rows, sotto_error *err) {
  const bool floored = plan->options.protection.nonnegative;
  sotto_release *release = NULL;
  *out = NULL;
  sotto_status status = load_file(&release, path, by_rows, err);
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
