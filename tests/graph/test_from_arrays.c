/* Datasets from the caller's arrays: every form gives the same data as a plain reference, and the same digest
 * as a file. */
#include "check.h"
#include "index_arrays.h"
#include "samples.h"
#include "sotto/schema.h"

enum { most_nodes = 40, most_pairs = 300, most_columns = 6 };

/* What is told to the library, in the plainest form. */
typedef struct content {
  uint64_t nodes;
  bool joined[most_nodes][most_nodes];
  size_t columns;
  float features[most_nodes * most_columns];
  int32_t labels[most_nodes];
  uint8_t split[most_nodes];
} content;

/* The caller's arrays, in every form. */
typedef struct forms {
  size_t pairs;
  uint32_t sources[most_pairs], targets[most_pairs];
  uint64_t wide_sources[most_pairs], wide_targets[most_pairs];
  uint64_t offsets[most_nodes + 1]; /* canonical */
  uint32_t neighbours[most_nodes * most_nodes];
  int32_t loose_offsets[most_nodes + 1]; /* one-way, as drawn, with loops and repeats */
  int64_t loose_neighbours[most_pairs];
  int64_t indptr[most_nodes + 1];
  int32_t indices[2 * most_nodes * most_columns];
  float values[2 * most_nodes * most_columns];
  uint8_t masks[3][most_nodes];
} forms;

static void draw_edges(content *c, forms *f, sotto_i_random *random) {
  f->pairs = sotto_i_random_below(random, most_pairs);
  for (size_t i = 0; i < f->pairs; i++) {
    uint32_t u = (uint32_t)sotto_i_random_below(random, c->nodes);
    uint32_t v = (uint32_t)sotto_i_random_below(random, c->nodes);
    f->wide_sources[i] = f->sources[i] = u;
    f->wide_targets[i] = f->targets[i] = v;
    if (u != v) c->joined[u][v] = c->joined[v][u] = true;
  }
  size_t at = 0, entries = 0;
  for (uint64_t v = 0; v < c->nodes; v++) {
    for (size_t i = 0; i < f->pairs; i++)
      if (f->sources[i] == v) f->loose_neighbours[at++] = f->targets[i];
    f->loose_offsets[v + 1] = (int32_t)at;
    for (uint32_t u = 0; u < c->nodes; u++)
      if (c->joined[v][u]) f->neighbours[entries++] = u;
    f->offsets[v + 1] = entries;
  }
}

/* Small whole numbers, so that sums of repeated columns are exact. */
static void draw_features(content *c, forms *f, sotto_i_random *random) {
  size_t at = 0;
  c->columns = 1 + sotto_i_random_below(random, most_columns);
  for (uint64_t v = 0; v < c->nodes; v++) {
    size_t count = sotto_i_random_below(random, 2 * c->columns);
    for (size_t i = 0; i < count; i++) {
      f->indices[at] = (int32_t)sotto_i_random_below(random, c->columns);
      f->values[at] = (float)sotto_i_random_below(random, 9) - 4;
      c->features[v * c->columns + (size_t)f->indices[at]] += f->values[at];
      at++;
    }
    f->indptr[v + 1] = (int64_t)at;
  }
}

static void draw(content *c, forms *f, sotto_i_random *random) {
  *c = (content){.nodes = 1 + sotto_i_random_below(random, most_nodes)};
  *f = (forms){0};
  draw_edges(c, f, random);
  draw_features(c, f, random);
  for (uint64_t v = 0; v < c->nodes; v++) {
    c->labels[v] = (int32_t)sotto_i_random_below(random, c->nodes < 5 ? c->nodes + 1 : 6) - 1;
    c->split[v] = (uint8_t)sotto_i_random_below(random, 4);
    if (c->split[v] > 0) f->masks[c->split[v] - 1][v] = (uint8_t)(1 + sotto_i_random_below(random, 255));
  }
}

enum { EDGE_FORMS = 4, FEATURE_FORMS = 2 };

