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
  unsigned shown[4];                  /* and the headers by which the gate judges */
  const char *next;                   /* where the next name has to begin; NULL: anywhere */
  uint64_t length;                    /* by Content-Length */
  bool broken;                        /* a name or a value is not what it has to be */
} http_frame;

/* The next header, or with a NULL name the end of them, as libmicrohttpd leaves it in the buffer that it
 * read: each text ends with a zero byte, and there are two of these in the place of CR LF. What stands
 * anywhere else was folded over two lines, ended by LF alone, or has a zero byte inside, behind which nothing
 * is seen. */
void http_frame_follows(http_frame *frame, const char *name, const char *value, size_t value_size);
/* One header; `value` may be NULL. */
void http_frame_add(http_frame *frame, const char *name, size_t name_size, const char *value,
                    size_t value_size);
/* Is the end of the body certain, and is there one answer to who asks? `version` is that of the request line.
 */
bool http_frame_holds(const http_frame *frame, const char *version);

#endif
