/* The page of a ledger: spending by account, user and time, and remaining budgets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "charges.h"
#include "common/levels.h"
#include "common/memory.h"
#include "page.h"
#include "parts.h"
#include "report/chart.h"
#include "sotto/guarantee.h"
#include "write.h"

enum { most_accounts = 100, most_drawn = 8, most_changes = 150 };

static const page_link sections[] = {{"accounts", "Accounts"},     {"over-time", "Spending over time"},
                                     {"charges", "Charges"},       {"changes", "Budgets and other changes"},
                                     {"verified", "Verification"}, {NULL, NULL}};

typedef struct account {
  sotto_ledger_account is;
  char key[PAGE_KEY];
  sotto_spent spent[APP_LEVELS];
} account;

typedef struct book {
  sotto_ledger *ledger;
  account *accounts;
  size_t count, room, all;
  sotto_status status;
  sotto_error *err;
} book;

static int store_account(void *context, const sotto_ledger_account *one) {
  book *b = context;
  if (++b->all > most_accounts) return 0;
  b->status = app_grow(&b->accounts, &b->room, b->count + 1, sizeof *b->accounts, b->err);
  if (b->status != SOTTO_OK) return 1;
  b->accounts[b->count] = (account){.is = *one};
  page_key(b->accounts[b->count++].key, one->key);
  return 0;
}

static sotto_status read_accounts(book *b) {
  sotto_status status = sotto_ledger_visit_accounts(b->ledger, store_account, b, b->err);
  if (b->status != SOTTO_OK) return b->status;
  for (size_t i = 0; status == SOTTO_OK && i < b->count; i++)
    status = app_levels_spent(b->accounts[i].spent, b->ledger, b->accounts[i].is.key, b->err);
  return status;
}

static void draw_verification(page *p, const book *b, const sotto_ledger_proof *proof) {
  static const char *const heads[] = {"What", "Value"};
  char owner[65], head[65];
  sotto_i_hex(owner, proof->owner, 32);
  sotto_i_hex(head, proof->head, 32);
  page_section(p, "verified", "Verification");
  page_paragraph(
      p, "Each entry has a digest over itself and the one before, and the owner's key signs the last. An "
         "auditor who kept the last digest of an earlier page sees whether this ledger continues it.");
  page_table(p, "What was verified", heads, PAGE_COUNT(heads));
  page_cell(p, "Ledger");
  page_cell(p, "%s", sotto_ledger_path(b->ledger));
  page_cell(p, "Digest of the last entry");
  page_cell(p, "%s", head);
  page_cell(p, "Owner's public key");
  page_cell(p, "%s", owner);
  page_table_end(p);
  page_section_end(p);
}

static void draw_bars(page *p, const book *b) {
  static const char *const heads[] = {"Account and level", "Epsilon spent", "Budget"};
  char texts[most_drawn][160];
  const char *names[most_drawn];
  double spent[most_drawn], budgets[most_drawn];
  size_t count = 0;
  for (size_t i = 0; i < b->count; i++)
    for (int l = 0; l < APP_LEVELS; l++) {
      const account *a = &b->accounts[i];
      if (count == most_drawn || !app_level_is_shown(a->spent, l)) continue;
      (void)snprintf(texts[count], sizeof texts[count], "%.24s %s, %s level", a->is.name, a->key,
                     app_levels[l]);
      names[count] = texts[count];
      spent[count] = a->spent[l].epsilon;
      budgets[count++] = a->spent[l].budget.epsilon > 0 ? a->spent[l].budget.epsilon : NAN;
    }
  if (count == 0) return;
  const app_bars drawing = {.title = "Epsilon spent, and the budget",
                            .description = "A bar for each account and level. The mark is its budget.",
                            .names = names,
                            .values = spent,
                            .marks = budgets,
                            .count = count,
                            .of_epsilon = true,
                            .unit = "",
                            .mark_name = "budget"};
  page_figure(p, drawing.title);
  (void)app_bars_draw(p->out, &drawing, p->id);
  page_figure_table(p, drawing.title, heads, PAGE_COUNT(heads));
  for (size_t i = 0; i < count; i++) {
    page_cell(p, "%s", names[i]);
    page_cell_epsilon(p, spent[i], "no bound");
    page_cell_number(p, budgets[i], "none");
  }
  page_figure_end(p);
}

static void account_row(page *p, const account *a, int level) {
  const sotto_spent *s = &a->spent[level];
  page_cell(p, "%s", a->is.name);
  page_cell(p, "%s", a->key);
  page_cell(p, "%s", app_levels[level]);
  page_spent_cells(p, s);
  page_cell(p, "%s",
            a->is.closed   ? "closed: takes no charge"
            : a->is.locked ? "locked: budgets only go down"
                           : "open");
}

static void accounts(page *p, const book *b) {
  static const char *const heads[] = {"Account",  "Key",    "Level", "Charges", "Epsilon spent",
                                      "At delta", "Budget", "Left",  "State"};
  page_section(p, "accounts", "Accounts");
  if (b->count == 0) page_paragraph(p, "The ledger has no account yet.");
  if (b->all > b->count)
    page_paragraph(p, "The table has %zu of %zu accounts. All are in sotto ledger account list.", b->count,
                   b->all);
  draw_bars(p, b);
  page_table(p, "What is spent and what is left", heads, PAGE_COUNT(heads));
  for (size_t i = 0; i < b->count; i++)
    for (int l = 0; l < APP_LEVELS; l++)
      if (app_level_is_shown(b->accounts[i].spent, l)) account_row(p, &b->accounts[i], l);
  page_table_end(p);
  page_paragraph(p, "A key has its first eight digits here; sotto ledger account list shows more.");
  page_paragraph(
      p, "Left is the budget minus what is spent. The ledger composes all charges together, which costs less "
         "than their sum.");
  page_section_end(p);
}

static sotto_status draw_curves(page *p, book *b) {
  sotto_status status = SOTTO_OK;
  page_section(p, "over-time", "Spending over time");
  if (b->count > most_drawn) page_paragraph(p, "The drawings are of the first %d accounts.", most_drawn);
  page_put(p, "<div class=\"pair\">\n");
  for (size_t i = 0; status == SOTTO_OK && i < b->count && i < most_drawn; i++) {
    const account *a = &b->accounts[i];
    char name[160];
    (void)snprintf(name, sizeof name, "%.100s %s", a->is.name, a->key);
    for (int l = 0; status == SOTTO_OK && l < APP_LEVELS; l++)
      if (app_level_is_shown(a->spent, l))
        status =
            page_charges_curve(p, b->ledger, a->is.key, name, app_levels[l], &a->spent[l].budget, b->err);
  }
  page_put(p, "</div>\n");
  page_section_end(p);
  return status;
}

static sotto_status draw_charges(page *p, book *b) {
  page_charges all;
  const sotto_status status = page_charges_read(&all, b->ledger, NULL, b->err);
  page_section(p, "charges", "Charges");
  if (status == SOTTO_OK) page_charges_table(p, &all, "Releases that were charged, newest first", true);
  free(all.items);
  page_section_end(p);
  return status;
}

typedef struct changes {
  page *p;
  size_t left_out, seen;
} changes;

static int count_change(void *context, const sotto_ledger_change *change) {
  (void)change;
  ((changes *)context)->left_out++;
  return 0;
}

static int change_row(void *context, const sotto_ledger_change *c) {
  changes *list = context;
  page *p = list->p;
  if (list->seen++ < list->left_out) return 0;
  if (page_full(p)) return 1;
  char key[PAGE_KEY] = "";
  if (c->name[0] != '\0') page_key(key, c->key);
  page_cell(p, "%s", c->time);
  page_cell(p, "%s", c->kind);
  page_cell(p, "%.100s%s%s", c->name, c->name[0] == '\0' ? "" : " ", key);
  char delta[SOTTO_DELTA_WORDS];
  sotto_delta_words(delta, c->budget.delta);
  if (c->budget.epsilon > 0)
    page_cell(p, "%s level, epsilon %.4g at delta %s", c->adjacency, c->budget.epsilon, delta);
  else
    page_cell(p, "%.160s", c->run);
  page_cell(p, "%.100s", c->user);
  page_cell(p, "%.300s", c->reason);
  return 0;
}

static sotto_status draw_changes(page *p, book *b) {
  static const char *const heads[] = {"Time (UTC)",    "Kind", "Account and key",
                                      "Budget or run", "By",   "Reason"};
  changes list = {p, 0, 0};
  sotto_status status = sotto_ledger_visit_changes(b->ledger, NULL, count_change, &list, b->err);
  if (status != SOTTO_OK) return status;
  const size_t all = list.left_out;
  list.left_out = all > most_changes ? all - most_changes : 0;
  page_section(p, "changes", "Budgets and other changes");
  if (list.left_out > 0) page_paragraph(p, "The table has the newest %d of %zu.", most_changes, all);
  page_table(p, "Accounts, budgets, locks, and runs that a budget does not cover", heads, PAGE_COUNT(heads));
  status = sotto_ledger_visit_changes(b->ledger, NULL, change_row, &list, b->err);
  page_table_end(p);
  page_section_end(p);
  return status;
}

sotto_status page_write_ledger(sotto_ledger *ledger, const char *path, sotto_error *err) {
  book b = {.ledger = ledger, .status = SOTTO_OK, .err = err};
  page p = {.owner = true};
  sotto_ledger_proof proof;
  char entries[60], *text = NULL;
  size_t size = 0;
  sotto_status status;
  SOTTO_TRY(read_accounts(&b));
  SOTTO_TRY(sotto_ledger_prove(ledger, &proof, err));
  (void)snprintf(entries, sizeof entries, "all %llu entries hold.", (unsigned long long)proof.entries);
  SOTTO_TRY(page_open(&p, &text, &size, err));
  page_begin(&p, "Report of a ledger",
             "For the owner and auditors. A ledger names runs and data. It is not for the public.", sections);
  page_colour_line(&p, "green", entries);
  accounts(&p, &b);
  SOTTO_TRY(draw_curves(&p, &b));
  SOTTO_TRY(draw_charges(&p, &b));
  SOTTO_TRY(draw_changes(&p, &b));
  draw_verification(&p, &b, &proof);
  page_end(&p);
  SOTTO_TRY(page_close(&p, &text, &size, path, err));
done:
  page_abandon(&p, &text);
  free(b.accounts);
  return status;
}
