/* What handlers answer. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "http.h"

void http_reply_text(http_reply *reply, unsigned status, const char *type, char *text) {
  free(reply->body);
  *reply =
      (http_reply){.status = status, .type = type, .body = text, .size = text == NULL ? 0 : strlen(text)};
}

void http_reply_page(http_reply *reply, const char *policy, char *text) {
  http_reply_text(reply, 200, "text/html; charset=utf-8", text);
  reply->policy = policy;
}

void http_reply_stream(http_reply *reply, const char *type, const http_stream *stream) {
  http_reply_text(reply, 200, type, NULL);
  reply->stream = *stream;
}

void http_reply_error(http_reply *reply, unsigned status, const char *what, const char *where,
                      const char *todo) {
  json_t *error = json_pack("{s{ssssss}}", "error", "what", what, "where", where, "todo", todo);
  http_reply_text(reply, status, HTTP_JSON, error == NULL ? NULL : json_dumps(error, JSON_COMPACT));
  json_decref(error);
}
