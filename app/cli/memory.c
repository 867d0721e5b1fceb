/* --memory: refused with an estimate, or held. */
#include "memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/error.h"
#include "common/text.h"
#include "estimate/estimate.h"

enum { most_digits = 24 };

sotto_status cli_memory_parse(uint64_t *out, const char *text, sotto_error *err) {
  static const char units[] = "KMG";
  char digits[most_digits];
  const size_t length = strlen(text), used = strspn(text, "0123456789");
  uint64_t unit = 1;
  const char *found = length == used + 1 ? strchr(units, text[used]) : NULL;
  if (used == 0 || used >= sizeof digits || (length != used && found == NULL))
    return app_fail(err, SOTTO_PARSE, "memory: '%s' is no size; write 500M or 4G", text);
  for (const char *u = units; found != NULL && u <= found; u++) unit *= 1000;
  memcpy(digits, text, used);
  digits[used] = '\0';
  const sotto_status status = app_parse_u64(out, digits, "memory", err);
  if (status != SOTTO_OK) return status;
  if (*out == 0 || *out > UINT64_MAX / unit)
    return app_fail(err, SOTTO_RANGE, "memory: '%s' is not a size that a process can have", text);
  *out *= unit;
  return SOTTO_OK;
}

/* A number of pages from /proc/self/statm: 1 is what is in memory, 2 the part of it that files have, 5 all
 * that may be written to. */
static double pages(int field) {
  double value = 0, fields[6] = {0};
  FILE *in = fopen("/proc/self/statm", "r");
  if (in == NULL) return 0;
  if (fscanf(in, "%lf %lf %lf %lf %lf %lf", &fields[0], &fields[1], &fields[2], &fields[3], &fields[4],
             &fields[5]) == 6)
    value = fields[field];
  (void)fclose(in);
  return value * (double)sysconf(_SC_PAGESIZE);
}

/* Memory that was set aside and is not in use, as a thread's stack is, does not count. */
static void limit_to(uint64_t bytes) {
  struct rlimit limit;
  const double used = pages(1) - pages(2), room = pages(5), idle = room > used ? room - used : 0;
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const rlim_t most = (rlim_t)bytes + (rlim_t)idle;
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > most) limit.rlim_cur = most;
  (void)setrlimit(RLIMIT_DATA, &limit);
}

static double bytes_of(const sotto_dataset *data) {
  return (double)(data->graph.nodes + 1) * sizeof *data->graph.offsets +
         (double)data->graph.entries * sizeof *data->graph.targets +
         (double)data->features.rows * (double)data->features.cols * sizeof(float);
}

sotto_status cli_memory_hold(uint64_t bytes, const sotto_options *options, const sotto_dataset *data,
                             sotto_error *err) {
  double need;
  const sotto_status status = estimate_memory(&need, options, data, err);
  if (status != SOTTO_OK) return status;
  if (bytes_of(data) > (double)bytes / 4) need -= bytes_of(data);
  if (need > (double)bytes)
    return app_fail(
        err, SOTTO_NOMEM,
        "memory: the run would need %.0f MB at its peak, and --memory allows %.0f MB; allow more, "
        "or lower --hidden",
        need / 1e6, (double)bytes / 1e6);
  limit_to(bytes);
  return SOTTO_OK;
}
