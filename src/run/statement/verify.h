/* Parts of the check of a statement, each of which names the field that does not fit. */
#ifndef SOTTO_SRC_RUN_STATEMENT_VERIFY_H
#define SOTTO_SRC_RUN_STATEMENT_VERIFY_H

#include "evidence.h"
#include "sotto/statement.h"
#include "statement.h"

/* verify_fields.c: do the figures and the verdicts of a statement follow from each other? Errors: CORRUPT. */
sotto_status sotto_i_verify_fields(const json_t *statement, sotto_error *err);
/* The same statement, but for its date, is in result.json. Errors: CORRUPT, naming the field. */
sotto_status sotto_i_verify_same(json_t *statement, json_t *other, const char *field, sotto_error *err);

/* verify_promises.c: does what is protected have charges, and what leaves without noise, by run.yaml and its
 * method, a verdict? Without a run.yaml the first alone is checked. Errors: CORRUPT, naming what lacks. */
sotto_status sotto_i_verify_promises(const json_t *statement, const char *folder, sotto_error *err);

/* verify_entries.c: the item of the plan that a charge of this run is for; false: it is another run's. */
bool sotto_i_verify_item(size_t *item, const char *id, const char *run);
/* Each entry of the run in the ledger, at any time, compared with its mechanism in the statement. Errors:
 * CORRUPT, naming the field, and those of reading. */
sotto_status sotto_i_verify_entries(const json_t *statement, const char *id, sotto_ledger *ledger,
                                    sotto_error *err);
/* A statement that names no ledger (`named`: another one) has no charges in this one. Errors: CORRUPT. */
sotto_status sotto_i_verify_none(sotto_ledger *ledger, const char *id, bool named, sotto_error *err);

/* verify_charges.c: the charges of the run up to an entry of the ledger. Fills charges, later, epsilon, and
 * what the account has spent. Errors: CORRUPT, naming the field; NOMEM and those of reading. */
sotto_status sotto_i_verify_charges(sotto_statement_check *out, const json_t *statement, const char *id,
                                    sotto_ledger *ledger, uint64_t entries, sotto_error *err);
/* The ledger's marks in a statement: false where it has none. */
bool sotto_i_verify_mark(sotto_ledger_mark *out, const json_t *statement);

/* As sotto_statement_verify, where the list of methods is in place. */
sotto_status sotto_i_statement_verify(sotto_statement_check *out, const char *folder,
                                      const sotto_statement_ask *ask, sotto_error *err);

/* The JSON object in a file, in fresh memory. Errors: NOT_FOUND, IO, NOMEM; PARSE, naming the line. */
sotto_status sotto_i_verify_load(json_t **out, const char *path, sotto_error *err);
/* 2 * size hexadecimal digits. */
bool sotto_i_verify_hex(uint8_t *out, size_t size, const char *text);
/* A member as a number: NAN where it is none; as text: "" where it is none. */
double sotto_i_verify_number(const json_t *object, const char *key);
const char *sotto_i_verify_words(const json_t *object, const char *key);

#endif
