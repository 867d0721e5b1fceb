/* Two parties over TLS: what is sent arrives, whatever happens to the connection, and the two must mean the
 * same run. Each test has both ends in this process, one in a thread. */
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "await.h"
#include "inside/party.h"
#include "loopback.h"
#include "rogue.h"
#include "small_graph.h"

enum { rows = 5000, cols = 257, rounds = 4 }; /* 5 MB each way */

typedef struct side {
  sotto_wire_options options;
  sotto_matrix *x, got;
  sotto_progress common;
  unsigned pause, stay; /* microseconds before the second round, and after the last word */
  sotto_traffic traffic;
  uint32_t words[2];
  sotto_status status;
  sotto_error error;
} side;

/* Bits that are no finite floats. */
static const uint32_t sent_words[2] = {0x7F800001U, 0xFFFFFFFFU};

static sotto_status talk_words(side *s, sotto_link *link, sotto_error *err) {
  sotto_status status;
  const sotto_words none = {"none", SOTTO_WIRE_SEALED, NULL, NULL, 0, 8},
                    words = {"words", SOTTO_WIRE_SHARE, NULL, sent_words, 1, 2};
  const sotto_expectation no = {"none", SOTTO_WIRE_SEALED, 0, 8, 0},
                          some = {"words", SOTTO_WIRE_SHARE, 1, 2, 0};
  SOTTO_TRY(sotto_link_send_words(link, &none, err));
  SOTTO_TRY(sotto_link_send_words(link, &words, err));
  SOTTO_TRY(sotto_link_receive_words(link, NULL, &no, err));
  SOTTO_TRY(sotto_link_receive_words(link, s->words, &some, err));
done:
  return status;
}

static sotto_status talk(side *s, sotto_error *err) {
  sotto_status status;
  sotto_wire *wire = NULL;
  sotto_link *link = NULL;
  const sotto_expectation expected = {"x", SOTTO_WIRE_PUBLIC, rows, cols, 0};
  SOTTO_TRY(sotto_wire_open(&wire, &s->options, err));
  SOTTO_TRY(sotto_wire_meet(wire, &s->common, err));
  SOTTO_TRY(sotto_wire_link(wire, &link, err));
  for (int i = 0; i < rounds; i++) { /* both speak at once, as no protocol would */
    if (i == 1) check_moment(s->pause / 1e6);
    SOTTO_TRY(sotto_link_send_public(link, "x", s->x, err));
    SOTTO_TRY(sotto_link_receive(link, &s->got, &expected, err));
  }
  SOTTO_TRY(talk_words(s, link, err));
  s->traffic = sotto_link_traffic(link);
  SOTTO_TRY(sotto_wire_finish(wire, err));
  if (s->stay > 0) check_moment(s->stay / 1e6);
done:
  sotto_link_free(link);
  sotto_wire_free(wire);
  return status;
}

static void *partner_main(void *context) {
  side *s = context;
  s->status = talk(s, &s->error);
  return NULL;
}

/* Both sides at once. */
static void talk_both(side *bank, side *partner) {
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, partner_main, partner), 0);
  bank->status = talk(bank, &bank->error);
  pthread_join(thread, NULL);
}

/* Cuts connections that pass through it: a proxy that carries `most` bytes at a time, `cuts` times. */
typedef struct proxy {
  int listener;
  char to[32], address[32];
  size_t most;
  int cuts;
} proxy;

/* Carries bytes until one side ends or the allowance is used up. */
static void carry(const proxy *p, int a, int b, bool cut) {
  struct pollfd ends[2] = {{.fd = a, .events = POLLIN}, {.fd = b, .events = POLLIN}};
  static char bytes[65536];
  size_t carried = 0;
  while (poll(ends, 2, 3000) > 0 && (!cut || carried < p->most))
    for (int i = 0; i < 2; i++) {
      if (ends[i].revents == 0) continue;
      ssize_t got = recv(ends[i].fd, bytes, sizeof bytes, 0);
      if (got <= 0) return;
      for (ssize_t at = 0, sent; at < got; at += sent)
        if ((sent = send(ends[1 - i].fd, bytes + at, (size_t)(got - at), MSG_NOSIGNAL)) <= 0) return;
      carried += (size_t)got;
    }
}

