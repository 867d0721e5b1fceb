/* Every method in every variant, as parties that are processes of their own: for each party the price that is
 * asked, the charges that are made and its statement are the same, and together they are those of one
 * process. */
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "placements.h"
#include "protocols/options.h"
#include "registry_cases.h"
#include "run/method/method.h"
#include "run/parties/party_roles.h"
#include "run/train/run.h"
#include "spending.h"

/* Who has what where there are clients: in turn. */
static uint32_t *owners(const sotto_dataset *data, uint64_t clients, const char *path) {
  const uint64_t items = sotto_deal_items(data);
  uint32_t *out = calloc(items, sizeof *out);
  FILE *file = fopen(path, "w");
  assert_true(out != NULL && file != NULL);
  for (uint64_t i = 0; i < items; i++) {
    out[i] = (uint32_t)(i % clients);
    (void)fprintf(file, "%u\n", (unsigned)out[i] + 1);
  }
  assert_int_equal(fclose(file), 0);
  return out;
}

/* One case with its options, in one process and as parties. */
typedef struct pair {
  const check_case *c;
  const sotto_dataset *data;
  sotto_options whole;
  check_placement parties;
  uint32_t *owner;
} pair;

static void pair_new(pair *p, const check_case *c, const check_case_data *data, const sotto_options *o) {
  sotto_options apart = *o;
  *p = (pair){.c = c, .data = check_data_of(c, data), .whole = *o};
  if (sotto_i_has_clients(o)) {
    char partition[1100];
    sotto_partition asked;
    CHECK_OK(sotto_partition_read(&asked, sotto_i_partition_of(o), &err));
    (void)snprintf(partition, sizeof partition, "%sfile:%.900s.owners", asked.linked ? "linked:" : "",
                   o->out);
    p->owner = owners(p->data, o->clients, strstr(partition, "file:") + strlen("file:"));
    check_set_own(&p->whole, (const char *const[]){"partition", partition, NULL});
  }
  check_placement_new(&p->parties, &apart, p->data, p->owner);
}

static void pair_free(pair *p) {
  free(p->owner);
}

/* What `sotto run check` says of the price, before the run: "N releases[ of ...], epsilon E at ..." of each
 * account. */
typedef struct price {
  char text[500];
  size_t accounts;
  uint64_t releases; /* of all accounts */
  double epsilon;    /* of the first */
} price;

static void read_price(price *p) {
  const char *at = p->text;
  p->accounts = p->releases = 0;
  p->epsilon = 0;
  for (char *end; (at = strpbrk(at, "0123456789")) != NULL; p->accounts++) {
    p->releases += strtoull(at, &end, 10);
    assert_int_equal(strncmp(end, " release", strlen(" release")), 0);
    at = strstr(end, "epsilon ");
    assert_non_null(at);
    if (p->accounts == 0) p->epsilon = strtod(at + strlen("epsilon "), NULL);
    at = strstr(at, " is spent there, and ");
    assert_non_null(at);
    at += strcspn(at, ";");
  }
}

static sotto_status ask(price *out, const check_party *p, sotto_error *err) {
  sotto_options o = p->options;
  sotto_dataset data;
  uint8_t nodes[32];
  sotto_status status = sotto_party_dataset_open(&data, nodes, &o, &p->party, NULL, NULL, err);
  if (status != SOTTO_OK) return status;
  sotto_party_settle(&o, &p->party, &data);
  status = sotto_i_party_budget(out->text, sizeof out->text, &o, &data, &p->party, err);
  sotto_dataset_free(&data);
  if (status == SOTTO_OK) read_price(out);
  return status;
}

static void check_price(const pair *both, const check_party *p, const price *asked,
                        const check_spending *spent) {
  check_account list[CHECK_MOST_ACCOUNTS];
  double gaussian = 0, epsilon = spent->total;
  if (asked->releases != spent->data + spent->others || (asked->releases == 0) != (spent->charges == 0))
    fail_msg("%s, %s: '%s', and %llu charges are made", both->c->name, p->role, asked->text,
             (unsigned long long)spent->charges);
  if (asked->releases == 0) return;
  const size_t count = check_accounts_of(list, &p->options);
  if (spent->data == 0 || isinf(epsilon)) { /* the statement's figure is of the data's account, and of all */
    if (list[0].mu > 0) CHECK_OK(sotto_gdp_epsilon(&gaussian, list[0].mu, p->options.delta, &err));
    epsilon = list[0].epsilon + gaussian;
  }
  if (count < asked->accounts || fabs(asked->epsilon - epsilon) > 1e-3 * epsilon)
    fail_msg("%s, %s: '%s', and epsilon %.6g is spent", both->c->name, p->role, asked->text, epsilon);
}

