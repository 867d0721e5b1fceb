/* Peers that misbehave, by OpenSSL and sockets alone. */
#include "rogue.h"
#include "await.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/progress.h"
#include "inside/party.h"
#include "loopback.h"
#include "party/wire/lobby.h"

static char folders[3][512];
static const char *const parties[3] = {"bank", "partner", "stranger"};

static void trust(const char *who, const char *whom) {
  char path[600], name[64];
  (void)snprintf(path, sizeof path, "%s/own.crt", rogue_folder(whom));
  CHECK_OK(sotto_identity_trust(name, rogue_folder(who), path, NULL, false, &err));
}

const char *rogue_folder(const char *party) {
  if (folders[0][0] == '\0') {
    for (int i = 0; i < 3; i++) {
      (void)snprintf(folders[i], sizeof folders[i], "%s/%s", check_folder(), parties[i]);
      CHECK_OK(sotto_identity_init(folders[i], parties[i], 10, false, &err));
    }
    trust("bank", "partner");
    trust("partner", "bank");
    trust("stranger", "bank");
  }
  for (int i = 0; i < 3; i++)
    if (strcmp(parties[i], party) == 0) return folders[i];
  abort();
}

static void note(void *context, sotto_log_level level, const char *text) {
  rogue_log *log = context;
  (void)level;
  pthread_mutex_lock(&log->lock);
  size_t room = sizeof log->text - log->size;
  int size = snprintf(log->text + log->size, room, "%s\n", text);
  if (size > 0 && (size_t)size < room) log->size += (size_t)size;
  pthread_mutex_unlock(&log->lock);
}

sotto_observer rogue_observer(rogue_log *log) {
  *log = (rogue_log){.size = 0};
  pthread_mutex_init(&log->lock, NULL);
  return (sotto_observer){.context = log, .log = note};
}

typedef struct wanted {
  rogue_log *log;
  const char *words;
} wanted;

static bool is_logged(void *context) {
  const wanted *w = context;
  pthread_mutex_lock(&w->log->lock);
  const bool found = strstr(w->log->text, w->words) != NULL;
  pthread_mutex_unlock(&w->log->lock);
  return found;
}

bool rogue_logged(rogue_log *log, const char *words) {
  wanted w = {log, words};
  if (check_awaited(is_logged, &w)) return true;
  (void)fprintf(stderr, "'%s' is not in the log:\n%s", words, log->text);
  return false;
}

sotto_wire_options rogue_options(bool bank, const char *address, const sotto_observer *observer) {
  return (sotto_wire_options){.folder = rogue_folder(bank ? "bank" : "partner"),
                              .peer = bank ? "partner" : "bank",
                              .address = address,
                              .listen = bank,
                              .connect_limit = 2,
                              .idle_limit = 3,
                              .grace = 10,
                              .role = bank ? "data" : "label",
                              .terms = "epsilon: 4\nhidden: 16\n",
                              .observer = observer};
}

sotto_wire *rogue_listen(rogue_log *log, char address[32]) {
  static sotto_observer observer;
  struct sockaddr_in name;
  socklen_t size = sizeof name;
  sotto_wire *wire = NULL;
  observer = rogue_observer(log);
  const sotto_wire_options options = rogue_options(true, "127.0.0.1:0", &observer);
  CHECK_OK(sotto_wire_open(&wire, &options, &err));
  assert_int_equal(getsockname(sotto_i_lobby_socket(wire->lobby), (struct sockaddr *)&name, &size), 0);
  (void)snprintf(address, 32, "127.0.0.1:%u", ntohs(name.sin_port));
  return wire;
}

int rogue_open_listener(void **state) {
  static rogue_listener listener;
  listener.wire = rogue_listen(&listener.log, listener.address);
  *state = &listener;
  return 0;
}

int rogue_close_listener(void **state) {
  sotto_wire_free(((rogue_listener *)*state)->wire);
  return 0;
}

int rogue_dial(const char *address) {
  const struct sockaddr_in name = check_address(address);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  assert_true(fd >= 0);
  if (connect(fd, (const struct sockaddr *)&name, sizeof name) == 0) return fd;
  close(fd);
  return -1;
}

