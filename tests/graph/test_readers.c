/* What every reader promises, run over a small sample of each form. */
#include "format_samples.h"
#include "graph/io/native.h"
#include "samples.h"

#include "check.h"
#include "inside/graph.h"
#include <sys/stat.h>
#include <unistd.h>

typedef struct form {
  const char *name; /* for messages */
  const char *path; /* to open */
  const char *file; /* the file that is damaged */
  uint64_t nodes, edges;
  size_t width;
  uint32_t classes;
  bool sealed; /* every byte counts: damage anywhere is found */
} form;

enum { FORMS = 8 + FORMAT_SAMPLES + 1 };
static form forms[FORMS];

/* A copy that lives as long as the process. */
static const char *keep(const char *path) {
  static char kept[64][320];
  static size_t count;
  assert_true(count < sizeof kept / sizeof kept[0]);
  (void)snprintf(kept[count], sizeof kept[0], "%s", path);
  return kept[count++];
}

/* The forms of other programs; gives how many. */
static size_t write_formats(form *out) {
  static const char *const ogb[] = {"ogb/raw/edge.csv.gz",        "ogb/raw/num-node-list.csv.gz",
                                    "ogb/raw/node-feat.csv.gz",   "ogb/raw/node-label.csv.gz",
                                    "ogb/split/any/train.csv.gz", "ogb/split/any/valid.csv.gz",
                                    "ogb/split/any/test.csv.gz"};
  static const char *const folders[] = {"ogb", "ogb/raw", "ogb/split", "ogb/split/any"};
  sample files[SOTTO_I_OGB_FILES];
  const char *features = NULL;
  for (size_t i = 0; i < FORMAT_SAMPLES; i++) {
    const format_sample *s = &format_samples[i];
    sample bytes = format_sample_bytes(i);
    const char *path = keep(sample_write(&bytes, s->name));
    out[i] = (form){s->name, path, path, s->nodes, s->edges, s->width, s->classes, false};
    sample_free(&bytes);
  }
  for (size_t i = 0; i < 4; i++) (void)mkdir(check_path(folders[i]), 0700);
  sample_ogb(files);
  for (size_t i = 0; i < SOTTO_I_OGB_FILES; i++) {
    const char *path = keep(sample_write(&files[i], ogb[i]));
    if (i == SOTTO_I_OGB_FEATURES) features = path;
  }
  sample_free_all(files, SOTTO_I_OGB_FILES);
  out[FORMAT_SAMPLES] = (form){"OGB", keep(check_path("ogb")), features, 3, 2, 2, 2, false};
  return FORMAT_SAMPLES + 1;
}

static int write_samples(void **state) {
  (void)state;
  static const char *const planetoid[] = {"x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"};
  static const char *const tu[] = {"A", "graph_indicator", "graph_labels", "node_labels", "node_attributes"};
  sample files[SAMPLE_ARRAYS], one, nodes;
  char name[64];
  size_t n = 0;
  sample_planetoid(files);
  const char *damaged[2] = {NULL, NULL};
  for (size_t i = 0; i < SOTTO_I_PLANETOID_FILES; i++) {
    (void)snprintf(name, sizeof name, "ind.tiny.%s", planetoid[i]);
    const char *path = keep(sample_write(&files[i], name));
    if (i == SOTTO_I_PLANETOID_GRAPH) damaged[0] = path;
    if (i == SOTTO_I_PLANETOID_ALLX) damaged[1] = path;
    sample_free(&files[i]);
  }
  (void)snprintf(name, sizeof name, "%s:tiny", check_folder());
  const char *path = keep(name);
  forms[n++] = (form){"planetoid graph", path, damaged[0], 7, 4, 3, 2, false};
  forms[n++] = (form){"planetoid allx", path, damaged[1], 7, 4, 3, 2, false};
  for (int deflated = 0; deflated < 2; deflated++) {
    sample_npz_arrays(files);
    sample_npz(&one, files, deflated);
    path = keep(sample_write(&one, deflated ? "deflated.npz" : "stored.npz"));
    forms[n++] = (form){"npz", path, path, 4, 2, 2, 2, false};
    for (size_t i = 0; i < SAMPLE_ARRAYS; i++) sample_free(&files[i]);
    sample_free(&one);
  }
  sample_mat(&one, true);
  path = keep(sample_write(&one, "school.mat"));
  forms[n++] = (form){"facebook100", path, path, 4, 3, 5, 3, false};
  sample_free(&one);
  sample_edges(&one, &nodes);
  (void)sample_write(&nodes, "friends.nodes.csv");
  path = keep(sample_write(&one, "friends.csv"));
  forms[n++] = (form){"edge list", path, path, 3, 2, 1, 2, false};
  sample_free(&one);
  sample_free(&nodes);
  (void)mkdir(check_path("shapes"), 0700);
  sample_tu(files);
  for (size_t i = 0; i < SOTTO_I_TU_FILES; i++) {
    (void)snprintf(name, sizeof name, "shapes/SHAPES_%s.txt", tu[i]);
    const char *written = keep(sample_write(&files[i], name));
    if (i == SOTTO_I_TU_EDGES) damaged[0] = written;
    sample_free(&files[i]);
  }
  forms[n++] = (form){"TUDataset", keep(check_path("shapes")), damaged[0], 5, 4, 4, 0, false};
  n += write_formats(forms + n);
  sotto_dataset data;
  CHECK_OK(sotto_dataset_open(&data, forms[0].path, NULL, &err));
  path = keep(check_path("tiny.sotto"));
  CHECK_OK(sotto_dataset_save(&data, path, &err));
  sotto_dataset_free(&data);
  forms[n++] = (form){"native", path, path, 7, 4, 3, 2, true};
  return n == FORMS ? 0 : -1;
}