/* Of one party: asked, charged, stated. */
static void check_party_spending(const pair *both, const check_party *p, const price *asked) {
  const check_spending spent = check_spending_of(&p->options);
  if (spent.charges > 0)
    (void)printf("    %-8s %2llu charges; %s\n", p->role, (unsigned long long)spent.charges, asked->text);
  if (spent.made != spent.planned)
    fail_msg("%s, %s: %llu releases are planned, and %llu stated as made", both->c->name, p->role,
             (unsigned long long)spent.planned, (unsigned long long)spent.made);
  if (spent.total != spent.total_planned)
    fail_msg("%s, %s: epsilon %.17g, and %.17g planned", both->c->name, p->role, spent.total,
             spent.total_planned);
  check_price(both, p, asked, &spent);
}

static void run_pair(const pair *p) {
  price asked[CHECK_MOST_PARTIES];
  for (size_t i = 0; i < p->parties.count; i++) {
    CHECK_OK(ask(&asked[i], &p->parties.of[i], &err));
    if (check_charges_in(&p->parties.of[i].options) > 0)
      fail_msg("%s: a question to %s is a charge", p->c->name, p->parties.of[i].role);
  }
  check_placement_run(&p->parties);
  for (size_t i = 0; i < p->parties.count; i++) check_party_spending(p, &p->parties.of[i], &asked[i]);
}

/* What a party's ledger has at a level of this account; NULL: nothing. */
static const check_account *find(const check_account *list, size_t count, const check_account *like) {
  for (size_t i = 0; i < count; i++)
    if (memcmp(list[i].digest, like->digest, 32) == 0 && strcmp(list[i].adjacency, like->adjacency) == 0)
      return &list[i];
  return NULL;
}

/* All that the parties' ledgers have. */
typedef struct together {
  check_account of[CHECK_MOST_ACCOUNTS * CHECK_MOST_PARTIES];
  size_t count;
} together;

static void together_new(together *out, const check_placement *parties) {
  out->count = 0;
  for (size_t i = 0; i < parties->count; i++)
    out->count += check_accounts_of(&out->of[out->count], &parties->of[i].options);
}

static bool same_cost(const check_account *a, const check_account *b) {
  return a->charges == b->charges && fabs(a->mu - b->mu) <= 1e-9 * b->mu &&
         fabs(a->epsilon - b->epsilon) <= 1e-9 * b->epsilon;
}

/* Two parties: each account of the one process is one party's, and has there what it has here. Its digest is
 * another, since a party's file lacks what is the other's. */
static void check_two_together(const pair *p, const check_account *whole, size_t count, const together *t) {
  bool taken[CHECK_MOST_ACCOUNTS * CHECK_MOST_PARTIES] = {false};
  for (size_t i = 0; i < count; i++) {
    size_t k = 0;
    while (k < t->count && (taken[k] || strcmp(t->of[k].adjacency, whole[i].adjacency) != 0 ||
                            !same_cost(&t->of[k], &whole[i])))
      k++;
    if (k == t->count)
      fail_msg("%s: no party has the account of the one process with %llu charges, mu %g, epsilon %g",
               p->c->name, (unsigned long long)whole[i].charges, whole[i].mu, whole[i].epsilon);
    taken[k] = true;
  }
  if (count != t->count)
    fail_msg("%s: %zu accounts in one process, and %zu as parties", p->c->name, count, t->count);
}

/* Several: their data are disjoint, so that the whole pays what the party does that pays most; and a part's
 * own account has as many charges as the party's, which knows the sizes of its own graphs alone, and so may
 * pay less. */
static void check_several_together(const pair *p, const check_account *whole, size_t count,
                                   const together *t) {
  size_t parts = 0;
  for (size_t i = 0; i < count; i++) {
    check_account most = {.charges = 0};
    const check_account *found = find(t->of, t->count, &whole[i]);
    if (whole[i].own) {
      parts++;
      if (found == NULL || found->charges != whole[i].charges || found->mu > whole[i].mu * (1 + 1e-9) ||
          found->epsilon > whole[i].epsilon * (1 + 1e-9))
        fail_msg("%s: a part's own account is not charged as the party's", p->c->name);
      continue;
    }
    for (size_t k = 0; k < t->count; k++) {
      if (strcmp(t->of[k].adjacency, whole[i].adjacency) != 0) continue;
      most.charges = t->of[k].charges > most.charges ? t->of[k].charges : most.charges;
      most.mu = fmax(most.mu, t->of[k].mu);
      most.epsilon = fmax(most.epsilon, t->of[k].epsilon);
    }
    if (!same_cost(&most, &whole[i]))
      fail_msg("%s: %llu charges in one process, and %llu of the party that has most", p->c->name,
               (unsigned long long)whole[i].charges, (unsigned long long)most.charges);
  }
  if ((parts > 0 && parts != t->count) || (count == 0) != (t->count == 0))
    fail_msg("%s: %zu accounts in one process, %zu as parties", p->c->name, count, t->count);
}

static void check_together(const pair *p) {
  check_account whole[CHECK_MOST_ACCOUNTS];
  together t;
  check_whole_run(&p->whole, p->data);
  (void)check_spending_of(&p->whole);
  const size_t count = check_accounts_of(whole, &p->whole);
  together_new(&t, &p->parties);
  (sotto_i_is_of_two(&p->whole) ? check_two_together : check_several_together)(p, whole, count, &t);
}

