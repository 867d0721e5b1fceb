/* Floods against a listening party: of connections without a certificate, and of frames from a peer that has
 * one. The true partner is served, and memory stays within what docs/protocol.md promises. */
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/progress.h"
#include "inside/party.h"
#include "party/wire/lobby.h"
#include "rogue.h"

#if defined(__SANITIZE_ADDRESS__)
enum { counts_memory = 0 }; /* a sanitizer keeps what was freed */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { counts_memory = 0 };
#else
enum { counts_memory = 1 };
#endif
#else
enum { counts_memory = 1 };
#endif

typedef struct fixture {
  rogue_log log;
  sotto_observer observer;
  sotto_wire *wire;
  char address[32];
} fixture;

/* Limits so long that only the flood could turn anyone out. */
static int open_wire(void **state) {
  static fixture f;
  struct sockaddr_in name;
  socklen_t size = sizeof name;
  f.observer = rogue_observer(&f.log);
  sotto_wire_options options = rogue_options(true, "127.0.0.1:0", &f.observer);
  options.connect_limit = options.idle_limit = options.grace = 240;
  CHECK_OK(sotto_wire_open(&f.wire, &options, &err));
  assert_int_equal(getsockname(sotto_i_lobby_socket(f.wire->lobby), (struct sockaddr *)&name, &size), 0);
  (void)snprintf(f.address, sizeof f.address, "127.0.0.1:%u", ntohs(name.sin_port));
  *state = &f;
  return 0;
}

static int close_wire(void **state) {
  sotto_wire_free(((fixture *)*state)->wire);
  return 0;
}

/* A connection from 127.0.0.LAST. */
static int dial_from(const char *address, unsigned last) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7F000000U + last)};
  to.sin_port = htons((uint16_t)atoi(strchr(address, ':') + 1));
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(fd >= 0);
  assert_int_equal(bind(fd, (const struct sockaddr *)&from, sizeof from), 0);
  assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
  return fd;
}

/* The first flight of a client that will say no more. */
static size_t client_hello(uint8_t *out, size_t room) {
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  SSL *ssl = SSL_new(context);
  BIO *written = BIO_new(BIO_s_mem());
  SSL_set_min_proto_version(ssl, TLS1_3_VERSION);
  SSL_set_bio(ssl, BIO_new(BIO_s_mem()), written);
  (void)SSL_connect(ssl);
  int size = BIO_read(written, out, (int)room);
  SSL_free(ssl);
  SSL_CTX_free(context);
  assert_true(size > 0);
  return (size_t)size;
}

/* More connections from three addresses than there are places, all held open. */
static void flood(fixture *f, bool hello) {
  enum { count = 500 };
  int fds[count];
  uint8_t bytes[2048];
  size_t size = client_hello(bytes, sizeof bytes);
  for (unsigned i = 0; i < count; i++) {
    fds[i] = dial_from(f->address, 2 + i % 3);
    if (hello) (void)!send(fds[i], bytes, size, MSG_NOSIGNAL);
  }
  assert_true(rogue_logged(&f->log, "too many connections that did not greet")); /* 384 have places */
  for (int i = 0; i < count; i++) close(fds[i]);
}

/* Goes on with a handshake that waits for the other side's answer. */
static void the_partner_is_let_in(fixture *f, int fd) {
  const char *folder = rogue_folder("partner");
  SSL *ssl = rogue_tls(fd, folder, folder, TLS1_3_VERSION);
  assert_non_null(ssl);
  rogue_greet(ssl);
  assert_true(rogue_logged(&f->log, "connected (127.0.0.1"));
  rogue_close(ssl);
}

static void a_slow_partner_outlives_a_flood_of_silence(void **state) {
  fixture *f = *state;
  int fd = dial_from(f->address, 1);
  flood(f, false);
  the_partner_is_let_in(f, fd);
}

static void a_slow_partner_outlives_a_flood_of_first_flights(void **state) {
  fixture *f = *state;
  int fd = dial_from(f->address, 1);
  flood(f, true);
  the_partner_is_let_in(f, fd);
}

/* The partner's first flight is there, its second comes after the flood. */
static void a_handshake_outlives_a_flood_of_handshakes(void **state) {
  fixture *f = *state;
  const char *folder = rogue_folder("partner");
  int fd = dial_from(f->address, 1);
  SSL *ssl = rogue_client(fd, folder, folder, TLS1_3_VERSION);
  BIO *answers = SSL_get_rbio(ssl), *nothing = BIO_new(BIO_s_mem());
  BIO_set_mem_eof_return(nothing, -1);
  BIO_up_ref(answers);
  SSL_set0_rbio(ssl, nothing);
  assert_int_equal(SSL_get_error(ssl, SSL_connect(ssl)), SSL_ERROR_WANT_READ);
  flood(f, true);
  SSL_set0_rbio(ssl, answers);
  assert_int_equal(SSL_connect(ssl), 1);
  rogue_greet(ssl);
  assert_true(rogue_logged(&f->log, "connected (127.0.0.1"));
  rogue_close(ssl);
}

