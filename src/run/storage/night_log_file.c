/* The file of a night log: a first line, numbers, digests, nodes, edges, and a checksum of all of it. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "night_log.h"

static const char first_line[] = "sotto nights 1\n";

/* The header after the first line; all arrays that follow it are aligned. */
typedef struct head {
  char line[16];
  uint64_t night, edges;
  uint8_t mark[32], rows[32];
} head;

static void checksum(uint8_t out[32], const head *h, const void *nodes, size_t node_bytes, const void *edges,
                     size_t edge_bytes) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, 32);
  crypto_generichash_update(&state, (const uint8_t *)h, sizeof *h);
  crypto_generichash_update(&state, nodes, node_bytes);
  crypto_generichash_update(&state, edges, edge_bytes);
  crypto_generichash_final(&state, out, 32);
}

sotto_status sotto_i_night_log_save(const sotto_i_night_log *log, const char *path, sotto_error *err) {
  const size_t node_bytes = ((size_t)log->night + 1) * sizeof *log->nodes;
  const size_t edge_bytes = log->edge_count * sizeof *log->edges;
  uint8_t digest[32];
  sotto_i_writer writer;
  sotto_status status;
  head h = {.night = log->night, .edges = log->edge_count};
  memcpy(h.line, first_line, sizeof first_line);
  memcpy(h.mark, log->mark, sizeof h.mark);
  memcpy(h.rows, log->rows, sizeof h.rows);
  checksum(digest, &h, log->nodes, node_bytes, log->edges, edge_bytes);
  status = sotto_i_writer_open(&writer, path, err);
  if (status != SOTTO_OK) return status;
  SOTTO_TRY(sotto_i_writer_add(&writer, &h, sizeof h, err));
  SOTTO_TRY(sotto_i_writer_add(&writer, log->nodes, node_bytes, err));
  if (edge_bytes > 0) SOTTO_TRY(sotto_i_writer_add(&writer, log->edges, edge_bytes, err));
  SOTTO_TRY(sotto_i_writer_add(&writer, digest, sizeof digest, err));
  SOTTO_TRY(sotto_i_writer_commit(&writer, err));
done:
  sotto_i_writer_abandon(&writer);
  return status;
}

/* Does the file have the size that its header claims? */
static bool is_whole(const head *h, const sotto_i_map *map) {
  if (memcmp(h->line, first_line, sizeof first_line) != 0 || h->night > UINT16_MAX) return false;
  const size_t node_bytes = ((size_t)h->night + 1) * sizeof(uint64_t), rest = map->size - sizeof *h - 32;
  if (rest < node_bytes || h->edges != (rest - node_bytes) / sizeof(sotto_i_night_edge)) return false;
  const size_t edge_bytes = h->edges * sizeof(sotto_i_night_edge);
  uint8_t digest[32];
  if (edge_bytes != rest - node_bytes) return false;
  const uint8_t *nodes = map->data + sizeof *h;
  checksum(digest, h, nodes, node_bytes, nodes + node_bytes, edge_bytes);
  return memcmp(digest, map->data + map->size - sizeof digest, sizeof digest) == 0;
}

sotto_status sotto_i_night_log_load(sotto_i_night_log *out, const char *path, sotto_error *err) {
  sotto_i_map map;
  head h;
  *out = (sotto_i_night_log){.night = 0};
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  if (map.size >= sizeof h + 32) memcpy(&h, map.data, sizeof h);
  if (map.size < sizeof h + 32 || !is_whole(&h, &map)) {
    status =
        sotto_i_fail(err, SOTTO_CORRUPT,
                     "%s: is not what was written there; bring it back from a copy of the folder. Without "
                     "it no night can follow",
                     path);
    goto done;
  }
  const size_t nodes = (size_t)h.night + 1;
  SOTTO_TRY(sotto_i_new_raw(&out->nodes, nodes, sizeof *out->nodes, err));
  SOTTO_TRY(sotto_i_new_raw(&out->edges, h.edges, sizeof *out->edges, err));
  memcpy(out->nodes, map.data + sizeof h, nodes * sizeof *out->nodes);
  if (h.edges > 0)
    memcpy(out->edges, map.data + sizeof h + nodes * sizeof *out->nodes, h.edges * sizeof *out->edges);
  out->night = (uint32_t)h.night;
  out->edge_count = h.edges;
  memcpy(out->mark, h.mark, sizeof out->mark);
  memcpy(out->rows, h.rows, sizeof out->rows);
done:
  sotto_i_map_close(&map);
  if (status != SOTTO_OK) sotto_i_night_log_free(out);
  return status;
}
