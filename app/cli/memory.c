/* --memory: refuses a run that would need more, and prints the estimate. */
#include "memory.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "plan/estimate.h"

enum { most_digits = 24 };

sotto_status cli_memory_parse(uint64_t *out, const char *text, sotto_error *err) {
  static const char units[] = "KMG";
  char digits[most_digits];
  const size_t length = strlen(text), used = strspn(text, "0123456789");
  uint64_t unit = 1;
  const char *found = length == used + 1 ? strchr(units, text[used]) : NULL;
  if (used == 0 || used >= sizeof digits || (length != used && found == NULL))
    return sotto_i_fail(err, SOTTO_PARSE, "memory: '%s' is no size; write 500M or 4G", text);
  for (const char *u = units; found != NULL && u <= found; u++) unit *= 1000;
  memcpy(digits, text, used);
  digits[used] = '\0';
  const sotto_status status = sotto_i_parse_u64(out, digits, "memory", err);
  if (status != SOTTO_OK) return status;
  if (*out == 0 || *out > UINT64_MAX / unit)
    return sotto_i_fail(err, SOTTO_RANGE, "memory: '%s' is not a size that a process can have", text);
  *out *= unit;
  return SOTTO_OK;
}

/* Memory left for pages of mapped files: a share of the limit, and at least the program's own pages
 * (bytes). */
static const double for_files = 0.1, for_program = 8e6, least_estimated = 1e6;

sotto_status cli_memory_check(uint64_t bytes, const sotto_options *options, const sotto_dataset *data,
                              sotto_error *err) {
  double need;
  if ((double)bytes < least_estimated) /* parts of the data would be too small to train on */
    return sotto_i_fail(err, SOTTO_NOMEM,
                        "memory: the program alone needs %.0f MB, and --memory allows %.6g MB; allow more",
                        for_program / 1e6, (double)bytes / 1e6);
  const sotto_status status = estimate_memory(&need, bytes, options, data, err);
  if (status != SOTTO_OK) return status;
  need += fmax(for_files * (double)bytes, for_program);
  if (need > (double)bytes)
    return sotto_i_fail(
        err, SOTTO_NOMEM,
        "memory: the run would need %.0f MB at its peak, and --memory allows %.0f MB; allow more, "
        "or lower --hidden",
        need / 1e6, (double)bytes / 1e6);
  return SOTTO_OK;
}
