/* What passes between ranks, and what a halo is, held against the obvious. Started by mpirun: FOLDER
 * [damage]. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/statistics/audit.h"
#include "graph/blocks/block.h"
#include "inside/audit.h"
#include "inside/ranks.h"
#include "keyed.h"
#include "must.h"
#include "ranks/ranks.h"
#include "sotto/audit.h"
#include "sotto/generate.h"

/* What rank `from` sends to rank `to` in place i. */
static uint8_t byte_of(uint32_t from, uint32_t to, uint64_t i) {
  return (uint8_t)(from * 31 + to * 17 + i * 7 + i / 251);
}

/* Parcels arrive whole and in order, also in many messages, also where some are empty. */
static void check_parcels(void) {
  enum { most = 5000, each = 2 };
  const uint32_t count = sotto_ranks_count(ranks), number = sotto_ranks_number(ranks);
  static const uint64_t sizes[each] = {most, 3};
  sotto_i_parcel parcels[64];
  static uint8_t sent[16][each][most], taken[16][each][most];
  size_t used = 0;
  CHECK(count <= 16);
  sotto_i_ranks_most_bytes(999);
  for (uint32_t r = 0; r < count; r++)
    for (size_t k = 0; r != number && k < each; k++) {
      for (uint64_t i = 0; i < sizes[k]; i++) sent[r][k][i] = byte_of(number, r, i + k);
      const uint64_t out = r == 0 && k == 0 ? 0 : sizes[k], in = number == 0 && k == 0 ? 0 : sizes[k];
      parcels[used++] = (sotto_i_parcel){.peer = r, .data = sent[r][k], .bytes = out};
      parcels[used++] = (sotto_i_parcel){.peer = r, .take = true, .data = taken[r][k], .bytes = in};
    }
  MUST(sotto_i_ranks_pass(ranks, parcels, used, err));
  for (uint32_t r = 0; r < count; r++)
    for (size_t k = 0; r != number && k < each; k++)
      for (uint64_t i = 0; i < (number == 0 && k == 0 ? 0 : sizes[k]); i++)
        CHECK(taken[r][k][i] == byte_of(r, number, i + k));
  sotto_i_ranks_most_bytes(0);
}

static void check_sums(void) {
  const uint32_t count = sotto_ranks_count(ranks), number = sotto_ranks_number(ranks);
  uint64_t values[2] = {number + 1, UINT64_MAX}, to[16], from[16];
  char text[8] = "";
  MUST(sotto_i_ranks_sum(ranks, values, 2, err));
  CHECK(values[0] == (uint64_t)count * (count + 1) / 2 && values[1] == 0 - (uint64_t)count);
  for (uint32_t r = 0; r < count; r++) to[r] = 100 * number + r;
  MUST(sotto_i_ranks_all_to_all(ranks, from, to, err));
  for (uint32_t r = 0; r < count; r++) CHECK(from[r] == 100 * r + number);
  if (number == 0) (void)snprintf(text, sizeof text, "first");
  MUST(sotto_ranks_text(ranks, text, sizeof text, err));
  CHECK(strcmp(text, "first") == 0);
}

/* Rows next to those of rank r that rank `owner` has, by looking at every edge. */
static uint64_t rows_between(const sotto_graph *g, const sotto_i_block *b, uint32_t r, uint32_t owner) {
  uint64_t count = 0;
  for (uint64_t v = 0; v < g->nodes; v++) {
    bool needed = false;
    for (uint64_t e = g->offsets[v]; sotto_i_block_owner(b, v) == owner && e < g->offsets[v + 1]; e++)
      needed = needed || sotto_i_block_owner(b, g->targets[e]) == r;
    count += needed;
  }
  return count;
}

