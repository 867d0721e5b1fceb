/* Calls of the public interface with every allocation, open, read, write, sync, rename and map failing in
 * turn. The table that is printed has the number of calls that failed. */
#include <unistd.h>

#include "api_runs.h"
#include "base/file.h"
#include "check.h"
#include "faults/table.h"
#include "inside/dp.h"
#include "inside/nn.h"
#include "inside/pmp.h"
#include "made_release.h"
#include "sotto/align.h"
#include "sotto/dp.h"
#include "sotto/generate.h"
#include "sotto/ledger.h"
#include "sotto/party.h"
#include "sum_round.h"

/* 0, or 1 after a sentence. */
static int end(sotto_status status, const sotto_error *err) {
  if (status == SOTTO_OK) return 0;
  (void)fprintf(stderr, "%s\n", err->text);
  return err->text[0] == '\0' || err->status != status ? 3 : 1;
}

static sotto_dataset blocks;

static int save_a_dataset(const void *context, unsigned number) {
  sotto_error err = {0};
  (void)context;
  (void)number;
  return end(sotto_dataset_save(&blocks, "kept.sotto", &err), &err);
}

static int open_a_dataset(const void *context, unsigned number) {
  sotto_dataset data;
  sotto_error err = {0};
  (void)context;
  (void)number;
  const sotto_status status = sotto_dataset_open(&data, "kept.sotto", NULL, &err);
  sotto_dataset_free(&data);
  return end(status, &err);
}

/* One rank alone does what each of several does. */
static int import_over_ranks(const void *context, unsigned number) {
  const sotto_import_options options = {.nodes_table = "nodes.csv"};
  sotto_dataset data;
  sotto_figures figures;
  sotto_error err = {0};
  (void)context;
  (void)number;
  const sotto_status status =
      sotto_dataset_import_ranks(&data, &figures, NULL, "edges.csv", &options, "kept.sotto", &err);
  sotto_dataset_free(&data);
  return end(status, &err);
}

static int generate_over_ranks(const void *context, unsigned number) {
  const sotto_powerlaw_options options = {
      .nodes = 100, .edges = 300, .exponent = 2.5, .features = 3, .classes = 2};
  sotto_dataset data;
  sotto_figures figures;
  sotto_key key;
  sotto_error err = {0};
  (void)context;
  (void)number;
  sotto_key_public(&key, 1);
  const sotto_status status =
      sotto_generate_powerlaw_ranks(&data, &figures, NULL, &options, &key, "kept.sotto", &err);
  sotto_dataset_free(&data);
  return end(status, &err);
}

static bool dataset_is_whole(void) {
  return open_a_dataset(NULL, 0) == 0;
}

static int write_and_read_options(const void *context, unsigned number) {
  sotto_options o;
  sotto_error err = {0};
  sotto_status status;
  (void)context;
  (void)number;
  sotto_options_default(&o);
  SOTTO_TRY(sotto_options_set(&o, "hidden", "7", &err));
  SOTTO_TRY(sotto_options_write(&o, "options.yaml", &err));
  SOTTO_TRY(sotto_options_read(&o, "options.yaml", &err));
  SOTTO_TRY(sotto_options_read_shared(&o, "shared.yaml", &err));
done:
  return end(status, &err);
}

static int save_and_load_parameters(const void *context, unsigned number) {
  sotto_params *params = NULL;
  size_t which;
  sotto_error err = {0};
  sotto_status status;
  (void)context;
  (void)number;
  SOTTO_TRY(sotto_params_new(&params, &err));
  SOTTO_TRY(sotto_params_add(params, &which, "w", 3, 4, SOTTO_INIT_ZERO, true, NULL, &err));
  SOTTO_TRY(sotto_params_save((const sotto_params *const *)&params, 1, "kept.safetensors", NULL, 0, &err));
  SOTTO_TRY(sotto_params_load(&params, 1, "kept.safetensors", &err));
done:
  sotto_params_free(params);
  return end(status, &err);
}

