/* The helper of a checked sum: it has a seed of each client, and expands eight clients' shares at a time. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "check_server.h"

enum { add_grain = 1 << 16 };

sotto_status sotto_i_check_take_seed(sotto_i_check_server *helper, uint32_t client,
                                     const uint8_t seed[SOTTO_I_CHECK_KEY], sotto_error *err) {
  if (helper->role != SOTTO_I_CHECK_HELPER || helper->next != SOTTO_I_CHECK_STEP_SHARES)
    return sotto_i_fail(err, SOTTO_INVALID, "seeds of a checked sum come before it is said who arrived");
  sotto_status status = sotto_i_check_expect(helper, client, SOTTO_I_CHECK_ABSENT, err);
  if (status != SOTTO_OK) return status;
  memcpy(helper->seeds + client * (size_t)SOTTO_I_CHECK_KEY, seed, SOTTO_I_CHECK_KEY);
  helper->state[client] = SOTTO_I_CHECK_SHARED;
  return SOTTO_OK;
}

sotto_status sotto_i_check_arrived(uint8_t *arrived, sotto_i_check_server *helper, sotto_error *err) {
  sotto_status status = sotto_i_check_enter(helper, SOTTO_I_CHECK_HELPER, SOTTO_I_CHECK_STEP_SHARES, err);
  if (status != SOTTO_OK) return status;
  for (uint32_t i = 0; i < helper->plan.clients; i++) arrived[i] = helper->state[i] == SOTTO_I_CHECK_SHARED;
  helper->next = SOTTO_I_CHECK_STEP_PROOFS;
  return SOTTO_OK;
}

/* Who is in, by the question. */
static sotto_status enter_question(sotto_i_check_server *helper, const sotto_i_check_question *question,
                                   sotto_error *err) {
  const uint32_t clients = helper->plan.clients;
  sotto_status status;
  SOTTO_TRY(sotto_i_check_enter(helper, SOTTO_I_CHECK_HELPER, SOTTO_I_CHECK_STEP_PROOFS, err));
  for (uint32_t i = 0; i < clients; i++) {
    if (question->in[i] > (helper->state[i] == SOTTO_I_CHECK_SHARED))
      return sotto_i_fail(err, SOTTO_PROTOCOL, "a question about client %u, whose seed did not arrive",
                          (unsigned)i + 1);
    helper->state[i] = question->in[i] ? SOTTO_I_CHECK_PROVED : SOTTO_I_CHECK_ABSENT;
  }
  if (!sotto_i_check_canonical(question->points, clients * helper->shape.points))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the leader sent words that are no numbers modulo the prime");
done:
  return status;
}

/* Eight clients at a time. */
typedef struct expanded {
  uint32_t clients[SOTTO_I_CHECK_GROUP];
  size_t count;
  uint64_t *vectors[SOTTO_I_CHECK_GROUP], *proofs[SOTTO_I_CHECK_GROUP];
} expanded;

static void expanded_free(expanded *e, const sotto_i_check_server *helper) {
  for (int i = 0; i < SOTTO_I_CHECK_GROUP; i++) {
    if (e->vectors[i] != NULL) sodium_memzero(e->vectors[i], helper->plan.values * sizeof(uint64_t));
    if (e->proofs[i] != NULL) sodium_memzero(e->proofs[i], helper->shape.proof * sizeof(uint64_t));
    sotto_i_free(e->vectors[i]);
    sotto_i_free(e->proofs[i]);
  }
}

static void expand_vector(uint64_t *out, const sotto_i_check_server *helper, uint32_t client) {
  sotto_key key;
  sotto_i_check_vector_key(&key, &helper->plan, client, helper->seeds + client * (size_t)SOTTO_I_CHECK_KEY);
  sotto_i_prime_expand(out, helper->plan.values, &key, 0);
  sotto_key_wipe(&key);
}

