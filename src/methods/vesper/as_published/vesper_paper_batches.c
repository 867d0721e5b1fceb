/* Batches of training nodes of VESPER as published: the first places of a public shuffle. */
#include "vesper_paper_batches.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

sotto_status sotto_i_paper_batches_new(sotto_i_paper_batches *out, const sotto_i_job *job, size_t roots,
                                       size_t size, sotto_error *err) {
  *out = (sotto_i_paper_batches){.roots = roots, .size = size};
  sotto_i_job_key(&out->key, job);
  const sotto_status status = sotto_i_new_raw(&out->place, roots, sizeof *out->place, err);
  for (size_t i = 0; status == SOTTO_OK && i < roots; i++) out->place[i] = (uint32_t)i;
  return status;
}

void sotto_i_paper_batches_free(sotto_i_paper_batches *batches) {
  sotto_i_free(batches->place);
  batches->place = NULL;
}

void sotto_i_paper_batches_draw(sotto_i_paper_batches *b, uint64_t step) {
  sotto_i_random random;
  sotto_i_random_init(&random, &b->key, SOTTO_I_PURPOSE_BATCH, 0, step);
  for (size_t i = 0; i < b->size; i++) {
    const size_t other = i + (size_t)sotto_i_random_below(&random, b->roots - i);
    const uint32_t kept = b->place[i];
    b->place[i] = b->place[other];
    b->place[other] = kept;
  }
}
