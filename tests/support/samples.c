/* Writers for the formats that Sotto only reads. */
#include "samples.h"

#include <sodium.h>
#include <zlib.h>

#include "check.h"
#include "graph/io/native.h"

void sample_add(sample *to, const void *data, size_t size) {
  if (size == 0 || data == NULL) return;
  to->data = realloc(to->data, to->size + size);
  if (to->data == NULL) abort();
  memcpy(to->data + to->size, data, size);
  to->size += size;
}

void sample_text(sample *to, const char *text) {
  sample_add(to, text, strlen(text));
}

void sample_free(sample *bytes) {
  free(bytes->data);
  *bytes = (sample){0};
}

void sample_replace(sample *bytes, const void *find, size_t find_size, const void *with, size_t with_size) {
  const uint8_t *at = memmem(bytes->data, bytes->size, find, find_size);
  if (at == NULL) fail_msg("the sample has nothing to replace");
  sample changed = {0};
  size_t before = (size_t)(at - bytes->data);
  sample_add(&changed, bytes->data, before);
  sample_add(&changed, with, with_size);
  sample_add(&changed, at + find_size, bytes->size - before - find_size);
  sample_free(bytes);
  *bytes = changed;
}

void sample_inflict(sample *files, const sample_damage *d) {
  sample_replace(&files[d->file], d->find, d->find_size, d->with, d->with_size);
}

void sample_free_all(sample *files, size_t count) {
  for (size_t i = 0; i < count; i++) sample_free(&files[i]);
}

void sample_sources(sotto_i_source *sources, const sample *files, size_t count) {
  static const char *const names[] = {"file 0", "file 1", "file 2", "file 3", "file 4",
                                      "file 5", "file 6", "file 7", "file 8"};
  for (size_t i = 0; i < count; i++) sources[i] = (sotto_i_source){names[i], files[i].data, files[i].size};
}

const char *sample_write(const sample *bytes, const char *name) {
  const char *path = check_path(name);
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(bytes->data, 1, bytes->size, file) != bytes->size || fclose(file) != 0) abort();
  return path;
}

static void add_number(sample *to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    uint8_t byte = i < 8 ? (uint8_t)(value >> (8 * i)) : 0;
    sample_add(to, &byte, 1);
  }
}

static void add_bytes(sample *to, const char *text, size_t size) {
  sample_add(to, text, size);
}
#define ADD(to, literal) add_bytes(to, literal, sizeof(literal) - 1)

/* An ndarray as numpy pickles it: _reconstruct(ndarray, (0,), 'b'), then its state. */
static void pickle_array(sample *to, const char *type, uint32_t rows, uint32_t cols, const void *data,
                         size_t size) {
  ADD(to, "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\1b\x87R(K\1");
  ADD(to, "J");
  add_number(to, rows, 4);
  if (cols == 0) {
    ADD(to, "\x85");
  } else {
    ADD(to, "J");
    add_number(to, cols, 4);
    ADD(to, "\x86");
  }
  ADD(to, "cnumpy\ndtype\nU\2");
  sample_text(to, type);
  ADD(to, "K\0K\1\x87R(K\3U\1<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89T");
  add_number(to, size, 4);
  sample_add(to, data, size);
  ADD(to, "tb");
}

/* Each row has one value: value[i] at column[i]. */
static void pickle_csr(sample *to, uint32_t rows, uint32_t cols, const int32_t *column, const float *value) {
  int32_t starts[8];
  for (uint32_t i = 0; i <= rows; i++) starts[i] = (int32_t)i;
  ADD(to, "\x80\2cscipy.sparse.csr\ncsr_matrix\n)\x81}(U\6_shapeJ");
  add_number(to, rows, 4);
  ADD(to, "J");
  add_number(to, cols, 4);
  ADD(to, "\x86U\6indptr");
  pickle_array(to, "i4", rows + 1, 0, starts, (rows + 1) * sizeof *starts);
  ADD(to, "U\7indices");
  pickle_array(to, "i4", rows, 0, column, rows * sizeof *column);
  ADD(to, "U\4data");
  pickle_array(to, "f4", rows, 0, value, rows * sizeof *value);
  ADD(to, "ub.");
}