SSL *rogue_client(int fd, const char *key, const char *certificate, int highest) {
  char path[600];
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_max_proto_version(context, highest);
  if (certificate != NULL) {
    (void)snprintf(path, sizeof path, "%s/own.crt", certificate);
    assert_int_equal(SSL_CTX_use_certificate_chain_file(context, path), 1);
    (void)snprintf(path, sizeof path, "%s/key.pem", key);
    assert_int_equal(SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM), 1);
  }
  SSL *ssl = SSL_new(context);
  SSL_CTX_free(context);
  SSL_set_fd(ssl, fd);
  return ssl;
}

SSL *rogue_tls(int fd, const char *key, const char *certificate, int highest) {
  SSL *ssl = rogue_client(fd, key, certificate, highest);
  if (SSL_connect(ssl) == 1) return ssl;
  SSL_free(ssl);
  close(fd);
  ERR_clear_error();
  return NULL;
}

void rogue_send(SSL *ssl, const void *bytes, size_t size) {
  size_t sent;
  (void)SSL_write_ex(ssl, bytes, size, &sent); /* the other side may have hung up by now */
}

void rogue_send_frame(SSL *ssl, const sotto_i_frame *frame, const uint8_t *bulk, size_t bulk_size) {
  static uint8_t head[SOTTO_I_PREFIX + SOTTO_I_MOST_BODY];
  size_t size = sotto_i_frame_encode(head, frame, bulk_size);
  rogue_send(ssl, head, size);
  if (bulk_size > 0) rogue_send(ssl, bulk, bulk_size);
}

static void read_frame(SSL *ssl) {
  uint8_t prefix[SOTTO_I_PREFIX], body[SOTTO_I_MOST_BODY];
  uint32_t size;
  size_t got, at = 0;
  while (at < sizeof prefix && SSL_read_ex(ssl, prefix + at, sizeof prefix - at, &got) == 1) at += got;
  memcpy(&size, prefix, 4);
  assert_true(at == sizeof prefix && size <= sizeof body);
  for (at = 0; at < size && SSL_read_ex(ssl, body + at, size - at, &got) == 1;) at += got;
  assert_int_equal(at, size);
}

void rogue_greet(SSL *ssl) {
  char terms[] = "epsilon: 4\nhidden: 16\n";
  sotto_i_frame hello = {.kind = SOTTO_I_FRAME_HELLO};
  hello.hello = (sotto_i_hello){.protocol = SOTTO_I_PROTOCOL, .role = "label", .self = {7}, .terms = terms};
  rogue_send_frame(ssl, &hello, NULL, 0);
  read_frame(ssl);
}

SSL *rogue_partner(const char *address) {
  const char *folder = rogue_folder("partner");
  SSL *ssl = rogue_tls(rogue_dial(address), folder, folder, TLS1_3_VERSION);
  assert_non_null(ssl);
  rogue_greet(ssl);
  return ssl;
}

bool rogue_hung_up(SSL *ssl) {
  uint8_t bytes[256];
  size_t got;
  struct timeval limit = {.tv_sec = 5};
  (void)setsockopt(SSL_get_fd(ssl), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  double end = sotto_i_seconds() + 120;
  while (SSL_read_ex(ssl, bytes, sizeof bytes, &got) == 1 && sotto_i_seconds() < end) continue;
  ERR_clear_error();
  return sotto_i_seconds() < end;
}

void rogue_close(SSL *ssl) {
  int fd = SSL_get_fd(ssl);
  SSL_free(ssl);
  close(fd);
  ERR_clear_error();
}

void rogue_expire(const char *folder) {
  char path[600];
  (void)snprintf(path, sizeof path, "%s/own.crt", folder);
  FILE *stream = fopen(path, "r");
  X509 *certificate = PEM_read_X509(stream, NULL, NULL, NULL);
  (void)fclose(stream);
  (void)snprintf(path, sizeof path, "%s/key.pem", folder);
  stream = fopen(path, "r");
  EVP_PKEY *key = PEM_read_PrivateKey(stream, NULL, NULL, NULL);
  (void)fclose(stream);
  assert_non_null(X509_gmtime_adj(X509_getm_notBefore(certificate), -2L * 24 * 60 * 60));
  assert_non_null(X509_gmtime_adj(X509_getm_notAfter(certificate), -1L * 24 * 60 * 60));
  assert_true(X509_sign(certificate, key, NULL) > 0);
  (void)snprintf(path, sizeof path, "%s/own.crt", folder);
  stream = fopen(path, "w");
  assert_int_equal(PEM_write_X509(stream, certificate), 1);
  (void)fclose(stream);
  X509_free(certificate);
  EVP_PKEY_free(key);
}