static sotto_arrays arrays_of(const content *c, const forms *f, int edges, int features) {
  sotto_arrays a = {.name = "drawn", .nodes = c->nodes, .feature_columns = c->columns, .labels = c->labels};
  a.train = f->masks[0];
  a.validation = f->masks[1];
  a.test = f->masks[2];
  const uint64_t rows = c->nodes + 1;
  switch (edges) {
  case 0:
    a.sources = check_u32(f->sources, f->pairs);
    a.targets = check_u64(f->wide_targets, f->pairs);
    break;
  case 1:
    a.sources = check_u64(f->wide_sources, f->pairs);
    a.targets = check_u32(f->targets, f->pairs);
    break;
  case 2:
    a.offsets = check_u64(f->offsets, rows);
    a.neighbours = check_u32(f->neighbours, f->offsets[c->nodes]);
    break;
  default:
    a.offsets = check_i32(f->loose_offsets, rows);
    a.neighbours = check_i64(f->loose_neighbours, f->pairs);
  }
  if (features == 0) {
    a.features = c->features;
  } else {
    a.feature_indptr = check_i64(f->indptr, rows);
    a.feature_indices = check_i32(f->indices, (uint64_t)f->indptr[c->nodes]);
    a.feature_values = f->values;
  }
  return a;
}

static void expect_content(const sotto_dataset *data, const content *c) {
  uint32_t classes = 0;
  uint64_t entry = 0;
  assert_string_equal(data->name, "drawn");
  assert_int_equal(data->graph.nodes, c->nodes);
  assert_int_equal(data->features.rows, c->nodes);
  assert_int_equal(data->features.cols, c->columns);
  for (uint64_t v = 0; v < c->nodes; v++) {
    assert_int_equal(data->graph.offsets[v], entry);
    for (uint32_t u = 0; u < c->nodes; u++)
      if (c->joined[v][u]) assert_int_equal(data->graph.targets[entry++], u);
    assert_int_equal(data->labels[v], c->labels[v]);
    assert_int_equal(data->split[v], c->split[v]);
    if (c->labels[v] >= (int32_t)classes) classes = (uint32_t)c->labels[v] + 1;
  }
  assert_int_equal(data->graph.entries, entry);
  assert_int_equal(data->classes, classes);
  for (size_t i = 0; i < c->nodes * c->columns; i++) assert_true(data->features.data[i] == c->features[i]);
}

static void every_form_gives_the_same_data_and_the_digest_of_a_file(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static content c;
  static forms f;
  for (int round = 0; round < 150; round++) {
    sotto_dataset data, file;
    uint8_t digest[32] = {0};
    draw(&c, &f, &random);
    for (int form = 0; form < EDGE_FORMS * FEATURE_FORMS; form++) {
      const sotto_arrays a = arrays_of(&c, &f, form % EDGE_FORMS, form / EDGE_FORMS);
      CHECK_OK(sotto_dataset_from_arrays(&data, &a, &err));
      expect_content(&data, &c);
      if (form == 0) {
        CHECK_OK(sotto_dataset_save(&data, check_path("drawn.sotto"), &err));
        CHECK_OK(sotto_dataset_open(&file, check_path("drawn.sotto"), NULL, &err));
        memcpy(digest, file.digest, sizeof digest);
        sotto_dataset_free(&file);
      }
      assert_memory_equal(data.digest, digest, sizeof digest);
      sotto_dataset_free(&data);
    }
    for (int form = 0; form < EDGE_FORMS; form++) {
      sotto_arrays a = arrays_of(&c, &f, form, 0);
      a.borrow_features = true;
      CHECK_OK(sotto_dataset_from_arrays(&data, &a, &err));
      expect_content(&data, &c);
      assert_memory_equal(data.digest, digest, sizeof digest);
      assert_ptr_equal(data.features.data, c.features);
      assert_ptr_not_equal(data.labels, c.labels);
      sotto_dataset_free(&data);
    }
    sotto_arrays lent = arrays_of(&c, &f, 2, 0);
    lent.borrow = true;
    CHECK_OK(sotto_dataset_from_arrays(&data, &lent, &err));
    expect_content(&data, &c);
    assert_memory_equal(data.digest, digest, sizeof digest);
    assert_ptr_equal(data.features.data, c.features);
    assert_ptr_equal(data.graph.offsets, f.offsets);
    assert_ptr_equal(data.labels, c.labels);
    if (data.graph.entries > 0) assert_ptr_equal(data.graph.targets, f.neighbours);
    sotto_dataset_free(&data);
  }
}

