/* What a run says of itself: the privacy statement, the result as JSON, the run folder's files, a table. */
#ifndef SOTTO_APP_REPORT_REPORT_H
#define SOTTO_APP_REPORT_REPORT_H

#include "sotto/align.h"
#include "sotto/attack.h"
#include "sotto/statement.h"

/* A finished run. All members are borrowed. */
typedef struct app_report {
  const sotto_options *options;
  const sotto_dataset *data;
  const sotto_result *result;
  double seconds;
} app_report;

/* Mean and sample standard deviation (0 for one value); values that are NAN make both NAN. */
typedef struct sotto_mean {
  double mean, deviation;
} sotto_mean;
sotto_mean sotto_mean_of(const double *values, size_t count);

/* Text in memory of the caller, to be freed with sotto_report_free_text. One line, no line break at the end.
 *   result: test and baseline (accuracy, auc, macro_f1: mean, std, runs), privacy, wire, seconds, peak_rss_mb
 */
sotto_status sotto_report_result(char **out, const app_report *report, sotto_error *err);
/* The table that people read after training: a few lines. */
sotto_status sotto_report_table(char **out, const app_report *report, sotto_error *err);
void sotto_report_free_text(char *text);

/* The statement of one party after an alignment, indented: role, sizes, what it learnt, what was exposed,
 * assumed and not covered, bytes by kind, and the work done. */
sotto_status sotto_report_alignment(char **out, const sotto_alignment *alignment, sotto_error *err);

/* What attacks found: one line of JSON, a table for people, and audit.json in the run folder. */
sotto_status sotto_report_findings(char **out, const sotto_findings *findings, sotto_error *err);
sotto_status sotto_report_findings_table(char **out, const sotto_findings *findings, sotto_error *err);
sotto_status sotto_report_findings_write(const sotto_findings *findings, const char *folder,
                                         sotto_error *err);

/* Writes statement.json and result.json into the run folder. */
sotto_status sotto_report_write(const app_report *report, sotto_error *err);

/* Appends metrics.jsonl in the run folder: one line an epoch, one a seed. */
typedef struct sotto_metrics sotto_metrics;
sotto_status sotto_metrics_open(sotto_metrics **out, const char *folder, sotto_error *err);
void sotto_metrics_close(sotto_metrics *metrics);
/* The recorder to hand to sotto_train. */
sotto_recorder sotto_metrics_recorder(sotto_metrics *metrics);

#endif
