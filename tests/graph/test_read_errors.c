/* One damaged sample for each error of the readers of binary files: the status, and the words that name the
 * place. */
#include "graph/io/npy.h"
#include "graph/io/pickle.h"
#include "samples.h"

#include "check.h"

static void planetoid_faults_are_named_with_file_and_offset(void **state) {
  (void)state;
  enum { X, Y, TX, TY, ALLX, ALLY, GRAPH, TEST };
  static const sample_damage table[] = {
      {X, SAMPLE_SWAP("\x80\2", "\x80\3"), SOTTO_PARSE, "file 0: offset 0: only version 2"},
      {X, SAMPLE_SWAP("\x80\2", "\x80\2I"), SOTTO_UNSUPPORTED, "file 0: offset 2: pickle opcode 0x49 (INT)"},
      {X, SAMPLE_SWAP("\x80\2", "\x80\2\xFE"), SOTTO_UNSUPPORTED, "offset 2: pickle opcode 0xfe (unknown)"},
      {X, SAMPLE_SWAP("cscipy.sparse.csr\ncsr_matrix\n", "cos\nsystem\n"), SOTTO_UNSUPPORTED,
       "offset 2: GLOBAL names something"},
      {X, SAMPLE_SWAP("ub.", "ub"), SOTTO_PARSE, "the file ends inside a value"},
      {X, SAMPLE_SWAP("ub.", "ub.x"), SOTTO_PARSE, "bytes follow the end"},
      {X, SAMPLE_SWAP("ub.", "."), SOTTO_PARSE, "STOP with more or less than one value"},
      {X, SAMPLE_SWAP("ub.", "tub."), SOTTO_PARSE, "there is no mark"},
      {X, SAMPLE_SWAP("ub.", "h\7ub."), SOTTO_PARSE, "memo is empty at that index"},
      {X, SAMPLE_SWAP("ub.", "r\xff\xff\xff\x7fub."), SOTTO_PARSE, "memo index is larger than the file"},
      {X, SAMPLE_SWAP("ub.", "KAub."), SOTTO_PARSE, "a key has no value"},
      {X, SAMPLE_SWAP("ub.", "b."), SOTTO_PARSE, "BUILD needs an object"},
      {X, SAMPLE_SWAP(")\x81", "N)\x81"), SOTTO_PARSE, "the called value is not a name"},
      {X, SAMPLE_SWAP("}(U\6_shape", "]U\6_shapea(U\6_shape"), SOTTO_PARSE,
       "items are added to a value that takes none"},
      {X, SAMPLE_SWAP("\x89T\x0c\0\0\0", "\x89T\xff\xff\xff\x7f"), SOTTO_PARSE,
       "a string is longer than the rest"},
      {X, SAMPLE_SWAP("_shape", "_shapf"), SOTTO_PARSE, "file 0: the matrix has no shape"},
      {X, SAMPLE_SWAP("indptr", "indptx"), SOTTO_PARSE, "file 0: indptr is not a numpy array"},
      {X, SAMPLE_SWAP("U\2i4", "U\2c8"), SOTTO_UNSUPPORTED, "the type of array indptr"},
      {X, SAMPLE_SWAP("U\1<", "U\1>"), SOTTO_UNSUPPORTED, "the type of array indptr"},
      {X, SAMPLE_SWAP("\x89T", "\x88T"), SOTTO_UNSUPPORTED, "array indptr is not in C order"},
      {X, SAMPLE_SWAP("J\3\0\0\0\x85", "J\4\0\0\0\x85"), SOTTO_PARSE, "array indptr claims 4 elements"},
      {X, SAMPLE_SWAP("J\3\0\0\0\x85", "J\xff\xff\xff\xff\x85"), SOTTO_PARSE,
       "array indptr has an invalid shape"},
      {X, SAMPLE_SWAP("J\3\0\0\0\x85", "J\3\0\0\0K\1K\1\x87"), SOTTO_PARSE,
       "array indptr does not have one or two dimensions"},
      {X, SAMPLE_SWAP("J\2\0\0\0J\3\0\0\0\x86", "J\3\0\0\0J\3\0\0\0\x86"), SOTTO_PARSE,
       "3 rows need one row start more"},
      {X, SAMPLE_SWAP("J\2\0\0\0J\3\0\0\0\x86", "J\2\0\0\0J\1\0\0\0\x86"), SOTTO_RANGE,
       "index 1 is not below 1"},
      {X, SAMPLE_SWAP("J\2\0\0\0J\3\0\0\0\x86", "J\2\0\0\0J\4\0\0\0\x86"), SOTTO_PARSE,
       "has 3 features, but x has 4"},
      {X, SAMPLE_SWAP("\0\0\0\0\1\0\0\0\2\0\0\0", "\0\0\0\0\3\0\0\0\2\0\0\0"), SOTTO_PARSE, "row start 1"},
      {X, SAMPLE_SWAP("\0\0\0\0\1\0\0\0\2\0\0\0", "\0\0\0\0\1\0\0\0\1\0\0\0"), SOTTO_PARSE,
       "the row starts end at 1"},
      {X, SAMPLE_SWAP("\0\0\x80?", "\0\0\xc0\x7f"), SOTTO_NUMERIC, "value 0 is not a finite"},
      {Y, SAMPLE_SWAP("cnumpy.core", "]cnumpy.core"), SOTTO_PARSE, "file 1: offset"},
      {Y, SAMPLE_SWAP("J\2\0\0\0J\2\0\0\0\x86", "J\4\0\0\0J\1\0\0\0\x86"), SOTTO_PARSE,
       "file 1: the labels do not have one row"},
      {ALLY, SAMPLE_SWAP("\1\0\0\0\0\0\0\0\0\0\0\0", "\1\0\0\0\1\0\0\0\0\0\0\0"), SOTTO_PARSE,
       "file 5: row 0 is not one-hot"},
      {GRAPH, SAMPLE_SWAP("K\0]", "K\7]"), SOTTO_RANGE, "file 6: node 7 is not below the 7 nodes"},
      {GRAPH, SAMPLE_SWAP("K\0]", "K\6]"), SOTTO_RANGE, "node 6 is not below the 7 nodes, or occurs twice"},
      {GRAPH, SAMPLE_SWAP("q\3K\1a", "q\3K\7a"), SOTTO_RANGE, "node 0 has neighbour 7"},
      {GRAPH, SAMPLE_SWAP("q\3K\1a", "q\3]a"), SOTTO_RANGE, "node 0 has neighbour"},
      {GRAPH, SAMPLE_SWAP("K\2]", "K\2N"), SOTTO_PARSE, "the neighbours of node 2 are not a list"},
      {TEST, SAMPLE_SWAP("6", "7"), SOTTO_RANGE, "file 7: line 1: needs a test node from 4 to below 7"},
      {TEST, SAMPLE_SWAP("6", "4"), SOTTO_RANGE, "file 7: line 2"},
      {TEST, SAMPLE_SWAP("4", "3"), SOTTO_RANGE, "file 7: line 2"},
      {TEST, SAMPLE_SWAP("6", "x"), SOTTO_RANGE, "file 7: line 1"},
      {TEST, SAMPLE_SWAP("4\n", ""), SOTTO_PARSE, "1 test nodes, but tx has 2 rows"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    sample files[SOTTO_I_PLANETOID_FILES];
    sotto_i_source sources[SOTTO_I_PLANETOID_FILES];
    sotto_i_parts parts = {0};
    sample_planetoid(files);
    sample_inflict(files, &table[i]);
    sample_sources(sources, files, SOTTO_I_PLANETOID_FILES);
    CHECK_FAILS(table[i].status, table[i].words, sotto_i_read_planetoid(&parts, sources, &err));
    sotto_i_parts_free(&parts);
    sample_free_all(files, SOTTO_I_PLANETOID_FILES);
  }
}

static void a_list_named_many_times_cannot_make_more_edges_than_bytes(void **state) {
  (void)state;
  sample bomb = {0};
  uint64_t nodes;
  sotto_i_edge_list pairs = {0};
  sotto_i_pickle pickle;
  sample_add(&bomb, "\x80\2}(K\0]q\1(", 10);
  for (int i = 0; i < 100; i++) sample_add(&bomb, "K\0", 2);
  sample_add(&bomb, "e", 1);
  for (int i = 1; i < 100; i++) {
    const uint8_t key[4] = {'K', (uint8_t)i, 'h', 1};
    sample_add(&bomb, key, sizeof key);
  }
  sample_add(&bomb, "u.", 2);
  const sotto_i_source source = {"bomb", bomb.data, bomb.size};
  CHECK_OK(sotto_i_pickle_decode(&pickle, &source, &err));
  CHECK_FAILS(SOTTO_PARSE, "more edges than the file has bytes",
              sotto_i_pickle_edges(&pickle, &pickle.values[pickle.root], &nodes, &pairs, &err));
  sotto_i_pickle_free(&pickle);
  sotto_i_edge_list_free(&pairs);
  sample_free(&bomb);
}

static void npz_faults_are_named_with_the_array(void **state) {
  (void)state;
  enum {
    ADJ_DATA,
    ADJ_INDICES,
    ADJ_INDPTR,
    ADJ_SHAPE,
    ATTR_DATA,
    ATTR_INDICES,
    ATTR_INDPTR,
    ATTR_SHAPE,
    LABELS
  };
  static const sample_damage table[] = {
      {ADJ_DATA, SAMPLE_SWAP("NUMPY", "NUMPX"), SOTTO_PARSE, "array adj_data is not .npy"},
      {ADJ_DATA, SAMPLE_SWAP("NUMPY\1", "NUMPY\4"), SOTTO_UNSUPPORTED, "array adj_data has .npy version 4"},
      {ADJ_DATA, SAMPLE_SWAP("Y\1\0", "Y\2\0"), SOTTO_PARSE, "array adj_data ends inside its .npy header"},
      {ADJ_DATA, SAMPLE_SWAP("<f4", "|f4"), SOTTO_UNSUPPORTED, "array adj_data is not of numbers"},
      {ADJ_DATA, SAMPLE_SWAP("<f4", "|O4"), SOTTO_UNSUPPORTED, "array adj_data is not of numbers"},
      {ADJ_DATA, SAMPLE_SWAP("descr", "dexcr"), SOTTO_UNSUPPORTED, "array adj_data is not of numbers"},
      {ADJ_DATA, SAMPLE_SWAP("False", "Maybe"), SOTTO_PARSE, "array adj_data does not say in which order"},
      {ADJ_DATA, SAMPLE_SWAP("(5,)", "(5"), SOTTO_PARSE,
       "array adj_data does not have one or two dimensions"},
      {ADJ_DATA, SAMPLE_SWAP("(5,)", "()  "), SOTTO_PARSE, "array adj_data claims 1 elements"},
      {ADJ_DATA, SAMPLE_SWAP("(5,), ", "(1,1,5"), SOTTO_PARSE,
       "array adj_data does not have one or two dimensions"},
      {ADJ_DATA, SAMPLE_SWAP("(5,)", "(6,)"), SOTTO_PARSE,
       "array adj_data claims 6 elements but has 20 bytes"},
      {ADJ_DATA, SAMPLE_SWAP("\0\0\x80?", "\0\0\x80\x7f"), SOTTO_NUMERIC, "adj: value 0 is not a finite"},
      {ADJ_INDICES, SAMPLE_SWAP("\3\0\0\0", "\4\0\0\0"), SOTTO_RANGE, "adj: index 4 is not below 4"},
      {ADJ_INDICES, SAMPLE_SWAP("\3\0\0\0", "\xff\xff\xff\xff"), SOTTO_RANGE, "adj: index 4 is not below 4"},
      {ADJ_INDPTR, SAMPLE_SWAP("\4\0\0\0\4\0\0\0", "\4\0\0\0\3\0\0\0"), SOTTO_PARSE, "adj: row start 3"},
      {ADJ_SHAPE, SAMPLE_SWAP("\4\0\0\0\0\0\0\0\4", "\5\0\0\0\0\0\0\0\4"), SOTTO_PARSE,
       "adj: 5 rows need one row start more"},
      {ADJ_SHAPE, SAMPLE_SWAP("\4\0\0\0\0\0\0\0\4", "\4\0\0\0\0\0\0\0\5"), SOTTO_PARSE, "adj is 4 x 5"},
      {ADJ_SHAPE, SAMPLE_SWAP("\4\0\0\0\0\0\0\0\4", "\xff\xff\xff\xff\xff\xff\xff\xff\4"), SOTTO_PARSE,
       "adj_shape is not two sizes"},
      {ATTR_DATA, SAMPLE_SWAP("\0\0\0\0\0\0\0@", "\0\0\0\0\0\0\xf8\x7f"), SOTTO_NUMERIC,
       "attr: value 2 is not a finite"},
      {ATTR_DATA, SAMPLE_SWAP("\0\0\0\0\0\0\0@", "\0\0\0\0\0\0\xe0\x7f"), SOTTO_NUMERIC,
       "attr: value 2 is not a finite float32"},
      {ATTR_SHAPE, SAMPLE_SWAP("\2\0\0\0\0\0\0\0", "\2\0\0\0\1\0\0\0"), SOTTO_RANGE,
       "features each are not plausible"},
      {LABELS, SAMPLE_SWAP("(4,), ", "(2,2),"), SOTTO_PARSE,
       "array labels does not have one element for each of the 4 nodes"},
      {LABELS, SAMPLE_SWAP("\1\0\0\0\0\0\0\0", "\4\0\0\0\0\0\0\0"), SOTTO_RANGE,
       "array labels: element 1 is not a class"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    sample arrays[SAMPLE_ARRAYS], archive;
    sotto_i_source source;
    sotto_i_parts parts = {0};
    sample_npz_arrays(arrays);
    sample_inflict(arrays, &table[i]);
    sample_npz(&archive, arrays, i % 2 == 0);
    sample_sources(&source, &archive, 1);
    CHECK_FAILS(table[i].status, table[i].words, sotto_i_read_npz(&parts, &source, &err));
    sotto_i_parts_free(&parts);
    sample_free_all(arrays, SAMPLE_ARRAYS);
    sample_free(&archive);
  }
}

static void faults_of_the_zip_itself_are_named(void **state) {
  (void)state;
  static const sample_damage table[] = {
      {0, SAMPLE_SWAP("labels.npy\x93NUMPY", "labels.npy\x93NUMPX"), SOTTO_CORRUPT,
       "array labels does not unpack"},
      {0, SAMPLE_SWAP("PK\5\6", "PK\5\7"), SOTTO_PARSE, "file 0: is not a zip archive"},
  };
  sample arrays[SAMPLE_ARRAYS], archive;
  sotto_i_source source;
  sotto_i_parts parts = {0};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    sample_npz_arrays(arrays);
    sample_npz(&archive, arrays, false);
    sample_inflict(&archive, &table[i]);
    sample_sources(&source, &archive, 1);
    CHECK_FAILS(table[i].status, table[i].words, sotto_i_read_npz(&parts, &source, &err));
    sample_free_all(arrays, SAMPLE_ARRAYS);
    sample_free(&archive);
  }
  sample_npz_arrays(arrays);
  sample_free(&arrays[4]);
  sample_npz(&archive, arrays, false);
  sample_sources(&source, &archive, 1);
  CHECK_FAILS(SOTTO_PARSE, "has no array attr_data", sotto_i_read_npz(&parts, &source, &err));
  sotto_i_parts_free(&parts);
  sample_free_all(arrays, SAMPLE_ARRAYS);
  sample_free(&archive);
}

/* The sizes that the folder of the zip claims are 4 GB, in a file of some hundred bytes. */
static void a_claim_of_four_gigabytes_allocates_nothing(void **state) {
  (void)state;
  sample arrays[SAMPLE_ARRAYS], archive;
  sotto_i_source source;
  sotto_i_parts parts = {0};
  sample_npz_arrays(arrays);
  sample_npz(&archive, arrays, true);
  uint8_t *entry;
  for (size_t i = 0; i + 4 < archive.size; i++)
    if (memcmp(archive.data + i, "PK\1\2", 4) == 0) {
      entry = archive.data + i;
      memset(entry + 24, 0xF0, 4);
    }
  sample_sources(&source, &archive, 1);
  CHECK_FAILS(SOTTO_PARSE, "more than the file can hold", sotto_i_read_npz(&parts, &source, &err));
  sotto_i_parts_free(&parts);
  sample_free_all(arrays, SAMPLE_ARRAYS);
  sample_free(&archive);
}

static void matlab_faults_are_named_with_the_offset_or_the_variable(void **state) {
  (void)state;
  static const sample_damage table[] = {
      {0, SAMPLE_SWAP("MATLAB 5", "MATLAB 7"), SOTTO_PARSE, "is not a MATLAB 5 file"},
      {0, SAMPLE_SWAP("\0\1IM", "\1\0MI"), SOTTO_UNSUPPORTED, "offset 124: only little-endian"},
      {0, SAMPLE_SWAP("A\0\0\0\5", "B\0\0\0\5"), SOTTO_PARSE, "has no variable A"},
      {0, SAMPLE_SWAP("local_info", "local_inf0"), SOTTO_PARSE, "has no variable local_info"},
      {0, SAMPLE_SWAP("\x0e\0\0\0", "\x0e\0\0\1"), SOTTO_PARSE, "offset 128: a small element"},
      {0, SAMPLE_SWAP("\x0e\0\0\0\xb8\0\0\0", "\x0e\0\0\0\0\0\0\x40"), SOTTO_PARSE,
       "offset 128: an element is longer"},
      {0, SAMPLE_SWAP("\6\0\0\0\x08\0\0\0\5", "\6\0\0\0\x08\0\0\0\1"), SOTTO_UNSUPPORTED,
       "the variable is not a matrix of numbers"},
      {0, SAMPLE_SWAP("\6\0\0\0\x08\0\0\0\5\0", "\6\0\0\0\x08\0\0\0\5\x08"), SOTTO_UNSUPPORTED,
       "the variable is complex"},
      {0, SAMPLE_SWAP("\6\0\0\0\x08\0\0\0\5", "\5\0\0\0\x08\0\0\0\5"), SOTTO_PARSE,
       "does not begin with its flags"},
      {0, SAMPLE_SWAP("\5\0\0\0\x08\0\0\0\5\0\0\0\5", "\6\0\0\0\x08\0\0\0\5\0\0\0\5"), SOTTO_PARSE,
       "lacks its shape or its name"},
      {0, SAMPLE_SWAP("\5\0\0\0\5\0\0\0", "\5\0\0\0\xff\xff\xff\xff"), SOTTO_PARSE,
       "does not have two dimensions"},
      {0, SAMPLE_SWAP("\5\0\0\0\5\0\0\0", "\5\0\0\0\6\0\0\0"), SOTTO_PARSE,
       "the column starts of a sparse matrix"},
      {0, SAMPLE_SWAP("\5\0\0\0\5\0\0\0", "\6\0\0\0\5\0\0\0"), SOTTO_PARSE, "variable A is not a square"},
      {0, SAMPLE_SWAP("\5\0\0\0\7\0\0\0", "\5\0\0\0\6\0\0\0"), SOTTO_PARSE,
       "does not have rows x columns values"},
      {0, SAMPLE_SWAP("\5\0\0\0\7\0\0\0", "\7\0\0\0\5\0\0\0"), SOTTO_PARSE,
       "local_info has not one row a node"},
      {0, SAMPLE_SWAP("\4\0\0\0\3\0\0\0", "\5\0\0\0\3\0\0\0"), SOTTO_RANGE, "A: index 6 is not below 5"},
      {0, SAMPLE_SWAP("\6\0\0\0\7\0\0\0", "\xf9\xff\xff\xff\7\0\0\0"), SOTTO_PARSE, "A: row start 3"},
      {0, SAMPLE_SWAP("\4\0\0\0\x46\0\0\0\0\0", "\3\0\0\0\x46\0\0\0\0\x80"), SOTTO_RANGE,
       "local_info: row 0, column status is not"},
      {0, SAMPLE_SWAP("\4\0\0\0\x46\0\0\0", "\7\0\0\0\x46\0\0\0"), SOTTO_PARSE,
       "numbers were expected before"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    sample file;
    sotto_i_source source;
    sotto_i_parts parts = {0};
    sample_mat(&file, false);
    sample_inflict(&file, &table[i]);
    sample_sources(&source, &file, 1);
    sotto_error seen = {0};
    sotto_status status = sotto_i_read_facebook(&parts, &source, NULL, &seen);
    if (status != table[i].status || strstr(seen.text, table[i].words) == NULL)
      fail_msg("row %zu: %s", i, seen.text);
    sotto_i_parts_free(&parts);
    sample_free(&file);
  }
}

static void facebook_options_are_checked(void **state) {
  (void)state;
  sample file;
  sotto_i_source source;
  sotto_i_parts parts = {0};
  sample_mat(&file, true);
  sample_sources(&source, &file, 1);
  const sotto_import_options typo = {.target = "yaer"}, large = {.target = "year:3"},
                             some = {.target = "year:2"}, word = {.target = "year:few"};
  CHECK_FAILS(SOTTO_NOT_FOUND, "did you mean 'year'?", sotto_i_read_facebook(&parts, &source, &typo, &err));
  CHECK_FAILS(SOTTO_PARSE, "target", sotto_i_read_facebook(&parts, &source, &word, &err));
  CHECK_FAILS(SOTTO_RANGE, "no class of column year has 3 nodes",
              sotto_i_read_facebook(&parts, &source, &large, &err));
  sotto_i_parts_free(&parts);
  CHECK_OK(sotto_i_read_facebook(&parts, &source, &some, &err));
  assert_int_equal(parts.nodes, 2);
  assert_int_equal(parts.classes, 1);
  assert_int_equal(parts.offsets[2], 2);
  sotto_i_parts_free(&parts);
  sample_free(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planetoid_faults_are_named_with_file_and_offset),
      cmocka_unit_test(a_list_named_many_times_cannot_make_more_edges_than_bytes),
      cmocka_unit_test(npz_faults_are_named_with_the_array),
      cmocka_unit_test(faults_of_the_zip_itself_are_named),
      cmocka_unit_test(a_claim_of_four_gigabytes_allocates_nothing),
      cmocka_unit_test(matlab_faults_are_named_with_the_offset_or_the_variable),
      cmocka_unit_test(facebook_options_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
