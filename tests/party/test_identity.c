/* Keys, certificates and trust as files: whose a certificate is, what may stand in for it later, and who else
 * may touch the files. */
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "party/identity/identity.h"

/* A folder of its own for each test. */
static const char *folder_of(const char *test, const char *party) {
  static char paths[4][600];
  static unsigned next;
  char *path = paths[next++ % 4];
  (void)snprintf(path, sizeof paths[0], "%s/%s-%s", check_folder(), test, party);
  return path;
}

static const char *own_of(const char *folder) {
  static char paths[4][700];
  static unsigned next;
  char *path = paths[next++ % 4];
  (void)snprintf(path, sizeof paths[0], "%s/own.crt", folder);
  return path;
}

/* Two parties of a test; the first trusts the second. */
static void two(const char *test, char bank[600], char partner[600]) {
  char name[64];
  (void)snprintf(bank, 600, "%s", folder_of(test, "bank"));
  (void)snprintf(partner, 600, "%s", folder_of(test, "partner"));
  CHECK_OK(sotto_identity_init(bank, "bank", 365, false, &err));
  CHECK_OK(sotto_identity_init(partner, "partner", 365, false, &err));
  CHECK_OK(sotto_identity_trust(name, bank, own_of(partner), NULL, false, &err));
  assert_string_equal(name, "partner");
}

typedef struct made {
  const char *san;  /* DNS name, or NULL: none */
  size_t length;    /* of the name; 0: strlen */
  bool authority;   /* may sign */
  EVP_PKEY *issuer; /* NULL: itself */
  X509 *issued_by;  /* its certificate */
} made;

static X509 *make(EVP_PKEY *key, const made *m) {
  X509 *certificate = X509_new();
  X509V3_CTX context;
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 7);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             (const unsigned char *)(m->authority ? "authority" : "somebody"), -1, -1, 0);
  X509_set_issuer_name(certificate, X509_get_subject_name(m->issued_by == NULL ? certificate : m->issued_by));
  X509V3_set_ctx(&context, m->issued_by == NULL ? certificate : m->issued_by, certificate, NULL, NULL, 0);
  X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &context, NID_basic_constraints,
                                          m->authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  X509_add_ext(certificate, e, -1);
  X509_EXTENSION_free(e);
  if (m->san != NULL) {
    GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_IA5STRING *text = ASN1_IA5STRING_new();
    ASN1_STRING_set(text, m->san, m->length > 0 ? (int)m->length : (int)strlen(m->san));
    GENERAL_NAME_set0_value(name, GEN_DNS, text);
    sk_GENERAL_NAME_push(names, name);
    X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0, 0);
    GENERAL_NAMES_free(names);
  }
  assert_true(X509_sign(certificate, m->issuer == NULL ? key : m->issuer, NULL) > 0);
  return certificate;
}

static const char *write_certificate(X509 *certificate, const char *name) {
  const char *path = check_path(name);
  FILE *stream = fopen(path, "w");
  assert_int_equal(PEM_write_X509(stream, certificate), 1);
  (void)fclose(stream);
  return path;
}

/* As OpenSSL asks in a handshake. */
static int judge(const char *folder, const char *peer, X509 *certificate) {
  sotto_i_trusted *trusted;
  X509_STORE_CTX *shown = X509_STORE_CTX_new();
  CHECK_OK(sotto_i_trusted_open(&trusted, folder, peer, &err));
  assert_int_equal(X509_STORE_CTX_init(shown, NULL, certificate, NULL), 1);
  int verified = sotto_i_trusted_judge(trusted, shown, true);
  X509_STORE_CTX_free(shown);
  sotto_i_trusted_free(trusted);
  return verified;
}

static X509 *own_certificate(const char *folder) {
  X509 *certificate;
  CHECK_OK(sotto_i_certificate_read(&certificate, own_of(folder), &err));
  return certificate;
}

static int judge_own(const char *folder, const char *peer_folder) {
  X509 *certificate = own_certificate(peer_folder);
  int verified = judge(folder, "partner", certificate);
  X509_free(certificate);
  return verified;
}

