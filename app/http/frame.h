/* How a request says where its body ends. What is not said once and well is refused, and the connection ends:
 * the rest of it might be taken for another request (RFC 9112, section 6.3). */
#ifndef SOTTO_APP_HTTP_FRAME_H
#define SOTTO_APP_HTTP_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/base.h"

/* Filled from the headers of a request, one after the other. A plain value that begins as zeros. */
typedef struct http_frame {
  unsigned lengths, encodings, hosts; /* how often Content-Length, Transfer-Encoding and Host occur */
  uint64_t length;                    /* by Content-Length */
  bool broken;                        /* a name or a value is not what it has to be */
} http_frame;

/* One header; `value` may be NULL. */
void http_frame_add(http_frame *frame, const char *name, size_t name_size, const char *value,
                    size_t value_size);
/* Is the end of the body certain? `version` is that of the request line. */
bool http_frame_holds(const http_frame *frame, const char *version);

#endif
