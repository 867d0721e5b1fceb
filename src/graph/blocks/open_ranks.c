/* A native file opened by ranks: every rank loads the header and the small sections, edges are loaded by
 * rows, features stay in the file or are mapped. Each byte is checked by one rank. */
#include <errno.h>
#include <math.h>
#include <sodium.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "block.h"
#include "graph/dataset.h"
#include "graph/features.h"
#include "graph/io/native.h"

static size_t count_pieces(size_t pieces, uint32_t rank, uint32_t count) {
  return pieces > rank ? (pieces - rank - 1) / count + 1 : 0;
}

/* The number of pieces that this rank hashes. */
static size_t count_own_pieces(const sotto_i_block *b, size_t pieces) {
  return count_pieces(pieces, sotto_ranks_number(b->ranks), sotto_ranks_count(b->ranks));
}

/* Rank 0 puts the digests of all ranks into their order. */
static sotto_status combine_digests(uint8_t sum[32], const sotto_i_block *b,
                                    uint8_t (*digests)[SOTTO_I_PIECE_DIGEST], size_t pieces,
                                    sotto_error *err) {
  const uint32_t count = sotto_ranks_count(b->ranks);
  uint8_t(*theirs)[SOTTO_I_PIECE_DIGEST] = NULL, (*all)[SOTTO_I_PIECE_DIGEST] = NULL;
  sotto_status status;
  if (!sotto_i_ranks_first(b->ranks)) {
    const size_t own = count_own_pieces(b, pieces);
    const sotto_i_parcel sent = {.data = digests, .bytes = own * sizeof *digests};
    return sotto_i_ranks_pass(b->ranks, &sent, 1, err);
  }
  SOTTO_TRY(sotto_i_new(&all, pieces, sizeof *all, err));
  SOTTO_TRY(sotto_i_new(&theirs, count_pieces(pieces, 0, count), sizeof *theirs, err));
  for (uint32_t r = 0; r < count; r++) {
    const size_t some = count_pieces(pieces, r, count);
    const sotto_i_parcel taken = {.peer = r, .take = true, .data = theirs, .bytes = some * sizeof *theirs};
    if (r > 0) SOTTO_TRY(sotto_i_ranks_pass(b->ranks, &taken, 1, err));
    for (size_t k = 0; k < some; k++)
      memcpy(all[r + k * count], r == 0 ? digests[k] : theirs[k], sizeof *all);
  }
  crypto_generichash(sum, 32, (const uint8_t *)all, pieces * sizeof *all, NULL, 0);
done:
  sotto_i_free(all);
  sotto_i_free(theirs);
  return status;
}

enum { window_rows = 1 << 12 };

static sotto_status map_file(sotto_i_block *b, sotto_error *err) {
  void *data = mmap(NULL, (size_t)b->file.size, PROT_READ, MAP_PRIVATE, b->file.descriptor, 0);
  if (data == MAP_FAILED)
    return sotto_i_fail(err, SOTTO_IO, "%s: could not map it into memory: %s", b->file.path, strerror(errno));
  b->map = (sotto_i_map){.data = data, .size = (size_t)b->file.size, .mapped = true};
  return SOTTO_OK;
}

/* Checks rows first to first + rows - 1. The offsets at both ends of the window are checked with it. */
static sotto_status check_window(const sotto_i_block *b, uint64_t *offsets, uint64_t first, size_t rows,
                                 uint64_t total, sotto_error *err) {
  const sotto_entries *e = &b->entries;
  const uint64_t open_header = e->offsets[first], end = e->offsets[first + rows];
  sotto_error why = {0};
  if (open_header > end || end > total)
    return sotto_i_fail(
        err, SOTTO_CORRUPT,
        "%s: section entry_offsets: the features of node %llu do not fit the number of values", b->file.path,
        (unsigned long long)first);
  for (size_t i = 0; i <= rows; i++) offsets[i] = e->offsets[first + i] - open_header;
  const sotto_i_parts window = {.nodes = rows,
                                .width = b->cols,
                                .entries = {offsets, (uint32_t *)(uintptr_t)(e->columns + open_header),
                                            (float *)(uintptr_t)(e->values + open_header)}};
  const sotto_status status = sotto_i_entries_check(&window, &why);
  if (status != SOTTO_OK)
    return sotto_i_fail(err, status, "%s: counted from node %llu on: %s", b->file.path,
                        (unsigned long long)first, why.text);
  return SOTTO_OK;
}

