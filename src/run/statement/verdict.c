/* Verdicts of a statement, one for each kind of data of a party: which data, whose, how well protected.
 * Those of releases follow from the charges. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inside/base.h"
#include "release/plan.h"
#include "run/method/method.h"
#include "statement.h"

bool sotto_i_statement_releases(const sotto_report *report) {
  const sotto_cost *cost = &report->result->cost;
  for (size_t i = 0; i < cost->count; i++)
    if (cost->items[i].account == SOTTO_ACCOUNT_DATA) return true;
  return report->result->private_edges;
}

bool sotto_i_statement_has_no_delta(const sotto_report *report) {
  return sotto_i_cost_is_pure(&report->result->cost);
}

double sotto_i_statement_nodes(const sotto_report *report) {
  return sotto_options_hide_sizes(report->options) ? 0 : (double)report->data->graph.nodes;
}

/* Why delta makes a guarantee vacuous at any epsilon; NULL: it does not. */
static const char *vacuous_delta(const sotto_report *report) {
  const double delta = sotto_i_statement_has_no_delta(report) ? 0 : report->options->delta;
  if (delta > 1e-3) return "delta is above 1e-3";
  if (delta * sotto_i_statement_nodes(report) >= 1)
    return "delta times the number of nodes is at least 1, so one node in the data may be shown as it is";
  return NULL;
}

/* The name in the certificate, of this party or of the one peer of a pair. */
static const char *name_of(const char *role, const sotto_report *report, const sotto_i_description *d) {
  const sotto_result *r = report->result;
  const char *name = role == NULL ? "owner" : role;
  const bool is_own = role != NULL && strcmp(role, r->self) == 0;
  const bool is_pair = d->second != NULL && strcmp(d->second, "label") == 0;
  if (is_own && r->own_name[0] != '\0')
    name = r->own_name;
  else if (!is_own && is_pair && r->peer_name[0] != '\0')
    name = r->peer_name;
  return name;
}

static sotto_i_verdict *add_verdict(sotto_i_verdicts *out, const char *account, const char *role,
                                    const char *what, const sotto_report *report,
                                    const sotto_i_description *d) {
  if (out->count == SOTTO_I_MOST_VERDICTS) out->count--; /* more than a statement can have */
  sotto_i_verdict *v = &out->list[out->count++];
  *v = (sotto_i_verdict){
      .account = account, .role = role, .class = SOTTO_GUARANTEE_NONE, .epsilon = INFINITY, .delta = 0};
  (void)snprintf(v->of, sizeof v->of, "%s of `%s`", what, name_of(role, report, d));
  return v;
}

/* Sets a verdict of no protection; `why` NULL: no reason given. */
static void set_unprotected(sotto_i_verdict *v, const char *why) {
  (void)snprintf(v->text, sizeof v->text, "%s: NOT protected%s%s", v->of, why == NULL ? "" : ": ",
                 why == NULL ? "" : why);
}

/* Sets a verdict with a guarantee; `empty`: why it is vacuous at any epsilon, or NULL. */
static void set_guarantee(sotto_i_verdict *v, double epsilon, double delta, const char *empty) {
  char guess[SOTTO_GUARANTEE_WORDS], words[SOTTO_EPSILON_WORDS];
  v->epsilon = epsilon;
  v->delta = delta;
  v->class = sotto_guarantee_of(epsilon, delta);
  if (v->class == SOTTO_GUARANTEE_NONE) {
    set_unprotected(v, "epsilon is not finite");
    return;
  }
  if (empty != NULL) v->class = SOTTO_GUARANTEE_VACUOUS;
  sotto_guarantee_guess_words(guess, sizeof guess, sotto_guarantee_guess(epsilon, delta));
  sotto_epsilon_words(words, epsilon);
  (void)snprintf(v->text, sizeof v->text, "%s: epsilon %s, a guess is right %s (%s%s%s)", v->of, words, guess,
                 sotto_guarantee_describe(v->class)->name, empty == NULL ? "" : ": ",
                 empty == NULL ? "" : empty);
}

/* The data that the dataset's account protects. */
static const char *subject(char out[64], const sotto_report *report) {
  static const char *const levels[] = {[SOTTO_ADJACENCY_TRANSFER] = "transfers",
                                       [SOTTO_ADJACENCY_NODE] = "nodes, with features and edges,",
                                       [SOTTO_ADJACENCY_GRAPH] = "graphs",
                                       [SOTTO_ADJACENCY_CLIENT] = "all data"};
  const sotto_cost *cost = &report->result->cost;
  const sotto_adjacency level = report->options->adjacency;
  if (sotto_i_statement_releases(report) && cost->neighbours > 0) {
    (void)snprintf(out, 64, "up to %llu edges of a node", (unsigned long long)cost->neighbours);
    return out;
  }
  const bool named = (size_t)level < sizeof levels / sizeof *levels && levels[level] != NULL;
  return named ? levels[level] : "edges";
}

