/* The steps of a secure sum as payloads over links. */
#include "sum_links.h"

#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"

enum { steps = 5, step_signature = 3 };

/* Messages to clients before a step, and from them in it; the plan determines their sizes. */
static const struct {
  const char *given, *answer;
  sotto_wire_kind given_kind, answer_kind;
} messages[steps] = {
    {NULL, "sum keys", SOTTO_WIRE_PUBLIC, SOTTO_WIRE_SHARE},
    {"sum neighbour keys", "sum boxes", SOTTO_WIRE_SHARE, SOTTO_WIRE_SEALED},
    {"sum neighbour boxes", "sum masked", SOTTO_WIRE_SEALED, SOTTO_WIRE_SEALED},
    {"sum states", "sum signature", SOTTO_WIRE_PUBLIC, SOTTO_WIRE_PUBLIC},
    {"sum signatures", "sum reveal", SOTTO_WIRE_PUBLIC, SOTTO_WIRE_SHARE},
};

static size_t given_size(const sotto_sum_plan *plan, int step) {
  const sotto_sum_sizes s = sotto_sum_message_sizes(plan);
  const size_t sizes[steps] = {0, s.neighbour_keys, s.neighbour_boxes, s.states, s.signatures};
  return sizes[step];
}

static size_t answer_size(const sotto_sum_plan *plan, int step) {
  const sotto_sum_sizes s = sotto_sum_message_sizes(plan);
  const size_t sizes[steps] = {s.keys, s.boxes, s.masked, s.signature, s.reveal};
  return sizes[step];
}

/* Buffers for the largest message of either kind. */
static sotto_status buffers_new(uint8_t **given, uint8_t **answer, const sotto_sum_plan *plan,
                                sotto_error *err) {
  size_t most_given = 0, most_answer = 0;
  for (int step = 0; step < steps; step++) {
    if (given_size(plan, step) > most_given) most_given = given_size(plan, step);
    if (answer_size(plan, step) > most_answer) most_answer = answer_size(plan, step);
  }
  sotto_status status = sotto_i_new(given, most_given, 1, err);
  return status == SOTTO_OK ? sotto_i_new(answer, most_answer, 1, err) : status;
}

static sotto_status send(sotto_link *link, const char *name, sotto_wire_kind kind, const void *data,
                         size_t size, sotto_error *err) {
  const sotto_words words = {.name = name, .kind = kind, .data = data, .rows = 1, .cols = size / 4};
  return sotto_link_send_words(link, &words, err);
}

static sotto_status receive(sotto_link *link, void *out, const char *name, sotto_wire_kind kind, size_t size,
                            sotto_error *err) {
  const sotto_expectation expected = {.name = name, .kind = kind, .rows = 1, .cols = size / 4};
  return sotto_link_receive_words(link, out, &expected, err);
}

/* Records the failure of a link. A link that is lost for good is a client that dropped. Any other failure
 * ends the server's part: the client returns when the run restarts, and the round is repeated with the same
 * clients. */
static sotto_status record_failure(sotto_error *gone, const sotto_link *link, sotto_status status,
                                   const sotto_error *failure, sotto_error *err) {
  if (status == SOTTO_OK) return SOTTO_OK;
  *gone = *failure;
  if (sotto_i_link_lost(link) && status != SOTTO_INTERRUPTED && status != SOTTO_NOMEM) return SOTTO_OK;
  if (err != NULL) *err = *failure;
  return status;
}