/* Until nobody listens; a connection counts once the other end is there. */
static void *proxy_main(void *context) {
  proxy *p = context;
  int carried = 0, a;
  while ((a = accept(p->listener, NULL, NULL)) >= 0) {
    const int b = rogue_dial(p->to);
    if (b >= 0) {
      carry(p, a, b, carried++ < p->cuts);
      close(b);
    }
    close(a);
  }
  return NULL;
}

static void check_both(const side *bank, const side *partner) {
  if (bank->status != SOTTO_OK || partner->status != SOTTO_OK)
    fail_msg("bank: %s; partner: %s", bank->error.text, partner->error.text);
  assert_memory_equal(bank->got.data, partner->x->data, rows * cols * sizeof(float));
  assert_memory_equal(partner->got.data, bank->x->data, rows * cols * sizeof(float));
  assert_memory_equal(bank->words, sent_words, sizeof sent_words);
  assert_memory_equal(partner->words, sent_words, sizeof sent_words);
  assert_int_equal(bank->traffic.sent[SOTTO_WIRE_SHARE], sizeof sent_words);
  assert_int_equal(bank->traffic.sent[SOTTO_WIRE_PUBLIC], rounds * rows * cols * sizeof(float));
  assert_int_equal(partner->traffic.received[SOTTO_WIRE_PUBLIC], rounds * rows * cols * sizeof(float));
}

static void fill(side *s, sotto_matrix *x, const sotto_wire_options *options) {
  *s = (side){.options = *options, .x = x};
  CHECK_OK(sotto_matrix_new(&s->got, rows, cols, &err));
}

static void run_both(size_t most, int cuts, rogue_log *log, bool insecure) {
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, rows, cols), y = check_random_matrix(&random, rows, cols);
  side bank, partner;
  pthread_t carrier;
  proxy p = {.most = most, .cuts = cuts};
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof name;
  const sotto_observer observer = rogue_observer(log);
  check_loopback(p.to);
  p.listener = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(bind(p.listener, (struct sockaddr *)&name, sizeof name), 0);
  assert_int_equal(listen(p.listener, 8), 0);
  assert_int_equal(getsockname(p.listener, (struct sockaddr *)&name, &size), 0);
  (void)snprintf(p.address, sizeof p.address, "127.0.0.1:%u", ntohs(name.sin_port));
  sotto_wire_options a = rogue_options(true, p.to, &observer);
  sotto_wire_options b = rogue_options(false, cuts > 0 ? p.address : p.to, NULL);
  a.insecure_loopback = b.insecure_loopback = insecure;
  a.progress = (sotto_progress){2, 1};
  b.progress = (sotto_progress){1, 2};
  fill(&bank, &x, &a);
  fill(&partner, &y, &b);
  if (cuts > 0) assert_int_equal(pthread_create(&carrier, NULL, proxy_main, &p), 0);
  talk_both(&bank, &partner);
  if (cuts > 0) {
    shutdown(p.listener, SHUT_RDWR);
    pthread_join(carrier, NULL);
  }
  close(p.listener);
  check_both(&bank, &partner);
  assert_int_equal(bank.common.seed, 1);
  assert_int_equal(bank.common.stage, 2);
  assert_int_equal(partner.common.seed, 1);
  sotto_matrix_free(&x);
  sotto_matrix_free(&y);
  sotto_matrix_free(&bank.got);
  sotto_matrix_free(&partner.got);
}

static void what_is_sent_arrives(void **state) {
  rogue_log log;
  (void)state;
  run_both(0, 0, &log, false);
}

static void without_tls_too_on_loopback(void **state) {
  rogue_log log;
  (void)state;
  run_both(0, 0, &log, true);
}

static void broken_connections_are_not_noticed(void **state) {
  rogue_log log;
  (void)state;
  run_both(3 << 20, 5, &log, false);
  assert_true(rogue_logged(&log, "connected again"));
}

/* A protocol that computes for longer than the idle limit: the wires' threads keep the connection. */
static void a_silent_protocol_keeps_its_connection(void **state) {
  rogue_log log;
  side bank, partner;
  char address[32];
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, rows, cols);
  const sotto_observer observer = rogue_observer(&log);
  (void)state;
  check_loopback(address);
  sotto_wire_options a = rogue_options(true, address, &observer),
                     b = rogue_options(false, address, &observer);
  a.idle_limit = b.idle_limit = 1.5;
  fill(&bank, &x, &a);
  fill(&partner, &x, &b);
  partner.pause = 2200000;
  talk_both(&bank, &partner);
  check_both(&bank, &partner);
  if (strstr(log.text, "broke") != NULL) fail_msg("%s", log.text);
  sotto_matrix_free(&x);
  sotto_matrix_free(&bank.got);
  sotto_matrix_free(&partner.got);
}

