/* Replies of handlers, and refusals of the server. */
#include <jansson.h>
#include <microhttpd.h>
#include <stdio.h>
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

void http_reply_refused(http_reply *reply, unsigned status, const char *where, size_t most_body) {
  char todo[160];
  switch (status) {
  case MHD_HTTP_UNAUTHORIZED:
    http_reply_error(reply, status, "the token is missing or is another one", "header Authorization",
                     "send `Authorization: Bearer TOKEN` with the token of the server's token file");
    return;
  case MHD_HTTP_FORBIDDEN:
    http_reply_error(
        reply, status,
        "pages of other servers are not answered, and without a token names of this machine alone",
        "headers Host, Origin, Sec-Fetch-Site",
        "type the address localhost, 127.0.0.1 or [::1], or start the server with a token");
    return;
  case MHD_HTTP_BAD_REQUEST:
    http_reply_error(reply, status,
                     "the headers leave open where the request ends, which host it is for, or who sent it",
                     "headers Content-Length, Transfer-Encoding, Host, Origin",
                     "send each header once, in a line of its own that ends with CR LF: one Host, and one "
                     "Content-Length in digits or Transfer-Encoding: chunked");
    return;
  case MHD_HTTP_UNSUPPORTED_MEDIA_TYPE:
    http_reply_error(reply, status, "a POST has to be JSON", "header Content-Type",
                     "send `Content-Type: application/json`");
    return;
  case MHD_HTTP_CONTENT_TOO_LARGE:
    (void)snprintf(todo, sizeof todo, "send at most %zu bytes, in several requests if need be", most_body);
    http_reply_error(reply, status, "the body is too large", "body", todo);
    return;
  case MHD_HTTP_METHOD_NOT_ALLOWED:
    http_reply_error(reply, status, "the path is not asked in this way", where,
                     "use a method that the header Allow names");
    return;
  case MHD_HTTP_SERVICE_UNAVAILABLE:
    http_reply_error(reply, status, "as many readers follow as there may be", where,
                     "close another page, or ask again later");
    return;
  default:
    http_reply_error(reply, status, "there is nothing at this path", where,
                     "see the list of paths in the documentation");
  }
}
