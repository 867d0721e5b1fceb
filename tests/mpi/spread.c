/* What ranks write together, held against the obvious: sections of random ranges, and rows of random pairs.
 * Started by mpirun: FOLDER [SEED]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "graph/csr.h"
#include "graph/spread/rows.h"
#include "graph/spread/shared_file.h"
#include "must.h"

static uint64_t seed, state; /* the same in all ranks */

static void take_seed(uint64_t value) {
  seed = state = value;
  (void)snprintf(note, sizeof note, ", seed %llu", (unsigned long long)value);
}

static uint64_t draw(uint64_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (state >> 33) % below;
}

/* Sizes around those of a piece, in which whole ranges lie, and none. */
static uint64_t draw_size(void) {
  const uint64_t piece = 1 << 20;
  switch (draw(5)) {
  case 0:
    return 0;
  case 1:
    return draw(100);
  case 2:
    return piece;
  case 3:
    return draw(piece);
  default:
    return draw(3 * piece);
  }
}

/* A section of two ranges a rank has the bytes, and the checksum, that one process gives it. */
static void check_section(const char *folder) {
  enum { parts = 2 };
  const uint32_t count = sotto_ranks_count(ranks), number = sotto_ranks_number(ranks);
  uint64_t size = 0, sizes[parts][16], begin[parts][16];
  char path[512];
  CHECK(count <= 16);
  for (int p = 0; p < parts; p++)
    for (uint32_t r = 0; r < count; r++) {
      begin[p][r] = size;
      size += sizes[p][r] = draw_size();
    }
  uint8_t *bytes = malloc(size + 1), sum[32];
  CHECK(bytes != NULL);
  for (uint64_t i = 0; i < size; i++) bytes[i] = (uint8_t)draw(256);
  sotto_i_native_header header = {.nodes = 1};
  bool present[SOTTO_I_NATIVE_KINDS] = {[SOTTO_I_NATIVE_NAME] = true};
  header.table[SOTTO_I_NATIVE_NAME].size = size;
  sotto_i_shared_file file;
  sotto_i_strip strip;
  (void)snprintf(path, sizeof path, "%s/section", folder);
  MUST(sotto_i_shared_file_open(&file, ranks, path, &header, present, err));
  const uint64_t own[parts] = {sizes[0][number], sizes[1][number]};
  MUST(sotto_i_strip_begin(&strip, &file, SOTTO_I_NATIVE_NAME, own, parts, err));
  for (int p = 0; p < parts; p++) /* in two steps, which end anywhere */
    for (uint64_t at = 0; at < own[p];) {
      const uint64_t some = at == 0 ? own[p] / 3 + 1 : own[p] - at;
      MUST(sotto_i_strip_add(&strip, bytes + begin[p][number] + at, some, err));
      at += some;
    }
  MUST(sotto_i_strip_end(&strip, err));
  sotto_i_strip_free(&strip);
  MUST(sotto_i_shared_file_commit(&file, err));
  MUST(sotto_i_checksum(sum, bytes, size, err));
  CHECK(memcmp(sum, file.header.table[SOTTO_I_NATIVE_NAME].checksum, sizeof sum) == 0);
  sotto_i_map map;
  MUST(sotto_i_map_open(&map, path, err));
  CHECK(map.size == file.header.file_size);
  CHECK(memcmp(map.data + file.header.table[SOTTO_I_NATIVE_NAME].offset, bytes, size) == 0);
  sotto_i_map_close(&map);
  sotto_i_shared_file_close(&file);
  free(bytes);
  MUST(sotto_i_ranks_meet(ranks, err));
}

/* Rows of pairs that any rank found are those of sotto_graph_from_pairs, for any borders of ranks. */
static void check_rows(void) {
  enum { pairs = 3000 };
  const uint32_t count = sotto_ranks_count(ranks), number = sotto_ranks_number(ranks);
  const uint64_t nodes = 1 + draw(200);
  static uint32_t from[pairs], to[pairs];
  uint64_t first[17] = {0}, loops = 0;
  sotto_graph graph;
  sotto_i_rows rows;
  for (uint32_t r = 1; r < count; r++) first[r] = first[r - 1] + draw(nodes - first[r - 1] + 1);
  first[count] = nodes;
  MUST(sotto_i_rows_new(&rows, ranks, first, err));
  for (size_t i = 0; i < pairs; i++) {
    from[i] = (uint32_t)draw(nodes);
    to[i] = (uint32_t)draw(nodes);
    loops += from[i] == to[i];
    if (draw(count) == number) MUST(sotto_i_rows_add(&rows, from[i], to[i], err));
    bool more = false;
    if (i % 1000 == 0) MUST(sotto_i_rows_pass(&rows, &more, err));
  }
  bool more = number == 1;
  MUST(sotto_i_rows_pass(&rows, &more, err));
  CHECK(more == (count > 1));
  MUST(sotto_i_rows_finish(&rows, err));
  MUST(sotto_graph_from_pairs(&graph, nodes, from, to, pairs, err));
  CHECK(rows.pairs == pairs && rows.loops == loops && rows.entries == graph.entries);
  CHECK(rows.before == graph.offsets[first[number]]);
  const uint64_t own = first[number + 1] - first[number];
  for (uint64_t v = 0; v <= own; v++)
    CHECK(rows.before + rows.offsets[v] == graph.offsets[first[number] + v]);
  CHECK(memcmp(rows.targets, graph.targets + rows.before, rows.offsets[own] * sizeof *rows.targets) == 0);
  sotto_graph_free(&graph);
  sotto_i_rows_free(&rows);
}

int main(int argc, char **argv) {
  take_seed(0);
  CHECK(argc == 2 || argc == 3);
  MUST(sotto_ranks_begin(&ranks, NULL, err));
  sotto_key key;
  sotto_key_system(&key);
  memcpy(&seed, key.bytes, sizeof seed);
  if (argc == 3) seed = strtoull(argv[2], NULL, 10);
  MUST(sotto_i_ranks_give(ranks, &seed, sizeof seed, err));
  take_seed(seed);
  if (sotto_ranks_number(ranks) == 0) (void)printf("seed %llu\n", (unsigned long long)seed);
  for (int round = 0; round < 8; round++) {
    check_section(argv[1]);
    check_rows();
  }
  sotto_ranks_end(ranks, 0);
  return 0;
}
