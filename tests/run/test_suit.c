/* The scaling that suits a table, where the options say nothing. */
#include <math.h>

#include "graph/schema.h"
#include "graph/schema_match.h"
#include "run/method/method.h"
#include "run/settings/suit.h"
#include "sotto/methods.h"
#include "sotto/schema.h"
#include "table_texts.h"

#include "check.h"

static const char mixed[] =
    "id,age,income,city,label\na,30,41000,Rome,x\nb,50,30000,Oslo,y\nc,40,52000,Rome,x\n";

typedef struct heard {
  int lines;
  char text[300];
} heard;

static void listen(void *context, sotto_log_level level, const char *text) {
  heard *h = context;
  (void)level;
  h->lines++;
  (void)snprintf(h->text, sizeof h->text, "%s", text);
}

static sotto_options options_of(const char *method) {
  sotto_options o;
  sotto_options_default(&o);
  CHECK_OK(sotto_options_set(&o, "method", method, &err));
  sotto_options_resolve(&o);
  return o;
}

static sotto_feature_scale suits(const char *table, sotto_options *o, heard *h) {
  sotto_dataset data;
  const sotto_observer observer = {.context = h, .log = listen};
  *h = (heard){0};
  CHECK_OK(check_read_texts(&data, "a,b\nb,c\n", table, NULL, &err));
  CHECK_OK(sotto_i_suit_scaling(o, &data, &observer, &err));
  sotto_dataset_free(&data);
  return o->feature_scale;
}

static void columns_that_swamp_others_are_standardised_and_the_largest_is_named(void **state) {
  (void)state;
  static const char *const methods[] = {"best", "gnn", "gap", "vesper"};
  heard h;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    sotto_options o = options_of(methods[i]);
    assert_int_equal(suits(mixed, &o, &h), SOTTO_FEATURE_SCALE_STANDARD);
    assert_int_equal(h.lines, 1);
    assert_non_null(strstr(h.text, "'income' is much larger"));
  }
}

static void other_tables_keep_rows_of_unit_norm(void **state) {
  (void)state;
  static const char *const tables[] = {
      "id,age,years\na,30,12\nb,50,7\nc,40,9\n",        /* of one size */
      "id,city,job\na,Rome,u\nb,Oslo,v\nc,Rome,u\n",    /* words alone */
      "id,x,city\na,3,Rome\nb,5,Oslo\nc,9,Rome\n",      /* not ten times a word */
      "id,p,q,r,s\na,90,0,0,0\nb,0,0,1,0\nc,0,0,0,0\n", /* counts */
      "id,label\na,x\nb,y\nc,x\n",                      /* no features */
  };
  heard h;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    sotto_options o = options_of("best");
    if (suits(tables[i], &o, &h) != SOTTO_FEATURE_SCALE_L2 || h.lines != 0) fail_msg("table %zu", i);
  }
}

static void private_features_and_those_of_several_clients_keep_it_too(void **state) {
  (void)state;
  static const char *const methods[] = {"fedavg", "feddep", "vfgnn"};
  heard h;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    sotto_options o = options_of(methods[i]);
    const sotto_feature_scale before = o.feature_scale;
    assert_int_equal(suits(mixed, &o, &h), before);
    assert_int_equal(h.lines, 0);
  }
  sotto_options o = options_of("gap");
  CHECK_OK(sotto_options_set(&o, "adjacency", "node", &err));
  assert_int_equal(suits(mixed, &o, &h), SOTTO_FEATURE_SCALE_L2);
}

enum { bare_rows = 5, bare_cols = 3 };

/* Data of a matrix, dense or as its entries other than 0. */
static sotto_dataset bare(const float cells[bare_rows * bare_cols], bool sparse) {
  static uint64_t offsets[bare_rows + 1];
  static uint32_t columns[bare_rows * bare_cols];
  static float values[bare_rows * bare_cols];
  const sotto_arrays arrays = {.nodes = bare_rows, .features = cells, .feature_columns = bare_cols};
  sotto_dataset data;
  CHECK_OK(sotto_dataset_from_arrays(&data, &arrays, &err));
  if (!sparse) return data;
  for (size_t i = 0; i < bare_rows; i++) {
    offsets[i + 1] = offsets[i];
    for (uint32_t j = 0; j < bare_cols; j++) {
      if (cells[i * bare_cols + j] == 0) continue;
      columns[offsets[i + 1]] = j;
      values[offsets[i + 1]++] = cells[i * bare_cols + j];
    }
  }
  data.entries = (sotto_entries){offsets, columns, values};
  return data;
}

