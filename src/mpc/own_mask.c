/* Masks that one party has as a whole, expanded by rows: nobody stores them. */
#include <sodium.h>

#include "base/random.h"
#include "base/threads.h"
#include "inside/mpc.h"
#include "ring.h"

typedef struct job {
  sotto_ring *out;
  size_t first, own, begin;
  const sotto_key *seed;
  const uint32_t *rows;
} job;

static void expand_rows(void *context, size_t begin, size_t end) {
  const job *j = context;
  sotto_i_random random;
  for (size_t i = begin; i < end; i++) {
    const uint64_t row = j->rows == NULL ? j->begin + i : j->rows[i];
    sotto_i_random_init(&random, j->seed, SOTTO_I_PURPOSE_SHARE, SOTTO_I_STREAM_OWN, row);
    sotto_i_random_bytes(&random, j->out->data + i * j->out->cols + j->first, j->own * sizeof *j->out->data);
  }
  sodium_memzero(&random, sizeof random);
}

void sotto_own_mask(sotto_ring *out, size_t first, size_t own, const sotto_key *seed, const uint32_t *rows,
                    size_t begin) {
  job j = {out, first, own, begin, seed, rows};
  sotto_i_parallel(out->rows, 64, expand_rows, &j);
}
