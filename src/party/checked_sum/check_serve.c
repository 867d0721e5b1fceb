/* The leader of a checked sum, over links. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "check_links.h"
#include "check_payloads.h"
#include "party/wire/link/transport.h"

sotto_status sotto_i_check_buffers_new(sotto_i_check_buffers *out, const sotto_i_check_plan *plan,
                                       sotto_error *err) {
  const size_t states = sotto_i_check_states_size(plan);
  sotto_status status;
  *out = (sotto_i_check_buffers){.question_size = 2 * SOTTO_I_CHECK_KEY + states};
  out->points_size = 8 * plan->clients * sotto_i_check_message_sizes(plan).points;
  SOTTO_TRY(sotto_i_new(&out->states, states, 1, err));
  SOTTO_TRY(sotto_i_new(&out->question, out->question_size, 1, err));
  SOTTO_TRY(sotto_i_new(&out->asked, out->points_size, 1, err));
  SOTTO_TRY(sotto_i_new(&out->answered, out->points_size, 1, err));
  SOTTO_TRY(sotto_i_new(&out->sums, plan->values, sizeof *out->sums, err));
done:
  return status;
}

void sotto_i_check_buffers_free(sotto_i_check_buffers *buffers) {
  sotto_i_free(buffers->states);
  sotto_i_free(buffers->question);
  sotto_i_free(buffers->asked);
  sotto_i_free(buffers->answered);
  sotto_i_free(buffers->sums);
}

void sotto_i_check_question_open(sotto_i_check_question *out, const sotto_i_check_buffers *b) {
  memcpy(out->challenge, b->question, SOTTO_I_CHECK_KEY);
  memcpy(out->coin, b->question + SOTTO_I_CHECK_KEY, SOTTO_I_CHECK_KEY);
  out->in = b->question + 2 * (size_t)SOTTO_I_CHECK_KEY;
  out->points = b->asked;
}

void sotto_i_check_question_close(const sotto_i_check_buffers *b, const sotto_i_check_question *question) {
  memcpy(b->question, question->challenge, SOTTO_I_CHECK_KEY);
  memcpy(b->question + SOTTO_I_CHECK_KEY, question->coin, SOTTO_I_CHECK_KEY);
}

typedef struct service {
  const sotto_i_check_plan *plan;
  const sotto_i_check_signers *signers;
  sotto_i_check_server *leader;
  const sotto_i_check_sides *sides;
  sotto_error *gone;
  uint64_t *words; /* of one client: shares or proof */
  uint8_t key[SOTTO_I_CHECK_SIGNED_KEY], *boxes, *evidence, *refused;
  sotto_i_check_buffers buffers;
} service;

/* A link that is lost for good is a client that is not there; any other failure ends the sum. */
static sotto_status note(const service *s, uint32_t client, sotto_status status, const sotto_error *failure,
                         sotto_error *err) {
  if (status == SOTTO_OK) return SOTTO_OK;
  s->gone[client] = *failure;
  if (sotto_i_link_lost(s->sides->clients[client]) && status != SOTTO_INTERRUPTED && status != SOTTO_NOMEM)
    return SOTTO_OK;
  if (err != NULL) *err = *failure;
  return status;
}

static sotto_status give_all(const service *s, const sotto_i_check_payload *payload, const void *data,
                             size_t size, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 0; status == SOTTO_OK && i < s->plan->clients; i++) {
    sotto_error failure = {0};
    if (s->gone[i].status != SOTTO_OK) continue;
    if (s->sides->limit > 0) sotto_i_link_limit(s->sides->clients[i], s->sides->limit);
    status = sotto_i_check_send(s->sides->clients[i], payload, data, size, &failure);
    status = note(s, i, status, &failure, err);
  }
  return status;
}

/* Words that are no numbers are the leader's verdict, and no failure. */
static sotto_status verdict(sotto_status status, const sotto_error *failure, sotto_error *err) {
  if (status == SOTTO_OK || status == SOTTO_PROTOCOL) return SOTTO_OK;
  if (err != NULL) *err = *failure;
  return status;
}

static sotto_status take_shares(const service *s, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 0; status == SOTTO_OK && i < s->plan->clients; i++) {
    sotto_error failure = {0};
    uint8_t *box = s->boxes + i * (size_t)SOTTO_I_CHECK_BOX;
    if (s->gone[i].status != SOTTO_OK) continue;
    status = sotto_i_check_receive(s->sides->clients[i], &sotto_i_check_shares_payload, s->words,
                                   8 * s->plan->values, &failure);
    if (status == SOTTO_OK)
      status = sotto_i_check_receive(s->sides->clients[i], &sotto_i_check_seed_payload, box,
                                     SOTTO_I_CHECK_BOX, &failure);
    if (status != SOTTO_OK) {
      status = note(s, i, status, &failure, err);
      continue;
    }
    status = sotto_i_check_take_shares(s->leader, i, s->words, &failure);
    status = verdict(status, &failure, err);
  }
  return status;
}