/* The verdict of the dataset's account. */
static void add_data_verdict(sotto_i_verdicts *out, const sotto_report *report, const sotto_i_description *d,
                             const char *role) {
  const sotto_result *r = report->result;
  const bool releases = sotto_i_statement_releases(report),
             fixed = report->options->insecure_seed != SOTTO_UNSET && releases;
  const double delta = sotto_i_statement_has_no_delta(report) ? 0 : report->options->delta;
  char what[64], claimed[160];
  const char *of = subject(what, report);
  if (!fixed && d->unprotected != NULL && d->protected_part != NULL)
    set_guarantee(add_verdict(out, "data", role, d->protected_part, report, d), r->total_epsilon, delta,
                  vacuous_delta(report));
  sotto_i_verdict *v = add_verdict(out, "data", role, d->unprotected != NULL ? "data" : of, report, d);
  if (fixed) {
    set_unprotected(v, "noise from a fixed seed");
  } else if (d->unprotected != NULL) {
    set_unprotected(v, d->unprotected);
  } else if (r->made.missing) {
    set_unprotected(v, "the ledger has no charge for something that this run released");
  } else if (!releases && r->epsilon == 0) {
    v->class = SOTTO_GUARANTEE_STRONG;
    v->epsilon = 0;
    (void)snprintf(v->text, sizeof v->text, "%s: no edge was used", v->of);
    out->sound = true;
  } else if (!releases) {
    set_unprotected(v, "the graph was used without noise");
  } else if (report->options->accounting == SOTTO_ACCOUNTING_PAPER) {
    (void)snprintf(claimed, sizeof claimed,
                   "the published claim does not hold; on every graph the noise gives epsilon %.4g",
                   r->total_epsilon);
    set_unprotected(v, claimed);
  } else if (report->options->degree_cut) { /* in every member, since a reader may look at one only */
    set_unprotected(
        v, "epsilon and delta hold for graphs as cut, and which edges degree-cut drops is not stable");
  } else {
    set_guarantee(v, r->total_epsilon, delta, vacuous_delta(report));
    out->sound = v->class != SOTTO_GUARANTEE_NONE;
  }
}

/* Does a role belong to a side: holder2 to "holder", client2 to "clients"? A single role holder3 contains
 * no other. */
static bool is_of_side(const char *role, const char *side) {
  static const char digits[] = "0123456789";
  const size_t length = strcspn(role, digits);
  return length > 0 && side != NULL && side[strcspn(side, digits)] == '\0' &&
         strncmp(role, side, length) == 0;
}

static void add_label_verdicts(sotto_i_verdicts *out, const sotto_report *report,
                               const sotto_i_description *d) {
  const sotto_result *r = report->result;
  const sotto_made *m = &r->made;
  const bool fixed = report->options->insecure_seed != SOTTO_UNSET;
  static const char fixed_seed[] = "noise from a fixed seed";
  if (r->label_epsilon > 0) {
    const char *of = d->labels == NULL ? "labels" : d->labels;
    const char *role = d->labels_of == NULL                ? d->second
                       : is_of_side(r->self, d->labels_of) ? r->self
                                                           : d->labels_of;
    sotto_i_verdict *v = add_verdict(out, "labels", role, of, report, d);
    if (fixed)
      set_unprotected(v, fixed_seed);
    else
      set_guarantee(v, r->label_epsilon, 0, NULL);
  }
  if (r->label_edges && r->private_edges) {
    sotto_i_verdict *v = add_verdict(out, "label edges", d->second, "edges", report, d);
    if (fixed)
      set_unprotected(v, fixed_seed);
    else
      set_guarantee(v, m->label_edge_charges > 0 ? m->label_edge_total : r->total_planned,
                    report->options->delta, vacuous_delta(report));
  }
}

/* Is a name in a list separated by ", "? */
static bool list_has(const char *list, const char *name) {
  for (const char *at = list;;) {
    const size_t length = strcspn(at, ",");
    if (length == strlen(name) && strncmp(at, name, length) == 0) return true;
    if (at[length] == '\0') return false;
    at += length + 2;
  }
}

bool sotto_i_statement_has_payload(const sotto_i_description *d, const char *name) {
  for (size_t i = 0; i < d->bare_count; i++)
    if (d->bare[i].payloads != NULL && list_has(d->bare[i].payloads, name)) return true;
  /* a single owner sends nothing; and a verdict on all data covers every payload */
  return d->first == NULL || d->unprotected != NULL;
}

/* Verdicts on the data that payloads reveal, by the method's description. */
static void add_bare_verdicts(sotto_i_verdicts *out, const sotto_report *report,
                              const sotto_i_description *d) {
  const char *self = report->result->self;
  for (size_t i = 0; i < d->bare_count; i++) {
    const sotto_i_bare *bare = &d->bare[i];
    char why[200];
    if (bare->what == NULL) continue;
    if (bare->to == NULL)
      (void)snprintf(why, sizeof why, "%s", bare->receives);
    else
      (void)snprintf(why, sizeof why, "`%s` receives %s", name_of(bare->to, report, d), bare->receives);
    const char *role = bare->role[0] == '\0' ? NULL : is_of_side(self, bare->role) ? self : bare->role;
    set_unprotected(add_verdict(out, "none", role, bare->what, report, d), why);
  }
}

