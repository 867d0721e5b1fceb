/* Answers of POST /predict: their text, and what requests by node and by row have in common. */
#ifndef SOTTO_APP_SERVE_ANSWERS_H
#define SOTTO_APP_SERVE_ANSWERS_H

#include <jansson.h>

#include "service.h"

/* A growing text, to be freed. The functions are false where memory ran out. */
typedef struct serve_page {
  char *text;
  size_t size, capacity;
} serve_page;
bool serve_add_text(serve_page *page, const char *text, size_t size);
/* Adds a JSON string. */
bool serve_add_name(serve_page *page, const char *name);
/* Adds the `top` most likely classes of one node, whose probabilities are row[0..classes): "classes", "names"
 * and "probabilities", and where a class is rare "score" and "alert"; each behind a comma. */
bool serve_add_classes(serve_page *page, const serve_source *source, const float *row, size_t classes,
                       size_t top);

/* predict.c: the member "top", else all classes; false with a reply. */
bool serve_read_top(size_t *out, const json_t *top, size_t classes, http_reply *reply);
/* Replies for a source that could not answer. */
void serve_reply_failure(http_reply *reply, sotto_status status, const sotto_error *problem);

/* rows.c: answers {"rows": [{COLUMN: VALUE, ...}, ...], "top": K}. */
void serve_predict_rows(serve_slot *slot, const serve_source *source, const json_t *body, size_t classes,
                        http_reply *reply);

#endif
