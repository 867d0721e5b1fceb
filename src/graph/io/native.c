/* The native format: aligned sections with checksums, used in place. */
#include "native.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "base/memory.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the arrays are used as they stand in the file");
static_assert((int)SOTTO_I_NATIVE_GRAPH_LABELS - (int)SOTTO_I_NATIVE_OFFSETS == (int)SOTTO_I_SUM_GRAPH_LABELS,
              "one order");
static_assert(sizeof(sotto_i_native_section) == 64 && sizeof(sotto_i_native_header) == 1728, "no padding");

static const char *const kind_names[SOTTO_I_NATIVE_KINDS] = {
    "name",        "offsets",           "targets",          "features",         "labels",
    "split",       "graph_first",       "graph_labels",     "node_ids",         "feature_names",
    "class_names", "graph_class_names", "entry_offsets",    "entry_columns",    "entry_values",
    "schema",      "transfer_sources",  "transfer_targets", "transfer_amounts", "transfer_times",
    "numbers",     "foreign_nodes",     "foreign_ids",      "transfer_kinds",   "kind_names"};

const char *sotto_i_native_kind_name(sotto_i_native_kind kind) {
  return kind_names[kind];
}

static uint64_t align_up(uint64_t at) {
  return (at + SOTTO_I_NATIVE_ALIGN - 1) / SOTTO_I_NATIVE_ALIGN * SOTTO_I_NATIVE_ALIGN;
}

/* Computes the size of each section from the counts in the header; false if a product exceeds 64 bits. */
static bool expected_sizes(const sotto_i_native_header *h, uint64_t sizes[SOTTO_I_NATIVE_KINDS]) {
  uint64_t cells;
  sizes[SOTTO_I_NATIVE_NAME] = h->table[SOTTO_I_NATIVE_NAME].size;
  for (size_t k = SOTTO_I_NATIVE_NAMES; k < SOTTO_I_NATIVE_KINDS; k++) sizes[k] = h->table[k].size;
  sizes[SOTTO_I_NATIVE_ENTRY_COLUMNS] = sizes[SOTTO_I_NATIVE_ENTRY_VALUES];
  sizes[SOTTO_I_NATIVE_ENDS] = sizes[SOTTO_I_NATIVE_AMOUNTS] = sizes[SOTTO_I_NATIVE_SOURCES];
  sizes[SOTTO_I_NATIVE_TRANSFER_KINDS] = sizes[SOTTO_I_NATIVE_SOURCES] / sizeof(uint32_t);
  if (__builtin_mul_overflow(sizes[SOTTO_I_NATIVE_SOURCES], 2, &sizes[SOTTO_I_NATIVE_TIMES])) return false;
  return h->nodes < UINT32_MAX && h->graph_count < UINT64_MAX / 8 - 1 &&
         !__builtin_mul_overflow(h->entries, 4, &sizes[SOTTO_I_NATIVE_TARGETS]) &&
         !__builtin_mul_overflow(h->nodes, h->width, &cells) &&
         !__builtin_mul_overflow(cells, 4, &sizes[SOTTO_I_NATIVE_FEATURES]) &&
         !__builtin_mul_overflow(h->nodes + 1, 8, &sizes[SOTTO_I_NATIVE_OFFSETS]) &&
         !__builtin_mul_overflow(h->nodes + 1, 8, &sizes[SOTTO_I_NATIVE_ENTRY_OFFSETS]) &&
         !__builtin_mul_overflow(h->nodes, 4, &sizes[SOTTO_I_NATIVE_LABELS]) &&
         !__builtin_mul_overflow(h->nodes, 4, &sizes[SOTTO_I_NATIVE_NUMBERS]) &&
         !__builtin_mul_overflow(h->nodes, 1, &sizes[SOTTO_I_NATIVE_SPLIT]) &&
         !__builtin_mul_overflow(h->graph_count + 1, 8, &sizes[SOTTO_I_NATIVE_GRAPH_FIRST]) &&
         !__builtin_mul_overflow(h->graph_count, 4, &sizes[SOTTO_I_NATIVE_GRAPH_LABELS]);
}

static bool is_absent(const sotto_i_native_section *s) {
  static const sotto_i_native_section absent;
  return memcmp(s, &absent, sizeof absent) == 0;
}

static bool has(const sotto_i_native_header *h, sotto_i_native_kind kind) {
  return h->table[kind].offset > 0;
}

