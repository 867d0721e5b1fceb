/* A client and the helper of a checked sum, over links; the payloads of all sides. */
#include "check_links.h"

#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "check_payloads.h"
#include "inside/party.h"

sotto_status sotto_i_check_send(sotto_link *link, const sotto_i_check_payload *payload, const void *data,
                                size_t size, sotto_error *err) {
  const sotto_words words = {
      .name = payload->name, .kind = payload->kind, .data = data, .rows = 1, .cols = size / 4};
  return sotto_link_send_words(link, &words, err);
}

sotto_status sotto_i_check_receive(sotto_link *link, const sotto_i_check_payload *payload, void *out,
                                   size_t size, sotto_error *err) {
  const sotto_expectation expected = {
      .name = payload->name, .kind = payload->kind, .rows = 1, .cols = size / 4};
  return sotto_link_receive_words(link, out, &expected, err);
}

const sotto_i_check_payload sotto_i_check_key_payload = {"check key", SOTTO_WIRE_PUBLIC},
                            sotto_i_check_shares_payload = {"check shares", SOTTO_WIRE_SHARE},
                            sotto_i_check_seed_payload = {"check seed", SOTTO_WIRE_SEALED},
                            sotto_i_check_seeds_payload = {"check seeds", SOTTO_WIRE_SEALED},
                            sotto_i_check_arrived_payload = {"check arrived", SOTTO_WIRE_PUBLIC},
                            sotto_i_check_challenge_payload = {"check challenge", SOTTO_WIRE_PUBLIC},
                            sotto_i_check_proof_payload = {"check proof", SOTTO_WIRE_SHARE},
                            sotto_i_check_coin_payload = {"check coin", SOTTO_WIRE_PUBLIC},
                            sotto_i_check_signed_payload = {"check signed", SOTTO_WIRE_PUBLIC},
                            sotto_i_check_evidence_payload = {"check evidence", SOTTO_WIRE_PUBLIC},
                            sotto_i_check_question_payload = {"check question", SOTTO_WIRE_PUBLIC},
                            sotto_i_check_points_payload = {"check points", SOTTO_WIRE_SHARE},
                            sotto_i_check_verdicts_payload = {"check verdicts", SOTTO_WIRE_PUBLIC},
                            sotto_i_check_refused_payload = {"check refused", SOTTO_WIRE_PUBLIC},
                            sotto_i_check_sums_payload = {"check sums", SOTTO_WIRE_SHARE};

size_t sotto_i_check_states_size(const sotto_i_check_plan *plan) {
  return ((size_t)plan->clients + 3) / 4 * 4;
}

sotto_status sotto_i_check_take_part(sotto_link *link, const sotto_i_check_plan *plan, uint32_t client,
                                     const int64_t *values, const sotto_i_check_signers *signers,
                                     const sotto_i_check_records *records, sotto_error *err) {
  const sotto_i_check_sizes sizes = sotto_i_check_message_sizes(plan);
  uint8_t key[SOTTO_I_CHECK_SIGNED_KEY], evidence[SOTTO_I_CHECK_EVIDENCE];
  sotto_i_check_kept kept = {.client = 0};
  sotto_i_check_question of = {.in = NULL};
  uint64_t *shares = NULL, *proof = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&shares, plan->values, sizeof *shares, err));
  SOTTO_TRY(sotto_i_new(&proof, sizes.proof, sizeof *proof, err));
  SOTTO_TRY(sotto_i_check_receive(link, &sotto_i_check_key_payload, key, sizeof key, err));
  SOTTO_TRY(sotto_i_check_share(shares, kept.seed, plan, client, values, err));
  SOTTO_TRY(sotto_i_check_seal(kept.box, kept.opening, plan, client, kept.seed, key, signers, err));
  SOTTO_TRY(sotto_i_check_send(link, &sotto_i_check_shares_payload, shares, 8 * plan->values, err));
  SOTTO_TRY(sotto_i_check_send(link, &sotto_i_check_seed_payload, kept.box, sizeof kept.box, err));
  SOTTO_TRY(
      sotto_i_check_receive(link, &sotto_i_check_challenge_payload, of.challenge, sizeof of.challenge, err));
  SOTTO_TRY(sotto_i_check_prove(proof, plan, client, values, kept.seed, of.challenge, err));
  SOTTO_TRY(sotto_i_check_send(link, &sotto_i_check_proof_payload, proof, 8 * sizes.proof, err));
  SOTTO_TRY(sotto_i_check_receive(link, &sotto_i_check_coin_payload, of.coin, sizeof of.coin, err));
  const sotto_i_check_sent sent = {shares, proof, kept.box};
  SOTTO_TRY(sotto_i_check_sign(evidence, plan, client, &of, &sent, signers, err));
  if (records != NULL) SOTTO_TRY(records->sent(records->context, &kept, err));
  SOTTO_TRY(sotto_i_check_send(link, &sotto_i_check_signed_payload, evidence, sizeof evidence, err));
