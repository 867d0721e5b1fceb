/* Verbs with every allocation, open, read, write, sync, rename and map failing in turn. The table that is
 * printed has the number of calls that failed. */
#include <glob.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/bench.h"
#include "check.h"
#include "cli/cli.h"
#include "faults/table.h"
#include "plain_files.h"
#include "run/statement/dispute_file.h"
#include "serve/service.h"
#include "sotto/options.h"

enum { most_words = 24 };

typedef struct verb {
  int (*run)(int argc, char **argv);
  const char *words[most_words]; /* "@" is a path that nobody had */
} verb;

static int run_verb(const void *context, unsigned number) {
  const verb *v = context;
  char own[40], *words[most_words + 1];
  int count = 0;
  (void)snprintf(own, sizeof own, "try-%u", number);
  for (; count < most_words && v->words[count] != NULL; count++)
    words[count] = strcmp(v->words[count], "@") == 0 ? own : (char *)(uintptr_t)v->words[count];
  return v->run(count, words);
}

/* A dataset that verbs replace: old or new, it can be read. */
static bool kept_is_whole(void) {
  static const verb look = {cli_data, {"info", "kept.sotto"}};
  return run_verb(&look, 0) == 0;
}

#define VERB(function, ...)                                                                                  \
  .run = run_verb, .context = &(const verb) {                                                                \
    (function), {                                                                                            \
      __VA_ARGS__                                                                                            \
    }                                                                                                        \
  }
#define TINY "--hidden", "4", "--encoder-epochs", "1", "--epochs", "1", "--threads", "1"
#define SBM  "generate", "sbm", "--nodes", "80", "--features", "4", "--out"

/* What `sotto serve` does but for staying: a run is loaded, asked, loaded again, and described. */
static int serve_once(int argc, char **argv) {
  static serve_service service;
  sotto_error err = {0};
  http_reply reply = {0};
  const char *const words[] = {argv[0]};
  const http_request request = {"POST", "/predict", "{\"nodes\":[0,7]}", 15};
  sotto_status status = serve_service_begin(&service, words, (size_t)argc, SOTTO_UNSET, &err);
  for (int i = 0; i < 2 && status == SOTTO_OK; i++) status = serve_service_load(&service, false, &err);
  if (status == SOTTO_OK) {
    serve_service_refresh(&service);
    serve_predict(&service, NULL, &request, &reply);
    if (reply.body == NULL || reply.status != 200) status = SOTTO_NOMEM;
    free(reply.body);
    free(serve_metrics(&service));
    free(serve_health(&service));
  }
  serve_service_end(&service);
  err.status = status;
  return status == SOTTO_OK ? 0 : cli_error(&err);
}

static const check_work data_verbs[] = {
    {"data generate", VERB(cli_data, SBM, "kept.sotto"), kept_is_whole},
    {"data import", VERB(cli_data, "import", "e.csv", "kept.sotto", "--nodes", "n.csv", "--split", "p.txt"),
     kept_is_whole},
    {"data export", VERB(cli_data, "export", "g.sotto", "kept.npz"), NULL},
    {"data info", VERB(cli_data, "info", "g.sotto", "--json"), NULL},
    {"data schema", VERB(cli_data, "schema", "e.csv", "--nodes", "n.csv", "--yaml"), NULL},
    {"data part", VERB(cli_data, "part", "g.sotto", "--data-out", "kept.sotto", "--label-out", "b.sotto"),
     kept_is_whole},
    {"data split --vertical",
     VERB(cli_data, "split", "g.sotto", "--vertical", "--holders", "2", "--features", "--out", "@"), NULL},
    {"data split --horizontal",
     VERB(cli_data, "split", "g.sotto", "--horizontal", "--clients", "2", "--out", "@"), NULL},
    {"data histogram", VERB(cli_data, "histogram", "g.sotto", "--epsilon", "1"), NULL},
    {"ledger budget", VERB(cli_ledger, "budget", "g.sotto", "--epsilon", "1000000"), NULL},
    {"ledger show", VERB(cli_ledger, "show", "--json"), NULL},
    {"account", VERB(cli_account, "gaussian", "--noise", "2", "--delta", "1e-6"), NULL},
    {"account --compose", VERB(cli_account, "--compose", "list.txt", "--delta", "1e-6"), NULL},
    {"methods", VERB(cli_methods, "--json"), NULL},
    {"bench --plots", VERB(app_bench_utility, "tiny.yaml", "--plots", "--out", "."), NULL},
};
static const check_work run_verbs[] = {
    {"align", VERB(cli_align, "--ids", "a.txt", "--peer-ids", "b.txt", "--out", "@"), NULL},
    {"identity init", VERB(cli_identity, "init", "--name", "bank", "--dir", "@"), NULL},
    {"identity trust", VERB(cli_identity, "trust", "keys/own.crt", "--as", "bank", "--dir", "other"), NULL},
    {"consortium invite",
     VERB(cli_consortium, "invite", "two.yaml", "--role", "data", "--name", "a", "--dir", "@"), NULL},
    {"consortium terms", VERB(cli_consortium, "terms", "two.yaml", "--all"), NULL},
    {"train vesper", VERB(cli_train, "--data", "g.sotto", "--out", "@", TINY), NULL},
    {"train gap, run file", VERB(cli_train, "own.yaml", "--out", "@"), NULL},
    {"train fedavg",
     VERB(cli_train, "--method", "fedavg", "--data", "g.sotto", "--clients", "3", "--rounds", "1", "--hidden",
          "4", "--threads", "1", "--secure-aggregation", "--not-private", "--out", "@"),
     NULL},
    {"predict", VERB(cli_predict, "run", "--out", "@"), NULL},
    {"predict --json", VERB(cli_predict, "run", "--nodes", "0-9,20", "--top", "1", "--out", "@", "--json"),
     NULL},
    {"serve", VERB(serve_once, "run"), NULL},
    {"report", VERB(cli_report, "run", "--out", "@", "--sign", "keys", "--json"), NULL},
    {"report --owner", VERB(cli_report, "run", "--owner", "--out", "@"), NULL},
    {"report, two runs", VERB(cli_report, "run", "run", "--out", "@"), NULL},
    {"report --ledger", VERB(cli_report, "--ledger", "--out", "@"), NULL},
    {"report verify", VERB(cli_report, "verify", "run/report.html", "--key", "keys/own.crt"), NULL},
    {"statement verify", VERB(cli_statement, "verify", "run", "--json"), NULL},
    {"statement dispute", VERB(cli_statement, "dispute", "refused.json", "sent.json", "--keys", "two.pem"),
     NULL},
    {"audit mechanism", VERB(cli_audit, "mechanism", "gaussian", "--trials", "1000"), NULL},
};

