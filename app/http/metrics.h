/* Metrics in the text format of Prometheus (exposition format 0.0.4). */
#ifndef SOTTO_APP_HTTP_METRICS_H
#define SOTTO_APP_HTTP_METRICS_H

#include <stddef.h>

#include "sotto/base.h"

/* Grows as lines are added; starts as zeros. If memory runs out, it stays as it is and `failed` is set. */
typedef struct http_metrics {
  char *text; /* from malloc, zero-terminated; http_metrics_take hands it to the caller */
  size_t size, capacity;
  bool failed;
} http_metrics;

/* Writes the lines before a metric's values: its name, its type ("gauge", "counter" or "histogram"), and
 * its help text. */
void http_metrics_begin(http_metrics *m, const char *name, const char *type, const char *help);
/* Writes one value. `label` NULL: no label; else label="value", where the value may be any text. NAN and
 * infinities are written in Prometheus notation. */
void http_metrics_value(http_metrics *m, const char *name, const char *label, const char *label_value,
                        double value);
/* Both of the above, for a metric with one value. */
void http_metrics_one(http_metrics *m, const char *name, const char *type, const char *help, double value);
/* The text, which the caller frees; NULL: out of memory. */
char *http_metrics_take(http_metrics *m);

#endif
