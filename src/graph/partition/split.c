/* Splits into training, validation and test parts. Every item first gets its part. Then the rows of each
 * part are listed in order, so they ascend. */
#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "inside/graph.h"
#include "sotto/graph.h"
#include "sotto/split.h"
#include "take.h"

/* The items to be split: nodes, or the graphs of a collection with labelled graphs. */
typedef struct items {
  uint64_t count;
  const int32_t *labels;
  const float *numbers; /* instead of labels, where there are none; or NULL */
} items;

static items get_items(const sotto_dataset *data) {
  if (data->graph_count > 0 && data->graph_labels != NULL)
    return (items){data->graph_count, data->graph_labels, NULL};
  return (items){data->graph.nodes, data->labels, data->numbers};
}

static bool is_labelled(const items *all, uint64_t i) {
  return all->labels != NULL ? all->labels[i] >= 0 : !isnan(all->numbers[i]);
}

void sotto_split_free(sotto_split *split) {
  for (int part = 0; part < 4; part++) sotto_i_free(split->rows[part]);
  *split = (sotto_split){0};
}

sotto_status sotto_i_list_parts(sotto_split *out, const uint8_t *parts, uint64_t count, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  size_t next[4] = {0};
  *out = (sotto_split){0};
  for (uint64_t i = 0; i < count; i++)
    if (parts[i] != SOTTO_PART_NONE) out->count[parts[i]]++;
  for (int part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(sotto_i_new_raw(&out->rows[part], out->count[part], sizeof(uint32_t), err));
  for (uint64_t i = 0; i < count; i++)
    if (parts[i] != SOTTO_PART_NONE) out->rows[parts[i]][next[parts[i]]++] = (uint32_t)i;
done:
  if (status != SOTTO_OK) sotto_split_free(out);
  return status;
}

/* Lists the items with a label, or with a number where none has a label, in the order of the stream (key,
 * split), in new memory. */
static sotto_status shuffle_labelled(uint32_t **out, size_t *count, items all, const sotto_key *key,
                                     sotto_error *err) {
  *out = NULL;
  *count = 0;
  if (key->origin == SOTTO_KEY_NONE)
    return sotto_i_fail(err, SOTTO_INVALID, "a split needs a key; make one with sotto_key_public");
  if (all.labels == NULL && all.numbers == NULL)
    return sotto_i_fail(err, SOTTO_NOT_FOUND, "the dataset has no labels, so there is nothing to split");
  if (all.count > UINT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "%llu items are too many to split", (unsigned long long)all.count);
  sotto_status status = sotto_i_new_raw(out, all.count, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t i = 0; i < all.count; i++)
    if (is_labelled(&all, i)) (*out)[(*count)++] = (uint32_t)i;
  sotto_i_random random;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_SPLIT, 0, 0);
  sotto_i_random_shuffle(&random, *out, *count);
  return SOTTO_OK;
}

size_t sotto_i_share_of(double share, size_t count) {
  double exact = share * (double)count;
  size_t whole = (size_t)floor(exact + 1e-9 * (exact + 1));
  return whole > count ? count : whole;
}

sotto_status sotto_i_check_shares(double train, double validation, sotto_error *err) {
  if (train >= 0 && validation >= 0 && train + validation <= 1 + 1e-9) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE,
                      "shares of %g for training and %g for validation; both must be at least 0 and their "
                      "sum at most 1",
                      train, validation);
}

sotto_status sotto_split_random(sotto_split *out, const sotto_dataset *data, double train, double validation,
                                const sotto_key *key, sotto_error *err) {
  sotto_status status;
  uint32_t *order = NULL;
  uint8_t *parts = NULL;
  size_t count;
  const items all = get_items(data);
  *out = (sotto_split){0};
  SOTTO_TRY(sotto_i_check_shares(train, validation, err));
  SOTTO_TRY(shuffle_labelled(&order, &count, all, key, err));
  SOTTO_TRY(sotto_i_new(&parts, all.count, sizeof *parts, err));
  size_t trained = sotto_i_share_of(train, count), validated = sotto_i_share_of(validation, count);
  for (size_t i = 0; i < count; i++)
    parts[order[i]] = i < trained               ? SOTTO_PART_TRAIN
                      : i - trained < validated ? SOTTO_PART_VALIDATION
                                                : SOTTO_PART_TEST;
  SOTTO_TRY(sotto_i_list_parts(out, parts, all.count, err));
done:
  sotto_i_free(order);
  sotto_i_free(parts);
  return status;
}

sotto_status sotto_split_public(sotto_split *out, const sotto_dataset *data, sotto_error *err) {
  *out = (sotto_split){0};
  if (data->split == NULL)
    return sotto_i_fail(err, SOTTO_NOT_FOUND, "the dataset has no published split; use a random one");
  return sotto_i_list_parts(out, data->split, data->graph.nodes, err);
}

sotto_status sotto_split_kfold(sotto_split *out, const sotto_dataset *data, uint32_t folds, uint32_t index,
                               const sotto_key *key, sotto_error *err) {
  sotto_status status;
  uint32_t *order = NULL;
  uint8_t *parts = NULL;
  size_t count;
  const items all = get_items(data);
  *out = (sotto_split){0};
  if (folds < 3 || index >= folds)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "fold %u of %u; at least 3 folds are needed (test, validation and training), and the "
                        "index must be below their number",
                        index, folds);
  SOTTO_TRY(shuffle_labelled(&order, &count, all, key, err));
  if (folds > count) {
    status =
        sotto_i_fail(err, SOTTO_RANGE, "%u folds of %zu labelled items: some would be empty; use fewer folds",
                     folds, count);
    goto done;
  }
  SOTTO_TRY(sotto_i_new(&parts, all.count, sizeof *parts, err));
  for (uint32_t fold = 0; fold < folds; fold++) {
    uint8_t part = fold == index                 ? SOTTO_PART_TEST
                   : fold == (index + 1) % folds ? SOTTO_PART_VALIDATION
                                                 : SOTTO_PART_TRAIN;
    for (size_t i = (uint64_t)count * fold / folds; i < (uint64_t)count * (fold + 1) / folds; i++)
      parts[order[i]] = part;
  }
  SOTTO_TRY(sotto_i_list_parts(out, parts, all.count, err));
done:
  sotto_i_free(order);
  sotto_i_free(parts);
  return status;
}
