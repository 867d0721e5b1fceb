/* The sections of a run's page. Each draws from the loaded files, and leaves out what they lack. */
#ifndef SOTTO_APP_REPORT_PAGE_PARTS_H
#define SOTTO_APP_REPORT_PAGE_PARTS_H

#include "html.h"
#include "load.h"
#include "report/chart.h"
#include "sotto/party.h"

/* identity.c: who, what, when, which data; the verdict; the settings that all parties agree on. */
void page_identity(page *p, const page_run *run);
void page_verdict(page *p, const page_run *run);
/* A line in a colour: "green", "amber", or anything else for red. */
void page_colour_line(page *p, const char *colour, const char *text);
/* Errors: NOMEM. */
sotto_status page_settings(page *p, const page_run *run, sotto_error *err);

/* glance.c: who saw what, accuracy, privacy cost; for the owner the budget too. */
/* Errors: NOMEM, and of reading the account's key. */
sotto_status page_glance(page *p, const page_run *run, const char *folder, sotto_error *err);

/* results.c: measures on the test part, compared with the same method without edges. */
void page_results(page *p, const page_run *run);
/* Measures of a rare class; nothing where no class is rare. */
void page_rare(page *p, const page_run *run);
/* Writes "82.3 %" or "82.3 ± 1.4 %" (standard deviation over repeats) for a measure of `result` under `test`
 * or `baseline`. */
void page_measure_cell(page *p, const json_t *result, const char *part, const char *measure);
/* The measure that is drawn: accuracy in per cent; AUC in per cent where a class is rare; R2 of numbers. */
typedef struct page_first {
  const char *key, *name, *title, *unit;
} page_first;
page_first page_first_of(const json_t *result);
double page_first_value(const json_t *result, const char *part);

/* curves.c */
void page_curves(page *p, const page_run *run);
/* One drawing: of the loss, or of the validation score in per cent. */
void page_curve(page *p, const app_series *series, size_t count, bool loss);
/* The mean over seeds at up to PAGE_CURVE epochs of a stage: fills x and y, returns their number. */
enum { PAGE_CURVE = 100 };
size_t page_curve_of(double *x, double *y, const page_stage *stage, bool loss);

/* privacy.c: the meaning of epsilon. */
void page_privacy(page *p, const page_run *run);
/* "at most 983 times of 1000": success of a guess between two equally likely inputs. */
void page_coin(char *out, size_t size, double epsilon, double delta);

/* neighbours.c: two neighbouring graphs, with and without the protected part. False: the level has no
 * drawing. */
bool page_neighbours(page *p, const char *adjacency);

/* parties.c: messages between parties: the picture with its bytes, and what was sent raw. */
void page_parties_picture(page *p, const page_run *run);
void page_parties(page *p, const page_run *run);
/* What a kind of message may reveal, in a few words. */
const char *page_kind(sotto_wire_kind kind);
/* "1.41 GB": units of 1000, three digits. */
void page_amount(char *out, size_t size, double bytes);

/* evidence.c: results of checking the statement: signature, digests, charges. */
void page_evidence(page *p, const page_run *run);
/* Is the run, as far as known here, the only release of its folder and the only charge of its account? */
bool page_is_alone(const page_run *run);
/* Lines at the top of a page if the run is not alone; the table of releases for predictions. */
void page_together_verdict(page *p, const page_run *run);
void page_together_table(page *p, const page_together *together);

/* limits.c: assumptions, limits, and published claims. */
void page_limits(page *p, const page_run *run);

#endif