static void a_copy_does_not_need_the_arrays_any_more(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static content c, changed;
  static forms f;
  draw(&c, &f, &random);
  changed = c;
  for (int form = 0; form < EDGE_FORMS * FEATURE_FORMS; form++) {
    sotto_dataset data;
    static forms lost;
    lost = f;
    const sotto_arrays a = arrays_of(&changed, &lost, form % EDGE_FORMS, form / EDGE_FORMS);
    CHECK_OK(sotto_dataset_from_arrays(&data, &a, &err));
    memset(&lost, 0xEE, sizeof lost);
    memset(changed.features, 0xEE, sizeof changed.features);
    memset(changed.labels, 0xEE, sizeof changed.labels);
    expect_content(&data, &c);
    changed = c;
    sotto_dataset_free(&data);
  }
}

static void an_npz_file_and_its_arrays_have_one_digest(void **state) {
  (void)state;
  static const uint32_t sources[] = {0, 1, 1, 3}, targets[] = {1, 0, 2, 3};
  sample files[SAMPLE_ARRAYS], one;
  sotto_dataset file, data;
  sample_npz_arrays(files);
  sample_npz(&one, files, true);
  CHECK_OK(sotto_dataset_open(&file, sample_write(&one, "four.npz"), NULL, &err));
  for (size_t i = 0; i < SAMPLE_ARRAYS; i++) sample_free(&files[i]);
  sample_free(&one);
  const sotto_arrays a = {.nodes = 4,
                          .sources = check_u32(sources, 4),
                          .targets = check_u32(targets, 4),
                          .features = file.features.data,
                          .feature_columns = file.features.cols,
                          .labels = (const int32_t[]){0, 1, 1, 0}};
  CHECK_OK(sotto_dataset_from_arrays(&data, &a, &err));
  assert_string_equal(data.name, "arrays");
  assert_memory_equal(data.digest, file.digest, sizeof data.digest);
  sotto_dataset_free(&data);
  sotto_dataset_free(&file);
}

static void only_the_number_of_nodes_is_needed(void **state) {
  (void)state;
  sotto_dataset bare, zeros, lent, opened;
  static const uint64_t offsets[4];
  CHECK_OK(sotto_dataset_from_arrays(&bare, &(sotto_arrays){.nodes = 3}, &err));
  assert_int_equal(bare.graph.entries, 0);
  assert_null(bare.labels);
  assert_null(bare.split);
  assert_int_equal(bare.features.cols, 0);
  const sotto_arrays none = {.nodes = 3, .offsets = check_u64(offsets, 4)};
  CHECK_OK(sotto_dataset_from_arrays(&zeros, &none, &err));
  const sotto_arrays borrowed = {.nodes = 3, .offsets = check_u64(offsets, 4), .borrow = true};
  CHECK_OK(sotto_dataset_from_arrays(&lent, &borrowed, &err));
  CHECK_OK(sotto_dataset_save(&lent, check_path("bare.sotto"), &err));
  CHECK_OK(sotto_dataset_open(&opened, check_path("bare.sotto"), NULL, &err));
  assert_memory_equal(bare.digest, opened.digest, sizeof bare.digest);
  assert_memory_equal(zeros.digest, opened.digest, sizeof zeros.digest);
  assert_memory_equal(lent.digest, opened.digest, sizeof lent.digest);
  sotto_dataset_free(&bare);
  sotto_dataset_free(&zeros);
  sotto_dataset_free(&lent);
  sotto_dataset_free(&opened);
}