static size_t waiting_cost(fixture *f) {
  pthread_mutex_lock(&f->wire->session.lock);
  size_t cost = f->wire->session.in.cost;
  pthread_mutex_unlock(&f->wire->session.lock);
  return cost;
}

/* Headers of payloads without rows, as fast as they go, without regard to Acks. */
static void flood_frames(SSL *ssl) {
  enum { frames = 400000, at_once = 64 };
  static uint8_t heads[at_once * 64], head[SOTTO_I_PREFIX + SOTTO_I_MOST_BODY];
  for (uint64_t number = 1; number <= frames && SSL_get_shutdown(ssl) == 0;) {
    size_t size = 0;
    for (int i = 0; i < at_once; i++) {
      const sotto_i_frame frame = {
          .kind = SOTTO_I_FRAME_PAYLOAD, .number = number++, .header = {.name = "x", .rows = 0, .cols = 4}};
      size_t length = sotto_i_frame_encode(head, &frame, 0);
      memcpy(heads + size, head, length);
      size += length;
    }
    rogue_send(ssl, heads, size);
  }
}

static void the_window_is_full(fixture *f) {
  assert_true(rogue_logged(&f->log, "more than the window of 8388608 bytes allows"));
  assert_in_range(waiting_cost(f), SOTTO_I_WINDOW / 2, SOTTO_I_WINDOW);
}

static void frames_without_bytes_fill_the_window_and_no_more(void **state) {
  fixture *f = *state;
  SSL *ssl = rogue_partner(f->address);
  flood_frames(ssl);
  the_window_is_full(f);
  rogue_close(ssl);
}

typedef struct sender {
  sotto_wire *wire;
  sotto_matrix x;
  sotto_status status;
} sender;

static void *send_much(void *context) {
  sender *s = context;
  sotto_link *link;
  sotto_progress common;
  CHECK_OK(sotto_wire_meet(s->wire, &common, &err));
  CHECK_OK(sotto_wire_link(s->wire, &link, &err));
  s->status = sotto_link_send_public(link, "x", &s->x, NULL);
  sotto_link_free(link);
  return NULL;
}

/* The method sends 32 MB to a peer that reads none of it, and floods. The first test here: what peaks before
 * it would hide what it takes. */
static void memory_stays_within_what_is_promised(void **state) {
  fixture *f = *state;
  pthread_t thread;
  sender s = {.wire = f->wire};
  CHECK_OK(sotto_matrix_new(&s.x, 8192, 1024, &err));
  for (size_t i = 0; i < s.x.rows * s.x.cols; i++) s.x.data[i] = 1;
  SSL *ssl = rogue_partner(f->address);
  uint64_t before = sotto_i_peak_rss();
  assert_int_equal(pthread_create(&thread, NULL, send_much, &s), 0);
  flood_frames(ssl);
  the_window_is_full(f);
  uint64_t more = sotto_i_peak_rss() - before;
  (void)printf("%.1f MB above idle\n", (double)more / 1e6);
  if (counts_memory != 0) assert_true(more < (32U << 20));
  sotto_i_session_fail(&f->wire->session, SOTTO_PROTOCOL, "the test is over");
  pthread_join(thread, NULL);
  assert_int_equal(s.status, SOTTO_PROTOCOL);
  sotto_matrix_free(&s.x);
  rogue_close(ssl);
}

/* It only asks, 130 times. */
static void a_peer_that_asks_for_ever_does_not_fill_the_log(void **state) {
  fixture *f = *state;
  const char *folder = rogue_folder("partner"), *words = "asked whether all is ready";
  char terms[] = "epsilon: 4\nhidden: 16\n";
  sotto_i_frame hello = {.kind = SOTTO_I_FRAME_HELLO};
  hello.hello = (sotto_i_hello){
      .protocol = SOTTO_I_PROTOCOL, .role = "label", .self = {7}, .terms = terms, .check = true};
  for (int i = 0; i < 130; i++) {
    SSL *ssl = rogue_tls(rogue_dial(f->address), folder, folder, TLS1_3_VERSION);
    assert_non_null(ssl);
    rogue_send_frame(ssl, &hello, NULL, 0);
    assert_true(rogue_hung_up(ssl));
    rogue_close(ssl);
  }
  int lines = 0;
  pthread_mutex_lock(&f->log.lock);
  for (const char *at = strstr(f->log.text, words); at != NULL; at = strstr(at + 1, words)) lines++;
  pthread_mutex_unlock(&f->log.lock);
  assert_int_equal(lines, 100);
}

#define WITH_WIRE(test) cmocka_unit_test_setup_teardown(test, open_wire, close_wire)

int main(void) {
  (void)signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      WITH_WIRE(memory_stays_within_what_is_promised),
      WITH_WIRE(a_slow_partner_outlives_a_flood_of_silence),
      WITH_WIRE(a_slow_partner_outlives_a_flood_of_first_flights),
      WITH_WIRE(a_handshake_outlives_a_flood_of_handshakes),
      WITH_WIRE(frames_without_bytes_fill_the_window_and_no_more),
      WITH_WIRE(a_peer_that_asks_for_ever_does_not_fill_the_log),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
