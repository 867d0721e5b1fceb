/* Text of metrics as Prometheus reads it (exposition format 0.0.4). */
#ifndef SOTTO_APP_HTTP_METRICS_H
#define SOTTO_APP_HTTP_METRICS_H

#include <stddef.h>

#include "sotto/base.h"

/* Grows as lines are added; zero-initialise it. Without memory it stays as it is and `failed` is set. */
typedef struct http_metrics {
  char *text; /* from malloc, ends with a zero; the taker frees it */
  size_t size, capacity;
  bool failed;
} http_metrics;

/* The lines before a metric's values: its name, "gauge", "counter" or "histogram", and what it is. */
void http_metrics_begin(http_metrics *m, const char *name, const char *type, const char *help);
/* One value. `label` NULL: none; else label="value", in which all is allowed. NAN and infinity are written as
 * Prometheus has them. */
void http_metrics_value(http_metrics *m, const char *name, const char *label, const char *label_value,
                        double value);
/* The two above for a metric with one value. */
void http_metrics_one(http_metrics *m, const char *name, const char *type, const char *help, double value);
/* The text, which is the caller's; NULL without memory. */
char *http_metrics_take(http_metrics *m);

#endif
