/* A page as text in memory, and as a file. */
#ifndef SOTTO_APP_REPORT_PAGE_WRITE_H
#define SOTTO_APP_REPORT_PAGE_WRITE_H

#include "html.h"

/* p->out becomes a stream to *text. Errors: NOMEM. */
sotto_status page_open(page *p, char **text, size_t *size, sotto_error *err);
/* Completes the text. Errors: NOMEM. */
sotto_status page_finish(page *p, sotto_error *err);
/* Writes the text to `path`, complete or not at all, readable by its owner only. Errors: NOMEM (while the
 * text was made), IO. */
sotto_status page_close(page *p, char **text, const size_t *size, const char *path, sotto_error *err);
/* No effect after page_close or before page_open. */
void page_abandon(page *p, char **text);

#endif
