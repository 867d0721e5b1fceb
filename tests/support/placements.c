/* Parties as processes of this machine. */
#include "placements.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ledgers.h"
#include "loopback.h"
#include "made_run.h"
#include "protocols/options.h"
#include "run/method/method.h"
#include "run/parties/party_roles.h"

bool check_has_parties(const sotto_options *options) {
  sotto_options o = *options;
  sotto_options_resolve(&o);
  return sotto_i_party_supported(&o, NULL) == SOTTO_OK;
}

static void add(check_placement *out, const sotto_options *whole, const char *role) {
  assert_true(out->count < CHECK_MOST_PARTIES);
  check_party *p = &out->of[out->count++];
  *p = (check_party){.options = *whole, .party = {.insecure_loopback = true}};
  CHECK_OK(sotto_party_role_read(&p->party, role, &err));
  (void)snprintf(p->role, sizeof p->role, "%s", role);
  (void)snprintf(p->options.out, sizeof p->options.out, "%.900s-%s", whole->out, role);
  (void)snprintf(p->options.ledger, sizeof p->options.ledger, "%.900s-%s.db", whole->out, role);
  (void)check_new_ledger(p->options.ledger);
  (void)snprintf(p->options.data, sizeof p->options.data, "%.900s-%s.sotto", whole->out, role);
  (void)snprintf(p->errors, sizeof p->errors, "%.500s-%s.err", whole->out, role);
  if (!sotto_i_party_has_data(&p->party)) (void)snprintf(p->options.data, sizeof p->options.data, "none");
}

static check_party *named(check_placement *all, const char *role, size_t *place) {
  for (*place = 0; *place < all->count; (*place)++)
    if (strcmp(all->of[*place].role, role) == 0) return &all->of[*place];
  fail_msg("there is no %s", role);
  return NULL;
}

/* Of two parties, the one that comes first in the list listens to the other. */
static void join(check_placement *all, size_t own) {
  check_party *p = &all->of[own];
  const size_t count = sotto_i_party_peers(&p->party, &p->options);
  assert_true(count <= CHECK_MOST_PARTIES);
  if (sotto_i_party_of_several(&p->party, &p->options))
    (void)sotto_party_peer_roles(p->peer_roles, count, &p->party, &p->options);
  else
    (void)snprintf(p->peer_roles[0], sizeof p->peer_roles[0], "%s", all->of[1 - own].role);
  p->party.peer_count = count;
  for (size_t i = 0; i < count; i++) {
    size_t place;
    const check_party *peer = named(all, p->peer_roles[i], &place);
    p->peers[i] = (sotto_peer){p->peer_roles[i], place < own ? peer->address : NULL};
    if (place > own) p->party.listen = p->address;
  }
  p->party.peers = p->peers;
}

static void divide_columns(const check_placement *all, const sotto_dataset *data) {
  sotto_dataset parts[CHECK_MOST_PARTIES];
  sotto_key key;
  const sotto_options *o = &all->of[0].options;
  const bool joined = sotto_i_labels_join(o); /* the hub has the labels, which are the last part */
  sotto_vertical how = {.holders = (size_t)o->holders,
                        .label_holder = (size_t)(joined ? o->holders : o->label_holder - 1),
                        .features = true,
                        .edges = true};
  for (size_t i = 0; i < how.holders; i++) how.share[i] = 1.0 / (double)how.holders;
  sotto_key_public(&key, 3);
  CHECK_OK(sotto_split_vertical(parts, data, &how, &key, &err));
  for (size_t i = 0; i + !joined < all->count; i++) {
    const size_t party = i + 1 < all->count ? i + 1 : 0;
    CHECK_OK(sotto_dataset_save(&parts[i], all->of[party].options.data, &err));
    sotto_dataset_free(&parts[i]);
  }
}

static void divide_items(const check_placement *all, const sotto_dataset *data, const uint32_t *owner) {
  sotto_dataset parts[CHECK_MOST_PARTIES];
  const uint32_t clients = (uint32_t)sotto_i_party_members(&all->of[0].options);
  sotto_partition partition;
  CHECK_OK(sotto_partition_read(&partition, sotto_i_partition_of(&all->of[0].options), &err));
  CHECK_OK(
      (partition.linked ? sotto_split_linked : sotto_split_horizontal)(parts, data, owner, clients, &err));
  for (uint32_t i = 0; i < clients; i++) {
    CHECK_OK(sotto_dataset_save(&parts[i], all->of[i + 1].options.data, &err));
    sotto_dataset_free(&parts[i]);
  }
}