static void pickle_labels(sample *to, uint32_t rows, const int32_t *one_hot) {
  ADD(to, "\x80\2");
  pickle_array(to, "i4", rows, 2, one_hot, (size_t)rows * 2 * sizeof *one_hot);
  ADD(to, ".");
}

void sample_planetoid(sample files[SOTTO_I_PLANETOID_FILES]) {
  static const int32_t column[6] = {0, 1, 2, 0, 2, 1};
  static const float value[6] = {1, 2, 3, 4, 5, 6};
  static const int32_t one_hot[12] = {1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0};
  for (size_t i = 0; i < SOTTO_I_PLANETOID_FILES; i++) files[i] = (sample){0};
  pickle_csr(&files[SOTTO_I_PLANETOID_X], 2, 3, column, value);
  pickle_csr(&files[SOTTO_I_PLANETOID_TX], 2, 3, column + 4, value + 4);
  pickle_csr(&files[SOTTO_I_PLANETOID_ALLX], 4, 3, column, value);
  pickle_labels(&files[SOTTO_I_PLANETOID_Y], 2, one_hot);
  pickle_labels(&files[SOTTO_I_PLANETOID_TY], 2, one_hot + 8);
  pickle_labels(&files[SOTTO_I_PLANETOID_ALLY], 4, one_hot);
  ADD(&files[SOTTO_I_PLANETOID_GRAPH],
      "\x80\2ccollections\ndefaultdict\nq\1c__builtin__\nlist\n\x85Rr\4\0\0\0("
      "K\0]q\3K\1a"                     /* one neighbour: APPEND */
      "K\1](K\0K\2M\2\0e"               /* several, one twice: APPENDS */
      "K\2]K\3]K\3a"                    /* none; a loop */
      "u(K\4]K\5aK\5](K\4K\6euK\6]s."); /* a second batch, and one more item */
  sample_text(&files[SOTTO_I_PLANETOID_TEST], "6\n4\n");
}

const char *const sample_array_names[SAMPLE_ARRAYS] = {"adj_data",    "adj_indices", "adj_indptr",
                                                       "adj_shape",   "attr_data",   "attr_indices",
                                                       "attr_indptr", "attr_shape",  "labels"};

static void npy(sample *to, const char *type, size_t count, const void *data, size_t size) {
  char header[128];
  int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,), }\n",
                        type, count);
  ADD(to, "\x93NUMPY\1\0");
  add_number(to, (uint64_t)length, 2);
  sample_text(to, header);
  sample_add(to, data, size);
}

void sample_npz_arrays(sample arrays[SAMPLE_ARRAYS]) {
  static const float adj_data[5] = {1, 0, 1, 1, 1};
  static const int32_t adj_indices[5] = {1, 2, 0, 2, 3};
  static const int32_t adj_indptr[5] = {0, 2, 4, 4, 5};
  static const int64_t adj_shape[2] = {4, 4}, attr_shape[2] = {4, 2}, labels[4] = {0, 1, 1, 0};
  static const double attr_data[3] = {0.5, -1, 2};
  static const int64_t attr_indices[3] = {0, 1, 1}, attr_indptr[5] = {0, 1, 2, 2, 3};
  for (size_t i = 0; i < SAMPLE_ARRAYS; i++) arrays[i] = (sample){0};
  npy(&arrays[0], "<f4", 5, adj_data, sizeof adj_data);
  npy(&arrays[1], "<i4", 5, adj_indices, sizeof adj_indices);
  npy(&arrays[2], "<i4", 5, adj_indptr, sizeof adj_indptr);
  npy(&arrays[3], "<i8", 2, adj_shape, sizeof adj_shape);
  npy(&arrays[4], "<f8", 3, attr_data, sizeof attr_data);
  npy(&arrays[5], "<i8", 3, attr_indices, sizeof attr_indices);
  npy(&arrays[6], "<i8", 5, attr_indptr, sizeof attr_indptr);
  npy(&arrays[7], "<i8", 2, attr_shape, sizeof attr_shape);
  npy(&arrays[8], "<i8", 4, labels, sizeof labels);
}

