/* The verdict of a statement: it follows from the charges. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/method/method.h"
#include "statement.h"

bool sotto_i_statement_releases(const sotto_report *report) {
  const sotto_cost *cost = &report->result->cost;
  for (size_t i = 0; i < cost->count; i++)
    if (cost->items[i].account == SOTTO_ACCOUNT_DATA) return true;
  return report->result->private_edges;
}

bool sotto_i_statement_is_pure(const sotto_report *report) {
  const sotto_cost *cost = &report->result->cost;
  bool any = false;
  for (size_t i = 0; i < cost->count; i++) {
    if (cost->items[i].account != SOTTO_ACCOUNT_DATA) continue;
    if (cost->items[i].mu > 0) return false;
    any = true;
  }
  return any;
}

/* Why a guarantee that was kept says nothing; NULL: it says something. */
static const char *vacuous(const sotto_report *report) {
  const sotto_result *r = report->result;
  double delta = sotto_i_statement_is_pure(report) ? 0 : report->options->delta;
  if (r->total_epsilon > 50) return "epsilon is above 50";
  if (delta > 1e-3) return "delta is above 1e-3";
  if (delta * (double)report->data->graph.nodes >= 1)
    return "delta times the number of nodes is at least 1, so one node in the data may be shown as it is";
  return NULL;
}

static void say(sotto_i_verdict_text *out, const char *kind, const char *text) {
  out->kind = kind;
  (void)snprintf(out->text, sizeof out->text, "%s", text);
}

void sotto_i_statement_verdict(sotto_i_verdict_text *out, const sotto_report *report,
                               const sotto_i_description *d) {
  const sotto_result *r = report->result;
  const bool fixed = report->options->insecure_seed != SOTTO_UNSET && sotto_i_statement_releases(report);
  const char *empty = vacuous(report);
  *out = (sotto_i_verdict_text){.sound = false};
  if (fixed) {
    say(out, "not private", "NOT PRIVATE: noise from a fixed seed");
  } else if (d->unprotected != NULL) {
    say(out, "not private", "");
    (void)snprintf(out->text, sizeof out->text, "%s%sNOT PRIVATE: %s",
                   d->protected_part == NULL ? "" : d->protected_part, d->protected_part == NULL ? "" : "; ",
                   d->unprotected);
  } else if (r->made.missing) {
    say(out, "not private",
        "NOT PRIVATE as stated: the ledger has no charge for something that this run released");
  } else if (!sotto_i_statement_releases(report)) {
    out->sound = r->epsilon == 0;
    if (r->epsilon == 0)
      say(out, "no edge used", "no edge was used");
    else
      say(out, "not private", "NOT PRIVATE: the graph was used without noise");
  } else if (report->options->accounting == SOTTO_ACCOUNTING_PAPER) {
    say(out, empty != NULL ? "vacuous" : "not private",
        "NOT PRIVATE as claimed: the published claim does not hold; epsilon is what the noise gives on every "
        "graph");
  } else if (empty != NULL) {
    say(out, "vacuous", "");
    (void)snprintf(out->text, sizeof out->text, "vacuous: %s", empty);
  } else if (report->options->degree_cut) { /* in every field, since a reader may look at one alone */
    say(out, "not private",
        "NOT PRIVATE for the graph as it was: the stated epsilon and delta hold for graphs as cut, and which "
        "edges degree-cut drops is not stable");
  } else {
    out->sound = true;
    say(out, "private", "private at the stated epsilon and delta");
  }
}
