/* An arbiter about a client that a checked sum refused. */
#include "check_dispute.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "check_inside.h"

static sotto_status check_numbers(const sotto_i_check_refusal *r, sotto_error *err) {
  const size_t points = sotto_i_check_message_sizes(&r->plan).points;
  if (r->place >= r->plan.clients || r->client >= r->clients)
    return sotto_i_fail(err, SOTTO_RANGE, "a record of client %u of %u, at place %u of %u",
                        (unsigned)r->client + 1, (unsigned)r->clients, (unsigned)r->place + 1,
                        (unsigned)r->plan.clients);
  if (!sotto_i_check_canonical(r->points, points) || !sotto_i_check_canonical(r->helper_points, points))
    return sotto_i_fail(err, SOTTO_CORRUPT, "values of the record are no numbers modulo the prime");
  return SOTTO_OK;
}

/* The helper's values, from what the client's seed expands to. */
static sotto_status values_of(uint64_t *out, const sotto_i_check_refusal *r, const sotto_i_check_kept *kept,
                              sotto_error *err) {
  const sotto_i_check_plan *plan = &r->plan;
  const size_t proof_size = sotto_i_check_message_sizes(plan).proof;
  uint64_t *vector = NULL, *proof = NULL;
  sotto_i_check_points p = {.plan = NULL};
  sotto_key key;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&vector, plan->values, sizeof *vector, err));
  SOTTO_TRY(sotto_i_new_raw(&proof, proof_size, sizeof *proof, err));
  sotto_i_check_vector_key(&key, plan, r->place, kept->seed);
  sotto_i_prime_expand(vector, plan->values, &key, 0);
  sotto_i_check_proof_key(&key, plan, r->place, kept->seed, r->challenge);
  sotto_i_prime_expand(proof, proof_size, &key, 0);
  sotto_key_wipe(&key);
  SOTTO_TRY(sotto_i_check_points_new(&p, plan, SOTTO_I_CHECK_HELPER, r->challenge, r->coin, err));
  SOTTO_TRY(sotto_i_check_points_of(&out, &p, (const uint64_t *const *)&vector,
                                    (const uint64_t *const *)&proof, 1, err));
done:
  sotto_i_check_points_free(&p);
  sotto_i_free(vector);
  sotto_i_free(proof);
  return status;
}

/* Does the client's record belong to the message that it signed? */
static bool belongs(sotto_i_check_finding *out, const sotto_i_check_refusal *r,
                    const sotto_i_check_kept *kept) {
  if (kept == NULL) {
    *out = SOTTO_I_CHECK_UNANSWERED;
    return false;
  }
  if (kept->client != r->client || kept->of.round != r->of.round ||
      memcmp(kept->of.run, r->of.run, sizeof r->of.run) != 0 ||
      memcmp(kept->of.model, r->of.model, sizeof r->of.model) != 0 ||
      memcmp(kept->box, r->box, sizeof r->box) != 0) {
    *out = SOTTO_I_CHECK_OTHER_RECORD;
    return false;
  }
  *out = SOTTO_I_CHECK_CHANGED;
  return sotto_i_check_is_sealed(r->box, kept->seed, kept->opening, r->key);
}

/* What the leader shows, if it proves anything. */
static bool is_proof(sotto_i_check_finding *out, const sotto_i_check_refusal *r,
                     const uint8_t client[SOTTO_SUM_PUBLIC], const uint8_t helper[SOTTO_SUM_PUBLIC]) {
  const sotto_i_check_signed values = {r->challenge, r->coin, r->box, r->evidence, r->points};
  const sotto_i_check_signed answer = {r->challenge, r->coin, r->box, r->signature, r->helper_points};
  if (!sotto_i_check_box_signed(r->box, &r->plan, r->place, r->key, client) ||
      !sotto_i_check_is_signed(&r->plan, r->place, &values, client))
    *out = SOTTO_I_CHECK_NOT_CLIENTS;
  else if (!sotto_i_check_key_signed(r->key, &r->plan, helper) ||
           !sotto_i_check_is_refused(&r->plan, r->place, &answer, helper))
    *out = SOTTO_I_CHECK_NOT_HELPERS;
  else
    return true;
  return false;
}

sotto_status sotto_i_check_decide(sotto_i_check_finding *out, const sotto_i_check_refusal *refusal,
                                  const sotto_i_check_kept *kept, const uint8_t client[SOTTO_SUM_PUBLIC],
                                  const uint8_t helper[SOTTO_SUM_PUBLIC], sotto_error *err) {
  sotto_i_check_refusal of_occasion = *refusal;
  const sotto_i_check_refusal *r = &of_occasion;
  sotto_i_check_points p = {.plan = NULL};
  uint64_t *again = NULL;
  sotto_status status;
  sotto_i_check_token(of_occasion.plan.token, &refusal->of);
  SOTTO_TRY(sotto_i_check_plan_check(&r->plan, err));
  SOTTO_TRY(check_numbers(r, err));
  if (!is_proof(out, r, client, helper)) goto done;
  SOTTO_TRY(sotto_i_check_points_new(&p, &r->plan, SOTTO_I_CHECK_LEADER, r->challenge, r->coin, err));
  if (sotto_i_check_holds(&p, r->points, r->helper_points)) {
    *out = SOTTO_I_CHECK_NO_FAILURE;
    goto done;
  }
  if (!belongs(out, r, kept)) goto done;
  SOTTO_TRY(sotto_i_new(&again, p.shape.points, sizeof *again, err));
  SOTTO_TRY(values_of(again, r, kept, err));
  *out = sotto_i_check_holds(&p, r->points, again) ? SOTTO_I_CHECK_KEPT_BOUND : SOTTO_I_CHECK_BROKE_BOUND;
done:
  sotto_i_check_points_free(&p);
  sotto_i_free(again);
  return status;
}