/* Own rows and their edges are those of the graph, and rows of the halo come to their places. */
static void check_halo(const sotto_graph *g, const sotto_i_block *b, size_t cols) {
  const uint32_t count = sotto_ranks_count(ranks), number = sotto_ranks_number(ranks);
  const sotto_rank_traffic before = sotto_ranks_traffic(ranks);
  sotto_i_halo halo;
  uint64_t rows = 0, row = 0;
  MUST(sotto_i_halo_new(&halo, b, cols, err));
  for (size_t i = 0; i < b->count; i++)
    for (size_t j = 0; j < cols; j++) halo.rows[i * cols + j] = (int32_t)(b->own[i] * cols + j);
  MUST(sotto_i_halo_pass(&halo, err));
  for (uint64_t v = 0; v < g->nodes; v++) {
    if (sotto_i_block_owner(b, v) != number) continue;
    CHECK(b->own[row] == v && sotto_graph_degree(&b->graph, row) == sotto_graph_degree(g, v));
    for (uint64_t e = 0; e < sotto_graph_degree(g, v); e++) {
      const uint32_t at = b->graph.targets[b->graph.offsets[row] + e];
      for (size_t j = 0; j < cols; j++)
        CHECK(halo.rows[at * cols + j] == (int32_t)(g->targets[g->offsets[v] + e] * cols + j));
    }
    row++;
  }
  CHECK(row == b->count);
  for (uint32_t r = 0; r < count; r++)
    if (r != number) rows += rows_between(g, b, r, number);
  const sotto_rank_traffic after = sotto_ranks_traffic(ranks);
  const uint64_t sent = after.halo_sent - before.halo_sent;
  CHECK(sent == rows * cols * sizeof(int32_t) && after.sent - before.sent == sent);
  CHECK(after.halo_planned - before.halo_planned == sent);
  sotto_i_halo_free(&halo);
}

/* Ranks do not read transfers, but their digest is that of one process. */
static void check_transfers(const char *folder) {
  const sotto_payments_options options = {.nodes = 500, .dial = 1};
  sotto_dataset whole, data;
  sotto_key key;
  char path[512];
  sotto_key_public(&key, 6);
  (void)snprintf(path, sizeof path, "%s/transfers.sotto", folder);
  MUST(sotto_generate_payments(&whole, &options, &key, err));
  if (sotto_ranks_number(ranks) == 0) MUST(sotto_dataset_save(&whole, path, err));
  MUST(sotto_i_ranks_meet(ranks, err));
  MUST(sotto_dataset_open_ranks(&data, ranks, path, SOTTO_RANK_PARTS_RANDOM, err));
  CHECK(memcmp(data.digest, whole.digest, sizeof data.digest) == 0);
  CHECK(memcmp(data.account, whole.account, sizeof data.account) == 0);
  sotto_dataset_free(&data);
  sotto_dataset_free(&whole);
}

static void check_block(const char *folder, sotto_rank_parts parts) {
  const sotto_sbm_options options = {.nodes = 700,
                                     .classes = 3,
                                     .features = 5,
                                     .degree_inside = 8,
                                     .degree_outside = 3,
                                     .feature_signal = 1};
  sotto_dataset whole, data;
  sotto_key key;
  char path[512];
  sotto_key_public(&key, 4);
  (void)snprintf(path, sizeof path, "%s/checks.sotto", folder);
  MUST(sotto_generate_sbm(&whole, &options, &key, err));
  if (sotto_ranks_number(ranks) == 0) MUST(sotto_dataset_save(&whole, path, err));
  MUST(sotto_i_ranks_meet(ranks, err));
  MUST(sotto_dataset_open_ranks(&data, ranks, path, parts, err));
  CHECK(memcmp(data.digest, whole.digest, sizeof data.digest) == 0);
  CHECK(memcmp(data.account, whole.account, sizeof data.account) == 0);
  CHECK(memcmp(data.labels, whole.labels, whole.graph.nodes * sizeof *whole.labels) == 0);
  const sotto_i_block *b = sotto_i_block_of(&data);
  uint64_t nodes = b->count;
  float row[5];
  MUST(sotto_i_ranks_sum(ranks, &nodes, 1, err));
  CHECK(nodes == whole.graph.nodes);
  MUST(sotto_i_block_features(b, row, 13, 1, err));
  CHECK(memcmp(row, whole.features.data + 13 * 5, sizeof row) == 0);
  check_halo(&whole.graph, b, 3);
  sotto_i_ranks_most_bytes(100);
  check_halo(&whole.graph, b, 1);
  sotto_i_ranks_most_bytes(0);
  sotto_dataset_free(&data);
  sotto_dataset_free(&whole);
}