static void each_form_opens_with_the_counts_it_was_made_with(void **state) {
  (void)state;
  for (size_t i = 0; i < FORMS; i++) {
    sotto_dataset data;
    CHECK_OK(sotto_dataset_open(&data, forms[i].path, NULL, &err));
    assert_int_equal(data.graph.nodes, forms[i].nodes);
    assert_int_equal(data.graph.entries, 2 * forms[i].edges);
    assert_int_equal(data.features.cols, forms[i].width);
    assert_int_equal(data.classes, forms[i].classes);
    CHECK_OK(sotto_graph_check(&data.graph, &err));
    sotto_dataset_free(&data);
  }
}

static void each_form_is_the_same_after_saving_and_opening(void **state) {
  (void)state;
  for (size_t i = 0; i < FORMS; i++) {
    sotto_dataset data, again;
    const char *path = check_path("again.sotto");
    CHECK_OK(sotto_dataset_open(&data, forms[i].path, NULL, &err));
    CHECK_OK(sotto_dataset_save(&data, path, &err));
    CHECK_OK(sotto_dataset_open(&again, path, NULL, &err));
    assert_memory_equal(data.digest, again.digest, sizeof data.digest);
    assert_string_equal(data.name, again.name);
    assert_int_equal(data.classes, again.classes);
    assert_int_equal(data.graph_classes, again.graph_classes);
    sotto_dataset_free(&data);
    sotto_dataset_free(&again);
  }
}

static void each_allocation_that_fails_gives_an_error_and_no_leak(void **state) {
  (void)state;
  for (size_t i = 0; i < FORMS; i++) {
    for (uint64_t nth = 1;; nth++) {
      sotto_dataset data;
      sotto_error err = {0};
      sotto_i_memory_fail_at(nth);
      sotto_status status = sotto_dataset_open(&data, forms[i].path, NULL, &err);
      uint64_t made = sotto_i_memory_fail_at(0);
      if (status == SOTTO_OK) {
        sotto_dataset_free(&data);
        assert_true(made < nth);
        break;
      }
      if (status != SOTTO_NOMEM) fail_msg("%s, allocation %d: %s", forms[i].name, (int)nth, err.text);
      assert_null(data.storage);
    }
  }
}

static void saving_survives_each_allocation_that_fails(void **state) {
  (void)state;
  sotto_dataset data;
  CHECK_OK(sotto_dataset_open(&data, forms[0].path, NULL, &err));
  sotto_status status = SOTTO_NOMEM;
  for (uint64_t nth = 1; status != SOTTO_OK; nth++) {
    sotto_i_memory_fail_at(nth);
    status = sotto_dataset_save(&data, check_path("faulty.sotto"), NULL);
    sotto_i_memory_fail_at(0);
    assert_true(status == SOTTO_OK || status == SOTTO_NOMEM);
  }
  sotto_dataset_free(&data);
}