/* Each client's time starts here, however long the server waited for another one. */
static sotto_status give_all(const sotto_sum_server *server, sotto_error *gone, sotto_link *const *links,
                             const sotto_sum_plan *plan, int step, double limit, uint8_t *buffer,
                             sotto_error *err) {
  for (uint32_t i = 0; i < plan->clients; i++) {
    sotto_error failure = {0};
    if (gone[i].status != SOTTO_OK || !sotto_sum_server_has(server, i)) continue;
    sotto_status status = sotto_sum_server_give(server, i, buffer, err);
    if (status != SOTTO_OK) return status;
    if (limit > 0) sotto_i_link_limit(links[i], limit);
    status = send(links[i], messages[step].given, messages[step].given_kind, buffer, given_size(plan, step),
                  &failure);
    status = record_failure(&gone[i], links[i], status, &failure, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

/* A signature of zeros: this client signed another set in this round, and declines the sum. */
static bool declines(const uint8_t *answer, int step, const sotto_sum_plan *plan) {
  return step == step_signature && sodium_is_zero(answer, answer_size(plan, step)) == 1;
}

static sotto_status take_all(sotto_sum_server *server, sotto_error *gone, sotto_link *const *links,
                             const sotto_sum_plan *plan, int step, uint8_t *buffer, bool *declined,
                             sotto_error *err) {
  for (uint32_t i = 0; i < plan->clients; i++) {
    sotto_error failure = {0};
    if (gone[i].status != SOTTO_OK || !sotto_sum_server_has(server, i)) continue;
    sotto_status status = receive(links[i], buffer, messages[step].answer, messages[step].answer_kind,
                                  answer_size(plan, step), &failure);
    if (status == SOTTO_OK && declined != NULL && declines(buffer, step, plan)) {
      *declined = true;
    } else if (status == SOTTO_OK) {
      status = sotto_sum_server_take(server, i, buffer, &failure);
      if (status != SOTTO_OK) sotto_link_close(links[i], SOTTO_I_BREACH_REASON);
    }
    status = record_failure(&gone[i], links[i], status, &failure, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

/* Ends the sum at all clients that got the states: signatures of zeros mean that there is no sum. */
static sotto_status tell_declined(const sotto_sum_server *server, sotto_error *gone, sotto_link *const *links,
                                  const sotto_sum_plan *plan, uint8_t *buffer, sotto_error *err) {
  const int step = step_signature + 1;
  memset(buffer, 0, given_size(plan, step));
  for (uint32_t i = 0; i < plan->clients; i++) {
    sotto_error failure = {0};
    if (gone[i].status != SOTTO_OK || !sotto_sum_server_has(server, i)) continue;
    sotto_status status = send(links[i], messages[step].given, messages[step].given_kind, buffer,
                               given_size(plan, step), &failure);
    status = record_failure(&gone[i], links[i], status, &failure, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_sum_serve(uint64_t *sums, uint32_t *summed, sotto_error *gone, sotto_link *const *links,
                               const sotto_sum_plan *plan, double limit, bool *declined, sotto_error *err) {
  sotto_sum_server *server = NULL;
  uint8_t *given = NULL, *answer = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_sum_server_new(&server, plan, err));
  SOTTO_TRY(buffers_new(&given, &answer, plan, err));
  if (declined != NULL) *declined = false;
  for (uint32_t i = 0; i < plan->clients; i++) {
    gone[i] = (sotto_error){.status = SOTTO_OK};
    if (links[i] == NULL) (void)sotto_i_fail(&gone[i], SOTTO_PROTOCOL, "it was gone before");
  }
  for (int step = 0; step < steps; step++) {
    SOTTO_TRY(sotto_i_check_interrupt(err));
    if (step > 0) SOTTO_TRY(give_all(server, gone, links, plan, step, limit, given, err));
    SOTTO_TRY(take_all(server, gone, links, plan, step, answer, declined, err));
    if (declined != NULL && *declined) {
      SOTTO_TRY(tell_declined(server, gone, links, plan, given, err));
      goto done;
    }
    SOTTO_TRY(sotto_sum_server_next(server, err));
  }
  SOTTO_TRY(sotto_sum_server_finish(server, sums, summed, err));
done:
  sotto_sum_server_free(server);
  sotto_i_free(given);
  sotto_i_free(answer);
  return status;
}

/* Signs the survivors. `keep` stores them before the signature is sent. A signature of zeros declines. */
static sotto_status sign_survivors(const sotto_i_sum_member *member, sotto_sum_client *client,
                                   uint8_t *signature, const uint8_t *states, sotto_error *err) {
  uint8_t set[SOTTO_SUM_DIGEST];
  sotto_error refused = {0};
  sotto_status status = sotto_sum_client_sign(client, signature, set, states, err);
  if (status != SOTTO_OK || member->keep == NULL) return status;
  status = member->keep(member->context, member->plan->round, set, &refused);
  if (status == SOTTO_PROTOCOL && member->declined != NULL) {
    memset(signature, 0, answer_size(member->plan, step_signature));
    *member->declined = true;
    return SOTTO_OK;
  }
  return status == SOTTO_OK ? SOTTO_OK : sotto_i_fail(err, status, "%s", refused.text);
}

/* Is the sum given up, by this client or by another one? */
static bool given_up(const sotto_i_sum_member *member, int step, const uint8_t *given) {
  if (member->declined == NULL || step != step_signature + 1) return false;
  if (sodium_is_zero(given, given_size(member->plan, step)) == 1) *member->declined = true;
  return *member->declined;
}

static sotto_status answer_step(const sotto_i_sum_member *member, sotto_sum_client *client, int step,
                                uint8_t *answer, const uint8_t *given, sotto_error *err) {
  if (step == 0) return sotto_sum_client_keys(client, answer, err);
  if (step == 1) return sotto_sum_client_boxes(client, answer, given, err);
  if (step == 2) return sotto_sum_client_mask(client, (uint64_t *)(void *)answer, given, member->values, err);
  if (step == 3) return sign_survivors(member, client, answer, given, err);
  return sotto_sum_client_reveal(client, answer, given, err);
}

sotto_status sotto_i_sum_take_part(sotto_link *link, const sotto_i_sum_member *member, sotto_error *err) {
  const sotto_sum_plan *plan = member->plan;
  sotto_sum_client *client = NULL;
  uint8_t *given = NULL, *answer = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_sum_client_new(&client, plan, member->number, member->secret, err));
  SOTTO_TRY(buffers_new(&given, &answer, plan, err));
  if (member->declined != NULL) *member->declined = false;
  for (int step = 0; step < steps; step++) {
    if (step > 0)
      SOTTO_TRY(
          receive(link, given, messages[step].given, messages[step].given_kind, given_size(plan, step), err));
    if (given_up(member, step, given)) goto done;
    SOTTO_TRY(answer_step(member, client, step, answer, given, err));
    SOTTO_TRY(
        send(link, messages[step].answer, messages[step].answer_kind, answer, answer_size(plan, step), err));
  }
done:
  sotto_sum_client_free(client);
  sotto_i_free(given);
  sotto_i_free(answer);
  return status;
}
