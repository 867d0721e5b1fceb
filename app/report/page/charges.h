/* Charges of a ledger on a page. */
#ifndef SOTTO_APP_REPORT_PAGE_CHARGES_H
#define SOTTO_APP_REPORT_PAGE_CHARGES_H

#include "html.h"
#include "sotto/ledger.h"

enum { PAGE_CHARGE_ROWS = 300 }; /* rows of a table: the newest charges */

/* The first digits of an account's key: two accounts may have one name. */
enum { PAGE_KEY = 9 };
void page_key(char out[PAGE_KEY], const uint8_t key[32]);

typedef struct page_charge {
  char key[PAGE_KEY];
  char time[32], name[96], run[160], mechanism[40], adjacency[16], description[240], user[64];
  double mu, epsilon;
  bool insecure;
} page_charge;

typedef struct page_charges {
  page_charge *items;
  size_t count, room;
} page_charges;

/* All charges of an account and its parts (NULL: of all accounts), oldest first. Free items with free().
 * Errors: NOMEM, and those of reading the ledger. */
sotto_status page_charges_read(page_charges *out, sotto_ledger *ledger, const uint8_t *key, sotto_error *err);
/* Epsilon over time of the account `name` at one level with the budget, and its table; nothing without a
 * charge at this level. Errors: those of sotto_ledger_visit_spent. */
sotto_status page_charges_curve(page *p, sotto_ledger *ledger, const uint8_t key[32], const char *name,
                                const char *level, const sotto_budget *budget, sotto_error *err);
/* Five cells: charges, epsilon spent, its delta, budget, remainder. */
void page_spent_cells(page *p, const sotto_spent *spent);
/* Newest first. With keys each account is followed by its key, which must not leave the ledger's page. */
void page_charges_table(page *p, const page_charges *charges, const char *caption, bool keys);

#endif
