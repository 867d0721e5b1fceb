/* Input of a party: its own part of the data, and the names of the nodes. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "graph/io/read.h"
#include "party_roles.h"
#include "run/method/method.h"
#include "run/storage/data_file.h"

static bool is_table(const char *path) {
  size_t length = strlen(path);
  return length > 4 && (strcmp(path + length - 4, ".csv") == 0 || strcmp(path + length - 4, ".tsv") == 0);
}

/* One id a line; the file must have one for each row. */
static sotto_status digest_file(uint8_t digest[32], const char *path, uint64_t rows, sotto_error *err) {
  sotto_i_map map;
  sotto_i_lines lines;
  crypto_generichash_state hash;
  const uint8_t *text;
  size_t size;
  uint64_t count = 0;
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  const sotto_i_source source = {.file = path, .data = map.data, .size = map.size};
  crypto_generichash_init(&hash, NULL, 0, 32);
  if (map.data != NULL) sotto_i_lines_init(&lines, &source);
  while (map.data != NULL && sotto_i_lines_next(&lines, &text, &size)) {
    crypto_generichash_update(&hash, text, size);
    crypto_generichash_update(&hash, (const uint8_t *)"\n", 1);
    count++;
  }
  crypto_generichash_final(&hash, digest, 32);
  sotto_i_map_close(&map);
  if (count == rows) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "%s: has %llu ids, and the data %llu nodes", path,
                      (unsigned long long)count, (unsigned long long)rows);
}

/* The ids of the nodes, or their numbers where those are the ids, each with a line feed after it. */
static void digest_ids(uint8_t digest[32], const sotto_dataset *data) {
  crypto_generichash_state hash;
  char number[24];
  crypto_generichash_init(&hash, NULL, 0, 32);
  for (uint64_t i = 0; i < data->graph.nodes; i++) {
    const char *id = sotto_name(&data->node_ids, i);
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)i);
    if (id == NULL) id = number;
    crypto_generichash_update(&hash, (const uint8_t *)id, strlen(id));
    crypto_generichash_update(&hash, (const uint8_t *)"\n", 1);
  }
  crypto_generichash_final(&hash, digest, 32);
}

static void forget_labels(sotto_dataset *data) {
  data->labels = NULL;
  data->classes = 0;
  data->class_names = (sotto_names){0};
  data->split = NULL;
}

static sotto_status keep_holders(sotto_dataset *data, const sotto_options *options, uint32_t number,
                                 sotto_error *err) {
  if (data->features.cols == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: its nodes have no features, which every holder gives",
                        data->name);
  if (number == options->label_holder) {
    if (data->labels != NULL && data->graph_count == 0) return SOTTO_OK;
    return sotto_i_fail(err, SOTTO_INVALID, "%s: its nodes have no labels, which holder %u gives", data->name,
                        (unsigned)number);
  }
  forget_labels(data);
  return SOTTO_OK;
}

/* Forgets what is the other party's. */
static sotto_status keep_own(sotto_dataset *data, const sotto_options *options, const sotto_party *party,
                             sotto_error *err) {
  sotto_role role = party->role;
  if (role == SOTTO_ROLE_CLIENT) return SOTTO_OK;
  if (role == SOTTO_ROLE_HOLDER) return keep_holders(data, options, party->number, err);
  if (role == SOTTO_ROLE_DATA) {
    forget_labels(data);
    if (data->features.cols > 0) return SOTTO_OK;
    return sotto_i_fail(err, SOTTO_INVALID, "%s: its nodes have no features, which the data party gives",
                        data->name);
  }
  if (options->label_features == 0) {
    data->features = (sotto_matrix){.rows = data->graph.nodes};
    data->entries = (sotto_entries){0};
    data->feature_names = (sotto_names){0};
    data->schema = NULL;
  }
  if (options->label_edges == 0) data->graph = (sotto_graph){.nodes = data->graph.nodes};
  if (options->label_edges > 0 && data->graph.entries == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no edge, and label-edges asks for some", data->name);
  if (options->label_features > 0 && data->features.cols == 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: its nodes have no features, and label-features asks for some", data->name);
  if ((data->labels != NULL || party->unlabelled) && data->graph_count == 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "%s: its nodes have no labels, which the label party gives",
                      data->name);
}

sotto_status sotto_party_dataset_open(sotto_dataset *out, uint8_t nodes[32], const sotto_options *options,
                                      const sotto_party *party, const char *run, sotto_error *err) {
  sotto_status status;
  sotto_role role = party->role;
  const bool nodes_only = role == SOTTO_ROLE_LABEL && is_table(options->data) && options->label_edges == 0;
  SOTTO_I_CHECK(sodium_init() >= 0);
  memset(nodes, 0, 32);
  *out = (sotto_dataset){.name = "server"};
  if (!sotto_i_party_has_data(party)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_run_data_open(out, options, run, nodes_only, NULL, err));
  SOTTO_TRY(keep_own(out, options, party, err));
  if (role == SOTTO_ROLE_CLIENT) goto done;
  if (options->ids[0] != '\0')
    SOTTO_TRY(digest_file(nodes, options->ids, out->graph.nodes, err));
  else
    digest_ids(nodes, out);
done:
  if (status != SOTTO_OK) sotto_dataset_free(out);
  return status;
}

void sotto_party_settle(sotto_options *options, const sotto_party *party, const sotto_dataset *data) {
  if (party->role == SOTTO_ROLE_DATA || party->role == SOTTO_ROLE_LABEL)
    sotto_options_settle(options, data->graph.nodes);
}
