/* Marks of a ledger for statements, and signatures by its owner's key. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "inside/dp.h"
#include "ledger.h"

/* SHA-256 over a purpose, the first entry's random id and, for a moment of the chain, its hash. The id makes
 * the digest unpredictable. Without it, a reader who knows all of a graph except one edge, and the time of
 * the charge, could compute the hash for both graphs. */
static void mark_digest(uint8_t out[32], const char *purpose, const char *id, const void *hash) {
  crypto_hash_sha256_state s;
  (void)crypto_hash_sha256_init(&s);
  (void)crypto_hash_sha256_update(&s, (const uint8_t *)purpose, strlen(purpose));
  (void)crypto_hash_sha256_update(&s, (const uint8_t *)id, strlen(id));
  if (hash != NULL) (void)crypto_hash_sha256_update(&s, hash, 32);
  (void)crypto_hash_sha256_final(&s, out);
}

static const char of_ledger[] = "sotto ledger 1 ", of_chain[] = "sotto chain 1 ";

/* Inside a transaction: reads the random id, 32 hexadecimal digits. */
static sotto_status read_id(char out[33], const sotto_ledger *ledger, sotto_error *err) {
  sotto_i_entry first = {.id = NULL};
  int64_t number = 0;
  sotto_status status = sotto_i_ledger_next(&first, &number, ledger, err);
  if (status != SOTTO_OK) return status;
  if (number != 1 || first.id == NULL)
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: its first entry has no id; restore it from a backup",
                          ledger->store.path);
  else
    (void)snprintf(out, 33, "%s", first.id);
  sotto_i_entry_free(&first);
  return status;
}

sotto_status sotto_ledger_mark_now(sotto_ledger *ledger, sotto_ledger_mark *out, sotto_error *err) {
  char id[33];
  sotto_status status;
  SOTTO_TRY(sotto_i_ledger_begin(ledger, false, err));
  SOTTO_TRY(read_id(id, ledger, err));
  mark_digest(out->ledger, of_ledger, id, NULL);
  mark_digest(out->chain, of_chain, id, ledger->seen.hash);
done:
  sotto_i_ledger_end(ledger);
  return status;
}

/* Inside a transaction: finds the number of the entry at which the chain had this mark. */
static sotto_status find_moment(uint64_t *entries, const sotto_ledger *ledger, const char *id,
                                const uint8_t chain[32], sotto_error *err) {
  sqlite3_stmt *s = NULL;
  uint8_t at[32];
  int code = SQLITE_DONE;
  sotto_status status =
      sotto_i_store_prepare(&ledger->store, &s, "SELECT hash, number FROM entry ORDER BY number DESC", err);
  if (status != SOTTO_OK) return status;
  while (*entries == 0 && (code = sqlite3_step(s)) == SQLITE_ROW) {
    if (sqlite3_column_bytes(s, 0) != 32) continue;
    mark_digest(at, of_chain, id, sqlite3_column_blob(s, 0));
    if (memcmp(at, chain, 32) == 0) *entries = (uint64_t)sqlite3_column_int64(s, 1);
  }
  if (*entries == 0 && code != SQLITE_DONE)
    status = sotto_i_store_fail(&ledger->store, code, "read its chain", err);
  (void)sqlite3_finalize(s);
  return status;
}

sotto_status sotto_ledger_mark_find(sotto_ledger *ledger, bool *same, uint64_t *entries,
                                    const sotto_ledger_mark *mark, sotto_error *err) {
  char id[33];
  uint8_t own[32];
  sotto_status status;
  *same = false;
  *entries = 0;
  SOTTO_TRY(sotto_i_ledger_begin(ledger, false, err));
  SOTTO_TRY(read_id(id, ledger, err));
  mark_digest(own, of_ledger, id, NULL);
  *same = memcmp(own, mark->ledger, 32) == 0;
  if (*same) SOTTO_TRY(find_moment(entries, ledger, id, mark->chain, err));
done:
  sotto_i_ledger_end(ledger);
  return status;
}

/* The signed text; the same form as in sotto_identity_sign, so that a signature is valid for one purpose
 * alone. */
static int signed_text(char out[160], const char *purpose, const void *data, size_t size) {
  uint8_t hash[32];
  char hex[65];
  (void)crypto_hash_sha256(hash, data, size);
  sotto_i_hex(hex, hash, 32);
  return snprintf(out, 160, "sotto %.31s 1 %s", purpose, hex);
}

void sotto_ledger_sign(sotto_ledger *ledger, sotto_ledger_signature *out, const char *purpose,
                       const void *data, size_t size) {
  char text[160];
  const int length = signed_text(text, purpose, data, size);
  memcpy(out->owner, ledger->owner.public_key, 32);
  (void)crypto_sign_detached(out->bytes, NULL, (const uint8_t *)text, (unsigned long long)length,
                             ledger->owner.secret_key);
}

bool sotto_ledger_signed(const sotto_ledger_signature *signature, const char *purpose, const void *data,
                         size_t size) {
  char text[160];
  const int length = signed_text(text, purpose, data, size);
  return crypto_sign_verify_detached(signature->bytes, (const uint8_t *)text, (unsigned long long)length,
                                     signature->owner) == 0;
}
