/* What comes to a listening party that should not: each is refused and named in the log, and the true partner
 * is still served. */
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "await.h"
#include "inside/party.h"
#include "rogue.h"

static void *serve_partner(void *address) {
  const sotto_wire_options options = rogue_options(false, address, NULL);
  sotto_wire *wire;
  sotto_progress common;
  CHECK_OK(sotto_wire_open(&wire, &options, &err));
  CHECK_OK(sotto_wire_meet(wire, &common, &err));
  CHECK_OK(sotto_wire_finish(wire, &err));
  sotto_wire_free(wire);
  return NULL;
}

static uint64_t sessions(rogue_listener *f) {
  pthread_mutex_lock(&f->wire->session.lock);
  uint64_t begun = f->wire->session.generation;
  pthread_mutex_unlock(&f->wire->session.lock);
  return begun;
}

typedef struct has_met {
  rogue_listener *f;
  uint64_t before; /* sessions */
} has_met;

static bool is_met(void *context) {
  const has_met *met = context;
  return sessions(met->f) != met->before;
}

/* The run goes on: the true partner comes, and both finish. A peer with the right key may have had a session
 * before. */
static void the_partner_is_served(rogue_listener *f) {
  pthread_t thread;
  sotto_progress common;
  uint64_t before = sessions(f);
  assert_int_equal(pthread_create(&thread, NULL, serve_partner, f->address), 0);
  has_met met = {f, before};
  check_await("the partner does not come", is_met, &met);
  CHECK_OK(sotto_wire_meet(f->wire, &common, &err));
  CHECK_OK(sotto_wire_finish(f->wire, &err));
  pthread_join(thread, NULL);
}

/* TLS 1.3 lets a client believe that it is in before the server has judged its certificate. */
static void knock(rogue_listener *f, const char *key, const char *certificate, int highest,
                  const char *words) {
  SSL *ssl = rogue_tls(rogue_dial(f->address), key, certificate, highest);
  if (ssl != NULL) {
    assert_true(rogue_hung_up(ssl));
    rogue_close(ssl);
  }
  assert_true(rogue_logged(&f->log, words));
}

static void who_is_not_trusted_is_refused(void **state) {
  rogue_listener *f = *state;
  const char *stranger = rogue_folder("stranger");
  knock(f, stranger, stranger, TLS1_3_VERSION, "its certificate is refused: certificate not trusted");
  the_partner_is_served(f);
}

static void who_shows_no_certificate_is_refused(void **state) {
  rogue_listener *f = *state;
  knock(f, NULL, NULL, TLS1_3_VERSION, "peer did not return a certificate");
  the_partner_is_served(f);
}

static void an_older_tls_is_refused(void **state) {
  rogue_listener *f = *state;
  const char *partner = rogue_folder("partner");
  knock(f, partner, partner, TLS1_2_VERSION, "unsupported protocol");
  the_partner_is_served(f);
}

/* Trusted under the name of another party, as an attacker would who may write trust/NAME.crt but not the name
 * in the certificate. */
static void another_name_is_refused(void **state) {
  rogue_listener *f = *state;
  char from[600], to[600], name[64];
  (void)snprintf(from, sizeof from, "%s/own.crt", rogue_folder("stranger"));
  (void)snprintf(to, sizeof to, "%s/trust/partner.crt", rogue_folder("bank"));
  CHECK_FAILS(SOTTO_INVALID, "is the certificate of 'stranger'",
              sotto_identity_trust(name, rogue_folder("bank"), from, "partner", false, &err));
  sotto_wire_free(f->wire);
  (void)rename(to, check_path("kept.crt"));
  CHECK_OK(sotto_identity_trust(name, rogue_folder("bank"), from, NULL, false, &err));
  char stored[600];
  (void)snprintf(stored, sizeof stored, "%s/trust/stranger.crt", rogue_folder("bank"));
  assert_int_equal(rename(stored, to), 0);
  f->wire = rogue_listen(&f->log, f->address);
  knock(f, rogue_folder("stranger"), rogue_folder("stranger"), TLS1_3_VERSION,
        "its certificate is refused: hostname mismatch");
  sotto_wire_free(f->wire);
  assert_int_equal(rename(check_path("kept.crt"), to), 0);
  f->wire = rogue_listen(&f->log, f->address);
  the_partner_is_served(f);
}