/* Sparse features, of which a batch of rows has more entries than a look at dense rows would skip zeros for.
 * tests/mpi/test_ranks.sh trains on the file. */
enum { sparse_nodes = 33000, sparse_cols = 300, few_words = 3, many_words = 120, many_until = 16000 };

static void make_sparse(sotto_dataset *out) {
  const uint64_t most = (uint64_t)sparse_nodes * few_words + (uint64_t)many_until * many_words;
  uint64_t *starts = calloc(sparse_nodes + 1, sizeof *starts);
  uint32_t *columns = calloc(most, sizeof *columns), *ends[2];
  float *values = calloc(most, sizeof *values);
  int32_t *labels = calloc(sparse_nodes, sizeof *labels);
  for (int i = 0; i < 2; i++) ends[i] = calloc(2 * (size_t)sparse_nodes, sizeof *ends[i]);
  CHECK(starts != NULL && columns != NULL && values != NULL && labels != NULL && ends[0] != NULL &&
        ends[1] != NULL);
  uint32_t at = 0;
  for (uint32_t v = 0; v < sparse_nodes; v++) {
    const uint32_t words = v < many_until ? many_words : few_words, step = sparse_cols / words;
    labels[v] = (int32_t)(v % 3);
    for (uint32_t j = 0; j < words; j++, at++) {
      columns[at] = j * step + (v * 7 + j * 5) % step;
      values[at] = 0.25F + (float)((v * 13 + j * 11) % 97) / 31;
    }
    starts[v + 1] = at;
    for (uint32_t k = 0; k < 2; k++) {
      ends[0][2 * v + k] = v;
      ends[1][2 * v + k] = (v + 3 * (1 + v % (50 + 20 * k))) % sparse_nodes;
    }
  }
  const sotto_arrays a = {.name = "words",
                          .nodes = sparse_nodes,
                          .feature_columns = sparse_cols,
                          .classes = 3,
                          .sources = {ends[0], 2 * (size_t)sparse_nodes, SOTTO_INDEX_U32},
                          .targets = {ends[1], 2 * (size_t)sparse_nodes, SOTTO_INDEX_U32},
                          .labels = labels,
                          .keep_entries = true,
                          .feature_indptr = {starts, sparse_nodes + 1, SOTTO_INDEX_U64},
                          .feature_indices = {columns, at, SOTTO_INDEX_U32},
                          .feature_values = values};
  MUST(sotto_dataset_from_arrays(out, &a, err));
  CHECK(out->entries.offsets != NULL);
  free(starts);
  free(columns);
  free(values);
  free(labels);
  for (int i = 0; i < 2; i++) free(ends[i]);
}

static void check_sparse(const char *folder) {
  sotto_dataset whole, data;
  char path[512];
  static float row[3 * sparse_cols], wanted[3 * sparse_cols];
  (void)snprintf(path, sizeof path, "%s/words.sotto", folder);
  make_sparse(&whole);
  if (sotto_ranks_number(ranks) == 0) MUST(sotto_dataset_save(&whole, path, err));
  MUST(sotto_i_ranks_meet(ranks, err));
  MUST(sotto_dataset_open_ranks(&data, ranks, path, SOTTO_RANK_PARTS_RANDOM, err));
  CHECK(memcmp(data.digest, whole.digest, sizeof data.digest) == 0);
  CHECK(memcmp(data.account, whole.account, sizeof data.account) == 0);
  CHECK(memcmp(data.features_digest, whole.features_digest, sizeof data.features_digest) == 0);
  for (uint64_t v = 0; v + 3 <= whole.graph.nodes; v += 997) {
    MUST(sotto_i_block_features(sotto_i_block_of(&data), row, v, 3, err));
    sotto_dataset_rows(wanted, &whole, v, 3);
    CHECK(memcmp(row, wanted, sizeof row) == 0);
  }
  sotto_dataset_free(&data);
  sotto_dataset_free(&whole);
}

