/* Certificates over the years, as a listening party meets them: renewed, revoked, about to end. */
#include <signal.h>
#include <unistd.h>

#include "rogue.h"

static void a_certificate_that_ends_soon_is_warned_of(void **state) {
  rogue_listener *f = *state;
  assert_true(rogue_logged(&f->log, "the certificate of 'bank' ends in")); /* they hold for ten days */
  assert_true(rogue_logged(&f->log, "the certificate of 'partner' ends in"));
  assert_true(rogue_logged(&f->log, "have its owner renew it with `sotto identity renew`"));
}

static void a_renewed_certificate_is_taken_and_kept(void **state) {
  rogue_listener *f = *state;
  sotto_identity_info before, after;
  CHECK_OK(sotto_identity_check_peer(&before, rogue_folder("bank"), "partner", &err));
  CHECK_OK(sotto_identity_renew(rogue_folder("partner"), 400, false, &err));
  rogue_close(rogue_partner(f->address));
  assert_true(rogue_logged(&f->log, "has a new certificate under the same key, until"));
  CHECK_OK(sotto_identity_check_peer(&after, rogue_folder("bank"), "partner", &err));
  assert_in_range(after.days, before.days + 389, before.days + 391);
  assert_string_equal(after.fingerprint, before.fingerprint);
}

/* The last one: the partner is lost to this process. */
static void a_key_that_is_revoked_meanwhile_is_refused(void **state) {
  rogue_listener *f = *state;
  sotto_identity_info info;
  const char *partner = rogue_folder("partner");
  CHECK_OK(sotto_identity_revoke(&info, rogue_folder("bank"), "partner", NULL, &err));
  SSL *ssl = rogue_tls(rogue_dial(f->address), partner, partner, TLS1_3_VERSION);
  if (ssl != NULL) {
    assert_true(rogue_hung_up(ssl));
    rogue_close(ssl);
  }
  assert_true(rogue_logged(&f->log, "its certificate is refused: certificate revoked"));
}

#define WITH_WIRE(test) cmocka_unit_test_setup_teardown(test, rogue_open_listener, rogue_close_listener)

int main(void) {
  (void)signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      WITH_WIRE(a_certificate_that_ends_soon_is_warned_of),
      WITH_WIRE(a_renewed_certificate_is_taken_and_kept),
      WITH_WIRE(a_key_that_is_revoked_meanwhile_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