static sotto_status take_proofs(const service *s, sotto_error *err) {
  const size_t size = 8 * sotto_i_check_message_sizes(s->plan).proof;
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 0; status == SOTTO_OK && i < s->plan->clients; i++) {
    sotto_error failure = {0};
    if (s->gone[i].status != SOTTO_OK) continue;
    status =
        sotto_i_check_receive(s->sides->clients[i], &sotto_i_check_proof_payload, s->words, size, &failure);
    if (status != SOTTO_OK) {
      status = note(s, i, status, &failure, err);
      continue;
    }
    if (!sotto_i_check_is_in(s->leader, i)) continue;
    status = sotto_i_check_take_proof(s->leader, i, s->words, &failure);
    status = verdict(status, &failure, err);
  }
  return status;
}

static sotto_status gather(service *s, sotto_error *err) {
  uint8_t challenge[SOTTO_I_CHECK_KEY];
  sotto_status status;
  SOTTO_TRY(sotto_i_check_receive(s->sides->helper, &sotto_i_check_key_payload, s->key, sizeof s->key, err));
  SOTTO_TRY(give_all(s, &sotto_i_check_key_payload, s->key, sizeof s->key, err));
  SOTTO_TRY(take_shares(s, err));
  SOTTO_TRY(sotto_i_check_send(s->sides->helper, &sotto_i_check_seeds_payload, s->boxes,
                               s->plan->clients * (size_t)SOTTO_I_CHECK_BOX, err));
  SOTTO_TRY(sotto_i_check_receive(s->sides->helper, &sotto_i_check_arrived_payload, s->buffers.states,
                                  sotto_i_check_states_size(s->plan), err));
  SOTTO_TRY(sotto_i_check_challenge(challenge, s->leader, s->buffers.states, err));
  SOTTO_TRY(give_all(s, &sotto_i_check_challenge_payload, challenge, sizeof challenge, err));
  SOTTO_TRY(take_proofs(s, err));
done:
  return status;
}

/* Receives each client's signature on its own messages, after the coin is known. */
static sotto_status take_evidence(sotto_i_check_question *question, const service *s, sotto_error *err) {
  sotto_status status = give_all(s, &sotto_i_check_coin_payload, question->coin, SOTTO_I_CHECK_KEY, err);
  for (uint32_t i = 0; status == SOTTO_OK && i < s->plan->clients; i++) {
    sotto_error failure = {0};
    uint8_t *evidence = s->evidence + i * (size_t)SOTTO_I_CHECK_EVIDENCE;
    const bool here = s->gone[i].status == SOTTO_OK;
    sotto_status came = SOTTO_OK;
    if (here)
      came = sotto_i_check_receive(s->sides->clients[i], &sotto_i_check_signed_payload, evidence,
                                   SOTTO_I_CHECK_EVIDENCE, &failure);
    status = note(s, i, came, &failure, err);
    sotto_i_check_take_evidence(question, s->leader, i, here && came == SOTTO_OK ? evidence : NULL,
                                s->boxes + i * (size_t)SOTTO_I_CHECK_BOX, s->signers);
  }
  return status;
}

/* Stores the signed messages of each refused client, and of the helper about it. */
static sotto_status keep_refused(const service *s, const uint8_t *verdicts,
                                 const sotto_i_check_question *question, const sotto_i_check_answer *answer,
                                 sotto_error *err) {
  const size_t points = sotto_i_check_message_sizes(s->plan).points;
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 0; i < s->plan->clients; i++) {
    if (verdicts[i] != SOTTO_I_CHECK_REFUSED) continue;
    sotto_i_check_refusal r = {.plan = *s->plan,
                               .place = i,
                               .points = question->points + i * points,
                               .helper_points = answer->points + i * points};
    memcpy(r.key, s->key, sizeof r.key);
    memcpy(r.box, s->boxes + i * (size_t)SOTTO_I_CHECK_BOX, sizeof r.box);
    memcpy(r.challenge, question->challenge, sizeof r.challenge);
    memcpy(r.coin, question->coin, sizeof r.coin);
    memcpy(r.evidence, s->evidence + i * (size_t)SOTTO_I_CHECK_EVIDENCE, sizeof r.evidence);
    memcpy(r.signature, s->refused + (size_t)i * SOTTO_SUM_SIGNATURE, sizeof r.signature);
    const sotto_i_check_signed what = {r.challenge, r.coin, r.box, r.signature, r.helper_points};
    if (!sotto_i_check_is_refused(s->plan, i, &what, s->signers->helper))
      return sotto_i_fail(err, SOTTO_PROTOCOL,
                          "the helper refuses client %u, and did not sign its values of it: nobody is named",
                          (unsigned)i + 1);
    if (s->sides->records != NULL) SOTTO_TRY(s->sides->records->refused(s->sides->records->context, &r, err));
  }