/* A verdict for payloads of one side that the method's description lacks. */
static void add_unknown_verdict(sotto_i_verdicts *out, const sotto_report *report,
                                const sotto_i_description *d, bool second) {
  const sotto_result *r = report->result;
  const size_t begin = second ? r->data_exposures : 0, end = second ? r->exposure_count : r->data_exposures;
  const char *side = second ? d->second : d->first;
  char names[200] = "without noise went";
  size_t used = strlen(names), count = 0;
  for (size_t i = begin; i < end; i++) {
    if (sotto_i_statement_has_payload(d, r->exposures[i].name)) continue;
    (void)snprintf(names + used, sizeof names - used, "%s %.40s", count++ == 0 ? "" : ",",
                   r->exposures[i].name);
    used = strlen(names);
  }
  if (count == 0) return;
  set_unprotected(
      add_verdict(out, "none", is_of_side(r->self, side) ? r->self : side, "what was sent", report, d),
      names);
}

/* Own verdicts first, and among these the protected data first; the order is stable. */
static void sort_verdicts(sotto_i_verdicts *v, const char *self) {
  sotto_i_verdict sorted[SOTTO_I_MOST_VERDICTS];
  size_t used = 0;
  for (unsigned turn = 0; turn < 4; turn++) {
    for (size_t i = 0; i < v->count; i++) {
      const bool own = v->list[i].role != NULL && strcmp(v->list[i].role, self) == 0;
      const bool holds = v->list[i].class != SOTTO_GUARANTEE_NONE;
      if ((own ? 0U : 2U) + (holds ? 0U : 1U) == turn) sorted[used++] = v->list[i];
    }
    if (turn == 1) v->own = used;
  }
  memcpy(v->list, sorted, used * sizeof *sorted);
  if (v->own == 0) v->own = v->count;
}

void sotto_i_statement_verdicts(sotto_i_verdicts *out, const sotto_report *report,
                                const sotto_i_description *d) {
  const char *self = report->result->self;
  *out = (sotto_i_verdicts){.count = 0};
  add_data_verdict(out, report, d, is_of_side(self, d->first) ? self : d->first);
  if (d->second != NULL) add_label_verdicts(out, report, d);
  add_bare_verdicts(out, report, d);
  add_unknown_verdict(out, report, d, false);
  add_unknown_verdict(out, report, d, true);
  sort_verdicts(out, self);
}

void sotto_i_statement_verdict_text(char out[SOTTO_I_VERDICT_TEXT], const sotto_i_verdicts *verdicts) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < verdicts->count; i++) {
    (void)snprintf(out + used, SOTTO_I_VERDICT_TEXT - used, "%s%s", i == 0 ? "" : "; ",
                   verdicts->list[i].text);
    used = strlen(out);
  }
}

void sotto_i_statement_add_verdicts(json_t *statement, const sotto_report *report,
                                    const sotto_i_description *d) {
  sotto_i_verdicts verdicts;
  sotto_guarantee worst = SOTTO_GUARANTEE_STRONG;
  char text[SOTTO_I_VERDICT_TEXT];
  json_t *list = json_array();
  sotto_i_statement_verdicts(&verdicts, report, d);
  sotto_i_statement_verdict_text(text, &verdicts);
  for (size_t i = 0; i < verdicts.count; i++) {
    const sotto_i_verdict *v = &verdicts.list[i];
    const sotto_guarantee_row *row = sotto_guarantee_describe(v->class);
    const bool holds = v->class != SOTTO_GUARANTEE_NONE;
    if (i < verdicts.own && v->class > worst) worst = v->class;
    json_array_append_new(
        list, json_pack("{s:s,s:s,s:b,s:s,s:s,s:s,s:o,s:o,s:o,s:s}", "account", v->account, "party",
                        v->role == NULL ? "owner" : v->role, "own", (int)(i < verdicts.own), "of", v->of,
                        "class", row->name, "colour", row->colour, "epsilon",
                        holds ? sotto_i_json_number(v->epsilon) : json_null(), "delta",
                        holds ? json_real(v->delta) : json_null(), "guess",
                        holds ? json_real(sotto_guarantee_guess(v->epsilon, v->delta)) : json_null(), "text",
                        v->text));
  }
  json_object_set_new(statement, "verdict", json_string(text));
  json_object_set_new(statement, "verdict_class", json_string(sotto_guarantee_describe(worst)->name));
  json_object_set_new(statement, "verdicts", list);
  json_object_set_new(statement, "sound", json_boolean(verdicts.sound));
}
