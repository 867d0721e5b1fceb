/* The leader of a checked sum, and the shared code of both servers. */
#include "check_server.h"

#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

sotto_status sotto_i_check_server_new(sotto_i_check_server **out, sotto_i_check_role role,
                                      const sotto_i_check_plan *plan, sotto_error *err) {
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(sotto_i_check_plan_check(plan, err));
  SOTTO_TRY(sotto_i_new(out, 1, sizeof **out, err));
  sotto_i_check_server *s = *out;
  s->plan = *plan;
  s->shape = sotto_i_check_shape_of(plan);
  s->role = role;
  SOTTO_TRY(sotto_i_new(&s->state, plan->clients, 1, err));
  if (role == SOTTO_I_CHECK_HELPER) {
    SOTTO_TRY(sotto_i_new(&s->seeds, plan->clients, SOTTO_I_CHECK_KEY, err));
  } else {
    SOTTO_TRY(sotto_i_new(&s->shares, plan->clients, sizeof *s->shares, err));
    SOTTO_TRY(sotto_i_new(&s->proofs, plan->clients, s->shape.proof * sizeof *s->proofs, err));
    SOTTO_TRY(sotto_i_new(&s->points, plan->clients, s->shape.points * sizeof *s->points, err));
  }
done:
  if (status != SOTTO_OK) {
    sotto_i_check_server_free(*out);
    *out = NULL;
  }
  return status;
}

void sotto_i_check_server_free(sotto_i_check_server *server) {
  if (server == NULL) return;
  if (server->seeds != NULL) sodium_memzero(server->seeds, server->plan.clients * (size_t)SOTTO_I_CHECK_KEY);
  for (uint32_t i = 0; server->shares != NULL && i < server->plan.clients; i++)
    sotto_i_free(server->shares[i]);
  sotto_i_free(server->state);
  sotto_i_free(server->seeds);
  sotto_i_free(server->shares);
  sotto_i_free(server->proofs);
  sotto_i_free(server->points);
  sodium_memzero(server, sizeof *server);
  sotto_i_free(server);
}

/* What fails leaves the object where nothing more can be done with it. */
sotto_status sotto_i_check_enter(sotto_i_check_server *server, sotto_i_check_role role,
                                 sotto_i_check_step wanted, sotto_error *err) {
  if (server->role != role || server->next != wanted)
    return sotto_i_fail(err, SOTTO_INVALID, "a checked sum: steps are taken in order, each once");
  server->next = SOTTO_I_CHECK_STEP_OVER;
  return SOTTO_OK;
}

sotto_status sotto_i_check_expect(const sotto_i_check_server *server, uint32_t client, int state,
                                  sotto_error *err) {
  if (client >= server->plan.clients)
    return sotto_i_fail(err, SOTTO_INVALID, "client %u of %u in a checked sum", (unsigned)client + 1,
                        (unsigned)server->plan.clients);
  if (server->state[client] != state)
    return sotto_i_fail(err, SOTTO_INVALID, "client %u is at another step of a checked sum",
                        (unsigned)client + 1);
  return SOTTO_OK;
}

static sotto_status malformed(sotto_i_check_server *leader, uint32_t client, sotto_error *err) {
  leader->state[client] = SOTTO_I_CHECK_MALFORMED;
  return sotto_i_fail(err, SOTTO_PROTOCOL, "client %u sent words that are no numbers modulo the prime",
                      (unsigned)client + 1);
}

sotto_status sotto_i_check_take_shares(sotto_i_check_server *leader, uint32_t client, const uint64_t *shares,
                                       sotto_error *err) {
  if (leader->role != SOTTO_I_CHECK_LEADER || leader->next != SOTTO_I_CHECK_STEP_SHARES)
    return sotto_i_fail(err, SOTTO_INVALID, "shares of a checked sum come before the challenge");
  sotto_status status = sotto_i_check_expect(leader, client, SOTTO_I_CHECK_ABSENT, err);
  if (status != SOTTO_OK) return status;
  if (!sotto_i_check_canonical(shares, leader->plan.values)) return malformed(leader, client, err);
  status = sotto_i_new_raw(&leader->shares[client], leader->plan.values, sizeof *shares, err);
  if (status != SOTTO_OK) return status;
  memcpy(leader->shares[client], shares, leader->plan.values * sizeof *shares);
  leader->state[client] = SOTTO_I_CHECK_SHARED;
  return SOTTO_OK;
}