void check_placement_new(check_placement *out, const sotto_options *options, const sotto_dataset *data,
                         const uint32_t *owner) {
  sotto_options o = *options;
  sotto_options_resolve(&o);
  const sotto_party hub = {.role = sotto_i_labels_join(&o) ? SOTTO_ROLE_LABEL : SOTTO_ROLE_SERVER};
  CHECK_OK(sotto_i_party_supported(&o, &err));
  out->count = 0;
  if (sotto_i_is_of_two(&o)) {
    add(out, &o, "data");
    add(out, &o, "label");
    CHECK_OK(sotto_dataset_save_parts(out->of[0].options.data, out->of[1].options.data, data,
                                      o.label_features, o.label_edges, &err));
  } else {
    char roles[CHECK_MOST_PARTIES][SOTTO_ROLE_SIZE];
    const size_t members = sotto_i_party_peers(&hub, &o);
    assert_true(members < CHECK_MOST_PARTIES);
    (void)sotto_party_peer_roles(roles, members, &hub, &o);
    add(out, &o, hub.role == SOTTO_ROLE_LABEL ? "label" : "server");
    for (size_t i = 0; i < members; i++) add(out, &o, roles[i]);
    if (sotto_i_has_holders(&o))
      divide_columns(out, data);
    else
      divide_items(out, data, owner);
  }
  for (size_t i = 0; i < out->count; i++) check_loopback(out->of[i].address);
  for (size_t i = 0; i < out->count; i++) join(out, i);
}

static void report(const char *path, const sotto_error *err) {
  FILE *file = fopen(path, "w");
  if (file == NULL) return;
  (void)fputs(err->text, file);
  (void)fclose(file);
}

static sotto_status run(const check_party *p, sotto_error *err) {
  sotto_options o = p->options;
  sotto_dataset data;
  sotto_result result;
  uint8_t nodes[32];
  sotto_status status = sotto_party_dataset_open(&data, nodes, &o, &p->party, NULL, NULL, err);
  if (status != SOTTO_OK) return status;
  sotto_party_settle(&o, &p->party, &data);
  status = sotto_train_party(&result, &o, &data, nodes, &p->party, NULL, NULL, err);
  if (status == SOTTO_OK) sotto_result_free(&result);
  sotto_dataset_free(&data);
  return status;
}

/* One party of a prediction by its finished run. */
static sotto_status answer(const check_party *p, const sotto_asking *asking, sotto_error *err) {
  sotto_options o = p->options;
  sotto_answers answers;
  sotto_dataset data;
  sotto_party party = p->party;
  uint8_t nodes[32];
  party.unlabelled = asking->epsilon > 0;
  sotto_status status = sotto_party_dataset_open(&data, nodes, &o, &party, o.out, NULL, err);
  if (status != SOTTO_OK) return status;
  sotto_party_settle(&o, &party, &data);
  status = sotto_predict_party(&answers, &o, &data, nodes, &party, asking, NULL, err);
  if (status == SOTTO_OK) sotto_answers_free(&answers);
  sotto_dataset_free(&data);
  return status;
}

static pid_t start(const check_party *p, void (*before)(void *context, const check_party *p), void *context,
                   const sotto_asking *asking) {
  (void)fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child > 0) return child;
  sotto_error err = {0};
  if (before != NULL) before(context, p);
  sotto_status status = asking == NULL ? run(p, &err) : answer(p, asking, &err);
  if (status != SOTTO_OK) report(p->errors, &err);
  _exit(status == SOTTO_OK ? 0 : 1);
}

pid_t check_party_start(const check_party *p, void (*before)(void *context, const check_party *p),
                        void *context) {
  return start(p, before, context, NULL);
}

void check_party_error(char text[600], const check_party *p) {
  FILE *file = fopen(p->errors, "r");
  text[0] = '\0';
  if (file == NULL) return;
  (void)!fgets(text, 600, file);
  (void)fclose(file);
}

void check_party_show(const check_party *p) {
  char text[600];
  check_party_error(text, p);
  print_message("%s of %s: %s\n", p->role, p->options.method, text);
}

/* How many of them fail? The first error of one goes into `refusal`. */
static size_t run_all(char refusal[600], const check_placement *placement, const sotto_asking *asking) {
  pid_t pids[CHECK_MOST_PARTIES];
  size_t failed = 0;
  for (size_t i = 0; i < placement->count; i++) pids[i] = start(&placement->of[i], NULL, NULL, asking);
  for (size_t i = 0; i < placement->count; i++) {
    int status;
    assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    if (failed++ == 0) check_party_error(refusal, &placement->of[i]);
  }
  return failed;
}

void check_placement_run(const check_placement *placement) {
  char refusal[600];
  const size_t failed = run_all(refusal, placement, NULL);
  if (failed > 0) fail_msg("%zu of %zu parties failed: %s", failed, placement->count, refusal);
}

bool check_placement_answer(char refusal[600], const check_placement *placement, double epsilon) {
  const sotto_asking asking = {.seed = SOTTO_UNSET, .epsilon = epsilon};
  return run_all(refusal, placement, &asking) == 0;
}

void check_whole_run(const sotto_options *options, const sotto_dataset *data) {
  int status;
  (void)fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    sotto_error err = {0};
    sotto_result result;
    if (sotto_train(&result, options, data, NULL, NULL, &err) == SOTTO_OK) _exit(0);
    (void)fprintf(stderr, "%s: %s\n", options->method, err.text);
    _exit(1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
