/* What the verbs of `sotto data` that write files may not replace. */
#include <stdio.h>

#include "cli/output.h"
#include "data.h"

bool cli_data_may_write(const char *path, const char *flag, const char *dataset) {
  return cli_may_write(
      path, &(cli_output){.flag = flag, .inputs = &dataset, .input_count = 1, .kind = CLI_DATASET});
}

bool cli_data_may_write_parts(const char *stem, size_t count, const char *dataset) {
  char path[4096];
  for (size_t i = 1; i <= count; i++) {
    (void)snprintf(path, sizeof path, "%.4000s-%zu.sotto", stem, i);
    if (!cli_data_may_write(path, "--out", dataset)) return false;
  }
  return true;
}