done:
  sodium_memzero(&kept, sizeof kept);
  sotto_i_free(shares);
  sotto_i_free(proof);
  return status;
}

/* The seeds that came and open; boxes[clients] stay, for signatures are on them. */
static sotto_status take_seeds(uint8_t *boxes, sotto_i_check_server *helper, sotto_link *link,
                               const sotto_i_check_plan *plan, const sotto_i_check_signers *signers,
                               sotto_error *err) {
  uint8_t key[SOTTO_I_CHECK_SIGNED_KEY], secret[SOTTO_I_CHECK_KEY], seed[SOTTO_I_CHECK_KEY];
  const size_t size = plan->clients * (size_t)SOTTO_I_CHECK_BOX;
  sotto_status status;
  sotto_i_check_key_new(key, secret, plan, signers);
  SOTTO_TRY(sotto_i_check_send(link, &sotto_i_check_key_payload, key, sizeof key, err));
  SOTTO_TRY(sotto_i_check_receive(link, &sotto_i_check_seeds_payload, boxes, size, err));
  for (uint32_t i = 0; i < plan->clients; i++)
    if (sotto_i_check_open(seed, plan, i, boxes + i * (size_t)SOTTO_I_CHECK_BOX, key, secret, signers))
      SOTTO_TRY(sotto_i_check_take_seed(helper, i, seed, err));
done:
  sodium_memzero(secret, sizeof secret);
  sodium_memzero(seed, sizeof seed);
  return status;
}

/* The signed text about a client; `signature` and `points` are those of all clients. */
static sotto_i_check_signed signed_of(uint32_t client, const sotto_i_check_plan *plan,
                                      const sotto_i_check_question *question, const uint8_t *boxes,
                                      const uint64_t *points) {
  return (sotto_i_check_signed){.challenge = question->challenge,
                                .coin = question->coin,
                                .box = boxes + client * (size_t)SOTTO_I_CHECK_BOX,
                                .points = points + client * sotto_i_check_message_sizes(plan).points};
}

/* The leader has the values that it asks about signed by their clients, or it changed them. */
static sotto_status check_evidence(const sotto_i_check_question *question, const uint8_t *boxes,
                                   sotto_link *link, const sotto_i_check_plan *plan,
                                   const sotto_i_check_signers *signers, sotto_error *err) {
  const size_t size = plan->clients * (size_t)SOTTO_I_CHECK_EVIDENCE;
  uint8_t *evidence = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&evidence, size, 1, err));
  SOTTO_TRY(sotto_i_check_receive(link, &sotto_i_check_evidence_payload, evidence, size, err));
  for (uint32_t i = 0; i < plan->clients; i++) {
    sotto_i_check_signed what = signed_of(i, plan, question, boxes, question->points);
    what.signature = evidence + i * (size_t)SOTTO_I_CHECK_EVIDENCE;
    if (question->in[i] == 0 ||
        sotto_i_check_is_signed(plan, i, &what, signers->clients + (size_t)i * SOTTO_SUM_PUBLIC))
      continue;
    status = sotto_i_fail(err, SOTTO_PROTOCOL,
                          "client %u did not sign the values that the leader has of it: the leader changed "
                          "them, and no sum is given",
                          (unsigned)i + 1);
    goto done;
  }
done:
  sotto_i_free(evidence);
  return status;
}

