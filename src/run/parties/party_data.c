/* Input of a party: its own part of the data, and the names of the nodes. */
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "graph/blocks/block.h"
#include "graph/names.h"
#include "graph/open/open.h"
#include "party_roles.h"
#include "run/method/method.h"
#include "run/storage/data_file.h"
#include "sotto/schema.h"

/* By the ending of the name, packed or not. */
static bool is_table(const char *path) {
  static const char *const packed[] = {"", ".gz", ".zst"};
  const size_t size = strlen(path);
  for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
    const size_t end = strlen(packed[i]), all = end + 4;
    if (size <= all || strcmp(path + size - end, packed[i]) != 0) continue;
    if (strncmp(path + size - all, ".csv", 4) == 0 || strncmp(path + size - all, ".tsv", 4) == 0) return true;
  }
  return false;
}

/* Names of the columns that may hold the classes, with commas between; empty if none has a name. */
static void list_columns(char *out, size_t size, const sotto_dataset *data) {
  const sotto_schema *s = data->schema;
  size_t used = (size_t)snprintf(out, size, "%s", s == NULL ? "" : ", one of ");
  const size_t before = used;
  for (uint64_t j = 0; s != NULL && j < s->column_count && used + 70 < size; j++)
    if (s->columns[j].kind != SOTTO_COLUMN_ID)
      used += (size_t)snprintf(out + used, size - used, "%s'%.40s'", used > before ? ", " : "",
                               s->columns[j].name);
  if (used == before) out[0] = '\0';
}

static sotto_status fail_unlabelled(const sotto_dataset *data, const char *who, sotto_error *err) {
  char columns[300];
  list_columns(columns, sizeof columns, data);
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: no node has a label, which %s gives; the option label names the column of classes%s", data->name,
      who, columns);
}

static void forget_labels(sotto_dataset *data) {
  data->labels = NULL;
  data->numbers = NULL;
  data->classes = 0;
  data->class_names = (sotto_names){0};
  data->split = NULL;
}

static void forget_features(sotto_dataset *data) {
  data->features = (sotto_matrix){.rows = data->graph.nodes};
  data->entries = (sotto_entries){0};
  data->feature_names = (sotto_names){0};
  data->schema = NULL;
}

static void forget_edges(sotto_dataset *data) {
  data->graph = (sotto_graph){.nodes = data->graph.nodes};
  data->transfers = (sotto_transfers){.count = 0};
}

/* A party of labels says which of its own it leaves out. */
static void tell_unused(const sotto_dataset *data, bool columns, bool edges, const char *way,
                        const sotto_observer *observer) {
  columns = columns && data->features.cols > 0;
  edges = edges && data->graph.entries > 0;
  if (columns || edges)
    sotto_i_log(observer, SOTTO_LOG_WARNING,
                "%s: its %s%s%s not used, since this party gives labels alone; %s", data->name,
                columns ? "columns" : "", columns && edges ? " and " : "", edges ? "edges are" : " are", way);
}

static sotto_status keep_labels_alone(sotto_dataset *data, const sotto_party *party,
                                      const sotto_observer *observer, sotto_error *err) {
  if ((data->labels == NULL && !party->unlabelled) || data->graph_count > 0)
    return fail_unlabelled(data, "the party of labels alone", err);
  tell_unused(data, true, true, "a holder can give them", observer);
  forget_features(data);
  forget_edges(data);
  return SOTTO_OK;
}

static sotto_status keep_holders(sotto_dataset *data, const sotto_options *options, const sotto_party *party,
                                 const sotto_observer *observer, sotto_error *err) {
  if (sotto_i_party_is_apart(party, options)) return keep_labels_alone(data, party, observer, err);
  if (data->features.cols == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: its nodes have no features, which every holder gives",
                        data->name);
  if (party->number == options->label_holder && !sotto_i_labels_join(options)) {
    if ((data->labels != NULL || party->unlabelled) && data->graph_count == 0) return SOTTO_OK;
    return fail_unlabelled(data, "this holder", err);
  }
  forget_labels(data);
  return SOTTO_OK;
}

static sotto_status fail_unnumbered(const sotto_dataset *data, sotto_error *err) {
  char columns[300];
  list_columns(columns, sizeof columns, data);
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: no node has a number to learn, which every client gives; the option label names the "
      "column of numbers%s",
      data->name, columns);
}

/* A client needs a node with a label, or a number, to train. A collection may have labels of graphs. */
static sotto_status keep_client(const sotto_dataset *data, const sotto_options *options, sotto_error *err) {
  if (data->graph_count > 0) return SOTTO_OK;
  if (options->task == SOTTO_TASK_REGRESSION) {
    for (uint64_t v = 0; data->numbers != NULL && v < data->graph.nodes; v++)
      if (isfinite(data->numbers[v])) return SOTTO_OK;
    return fail_unnumbered(data, err);
  }
  for (uint64_t v = 0; data->labels != NULL && v < data->graph.nodes; v++)
    if (data->labels[v] >= 0) return SOTTO_OK;
  return fail_unlabelled(data, "every client", err);
}

