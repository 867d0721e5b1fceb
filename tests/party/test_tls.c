/* The key exchange of TLS: with ML-KEM between two that have it, by X25519 with a peer that does not. */
#include <string.h>

#include "check.h"
#include "party/wire/tls.h"

static int trust(X509_STORE_CTX *shown, void *context) {
  (void)context;
  X509_STORE_CTX_set_error(shown, X509_V_OK);
  return 1;
}

static SSL_CTX *context_of(const char *name) {
  SSL_CTX *context = NULL;
  const char *folder = check_path(name);
  CHECK_OK(sotto_identity_init(folder, name, 10, false, &err));
  CHECK_OK(sotto_i_tls_lobby(&context, folder, trust, NULL, &err));
  return context;
}

static bool has_group(const char *name) {
  SSL_CTX *context = SSL_CTX_new(TLS_method());
  assert_non_null(context);
  const bool has = SSL_CTX_set1_groups_list(context, name) == 1;
  SSL_CTX_free(context);
  return has;
}

/* The group that two sides agree on, in at most two flights each; NULL: on none. */
static const char *agreed(SSL_CTX *client, SSL_CTX *server) {
  static char name[40];
  BIO *near = NULL, *far = NULL;
  SSL *asks = SSL_new(client), *answers = SSL_new(server);
  assert_true(asks != NULL && answers != NULL && BIO_new_bio_pair(&near, 0, &far, 0) == 1);
  SSL_set_bio(asks, near, near);
  SSL_set_bio(answers, far, far);
  SSL_set_connect_state(asks);
  SSL_set_accept_state(answers);
  for (int flight = 0; flight < 2; flight++) {
    (void)SSL_do_handshake(asks);
    (void)SSL_do_handshake(answers);
  }
  const bool done = SSL_is_init_finished(asks) && SSL_is_init_finished(answers);
  if (done)
    (void)snprintf(name, sizeof name, "%s", SSL_group_to_name(asks, (int)SSL_get_negotiated_group(asks)));
  SSL_free(asks);
  SSL_free(answers);
  return done ? name : NULL;
}

static void two_take_ml_kem_where_both_have_it(void **state) {
  (void)state;
  SSL_CTX *bank = context_of("bank"), *partner = context_of("partner");
  const char *best = has_group("X25519MLKEM768") ? "X25519MLKEM768" : "x25519";
  assert_string_equal(agreed(bank, partner), best);
  assert_string_equal(agreed(partner, bank), best);
  print_message("the key exchange is %s\n", best);
  SSL_CTX_free(bank);
  SSL_CTX_free(partner);
}

static void a_peer_without_ml_kem_takes_x25519_at_once(void **state) {
  (void)state;
  SSL_CTX *bank = context_of("one"), *older = context_of("older");
  assert_int_equal(SSL_CTX_set1_groups_list(older, "X25519:P-256"), 1);
  assert_string_equal(agreed(bank, older), "x25519");
  assert_string_equal(agreed(older, bank), "x25519");
  SSL_CTX_free(bank);
  SSL_CTX_free(older);
}

static void other_groups_are_not_taken(void **state) {
  (void)state;
  SSL_CTX *bank = context_of("two"), *other = context_of("other");
  assert_int_equal(SSL_CTX_set1_groups_list(other, "P-256:P-384"), 1);
  assert_null(agreed(bank, other));
  assert_null(agreed(other, bank));
  SSL_CTX_free(bank);
  SSL_CTX_free(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_take_ml_kem_where_both_have_it),
      cmocka_unit_test(a_peer_without_ml_kem_takes_x25519_at_once),
      cmocka_unit_test(other_groups_are_not_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
