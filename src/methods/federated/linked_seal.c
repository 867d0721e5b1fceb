/* Boxes between two clients, carried by the server. The key of a box is agreed on by X25519 from the keys by
 * which clients know one another, and is bound to run, seed, sender, receiver, payload and exchange. Each box
 * has a nonce of its own, so that a repeated exchange never uses one twice. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "inside/secure_sum.h"
#include "linked.h"

enum {
  nonce_size = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
  tag_size = crypto_aead_xchacha20poly1305_ietf_ABYTES,
  key_size = crypto_aead_xchacha20poly1305_ietf_KEYBYTES
};
_Static_assert(nonce_size + tag_size == SOTTO_I_FED_SEAL, "a box begins with a nonce and ends with a tag");

/* False for a key that is not one of the curve, or of low order. */
static bool agree(uint8_t key[key_size], const sotto_i_fed_seal *s) {
  static const char domain[] = "sotto linked box";
  static const uint8_t none[SOTTO_SUM_DIGEST];
  uint8_t secret[crypto_scalarmult_SCALARBYTES], point[crypto_scalarmult_BYTES],
      common[crypto_scalarmult_BYTES];
  crypto_generichash_state state;
  bool good = crypto_sign_ed25519_sk_to_curve25519(secret, s->own) == 0 &&
              crypto_sign_ed25519_pk_to_curve25519(point, s->theirs) == 0 &&
              crypto_scalarmult(common, secret, point) == 0;
  if (good) {
    crypto_generichash_init(&state, NULL, 0, key_size);
    crypto_generichash_update(&state, (const uint8_t *)domain, sizeof domain);
    crypto_generichash_update(&state, common, sizeof common);
    crypto_generichash_update(&state, s->run, SOTTO_SUM_DIGEST);
    crypto_generichash_update(&state, (const uint8_t *)&s->from, sizeof s->from);
    crypto_generichash_update(&state, (const uint8_t *)&s->to, sizeof s->to);
    crypto_generichash_update(&state, s->token == NULL ? none : s->token, sizeof none);
    crypto_generichash_update(&state, (const uint8_t *)s->name, strlen(s->name));
    crypto_generichash_final(&state, key, key_size);
    sodium_memzero(&state, sizeof state);
  }
  sodium_memzero(secret, sizeof secret);
  sodium_memzero(common, sizeof common);
  return good;
}

sotto_status sotto_i_fed_seal_close(uint8_t *box, const void *text, size_t size, const sotto_i_fed_seal *seal,
                                    sotto_error *err) {
  uint8_t key[key_size];
  SOTTO_I_CHECK(sodium_init() >= 0);
  if (!agree(key, seal))
    return sotto_i_fail(err, SOTTO_INVALID, "client-keys: the key of client %u is of low order",
                        (unsigned)seal->to + 1);
  randombytes_buf(box, nonce_size);
  crypto_aead_xchacha20poly1305_ietf_encrypt(box + nonce_size, NULL, text, size, NULL, 0, NULL, box, key);
  sodium_memzero(key, sizeof key);
  return SOTTO_OK;
}

sotto_status sotto_i_fed_seal_open(void *text, const uint8_t *box, size_t size, const sotto_i_fed_seal *seal,
                                   sotto_error *err) {
  uint8_t key[key_size];
  SOTTO_I_CHECK(sodium_init() >= 0);
  const bool opened =
      agree(key, seal) && crypto_aead_xchacha20poly1305_ietf_decrypt(text, NULL, NULL, box + nonce_size,
                                                                     size + tag_size, NULL, 0, box, key) == 0;
  sodium_memzero(key, sizeof key);
  if (opened) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PROTOCOL,
                      "%s: those of client %u were changed on their way, or are of another run", seal->name,
                      (unsigned)seal->from + 1);
}
