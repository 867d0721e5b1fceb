/* Subsets of a split's training nodes: their random order, and splits that train on a subset. */
#include "training_part.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

sotto_status sotto_i_training_order(uint32_t **order, const sotto_i_job *job, const sotto_i_parted *parted,
                                    uint32_t purpose, sotto_error *err) {
  size_t rows = parted->split.count[SOTTO_PART_TRAIN];
  sotto_key seed_key, key;
  sotto_i_random random;
  sotto_status status = sotto_i_new_raw(order, rows, sizeof **order, err);
  if (status != SOTTO_OK) return status;
  memcpy(*order, parted->split.rows[SOTTO_PART_TRAIN], rows * sizeof **order);
  sotto_i_job_key(&seed_key, job);
  sotto_i_key_derive(&key, &seed_key, purpose);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_SPLIT, 0, 0);
  sotto_i_random_shuffle(&random, *order, rows);
  return SOTTO_OK;
}

sotto_status sotto_i_training_part(sotto_i_parted *out, const sotto_i_parted *from, const uint8_t *keep,
                                   sotto_error *err) {
  sotto_status status;
  uint32_t *rows = NULL;
  int32_t *labels = NULL;
  float *numbers = NULL;
  const float *given = from->numbers[SOTTO_PART_TRAIN];
  size_t all = from->split.count[SOTTO_PART_TRAIN], count = 0;
  SOTTO_TRY(sotto_i_new_raw(&rows, all, sizeof *rows, err));
  if (given == NULL) SOTTO_TRY(sotto_i_new_raw(&labels, all, sizeof *labels, err));
  if (given != NULL) SOTTO_TRY(sotto_i_new_raw(&numbers, all, sizeof *numbers, err));
  for (size_t i = 0; i < all; i++) {
    uint32_t node = from->split.rows[SOTTO_PART_TRAIN][i];
    if (keep != NULL && !keep[node]) continue;
    rows[count] = node;
    if (given != NULL)
      numbers[count] = given[i];
    else
      labels[count] = from->labels[SOTTO_PART_TRAIN] == NULL ? 0 : from->labels[SOTTO_PART_TRAIN][i];
    count++;
  }
done:
  *out = *from;
  out->split.rows[SOTTO_PART_TRAIN] = rows;
  out->split.count[SOTTO_PART_TRAIN] = count;
  out->labels[SOTTO_PART_TRAIN] = labels;
  out->numbers[SOTTO_PART_TRAIN] = numbers;
  if (status != SOTTO_OK) sotto_i_training_part_free(out);
  return status;
}

void sotto_i_training_part_free(sotto_i_parted *part) {
  sotto_i_free(part->split.rows[SOTTO_PART_TRAIN]);
  sotto_i_free(part->labels[SOTTO_PART_TRAIN]);
  sotto_i_free(part->numbers[SOTTO_PART_TRAIN]);
  *part = (sotto_i_parted){0};
}
