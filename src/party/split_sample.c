/* Samples of a part's rows. */
#include "split_sample.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "tensor/tape.h"

static size_t samples_of(size_t rows) {
  return rows <= SOTTO_I_SAMPLE_ROWS ? 1 : (rows + SOTTO_I_SAMPLE_ROWS - 1) / SOTTO_I_SAMPLE_ROWS;
}

/* Samples are of about equal size, and begin where streams of dropout do. */
sotto_i_sample sotto_i_sample_at(size_t rows, uint64_t step) {
  const size_t count = samples_of(rows), number = (size_t)(step % count);
  const size_t blocks = (rows + SOTTO_I_DROPOUT_ROWS - 1) / SOTTO_I_DROPOUT_ROWS;
  const size_t begin = number * blocks / count * SOTTO_I_DROPOUT_ROWS;
  const size_t end = number + 1 == count ? rows : (number + 1) * blocks / count * SOTTO_I_DROPOUT_ROWS;
  return (sotto_i_sample){begin, end - begin};
}

sotto_i_batch sotto_i_sample_batch(const sotto_i_sample *sample, sotto_part part, size_t i) {
  sotto_i_batch batch = sotto_i_batch_at(part, sample->count, i);
  batch.begin += sample->begin;
  return batch;
}

static int compare_places(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Rows ascend within a sample, so that they are read one after the other. The order hides nothing, so its key
 * is public. */
sotto_status sotto_i_sample_order(uint32_t **order, sotto_part part, size_t rows, sotto_error *err) {
  sotto_key key;
  sotto_i_random random;
  *order = NULL;
  if (samples_of(rows) == 1) return SOTTO_OK;
  const sotto_status status = sotto_i_new_raw(order, rows, sizeof **order, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < rows; i++) (*order)[i] = (uint32_t)i;
  sotto_key_public(&key, rows);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_BATCH, (uint32_t)part, 0);
  sotto_i_random_shuffle(&random, *order, rows);
  for (uint64_t k = 0; k < samples_of(rows); k++) {
    const sotto_i_sample sample = sotto_i_sample_at(rows, k);
    qsort(*order + sample.begin, sample.count, sizeof **order, compare_places);
  }
  return SOTTO_OK;
}
