/* Samples of a part's rows, by which both sides of split learning train. Where a part has more rows than a
 * sample, both sides put its rows in one random order, and each step takes the next sample of it: traffic and
 * time of a step do not grow with the data. The order and the samples follow from numbers of rows alone,
 * which both sides know. */
#ifndef SOTTO_SRC_PARTY_SPLIT_SAMPLE_H
#define SOTTO_SRC_PARTY_SPLIT_SAMPLE_H

#include "nn/rows/batch.h"

/* Most rows of a step, and of a decision about an epoch, which looks at one sample always. */
enum { SOTTO_I_SAMPLE_ROWS = 8192 };

/* Rows begin to begin + count - 1 of a part with `rows` rows, of step number `step`. */
typedef struct sotto_i_sample {
  size_t begin, count;
} sotto_i_sample;
sotto_i_sample sotto_i_sample_at(size_t rows, uint64_t step);
/* Batch number i of a sample; the samples has sotto_i_batch_count(sample.count) of them. */
sotto_i_batch sotto_i_sample_batch(const sotto_i_sample *sample, sotto_part part, size_t i);

/* order[i]: which row is in place i, the same on both sides; NULL where one sample has all `rows` rows, in
 * their order. Errors: NOMEM. */
sotto_status sotto_i_sample_order(uint32_t **order, sotto_part part, size_t rows, sotto_error *err);

#endif
