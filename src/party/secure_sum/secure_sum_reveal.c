/* The end of a client's part in a secure sum: it signs the survivors, and reveals shares once enough other
 * clients signed the same. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "secure_sum_client.h"

/* Checks the states against the client's own knowledge: it sent its vector, and it has certain shares. */
static sotto_status check_own_states(const sotto_sum_client *c, const uint8_t *states, sotto_error *err) {
  for (uint32_t i = 0; i < c->plan.clients; i++)
    if (states[i] > SOTTO_I_SUM_DROPPED)
      return sotto_i_fail(err, SOTTO_PROTOCOL,
                          "client %u: the server states something impossible of client %u; nothing is signed",
                          (unsigned)c->client, (unsigned)i);
  if (states[c->client] != SOTTO_I_SUM_LASTED)
    return sotto_i_fail(
        err, SOTTO_PROTOCOL,
        "client %u: the server says that this client dropped, and it did not; nothing is signed",
        (unsigned)c->client);
  for (uint32_t i = 0; i < c->plan.neighbours; i++) {
    const sotto_i_sum_neighbour *n = &c->neighbours[i];
    if ((states[n->client] != SOTTO_I_SUM_ABSENT) != n->has_box)
      return sotto_i_fail(
          err, SOTTO_PROTOCOL,
          "client %u: the server states something impossible of client %u: its shares %s; nothing is "
          "signed",
          (unsigned)c->client, (unsigned)n->client, n->has_box ? "came" : "never came here");
  }
  return SOTTO_OK;
}

sotto_status sotto_sum_client_sign(sotto_sum_client *client, uint8_t *signature,
                                   uint8_t set[SOTTO_SUM_DIGEST], const uint8_t *states, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_sum_enter(client, SOTTO_I_SUM_STEP_SIGN, err));
  SOTTO_TRY(check_own_states(client, states, err));
  SOTTO_TRY(sotto_i_sum_states_check(&client->plan, "masked vectors", states, err));
  memcpy(client->states, states, client->plan.clients);
  sotto_i_sum_states_digest(client->accepted.states, states, client->plan.clients);
  sotto_i_sum_sign_accepted(signature, &client->accepted, client->client, client->signer);
  sotto_i_sum_set_digest(set, client->accepted.plan, states, client->plan.clients);
  client->next = SOTTO_I_SUM_STEP_REVEAL;
done:
  return status;
}

/* Did enough clients sign the same states: of all, and of each client's neighbours? A client that signs has
 * all its masks with surviving clients, so each survivor stays connected with the rest. */
static sotto_status check_signatures(const sotto_sum_client *c, const uint8_t *signatures, sotto_error *err) {
  uint8_t *signed_by = NULL; /* states, where survivors that did not sign are marked as dropped */
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&signed_by, c->plan.clients, sizeof *signed_by, err));
  memcpy(signed_by, c->states, c->plan.clients);
  for (uint32_t i = 0; i < c->plan.clients; i++) {
    const uint8_t *signature = signatures + (size_t)i * SOTTO_SUM_SIGNATURE;
    if (i == c->client || c->states[i] != SOTTO_I_SUM_LASTED) continue;
    if (sotto_i_sum_is_zero(signature, SOTTO_SUM_SIGNATURE)) {
      signed_by[i] = SOTTO_I_SUM_DROPPED;
      continue;
    }
    if (sotto_i_sum_accepted_signed(signature, &c->accepted, i, c->plan.signers)) continue;
    status = sotto_i_fail(err, SOTTO_PROTOCOL,
                          "client %u: client %u did not sign the survivors that the server named here: the "
                          "server, or client %u, lies; nothing is revealed",
                          (unsigned)c->client, (unsigned)i, (unsigned)i);
    goto done;
  }
  status = sotto_i_sum_states_check(&c->plan, "signatures", signed_by, err);
done:
  sotto_i_free(signed_by);
  return status;
}

sotto_status sotto_sum_client_reveal(sotto_sum_client *client, uint8_t *reveal, const uint8_t *signatures,
                                     sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_sum_enter(client, SOTTO_I_SUM_STEP_REVEAL, err));
  SOTTO_TRY(check_signatures(client, signatures, err));
  memset(reveal, 0, (size_t)client->plan.neighbours * SOTTO_I_SUM_KEY);
  for (uint32_t i = 0; i < client->plan.neighbours; i++) {
    const sotto_i_sum_neighbour *n = &client->neighbours[i];
    const uint8_t state = client->states[n->client];
    if (state == SOTTO_I_SUM_ABSENT) continue;
    memcpy(reveal + (size_t)i * SOTTO_I_SUM_KEY,
           state == SOTTO_I_SUM_LASTED ? n->shares : n->shares + SOTTO_I_SUM_KEY, SOTTO_I_SUM_KEY);
  }
done:
  return status;
}