/* Without a schema the values decide: of 0 and 1 alone a column is a flag. */
static void data_without_names_goes_by_its_values(void **state) {
  static const struct {
    float cells[bare_rows * bare_cols];
    const char *words; /* NULL: unit norm */
  } rows[] = {
      {{0, 90000, 1, 1, 80000, 0, 1, 70000, 1, 0, 60000, 0, 1, 50000, 1}, "'column 2' is much larger"},
      {{5, 7, 0.1F, 6, 8, 0.2F, 7, 6, 0.1F, 5, 6, 0.2F, 6, 7, 0.1F}, "'column 2' is much larger"},
      {{0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1}, NULL},                  /* flags, two of them rare */
      {{3, 4, 5, 6, 5, 4, 5, 6, 5, 4, 3, 4, 3, 5, 4}, NULL},                  /* of one size */
      {{90, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0.1F, 0, 0, 0, 0}, NULL},              /* counts of words */
      {{0.7F, 0, 0.7F, 0, 1, 0, 0, 0.6F, 0.8F, 0.6F, 0, 0.8F, 0, 1, 0}, NULL} /* rows of unit norm */
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int sparse = 0; sparse < 2; sparse++) {
      sotto_options o = options_of("best"), of_two = options_of("vesper"), of_clients = options_of("fedavg");
      sotto_dataset data = bare(rows[i].cells, sparse == 1);
      sotto_schema *schema;
      heard h = {0};
      const sotto_observer observer = {.context = &h, .log = listen};
      CHECK_OK(sotto_i_suit_scaling(&o, &data, &observer, &err));
      const bool scaled = o.feature_scale == SOTTO_FEATURE_SCALE_STANDARD;
      if (scaled != (rows[i].words != NULL) || h.lines != scaled) fail_msg("row %zu", i);
      if (scaled) assert_non_null(strstr(h.text, rows[i].words));
      CHECK_OK(sotto_i_suit_columns(&schema, &of_two, &data, true, &observer, &err));
      assert_int_equal(schema != NULL, scaled);
      if (scaled) assert_true(sotto_i_schema_is_by_position(schema) && schema->moments != NULL);
      sotto_schema_free(schema);
      CHECK_OK(sotto_i_suit_columns(&schema, &of_clients, &data, false, &observer, &err));
      assert_null(schema); /* in one process as among parties, who agree on columns by name */
      sotto_dataset_free(&data);
    }
}

/* A model that keeps statistics by position reads data without names, and no data with names. */
static void statistics_by_position_fit_data_without_names(void **state) {
  static const float cells[bare_rows * bare_cols] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  sotto_dataset data = bare(cells, false), named, out;
  sotto_unseen unseen = {0};
  sotto_schema *schema;
  bool changed = true;
  (void)state;
  CHECK_OK(sotto_i_schema_by_position(&schema, &data, &err));
  assert_int_equal(schema->feature_count, bare_cols);
  assert_string_equal(schema->columns[2].name, "column 3");
  CHECK_OK(sotto_i_schema_apply(&out, &changed, &unseen, schema, 0, &data, &err));
  assert_false(changed);
  CHECK_OK(check_read_texts(&named, "a,b\nb,c\n", mixed, NULL, &err));
  CHECK_FAILS(SOTTO_INVALID, "Missing: column 1",
              sotto_i_schema_apply(&out, &changed, &unseen, schema, 0, &named, &err));
  sotto_dataset_free(&named);
  sotto_dataset_free(&data);
  sotto_schema_free(schema);
}

/* The schema with statistics that a party of this method gets for its own table; NULL: none. */
static sotto_schema *suit_own(const char *table, const sotto_options *o, bool apart, heard *h) {
  sotto_dataset data;
  sotto_schema *schema = NULL;
  const sotto_observer observer = {.context = h, .log = listen};
  *h = (heard){0};
  CHECK_OK(check_read_texts(&data, "a,b\nb,c\n", table, NULL, &err));
  CHECK_OK(sotto_i_suit_columns(&schema, o, &data, apart, &observer, &err));
  sotto_dataset_free(&data);
  return schema;
}

