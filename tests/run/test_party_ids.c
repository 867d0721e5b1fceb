/* The digest of ids that two parties compare: one for the same nodes, whatever the files are. */
#include "check.h"
#include "sotto/methods.h"
#include "sotto/options.h"

static const char *write_text(const char *name, const char *text) {
  const char *path = check_path(name);
  FILE *file = fopen(path, "w");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) abort();
  return path;
}

/* The digest of a party's nodes, with this file of data. */
static void digest_of(uint8_t out[32], const char *data, sotto_role role) {
  static sotto_options options;
  sotto_dataset opened;
  const sotto_party party = {.role = role};
  sotto_options_default(&options);
  (void)snprintf(options.data, sizeof options.data, "%s", data);
  CHECK_OK(sotto_party_dataset_open(&opened, out, &options, &party, NULL, &err));
  sotto_dataset_free(&opened);
}

static void a_file_with_ids_and_a_table_of_the_same_nodes_agree(void **state) {
  (void)state;
  uint8_t kept[32], table[32], other[32], numbers[32];
  sotto_dataset data;
  (void)write_text("own.csv", "u,v\na,b\nb,c\n");
  (void)write_text("own.nodes.csv", "id,x\na,1\nb,2\nc,3\n");
  CHECK_OK(sotto_dataset_open(&data, check_path("own.csv"), NULL, &err));
  CHECK_OK(sotto_dataset_save(&data, check_path("own.sotto"), &err));
  digest_of(kept, check_path("own.sotto"), SOTTO_ROLE_DATA);
  digest_of(table, write_text("labels.csv", "id,label\na,p\nb,q\nc,p\n"), SOTTO_ROLE_LABEL);
  assert_memory_equal(kept, table, 32);
  digest_of(other, write_text("moved.csv", "id,label\nb,q\na,p\nc,p\n"), SOTTO_ROLE_LABEL);
  assert_memory_not_equal(kept, other, 32);
  data.node_ids = (sotto_names){0};
  CHECK_OK(sotto_dataset_save(&data, check_path("bare.sotto"), &err));
  digest_of(numbers, check_path("bare.sotto"), SOTTO_ROLE_DATA);
  assert_memory_not_equal(kept, numbers, 32);
  digest_of(table, write_text("numbered.csv", "id,label\n0,p\n1,q\n2,p\n"), SOTTO_ROLE_LABEL);
  assert_memory_equal(numbers, table, 32);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_with_ids_and_a_table_of_the_same_nodes_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