static void one_mask_is_a_published_split(void **state) {
  (void)state;
  sotto_dataset data;
  const sotto_arrays a = {.nodes = 3, .validation = (const uint8_t[]){0, 7, 0}};
  CHECK_OK(sotto_dataset_from_arrays(&data, &a, &err));
  assert_memory_equal(data.split, ((const uint8_t[]){0, SOTTO_PART_VALIDATION, 0}), 3);
  sotto_dataset_free(&data);
}

static void a_collection_of_graphs_can_be_given(void **state) {
  (void)state;
  sotto_dataset data;
  static const uint32_t sources[] = {0, 1, 3}, targets[] = {1, 2, 4};
  static const uint64_t first[] = {0, 3, 5};
  static const int32_t labels[] = {1, 0};
  sotto_arrays a = {.nodes = 5,
                    .sources = check_u32(sources, 3),
                    .targets = check_u32(targets, 3),
                    .graph_count = 2,
                    .graph_first = first,
                    .graph_labels = labels};
  CHECK_OK(sotto_dataset_from_arrays(&data, &a, &err));
  assert_int_equal(data.graph_count, 2);
  assert_int_equal(data.graph_classes, 2);
  assert_memory_equal(data.graph_first, first, sizeof first);
  assert_ptr_not_equal(data.graph_first, first);
  sotto_dataset_free(&data);
  static const uint64_t wrong[] = {0, 2, 5};
  a.graph_first = wrong;
  CHECK_FAILS(SOTTO_CORRUPT, "an edge of graph 0 leaves it", sotto_dataset_from_arrays(&data, &a, &err));
}

/* A lent array may have changed since its checksum was made for the digest. */
static void lent_arrays_are_saved_as_they_are_then(void **state) {
  (void)state;
  static const uint64_t offsets[3];
  int32_t labels[2] = {0, 1};
  sotto_dataset lent, opened;
  const sotto_arrays arrays = {
      .nodes = 2, .offsets = check_u64(offsets, 3), .labels = labels, .classes = 2, .borrow = true};
  CHECK_OK(sotto_dataset_from_arrays(&lent, &arrays, &err));
  labels[1] = 0;
  CHECK_OK(sotto_dataset_save(&lent, check_path("lent.sotto"), &err));
  CHECK_OK(sotto_dataset_open(&opened, check_path("lent.sotto"), NULL, &err));
  assert_int_equal(opened.labels[1], 0);
  sotto_dataset_free(&lent);
  sotto_dataset_free(&opened);
}

static const char people[] =
    "sotto-schema: 1\n"
    "classes: [\"stays\", \"leaves\"]\n"
    "columns:\n"
    "- {name: \"age\", type: number, missing: zero, mean: [34], variance: [51]}\n"
    "- {name: \"city\", type: category, words: [\"Paris\", \"Rome\"], mean: [0.3, 0.3], "
    "variance: [0.2, 0.2]}\n";

static sotto_schema *parsed(const char *text) {
  sotto_schema *out;
  CHECK_OK(sotto_schema_parse(&out, "people", text, strlen(text), &err));
  return out;
}

static sotto_arrays three_people(const sotto_schema *schema) {
  static const float features[] = {31, 1, 0, 44, 0, 1, 27, 0, 0};
  static const int32_t labels[] = {1, -1, 0};
  return (sotto_arrays){
      .nodes = 3, .features = features, .feature_columns = 3, .labels = labels, .schema = schema};
}

