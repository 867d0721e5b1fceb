/* Seconds and memory of this process. */
#ifndef SOTTO_APP_COMMON_CLOCK_H
#define SOTTO_APP_COMMON_CLOCK_H

#include <stdint.h>

/* Seconds on a monotonic clock. */
double app_seconds(void);
/* Processor time of this process, all threads together, in seconds. */
double app_processor_seconds(void);
uint64_t app_peak_rss(void);

#endif
