/* Partition of a dataset among the clients of one process, or the part of a client that has its own data. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "methods/federated/federated.h"
#include "protocols/options.h"

enum { split_keys = 5000 };

sotto_status sotto_i_fed_deal(uint32_t *owner, const sotto_i_job *job, uint32_t clients, sotto_error *err) {
  sotto_partition partition;
  sotto_key key;
  uint32_t named = clients;
  sotto_i_job_key(&key, job);
  if (clients == 1) { /* globsage: one owner of everything */
    memset(owner, 0, sotto_deal_items(job->data) * sizeof *owner);
    return SOTTO_OK;
  }
  sotto_status status = sotto_partition_read(&partition, sotto_i_partition_of(job->options), err);
  if (status == SOTTO_OK) status = sotto_deal(owner, &named, job->data, &partition, &key, err);
  if (status == SOTTO_OK && named != clients)
    return sotto_i_fail(err, SOTTO_INVALID, "partition: the file names %u clients, and clients is %u",
                        (unsigned)named, (unsigned)clients);
  return status;
}

/* The rows of a client in each part, as numbers in its own data. */
static sotto_status set_rows(sotto_i_fed_client *c, const sotto_split *split, const uint32_t *owner,
                             const uint32_t *number, sotto_error *err) {
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    sotto_status status = sotto_i_new_raw(&c->rows[part], split->count[part], sizeof(uint32_t), err);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < split->count[part]; i++)
      if (owner[split->rows[part][i]] == c->number)
        c->rows[part][c->count[part]++] = number[split->rows[part][i]];
  }
  return SOTTO_OK;
}

/* The positions of each client's nodes in the data. */
static sotto_status find_places(uint32_t **places, const sotto_dataset *data, const uint32_t *owner,
                                uint32_t clients, sotto_error *err) {
  size_t at = 0;
  sotto_status status = sotto_i_new(places, data->graph.nodes, sizeof **places, err);
  if (status != SOTTO_OK) return status;
  for (uint32_t c = 0; c < clients; c++)
    for (uint64_t i = 0; i < sotto_deal_items(data); i++) {
      uint64_t begin = data->graph_count > 0 ? data->graph_first[i] : i;
      uint64_t end = data->graph_count > 0 ? data->graph_first[i + 1] : i + 1;
      for (uint64_t v = begin; owner[i] == c && v < end; v++) (*places)[at++] = (uint32_t)v;
    }
  return SOTTO_OK;
}

sotto_status sotto_i_fed_give_data(uint32_t **places, sotto_i_fed_client *clients, uint32_t count,
                                   const sotto_i_job *job, sotto_error *err) {
  uint64_t items = sotto_deal_items(job->data);
  uint32_t *owner = NULL, *number = NULL, *counted = NULL;
  sotto_dataset *parts = NULL;
  sotto_i_parted parted = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  SOTTO_TRY(sotto_i_new(&owner, items, sizeof *owner, err));
  SOTTO_TRY(sotto_i_new(&number, items, sizeof *number, err));
  SOTTO_TRY(sotto_i_new(&counted, count, sizeof *counted, err));
  SOTTO_TRY(sotto_i_new(&parts, count, sizeof *parts, err));
  SOTTO_TRY(sotto_i_fed_deal(owner, job, count, err));
  SOTTO_TRY(sotto_split_horizontal(parts, job->data, owner, count, err));
  for (uint64_t i = 0; i < items; i++) number[i] = counted[owner[i]]++;
  for (uint32_t c = 0; c < count; c++) {
    clients[c].data = parts[c];
    parts[c] = (sotto_dataset){0};
  }
  for (uint32_t c = 0; c < count; c++) SOTTO_TRY(set_rows(&clients[c], &parted.split, owner, number, err));
  for (uint32_t c = 0; clients->federation->linked && c < count; c++)
    SOTTO_TRY(sotto_i_fed_linked_find(&clients[c].linked, &job->data->graph, owner, number, c, err));
  SOTTO_TRY(find_places(places, job->data, owner, count, err));
  if (job->folder != NULL) SOTTO_TRY(sotto_i_fed_log_parts(job, owner, &parted.split, err));
done:
  for (uint32_t c = 0; parts != NULL && c < count; c++) sotto_dataset_free(&parts[c]);
  sotto_i_parted_free(&parted);
  sotto_i_free(owner);
  sotto_i_free(number);
  sotto_i_free(counted);
  sotto_i_free(parts);
  return status;
}

/* Graphs are in the part of their nodes. */
static sotto_part part_of(const sotto_dataset *data, uint64_t item) {
  uint64_t node = data->graph_count > 0 ? data->graph_first[item] : item;
  return node < data->graph.nodes ? (sotto_part)data->split[node] : SOTTO_PART_NONE;
}

/* By the split that the data contains; otherwise each client splits its own items. */
static sotto_status choose_rows(sotto_i_fed_client *c, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  uint64_t items = sotto_deal_items(&c->data);
  sotto_split split = {0};
  sotto_key key, own;
  sotto_status status = SOTTO_OK;
  if (o->split == SOTTO_SPLITTING_PLANETOID && c->data.split == NULL)
    return sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: comes with no split of its own; use a random one",
                        c->data.name);
  if (o->split == SOTTO_SPLITTING_KFOLD)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "split: clients apart from each other have random or planetoid");
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(sotto_i_new_raw(&c->rows[part], items, sizeof(uint32_t), err));
  if (o->split == SOTTO_SPLITTING_PLANETOID) {
    for (uint64_t i = 0; i < items; i++) {
      sotto_part part = part_of(&c->data, i);
      if (part > SOTTO_PART_NONE && part <= SOTTO_PART_TEST) c->rows[part][c->count[part]++] = (uint32_t)i;
    }
    goto done;
  }
  sotto_i_job_key(&key, job);
  sotto_i_key_derive(&own, &key, split_keys + c->number);
  SOTTO_TRY(sotto_split_random(&split, &c->data, o->train_share, o->validation_share, &own, err));
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    c->count[part] = split.count[part];
    memcpy(c->rows[part], split.rows[part], split.count[part] * sizeof(uint32_t));
  }
done:
  sotto_split_free(&split);
  return status;
}

static sotto_status check_data(const sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  const int32_t *labels = f->graphs ? c->data.graph_labels : c->data.labels;
  if (f->numbers && c->data.numbers == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no numbers to learn", c->data.name);
  if (!f->numbers && labels == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no labels of %s to learn", c->data.name,
                        f->graphs ? "graphs" : "nodes");
  if (c->count[SOTTO_PART_TRAIN] > 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "%s: has nothing to train on", c->data.name);
}

sotto_status sotto_i_fed_own_rows(sotto_i_fed_client *client, const sotto_i_job *job, sotto_error *err) {
  sotto_status status = choose_rows(client, job, err);
  return status == SOTTO_OK ? check_data(client, err) : status;
}