/* What the verbs read, made by verbs. */
static const check_work makers[] = {
    {"making a ledger", VERB(cli_ledger, "init"), NULL},
    {"making data", VERB(cli_data, SBM, "g.sotto"), NULL},
    {"making more data", VERB(cli_data, SBM, "kept.sotto"), NULL},
    {"making keys", VERB(cli_identity, "init", "--name", "bank", "--dir", "keys"), NULL},
    {"making more keys", VERB(cli_identity, "init", "--name", "second", "--dir", "second"), NULL},
    {"making a run", VERB(cli_train, "--data", "g.sotto", "--out", "run", TINY), NULL},
    {"signing its page", VERB(cli_report, "run", "--sign", "keys"), NULL},
};

static void move_record(const char *pattern, const char *to) {
  glob_t found;
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  assert_int_equal(rename(found.gl_pathv[0], to), 0);
  globfree(&found);
}

/* Records of a checked sum that nobody signed, and the certificates of its client and its helper. */
static void make_dispute(void) {
  uint64_t values[2048] = {0};
  char both[4096] = "";
  sotto_i_check_refusal refused = {.plan = {.clients = 1, .least = 1, .values = 3, .bound = 4},
                                   .of = {.round = 1},
                                   .clients = 1,
                                   .points = values,
                                   .helper_points = values};
  const sotto_i_check_kept sent = {.of = refused.of};
  assert_true(sotto_i_check_message_sizes(&refused.plan).points <= sizeof values / sizeof *values);
  CHECK_OK(sotto_i_dispute_keep_refused(".", &refused, &err));
  CHECK_OK(sotto_i_dispute_keep_sent(".", &sent, &err));
  move_record("owner-only/refused-*.json", "refused.json");
  move_record("owner-only/sent-*.json", "sent.json");
  for (int i = 0; i < 2; i++) {
    sotto_i_map map;
    const size_t used = strlen(both);
    CHECK_OK(sotto_i_map_open(&map, i == 0 ? "keys/own.crt" : "second/own.crt", &err));
    assert_true(used + map.size < sizeof both);
    memcpy(both + used, map.data, map.size);
    sotto_i_map_close(&map);
  }
  check_write_text("two.pem", both);
}

static int make_world(void **state) {
  (void)state;
  assert_int_equal(chdir(check_folder()), 0);
  (void)setenv("SOTTO_LEDGER", "ledger.db", 1);
  (void)setenv("OPENBLAS_NUM_THREADS", "1", 1);
  check_write_text("e.csv", "source,target\na,b\nb,c\n");
  check_write_text("n.csv", "id,f1,label\na,1,x\nb,2,y\nc,3,x\n");
  check_write_text("p.txt", "train\ntest\nnone\n");
  check_write_text("a.txt", "one\ntwo\nthree\n");
  check_write_text("b.txt", "three\nfour\ntwo\n");
  check_write_text("list.txt", "gaussian noise=2 count=3\n");
  check_write_text("two.yaml", "method: vesper\n");
  check_write_text("tiny.yaml",
                   "epsilons: [4, inf]\nlevels: [edge]\ndatasets: {made: {sbm: {nodes: 60, classes: 2}}}\n"
                   "methods: {gap: {}}\n");
  check_write_text("tiny.csv", "dataset,...\nmade,gap,edge,4,1e-6,2,0,accuracy,0.5,0.1,0.5,,1,1,4,,\n");
  check_write_text("own.yaml",
                   "method: gap\ndata: g.sotto\nhidden: 4\nencoder-epochs: 1\nepochs: 1\nthreads: 1\n");
  for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) check_work_done(&makers[i]);
  make_dispute();
  return 0;
}

static void verbs_on_data_survive_every_failing_call(void **state) {
  (void)state;
  check_fault_table(data_verbs, sizeof data_verbs / sizeof *data_verbs, ~(1U << CHECK_HEAP)); /* few use it */
}

static void verbs_of_runs_survive_every_failing_call(void **state) {
  (void)state;
  check_fault_table(run_verbs, sizeof run_verbs / sizeof *run_verbs, ~0U);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(verbs_on_data_survive_every_failing_call),
      cmocka_unit_test(verbs_of_runs_survive_every_failing_call),
  };
  return cmocka_run_group_tests(tests, make_world, NULL);
}
