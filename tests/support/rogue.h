/* Two parties that trust each other, a wire that listens, and peers that misbehave towards it. */
#ifndef SOTTO_TESTS_SUPPORT_ROGUE_H
#define SOTTO_TESTS_SUPPORT_ROGUE_H

#include <openssl/ssl.h>
#include <pthread.h>

#include "check.h"
#include "inside/party.h"
#include "party/wire/wire.h"

/* Makes FOLDER/bank and FOLDER/partner, which trust each other, in a scratch folder of this test; and
 * FOLDER/stranger, who trusts bank and whom nobody trusts. */
const char *rogue_folder(const char *party);

/* What a wire logged, and how often a text was among it. */
typedef struct rogue_log {
  pthread_mutex_t lock;
  char text[1 << 16];
  size_t size;
} rogue_log;
sotto_observer rogue_observer(rogue_log *log);
/* Waits up to five seconds for the words. */
bool rogue_logged(rogue_log *log, const char *words);

/* Options of one side: bank listens and has data, partner connects and has labels. Limits are short. */
sotto_wire_options rogue_options(bool bank, const char *address, const sotto_observer *observer);
/* A wire of bank that listens on a free port of loopback; `address` (32 bytes) gets HOST:PORT. */
sotto_wire *rogue_listen(rogue_log *log, char address[32]);

/* A listening wire of bank for a test: *state becomes a rogue_listener. */
typedef struct rogue_listener {
  rogue_log log;
  sotto_wire *wire;
  char address[32];
} rogue_listener;
int rogue_open_listener(void **state);
int rogue_close_listener(void **state);

/* A blocking connection to the address; -1 when refused. */
int rogue_dial(const char *address);
/* TLS over it with a folder's key and certificate, either of which may be NULL; `highest` is TLS1_3_VERSION
 * or lower. NULL when the handshake failed. */
SSL *rogue_tls(int fd, const char *key, const char *certificate, int highest);
/* The same before its handshake; never NULL. */
SSL *rogue_client(int fd, const char *key, const char *certificate, int highest);
/* Says Hello as the true partner, and takes the answer. */
void rogue_greet(SSL *ssl);
/* As the true partner, up to and with the greetings: the rest is the caller's. */
SSL *rogue_partner(const char *address);
void rogue_send(SSL *ssl, const void *bytes, size_t size);
/* Prefix, body and bulk of a frame. */
void rogue_send_frame(SSL *ssl, const sotto_i_frame *frame, const uint8_t *bulk, size_t bulk_size);
/* True once the other side has hung up (within five seconds). */
bool rogue_hung_up(SSL *ssl);
void rogue_close(SSL *ssl);

/* Signs FOLDER's certificate anew, ended a day ago. */
void rogue_expire(const char *folder);

#endif