static sotto_status check_own(const sotto_i_block *b, uint64_t total, sotto_error *err) {
  const uint64_t step = (uint64_t)window_rows * sotto_ranks_count(b->ranks);
  uint64_t *offsets = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&offsets, window_rows + 1, sizeof *offsets, err));
  for (uint64_t first = (uint64_t)window_rows * sotto_ranks_number(b->ranks); first < b->nodes;
       first += step) {
    const uint64_t left = b->nodes - first;
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(check_window(b, offsets, first, left < window_rows ? (size_t)left : window_rows, total, err));
  }
done:
  sotto_i_free(offsets);
  return status;
}

/* Maps the file and finds the sparse entries, of which each rank checks some; nothing when features are
 * dense. Errors: CORRUPT, NUMERIC, RANGE (implausible size), IO, NOMEM. */
static sotto_status map_entries(sotto_i_block *b, const sotto_i_native_header *h, sotto_error *err) {
  const uint64_t size = h->table[SOTTO_I_NATIVE_ENTRY_VALUES].size, total = size / sizeof(float);
  sotto_status status = SOTTO_OK;
  if (h->table[SOTTO_I_NATIVE_ENTRY_OFFSETS].offset == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_features_check_size(h->nodes, h->width, true, b->file.path, (size_t)b->file.size, err));
  SOTTO_TRY(map_file(b, err));
  const uint8_t *data = b->map.data;
  b->entries =
      (sotto_entries){(const uint64_t *)(const void *)(data + h->table[SOTTO_I_NATIVE_ENTRY_OFFSETS].offset),
                      (const uint32_t *)(const void *)(data + h->table[SOTTO_I_NATIVE_ENTRY_COLUMNS].offset),
                      (const float *)(const void *)(data + h->table[SOTTO_I_NATIVE_ENTRY_VALUES].offset)};
  if (size % sizeof(float) != 0 || b->entries.offsets[0] != 0 || b->entries.offsets[b->nodes] != total) {
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: section entry_offsets does not fit the %llu values",
                          b->file.path, (unsigned long long)total);
    goto done;
  }
  status = check_own(b, total, err);
done:
  return status;
}

/* Computes the checksum of the dense table in all ranks. Errors: NOMEM, those of another rank. */
static sotto_status hash_entries(uint8_t sum[32], const sotto_i_block *b, sotto_error *err) {
  const uint64_t cells = b->nodes * b->cols, each = SOTTO_I_PIECE / sizeof(float);
  const size_t pieces = (size_t)((cells + each - 1) / each);
  uint8_t(*digests)[SOTTO_I_PIECE_DIGEST] = NULL;
  float *piece = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_ranks_meet(b->ranks, err)); /* so that all ranks have checked their entries */
  SOTTO_TRY(sotto_i_new_raw(&piece, SOTTO_I_PIECE, 1, err));
  SOTTO_TRY(sotto_i_new(&digests, count_own_pieces(b, pieces), sizeof *digests, err));
  for (size_t i = sotto_ranks_number(b->ranks), k = 0; i < pieces; i += sotto_ranks_count(b->ranks), k++) {
    const uint64_t first = i * each, end = cells - first < each ? cells : first + each;
    SOTTO_TRY(sotto_i_check_interrupt(err));
    sotto_i_entries_expand(piece, &b->entries, b->cols, first, end - first);
    crypto_generichash(digests[k], sizeof digests[k], (const uint8_t *)piece,
                       (size_t)(end - first) * sizeof *piece, NULL, 0);
  }
  SOTTO_TRY(combine_digests(sum, b, digests, pieces, err));
  SOTTO_TRY(sotto_i_ranks_give(b->ranks, sum, 32, err));
  /* the pages are loaded again on access */
  (void)madvise((void *)(uintptr_t)b->map.data, b->map.size, MADV_DONTNEED);
done:
  sotto_i_free(piece);
  sotto_i_free(digests);
  return status;
}

static const char native_end[] = ".sotto";