static void a_name_that_cannot_be_one_is_refused_and_never_used(void **state) {
  (void)state;
  char long64[65], long300[301];
  memset(long64, 'a', 64);
  memset(long300, 'b', 300);
  long64[64] = long300[300] = '\0';
  const made cases[] = {{.san = long64},    {.san = long300}, {.san = "a/../b"},
                        {.san = ".hidden"}, {.san = ""},      {.san = "bank\0evil", .length = 9},
                        {.san = NULL},      {.san = "a b"}};
  const char *folder = folder_of("names", "bank");
  CHECK_OK(sotto_identity_init(folder, "bank", 365, false, &err));
  EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    X509 *certificate = make(key, &cases[i]);
    const char *path = write_certificate(certificate, "named.crt");
    char name[64];
    memset(name, 'x', sizeof name);
    CHECK_FAILS(SOTTO_INVALID, "one DNS name in its subjectAltName",
                sotto_identity_trust(name, folder, path, NULL, false, &err));
    assert_string_equal(name, "");
    X509_free(certificate);
  }
  char name[64], long63[64];
  memset(long63, 'c', 63);
  long63[63] = '\0';
  X509 *certificate = make(key, &(made){.san = long63});
  CHECK_OK(
      sotto_identity_trust(name, folder, write_certificate(certificate, "named.crt"), NULL, false, &err));
  assert_string_equal(name, long63);
  X509_free(certificate);
  EVP_PKEY_free(key);
}

static void names_are_compared_letter_for_letter(void **state) {
  (void)state;
  const char *folder = folder_of("case", "bank");
  char name[64];
  CHECK_OK(sotto_identity_init(folder, "bank", 365, false, &err));
  EVP_PKEY *root = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"), *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
  X509 *authority = make(root, &(made){.authority = true});
  X509 *small = make(key, &(made){.san = "branch", .issuer = root, .issued_by = authority});
  X509 *capital = make(key, &(made){.san = "Branch", .issuer = root, .issued_by = authority});
  const char *path = write_certificate(authority, "authority.crt");
  CHECK_OK(sotto_identity_trust(name, folder, path, "branch", false, &err));
  assert_int_equal(judge(folder, "branch", small), X509_V_OK);
  assert_int_equal(judge(folder, "branch", capital), X509_V_ERR_HOSTNAME_MISMATCH);
  CHECK_FAILS(SOTTO_INVALID, "capital letters alone",
              sotto_identity_trust(name, folder, path, "Branch", false, &err));
  CHECK_FAILS(SOTTO_INVALID, "own name", sotto_identity_trust(name, folder, path, "BANK", false, &err));
  X509_free(small);
  X509_free(capital);
  X509_free(authority);
  EVP_PKEY_free(root);
  EVP_PKEY_free(key);
}

static void a_trusted_key_is_not_replaced_unasked(void **state) {
  (void)state;
  char bank[600], partner[600], name[64];
  two("replace", bank, partner);
  const char *other = folder_of("replace", "other");
  CHECK_OK(sotto_identity_init(other, "partner", 365, false, &err));
  CHECK_OK(sotto_identity_trust(name, bank, own_of(partner), NULL, false, &err)); /* the same again */
  CHECK_FAILS(SOTTO_INVALID, "is trusted with another key",
              sotto_identity_trust(name, bank, own_of(other), NULL, false, &err));
  assert_int_equal(judge_own(bank, partner), X509_V_OK);
  CHECK_OK(sotto_identity_trust(name, bank, own_of(other), NULL, true, &err));
  assert_int_equal(judge_own(bank, other), X509_V_OK);
  assert_int_equal(judge_own(bank, partner), X509_V_ERR_CERT_UNTRUSTED);
}

static void ones_own_certificate_is_refused(void **state) {
  (void)state;
  char bank[600], partner[600], name[64];
  two("own", bank, partner);
  CHECK_FAILS(SOTTO_INVALID, "own certificate",
              sotto_identity_trust(name, bank, own_of(bank), NULL, false, &err));
}