/* Raw deflate, as in a zip; with a zlib header, as in a .mat, when `wrapped`. */
static void deflate_to(sample *to, const sample *from, bool wrapped) {
  z_stream stream = {.next_in = from->data, .avail_in = (uInt)from->size};
  uint8_t out[8192];
  int status = deflateInit2(&stream, 9, Z_DEFLATED, wrapped ? 15 : -15, 8, Z_DEFAULT_STRATEGY);
  while (status == Z_OK) {
    stream.next_out = out;
    stream.avail_out = sizeof out;
    status = deflate(&stream, Z_FINISH);
    sample_add(to, out, sizeof out - stream.avail_out);
  }
  if (status != Z_STREAM_END) abort();
  (void)deflateEnd(&stream);
}

/* The fields that a local and a central zip header share, from "version needed" on. */
static void zip_fields(sample *to, const sample *plain, const sample *packed, bool deflated,
                       size_t name_size) {
  add_number(to, 20, 2);
  add_number(to, 0, 2);
  add_number(to, deflated ? 8 : 0, 2);
  add_number(to, 0x00210000, 4);
  add_number(to, crc32(0, plain->data, (uInt)plain->size), 4);
  add_number(to, packed->size, 4);
  add_number(to, plain->size, 4);
  add_number(to, name_size, 2);
  add_number(to, 0, 2);
}

void sample_npz(sample *out, const sample arrays[SAMPLE_ARRAYS], bool deflated) {
  sample_archive(out, arrays, sample_array_names, SAMPLE_ARRAYS, deflated);
}

void sample_archive(sample *out, const sample *arrays, const char *const *names, size_t count,
                    bool deflated) {
  sample central = {0};
  size_t entries = 0;
  *out = (sample){0};
  for (size_t i = 0; i < count; i++) {
    char name[32];
    size_t name_size = (size_t)snprintf(name, sizeof name, "%s.npy", names[i]);
    size_t offset = out->size;
    sample packed = {0};
    if (arrays[i].size == 0) continue;
    entries++;
    if (deflated)
      deflate_to(&packed, &arrays[i], false);
    else
      sample_add(&packed, arrays[i].data, arrays[i].size);
    ADD(out, "PK\3\4");
    zip_fields(out, &arrays[i], &packed, deflated, name_size);
    sample_add(out, name, name_size);
    sample_add(out, packed.data, packed.size);
    ADD(&central, "PK\1\2\24\0");
    zip_fields(&central, &arrays[i], &packed, deflated, name_size);
    add_number(&central, 0, 10);
    add_number(&central, offset, 4);
    sample_add(&central, name, name_size);
    sample_free(&packed);
  }
  size_t start = out->size;
  sample_add(out, central.data, central.size);
  ADD(out, "PK\5\6\0\0\0\0");
  add_number(out, entries, 2);
  add_number(out, entries, 2);
  add_number(out, central.size, 4);
  add_number(out, start, 4);
  add_number(out, 0, 2);
  sample_free(&central);
}

static void mat_element(sample *to, uint32_t type, const void *data, size_t size) {
  add_number(to, type, 4);
  add_number(to, size, 4);
  sample_add(to, data, size);
  add_number(to, 0, (8 - size % 8) % 8);
}

static void mat_variable(sample *to, const sample *body, bool compressed) {
  sample element = {0}, packed = {0};
  mat_element(&element, 14, body->data, body->size);
  if (!compressed) {
    sample_add(to, element.data, element.size);
  } else {
    deflate_to(&packed, &element, true);
    add_number(to, 15, 4);
    add_number(to, packed.size, 4);
    sample_add(to, packed.data, packed.size);
  }
  sample_free(&element);
  sample_free(&packed);
}

