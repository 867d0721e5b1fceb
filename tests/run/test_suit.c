/* The scaling that suits a table, where the options say nothing. */
#include "run/method/method.h"
#include "sotto/methods.h"
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

static void data_without_names_keeps_it(void **state) {
  (void)state;
  static const float cells[] = {1, 90000, 2, 80000, 3, 70000};
  const sotto_arrays arrays = {.nodes = 3, .features = cells, .feature_columns = 2};
  sotto_options o = options_of("best");
  sotto_dataset data;
  heard h = {0};
  const sotto_observer observer = {.context = &h, .log = listen};
  CHECK_OK(sotto_dataset_from_arrays(&data, &arrays, &err));
  CHECK_OK(sotto_i_suit_scaling(&o, &data, &observer, &err));
  assert_int_equal(o.feature_scale, SOTTO_FEATURE_SCALE_L2);
  assert_int_equal(h.lines, 0);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_that_swamp_others_are_standardised_and_the_largest_is_named),
      cmocka_unit_test(other_tables_keep_rows_of_unit_norm),
      cmocka_unit_test(private_features_and_those_of_several_clients_keep_it_too),
      cmocka_unit_test(data_without_names_keeps_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