static void a_schema_names_columns_and_classes(void **state) {
  (void)state;
  sotto_dataset plain, named;
  sotto_schema *schema = parsed(people), *of;
  char *text;
  sotto_arrays a = three_people(NULL);
  CHECK_OK(sotto_dataset_from_arrays(&plain, &a, &err));
  a.schema = schema;
  CHECK_OK(sotto_dataset_from_arrays(&named, &a, &err));
  sotto_schema_free(schema);
  assert_memory_equal(named.digest, plain.digest, sizeof plain.digest);
  assert_string_equal(sotto_name(&named.feature_names, 2), "city=Rome");
  assert_string_equal(sotto_name(&named.class_names, 1), "leaves");
  assert_int_equal(named.classes_from, SOTTO_CLASSES_DECLARED);
  assert_null(named.reading);
  CHECK_OK(sotto_schema_of(&of, &named, &err));
  CHECK_OK(sotto_schema_yaml(&text, of, &err));
  assert_non_null(strstr(text, "{name: \"age\", type: number, missing: zero}"));
  assert_non_null(strstr(text, "classes: [\"stays\", \"leaves\"]"));
  sotto_text_free(text);
  sotto_schema_free(of);
  sotto_dataset_free(&named);
  sotto_dataset_free(&plain);
}

static void names_that_were_found_in_the_rows_are_marked(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_schema *schema = parsed(people);
  sotto_arrays a = three_people(schema);
  a.schema_found = true;
  CHECK_OK(sotto_dataset_from_arrays(&data, &a, &err));
  assert_int_equal(data.classes_from, SOTTO_CLASSES_FOUND);
  assert_non_null(data.reading);
  assert_false(data.reading->stated);
  sotto_dataset_free(&data);
  sotto_schema_free(schema);
}

static void classes_without_a_name_are_said_to_be_unused(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_schema *schema = parsed("{\"sotto-schema\": 1, \"classes\": [\"a\", \"b\", \"c\"], \"columns\": []}");
  sotto_arrays a = three_people(schema);
  CHECK_OK(sotto_dataset_from_arrays(&data, &a, &err));
  assert_int_equal(data.classes, 3);
  assert_int_equal(data.feature_names.count, 0);
  assert_null(data.schema);
  sotto_dataset_free(&data);
  a.classes = 5;
  CHECK_OK(sotto_dataset_from_arrays(&data, &a, &err));
  assert_int_equal(data.class_names.count, 5);
  assert_string_equal(sotto_name(&data.class_names, 2), "c");
  sotto_dataset_free(&data);
  sotto_schema_free(schema);
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static content c;
  static forms f;
  draw(&c, &f, &random);
  sotto_schema *schema = parsed(people);
  for (int form = 0; form <= EDGE_FORMS * FEATURE_FORMS + 1; form++) {
    sotto_arrays a = arrays_of(&c, &f, form % EDGE_FORMS, form / EDGE_FORMS % FEATURE_FORMS);
    if (form == EDGE_FORMS * FEATURE_FORMS) {
      a = arrays_of(&c, &f, 2, 0);
      a.borrow = true;
    }
    if (form > EDGE_FORMS * FEATURE_FORMS) {
      a = three_people(schema);
      a.schema_found = true;
    }
    sotto_status status = SOTTO_NOMEM;
    for (uint64_t nth = 1; status == SOTTO_NOMEM; nth++) {
      sotto_dataset data;
      sotto_error err = {0};
      (void)sotto_i_memory_fail_at(nth);
      status = sotto_dataset_from_arrays(&data, &a, &err);
      (void)sotto_i_memory_fail_at(0);
      if (status != SOTTO_OK) assert_null(data.storage);
      sotto_dataset_free(&data);
    }
    assert_int_equal(status, SOTTO_OK);
  }
  sotto_schema_free(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form_gives_the_same_data_and_the_digest_of_a_file),
      cmocka_unit_test(a_schema_names_columns_and_classes),
      cmocka_unit_test(names_that_were_found_in_the_rows_are_marked),
      cmocka_unit_test(classes_without_a_name_are_said_to_be_unused),
      cmocka_unit_test(a_copy_does_not_need_the_arrays_any_more),
      cmocka_unit_test(an_npz_file_and_its_arrays_have_one_digest),
      cmocka_unit_test(only_the_number_of_nodes_is_needed),
      cmocka_unit_test(one_mask_is_a_published_split),
      cmocka_unit_test(a_collection_of_graphs_can_be_given),
      cmocka_unit_test(lent_arrays_are_saved_as_they_are_then),
      cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
