/* What a client signs of a checked sum: its shares, its proof and its sealed seed, by their digests, and the
 * leader's values at the point, which follow from these. The leader looks whether that is what came, and the
 * helper whether the values that it is asked about are the ones that the client signed. So a leader that
 * changes a word of a client has no signature under what fails, and cannot have the client named. The helper
 * signs its own values of a client that it refuses, so that a lie of its own can be shown. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "check_links.h"
#include "check_server.h"

enum { digests_size = 2 * SOTTO_I_CHECK_KEY };
_Static_assert(SOTTO_I_CHECK_EVIDENCE == digests_size + crypto_sign_BYTES, "two digests and a signature");

static void digest_words(uint8_t out[SOTTO_I_CHECK_KEY], const uint64_t *words, size_t count) {
  crypto_generichash(out, SOTTO_I_CHECK_KEY, (const uint8_t *)words, count * sizeof *words, NULL, 0);
}

static void digest_sent(uint8_t out[digests_size], const sotto_i_check_plan *plan, const uint64_t *shares,
                        const uint64_t *proof) {
  digest_words(out, shares, plan->values);
  digest_words(out + SOTTO_I_CHECK_KEY, proof, sotto_i_check_message_sizes(plan).proof);
}

/* The signed text: plan, client, challenge, coin, the digests of the client's messages, the sealed seed, and
 * the values at the point. */
static void fill_text(uint8_t out[SOTTO_I_CHECK_KEY], sotto_i_check_role by, const sotto_i_check_plan *plan,
                      uint32_t client, const sotto_i_check_signed *what) {
  crypto_generichash_state state;
  sotto_key bound;
  sotto_i_check_signed_key(&bound, by, plan, client, what->challenge, what->coin);
  crypto_generichash_init(&state, NULL, 0, SOTTO_I_CHECK_KEY);
  crypto_generichash_update(&state, bound.bytes, sizeof bound.bytes);
  if (by == SOTTO_I_CHECK_LEADER) crypto_generichash_update(&state, what->signature, digests_size);
  crypto_generichash_update(&state, what->box, SOTTO_I_CHECK_BOX);
  crypto_generichash_update(&state, (const uint8_t *)what->points,
                            sotto_i_check_message_sizes(plan).points * sizeof *what->points);
  crypto_generichash_final(&state, out, SOTTO_I_CHECK_KEY);
}

sotto_status sotto_i_check_sign(uint8_t evidence[SOTTO_I_CHECK_EVIDENCE], const sotto_i_check_plan *plan,
                                uint32_t client, const sotto_i_check_question *of,
                                const sotto_i_check_sent *sent, const sotto_i_check_signers *signers,
                                sotto_error *err) {
  uint8_t text[SOTTO_I_CHECK_KEY];
  sotto_i_check_points p = {.plan = NULL};
  uint64_t *points = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&points, sotto_i_check_message_sizes(plan).points, sizeof *points, err));
  SOTTO_TRY(sotto_i_check_points_new(&p, plan, SOTTO_I_CHECK_LEADER, of->challenge, of->coin, err));
  SOTTO_TRY(sotto_i_check_points_of(&points, &p, &sent->shares, &sent->proof, 1, err));
  digest_sent(evidence, plan, sent->shares, sent->proof);
  const sotto_i_check_signed what = {of->challenge, of->coin, sent->box, evidence, points};
  fill_text(text, SOTTO_I_CHECK_LEADER, plan, client, &what);
  crypto_sign_detached(evidence + digests_size, NULL, text, sizeof text, signers->secret);
done:
  sotto_i_check_points_free(&p);
  sotto_i_free(points);
  return status;
}

bool sotto_i_check_is_signed(const sotto_i_check_plan *plan, uint32_t client,
                             const sotto_i_check_signed *what, const uint8_t key[SOTTO_SUM_PUBLIC]) {
  uint8_t text[SOTTO_I_CHECK_KEY];
  fill_text(text, SOTTO_I_CHECK_LEADER, plan, client, what);
  return crypto_sign_verify_detached(what->signature + digests_size, text, sizeof text, key) == 0;
}

void sotto_i_check_sign_refusal(uint8_t signature[SOTTO_SUM_SIGNATURE], const sotto_i_check_plan *plan,
                                uint32_t client, const sotto_i_check_signed *what,
                                const sotto_i_check_signers *signers) {
  uint8_t text[SOTTO_I_CHECK_KEY];
  fill_text(text, SOTTO_I_CHECK_HELPER, plan, client, what);
  crypto_sign_detached(signature, NULL, text, sizeof text, signers->secret);
}

bool sotto_i_check_is_refused(const sotto_i_check_plan *plan, uint32_t client,
                              const sotto_i_check_signed *what, const uint8_t key[SOTTO_SUM_PUBLIC]) {
  uint8_t text[SOTTO_I_CHECK_KEY];
  fill_text(text, SOTTO_I_CHECK_HELPER, plan, client, what);
  return crypto_sign_verify_detached(what->signature, text, sizeof text, key) == 0;
}

void sotto_i_check_take_evidence(sotto_i_check_question *question, sotto_i_check_server *leader,
                                 uint32_t client, const uint8_t *evidence, const uint8_t *box,
                                 const sotto_i_check_signers *signers) {
  const size_t points = leader->shape.points;
  const sotto_i_check_signed what = {question->challenge, question->coin, box, evidence,
                                     question->points + client * points};
  uint8_t digests[digests_size];
  if (leader->state[client] != SOTTO_I_CHECK_PROVED) return;
  if (evidence != NULL) {
    digest_sent(digests, &leader->plan, leader->shares[client],
                leader->proofs + client * leader->shape.proof);
    if (memcmp(digests, evidence, sizeof digests) == 0 &&
        sotto_i_check_is_signed(&leader->plan, client, &what,
                                signers->clients + (size_t)client * SOTTO_SUM_PUBLIC))
      return;
  }
  leader->state[client] = SOTTO_I_CHECK_ABSENT;
  question->in[client] = 0;
  memset(question->points + client * points, 0, points * sizeof *question->points);
}