static void what_others_may_write_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *name;
    mode_t good, bad;
    const char *words;
  } cases[] = {
      {"", 0755, 0775, "others may write"},         {"", 0755, 0757, "others may write"},
      {"/trust", 0755, 0777, "others may write"},   {"/trust/partner.crt", 0644, 0664, "others may write"},
      {"/own.crt", 0644, 0646, "others may write"}, {"/key.pem", 0600, 0640, "others may read"},
      {"/key.pem", 0600, 0604, "others may read"},  {"/key.pem", 0600, 0620, "others may write"}};
  char bank[600], partner[600], path[700];
  sotto_identity_info info;
  sotto_i_trusted *trusted;
  two("modes", bank, partner);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    (void)snprintf(path, sizeof path, "%s%s", bank, cases[i].name);
    assert_int_equal(chmod(path, cases[i].bad), 0);
    CHECK_FAILS(SOTTO_INVALID, cases[i].words, sotto_i_trusted_open(&trusted, bank, "partner", &err));
    CHECK_FAILS(SOTTO_INVALID, cases[i].words, sotto_identity_check_peer(&info, bank, "partner", &err));
    assert_int_equal(chmod(path, cases[i].good), 0);
    CHECK_OK(sotto_identity_check(&info, bank, &err));
    CHECK_OK(sotto_identity_check_peer(&info, bank, "partner", &err));
  }
  if (geteuid() != 0) return; /* only root can give a file away */
  (void)snprintf(path, sizeof path, "%s/key.pem", bank);
  assert_int_equal(chown(path, 12345, 12345), 0);
  CHECK_FAILS(SOTTO_INVALID, "belongs to another user", sotto_identity_check(&info, bank, &err));
}

static void a_renewed_certificate_needs_no_second_meeting(void **state) {
  (void)state;
  char bank[600], partner[600], ends[32] = "";
  bool renewed;
  sotto_identity_info before, after;
  sotto_i_trusted *trusted;
  two("renew", bank, partner);
  CHECK_OK(sotto_identity_check_peer(&before, bank, "partner", &err));
  CHECK_OK(sotto_identity_renew(partner, 700, false, &err));
  assert_int_equal(judge_own(bank, partner), X509_V_OK);
  CHECK_OK(sotto_i_trusted_open(&trusted, bank, "partner", &err));
  X509 *later = own_certificate(partner);
  CHECK_OK(sotto_i_trusted_renewed(&renewed, ends, trusted, later, &err));
  assert_true(renewed);
  CHECK_OK(sotto_i_trusted_renewed(&renewed, ends, trusted, later, &err));
  assert_false(renewed);
  CHECK_OK(sotto_identity_check_peer(&after, bank, "partner", &err));
  assert_string_equal(after.fingerprint, before.fingerprint);
  assert_string_equal(after.ends, ends);
  assert_in_range(after.days, before.days + 334, before.days + 336);
  CHECK_OK(sotto_identity_renew(partner, 5, false, &err)); /* one that ends earlier is taken, and not kept */
  X509 *sooner = own_certificate(partner);
  assert_int_equal(judge(bank, "partner", sooner), X509_V_OK);
  CHECK_OK(sotto_i_trusted_renewed(&renewed, ends, trusted, sooner, &err));
  assert_false(renewed);
  X509_free(later);
  X509_free(sooner);
  sotto_i_trusted_free(trusted);
}

static void the_key_alone_is_not_enough_for_another_name(void **state) {
  (void)state;
  char bank[600], partner[600];
  EVP_PKEY *key;
  two("name", bank, partner);
  CHECK_OK(sotto_i_identity_key(&key, partner, &err));
  X509 *certificate = make(key, &(made){.san = "partner"});
  assert_int_equal(judge(bank, "partner", certificate), X509_V_OK);
  X509_free(certificate);
  certificate = make(key, &(made){.san = "shop"});
  assert_int_equal(judge(bank, "partner", certificate), X509_V_ERR_HOSTNAME_MISMATCH);
  X509_gmtime_adj(X509_getm_notAfter(certificate), -1);
  X509_sign(certificate, key, NULL);
  assert_int_equal(judge(bank, "partner", certificate), X509_V_ERR_CERT_HAS_EXPIRED);
  X509_free(certificate);
  EVP_PKEY_free(key);
}