static sample load(const char *path) {
  sample bytes = {0};
  sotto_i_map map;
  CHECK_OK(sotto_i_map_open(&map, path, &err));
  sample_add(&bytes, map.data, map.size);
  sotto_i_map_close(&map);
  return bytes;
}

/* Changes bytes where they stand: replacing the file instead would wait for the disk each time. */
static void change(const char *path, size_t at, const uint8_t *data, size_t size) {
  FILE *file = fopen(path, "r+b");
  if (file == NULL || fseek(file, (long)at, SEEK_SET) != 0 || fwrite(data, 1, size, file) != size ||
      fclose(file) != 0)
    abort();
}

/* Opens what may be damaged; an error must name a file. Gives whether it opened. */
static bool try_open(const form *f) {
  sotto_dataset data;
  sotto_error err = {0};
  if (sotto_dataset_open(&data, f->path, NULL, &err) == SOTTO_OK) {
    sotto_dataset_free(&data);
    return true;
  }
  if (strstr(err.text, check_folder()) == NULL) fail_msg("%s: '%s' names no file", f->name, err.text);
  return false;
}

static void a_file_cut_off_at_any_byte_gives_an_error_or_a_dataset(void **state) {
  (void)state;
  for (size_t i = 0; i < FORMS; i++) {
    sample whole = load(forms[i].file);
    for (size_t size = whole.size; size-- > 0;) {
      if (truncate(forms[i].file, (off_t)size) != 0) abort();
      bool opened = try_open(&forms[i]);
      bool text = size + 1 == whole.size && whole.data[size] == '\n';
      text = text || (strstr(forms[i].file, ".csv") != NULL && strstr(forms[i].file, ".gz") == NULL) ||
             strstr(forms[i].file, ".txt") != NULL;
      if (opened && !text) fail_msg("%s opened when cut off at %zu", forms[i].name, size);
    }
    change(forms[i].file, 0, whole.data, whole.size);
    sample_free(&whole);
  }
}

static void a_file_with_any_byte_changed_gives_an_error_or_a_dataset(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t i = 0; i < FORMS; i++) {
    sample whole = load(forms[i].file);
    for (size_t at = 0; at < whole.size; at++) {
      uint8_t held = whole.data[at];
      uint8_t other = (uint8_t)(held ^ (1 + sotto_i_random_below(&random, 255)));
      change(forms[i].file, at, &other, 1);
      if (try_open(&forms[i]) && forms[i].sealed) fail_msg("%s: byte %zu is not checked", forms[i].name, at);
      change(forms[i].file, at, &held, 1);
    }
    sample_free(&whole);
  }
}

static void what_is_not_there_or_not_known_is_named(void **state) {
  (void)state;
  sotto_dataset data;
  sample text = {0};
  sample_text(&text, "hello");
  CHECK_FAILS(SOTTO_NOT_FOUND, "no such file", sotto_dataset_open(&data, "/nonexistent.npz", NULL, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "no folder '/nonexistent'",
              sotto_dataset_open(&data, "/nonexistent:cora", NULL, &err));
  CHECK_FAILS(SOTTO_UNSUPPORTED, "a folder of TUDataset or OGB",
              sotto_dataset_open(&data, sample_write(&text, "hello.doc"), NULL, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "NAME_A.txt", sotto_dataset_open(&data, check_folder(), NULL, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "ind.other.x", sotto_dataset_open(&data, "/tmp:other", NULL, &err));
  sample_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_form_opens_with_the_counts_it_was_made_with),
      cmocka_unit_test(each_form_is_the_same_after_saving_and_opening),
      cmocka_unit_test(each_allocation_that_fails_gives_an_error_and_no_leak),
      cmocka_unit_test(saving_survives_each_allocation_that_fails),
      cmocka_unit_test(a_file_cut_off_at_any_byte_gives_an_error_or_a_dataset),
      cmocka_unit_test(a_file_with_any_byte_changed_gives_an_error_or_a_dataset),
      cmocka_unit_test(what_is_not_there_or_not_known_is_named),
  };
  return cmocka_run_group_tests(tests, write_samples, NULL);
}
