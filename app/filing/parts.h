/* The parts of a filing: its questions, and the source of each answer. */
#ifndef SOTTO_APP_FILING_PARTS_H
#define SOTTO_APP_FILING_PARTS_H

#include <stdio.h>

#include "filing.h"
#include "report/page/load.h"

typedef struct filing_facts {
  page_run run;
  const json_t *statement; /* of `run` */
  json_t *audit;           /* owner-only/audit.json; NULL: none, or not asked for */
  char audit_note[160];    /* why there is none */
  char model[65];          /* SHA-256 of model.safetensors; empty: there is no such file */
} filing_facts;

/* Of the run and of the releases for predictions in its folder together: whoever sees all has all.
 * Epsilon is INFINITY where one of them has no guarantee. */
double filing_epsilon(const filing_facts *facts);
double filing_delta(const filing_facts *facts);

/* Writes the answer; nothing: it is a person's to give. */
typedef void (*filing_answer)(FILE *out, const filing_facts *facts);

typedef struct filing_question {
  const char *key, *text;
  filing_answer answer; /* NULL: a person's */
  const char *from;     /* where the answer stands: statement, result, run file, audit, program */
} filing_question;

typedef struct filing_part {
  const char *key, *title, *source;
  const filing_question *questions;
  size_t count;
} filing_part;

extern const filing_part filing_nist, filing_edpb, filing_annex_iv, filing_impact;

/* answers.c: answers that several parts have. */
void filing_say_variant(FILE *out, const filing_facts *f);
void filing_say_parameters(FILE *out, const filing_facts *f);
void filing_say_unit(FILE *out, const filing_facts *f);
void filing_say_mechanisms(FILE *out, const filing_facts *f);
void filing_say_composition(FILE *out, const filing_facts *f);
void filing_say_exposed(FILE *out, const filing_facts *f);
void filing_say_unprotected(FILE *out, const filing_facts *f);
void filing_say_adversary(FILE *out, const filing_facts *f);
void filing_say_actors(FILE *out, const filing_facts *f);
void filing_say_utility(FILE *out, const filing_facts *f);
void filing_say_numerics(FILE *out, const filing_facts *f);
void filing_say_verdict(FILE *out, const filing_facts *f);
void filing_say_limits(FILE *out, const filing_facts *f);
void filing_say_program(FILE *out, const filing_facts *f);
void filing_say_settings(FILE *out, const filing_facts *f);
void filing_say_data(FILE *out, const filing_facts *f);
void filing_say_after(FILE *out, const filing_facts *f);
void filing_say_proof(FILE *out, const filing_facts *f);
/* Findings of audits whose attack has one of these names, with spaces between; says why where there are none.
 */
void filing_say_findings(FILE *out, const filing_facts *f, const char *attacks);

/* The answer as fresh text, cut at its end of line; NULL and no error: a person's. Errors: NOMEM. */
sotto_status filing_answer_text(char **out, const filing_question *question, const filing_facts *facts,
                                sotto_error *err);

/* registry.c, cards.c: fresh documents. Errors: NOMEM; INVALID (registry: the run has no guarantee). */
sotto_status filing_registry(json_t **out, const filing_facts *facts, sotto_error *err);
/* Counts the values of a record, and those that are not left to a person. */
void filing_count(filing_made *made, const json_t *record);
sotto_status filing_croissant(json_t **out, const filing_facts *facts, sotto_error *err);
sotto_status filing_spdx(json_t **out, const filing_facts *facts, sotto_error *err);
sotto_status filing_model_card(char **out, const filing_facts *facts, sotto_error *err);

/* cards.c: the text in Markdown that shows it as it is. Names of data, parties and classes are their owners'
 * words: none of them is a mark, or HTML. */
void filing_put_plain(FILE *out, const char *text);

/* digest.c: SHA-256 of a file in hexadecimal. Errors: IO. */
sotto_status filing_digest(char out[65], const char *path, sotto_error *err);

/* yaml.c: the document as YAML, fresh. Errors: NOMEM. */
sotto_status filing_yaml(char **out, size_t *size, const json_t *document, sotto_error *err);

/* print.c: the document of all parts (write.c) as a page and as sheets of A4. *made: false where rsvg-convert
 * is not there. Errors: IO, NOMEM. */
sotto_status filing_html(const char *path, const json_t *document, sotto_error *err);
sotto_status filing_pdf(bool *made, const char *path, const json_t *document, sotto_error *err);

#endif