sotto_status sotto_i_check_challenge(uint8_t challenge[SOTTO_I_CHECK_KEY], sotto_i_check_server *leader,
                                     const uint8_t *arrived, sotto_error *err) {
  sotto_status status = sotto_i_check_enter(leader, SOTTO_I_CHECK_LEADER, SOTTO_I_CHECK_STEP_SHARES, err);
  if (status != SOTTO_OK) return status;
  for (uint32_t i = 0; i < leader->plan.clients; i++) {
    if (arrived[i] > 1)
      return sotto_i_fail(err, SOTTO_PROTOCOL, "whose seeds arrived: %u for client %u, must be 0 or 1",
                          (unsigned)arrived[i], (unsigned)i + 1);
    if (leader->state[i] == SOTTO_I_CHECK_SHARED && arrived[i] == 0) leader->state[i] = SOTTO_I_CHECK_ABSENT;
  }
  randombytes_buf(leader->challenge, sizeof leader->challenge);
  memcpy(challenge, leader->challenge, sizeof leader->challenge);
  leader->next = SOTTO_I_CHECK_STEP_PROOFS;
  return SOTTO_OK;
}

bool sotto_i_check_is_in(const sotto_i_check_server *server, uint32_t client) {
  return server->state[client] >= SOTTO_I_CHECK_SHARED || server->state[client] == SOTTO_I_CHECK_ACCEPTED;
}

sotto_status sotto_i_check_take_proof(sotto_i_check_server *leader, uint32_t client, const uint64_t *proof,
                                      sotto_error *err) {
  if (leader->role != SOTTO_I_CHECK_LEADER || leader->next != SOTTO_I_CHECK_STEP_PROOFS)
    return sotto_i_fail(err, SOTTO_INVALID, "proofs of a checked sum come between challenge and question");
  sotto_status status = sotto_i_check_expect(leader, client, SOTTO_I_CHECK_SHARED, err);
  if (status != SOTTO_OK) return status;
  if (!sotto_i_check_canonical(proof, leader->shape.proof)) return malformed(leader, client, err);
  memcpy(leader->proofs + client * leader->shape.proof, proof, leader->shape.proof * sizeof *proof);
  leader->state[client] = SOTTO_I_CHECK_PROVED;
  return SOTTO_OK;
}

static sotto_status fill_points(sotto_i_check_server *leader, sotto_error *err) {
  const size_t proof = leader->shape.proof, points = leader->shape.points;
  sotto_i_check_points p;
  sotto_status status;
  SOTTO_TRY(sotto_i_check_points_new(&p, &leader->plan, leader->role, leader->challenge, leader->coin, err));
  for (uint32_t i = 0; i < leader->plan.clients;) {
    const uint64_t *vectors[SOTTO_I_CHECK_GROUP], *proofs[SOTTO_I_CHECK_GROUP];
    uint64_t *out[SOTTO_I_CHECK_GROUP];
    size_t count = 0;
    for (; i < leader->plan.clients && count < SOTTO_I_CHECK_GROUP; i++) {
      if (leader->state[i] != SOTTO_I_CHECK_PROVED) continue;
      vectors[count] = leader->shares[i];
      proofs[count] = leader->proofs + i * proof;
      out[count++] = leader->points + i * points;
    }
    if (count > 0) SOTTO_TRY(sotto_i_check_points_of(out, &p, vectors, proofs, count, err));
  }
done:
  sotto_i_check_points_free(&p);
  return status;
}