/* Must a file with these counts, and with the sections that may be absent, have the section? */
static void list_wanted(bool wanted[SOTTO_I_NATIVE_KINDS], const sotto_i_native_header *h) {
  const bool sparse = has(h, SOTTO_I_NATIVE_ENTRY_OFFSETS);
  const bool needed[SOTTO_I_NATIVE_KINDS] = {
      [SOTTO_I_NATIVE_NAME] = true,
      [SOTTO_I_NATIVE_OFFSETS] = true,
      [SOTTO_I_NATIVE_TARGETS] = true,
      [SOTTO_I_NATIVE_FEATURES] = h->width > 0 && !sparse,
      [SOTTO_I_NATIVE_GRAPH_FIRST] = h->graph_count > 0,
      [SOTTO_I_NATIVE_ENTRY_COLUMNS] = sparse,
      [SOTTO_I_NATIVE_ENTRY_VALUES] = sparse,
      [SOTTO_I_NATIVE_ENDS] = has(h, SOTTO_I_NATIVE_SOURCES),
      [SOTTO_I_NATIVE_FOREIGN] = has(h, SOTTO_I_NATIVE_FOREIGN_IDS),
      [SOTTO_I_NATIVE_KIND_NAMES] = has(h, SOTTO_I_NATIVE_TRANSFER_KINDS),
  };
  memcpy(wanted, needed, sizeof needed);
}

/* May a file have the section, although others have not? */
static bool is_optional(const sotto_i_native_header *h, size_t k) {
  if (k == SOTTO_I_NATIVE_AMOUNTS || k == SOTTO_I_NATIVE_TIMES || k == SOTTO_I_NATIVE_TRANSFER_KINDS)
    return has(h, SOTTO_I_NATIVE_SOURCES);
  if (k == SOTTO_I_NATIVE_GRAPH_LABELS) return h->graph_count > 0;
  return k == SOTTO_I_NATIVE_LABELS || k == SOTTO_I_NATIVE_SPLIT ||
         (k >= SOTTO_I_NATIVE_NAMES && k <= SOTTO_I_NATIVE_ENTRY_OFFSETS) || k == SOTTO_I_NATIVE_SCHEMA ||
         k == SOTTO_I_NATIVE_SOURCES || k == SOTTO_I_NATIVE_NUMBERS || k == SOTTO_I_NATIVE_FOREIGN_IDS;
}

/* Sections follow each other with only alignment zeros between them. So none can overlap or leave the
 * file, and every byte of the file is checked. */
static sotto_status check_layout(const sotto_i_native_header *h, const sotto_i_source *file,
                                 sotto_error *err) {
  uint64_t sizes[SOTTO_I_NATIVE_KINDS], at = sizeof *h;
  bool wanted[SOTTO_I_NATIVE_KINDS];
  if (!expected_sizes(h, sizes))
    return sotto_i_fail(err, SOTTO_CORRUPT, "%s: offset 16: the counts are too large for any file",
                        file->file);
  if (has(h, SOTTO_I_NATIVE_ENTRY_OFFSETS) && h->width == 0)
    return sotto_i_fail(err, SOTTO_CORRUPT, "%s: offset 40: sparse features without columns", file->file);
  list_wanted(wanted, h);
  for (size_t k = 0; k < SOTTO_I_NATIVE_KINDS; k++) {
    const sotto_i_native_section *s = &h->table[k];
    if (!wanted[k] && is_absent(s)) continue;
    if (!(wanted[k] || is_optional(h, k)) || s->offset != at || s->size != sizes[k] ||
        s->size > file->size - at)
      return sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: section %s has an offset or a size that does not fit the file", file->file,
                          kind_names[k]);
    at = align_up(at + s->size);
    if (at > file->size)
      return sotto_i_fail(err, SOTTO_CORRUPT, "%s: the file ends inside section %s", file->file,
                          kind_names[k]);
  }
  if (at != file->size)
    return sotto_i_fail(err, SOTTO_CORRUPT, "%s: offset %llu: bytes follow the last section", file->file,
                        (unsigned long long)at);
  return SOTTO_OK;
}

static sotto_status check_sections(const sotto_i_native_header *h, const sotto_i_source *file,
                                   sotto_error *err) {
  for (size_t k = 0; k < SOTTO_I_NATIVE_KINDS; k++) {
    const sotto_i_native_section *s = &h->table[k];
    uint8_t checksum[32];
    if (s->offset == 0) continue;
    sotto_status status = sotto_i_checksum(checksum, file->data + s->offset, s->size, err);
    if (status != SOTTO_OK) return status;
    if (sodium_memcmp(checksum, s->checksum, sizeof checksum) != 0)
      return sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: section %s has a wrong checksum: the file is damaged. Copy it, or "
                          "import the data, again",
                          file->file, kind_names[k]);
    for (uint64_t i = s->offset + s->size; i < align_up(s->offset + s->size); i++)
      if (file->data[i] != 0)
        return sotto_i_fail(err, SOTTO_CORRUPT, "%s: offset %llu: the padding after section %s is not zero",
                            file->file, (unsigned long long)i, kind_names[k]);
  }
  return SOTTO_OK;
}

