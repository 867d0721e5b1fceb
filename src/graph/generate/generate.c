/* Steps shared by all generators. */
#include "generate.h"

#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "graph/csr.h"

enum { noise_rows = 256 };

sotto_status sotto_i_edge_arrays_new(sotto_i_edge_arrays *out, uint64_t count, sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_edge_arrays){.count = count};
  SOTTO_TRY(sotto_i_new_raw(&out->sources, count, sizeof *out->sources, err));
  SOTTO_TRY(sotto_i_new_raw(&out->targets, count, sizeof *out->targets, err));
done:
  if (status != SOTTO_OK) sotto_i_edge_arrays_free(out);
  return status;
}

void sotto_i_edge_arrays_free(sotto_i_edge_arrays *pairs) {
  sotto_i_free(pairs->sources);
  sotto_i_free(pairs->targets);
  *pairs = (sotto_i_edge_arrays){0};
}

sotto_status sotto_i_generate_check(uint64_t nodes, uint32_t classes, const sotto_key *key,
                                    sotto_error *err) {
  if (key->origin == SOTTO_KEY_NONE)
    return sotto_i_fail(err, SOTTO_INVALID, "a generator needs a key; make one with sotto_key_public");
  if (nodes == 0 || nodes > UINT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "%llu nodes were requested; 1 to 2^32 - 1 are possible",
                        (unsigned long long)nodes);
  if (classes > INT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "%u classes were requested; fewer than 2^31 are possible", classes);
  return SOTTO_OK;
}

bool sotto_i_is_made_name(const char *name) {
  static const char *const made[] = {"banks",       "chains",      "like-finance", "like-products",
                                     "like-pubmed", "like-reddit", "mines",        "payments",
                                     "powerlaw",    "sbm",         "transactions"};
  const size_t size = strcspn(name, ".");
  for (size_t i = 0; i < sizeof made / sizeof *made; i++)
    if (strlen(made[i]) == size && strncmp(made[i], name, size) == 0) return true;
  return false;
}

sotto_status sotto_i_generate_begin(sotto_i_parts *parts, const char *name, uint64_t nodes, size_t width,
                                    uint32_t classes, const sotto_key *key, sotto_error *err) {
  sotto_status status;
  SOTTO_I_CHECK(sotto_i_is_made_name(name));
  *parts = (sotto_i_parts){.nodes = nodes, .width = width, .classes = classes};
  SOTTO_TRY(sotto_i_generate_check(nodes, classes, key, err));
  SOTTO_TRY(sotto_i_strdup(&parts->name, name, err));
  if (width > 0) {
    if (width > SIZE_MAX / sizeof(float))
      return sotto_i_fail(err, SOTTO_NOMEM, "%zu features per node do not fit in memory", width);
    SOTTO_TRY(sotto_i_new(&parts->features, nodes, width * sizeof(float), err));
  }
  if (classes > 0) SOTTO_TRY(sotto_i_new(&parts->labels, nodes, sizeof *parts->labels, err));
done:
  return status;
}

void sotto_i_generate_noise_rows(float *features, size_t width, uint64_t first, uint64_t end,
                                 const sotto_key *key) {
  sotto_i_random random;
  for (uint64_t v = first; v < end && width > 0; v += noise_rows) {
    const uint64_t rows = end - v < noise_rows ? end - v : noise_rows;
    sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_FEATURES, v / noise_rows);
    for (size_t i = 0; i < rows * width; i++) features[i] += (float)sotto_i_random_normal(&random);
    features += rows * width;
  }
}

typedef struct noise_job {
  sotto_i_parts *parts;
  const sotto_key *key;
} noise_job;

static void noise_block(void *context, size_t begin, size_t end) {
  const noise_job *n = context;
  if (sotto_i_stopped()) return; /* sotto_i_generate_finish reports it */
  sotto_i_generate_noise_rows(n->parts->features + begin * n->parts->width, n->parts->width, begin, end,
                              n->key);
}

void sotto_i_generate_noise(sotto_i_parts *parts, const sotto_key *key) {
  noise_job n = {parts, key};
  if (parts->width > 0) sotto_i_parallel(parts->nodes, noise_rows, noise_block, &n);
}

sotto_status sotto_i_generate_finish(sotto_dataset *out, sotto_i_parts *parts,
                                     const sotto_i_edge_arrays *pairs, sotto_error *err) {
  sotto_status status = sotto_i_check_interrupt(err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_csr_from_pairs(&parts->offsets, &parts->targets, parts->nodes, pairs->sources,
                                  pairs->targets, pairs->count, err);
  return status == SOTTO_OK ? sotto_i_dataset_assemble(out, parts, err) : status;
}