static void garbage_is_refused(void **state) {
  rogue_listener *f = *state;
  sotto_i_random random = check_random();
  uint8_t bytes[3000];
  for (int i = 0; i < 20; i++) {
    int fd = rogue_dial(f->address);
    sotto_i_random_bytes(&random, bytes, sizeof bytes);
    (void)!write(fd, bytes, sizeof bytes);
    close(fd);
  }
  assert_true(rogue_logged(&f->log, "refused a connection from 127.0.0.1"));
  the_partner_is_served(f);
}

static void idle_connections_make_room(void **state) {
  rogue_listener *f = *state;
  int fds[300];
  for (int i = 0; i < 300; i++) fds[i] = rogue_dial(f->address);
  assert_true(rogue_logged(&f->log, "too many connections that did not greet"));
  the_partner_is_served(f);
  for (int i = 0; i < 300; i++) close(fds[i]);
}

static void one_byte_at_a_time_meets_the_limit(void **state) {
  rogue_listener *f = *state;
  static const uint8_t beginning[25] = {0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3}; /* of a ClientHello */
  int fd = rogue_dial(f->address);
  for (int i = 0; i < 25; i++) { /* connect_limit is 2 s */
    (void)!send(fd, &beginning[i], 1, MSG_NOSIGNAL);
    check_moment(0.1);
  }
  close(fd);
  assert_true(rogue_logged(&f->log, "the limit of an attempt struck"));
  the_partner_is_served(f);
}

/* A partner that is the true one by its key, and sends what it should not. */
typedef struct bad_frames {
  const char *words;
  uint32_t prefix[2];  /* sent as it is when not zero, with ten bytes after it */
  uint64_t numbers[2]; /* of two payloads without bytes */
  bool chunk;          /* a chunk that no payload announced */
  bool greeting;       /* a second Hello */
} bad_frames;

static void misbehave(SSL *ssl, const bad_frames *bad) {
  uint8_t bulk[10] = {0};
  sotto_i_frame frame = {.kind = SOTTO_I_FRAME_PAYLOAD, .header = {.name = "x", .rows = 0, .cols = 4}};
  if (bad->prefix[0] != 0) {
    rogue_send(ssl, bad->prefix, sizeof bad->prefix);
    rogue_send(ssl, bulk, sizeof bulk);
  }
  for (int i = 0; i < 2 && bad->numbers[i] != 0; i++) {
    frame.number = bad->numbers[i];
    rogue_send_frame(ssl, &frame, NULL, 0);
  }
  frame.number = 1;
  frame.kind = SOTTO_I_FRAME_CHUNK;
  if (bad->chunk) rogue_send_frame(ssl, &frame, bulk, sizeof bulk);
  char terms[] = "x: 1\n";
  frame = (sotto_i_frame){.kind = SOTTO_I_FRAME_HELLO, .hello = {.role = "label", .terms = terms}};
  if (bad->greeting) rogue_send_frame(ssl, &frame, NULL, 0);
}

static void frames_out_of_order_are_refused(void **state) {
  static const bad_frames cases[] = {{.words = "claims a body of 32769 bytes", .prefix = {32769, 0}},
                                     {.words = "claims a bulk of 262145 bytes", .prefix = {10, 262145}},
                                     {.words = "is not part of this protocol", .prefix = {10, 0}},
                                     {.words = "frame 2 came after frame 0", .numbers = {2, 0}},
                                     {.words = "frame 1 came after frame 1", .numbers = {1, 1}},
                                     {.words = "frame 3 came after frame 1", .numbers = {1, 3}},
                                     {.words = "has 10 bytes where 0 of the payload", .chunk = true},
                                     {.words = "a Hello may not come after the greeting", .greeting = true}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    void *own;
    rogue_open_listener(&own);
    rogue_listener *f = own;
    SSL *ssl = rogue_partner(f->address);
    misbehave(ssl, &cases[i]);
    assert_true(rogue_hung_up(ssl));
    rogue_close(ssl);
    assert_true(rogue_logged(&f->log, cases[i].words));
    the_partner_is_served(f);
    rogue_close_listener(&own);
  }
}