/* Copies the header out of the file. */
static sotto_status load_header(sotto_i_native_header *h, const sotto_i_source *file, sotto_error *err) {
  *h = (sotto_i_native_header){0};
  if (file->size < offsetof(sotto_i_native_header, table))
    return sotto_i_fail(err, SOTTO_PARSE, "%s: %zu bytes are too few for the header", file->file, file->size);
  memcpy(h, file->data, offsetof(sotto_i_native_header, table));
  if (memcmp(h->magic, SOTTO_I_NATIVE_MAGIC, sizeof h->magic) != 0)
    return sotto_i_fail(err, SOTTO_PARSE,
                        "%s: offset 0: is not a native file (wrong first bytes); import the data",
                        file->file);
  if (h->version != SOTTO_I_NATIVE_VERSION)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "%s: offset 8: format version %u; this library reads version %d: import the data "
                        "again",
                        file->file, h->version, SOTTO_I_NATIVE_VERSION);
  if (file->size < sizeof *h)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: %zu bytes are too few for the header", file->file, file->size);
  memcpy(h, file->data, sizeof *h);
  return SOTTO_OK;
}

static sotto_status check_header(const sotto_i_native_header *h, const sotto_i_source *file,
                                 sotto_error *err) {
  uint8_t checksum[32];
  SOTTO_I_CHECK(sodium_init() >= 0);
  crypto_generichash(checksum, sizeof checksum, file->data, offsetof(sotto_i_native_header, checksum), NULL,
                     0);
  if (sodium_memcmp(checksum, h->checksum, sizeof checksum) != 0)
    return sotto_i_fail(err, SOTTO_CORRUPT, "%s: the header has a wrong checksum", file->file);
  if (h->sections != SOTTO_I_NATIVE_KINDS || h->file_size != file->size)
    return sotto_i_fail(
        err, SOTTO_CORRUPT,
        "%s: offset 16: the header claims %llu bytes, the file has %zu; it was %s. Copy it, or "
        "import the data, again",
        file->file, (unsigned long long)h->file_size, file->size,
        file->size < h->file_size ? "cut short" : "changed");
  return check_layout(h, file, err);
}

sotto_status sotto_i_native_header_read(sotto_i_native_header *out, const sotto_i_source *file,
                                        sotto_error *err) {
  const sotto_status status = load_header(out, file, err);
  return status == SOTTO_OK ? check_header(out, file, err) : status;
}

/* The section's bytes, NULL when it is absent. Read-only: dataset arrays are never written through. */
static void *section_data(const sotto_i_native_header *h, const sotto_i_source *file,
                          sotto_i_native_kind kind) {
  uint64_t offset = h->table[kind].offset;
  return offset == 0 ? NULL : (void *)(uintptr_t)(file->data + offset);
}

/* Finds a list of `count` names, if the section exists; its size must match the last start. The names
 * themselves are checked with the content. */
static sotto_status find_names(sotto_names *out, const sotto_i_native_header *h, const sotto_i_source *file,
                               size_t list, uint64_t count, sotto_error *err) {
  const size_t kind = SOTTO_I_NATIVE_NAMES + list;
  const uint64_t size = h->table[kind].size, *starts = section_data(h, file, (sotto_i_native_kind)kind);
  if (starts == NULL) return SOTTO_OK;
  if (count == 0 || size / sizeof *starts < count + 1 || starts[count] != size - (count + 1) * sizeof *starts)
    return sotto_i_fail(err, SOTTO_CORRUPT, "%s: section %s is not a list of %llu names", file->file,
                        kind_names[kind], (unsigned long long)count);
  *out = (sotto_names){.count = count, .starts = starts, .text = (const char *)(starts + count + 1)};
  return SOTTO_OK;
}

/* Finds sparse features; the offsets must match the numbers of columns and values. The values are checked
 * with the content. The size of the dense table is checked here, because the digest covers it. */
