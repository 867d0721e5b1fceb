/* The ledger account that paid for a run: for the owner only. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "charges.h"
#include "common/file.h"
#include "common/levels.h"
#include "owner.h"
#include "report/chart.h"
#include "report/report.h"

static void spent_row(page *p, const char *level, const sotto_spent *s) {
  page_cell(p, "%s", level);
  page_spent_cells(p, s);
}

/* The account at the level of the run, compared with its budget. */
static void draw_budget(page *p, const sotto_spent *s, const char *level, double own) {
  static const char *const heads[] = {"Epsilon of", "Value"};
  const char *const names[] = {"this run", "its account, all runs"};
  const double values[] = {own, s->unprotected > 0 ? INFINITY : s->epsilon};
  const double marks[] = {NAN, s->budget.epsilon > 0 ? s->budget.epsilon : NAN};
  char title[120], mark[60];
  (void)snprintf(title, sizeof title, "Epsilon at %.20s level", level);
  (void)snprintf(mark, sizeof mark, "budget %.4g", s->budget.epsilon);
  const app_bars bars = {
      .title = title,
      .description = "A bar for this run and one for all runs of its account. The mark is the budget.",
      .names = names,
      .values = values,
      .marks = marks,
      .count = PAGE_COUNT(names),
      .unit = "",
      .of_epsilon = true,
      .mark_name = mark};
  page_figure(p, title);
  (void)app_bars_draw(p->out, &bars, p->id);
  page_figure_table(p, title, heads, PAGE_COUNT(heads));
  for (size_t i = 0; i < bars.count; i++) {
    page_cell(p, "%s", names[i]);
    page_cell_epsilon(p, values[i], "no bound");
  }
  page_figure_end(p);
}

sotto_status page_account_budget(page *p, const page_run *run, const char *folder, sotto_error *err) {
  const char *level = app_level_of(page_words(run->statement, "adjacency"));
  uint8_t key[32];
  bool found;
  sotto_error why = {0};
  sotto_spent spent;
  sotto_ledger *ledger = NULL;
  sotto_status status = sotto_report_account_key(key, &found, folder, err);
  if (status != SOTTO_OK || !found) return status;
  if (json_is_object(json_object_get(run->statement, "ledger")) && app_is_level(level) &&
      sotto_report_open_ledger(&ledger, folder, &why) == SOTTO_OK &&
      sotto_ledger_spent(ledger, &spent, key, level, &why) == SOTTO_OK)
    draw_budget(p, &spent, level, page_guarantees(run) ? page_epsilon(run) : INFINITY);
  if (why.status == SOTTO_NOMEM) *err = why, status = SOTTO_NOMEM;
  sotto_ledger_close(ledger);
  return status;
}

static sotto_status draw_account(page *p, sotto_ledger *ledger, const uint8_t key[32], const char *name,
                                 sotto_error *err) {
  static const char *const heads[] = {"Level", "Charges", "Epsilon spent", "At delta", "Budget", "Left"};
  page_charges charges = {.items = NULL};
  sotto_spent spent[APP_LEVELS];
  sotto_status status;
  SOTTO_TRY(app_levels_spent(spent, ledger, key, err));
  SOTTO_TRY(page_charges_read(&charges, ledger, key, err));
  page_table(p, "The account, of all runs", heads, PAGE_COUNT(heads));
  for (int i = 0; i < APP_LEVELS; i++)
    if (app_level_is_shown(spent, i)) spent_row(p, app_levels[i], &spent[i]);
  page_table_end(p);
  page_put(p, "<div class=\"pair\">\n");
  for (int i = 0; i < APP_LEVELS; i++)
    if (app_level_is_shown(spent, i))
      SOTTO_TRY(page_charges_curve(p, ledger, key, name, app_levels[i], &spent[i].budget, err));
  page_put(p, "</div>\n");
  page_charges_table(p, &charges, "Charges to the account", false);
done:
  free(charges.items);
  return status;
}

sotto_status page_account(page *p, const page_run *run, const char *folder, sotto_error *err) {
  const char *name =
      page_words(json_object_get(json_object_get(run->statement, "dataset"), "account"), "name");
  uint8_t key[32];
  bool found;
  sotto_error why = {0};
  sotto_ledger *ledger = NULL;
  sotto_status status = sotto_report_account_key(key, &found, folder, err);
  if (status != SOTTO_OK) return status;
  page_section(p, "account", "The ledger's account");
  if (!found || !json_is_object(json_object_get(run->statement, "ledger"))) {
    page_paragraph(p, "This party's ledger paid nothing for this run.");
  } else if (sotto_report_open_ledger(&ledger, folder, &why) != SOTTO_OK) {
    page_paragraph(p, "The ledger could not be opened: %s.", why.text);
    if (why.status == SOTTO_NOMEM) *err = why, status = SOTTO_NOMEM;
  } else {
    page_paragraph(p, "Account '%s'. All entries of the ledger were verified.", name);
    status = draw_account(p, ledger, key, name, err);
  }
  sotto_ledger_close(ledger);
  page_section_end(p);
  return status;
}