static void free_block(sotto_i_block *b) {
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

/* Whether all features in a piece are finite. */
static bool all_finite(const uint8_t *bytes, size_t size) {
  for (size_t at = 0; at + sizeof(float) <= size; at += sizeof(float)) {
    float value;
    memcpy(&value, bytes + at, sizeof value);
    if (!isfinite(value)) return false;
  }
  return true;
}

typedef struct section_check {
  sotto_i_block *block;
  const sotto_i_native_section *section;
  bool numbers;
  uint8_t *piece;
  uint8_t (*digests)[SOTTO_I_PIECE_DIGEST]; /* digests of this rank's pieces, in order */
} section_check;

static sotto_status hash_pieces(const section_check *c, size_t pieces, sotto_error *err) {
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

static sotto_status compare_checksum(const section_check *c, size_t pieces, sotto_error *err) {
  uint8_t sum[32];
  const sotto_status status = combine_digests(sum, c->block, c->digests, pieces, err);
  if (status != SOTTO_OK || !sotto_i_ranks_first(c->block->ranks)) return status;
  if (sodium_memcmp(sum, c->section->checksum, sizeof sum) != 0)
    return sotto_i_fail(err, SOTTO_CORRUPT,
                        "%s: a section has a wrong checksum: the file is damaged. Copy it, or import "
                        "the data, again",
                        c->block->file.path);
  return SOTTO_OK;
}

static sotto_status check_sections(sotto_i_block *b, const sotto_i_native_header *h, sotto_error *err) {
  section_check c = {.block = b};
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&c.piece, SOTTO_I_PIECE, 1, err));
  for (size_t k = 0; k < SOTTO_I_NATIVE_KINDS; k++) {
    c.section = &h->table[k];
    c.numbers = k == SOTTO_I_NATIVE_FEATURES;
    if (c.section->offset == 0) continue;
    const size_t pieces = (size_t)((c.section->size + SOTTO_I_PIECE - 1) / SOTTO_I_PIECE);
    SOTTO_TRY(sotto_i_new(&c.digests, count_own_pieces(b, pieces), SOTTO_I_PIECE_DIGEST, err));
    SOTTO_TRY(hash_pieces(&c, pieces, err));
    SOTTO_TRY(compare_checksum(&c, pieces, err));
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
      return sotto_i_fail(err, SOTTO_RANGE, "%s: node %llu is in part %u of the split; 0 to 3 exist", path,
                          (unsigned long long)v, p->split[v]);
  return SOTTO_OK;
}

static sotto_status read_names(sotto_names *out, const sotto_i_block *b, const sotto_i_native_section *s,
                               uint64_t count, const char *what, sotto_error *err) {
  uint64_t *starts = NULL;
  if (s->offset == 0) return SOTTO_OK;
  sotto_status status = read_section(&starts, 1, b, s, err);
  if (status != SOTTO_OK) return status;
  if (count == 0 || s->size / sizeof *starts < count + 1 ||
      starts[count] != s->size - (count + 1) * sizeof *starts) {
    sotto_i_free(starts);
    return sotto_i_fail(err, SOTTO_CORRUPT, "%s: a section is not a list of %llu names", b->file.path,
                        (unsigned long long)count);
  }
  *out = (sotto_names){.count = count, .starts = starts, .text = (const char *)(starts + count + 1)};
  return sotto_i_names_check(out, count, what, err);
}

sotto_status sotto_i_block_node_ids(sotto_names *out, const sotto_i_block *b, sotto_error *err) {
  *out = (sotto_names){.count = 0};
  const sotto_status status = read_names(out, b, &b->ids, b->nodes, "nodes", err);
  if (status != SOTTO_OK) sotto_i_names_free(out);
  return status;
}

static sotto_status read_schema(sotto_i_parts *p, const sotto_i_block *b, const sotto_i_native_section *s,
                                sotto_error *err) {
  char *text = NULL;
  if (s->offset == 0) return SOTTO_OK;
  sotto_status status = read_section(&text, 1, b, s, err);
  if (status == SOTTO_OK)
    status = sotto_schema_parse(&p->schema, "section schema", text, (size_t)s->size, err);
  sotto_i_free(text);
  return status;
}

static sotto_status read_parts(sotto_i_parts *p, const sotto_i_native_header *h, const sotto_i_block *b,
                               sotto_error *err) {
  static const char shown[] = "columns and classes";
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
  SOTTO_TRY(read_names(&p->names[SOTTO_I_NAMES_FEATURES], b,
                       &h->table[SOTTO_I_NATIVE_NAMES + SOTTO_I_NAMES_FEATURES], h->width, shown, err));
  SOTTO_TRY(read_names(&p->names[SOTTO_I_NAMES_CLASSES], b,
                       &h->table[SOTTO_I_NATIVE_NAMES + SOTTO_I_NAMES_CLASSES], h->classes, shown, err));
  SOTTO_TRY(read_schema(p, b, &h->table[SOTTO_I_NATIVE_SCHEMA], err));
done:
  return status;
}

/* Moves `parts` and the block into the dataset. Ranks do not read transfers, but the digest covers them. */
static sotto_status assemble_dataset(sotto_dataset *out, sotto_i_parts *parts, sotto_i_block *b,
                                     const sotto_i_native_header *h, sotto_error *err) {
  enum { sections = SOTTO_I_NATIVE_TIMES - SOTTO_I_NATIVE_SOURCES + 1 };
  uint8_t sums[sections + 2][32];
  for (size_t i = 0; i < sections; i++)
    memcpy(sums[i], h->table[SOTTO_I_NATIVE_SOURCES + i].checksum, sizeof sums[i]);
  for (size_t i = 0; i < 2; i++)
    memcpy(sums[sections + i], h->table[SOTTO_I_NATIVE_TRANSFER_KINDS + i].checksum, sizeof sums[0]);
  parts->kind_sums = h->table[SOTTO_I_NATIVE_TRANSFER_KINDS].offset > 0;
  if (h->table[SOTTO_I_NATIVE_SOURCES].offset > 0) parts->transfer_sums = (const uint8_t(*)[32])sums;
  const sotto_status status = sotto_i_dataset_counted(out, parts, err);
  parts->transfer_sums = NULL;
  if (status != SOTTO_OK) return status;
  sotto_i_parts *kept = out->storage;
  kept->transfer_sums = NULL;
  out->entries = b->entries;
  kept->block = b;
  kept->free_block = free_block;
  return SOTTO_OK;
}

static sotto_status open_header(sotto_i_block *b, sotto_i_native_header *h, const char *path,
                                sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_reader_open(&b->file, path, err));
  SOTTO_TRY(read_header(h, &b->file, err));
  if (h->graph_count > 0) {
    status = sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "%s: is a collection of graphs, which needs a single process: start it without mpirun", path);
    goto done;
  }
  if (h->table[SOTTO_I_NATIVE_NUMBERS].offset > 0) {
    status =
        sotto_i_fail(err, SOTTO_UNSUPPORTED,
                     "%s: has numbers to learn, which need a single process: start it without mpirun", path);
    goto done;
  }
  if (h->table[SOTTO_I_NATIVE_FOREIGN].offset > 0) {
    status = sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "%s: has edges to nodes of other owners, which need a single process: start it without mpirun", path);
    goto done;
  }
  b->nodes = h->nodes;
  b->cols = (size_t)h->width;
  b->features_at = h->table[SOTTO_I_NATIVE_FEATURES].offset;
  b->ids = h->table[SOTTO_I_NATIVE_NAMES + SOTTO_I_NAMES_NODES];
  memcpy(&b->key, h->checksum, sizeof b->key);