/* A file with a changed byte is refused by all, with the same status. Each rank leaves a file that says so:
 * one that still sends to a rank that has failed ends them all, and the status of mpirun is then a failure.
 */
static void check_damage(const char *folder) {
  sotto_dataset data;
  sotto_error damage = {0};
  char path[512];
  (void)snprintf(path, sizeof path, "%s/checks.sotto", folder);
  if (sotto_ranks_number(ranks) == 0) {
    FILE *file = fopen(path, "r+b");
    CHECK(file != NULL && fseek(file, -100, SEEK_END) == 0);
    const int byte = fgetc(file);
    CHECK(fseek(file, -100, SEEK_END) == 0 && fputc(byte ^ 1, file) != EOF && fclose(file) == 0);
  }
  /* Another rank may have seen it before this one has met all. */
  sotto_status status = sotto_i_ranks_meet(ranks, &damage);
  if (status == SOTTO_OK)
    status = sotto_dataset_open_ranks(&data, ranks, path, SOTTO_RANK_PARTS_RANDOM, &damage);
  if (status != SOTTO_OK) sotto_ranks_fail(ranks, &damage);
  CHECK(status == SOTTO_CORRUPT || status == SOTTO_RANGE);
  (void)snprintf(path, sizeof path, "%s/refused-%u-of-%u", folder, (unsigned)sotto_ranks_number(ranks),
                 (unsigned)sotto_ranks_count(ranks));
  FILE *seen = fopen(path, "w");
  CHECK(seen != NULL && fclose(seen) == 0);
}

static sotto_status draw(void *context, double *statistics, bool second, const sotto_key *key,
                         sotto_error *err) {
  double value = second ? 1 : 0;
  (void)err;
  ++*(uint64_t *)context;
  for (int i = 0; i < 16; i++) value += key->bytes[i] / 255.0;
  statistics[0] = value;
  statistics[1] = key->bytes[16];
  return SOTTO_OK;
}

/* Trials over ranks: the bounds of one process with rank 0's keys, and each trial is made once. */
static void check_canary(void) {
  enum { trials = 1001 };
  uint64_t made = 0;
  sotto_canary canary = {
      .context = &made, .statistics = 2, .draw = draw, .epsilon = 1, .delta = 1e-3, .mu = 1, .ranks = ranks};
  sotto_canary_result shared, alone;
  check_rank = (uint8_t)sotto_ranks_number(ranks);
  MUST(sotto_i_audit_canary(&shared, &canary, trials, &(sotto_i_cells){.ranks = canary.ranks}, NULL, err));
  MUST(sotto_i_ranks_sum(ranks, &made, 1, err));
  CHECK(made == 2 * trials && shared.trials == trials && shared.lower > 0);
  canary.ranks = NULL;
  check_rank = check_keys_made = 0;
  MUST(sotto_i_audit_canary(&alone, &canary, trials, &(sotto_i_cells){.ranks = canary.ranks}, NULL, err));
  CHECK(memcmp(&alone.lower, &shared.lower, sizeof alone.lower) == 0);
  CHECK(memcmp(&alone.mu_lower, &shared.mu_lower, sizeof alone.mu_lower) == 0);
}

int main(int argc, char **argv) {
  CHECK(argc == 2 || (argc == 3 && strcmp(argv[2], "damage") == 0));
  /* A communicator of a program that has MPI for itself; the program without one is tests/mpi/test_ranks.sh.
   */
  MPI_Comm communicator;
  CHECK(MPI_Init(NULL, NULL) == MPI_SUCCESS && MPI_Comm_dup(MPI_COMM_WORLD, &communicator) == MPI_SUCCESS);
  MUST(sotto_ranks_begin(&ranks, &communicator, err));
  if (argc == 3) {
    check_damage(argv[1]);
  } else {
    check_parcels();
    check_sums();
    check_canary();
    check_transfers(argv[1]);
    check_block(argv[1], SOTTO_RANK_PARTS_RANDOM);
    check_block(argv[1], SOTTO_RANK_PARTS_METIS);
    check_sparse(argv[1]);
  }
  sotto_ranks_end(ranks, 0);
  return MPI_Comm_free(&communicator) == MPI_SUCCESS && MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
