/* What carries messages: within a process today, anything with these four calls tomorrow. */
#ifndef SOTTO_SRC_PARTY_TRANSPORT_H
#define SOTTO_SRC_PARTY_TRANSPORT_H

#include "sotto/party.h"

enum { SOTTO_I_NAME_SIZE = 64 };

/* One message as it stands on the wire. Its values are 4 bytes each, row by row: floats, or the
 * bits of words; a transport moves them and looks at none. */
typedef struct sotto_i_message {
  uint8_t kind;
  char name[SOTTO_I_NAME_SIZE];
  uint64_t rows, cols;
  float *values; /* owned, from sotto_i_new */
} sotto_i_message;

typedef struct sotto_i_transport {
  /* Takes the message's values over in every case. */
  sotto_status (*send)(void *state, sotto_i_message *message, sotto_error *err);
  /* Gives the next message; its values belong to the caller. Waits; stops when interrupted. */
  sotto_status (*receive)(void *state, sotto_i_message *out, sotto_error *err);
  void (*close)(void *state, const char *reason);
  void (*free)(void *state);
} sotto_i_transport;

/* Takes `state` over on success. */
sotto_status sotto_i_link_new(sotto_link **out, const sotto_i_transport *transport, void *state,
                              sotto_error *err);

#endif