static void the_third_broken_frame_ends_the_run(void **state) {
  rogue_listener *f = *state;
  sotto_progress common;
  const bad_frames bad = {.greeting = true};
  for (int i = 0; i < 3; i++) {
    SSL *ssl = rogue_partner(f->address);
    misbehave(ssl, &bad);
    assert_true(rogue_hung_up(ssl));
    rogue_close(ssl);
  }
  assert_true(rogue_logged(&f->log, "a Hello may not come after the greeting"));
  CHECK_FAILS(SOTTO_PROTOCOL, "broke the protocol 3 times", sotto_wire_meet(f->wire, &common, &err));
}

static void a_frame_cut_short_meets_the_limit(void **state) {
  rogue_listener *f = *state;
  SSL *ssl = rogue_partner(f->address);
  const uint32_t prefix[2] = {1000, 0};
  rogue_send(ssl, prefix, sizeof prefix);
  for (int i = 0; i < 35; i++) { /* idle_limit is 3 s, and bytes alone are no frame */
    rogue_send(ssl, "x", 1);
    check_moment(0.1);
  }
  assert_true(rogue_logged(&f->log, "the limit 'idle-limit' struck"));
  rogue_close(ssl);
  the_partner_is_served(f);
}

static void a_second_start_of_the_partner_waits(void **state) {
  rogue_listener *f = *state;
  SSL *ssl = rogue_partner(f->address);
  sotto_wire_options options = rogue_options(false, f->address, NULL);
  sotto_wire *wire;
  sotto_progress common;
  options.grace = 0.5;
  CHECK_OK(sotto_wire_open(&wire, &options, &err));
  CHECK_FAILS(SOTTO_PROTOCOL, "is it running twice?", sotto_wire_meet(wire, &common, &err));
  sotto_wire_free(wire);
  rogue_close(ssl);
  the_partner_is_served(f);
}

static void who_has_expired_is_refused(void **state) {
  rogue_listener *f = *state;
  char path[600], name[64];
  rogue_expire(rogue_folder("partner")); /* the last test: the partner is lost to this process */
  knock(f, rogue_folder("partner"), rogue_folder("partner"), TLS1_3_VERSION,
        "its certificate is refused: certificate has expired, as this machine's clock says 20");
  (void)snprintf(path, sizeof path, "%s/own.crt", rogue_folder("partner"));
  CHECK_FAILS(SOTTO_INVALID, "has expired",
              sotto_identity_trust(name, rogue_folder("bank"), path, NULL, false, &err));
  sotto_identity_info info;
  CHECK_FAILS(SOTTO_INVALID, "has expired", sotto_identity_check(&info, rogue_folder("partner"), &err));
}

#define WITH_WIRE(test) cmocka_unit_test_setup_teardown(test, rogue_open_listener, rogue_close_listener)

int main(void) {
  (void)signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      WITH_WIRE(who_is_not_trusted_is_refused),
      WITH_WIRE(who_shows_no_certificate_is_refused),
      WITH_WIRE(an_older_tls_is_refused),
      WITH_WIRE(another_name_is_refused),
      WITH_WIRE(garbage_is_refused),
      WITH_WIRE(idle_connections_make_room),
      WITH_WIRE(one_byte_at_a_time_meets_the_limit),
      cmocka_unit_test(frames_out_of_order_are_refused),
      WITH_WIRE(the_third_broken_frame_ends_the_run),
      WITH_WIRE(a_frame_cut_short_meets_the_limit),
      WITH_WIRE(a_second_start_of_the_partner_waits),
      WITH_WIRE(who_has_expired_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
