/* Code shared by both sides of an alignment: greeting, masking, tags. */
#include "psi.h"

#include <sodium.h>
#include <string.h>

#include "base/memory.h"
#include "base/secret.h"
#include "group.h"
#include "id_store.h"
#include "inside/party.h"

/* Personalisation strings of blake2b, 16 bytes each. */
static const uint8_t salt_name[16] = "sotto-align-salt";
static const uint8_t id_name[16] = "sotto-align-id-1";
static const uint8_t tag_name[16] = "sotto-align-tag1";

/* The first message: 32 random bytes. Those of both sides, the hub's first, give the salt. */
enum { nonce_bytes = 32 };

static void blake(uint8_t *out, size_t size, const uint8_t *in, size_t in_size, const uint8_t *key,
                  const uint8_t *name) {
  (void)crypto_generichash_blake2b_salt_personal(out, size, in, in_size, key, key == NULL ? 0 : 32, NULL,
                                                 name);
}

static sotto_status send_greeting(sotto_i_psi *psi, const uint8_t *nonce, sotto_error *err) {
  const uint32_t size = (uint32_t)psi->own;
  const sotto_words words[2] = {{"align.nonce", SOTTO_WIRE_PUBLIC, NULL, nonce, 1, nonce_bytes / 4},
                                {"align.size", SOTTO_WIRE_EXPOSED,
                                 "how many ids the sender has, which the receiver learns", &size, 1, 1}};
  sotto_status status;
  SOTTO_TRY(sotto_link_send_words(psi->link, &words[0], err));
  SOTTO_TRY(sotto_link_send_words(psi->link, &words[1], err));
done:
  return status;
}

static sotto_status receive_greeting(sotto_i_psi *psi, uint8_t *nonce, sotto_error *err) {
  static const sotto_expectation expected[2] = {{"align.nonce", SOTTO_WIRE_PUBLIC, 1, nonce_bytes / 4, 0},
                                                {"align.size", SOTTO_WIRE_EXPOSED, 1, 1, 0}};
  uint32_t size = 0;
  sotto_status status;
  SOTTO_TRY(sotto_link_receive_words(psi->link, nonce, &expected[0], err));
  SOTTO_TRY(sotto_link_receive_words(psi->link, &size, &expected[1], err));
  if (size > SOTTO_MOST_IDS)
    status =
        sotto_i_fail(err, SOTTO_PROTOCOL, "align.size: the other side claims %u ids; at most %d are taken",
                     size, SOTTO_MOST_IDS);
  psi->peer = size;
done:
  return status;
}

sotto_status sotto_i_psi_open(sotto_i_psi *psi, sotto_link *link, bool hub, size_t own,
                              sotto_alignment *account, sotto_error *err) {
  uint8_t nonces[2 * nonce_bytes];
  uint8_t *mine = hub ? nonces : nonces + nonce_bytes, *theirs = hub ? nonces + nonce_bytes : nonces;
  sotto_status status;
  *psi = (sotto_i_psi){.link = link, .own = own, .account = account};
  SOTTO_I_CHECK(sodium_init() >= 0);
  randombytes_buf(mine, nonce_bytes);
  SOTTO_TRY(sotto_i_new_secret(&psi->scalar, 1, crypto_core_ristretto255_SCALARBYTES, err));
  crypto_core_ristretto255_scalar_random(psi->scalar);
  if (hub) SOTTO_TRY(send_greeting(psi, mine, err));
  SOTTO_TRY(receive_greeting(psi, theirs, err));
  if (!hub) SOTTO_TRY(send_greeting(psi, mine, err));
  blake(psi->salt, sizeof psi->salt, nonces, sizeof nonces, NULL, salt_name);
  SOTTO_TRY(sotto_i_new_raw(&psi->hashes, SOTTO_I_PSI_CHUNK, SOTTO_I_HASH_BYTES, err));
  SOTTO_TRY(sotto_i_new_raw(&psi->points, SOTTO_I_PSI_CHUNK, SOTTO_I_POINT_BYTES, err));
  SOTTO_TRY(sotto_i_new_raw(&psi->tags, SOTTO_I_PSI_CHUNK, SOTTO_I_TAG_BYTES, err));
done:
  return status;
}