static int charge_a_ledger(const void *context, unsigned number) {
  sotto_ledger *ledger = NULL;
  sotto_error err = {0};
  sotto_status status;
  char id[40];
  sotto_spent spent;
  (void)context;
  (void)snprintf(id, sizeof id, "charge-%u", number);
  const sotto_charge charge = {
      .id = id, .run = "run", .adjacency = "edge", .mechanism = "gaussian", .mu = 0.1, .description = "d"};
  const sotto_budget budget = {.epsilon = 1e6, .delta = 1e-6};
  SOTTO_TRY(sotto_ledger_open(&ledger, "charged.db", &err));
  SOTTO_TRY(sotto_ledger_set_budget(ledger, blocks.account, "blocks", "edge", &budget, "", &err));
  SOTTO_TRY(sotto_ledger_charge(ledger, blocks.account, "blocks", &charge, 1, &err));
  SOTTO_TRY(sotto_ledger_spent(ledger, &spent, blocks.account, "edge", &err));
done:
  sotto_ledger_close(ledger);
  return end(status, &err);
}

/* Every charge that was accepted is there, and the totals are those of the charges. */
static bool ledger_is_whole(void) {
  sotto_ledger *ledger = NULL;
  const bool opened = sotto_ledger_open(&ledger, "charged.db", NULL) == SOTTO_OK;
  sotto_ledger_close(ledger);
  return opened;
}

static int write_and_load_a_release(const void *context, unsigned number) {
  sotto_release *release = NULL;
  sotto_pmp_plan plan;
  sotto_key key;
  sotto_error err = {0};
  sotto_status status;
  (void)context;
  (void)number;
  sotto_key_system(&key);
  const sotto_pmp_options options = check_release_options(SOTTO_AGGREGATOR_GCN, 2, SOTTO_ACTIVATION_NONE);
  SOTTO_TRY(sotto_pmp_plan_new(&plan, &options, 120, blocks.features.cols, 4, 1e-6, &err));
  SOTTO_TRY(sotto_release_write(&release, "release.bin", &plan, &blocks.graph, &blocks.features, &key, "id",
                                "run", "d", NULL, &err));
  sotto_release_free(release);
  release = NULL;
  SOTTO_TRY(sotto_release_load(&release, "release.bin", &err));
done:
  sotto_release_free(release);
  return end(status, &err);
}

static int train_and_predict(const void *context, unsigned number) {
  sotto_run *run = NULL;
  sotto_model *model = NULL;
  float rows[120 * 3];
  char out[40];
  sotto_error err = {0};
  sotto_status status;
  static const char *const settings[][2] = {
      {"hidden", "4"}, {"encoder-epochs", "1"}, {"epochs", "1"}, {"epsilon", "8"}};
  (void)snprintf(out, sizeof out, "api-%u", number);
  SOTTO_TRY(sotto_run_new(&run, &err));
  SOTTO_TRY(sotto_run_set(run, "method", context, &err));
  SOTTO_TRY(sotto_run_set(run, "data", "blocks", &err));
  SOTTO_TRY(sotto_run_set(run, "out", out, &err));
  SOTTO_TRY(sotto_run_set(run, "ledger", "runs.db", &err));
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    SOTTO_TRY(sotto_run_set(run, settings[i][0], settings[i][1], &err));
  SOTTO_TRY(sotto_run_train(run, &blocks, NULL, &err));
  SOTTO_TRY(sotto_run_model(run, &model, 0, &err));
  SOTTO_TRY(sotto_model_predict(model, rows, sizeof rows / sizeof *rows, NULL, 120, &err));
done:
  sotto_model_free(model);
  sotto_run_free(run);
  return end(status, &err);
}

static int make_an_identity(const void *context, unsigned number) {
  char folder[40];
  sotto_identity_info info;
  sotto_error err = {0};
  sotto_status status;
  (void)context;
  (void)snprintf(folder, sizeof folder, "keys-%u", number);
  SOTTO_TRY(sotto_identity_init(folder, "bank", 10, false, &err));
  SOTTO_TRY(sotto_identity_check(&info, folder, &err));
done:
  return end(status, &err);
}

