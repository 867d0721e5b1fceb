/* The sections of a run's page. Each draws from what was loaded, and leaves out what is not there. */
#ifndef SOTTO_APP_REPORT_PAGE_PARTS_H
#define SOTTO_APP_REPORT_PAGE_PARTS_H

#include "html.h"
#include "load.h"
#include "report/chart.h"
#include "sotto/party.h"

/* identity.c: who, what, when, which data; the verdict; the settings that all parties agree on. */
void page_identity(page *p, const page_run *run);
void page_verdict(page *p, const page_run *run);
/* A line in the look of a colour: "green", "amber", or anything else for red. */
void page_colour_line(page *p, const char *colour, const char *text);
/* Errors: NOMEM. */
sotto_status page_settings(page *p, const page_run *run, sotto_error *err);

/* results.c: measures on the test part, compared with the same method without edges. */
void page_results(page *p, const page_run *run);
/* "82.3 %" or "82.3 % (spread 1.4)" of a measure of `result` under `test` or `baseline`. */
void page_measure_cell(page *p, const json_t *result, const char *part, const char *measure);
double page_measure(const json_t *result, const char *part, const char *measure);

/* curves.c */
void page_curves(page *p, const page_run *run);
/* One drawing: of the loss, or of the validation score in per cent. */
void page_curve(page *p, const app_series *series, size_t count, bool loss);
/* The mean over seeds at up to PAGE_CURVE epochs of a stage: fills x and y, returns how many. */
enum { PAGE_CURVE = 100 };
size_t page_curve_of(double *x, double *y, const page_stage *stage, bool loss);

/* privacy.c: what epsilon means. */
void page_privacy(page *p, const page_run *run);
/* "at most 983 times of 1000" for a guess between two inputs that are as likely. */
void page_coin(char *out, size_t size, double epsilon, double delta);

/* neighbours.c: two neighbouring graphs, with and without what is protected. False: there is no drawing for
 * the level. */
bool page_neighbours(page *p, const char *adjacency);

/* parties.c: who sent what to whom. */
void page_parties(page *p, const page_run *run);
/* What a kind of message may show, in a few words. */
const char *page_kind(sotto_wire_kind kind);
/* "1.41 GB": by thousands, with three digits. */
void page_amount(char *out, size_t size, double bytes);

/* evidence.c: what was checked of the statement: signature, digests, charges. */
void page_evidence(page *p, const page_run *run);
/* Is the run all that its folder has released, and all that its account paid for, as far as is known here? */
bool page_is_alone(const page_run *run);
/* Lines for the top of a page, where the run is not alone; the releases for predictions. */
void page_together_verdict(page *p, const page_run *run);
void page_together_table(page *p, const page_together *together);

/* limits.c: what is assumed, what is not covered, the claim of a publication. */
void page_limits(page *p, const page_run *run);

#endif
