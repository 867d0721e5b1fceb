/* The ledger account that paid for a run: for the owner only. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "charges.h"
#include "common/file.h"
#include "common/levels.h"
#include "owner.h"
#include "report/report.h"

static void spent_row(page *p, const char *level, const sotto_spent *s) {
  page_cell(p, "%s", level);
  page_spent_cells(p, s);
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
  page_charges_table(p, &charges, "Charges to the account");
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