static void what_is_revoked_is_refused_and_stays_so(void **state) {
  (void)state;
  char bank[600], partner[600], name[64];
  sotto_identity_info info;
  sotto_i_trusted *trusted;
  two("revoke", bank, partner);
  X509 *certificate = own_certificate(partner);
  X509_STORE_CTX *shown = X509_STORE_CTX_new();
  assert_int_equal(X509_STORE_CTX_init(shown, NULL, certificate, NULL), 1);
  CHECK_OK(sotto_i_trusted_open(&trusted, bank, "partner", &err)); /* by a party that runs already */
  assert_int_equal(sotto_i_trusted_judge(trusted, shown, true), X509_V_OK);
  CHECK_OK(sotto_identity_revoke(&info, bank, "partner", NULL, &err));
  assert_int_equal(sotto_i_trusted_judge(trusted, shown, true), X509_V_ERR_CERT_REVOKED);
  CHECK_FAILS(SOTTO_NOT_FOUND, "is not trusted", sotto_identity_check_peer(&info, bank, "partner", &err));
  CHECK_FAILS(SOTTO_INVALID, "its key was revoked (partner on ",
              sotto_identity_trust(name, bank, own_of(partner), NULL, true, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "nothing to revoke",
              sotto_identity_revoke(&info, bank, "partner", NULL, &err));
  X509_STORE_CTX_free(shown);
  X509_free(certificate);
  sotto_i_trusted_free(trusted);
}

/* A list that cannot be read, here a folder in its place, says of no key that it is good. */
static void a_list_of_revoked_keys_that_cannot_be_read_lets_nobody_in(void **state) {
  (void)state;
  char bank[600], partner[600], name[64], list[640];
  sotto_identity_info info;
  sotto_i_trusted *trusted;
  two("unreadable", bank, partner);
  X509 *certificate = own_certificate(partner);
  X509_STORE_CTX *shown = X509_STORE_CTX_new();
  assert_int_equal(X509_STORE_CTX_init(shown, NULL, certificate, NULL), 1);
  CHECK_OK(sotto_i_trusted_open(&trusted, bank, "partner", &err));
  assert_int_equal(sotto_i_trusted_judge(trusted, shown, true), X509_V_OK);
  (void)snprintf(list, sizeof list, "%s/revoked", bank);
  CHECK_OK(sotto_i_make_folder(list, &err));
  assert_int_equal(sotto_i_trusted_judge(trusted, shown, true), X509_V_ERR_CERT_REVOKED);
  CHECK_FAILS(SOTTO_IO, "revoked keys could not be read",
              sotto_identity_trust(name, bank, own_of(partner), NULL, true, &err));
  CHECK_FAILS(SOTTO_IO, "revoked keys could not be read",
              sotto_identity_revoke(&info, bank, "partner", NULL, &err));
  X509_STORE_CTX_free(shown);
  X509_free(certificate);
  sotto_i_trusted_free(trusted);
}

static void all_that_are_trusted_are_listed_in_order(void **state) {
  (void)state;
  char bank[600], partner[600], name[64], (*names)[64];
  size_t count;
  two("list", bank, partner);
  const char *third = folder_of("list", "alpha");
  CHECK_OK(sotto_identity_init(third, "alpha", 20, false, &err));
  CHECK_OK(sotto_identity_trust(name, bank, own_of(third), NULL, false, &err));
  CHECK_OK(sotto_identity_list(&names, &count, bank, &err));
  assert_int_equal(count, 2);
  assert_string_equal(names[0], "alpha");
  assert_string_equal(names[1], "partner");
  sotto_identity_list_free(names);
  CHECK_OK(sotto_identity_list(&names, &count, partner, &err)); /* no folder trust */
  assert_int_equal(count, 0);
  sotto_identity_list_free(names);
}

/* Golden: the words of BIP-39's test vectors for 16 equal bytes; their last word holds a checksum, which a
 * fingerprint has not. */
static void words_are_those_of_the_list(void **state) {
  (void)state;
  static const struct {
    int byte;
    const char *words;
  } cases[] = {
      {0x00,
       "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon"},
      {0x7f, "legal winner thank year wave sausage worth useful legal winner thank "},
      {0x80, "letter advice cage absurd amount doctor acoustic avoid letter advice cage "},
      {0xff, "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo"}};
  uint8_t digest[32];
  char words[128];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    memset(digest, cases[i].byte, sizeof digest);
    sotto_i_fingerprint_words(words, digest);
    assert_int_equal(strncmp(words, cases[i].words, strlen(cases[i].words)), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_name_that_cannot_be_one_is_refused_and_never_used),
      cmocka_unit_test(names_are_compared_letter_for_letter),
      cmocka_unit_test(a_trusted_key_is_not_replaced_unasked),
      cmocka_unit_test(ones_own_certificate_is_refused),
      cmocka_unit_test(what_others_may_write_is_refused),
      cmocka_unit_test(a_renewed_certificate_needs_no_second_meeting),
      cmocka_unit_test(the_key_alone_is_not_enough_for_another_name),
      cmocka_unit_test(what_is_revoked_is_refused_and_stays_so),
      cmocka_unit_test(a_list_of_revoked_keys_that_cannot_be_read_lets_nobody_in),
      cmocka_unit_test(all_that_are_trusted_are_listed_in_order),
      cmocka_unit_test(words_are_those_of_the_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