/* The two say different things; both hear what it is. */
static void disagree(const char *words, const sotto_wire_options *a, const sotto_wire_options *b) {
  side bank, partner;
  sotto_matrix x = {0};
  fill(&bank, &x, a);
  fill(&partner, &x, b);
  talk_both(&bank, &partner);
  const side *const both[2] = {&bank, &partner};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(both[i]->status, SOTTO_PROTOCOL);
    if (strstr(both[i]->error.text, words) == NULL) fail_msg("'%s' lacks '%s'", both[i]->error.text, words);
  }
  sotto_matrix_free(&bank.got);
  sotto_matrix_free(&partner.got);
}

/* The peer has heard all and is gone: that it cannot be called again is no news. */
static void a_peer_that_is_done_is_not_missed(void **state) {
  rogue_log log;
  side bank, partner;
  char address[32];
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, rows, cols);
  const sotto_observer observer = rogue_observer(&log);
  (void)state;
  check_loopback(address);
  const sotto_wire_options a = rogue_options(true, address, NULL),
                           b = rogue_options(false, address, &observer);
  fill(&bank, &x, &a);
  fill(&partner, &x, &b);
  partner.stay = 400000;
  talk_both(&bank, &partner);
  check_both(&bank, &partner);
  const char *met = strstr(log.text, "connected"); /* before that the other end may not have listened yet */
  assert_non_null(met);
  assert_null(strstr(met, "could not be reached"));
  sotto_matrix_free(&x);
  sotto_matrix_free(&bank.got);
  sotto_matrix_free(&partner.got);
}

/* Sends until somebody stops it. */
static sotto_status speak_on(side *s, sotto_error *err) {
  sotto_status status;
  sotto_wire *wire = NULL;
  sotto_link *link = NULL;
  SOTTO_TRY(sotto_wire_open(&wire, &s->options, err));
  SOTTO_TRY(sotto_wire_meet(wire, &s->common, err));
  SOTTO_TRY(sotto_wire_link(wire, &link, err));
  while (status == SOTTO_OK) status = sotto_link_send_public(link, "x", s->x, err);
  sotto_wire_give_up(wire, status);
done:
  sotto_link_free(link);
  sotto_wire_free(wire);
  return status;
}

static void *speaker_main(void *context) {
  side *s = context;
  s->status = speak_on(s, &s->error);
  return NULL;
}

/* Takes some of it, and refuses the rest. */
static void refuse(side *s, int taken) {
  sotto_wire *wire;
  sotto_link *link;
  const sotto_expectation expected = {"x", SOTTO_WIRE_PUBLIC, rows, cols, 0};
  CHECK_OK(sotto_wire_open(&wire, &s->options, &err));
  CHECK_OK(sotto_wire_meet(wire, &s->common, &err));
  CHECK_OK(sotto_wire_link(wire, &link, &err));
  for (int i = 0; i < taken; i++) CHECK_OK(sotto_link_receive(link, &s->got, &expected, &err));
  sotto_wire_give_up(wire, SOTTO_RANGE);
  sotto_link_free(link);
  sotto_wire_free(wire);
}

/* Its bytes are unread then: a socket closed over them resets the connection, by which the reason may be
 * lost. The peer would wait for `grace`, and say that. */
static void a_peer_that_speaks_hears_why_it_is_refused(void **state) {
  enum { trials = 8 };
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, rows, cols);
  (void)state;
  for (int i = 0; i < trials; i++) {
    rogue_log logs[2];
    side bank, partner;
    char address[32];
    pthread_t thread;
    const sotto_observer own = rogue_observer(&logs[0]), theirs = rogue_observer(&logs[1]);
    check_loopback(address);
    sotto_wire_options a = rogue_options(true, address, &own), b = rogue_options(false, address, &theirs);
    a.insecure_loopback = b.insecure_loopback = i % 2 == 0;
    fill(&bank, &x, &a);
    fill(&partner, &x, &b);
    assert_int_equal(pthread_create(&thread, NULL, speaker_main, &partner), 0);
    refuse(&bank, i % 3);
    pthread_join(thread, NULL);
    if (strstr(partner.error.text, "bank gave the run up: it stopped") == NULL)
      fail_msg("trial %d: the partner says: %s", i, partner.error.text);
    if (strstr(logs[0].text, "broke") != NULL || strstr(logs[1].text, "broke") != NULL)
      fail_msg("trial %d: the connection broke: %s%s", i, logs[0].text, logs[1].text);
    sotto_matrix_free(&bank.got);
    sotto_matrix_free(&partner.got);
  }
  sotto_matrix_free(&x);
}

