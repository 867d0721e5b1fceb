/* A page as text in memory, and as a file. */
#include "write.h"

#include <stdlib.h>

#include "base/error.h"
#include "common/file.h"

sotto_status page_open(page *p, char **text, size_t *size, sotto_error *err) {
  p->out = open_memstream(text, size);
  return p->out != NULL ? SOTTO_OK : sotto_i_fail(err, SOTTO_NOMEM, "no memory for the page");
}

sotto_status page_finish(page *p, sotto_error *err) {
  const bool failed = ferror(p->out) != 0, unclosed = fclose(p->out) != 0;
  p->out = NULL;
  return failed || unclosed ? sotto_i_fail(err, SOTTO_NOMEM, "no memory for the page") : SOTTO_OK;
}

sotto_status page_close(page *p, char **text, const size_t *size, const char *path, sotto_error *err) {
  const sotto_status status = page_finish(p, err);
  return status == SOTTO_OK ? app_write_file(path, *text, *size, err) : status;
}

void page_abandon(page *p, char **text) {
  if (p->out != NULL) (void)fclose(p->out);
  p->out = NULL;
  free(*text);
  *text = NULL;
}
