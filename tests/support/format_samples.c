/* Writers of the forms that elements.h and formats.h read. */
#include "format_samples.h"

#include <zlib.h>

#include "check.h"

const format_sample format_samples[FORMAT_SAMPLES] = {
    {"tiny.graphml", sotto_i_read_graphml, 3, 2, 1, 2}, {"tiny.gml", sotto_i_read_gml, 3, 2, 1, 2},
    {"tiny.json", sotto_i_read_node_link, 3, 2, 4, 2},  {"tiny.mtx", sotto_i_read_matrix_market, 4, 2, 0, 0},
    {"csr.npz", sotto_i_read_arrays, 3, 2, 2, 2},       {"coo.npz", sotto_i_read_arrays, 3, 2, 0, 0},
    {"index.npz", sotto_i_read_arrays, 3, 2, 2, 2},     {"index.npy", sotto_i_read_arrays, 3, 2, 0, 0},
};

static const char graphml[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
    "<key id=\"d0\" for=\"node\" attr.name=\"age\"><default>7</default></key>\n"
    "<key id=\"d1\" for=\"node\" attr.name=\"label\"/>\n"
    "<key id=\"d2\" for=\"edge\" attr.name=\"weight\"/>\n"
    "<graph edgedefault=\"directed\">\n"
    "<edge source=\"n1\" target=\"n0\"><data key=\"d2\">1</data></edge>\n"
    "<node id=\"n0\"><data key=\"d0\">4.5</data><data key=\"d1\">a &amp; b</data></node>\n"
    "<node id=\"n1\"><data key=\"d1\">c</data></node>\n"
    "<node id=\"n2\"/>\n"
    "<edge source=\"n2\" target=\"n1\"/>\n"
    "</graph></graphml>\n";

static const char gml[] =
    "Creator \"someone\"\n# a comment\ngraph [\n  directed 0\n"
    "  node [ id 10 label \"Ann &amp; Co\" value \"l\" graphics [ x 1 y [ z 2 ] ] age 3 ]\n"
    "  node [ id 20 label \"Bob\" value \"c\" age 4 ]\n"
    "  node [ id 30 label \"Eve\" age 5 ]\n"
    "  edge [ source 10 target 20 weight 2 ]\n"
    "  edge [ source 30 target 20 ]\n]\n";

static const char json[] = "{\"directed\": false, \"nodes\": [\n"
                           "{\"id\": \"a\", \"x\": [1, 2.5], \"label\": \"u\", \"ok\": true},\n"
                           "{\"id\": 7, \"x\": [3, 4], \"label\": \"v\", \"ok\": false},\n"
                           "{\"id\": \"c\", \"x\": [5, 6], \"ok\": true}],\n"
                           "\"links\": [{\"source\": \"a\", \"target\": 7, \"weight\": 3},\n"
                           "{\"source\": 7, \"target\": \"c\"}]}\n";

static const char market[] = "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n4 4 4\n"
                             "2 1 1.5\n3 2 1\n3 3 1\n4 1 0\n";

sample sample_npy(const char *type, const char *shape, const void *data, size_t size) {
  char header[118];
  sample out = {0};
  const int length =
      snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
  memset(header + length, ' ', sizeof header - (size_t)length);
  header[sizeof header - 1] = '\n';
  sample_add(&out, "\x93NUMPY\1\0\x76\0", 10);
  sample_add(&out, header, sizeof header);
  sample_add(&out, data, size);
  return out;
}

#define NPY(type, shape, ...) sample_npy(type, shape, __VA_ARGS__, sizeof(__VA_ARGS__))

static sample archive_of(sample *arrays, const char *const *names, size_t count) {
  sample out;
  sample_archive(&out, arrays, names, count, true);
  sample_free_all(arrays, count);
  return out;
}

static sample csr_archive(void) {
  static const char *const names[] = {"indptr", "indices", "data", "shape", "x", "y"};
  sample arrays[] = {
      NPY("<i4", "(4,)", (int32_t[]){0, 2, 4, 5}),       NPY("<i4", "(5,)", (int32_t[]){1, 2, 0, 2, 1}),
      NPY("<f8", "(5,)", (double[]){1, 0, 1, 1, 1}),     NPY("<i8", "(2,)", (int64_t[]){3, 3}),
      NPY("<f4", "(3, 2)", (float[]){1, 2, 3, 4, 5, 6}), NPY("<i8", "(3, 1)", (int64_t[]){0, 1, -1})};
  return archive_of(arrays, names, 6);
}

static sample coordinates_archive(void) {
  static const char *const names[] = {"row", "col", "data", "shape"};
  sample arrays[] = {NPY("<i4", "(2,)", (int32_t[]){0, 1}), NPY("<i4", "(2,)", (int32_t[]){1, 2}),
                     NPY("<f8", "(2,)", (double[]){1, 1}), NPY("<i8", "(2,)", (int64_t[]){3, 3})};
  return archive_of(arrays, names, 4);
}

static sample index_archive(void) {
  static const char *const names[] = {"edge_index", "x",         "y",        "train_mask",
                                      "val_mask",   "test_mask", "num_nodes"};
  sample arrays[] = {NPY("<i8", "(2, 2)", (int64_t[]){0, 1, 1, 2}),
                     NPY("<f4", "(3, 2)", (float[]){1, 2, 3, 4, 5, 6}),
                     NPY("<i8", "(3,)", (int64_t[]){0, 1, 1}),
                     NPY("|b1", "(3,)", (uint8_t[]){1, 0, 0}),
                     NPY("|b1", "(3,)", (uint8_t[]){0, 1, 0}),
                     NPY("|b1", "(3,)", (uint8_t[]){0, 0, 1}),
                     NPY("<i8", "()", (int64_t[]){3})};
  return archive_of(arrays, names, 7);
}

sample format_sample_bytes(size_t which) {
  static const char *const texts[] = {graphml, gml, json, market};
  sample out = {0};
  if (which < 4)
    sample_text(&out, texts[which]);
  else
    out = which == 4   ? csr_archive()
          : which == 5 ? coordinates_archive()
          : which == 6 ? index_archive()
                       : NPY("<i8", "(3, 2)", (int64_t[]){0, 1, 1, 2, 2, 1});
  return out;
}

sample sample_gzip(const void *data, size_t size) {
  uint8_t packed[4096];
  sample out = {0};
  z_stream stream = {0};
  if (deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) abort();
  stream.next_in = (Bytef *)(uintptr_t)data;
  stream.avail_in = (uInt)size;
  int code;
  do {
    stream.next_out = packed;
    stream.avail_out = sizeof packed;
    code = deflate(&stream, Z_FINISH);
    sample_add(&out, packed, sizeof packed - stream.avail_out);
  } while (code == Z_OK);
  (void)deflateEnd(&stream);
  return out;
}

void sample_ogb(sample files[SOTTO_I_OGB_FILES]) {
  static const char *const texts[SOTTO_I_OGB_FILES] = {
      "0,1\n1,2\n", "3\n", "0.5,1\n2,3\n4,5\n", "0\n1\nnan\n", "0\n", "1\n", "2\n"};
  for (size_t i = 0; i < SOTTO_I_OGB_FILES; i++) files[i] = sample_gzip(texts[i], strlen(texts[i]));
}