/* The helper stands by its values of those that it refuses; zeros of all others. */
static sotto_status send_refused(const sotto_i_check_answer *answer, const sotto_i_check_question *question,
                                 const uint8_t *boxes, sotto_link *link, const sotto_i_check_plan *plan,
                                 const sotto_i_check_signers *signers, sotto_error *err) {
  uint8_t *signatures = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&signatures, plan->clients, SOTTO_SUM_SIGNATURE, err));
  for (uint32_t i = 0; i < plan->clients; i++) {
    const sotto_i_check_signed what = signed_of(i, plan, question, boxes, answer->points);
    if (answer->verdicts[i] == SOTTO_I_CHECK_REFUSED)
      sotto_i_check_sign_refusal(signatures + (size_t)i * SOTTO_SUM_SIGNATURE, plan, i, &what, signers);
  }
  SOTTO_TRY(sotto_i_check_send(link, &sotto_i_check_refused_payload, signatures,
                               (size_t)plan->clients * SOTTO_SUM_SIGNATURE, err));
done:
  sotto_i_free(signatures);
  return status;
}

/* The plan, by its token, and whom it accepted. */
static sotto_status keep(const sotto_i_check_memory *memory, const sotto_i_check_plan *plan,
                         const uint8_t *verdicts, sotto_error *err) {
  uint8_t set[SOTTO_SUM_DIGEST];
  crypto_generichash_state state;
  if (memory == NULL) return SOTTO_OK;
  crypto_generichash_init(&state, NULL, 0, sizeof set);
  crypto_generichash_update(&state, plan->token, sizeof plan->token);
  crypto_generichash_update(&state, verdicts, plan->clients);
  crypto_generichash_final(&state, set, sizeof set);
  return memory->keep(memory->context, set, err);
}

sotto_status sotto_i_check_help(uint8_t *verdicts, sotto_link *link, const sotto_i_check_plan *plan,
                                const sotto_i_check_signers *signers, const sotto_i_check_memory *memory,
                                sotto_error *err) {
  const size_t states = sotto_i_check_states_size(plan);
  sotto_i_check_server *helper = NULL;
  sotto_i_check_buffers b = {.states = NULL};
  uint8_t *boxes = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_check_server_new(&helper, SOTTO_I_CHECK_HELPER, plan, err));
  SOTTO_TRY(sotto_i_check_buffers_new(&b, plan, err));
  SOTTO_TRY(sotto_i_new(&boxes, plan->clients, SOTTO_I_CHECK_BOX, err));
  SOTTO_TRY(take_seeds(boxes, helper, link, plan, signers, err));
  SOTTO_TRY(sotto_i_check_arrived(b.states, helper, err));
  SOTTO_TRY(sotto_i_check_send(link, &sotto_i_check_arrived_payload, b.states, states, err));
  SOTTO_TRY(sotto_i_check_receive(link, &sotto_i_check_question_payload, b.question, b.question_size, err));
  SOTTO_TRY(sotto_i_check_receive(link, &sotto_i_check_points_payload, b.asked, b.points_size, err));
  sotto_i_check_question question;
  sotto_i_check_question_open(&question, &b);
  SOTTO_TRY(check_evidence(&question, boxes, link, plan, signers, err));
  sotto_i_check_answer answer = {b.states, b.answered, b.sums};
  SOTTO_TRY(sotto_i_check_reply(&answer, helper, &question, err));
  for (uint32_t i = 0; i < plan->clients; i++) verdicts[i] = b.states[i];
  SOTTO_TRY(keep(memory, plan, verdicts, err));
  SOTTO_TRY(sotto_i_check_send(link, &sotto_i_check_verdicts_payload, b.states, states, err));
  SOTTO_TRY(sotto_i_check_send(link, &sotto_i_check_points_payload, b.answered, b.points_size, err));
  SOTTO_TRY(send_refused(&answer, &question, boxes, link, plan, signers, err));
  SOTTO_TRY(sotto_i_check_send(link, &sotto_i_check_sums_payload, b.sums, 8 * plan->values, err));
done:
  sotto_i_free(boxes);
  sotto_i_check_server_free(helper);
  sotto_i_check_buffers_free(&b);
  return status;
}
