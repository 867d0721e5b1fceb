/* A native file opened by ranks: the header and what is small in each of them, edges by rows, features not at
 * all, or mapped where they are sparse. Every byte is checked, by one rank each. */
#include <math.h>
#include <sodium.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "block.h"
#include "graph/dataset.h"
#include "graph/io/native.h"

static const char native_end[] = ".sotto";

void sotto_i_block_free(sotto_i_block *b) {
  if (b == NULL) return;
  sotto_i_free(b->owners);
  sotto_i_free(b->own);
  sotto_graph_free(&b->graph);
  sotto_i_free(b->halo_first);
  sotto_i_free(b->send);
  sotto_i_free(b->send_first);
  if (b->map.data != NULL) sotto_i_map_close(&b->map);
  sotto_i_reader_close(&b->file);
  sotto_i_free(b);
}

const sotto_i_block *sotto_i_block_of(const sotto_dataset *data) {
  const sotto_i_parts *parts = data == NULL ? NULL : data->storage;
  return parts == NULL ? NULL : parts->block;
}

sotto_status sotto_i_block_features(const sotto_i_block *b, float *out, size_t first, size_t count,
                                    sotto_error *err) {
  const uint64_t row = b->cols * sizeof *out;
  const sotto_dataset sparse = {.features = {NULL, b->nodes, b->cols}, .entries = b->entries};
  if (b->entries.offsets != NULL) {
    sotto_dataset_rows(out, &sparse, first, count);
    return SOTTO_OK;
  }
  return sotto_i_reader_at(&b->file, out, count * row, b->features_at + first * row, err);
}

static sotto_status read_header(sotto_i_native_header *h, const sotto_i_reader *file, sotto_error *err) {
  uint8_t bytes[sizeof *h] = {0};
  const size_t size = file->size < sizeof bytes ? file->size : sizeof bytes;
  const sotto_i_source source = {.file = file->path, .data = bytes, .size = file->size};
  sotto_status status = sotto_i_reader_at(file, bytes, size, 0, err);
  return status == SOTTO_OK ? sotto_i_native_header_read(h, &source, err) : status;
}

/* Features of a piece are finite where its bytes are looked at. */
static bool all_finite(const uint8_t *bytes, size_t size) {
  for (size_t at = 0; at + sizeof(float) <= size; at += sizeof(float)) {
    float value;
    memcpy(&value, bytes + at, sizeof value);
    if (!isfinite(value)) return false;
  }
  return true;
}

typedef struct checking {
  sotto_i_block *block;
  const sotto_i_native_section *section;
  bool numbers;
  uint8_t *piece;
  uint8_t (*digests)[SOTTO_I_PIECE_DIGEST]; /* of the pieces of this rank, one after the other */
} checking;

static sotto_status hash_pieces(const checking *c, size_t pieces, sotto_error *err) {
  const uint32_t count = sotto_ranks_count(c->block->ranks);
  const sotto_i_reader *file = &c->block->file;
  for (size_t i = sotto_ranks_number(c->block->ranks), k = 0; i < pieces; i += count, k++) {
    const uint64_t at = (uint64_t)i * SOTTO_I_PIECE, left = c->section->size - at;
    const size_t size = left < SOTTO_I_PIECE ? left : SOTTO_I_PIECE;
    sotto_status status = sotto_i_check_interrupt(err);
    if (status == SOTTO_OK) status = sotto_i_reader_at(file, c->piece, size, c->section->offset + at, err);
    if (status != SOTTO_OK) return status;
    crypto_generichash(c->digests[k], SOTTO_I_PIECE_DIGEST, c->piece, size, NULL, 0);
    if (c->numbers && !all_finite(c->piece, size))
      return sotto_i_fail(err, SOTTO_NUMERIC, "%s: a feature is not finite", file->path);
  }
  return SOTTO_OK;
}

static sotto_status compare(const checking *c, size_t pieces, sotto_error *err) {
  uint8_t sum[32];
  const sotto_status status = sotto_i_block_sum_pieces(sum, c->block, c->digests, pieces, err);
  if (status != SOTTO_OK || !sotto_i_ranks_first(c->block->ranks)) return status;
  if (sodium_memcmp(sum, c->section->checksum, sizeof sum) != 0)
    return sotto_i_fail(err, SOTTO_CORRUPT,
                        "%s: a section does not have its checksum: the file is damaged. Copy it, or import "
                        "the data, again",
                        c->block->file.path);
  return SOTTO_OK;
}

static sotto_status check_sections(sotto_i_block *b, const sotto_i_native_header *h, sotto_error *err) {
  checking c = {.block = b};
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&c.piece, SOTTO_I_PIECE, 1, err));
  for (size_t k = 0; k < SOTTO_I_NATIVE_KINDS; k++) {
    c.section = &h->table[k];
    c.numbers = k == SOTTO_I_NATIVE_FEATURES;
    if (c.section->offset == 0) continue;
    const size_t pieces = (size_t)((c.section->size + SOTTO_I_PIECE - 1) / SOTTO_I_PIECE);
    SOTTO_TRY(sotto_i_new(&c.digests, sotto_i_block_pieces(b, pieces), SOTTO_I_PIECE_DIGEST, err));
    SOTTO_TRY(hash_pieces(&c, pieces, err));
    SOTTO_TRY(compare(&c, pieces, err));
    sotto_i_free(c.digests);
    c.digests = NULL;
  }
done:
  sotto_i_free(c.piece);
  sotto_i_free(c.digests);
  return status;
}

