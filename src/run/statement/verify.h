/* Parts of the verification of a statement; each names the field that does not fit. */
#ifndef SOTTO_SRC_RUN_STATEMENT_VERIFY_H
#define SOTTO_SRC_RUN_STATEMENT_VERIFY_H

#include "evidence.h"
#include "sotto/statement.h"
#include "statement.h"

/* verify_fields.c: do the figures and the verdicts of a statement agree with each other? Errors: CORRUPT. */
sotto_status sotto_i_verify_fields(const json_t *statement, sotto_error *err);
/* Is the same statement, except for its date, in result.json? Errors: CORRUPT, naming the field. */
sotto_status sotto_i_verify_same(json_t *statement, json_t *other, const char *field, sotto_error *err);

/* verify_promises.c: does protected data have charges, and does each payload without noise (by run.yaml and
 * its method) have a verdict? Without run.yaml only the first is checked. Errors: CORRUPT, naming what is
 * missing. */
sotto_status sotto_i_verify_promises(const json_t *statement, const char *folder, sotto_error *err);

/* verify_entries.c: the plan item that a charge of this run is for; false: a charge of another run. */
bool sotto_i_verify_item(size_t *item, const char *id, const char *run);
/* Compares every entry of the run in the ledger with its mechanism in the statement. Errors: CORRUPT,
 * naming the field, and those of reading. */
sotto_status sotto_i_verify_entries(const json_t *statement, const char *id, sotto_ledger *ledger,
                                    sotto_error *err);
/* A statement without a ledger, or with another one (`named`), has no charges in this one. Errors: CORRUPT.
 */
sotto_status sotto_i_verify_none(sotto_ledger *ledger, const char *id, bool named, sotto_error *err);

/* verify_charges.c: checks the charges of the run up to an entry of the ledger. Fills charges, later,
 * epsilon, and the account's spending. Errors: CORRUPT, naming the field; NOMEM and those of reading. */
sotto_status sotto_i_verify_charges(sotto_statement_check *out, const json_t *statement, const char *id,
                                    sotto_ledger *ledger, uint64_t entries, sotto_error *err);
/* The ledger's mark in a statement; false: it has none. */
bool sotto_i_verify_mark(sotto_ledger_mark *out, const json_t *statement);

/* As sotto_statement_verify; needs the list of methods. */
sotto_status sotto_i_statement_verify(sotto_statement_check *out, const char *folder,
                                      const sotto_statement_ask *ask, sotto_error *err);

/* The JSON object in a file, fresh. Errors: NOT_FOUND, IO, NOMEM; PARSE, naming the line. */
sotto_status sotto_i_verify_load(json_t **out, const char *path, sotto_error *err);
/* Parses 2 * size hexadecimal digits. */
bool sotto_i_verify_hex(uint8_t *out, size_t size, const char *text);
/* A member as a number (NAN: it is none) or as text ("": it is none). */
double sotto_i_verify_number(const json_t *object, const char *key);
const char *sotto_i_verify_words(const json_t *object, const char *key);

#endif