done:
  return status;
}

sotto_status sotto_dataset_open_ranks(sotto_dataset *out, sotto_ranks *ranks, const char *path,
                                      sotto_rank_parts partition, sotto_error *err) {
  sotto_i_native_header h;
  sotto_i_parts parts = {0};
  sotto_i_block *b = NULL;
  sotto_status status;
  *out = (sotto_dataset){0};
  const size_t size = strlen(path), end = strlen(native_end);
  if (size < end || strcmp(path + size - end, native_end) != 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "%s: ranks read native files only: sotto data import %s "
                        "NAME.sotto makes one",
                        path, path);
  SOTTO_TRY(sotto_i_new(&b, 1, sizeof *b, err));
  b->file.descriptor = -1;
  b->ranks = ranks;
  SOTTO_TRY(open_header(b, &h, path, err));
  SOTTO_TRY(check_sections(b, &h, err));
  SOTTO_TRY(read_parts(&parts, &h, b, err));
  SOTTO_TRY(map_entries(b, &h, err));
  if (b->entries.offsets != NULL) SOTTO_TRY(hash_entries(parts.sums[SOTTO_I_SUM_FEATURES], b, err));
  const uint64_t offsets = h.table[SOTTO_I_NATIVE_OFFSETS].offset;
  const uint64_t targets = h.table[SOTTO_I_NATIVE_TARGETS].offset;
  if (partition == SOTTO_RANK_PARTS_METIS)
    SOTTO_TRY(sotto_i_block_metis(b, offsets, targets, h.entries, err));
  if (partition != SOTTO_RANK_PARTS_NONE) {
    SOTTO_TRY(sotto_i_block_choose(b, err));
    SOTTO_TRY(sotto_i_block_read_edges(b, offsets, targets, h.entries, err));
  }
  SOTTO_TRY(assemble_dataset(out, &parts, b, &h, err));
  b = NULL;
done:
  sotto_i_parts_free(&parts);
  free_block(b);
  return status;
}