done:
  return status;
}

/* Asks the helper about the evidence of all clients, and settles who is in the sums. */
static sotto_status check_with_helper(int64_t *sums, uint8_t *verdicts, service *s, sotto_error *err) {
  sotto_i_check_buffers *b = &s->buffers;
  sotto_i_check_question question;
  sotto_status status;
  sotto_i_check_question_open(&question, b);
  SOTTO_TRY(sotto_i_check_ask(&question, s->leader, err));
  SOTTO_TRY(take_evidence(&question, s, err));
  sotto_i_check_question_close(b, &question);
  SOTTO_TRY(sotto_i_check_send(s->sides->helper, &sotto_i_check_question_payload, b->question,
                               b->question_size, err));
  SOTTO_TRY(
      sotto_i_check_send(s->sides->helper, &sotto_i_check_points_payload, b->asked, b->points_size, err));
  SOTTO_TRY(sotto_i_check_send(s->sides->helper, &sotto_i_check_evidence_payload, s->evidence,
                               s->plan->clients * (size_t)SOTTO_I_CHECK_EVIDENCE, err));
  SOTTO_TRY(sotto_i_check_receive(s->sides->helper, &sotto_i_check_verdicts_payload, b->states,
                                  sotto_i_check_states_size(s->plan), err));
  SOTTO_TRY(sotto_i_check_receive(s->sides->helper, &sotto_i_check_points_payload, b->answered,
                                  b->points_size, err));
  SOTTO_TRY(sotto_i_check_receive(s->sides->helper, &sotto_i_check_refused_payload, s->refused,
                                  (size_t)s->plan->clients * SOTTO_SUM_SIGNATURE, err));
  SOTTO_TRY(sotto_i_check_receive(s->sides->helper, &sotto_i_check_sums_payload, b->sums, 8 * s->plan->values,
                                  err));
  const sotto_i_check_answer answer = {b->states, b->answered, b->sums};
  SOTTO_TRY(sotto_i_check_finish(sums, verdicts, s->leader, &answer, err));
  SOTTO_TRY(keep_refused(s, verdicts, &question, &answer, err));
done:
  return status;
}

sotto_status sotto_i_check_serve(int64_t *sums, uint8_t *verdicts, sotto_error *gone,
                                 const sotto_i_check_sides *sides, const sotto_i_check_plan *plan,
                                 const sotto_i_check_signers *signers, sotto_error *err) {
  service s = {.plan = plan, .signers = signers, .sides = sides, .gone = gone};
  const size_t proof = sotto_i_check_message_sizes(plan).proof;
  sotto_status status;
  for (uint32_t i = 0; i < plan->clients; i++) {
    gone[i] = (sotto_error){.status = SOTTO_OK};
    if (sides->clients[i] == NULL) (void)sotto_i_fail(&gone[i], SOTTO_PROTOCOL, "it was gone before");
  }
  SOTTO_TRY(sotto_i_check_server_new(&s.leader, SOTTO_I_CHECK_LEADER, plan, err));
  SOTTO_TRY(sotto_i_check_buffers_new(&s.buffers, plan, err));
  SOTTO_TRY(sotto_i_new(&s.words, plan->values > proof ? plan->values : proof, sizeof *s.words, err));
  SOTTO_TRY(sotto_i_new(&s.boxes, plan->clients, SOTTO_I_CHECK_BOX, err));
  SOTTO_TRY(sotto_i_new(&s.evidence, plan->clients, SOTTO_I_CHECK_EVIDENCE, err));
  SOTTO_TRY(sotto_i_new(&s.refused, plan->clients, SOTTO_SUM_SIGNATURE, err));
  SOTTO_TRY(gather(&s, err));
  SOTTO_TRY(sotto_i_check_interrupt(err));
  SOTTO_TRY(check_with_helper(sums, verdicts, &s, err));
done:
  sotto_i_check_server_free(s.leader);
  sotto_i_check_buffers_free(&s.buffers);
  sotto_i_free(s.words);
  sotto_i_free(s.boxes);
  sotto_i_free(s.evidence);
  sotto_i_free(s.refused);
  return status;
}