static int add_up_secretly(const void *context, unsigned number) {
  static uint64_t values[4 * 8];
  sum_round round;
  sotto_error err = {0};
  (void)context;
  (void)number;
  sum_round_new(&round, 4, 0, 3, 8);
  round.values = values;
  return end(sum_round_run(&round, &err), &err);
}

static int compose_a_list(const void *context, unsigned number) {
  static const char text[] = "gaussian noise=3 count=4\nlaplace noise=5 count=3\n";
  sotto_mechanism *list = NULL;
  size_t count;
  double epsilon;
  sotto_error err = {0};
  sotto_status status;
  (void)context;
  (void)number;
  SOTTO_TRY(sotto_mechanisms_parse(&list, &count, text, sizeof text - 1, &err));
  SOTTO_TRY(sotto_account_epsilon(&epsilon, list, count, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
done:
  sotto_mechanisms_free(list);
  return end(status, &err);
}

/* The second id changes, and is held in memory. */
static int align_a_table(const void *context, unsigned number) {
  sotto_ids *ids = NULL;
  sotto_error err = {0};
  sotto_status status;
  (void)context;
  (void)number;
  SOTTO_TRY(sotto_ids_open(&ids, "ids.csv", "id", &err));
  SOTTO_TRY(sotto_ids_join("joined.csv", "ids.csv", "id", (const uint32_t[]){1, 0}, 2, &err));
done:
  sotto_ids_free(ids);
  return end(status, &err);
}

static void public_calls_survive_every_failing_call(void **state) {
  (void)state;
  static const check_work works[] = {
      {"dataset_save", save_a_dataset, NULL, dataset_is_whole},
      {"dataset_open", open_a_dataset, NULL, NULL},
      {"dataset_import_ranks", import_over_ranks, NULL, dataset_is_whole},
      {"generate_powerlaw_ranks", generate_over_ranks, NULL, dataset_is_whole},
      {"options_write, read", write_and_read_options, NULL, NULL},
      {"params_save, load", save_and_load_parameters, NULL, NULL},
      {"ledger_charge", charge_a_ledger, NULL, ledger_is_whole},
      {"release_write, load", write_and_load_a_release, NULL, NULL},
      {"run_train vesper", train_and_predict, "vesper", NULL},
      {"run_train gap", train_and_predict, "gap", NULL},
      {"identity_init, check", make_an_identity, NULL, NULL},
      {"ids_open, join", align_a_table, NULL, NULL},
      {"secure sum", add_up_secretly, NULL, NULL},
      {"mechanisms, epsilon", compose_a_list, NULL, NULL},
  };
  /* The library takes its memory in one way. */
  check_fault_table(works, sizeof works / sizeof *works, ~(1U << CHECK_HEAP));
}

static int make_world(void **state) {
  (void)state;
  assert_int_equal(chdir(check_folder()), 0);
  blocks = check_blocks();
  CHECK_OK(sotto_dataset_save(&blocks, "kept.sotto", &err));
  CHECK_OK(sotto_ledger_init("charged.db", &err));
  CHECK_OK(sotto_ledger_init("runs.db", &err));
  static const char edges[] = "a,b\nb,c\nc,17\n",
                    nodes[] = "id,x,colour,label\na,1,red,u\nb,2,blue,v\nc,3,red,\n17,4,red,u\n";
  CHECK_OK(sotto_i_write_file("edges.csv", edges, sizeof edges - 1, &err));
  CHECK_OK(sotto_i_write_file("nodes.csv", nodes, sizeof nodes - 1, &err));
  CHECK_OK(sotto_i_write_file("ids.csv", "id\na\n e\xCC\x81\n", 10, &err));
  CHECK_OK(sotto_i_write_file("shared.yaml", "layers: 3\n", 10, &err));
  return 0;
}

static int free_world(void **state) {
  (void)state;
  sotto_dataset_free(&blocks);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(public_calls_survive_every_failing_call),
  };
  return cmocka_run_group_tests(tests, make_world, free_world);
}