void sample_mat(sample *out, bool compressed) {
  static const uint32_t sparse_flags[2] = {5, 8}, double_flags[2] = {6, 0};
  static const int32_t square[2] = {5, 5}, table[2] = {5, 7};
  static const int32_t rows[8] = {1, 2, 0, 2, 0, 1, 4, 3}, starts[6] = {0, 2, 4, 6, 7, 8};
  static const double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  static const uint16_t info[35] = {0, 0, 0, 0, 0, 1, 2, 0,    1,    2,    0, 0,    0, 0, 0, 0, 0, 0,
                                    0, 0, 0, 0, 0, 0, 0, 2004, 2005, 2004, 0, 2006, 7, 8, 9, 7, 8};
  sample a = {0}, local = {0};
  *out = (sample){0};
  sample_text(out, "MATLAB 5.0 MAT-file, made for a test");
  while (out->size < 124) ADD(out, " ");
  ADD(out, "\0\1IM");
  mat_element(&a, 6, sparse_flags, sizeof sparse_flags);
  mat_element(&a, 5, square, sizeof square);
  ADD(&a, "\1\0\1\0A\0\0\0"); /* a small element */
  mat_element(&a, 5, rows, sizeof rows);
  mat_element(&a, 5, starts, sizeof starts);
  mat_element(&a, 9, ones, sizeof ones);
  mat_variable(out, &a, compressed);
  mat_element(&local, 6, double_flags, sizeof double_flags);
  mat_element(&local, 5, table, sizeof table);
  mat_element(&local, 1, "local_info", 10);
  mat_element(&local, 4, info, sizeof info);
  mat_variable(out, &local, compressed);
  sample_free(&a);
  sample_free(&local);
}

void sample_tu(sample files[SOTTO_I_TU_FILES]) {
  static const char *const texts[SOTTO_I_TU_FILES] = {"1, 2\n2, 1\n2,3\n3, 1\n4, 5\n5, 4\n",
                                                      "1\n1\n1\n2\n2\n", "1\n-1\n", "3\n5\n3\n9\n5\n",
                                                      "0.5\n1\n-2e-1\n0\n1.5\n"};
  for (size_t i = 0; i < SOTTO_I_TU_FILES; i++) {
    files[i] = (sample){0};
    sample_text(&files[i], texts[i]);
  }
}

void sample_edges(sample *edges, sample *nodes) {
  *edges = *nodes = (sample){0};
  sample_text(edges, "source,target\nann,bob\nbob,\"the \"\"third\"\", or c\"\n");
  sample_text(nodes, "id,age,label\nbob,41.5,b\r\n\"the \"\"third\"\", or c\",7,\r\nann,-1,a\r\n");
}

void sample_bundle(sample *out, const sample *files, size_t count) {
  *out = (sample){0};
  for (size_t i = 0; i < count; i++) {
    add_number(out, files[i].size, 2);
    sample_add(out, files[i].data, files[i].size);
  }
}

void sample_unbundle(sotto_i_source *files, size_t count, const uint8_t *data, size_t size) {
  for (size_t i = 0; i < count; i++) {
    files[i] = (sotto_i_source){.file = "bundle"};
    if (size < 2) continue;
    size_t length = (size_t)data[0] | (size_t)data[1] << 8;
    if (length > size - 2) length = size - 2;
    files[i].data = data + 2;
    files[i].size = length;
    data += 2 + length;
    size -= 2 + length;
  }
}

void sample_seal(uint8_t *bytes, size_t size, bool resize) {
  const size_t fixed = offsetof(sotto_i_native_header, table);
  sotto_i_native_header h;
  if (size < sizeof h || sodium_init() < 0) return;
  if (resize) memcpy(bytes + offsetof(sotto_i_native_header, file_size), &(uint64_t){size}, 8);
  for (size_t k = 0; k < SOTTO_I_NATIVE_KINDS; k++) {
    sotto_i_native_section s;
    uint8_t *at = bytes + fixed + k * sizeof s;
    memcpy(&s, at, sizeof s);
    if (s.offset > 0 && s.offset <= size && s.size <= size - s.offset)
      (void)sotto_i_checksum(s.checksum, bytes + s.offset, s.size, NULL);
    memcpy(at, &s, sizeof s);
  }
  memcpy(&h, bytes, sizeof h);
  sotto_i_native_seal(&h);
  memcpy(bytes, &h, sizeof h);
}
