/* What a run folder and its ledger, each by itself, say of what was released: ids of charges, draws that lie
 * in the folder, the statement. */
#ifndef SOTTO_TESTS_SUPPORT_SPENDING_H
#define SOTTO_TESTS_SUPPORT_SPENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/options.h"

/* A charge's id is the run's 32 digits, its name, 32 digits of the draw, and a word or none. The draw in it,
 * or NULL; the rest without the run. */
enum { CHECK_DRAW_DIGITS = 32 };
const char *check_draw_in(const char *id);
void check_charge_name(char *out, size_t size, const char *id);
/* The draw that stands in the file beside the artifact at `path`; false: there is none. */
bool check_draw_beside(char out[CHECK_DRAW_DIGITS + 1], const char *path);

/* "OUT/NAME" for the options' run folder, in a static buffer of its own for each of the last four calls. */
const char *check_in(const sotto_options *o, const char *name);
/* Where the model of a run lies. */
const char *check_model_in(const sotto_options *o);

/* All rows of the options' ledger; 0 when there is none. */
uint64_t check_charges_in(const sotto_options *o);

/* Is this draw charged under this name, or noted as a draw of a part? */
bool check_is_charged(const sotto_options *o, const char *name, const char *draw);
/* Does it lie, whole, in the run folder or in that of its first seed? */
bool check_is_saved(const sotto_options *o, const char *draw);

/* What the statement in the run folder says, after it was held against the ledger, which must be the run's
 * alone: charges of each level and account, and epsilon. Fails when they differ. */
typedef struct check_spending {
  uint64_t charges;       /* all rows of the ledger */
  uint64_t data, others;  /* of them, by the statement: of the data\'s account, of others */
  uint64_t planned, made; /* releases of all mechanisms, by the statement; of the accounts that it knows */
  double epsilon, total, total_planned; /* by the statement; INFINITY: null */
} check_spending;
check_spending check_spending_of(const sotto_options *o);

/* The accounts that a ledger knows, one level each. What a part's own account pays is apart from what the
 * whole pays for that part. */
typedef struct check_account {
  uint8_t digest[32];
  char adjacency[16];
  bool own; /* charged as a part's own, by a run of all parties */
  uint64_t charges;
  double mu, epsilon; /* composed: by squares; the sum */
} check_account;
enum { CHECK_MOST_ACCOUNTS = 16 };
size_t check_accounts_of(check_account out[CHECK_MOST_ACCOUNTS], const sotto_options *o);

#endif