void sotto_i_psi_close(sotto_i_psi *psi) {
  sotto_i_free_secret(psi->scalar);
  sotto_i_free(psi->hashes);
  sotto_i_free(psi->points);
  sotto_i_free(psi->tags);
  *psi = (sotto_i_psi){0};
}

void sotto_i_psi_hash(uint8_t *out, const uint8_t *id, size_t size, const uint8_t salt[32]) {
  blake(out, SOTTO_I_HASH_BYTES, id, size, salt, id_name);
}

void sotto_i_psi_tags(uint8_t *tags, const uint8_t *points, size_t count, const uint8_t salt[32]) {
  for (size_t i = 0; i < count; i++)
    blake(tags + SOTTO_I_TAG_BYTES * i, SOTTO_I_TAG_BYTES, points + SOTTO_I_POINT_BYTES * i,
          SOTTO_I_POINT_BYTES, salt, tag_name);
}

sotto_status sotto_i_psi_mask(sotto_i_psi *psi, const sotto_ids *ids, const uint32_t *order, size_t begin,
                              size_t count, sotto_error *err) {
  sotto_i_id_window window = {.size = 0};
  for (size_t i = 0; i < count; i++) {
    const size_t row = order == NULL ? begin + i : order[begin + i];
    const uint8_t *id;
    size_t size;
    sotto_status status = sotto_i_id_store_text(&id, &size, ids, row, order == NULL, &window, err);
    if (status != SOTTO_OK) return status;
    sotto_i_psi_hash(psi->hashes + SOTTO_I_HASH_BYTES * i, id, size, psi->salt);
  }
  sotto_status status = sotto_i_id_store_check(ids, err);
  if (status != SOTTO_OK) return status;
  sotto_i_group_hash_multiply(psi->points, psi->hashes, count, psi->scalar);
  psi->account->hashes += count;
  psi->account->products += count;
  return SOTTO_OK;
}

sotto_status sotto_i_psi_tag(sotto_i_psi *psi, size_t begin, size_t count, sotto_error *err) {
  size_t bad = sotto_i_group_multiply(psi->points, psi->points, count, psi->scalar);
  if (bad != SIZE_MAX) {
    sotto_link_close(psi->link, "a point that was received is not one");
    return sotto_i_fail(
        err, SOTTO_PROTOCOL,
        "align.points: point %zu is not a canonical encoding of an element of ristretto255 other "
        "than the identity",
        begin + bad);
  }
  sotto_i_psi_tags(psi->tags, psi->points, count, psi->salt);
  psi->account->products += count;
  return SOTTO_OK;
}

sotto_status sotto_i_psi_send_points(sotto_i_psi *psi, size_t count, sotto_error *err) {
  const sotto_words words = {"align.points", SOTTO_WIRE_SEALED,      NULL, psi->points,
                             count,          SOTTO_I_POINT_BYTES / 4};
  return sotto_link_send_words(psi->link, &words, err);
}

sotto_status sotto_i_psi_receive_points(sotto_i_psi *psi, size_t count, sotto_error *err) {
  const sotto_expectation expected = {"align.points", SOTTO_WIRE_SEALED, count, SOTTO_I_POINT_BYTES / 4, 0};
  return sotto_link_receive_words(psi->link, psi->points, &expected, err);
}

void sotto_i_psi_note_link(sotto_alignment *account, const sotto_link *link) {
  sotto_traffic_add(&account->traffic, sotto_link_traffic(link));
  if (account->exposure_count == 0) account->exposure_count = sotto_link_exposures(link, account->exposures);
}
