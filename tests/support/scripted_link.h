/* A link whose other side is a script: what arrives is written down beforehand, what is sent is kept. */
#ifndef SOTTO_TESTS_SUPPORT_SCRIPTED_LINK_H
#define SOTTO_TESTS_SUPPORT_SCRIPTED_LINK_H

#include "party/wire/link/transport.h"

/* A whole payload; its bytes come from sotto_i_new. */
typedef struct script_payload {
  sotto_i_header header;
  uint8_t *bytes;
  size_t size, at; /* bytes in all, and how many went over */
} script_payload;

/* Gives the next payload to receive, or fails. */
typedef sotto_status (*script_next)(void *context, script_payload *out, sotto_error *err);
/* Sees what is sent, when all of it is; may be NULL. */
typedef void (*script_sent)(void *context, const script_payload *payload);

typedef struct script {
  script_next next;
  script_sent sent;
  void *context;
  script_payload out, in; /* on their way; empty at first */
} script;

/* The script is borrowed and outlives the link. */
sotto_status script_link(sotto_link **out, script *script, sotto_error *err);

/* A payload of words for a script to give. */
sotto_status script_words(script_payload *out, sotto_wire_kind kind, const char *name, const void *data,
                          size_t rows, size_t cols, sotto_error *err);

#endif
