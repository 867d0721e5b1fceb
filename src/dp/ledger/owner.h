/* The owner's key, stored outside of the ledger's file. It signs the head of the chain. Next to it is the
 * last head that this machine saw of each ledger. */
#ifndef SOTTO_SRC_DP_LEDGER_OWNER_H
#define SOTTO_SRC_DP_LEDGER_OWNER_H

#include "sotto/base.h"

enum { SOTTO_I_SIGNATURE = 64 };

/* An Ed25519 key pair. */
typedef struct sotto_i_owner {
  uint8_t public_key[32], secret_key[64];
  char *path;
} sotto_i_owner;

/* Opens the key at $SOTTO_LEDGER_KEY, else $XDG_CONFIG_HOME/sotto/ledger.key, else
 * ~/.config/sotto/ledger.key. With `make`, makes it (mode 0600) where it is missing. Errors: NOT_FOUND, IO,
 * CORRUPT, NOMEM. */
sotto_status sotto_i_owner_open(sotto_i_owner *out, bool make, sotto_error *err);
void sotto_i_owner_close(sotto_i_owner *owner);

/* The head of a chain: the number of its entries, and the hash of the last. `ledger` is the hash of the
 * first. */
typedef struct sotto_i_head {
  uint8_t ledger[32], hash[32];
  uint64_t count;
  uint8_t signature[SOTTO_I_SIGNATURE];
} sotto_i_head;

void sotto_i_head_sign(sotto_i_head *head, const sotto_i_owner *owner);
bool sotto_i_head_holds(const sotto_i_head *head, const uint8_t public_key[32]);

/* Longest path of a ledger's stored head. */
enum { SOTTO_I_WITNESS_PATH = 4096 };
void sotto_i_witness_path(char out[SOTTO_I_WITNESS_PATH], const sotto_i_owner *owner,
                          const uint8_t ledger[32]);
/* Reads the head stored next to the key; *found is false when there is none. A stored head never goes back.
 * Errors: IO, CORRUPT. */
sotto_status sotto_i_witness_read(sotto_i_head *out, bool *found, const sotto_i_owner *owner,
                                  const uint8_t ledger[32], sotto_error *err);
sotto_status sotto_i_witness_write(const sotto_i_head *head, const sotto_i_owner *owner, sotto_error *err);

#endif