static void what_differs_is_named_on_both_sides(void **state) {
  static const struct {
    const char *terms, *words;
  } cases[] = {{"epsilon: 4\nhidden: 8\n", "'hidden' is"},
               {"epsilon: 4\n", "'hidden'"},
               {"epsilon: 4\nhidden: 16\nnew: 1\n", "'new'"},
               {"alpha: 1\nepsilon: 4\nhidden: 16\n", "'alpha'"}};
  char address[32];
  (void)state;
  check_loopback(address);
  const sotto_wire_options a = rogue_options(true, address, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sotto_wire_options b = rogue_options(false, address, NULL);
    b.terms = cases[i].terms;
    disagree(cases[i].words, &a, &b);
  }
  sotto_wire_options b = rogue_options(false, address, NULL);
  b.nodes[3] = 1;
  disagree("other nodes", &a, &b);
  b = rogue_options(false, address, NULL);
  b.role = "data";
  disagree("has the role 'data', and this side 'data'", &a, &b);
}

static void time_limits_are_named(void **state) {
  char address[32];
  sotto_wire *wire;
  sotto_progress common;
  (void)state;
  check_loopback(address);
  for (int listens = 0; listens < 2; listens++) {
    sotto_wire_options o = rogue_options(listens == 1, address, NULL);
    o.grace = 0.3;
    CHECK_OK(sotto_wire_open(&wire, &o, &err));
    CHECK_FAILS(SOTTO_PROTOCOL, "the limit 'grace' struck", sotto_wire_meet(wire, &common, &err));
    sotto_wire_free(wire);
  }
}

static void only_loopback_goes_without_tls(void **state) {
  sotto_wire *wire;
  sotto_wire_options o = rogue_options(false, "192.0.2.1:7443", NULL);
  (void)state;
  o.insecure_loopback = true;
  CHECK_FAILS(SOTTO_INVALID, "not a loopback", sotto_wire_open(&wire, &o, &err));
  o = rogue_options(true, "0.0.0.0:0", NULL);
  o.insecure_loopback = true;
  CHECK_FAILS(SOTTO_INVALID, "not a loopback", sotto_wire_open(&wire, &o, &err));
  o.address = "nowhere";
  CHECK_FAILS(SOTTO_INVALID, "is not an address", sotto_wire_open(&wire, &o, &err));
}

static void no_memory_is_an_error_and_leaks_nothing(void **state) {
  char address[32];
  sotto_wire *wire;
  (void)state;
  check_loopback(address);
  const sotto_wire_options o = rogue_options(true, address, NULL);
  for (uint64_t nth = 1;; nth++) {
    sotto_error err = {0};
    (void)sotto_i_memory_fail_at(nth);
    sotto_status status = sotto_wire_open(&wire, &o, &err);
    uint64_t made = sotto_i_memory_fail_at(0);
    if (status != SOTTO_OK && status != SOTTO_NOMEM)
      fail_msg("allocation %llu: %s", (unsigned long long)nth, err.text);
    if (status != SOTTO_OK) assert_null(wire);
    sotto_wire_free(wire);
    if (status == SOTTO_OK && made < nth) return;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_sent_arrives),
      cmocka_unit_test(without_tls_too_on_loopback),
      cmocka_unit_test(broken_connections_are_not_noticed),
      cmocka_unit_test(a_silent_protocol_keeps_its_connection),
      cmocka_unit_test(a_peer_that_is_done_is_not_missed),
      cmocka_unit_test(a_peer_that_speaks_hears_why_it_is_refused),
      cmocka_unit_test(what_differs_is_named_on_both_sides),
      cmocka_unit_test(time_limits_are_named),
      cmocka_unit_test(only_loopback_goes_without_tls),
      cmocka_unit_test(no_memory_is_an_error_and_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