static void holders_and_two_parties_go_by_their_own_columns(void **state) {
  (void)state;
  static const char *const methods[] = {"vesper", "mlp", "vfgnn", "securegnn"};
  heard h;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    const sotto_options o = options_of(methods[i]);
    sotto_schema *schema = suit_own(mixed, &o, true, &h);
    assert_non_null(schema);
    assert_true(schema->moments[1] == 41000);
    assert_int_equal(h.lines, 1);
    sotto_schema_free(schema);
    schema = suit_own("id,x\na,30\nb,50\nc,40\n", &o, true, &h); /* of unit norm it would be a sign */
    assert_non_null(schema);
    sotto_schema_free(schema);
  }
}

static void statistics_that_may_not_leave_are_not_taken_and_a_warning_names_the_way(void **state) {
  (void)state;
  static const struct {
    const char *method, *key, *value;
  } cases[] = {{"fedavg", "adjacency", "node"},
               {"fedavg", "adjacency", "client"},
               {"fedavg", "secure-aggregation", "true"},
               {"feddep", "secure-aggregation", "true"},
               {"vesper", "adjacency", "node"}};
  heard h;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int apart = 0; apart < 2; apart++) {
      sotto_options o = options_of(cases[i].method);
      CHECK_OK(sotto_options_set(&o, cases[i].key, cases[i].value, &err));
      assert_null(suit_own(mixed, &o, apart == 1, &h));
      assert_int_equal(h.lines, 1);
      assert_non_null(strstr(h.text, "'income' is much larger"));
    }
  const sotto_options o = options_of("fedavg");
  assert_null(suit_own(mixed, &o, true, &h)); /* all agree first */
  assert_int_equal(h.lines, 0);
}

/* Statistics of parts of a table are those of the table. */
static void statistics_of_clients_add_up_to_those_of_all_rows(void **state) {
  (void)state;
  static const char *const tables[] = {
      "id,age,income\na,30,41000\nb,50,30000\n", "id,age,income\na,0,52000\nb,20,1000\nc,71,200\n",
      "id,age,income\na,30,41000\nb,50,30000\nc,0,52000\nd,20,1000\ne,71,200\n"};
  double said[6], all[6], known[6] = {0};
  sotto_dataset data;
  sotto_schema *schema = NULL;
  assert_int_equal(sotto_i_statistics_count(2), 6);
  for (int i = 0; i < 2; i++) {
    CHECK_OK(check_read_texts(&data, "a,b\n", tables[i], NULL, &err));
    CHECK_OK(sotto_i_statistics_of(said, &data, &err));
    CHECK_OK(sotto_i_statistics_add(known, said, 2, &err));
    sotto_dataset_free(&data);
  }
  CHECK_OK(check_read_texts(&data, "a,b\n", tables[2], NULL, &err));
  CHECK_OK(sotto_i_statistics_of(all, &data, &err));
  for (int i = 0; i < 6; i++) assert_true(fabs(known[i] - all[i]) <= 1e-9 * (1 + fabs(all[i])));
  assert_true(known[0] == 5 && known[1] == 1);
  CHECK_OK(sotto_i_suit_together(&schema, known, &data, NULL, &err));
  assert_non_null(schema);
  assert_true(fabs(schema->moments[1] - 24840) < 1e-6);
  sotto_schema_free(schema);
  sotto_dataset_free(&data);
}

static void statistics_that_are_no_numbers_are_refused(void **state) {
  (void)state;
  static const double wrong[][4] = {{0, 0, 1, 1},        {3, 0, NAN, 1}, {3, 0, 1, -1},
                                    {INFINITY, 0, 1, 1}, {3, -1, 1, 1},  {3, 0, 1e200, 1}};
  double known[4] = {0};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK_FAILS(SOTTO_PROTOCOL, "", sotto_i_statistics_add(known, wrong[i], 1, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_that_swamp_others_are_standardised_and_the_largest_is_named),
      cmocka_unit_test(other_tables_keep_rows_of_unit_norm),
      cmocka_unit_test(private_features_and_those_of_several_clients_keep_it_too),
      cmocka_unit_test(data_without_names_goes_by_its_values),
      cmocka_unit_test(statistics_by_position_fit_data_without_names),
      cmocka_unit_test(holders_and_two_parties_go_by_their_own_columns),
      cmocka_unit_test(statistics_that_may_not_leave_are_not_taken_and_a_warning_names_the_way),
      cmocka_unit_test(statistics_of_clients_add_up_to_those_of_all_rows),
      cmocka_unit_test(statistics_that_are_no_numbers_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