/* The label party of two may have a share of columns and edges that the options name. */
static sotto_status keep_label_party(sotto_dataset *data, const sotto_options *options,
                                     const sotto_party *party, const sotto_observer *observer,
                                     sotto_error *err) {
  const bool has = options->task == SOTTO_TASK_REGRESSION ? data->numbers != NULL : data->labels != NULL;
  if (sotto_i_labels_join(options)) return keep_labels_alone(data, party, observer, err);
  if ((!has && !party->unlabelled) || data->graph_count > 0)
    return fail_unlabelled(data, "the label party", err);
  tell_unused(data, options->label_features == 0, options->label_edges == 0,
              "label-features and label-edges are about them", observer);
  if (options->label_features == 0) forget_features(data);
  if (options->label_edges == 0) data->graph = (sotto_graph){.nodes = data->graph.nodes};
  data->transfers = (sotto_transfers){.count = 0};
  if (options->label_edges > 0 && data->graph.entries == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no edge, and label-edges asks for some", data->name);
  if (options->label_features > 0 && data->features.cols == 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: its nodes have no features, and label-features asks for some", data->name);
  return SOTTO_OK;
}

/* Keeps only what this role may hold. */
static sotto_status keep_own(sotto_dataset *data, const sotto_options *options, const sotto_party *party,
                             const sotto_observer *observer, sotto_error *err) {
  sotto_role role = party->role;
  if (role == SOTTO_ROLE_CLIENT) return keep_client(data, options, err);
  if (role == SOTTO_ROLE_HOLDER) return keep_holders(data, options, party, observer, err);
  if (role == SOTTO_ROLE_DATA) {
    forget_labels(data);
    if (data->features.cols > 0) return SOTTO_OK;
    return sotto_i_fail(err, SOTTO_INVALID, "%s: its nodes have no features, which the data party gives",
                        data->name);
  }
  return keep_label_party(data, options, party, observer, err);
}

/* Adds what a party of labels alone gives, where others name their list of edges, to the reason for which its
 * table was refused. */
static void add_hint(sotto_error *err, const sotto_options *options) {
  char *table = NULL;
  const char *given = options->nodes[0] == '\0' ? NULL : options->nodes;
  if (err == NULL || !sotto_i_is_file(options->data)) return;
  const bool other = sotto_i_find_nodes(&table, options->data, given, NULL) == SOTTO_OK && table != NULL &&
                     strcmp(table, options->data) != 0;
  const size_t used = strlen(err->text);
  (void)snprintf(err->text + used, sizeof err->text - used,
                 "; this party gives labels alone, in a table with a row a node%s%s%s",
                 other ? ": give " : "", other ? table : "", other ? " as its data" : "");
  sotto_i_free(table);
}

/* Ranks read rows as they lie in the file. Rank 0 alone reads the names of nodes, which it compares with
 * those of its peer, and no rank keeps them. */
static sotto_status open_over_ranks(sotto_dataset *out, uint8_t nodes[32], const sotto_options *options,
                                    const sotto_party *party, sotto_error *err) {
  sotto_dataset named;
  sotto_status status;
  if (options->ids[0] != '\0')
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "ids: ranks read all rows as they lie in the file; make a file of these rows in one "
                        "process, or start the run without mpirun");
  SOTTO_TRY(sotto_dataset_open_ranks(out, party->ranks, options->data, party->rank_parts, err));
  if (!sotto_i_ranks_first(party->ranks)) goto done;
  named = (sotto_dataset){.graph = {.nodes = out->graph.nodes}};
  SOTTO_TRY(sotto_i_block_node_ids(&named.node_ids, sotto_i_block_of(out), err));
  sotto_i_party_digest_ids(nodes, &named);
  sotto_i_names_free(&named.node_ids);
done:
  return status;
}

static sotto_status open_alone(sotto_dataset *out, uint8_t nodes[32], const sotto_options *options,
                               const sotto_party *party, const char *run, bool nodes_only, sotto_error *err) {
  sotto_status status;
  status = sotto_i_run_data_open(out, options, run, nodes_only, NULL, err);
  if (status != SOTTO_OK && nodes_only) add_hint(err, options);
  if (status != SOTTO_OK || party->role == SOTTO_ROLE_CLIENT) return status;
  if (options->ids[0] != '\0')
    SOTTO_TRY(sotto_i_party_take_ids(out, nodes, options->ids, err));
  else
    sotto_i_party_digest_ids(nodes, out);
done:
  return status;
}

sotto_status sotto_party_dataset_open(sotto_dataset *out, uint8_t nodes[32], const sotto_options *options,
                                      const sotto_party *party, const char *run,
                                      const sotto_observer *observer, sotto_error *err) {
  sotto_status status;
  sotto_role role = party->role;
  const bool nodes_only = sotto_i_party_is_apart(party, options) && is_table(options->data) &&
                          (role == SOTTO_ROLE_HOLDER || options->label_edges == 0);
  SOTTO_I_CHECK(sodium_init() >= 0);
  memset(nodes, 0, 32);
  *out = (sotto_dataset){.name = "server"};
  if (!sotto_i_party_has_data(party)) return SOTTO_OK;
  status = party->ranks != NULL ? open_over_ranks(out, nodes, options, party, err)
                                : open_alone(out, nodes, options, party, run, nodes_only, err);
  SOTTO_TRY(status);
  status = keep_own(out, options, party, observer, err);
  if (status != SOTTO_OK && nodes_only) add_hint(err, options);
  SOTTO_TRY(status);
  sotto_i_forget_other_task(out, options);
done:
  if (status != SOTTO_OK) sotto_dataset_free(out);
  return status;
}

void sotto_party_settle(sotto_options *options, const sotto_party *party, const sotto_dataset *data) {
  if (party->role == SOTTO_ROLE_DATA || party->role == SOTTO_ROLE_LABEL || sotto_i_labels_join(options))
    sotto_options_settle(options, data->graph.nodes);
}
