/* Levels at which the ledger has accounts. */
#ifndef SOTTO_APP_COMMON_LEVELS_H
#define SOTTO_APP_COMMON_LEVELS_H

#include "sotto/ledger.h"

enum { APP_LEVELS = 3 };
extern const char *const app_levels[APP_LEVELS]; /* from the smallest to the largest */

/* Is this a name of a level? */
bool app_is_level(const char *name);

/* The level at which charges of this adjacency are made: graphs and clients are charged at node level,
 * several edges of a node and a run that protects labels alone at edge level. */
const char *app_level_of(const char *adjacency);

/* Whether an account has something to show at a level: a budget, or a charge of this level or a larger one.
 * At transfer level charges of edges show nothing new. An account without any shows edges. */
bool app_level_is_shown(const sotto_spent spent[APP_LEVELS], int level);

/* "NOT protected: 2 charges or runs of the account protect nothing at this level"; empty for none. */
enum { APP_UNPROTECTED_WORDS = 120 };
void app_unprotected_words(char out[APP_UNPROTECTED_WORDS], uint64_t unprotected);

/* What an account has spent at each level. Errors: of sotto_ledger_spent. */
sotto_status app_levels_spent(sotto_spent out[APP_LEVELS], sotto_ledger *ledger, const uint8_t key[32],
                              sotto_error *err);

#endif
