/* The framing of a request: where its body ends. An ambiguous framing is refused and the connection closed:
 * the rest of the request could be read as another one (RFC 9112, section 6.3). */
#ifndef SOTTO_APP_HTTP_FRAME_H
#define SOTTO_APP_HTTP_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/base.h"

/* Filled from the headers of a request one by one. A plain value that starts as zeros. */
typedef struct http_frame {
  unsigned lengths, encodings, hosts; /* how often Content-Length, Transfer-Encoding and Host occur */
  unsigned shown[4];                  /* how often the headers for access control occur */
  const char *next;                   /* expected address of the next name; NULL: any */
  uint64_t length;                    /* value of Content-Length */
  bool broken;                        /* a malformed name or value was found */
} http_frame;

/* Is this a method of a request line: a name? And is it a target: visible characters alone? A reader that
 * takes a blank or CR for part of the target, where the next one ends it, finds another request (RFC 9112,
 * section 3). */
bool http_frame_is_method(const char *method);
bool http_frame_is_target(const char *target);
/* Checks the position of the next header (name NULL: the end of the headers) in libmicrohttpd's buffer.
 * There every text ends with a zero byte, and two zero bytes replace CR LF. Another position means a folded
 * header, a line that ends with LF alone, or a zero byte inside, which would hide text. */
void http_frame_follows(http_frame *frame, const char *name, const char *value, size_t value_size);
/* Counts one header; `value` may be NULL. */
void http_frame_add(http_frame *frame, const char *name, size_t name_size, const char *value,
                    size_t value_size);
/* Is the end of the body unambiguous, and are the access-control headers unique? `version` is that of the
 * request line. */
bool http_frame_holds(const http_frame *frame, const char *version);

#endif