static sotto_status read_section(void *out, size_t item, const sotto_i_block *b,
                                 const sotto_i_native_section *s, sotto_error *err) {
  if (s->offset == 0) return SOTTO_OK;
  sotto_status status = sotto_i_new_raw(out, (size_t)s->size / item, item, err);
  if (status != SOTTO_OK) return status;
  return sotto_i_reader_at(&b->file, *(void **)out, (size_t)s->size, s->offset, err);
}

static sotto_status check_nodes(const sotto_i_parts *p, const char *path, sotto_error *err) {
  for (uint64_t v = 0; p->labels != NULL && v < p->nodes; v++)
    if (p->labels[v] < -1 || (p->labels[v] >= 0 && (uint32_t)p->labels[v] >= p->classes))
      return sotto_i_fail(err, SOTTO_RANGE, "%s: label %d of node %llu is not below the %u classes", path,
                          (int)p->labels[v], (unsigned long long)v, p->classes);
  for (uint64_t v = 0; p->split != NULL && v < p->nodes; v++)
    if (p->split[v] > SOTTO_PART_TEST)
      return sotto_i_fail(err, SOTTO_RANGE, "%s: node %llu is in part %u of the split; 0 to 3 are known",
                          path, (unsigned long long)v, p->split[v]);
  return SOTTO_OK;
}

static sotto_status read_parts(sotto_i_parts *p, const sotto_i_native_header *h, const sotto_i_block *b,
                               sotto_error *err) {
  const sotto_i_native_section *name = &h->table[SOTTO_I_NATIVE_NAME];
  sotto_status status;
  *p = (sotto_i_parts){.nodes = h->nodes,
                       .edge_entries = h->entries,
                       .width = h->width,
                       .classes = h->classes,
                       .summed = true};
  for (size_t k = SOTTO_I_NATIVE_OFFSETS; k < SOTTO_I_NATIVE_NAMES; k++)
    memcpy(p->sums[k - SOTTO_I_NATIVE_OFFSETS], h->table[k].checksum, sizeof h->table[k].checksum);
  SOTTO_TRY(sotto_i_new(&p->name, (size_t)name->size + 1, 1, err));
  SOTTO_TRY(sotto_i_reader_at(&b->file, p->name, (size_t)name->size, name->offset, err));
  SOTTO_TRY(sotto_i_strdup(&p->path, b->file.path, err));
  sotto_text_clean(p->name, false);
  SOTTO_TRY(read_section(&p->labels, sizeof *p->labels, b, &h->table[SOTTO_I_NATIVE_LABELS], err));
  SOTTO_TRY(read_section(&p->split, 1, b, &h->table[SOTTO_I_NATIVE_SPLIT], err));
  SOTTO_TRY(check_nodes(p, b->file.path, err));
done:
  return status;
}

/* `parts` and the block become the dataset's. */
static sotto_status assemble(sotto_dataset *out, sotto_i_parts *parts, sotto_i_block *b, sotto_error *err) {
  const sotto_status status = sotto_i_dataset_counted(out, parts, err);
  if (status != SOTTO_OK) return status;
  sotto_i_parts *kept = out->storage;
  out->entries = b->entries;
  kept->block = b;
  kept->free_block = sotto_i_block_free;
  return SOTTO_OK;
}

static sotto_status begin(sotto_i_block *b, sotto_i_native_header *h, const char *path, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_reader_open(&b->file, path, err));
  SOTTO_TRY(read_header(h, &b->file, err));
  if (h->graph_count > 0) {
    status =
        sotto_i_fail(err, SOTTO_UNSUPPORTED,
                     "%s: is a collection of graphs, which one process holds: start it without mpirun", path);
    goto done;
  }
  b->nodes = h->nodes;
  b->cols = (size_t)h->width;
  b->features_at = h->table[SOTTO_I_NATIVE_FEATURES].offset;
  memcpy(&b->key, h->checksum, sizeof b->key);
done:
  return status;
}

sotto_status sotto_dataset_open_ranks(sotto_dataset *out, sotto_ranks *ranks, const char *path,
                                      sotto_rank_parts how, sotto_error *err) {
  sotto_i_native_header h;
  sotto_i_parts parts = {0};
  sotto_i_block *b = NULL;
  sotto_status status;
  *out = (sotto_dataset){0};
  const size_t size = strlen(path), end = strlen(native_end);
  if (size < end || strcmp(path + size - end, native_end) != 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "%s: ranks read native files alone, each its own rows: sotto data import %s "
                        "NAME.sotto makes one",
                        path, path);
  SOTTO_TRY(sotto_i_new(&b, 1, sizeof *b, err));
  b->file.descriptor = -1;
  b->ranks = ranks;
  SOTTO_TRY(begin(b, &h, path, err));
  SOTTO_TRY(check_sections(b, &h, err));
  SOTTO_TRY(read_parts(&parts, &h, b, err));
  SOTTO_TRY(sotto_i_block_find_entries(b, &h, err));
  if (b->entries.offsets != NULL)
    SOTTO_TRY(sotto_i_block_sum_entries(parts.sums[SOTTO_I_SUM_FEATURES], b, err));
  const uint64_t offsets = h.table[SOTTO_I_NATIVE_OFFSETS].offset;
  const uint64_t targets = h.table[SOTTO_I_NATIVE_TARGETS].offset;
  if (how == SOTTO_RANK_PARTS_METIS) SOTTO_TRY(sotto_i_block_metis(b, offsets, targets, h.entries, err));
  SOTTO_TRY(sotto_i_block_choose(b, err));
  SOTTO_TRY(sotto_i_block_read_edges(b, offsets, targets, h.entries, err));
  SOTTO_TRY(assemble(out, &parts, b, err));
  b = NULL;
done:
  sotto_i_parts_free(&parts);
  sotto_i_block_free(b);
  return status;
}