/* On a new ledger with this budget, the check and the run of a party refuse, or the check takes it. */
static void ask_on_budget(const pair *both, const check_party *party, const check_account *account,
                          const sotto_budget *budget, bool taken) {
  static check_party p;
  price asked;
  int status;
  p = *party;
  (void)snprintf(p.options.out, sizeof p.options.out, "%.900s-refused", party->options.out);
  (void)snprintf(p.options.ledger, sizeof p.options.ledger, "%.900s-%s-%d.db", party->options.out,
                 account->adjacency, (int)taken);
  (void)unlink(p.options.ledger);
  check_forget_ledger(p.options.data);
  sotto_ledger *ledger = check_ledger_at(p.options.ledger);
  CHECK_OK(sotto_ledger_set_budget(ledger, account->digest, "budget", account->adjacency, budget, "", &err));
  sotto_ledger_close(ledger);
  if (sotto_i_has_clients(&p.options) &&
      !sotto_i_variant_of(&p.options)
           ->covered) { /* models are averaged as they are: no budget takes that unsaid */
    CHECK_FAILS(SOTTO_REFUSED, "a part of what it shows", ask(&asked, &p, &err));
    check_set(&p.options, "anyway", "not-private");
  }
  if (taken) {
    CHECK_OK(ask(&asked, &p, &err));
    return;
  }
  CHECK_FAILS(SOTTO_REFUSED, "budget", ask(&asked, &p, &err));
  check_set(&p.options, "grace", "0.1"); /* nobody is there to hear of it */
  pid_t run = check_party_start(&p, NULL, NULL);
  assert_int_equal(waitpid(run, &status, 0), run);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 1 || sotto_i_is_folder(p.options.out) ||
      check_charges_in(&p.options) > 0)
    fail_msg("%s, %s: runs, or leaves something, though the budget refuses it", both->c->name, p.role);
}

/* A budget that is just too small refuses a party, and what it was charged is enough. */
static void check_budgets(const pair *both, const check_party *p) {
  check_account list[CHECK_MOST_ACCOUNTS];
  const size_t count = check_accounts_of(list, &p->options);
  for (size_t i = 0; i < count; i++) {
    const double delta = p->options.delta;
    const sotto_budget wide = {.epsilon = 1e9, .delta = delta};
    sotto_ledger *ledger = check_ledger_at(p->options.ledger);
    CHECK_OK(sotto_ledger_set_budget(ledger, list[i].digest, "wide", list[i].adjacency, &wide, "", &err));
    const double spent = check_spent_on(ledger, list[i].digest, list[i].adjacency).epsilon;
    sotto_ledger_close(ledger);
    ask_on_budget(both, p, &list[i], &(sotto_budget){.epsilon = spent * (1 - 1e-6), .delta = delta}, false);
    ask_on_budget(both, p, &list[i], &(sotto_budget){.epsilon = spent, .delta = delta}, true);
  }
}

/* Returns whether anything was charged. */
static bool compare(const check_case *c, const check_case_data *data, const sotto_options *o) {
  pair p;
  together t;
  (void)printf("  %s\n", o->out + strlen(check_folder()) + 1);
  pair_new(&p, c, data, o);
  run_pair(&p);
  check_together(&p);
  for (size_t i = 0; i < p.parties.count; i++) check_budgets(&p, &p.parties.of[i]);
  together_new(&t, &p.parties);
  pair_free(&p);
  return t.count > 0;
}

static void parties_are_charged_what_they_are_asked_and_state_it(void **state) {
  size_t count, ran = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    sotto_options o = check_case_options(&cases[i], &data, cases[i].name);
    if (!check_has_parties(&o)) continue;
    check_set(&o, "seeds", "2");
    (void)compare(&cases[i], &data, &o);
    ran++;
  }
  check_seen(ran > 10);
  check_case_data_free(&data);
}

/* Options that ask for releases of their own, or for more of them, in whatever method has them. */
static void so_are_further_releases(void **state) {
  size_t count, charged = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t k = 0; k < CHECK_FURTHER; k++)
    for (size_t i = 0; i < count; i++) {
      char folder[140];
      if (!check_case_takes(&cases[i], check_further[k])) continue;
      (void)snprintf(folder, sizeof folder, "%s-%s", cases[i].name, check_further[k][0]);
      sotto_options o = check_case_options(&cases[i], &data, folder);
      if (!check_has_parties(&o)) continue;
      check_set(&o, check_further[k][0], check_further[k][1]);
      check_set_own(&o, (const char *const[]){"max-degree", data.max_degree, NULL}); /* which some need */
      charged += compare(&cases[i], &data, &o);
    }
  check_seen(charged > 6);
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parties_are_charged_what_they_are_asked_and_state_it),
      cmocka_unit_test(so_are_further_releases),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
