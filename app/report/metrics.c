/* metrics.jsonl: appended as the run goes on, so that what was done before a crash stays. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/file.h"
#include "common/memory.h"
#include "report.h"

struct sotto_metrics {
  FILE *stream;
};

sotto_status sotto_metrics_open(sotto_metrics **out, const char *folder, sotto_error *err) {
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(app_new(out, 1, sizeof **out, err));
  SOTTO_TRY(app_join(&path, folder, "metrics.jsonl", err));
  (*out)->stream = fopen(path, "ae");
  if ((*out)->stream == NULL)
    status = app_fail(err, SOTTO_IO, "%s: could not open it: %s", path, strerror(errno));
done:
  free(path);
  if (status != SOTTO_OK) {
    free(*out);
    *out = NULL;
  }
  return status;
}

void sotto_metrics_close(sotto_metrics *metrics) {
  if (metrics == NULL) return;
  (void)fclose(metrics->stream);
  free(metrics);
}

/* JSON has no NaN. */
static const char *value_text(char out[32], double value) {
  if (isfinite(value))
    (void)snprintf(out, 32, "%.9g", value);
  else
    (void)snprintf(out, 32, "null");
  return out;
}

static void record_epoch(void *context, const sotto_epoch *epoch) {
  sotto_metrics *metrics = context;
  char loss[32], validation[32];
  (void)fprintf(metrics->stream,
                "{\"seed\":%llu,\"stage\":\"%s\",\"epoch\":%llu,\"loss\":%s,\"validation\":%s}\n",
                (unsigned long long)epoch->seed, epoch->stage, (unsigned long long)epoch->epoch,
                value_text(loss, epoch->loss), value_text(validation, epoch->validation));
}

static void record_seed(void *context, const sotto_seed_result *result) {
  sotto_metrics *metrics = context;
  char accuracy[32], auc[32], f1[32];
  (void)fprintf(metrics->stream, "{\"seed\":%llu,\"test\":{\"accuracy\":%s,\"auc\":%s,\"macro_f1\":%s}}\n",
                (unsigned long long)result->seed, value_text(accuracy, result->test.accuracy),
                value_text(auc, result->test.auc), value_text(f1, result->test.macro_f1));
  (void)fflush(metrics->stream);
}

sotto_recorder sotto_metrics_recorder(sotto_metrics *metrics) {
  return (sotto_recorder){.context = metrics, .epoch = record_epoch, .seed = record_seed};
}
