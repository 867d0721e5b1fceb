/* Section of a page: what was checked of the statement, and what was not. */
#include <math.h>
#include <string.h>

#include "parts.h"

static void signature(page *p, const sotto_statement_check *c) {
  page_cell(p, "Signature");
  if (c->by == SOTTO_SIGNED_BY_IDENTITY)
    page_cell(p, "holds: signed by '%s', %s. The key in words: %s", c->name,
              c->key_known ? "whose key is trusted here" : "whose key is not known here", c->words);
  else if (c->by == SOTTO_SIGNED_BY_LEDGER_KEY)
    page_cell(p, "holds: signed by the key of %s, %s",
              c->key_known ? "the owner of the ledger here" : "a ledger's owner", c->key);
  else
    page_cell(p, "NOT SIGNED: whoever has the folder can change it");
}

static void digests(page *p, const sotto_statement_check *c) {
  page_cell(p, "Digests of files");
  if (c->files > 0)
    page_cell(p, "hold: %zu files are as they were when the run ended", c->files);
  else
    page_cell(p, "not checked: there is no evidence.json");
}

static void charges(page *p, const page_run *run) {
  const sotto_statement_check *c = &run->check;
  page_cell(p, "Charges in the ledger");
  if (!c->charges_checked)
    page_cell(p, "not checked: %s", c->ledger_note);
  else if (isfinite(page_number(run->statement, "charges_made")))
    page_cell(p, "hold: charges of this run: %llu, which compose to epsilon %.4g; since then: %llu",
              (unsigned long long)c->charges, c->epsilon, (unsigned long long)c->later);
  else
    page_cell(p, "hold: charges of this run: %llu; since then: %llu", (unsigned long long)c->charges,
              (unsigned long long)c->later);
}

void page_evidence(page *p, const page_run *run) {
  static const char *const heads[] = {"What", "Outcome"};
  const json_t *ledger = json_object_get(run->statement, "ledger");
  const sotto_statement_check *c = &run->check;
  page_section(p, "evidence", "Evidence");
  page_table(p, "What was checked when this page was made", heads, PAGE_COUNT(heads));
  signature(p, c);
  digests(p, c);
  charges(p, run);
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
