/* Entries of the ledger's chain, as a struct and as the text that is hashed. */
#ifndef SOTTO_SRC_DP_LEDGER_ENTRY_H
#define SOTTO_SRC_DP_LEDGER_ENTRY_H

#include "sotto/dp.h"

typedef enum sotto_i_entry_kind {
  SOTTO_I_ENTRY_LEDGER,      /* the first: owner, id */
  SOTTO_I_ENTRY_ACCOUNT,     /* a named account: account, name, owner */
  SOTTO_I_ENTRY_VERSION,     /* `data` becomes a version of `account` */
  SOTTO_I_ENTRY_BUDGET,      /* account, level, epsilon, delta */
  SOTTO_I_ENTRY_LOCK,        /* from now on budgets of the account can only be lowered */
  SOTTO_I_ENTRY_CLOSE,       /* from now on the account takes no charge */
  SOTTO_I_ENTRY_CHARGE,      /* a release */
  SOTTO_I_ENTRY_DRAW,        /* a release of a part that a charge covers already */
  SOTTO_I_ENTRY_NOT_PRIVATE, /* a run that protects less than a budget asks for, as its owner declared */
  SOTTO_I_ENTRY_DATA, /* how later versions of the data of `account` are recognised: name, path, nodes, rows
                       */
  SOTTO_I_ENTRY_MOVE, /* `name`, which remembered the ledger `data`, is charged to this one from now on */
  SOTTO_I_ENTRY_KINDS
} sotto_i_entry_kind;

/* Absent members are NULL, 0, or all zero. */
typedef struct sotto_i_entry {
  sotto_i_entry_kind kind;
  uint8_t account[32], data[32], owner[32];
  const char *time, *user; /* UTC, ISO 8601; who made it on this machine */
  const char *id, *name, *run, *mechanism, *level, *reason, *among;
  const char *path, *nodes, *rows; /* of data: its file; sketches of its nodes' ids and rows (sketch.h) */
  double mu, epsilon, delta;
  uint64_t part;
  bool insecure, scratch, has_release;
  sotto_mechanism release; /* of a charge, as the accountant composes it */
  void *storage;           /* of the texts of an entry that was read */
} sotto_i_entry;

/* The name of a kind in the text. */
const char *sotto_i_entry_kind_name(sotto_i_entry_kind kind);

/* Writes the text: JSON with keys in ascending order, no spaces, ASCII, numbers to 17 digits; free it with
 * free(). Bytes that are not UTF-8 become question marks. Errors: NOMEM. */
sotto_status sotto_i_entry_write(char **out, const sotto_i_entry *entry, sotto_error *err);
/* Reads the text. Free *out with sotto_i_entry_free. Errors: CORRUPT (an unknown key, a value of another
 * type), NOMEM. */
sotto_status sotto_i_entry_read(sotto_i_entry *out, const char *text, sotto_error *err);
void sotto_i_entry_free(sotto_i_entry *entry);

/* SHA-256 of the previous entry's hash, as 64 hexadecimal digits, and the text. */
void sotto_i_entry_hash(uint8_t out[32], const uint8_t previous[32], const char *text);

#endif
