/* Results of checking the statement, the parts that are not checked, and the spending of the run's folder and
 * account. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/levels.h"
#include "parts.h"
#include "sotto/guarantee.h"

/* When a run ends, its page is made without looking up the signing key. */
static void put_signature(page *p, const page_run *run) {
  const sotto_statement_check *c = &run->check;
  const char *whose = c->key_known ? "known here" : run->asked ? "NOT known here" : "not looked for";
  page_cell(p, "Signature");
  if (c->by == SOTTO_SIGNED_BY_IDENTITY)
    page_cell(p, "holds: signed by '%s'. The key is %s. The key in words: %s", c->name, whose, c->words);
  else if (c->by == SOTTO_SIGNED_BY_LEDGER_KEY)
    page_cell(p, "holds: signed by the key of a ledger's owner, %s. The key is %s", c->key, whose);
  else
    page_cell(p, "NOT SIGNED: whoever has the folder can change it");
}

static void put_files(page *p, const sotto_statement_check *c) {
  page_cell(p, "Digests of files");
  if (c->files > 0)
    page_cell(p,
              "hold: %zu files are as they were when the run ended. Not covered: %zu others%s%s, and what "
              "comes later: this page, predictions",
              c->files, c->uncovered, c->uncovered > 0 ? ", such as " : "", c->uncovered_name);
  else
    page_cell(p, "not checked: there is no evidence.json");
}

static void put_charges(page *p, const page_run *run) {
  const sotto_statement_check *c = &run->check;
  page_cell(p, "Charges in the ledger");
  if (!c->charges_checked)
    page_cell(p, "not checked: %s", c->ledger_note);
  else if (isfinite(page_number(run->statement, "charges_made")))
    page_cell(p, "hold: charges of this run: %llu, which compose to epsilon %.4g; later ones: %llu",
              (unsigned long long)c->charges, c->epsilon, (unsigned long long)c->later);
  else
    page_cell(p, "hold: charges of this run: %llu; later ones: %llu", (unsigned long long)c->charges,
              (unsigned long long)c->later);
  if (!c->account_known) return;
  page_cell(p, "The account since");
  page_cell(p, "%llu charges after this run, which compose to epsilon %.4g",
            (unsigned long long)c->since_charges, c->since_epsilon);
  page_cell(p, "The account in all");
  char bare[APP_UNPROTECTED_WORDS];
  app_unprotected_words(bare, c->account_unprotected);
  page_cell(p, "%llu charges, which compose to epsilon %.4g%s%s", (unsigned long long)c->account_charges,
            c->account_epsilon, bare[0] == '\0' ? "" : ". ", bare);
}

static void put_line(page *p, const char *of, double epsilon, double delta) {
  char guess[SOTTO_GUARANTEE_WORDS], at[SOTTO_DELTA_WORDS], words[SOTTO_EPSILON_WORDS], text[400];
  const sotto_guarantee_row *row = sotto_guarantee_describe(sotto_guarantee_of(epsilon, delta));
  sotto_guarantee_guess_words(guess, sizeof guess, sotto_guarantee_guess(epsilon, delta));
  sotto_delta_words(at, delta);
  sotto_epsilon_words(words, epsilon);
  if (isfinite(epsilon))
    (void)snprintf(text, sizeof text, "%s: epsilon %s at delta %s, a guess is right %s (%s)", of, words, at,
                   guess, row->name);
  else
    (void)snprintf(text, sizeof text, "%s: NOT protected", of);
  page_colour_line(p, row->colour, text);
}

bool page_is_alone(const page_run *run) {
  return run->together.count == 0 && (!run->check.account_known || run->check.account_alone);
}

void page_together_verdict(page *p, const page_run *run) {
  const page_together *t = &run->together;
  const sotto_statement_check *c = &run->check;
  const double own = page_guarantees(run) ? page_epsilon(run) : INFINITY;
  char of[160];
  if (t->count > 0) {
    (void)snprintf(of, sizeof of, "This run and the releases for predictions in its folder (%zu) together",
                   t->count);
    put_line(p, of, own + t->epsilon, page_delta(run) + t->delta);
  }
  if (!c->account_known || c->account_alone) return;
  if (c->since_charges == 0)
    (void)snprintf(of, sizeof of, "The account that paid for this run has paid for others, in all");
  else
    (void)snprintf(of, sizeof of,
                   "The account that paid for this run has spent epsilon %.4g since (%llu charges). In all",
                   c->since_epsilon, (unsigned long long)c->since_charges);
  put_line(p, of, c->account_unprotected > 0 ? INFINITY : c->account_epsilon, c->account_delta);
}

void page_together_table(page *p, const page_together *t) {
  static const char *const heads[] = {"Folder", "Epsilon", "At delta"};
  const size_t shown = t->count < PAGE_TOGETHER ? t->count : PAGE_TOGETHER;
  if (t->count == 0) return;
  page_table(p, "Releases for predictions, by the statements in the run folder", heads, PAGE_COUNT(heads));
  for (size_t i = 0; i < shown; i++) {
    page_cell(p, "%s", t->list[i].name);
    page_cell_epsilon(p, t->list[i].epsilon, "no guarantee");
    page_cell_delta(p, isfinite(t->list[i].delta) ? t->list[i].delta : 0);
  }
  page_table_end(p);
  page_cut(p, shown, t->count);
  page_paragraph(p, "Whoever sees several of these and the run sees them together: their epsilons and deltas "
                    "add up for what is in the data of all of them.");
}

void page_evidence(page *p, const page_run *run) {
  static const char *const heads[] = {"What", "Outcome"};
  const json_t *ledger = json_object_get(run->statement, "ledger");
  const sotto_statement_check *c = &run->check;
  page_section(p, "evidence", "Evidence");
  page_table(p, "What was checked when this page was made", heads, PAGE_COUNT(heads));
  put_signature(p, run);
  put_files(p, c);
  put_charges(p, run);
  if (json_is_object(ledger)) {
    page_cell(p, "Ledger");
    page_cell(p, "%s", page_words(ledger, "id"));
    page_cell(p, "Its chain when the run ended");
    page_cell(p, "%s", page_words(ledger, "chain"));
  }
  page_table_end(p);
  page_paragraph(p, "To check again: sotto statement verify RUN.");
  page_section_end(p);
}