static sotto_status find_entries(sotto_i_entries *out, const sotto_i_native_header *h,
                                 const sotto_i_source *file, sotto_error *err) {
  uint64_t *offsets = section_data(h, file, SOTTO_I_NATIVE_ENTRY_OFFSETS);
  const uint64_t size = h->table[SOTTO_I_NATIVE_ENTRY_VALUES].size;
  if (offsets == NULL) return SOTTO_OK;
  if (size % sizeof(float) != 0 || offsets[h->nodes] != size / sizeof(float))
    return sotto_i_fail(err, SOTTO_CORRUPT,
                        "%s: section entry_offsets ends at %llu, and there are %llu values", file->file,
                        (unsigned long long)offsets[h->nodes], (unsigned long long)(size / sizeof(float)));
  *out = (sotto_i_entries){offsets, section_data(h, file, SOTTO_I_NATIVE_ENTRY_COLUMNS),
                           section_data(h, file, SOTTO_I_NATIVE_ENTRY_VALUES)};
  return sotto_i_features_check_size(h->nodes, h->width, true, file->file, file->size, err);
}

/* The header does not say how many kinds there are. A shorter list of names would have texts that end before
 * the section does, so the first number that fits is the right one. */
static sotto_status find_kind_names(sotto_names *out, const sotto_i_native_header *h,
                                    const sotto_i_source *file, sotto_error *err) {
  const uint64_t size = h->table[SOTTO_I_NATIVE_KIND_NAMES].size,
                 *starts = section_data(h, file, SOTTO_I_NATIVE_KIND_NAMES);
  if (starts == NULL) return SOTTO_OK;
  for (uint64_t n = 1; n <= SOTTO_I_MOST_KINDS && size / sizeof *starts > n; n++) {
    if (starts[n] != size - (n + 1) * sizeof *starts) continue;
    *out = (sotto_names){.count = n, .starts = starts, .text = (const char *)(starts + n + 1)};
    return SOTTO_OK;
  }
  return sotto_i_fail(err, SOTTO_CORRUPT, "%s: section kind_names is not a list of 1 to %d names", file->file,
                      SOTTO_I_MOST_KINDS);
}

/* The rows themselves are checked with the content. */
static sotto_status find_transfers(sotto_i_transfers *out, const sotto_i_native_header *h,
                                   const sotto_i_source *file, sotto_error *err) {
  const uint64_t size = h->table[SOTTO_I_NATIVE_SOURCES].size;
  if (h->table[SOTTO_I_NATIVE_SOURCES].offset == 0) return SOTTO_OK;
  if (size % sizeof(uint32_t) != 0)
    return sotto_i_fail(err, SOTTO_CORRUPT, "%s: section transfer_sources has %llu bytes, which are no ids",
                        file->file, (unsigned long long)size);
  *out = (sotto_i_transfers){.count = size / sizeof(uint32_t),
                             .sources = section_data(h, file, SOTTO_I_NATIVE_SOURCES),
                             .targets = section_data(h, file, SOTTO_I_NATIVE_ENDS),
                             .amounts = section_data(h, file, SOTTO_I_NATIVE_AMOUNTS),
                             .times = section_data(h, file, SOTTO_I_NATIVE_TIMES),
                             .kinds = section_data(h, file, SOTTO_I_NATIVE_TRANSFER_KINDS)};
  out->has_amounts = out->amounts != NULL;
  out->has_times = out->times != NULL;
  return find_kind_names(&out->kind_names, h, file, err);
}

/* Ascending order, nodes and texts are checked with the content. */
static sotto_status find_foreign(sotto_i_foreign *out, const sotto_i_native_header *h,
                                 const sotto_i_source *file, sotto_error *err) {
  const uint64_t count = h->table[SOTTO_I_NATIVE_FOREIGN].size / sizeof(uint32_t),
                 size = h->table[SOTTO_I_NATIVE_FOREIGN_IDS].size,
                 *starts = section_data(h, file, SOTTO_I_NATIVE_FOREIGN_IDS);
  if (starts == NULL) return SOTTO_OK;
  if (h->table[SOTTO_I_NATIVE_FOREIGN].size % sizeof(uint32_t) != 0 || size / sizeof *starts < count + 1 ||
      starts[count] != size - (count + 1) * sizeof *starts)
    return sotto_i_fail(err, SOTTO_CORRUPT, "%s: section foreign_ids is not a list of %llu names", file->file,
                        (unsigned long long)count);
  out->nodes = section_data(h, file, SOTTO_I_NATIVE_FOREIGN);
  out->ids = (sotto_names){.count = count, .starts = starts, .text = (const char *)(starts + count + 1)};
  return SOTTO_OK;
}

