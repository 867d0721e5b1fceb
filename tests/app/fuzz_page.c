/* Any bytes as the files of a run folder: a page that is well-formed and of bounded size, or an error. Up to
 * the first zero byte they are statement and result, after it the metrics. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/file.h"
#include "pages.h"
#include "report/page/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { most = 400000 };

static void put(const char *name, const uint8_t *data, size_t size) {
  FILE *out = fopen(check_path(name), "wbe");
  if (out == NULL || fwrite(data, 1, size, out) != size || fclose(out) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[PAGE_PATH], *text = NULL;
  size_t length = 0;
  sotto_error err = {0};
  if (size == 0) return 0;
  const uint8_t *zero = memchr(data, 0, size);
  const size_t first = zero == NULL ? size : (size_t)(zero - data);
  put("statement.json", data, first);
  put("result.json", data, first);
  put("metrics.jsonl", data + first, size - first);
  const char *folder = check_folder(), *two[] = {folder, folder};
  for (size_t count = 1; count <= 2; count++) {
    const page_ask ask = {.runs = two, .run_count = count, .out = check_path("page.html")};
    if (page_write(path, &ask, &err) != SOTTO_OK) {
      if (err.text[0] == '\0') abort();
      return 0;
    }
    if (app_read_file(&text, &length, path, &err) != SOTTO_OK || length > most || strlen(text) != length)
      abort();
    expect_well_formed(text);
    free(text);
  }
  return 0;
}