/* The next clients that are in, from *from on. */
static sotto_status expand_group(expanded *e, uint32_t *from, const sotto_i_check_server *helper,
                                 const uint8_t *challenge, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (e->count = 0; *from < helper->plan.clients && e->count < SOTTO_I_CHECK_GROUP; ++*from) {
    const uint32_t client = *from;
    const size_t i = e->count;
    sotto_key key;
    if (helper->state[client] != SOTTO_I_CHECK_PROVED) continue;
    if (e->vectors[i] == NULL)
      SOTTO_TRY(sotto_i_new_raw(&e->vectors[i], helper->plan.values, sizeof(uint64_t), err));
    if (e->proofs[i] == NULL)
      SOTTO_TRY(sotto_i_new_raw(&e->proofs[i], helper->shape.proof, sizeof(uint64_t), err));
    expand_vector(e->vectors[i], helper, client);
    sotto_i_check_proof_key(&key, &helper->plan, client, helper->seeds + client * (size_t)SOTTO_I_CHECK_KEY,
                            challenge);
    sotto_i_prime_expand(e->proofs[i], helper->shape.proof, &key, 0);
    sotto_key_wipe(&key);
    e->clients[e->count++] = client;
  }
done:
  return status;
}

typedef struct addition {
  uint64_t *sums;
  const expanded *from;
} addition;

static void add_range(void *context, size_t begin, size_t end) {
  const addition *a = context;
  for (size_t i = 0; i < a->from->count; i++)
    sotto_i_prime_best()->add(a->sums + begin, a->from->vectors[i] + begin, end - begin);
}

/* Values and verdicts of all, and the sum of all; who is refused is taken out of it afterwards. */
static sotto_status examine(sotto_i_check_answer *out, uint64_t *sums, expanded *e,
                            sotto_i_check_server *helper, const sotto_i_check_question *question,
                            sotto_error *err) {
  const size_t points = helper->shape.points;
  sotto_i_check_points p;
  sotto_status status;
  SOTTO_TRY(
      sotto_i_check_points_new(&p, &helper->plan, helper->role, question->challenge, question->coin, err));
  for (uint32_t from = 0; from < helper->plan.clients;) {
    uint64_t *group[SOTTO_I_CHECK_GROUP];
    addition a = {sums, e};
    SOTTO_TRY(expand_group(e, &from, helper, question->challenge, err));
    if (e->count == 0) break;
    for (size_t i = 0; i < e->count; i++) group[i] = out->points + e->clients[i] * points;
    SOTTO_TRY(sotto_i_check_points_of(group, &p, (const uint64_t *const *)e->vectors,
                                      (const uint64_t *const *)e->proofs, e->count, err));
    sotto_i_parallel(helper->plan.values, add_grain, add_range, &a);
    for (size_t i = 0; i < e->count; i++) {
      const bool holds = sotto_i_check_holds(&p, question->points + e->clients[i] * points, group[i]);
      helper->state[e->clients[i]] = holds ? SOTTO_I_CHECK_ACCEPTED : SOTTO_I_CHECK_REFUSED;
    }
  }
done:
  sotto_i_check_points_free(&p);
  return status;
}

/* The sum without who was refused, if enough are left. */
static sotto_status take_out(uint64_t *sums, expanded *e, const sotto_i_check_server *helper,
                             sotto_error *err) {
  uint32_t accepted = 0;
  for (uint32_t i = 0; i < helper->plan.clients; i++) accepted += helper->state[i] == SOTTO_I_CHECK_ACCEPTED;
  if (accepted < helper->plan.least)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "%u clients passed the check of their updates; a sum needs %u",
                        (unsigned)accepted, (unsigned)helper->plan.least);
  for (uint32_t i = 0; i < helper->plan.clients; i++) {
    if (helper->state[i] != SOTTO_I_CHECK_REFUSED) continue;
    expand_vector(e->vectors[0], helper, i);
    sotto_i_prime_best()->subtract(sums, e->vectors[0], helper->plan.values);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_check_reply(sotto_i_check_answer *out, sotto_i_check_server *helper,
                                 const sotto_i_check_question *question, sotto_error *err) {
  const sotto_i_check_plan *plan = &helper->plan;
  uint64_t *sums = NULL;
  expanded e = {.count = 0};
  sotto_status status;
  SOTTO_TRY(enter_question(helper, question, err));
  memset(out->points, 0, plan->clients * helper->shape.points * sizeof *out->points);
  memset(out->verdicts, 0, plan->clients);
  SOTTO_TRY(sotto_i_new(&sums, plan->values, sizeof *sums, err));
  SOTTO_TRY(examine(out, sums, &e, helper, question, err));
  memcpy(out->verdicts, helper->state, plan->clients);
  SOTTO_TRY(take_out(sums, &e, helper, err));
  memcpy(out->sums, sums, plan->values * sizeof *sums);
done:
  if (sums != NULL) sodium_memzero(sums, plan->values * sizeof *sums);
  sotto_i_free(sums);
  expanded_free(&e, helper);
  return status;
}
