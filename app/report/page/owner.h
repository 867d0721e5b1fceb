/* What only the owner of a run may see: figures that follow from true labels and edges, attacks, the ledger.
 */
#ifndef SOTTO_APP_REPORT_PAGE_OWNER_H
#define SOTTO_APP_REPORT_PAGE_OWNER_H

#include "html.h"
#include "load.h"
#include "sotto/ledger.h"
#include "sotto/nn.h"

enum { PAGE_DEGREES = 12 }; /* bins: 0, 1, 2-3, 4-7, ... */

typedef struct page_answers {
  bool there;
  char why[600]; /* not there: why not */
  sotto_confusion confusion;
  sotto_calibration calibration;
  uint64_t nodes_of[PAGE_DEGREES], right_of[PAGE_DEGREES]; /* by degree */
} page_answers;

/* Asks the run's model about the test part of `data` (NULL: where the run had it). What cannot be answered is
 * said in `why`. Errors: NOMEM, INTERRUPTED. */
sotto_status page_answers_get(page_answers *out, const page_run *run, const char *folder, const char *data,
                              sotto_error *err);
void page_quality(page *p, const page_answers *answers);

/* Attacks and audits that owner-only/audit.json has. */
void page_audits(page *p, const json_t *audit);

/* The account that paid for the run, over time. A ledger that cannot be opened is said so. */
sotto_status page_account(page *p, const page_run *run, const char *folder, sotto_error *err);

#endif