static sotto_status find_schema(sotto_schema **out, const sotto_i_native_header *h,
                                const sotto_i_source *file, sotto_error *err) {
  const void *text = section_data(h, file, SOTTO_I_NATIVE_SCHEMA);
  if (text == NULL) return SOTTO_OK;
  const sotto_status status =
      sotto_schema_parse(out, "section schema", text, h->table[SOTTO_I_NATIVE_SCHEMA].size, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", file->file);
  return status;
}

sotto_status sotto_i_read_native(sotto_i_parts *parts, const sotto_i_source *file, sotto_error *err) {
  sotto_i_native_header h;
  sotto_status status;
  sotto_names names[SOTTO_I_NAME_LISTS] = {{0}};
  sotto_i_entries entries = {0};
  sotto_i_transfers transfers = {.count = 0};
  sotto_i_foreign foreign = {.nodes = NULL};
  sotto_schema *schema = NULL;
  SOTTO_TRY(sotto_i_native_header_read(&h, file, err));
  SOTTO_TRY(check_sections(&h, file, err));
  const uint64_t *offsets = section_data(&h, file, SOTTO_I_NATIVE_OFFSETS);
  if (offsets[h.nodes] != h.entries)
    return sotto_i_fail(err, SOTTO_CORRUPT, "%s: section offsets ends at %llu, and there are %llu entries",
                        file->file, (unsigned long long)offsets[h.nodes], (unsigned long long)h.entries);
  const uint64_t counts[SOTTO_I_NAME_LISTS] = {h.nodes, h.width, h.classes, h.graph_classes};
  for (size_t i = 0; i < SOTTO_I_NAME_LISTS; i++)
    SOTTO_TRY(find_names(&names[i], &h, file, i, counts[i], err));
  SOTTO_TRY(find_entries(&entries, &h, file, err));
  SOTTO_TRY(find_transfers(&transfers, &h, file, err));
  SOTTO_TRY(find_foreign(&foreign, &h, file, err));
  SOTTO_TRY(find_schema(&schema, &h, file, err));
  SOTTO_TRY(sotto_i_new(&parts->name, h.table[SOTTO_I_NATIVE_NAME].size + 1, 1, err));
  memcpy(parts->name, section_data(&h, file, SOTTO_I_NATIVE_NAME), h.table[SOTTO_I_NATIVE_NAME].size);
  *parts = (sotto_i_parts){.name = parts->name,
                           .nodes = h.nodes,
                           .offsets = section_data(&h, file, SOTTO_I_NATIVE_OFFSETS),
                           .targets = section_data(&h, file, SOTTO_I_NATIVE_TARGETS),
                           .transfers = transfers,
                           .foreign = foreign,
                           .features = section_data(&h, file, SOTTO_I_NATIVE_FEATURES),
                           .entries = entries,
                           .width = h.width,
                           .labels = section_data(&h, file, SOTTO_I_NATIVE_LABELS),
                           .classes = h.classes,
                           .numbers = section_data(&h, file, SOTTO_I_NATIVE_NUMBERS),
                           .split = section_data(&h, file, SOTTO_I_NATIVE_SPLIT),
                           .graph_count = h.graph_count,
                           .graph_first = section_data(&h, file, SOTTO_I_NATIVE_GRAPH_FIRST),
                           .graph_labels = section_data(&h, file, SOTTO_I_NATIVE_GRAPH_LABELS),
                           .graph_classes = h.graph_classes,
                           .summed = true};
  memcpy(parts->names, names, sizeof names);
  parts->schema = schema;
  schema = NULL;
  for (size_t k = SOTTO_I_NATIVE_OFFSETS; k < SOTTO_I_NATIVE_NAMES; k++)
    memcpy(parts->sums[k - SOTTO_I_NATIVE_OFFSETS], h.table[k].checksum, sizeof h.table[k].checksum);
done:
  sotto_schema_free(schema);
  return status;
}

bool sotto_i_native_place(sotto_i_native_header *h, const bool present[SOTTO_I_NATIVE_KINDS]) {
  uint64_t sizes[SOTTO_I_NATIVE_KINDS], at = sizeof *h;
  if (!expected_sizes(h, sizes)) return false;
  memcpy(h->magic, SOTTO_I_NATIVE_MAGIC, sizeof h->magic);
  h->version = SOTTO_I_NATIVE_VERSION;
  h->sections = SOTTO_I_NATIVE_KINDS;
  for (size_t k = 0; k < SOTTO_I_NATIVE_KINDS; k++) {
    if (!present[k]) continue;
    h->table[k].offset = at;
    h->table[k].size = sizes[k];
    at = align_up(at + sizes[k]);
  }
  h->file_size = at;
  return true;
}

void sotto_i_native_seal(sotto_i_native_header *h) {
  crypto_generichash(h->checksum, sizeof h->checksum, (const uint8_t *)h,
                     offsetof(sotto_i_native_header, checksum), NULL, 0);
}
