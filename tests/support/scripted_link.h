/* A link whose other side is a script: what arrives is written down beforehand, what is sent is kept. */
#ifndef SOTTO_TESTS_SUPPORT_SCRIPTED_LINK_H
#define SOTTO_TESTS_SUPPORT_SCRIPTED_LINK_H

#include "party/transport.h"

/* Gives the next message to receive, or fails; its values come from sotto_i_new. */
typedef sotto_status (*script_next)(void *context, sotto_i_message *out, sotto_error *err);
/* Sees what is sent; may be NULL. */
typedef void (*script_sent)(void *context, const sotto_i_message *message);

typedef struct script {
  script_next next;
  script_sent sent;
  void *context;
} script;

/* The script is borrowed and outlives the link. */
sotto_status script_link(sotto_link **out, script *script, sotto_error *err);

/* A message of words for a script to give. */
sotto_status script_message(sotto_i_message *out, sotto_wire_kind kind, const char *name, const void *data,
                            size_t rows, size_t cols, sotto_error *err);

#endif