sotto_status sotto_i_check_ask(sotto_i_check_question *out, sotto_i_check_server *leader, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_check_enter(leader, SOTTO_I_CHECK_LEADER, SOTTO_I_CHECK_STEP_PROOFS, err));
  for (uint32_t i = 0; i < leader->plan.clients; i++)
    if (leader->state[i] == SOTTO_I_CHECK_SHARED) leader->state[i] = SOTTO_I_CHECK_ABSENT;
  randombytes_buf(leader->coin, sizeof leader->coin);
  SOTTO_TRY(fill_points(leader, err));
  memcpy(out->challenge, leader->challenge, sizeof out->challenge);
  memcpy(out->coin, leader->coin, sizeof out->coin);
  for (uint32_t i = 0; i < leader->plan.clients; i++) out->in[i] = leader->state[i] == SOTTO_I_CHECK_PROVED;
  memcpy(out->points, leader->points, leader->plan.clients * leader->shape.points * sizeof *out->points);
  leader->next = SOTTO_I_CHECK_STEP_ANSWER;
done:
  return status;
}

/* The verdicts that follow from both sides' values; they have to be the helper's. */
static sotto_status judge(sotto_i_check_server *leader, const sotto_i_check_answer *answer,
                          sotto_error *err) {
  const size_t points = leader->shape.points;
  uint32_t accepted = 0;
  sotto_i_check_points p;
  sotto_status status;
  SOTTO_TRY(sotto_i_check_points_new(&p, &leader->plan, leader->role, leader->challenge, leader->coin, err));
  for (uint32_t i = 0; i < leader->plan.clients; i++) {
    if (leader->state[i] != SOTTO_I_CHECK_PROVED) continue;
    const bool holds = sotto_i_check_holds(&p, leader->points + i * points, answer->points + i * points);
    leader->state[i] = holds ? SOTTO_I_CHECK_ACCEPTED : SOTTO_I_CHECK_REFUSED;
    accepted += holds;
    if (answer->verdicts[i] != leader->state[i]) {
      status =
          sotto_i_fail(err, SOTTO_PROTOCOL, "the helper finds another verdict on client %u", (unsigned)i + 1);
      goto done;
    }
  }
  if (accepted < leader->plan.least)
    status = sotto_i_fail(err, SOTTO_PROTOCOL, "%u clients passed the check of their updates; a sum needs %u",
                          (unsigned)accepted, (unsigned)leader->plan.least);
done:
  sotto_i_check_points_free(&p);
  return status;
}

sotto_status sotto_i_check_finish(int64_t *sums, uint8_t *verdicts, sotto_i_check_server *leader,
                                  const sotto_i_check_answer *answer, sotto_error *err) {
  const sotto_i_check_plan *plan = &leader->plan;
  uint64_t *total = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_check_enter(leader, SOTTO_I_CHECK_LEADER, SOTTO_I_CHECK_STEP_ANSWER, err));
  if (!sotto_i_check_canonical(answer->points, plan->clients * leader->shape.points) ||
      !sotto_i_check_canonical(answer->sums, plan->values)) {
    status = sotto_i_fail(err, SOTTO_PROTOCOL, "the helper sent words that are no numbers modulo the prime");
    goto done;
  }
  status = judge(leader, answer, err);
  memcpy(verdicts, leader->state, plan->clients);
  if (status != SOTTO_OK) goto done;
  SOTTO_TRY(sotto_i_new_raw(&total, plan->values, sizeof *total, err));
  memcpy(total, answer->sums, plan->values * sizeof *total);
  for (uint32_t i = 0; i < plan->clients; i++)
    if (leader->state[i] == SOTTO_I_CHECK_ACCEPTED)
      sotto_i_prime_best()->add(total, leader->shares[i], plan->values);
  for (size_t i = 0; i < plan->values; i++) sums[i] = sotto_i_prime_signed(total[i]);
done:
  sotto_i_free(total);
  return status;
}
