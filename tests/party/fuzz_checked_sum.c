/* Messages of a checked sum that are changed on their way, to either server: the sum ends with a result or
 * with an error. While the helper's answer is not changed, a result is the sum of the clients that are
 * accepted. Four bytes are a change: which message, where in it (two bytes), and by what. */
#include <stdlib.h>
#include <string.h>

#include "party/checked_sum/checked_sum.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { clients = 3, values = 4, most_words = 16384, bound = 20, messages = 12 };

static const int64_t own[clients][values] = {{1, -2, 3, 0}, {4, 0, 0, -2}, {0, 0, 0, 0}};
static uint64_t shares[values], proof[most_words];
static uint64_t asked[most_words], answered[most_words], sums_share[values];
static uint8_t in[clients], verdicts[clients], arrived[clients];

/* Which message: 0 to 2 shares of a client, 3 to 5 seeds, 6 to 8 proofs, then who arrived, question, answer.
 */
static bool change(void *message, size_t size, const uint8_t *data, size_t count, unsigned which) {
  bool changed = false;
  for (size_t i = 0; i + 4 <= count; i += 4) {
    if (data[i] % messages != which || data[i + 3] == 0) continue;
    ((uint8_t *)message)[(data[i + 1] * 256U + data[i + 2]) % size] ^= data[i + 3];
    changed = true;
  }
  return changed;
}

typedef struct servers {
  sotto_i_check_server *leader, *helper;
} servers;

static sotto_status run(const sotto_i_check_plan *plan, servers *s, int64_t *sums, uint8_t *found,
                        const uint8_t *data, size_t size) {
  const sotto_i_check_sizes sizes = sotto_i_check_message_sizes(plan);
  uint8_t seeds[clients][SOTTO_I_CHECK_KEY], given[SOTTO_I_CHECK_KEY], challenge[SOTTO_I_CHECK_KEY];
  sotto_i_check_question question = {.in = in, .points = asked};
  sotto_i_check_answer answer = {verdicts, answered, sums_share};
  if (sizes.proof > most_words || clients * sizes.points > most_words) abort();
  for (uint32_t i = 0; i < clients; i++) {
    if (sotto_i_check_share(shares, seeds[i], plan, i, own[i], NULL) != SOTTO_OK) abort();
    memcpy(given, seeds[i], sizeof given);
    change(shares, sizeof shares, data, size, i);
    change(given, sizeof given, data, size, clients + i);
    (void)sotto_i_check_take_shares(s->leader, i, shares, NULL);
    if (sotto_i_check_take_seed(s->helper, i, given, NULL) != SOTTO_OK) abort();
  }
  if (sotto_i_check_arrived(arrived, s->helper, NULL) != SOTTO_OK) abort();
  change(arrived, sizeof arrived, data, size, 3 * clients);
  sotto_status status = sotto_i_check_challenge(challenge, s->leader, arrived, NULL);
  if (status != SOTTO_OK) return status;
  for (uint32_t i = 0; i < clients; i++) {
    if (!sotto_i_check_is_in(s->leader, i)) continue;
    if (sotto_i_check_prove(proof, plan, i, own[i], seeds[i], challenge, NULL) != SOTTO_OK) abort();
    change(proof, sizes.proof * 8, data, size, 2 * clients + i);
    (void)sotto_i_check_take_proof(s->leader, i, proof, NULL);
  }
  if (sotto_i_check_ask(&question, s->leader, NULL) != SOTTO_OK) abort();
  change(in, sizeof in, data, size, 3 * clients + 1);
  change(asked, clients * sizes.points * 8, data, size, 3 * clients + 1);
  status = sotto_i_check_reply(&answer, s->helper, &question, NULL);
  if (status != SOTTO_OK) return status;
  if (change(verdicts, sizeof verdicts, data, size, 3 * clients + 2)) status = SOTTO_PROTOCOL;
  change(answered, clients * sizes.points * 8, data, size, 3 * clients + 2);
  const sotto_status end = sotto_i_check_finish(sums, found, s->leader, &answer, NULL);
  return end == SOTTO_OK ? status : end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const sotto_i_check_plan plan = {.clients = clients, .least = 1, .values = values, .bound = bound};
  servers s = {NULL, NULL};
  int64_t sums[values];
  uint8_t found[clients] = {0};
  if (size > 64) size = 64;
  if (sotto_i_check_server_new(&s.leader, SOTTO_I_CHECK_LEADER, &plan, NULL) != SOTTO_OK ||
      sotto_i_check_server_new(&s.helper, SOTTO_I_CHECK_HELPER, &plan, NULL) != SOTTO_OK)
    abort();
  if (run(&plan, &s, sums, found, data, size) == SOTTO_OK)
    for (size_t j = 0; j < values; j++) {
      int64_t sum = 0;
      for (uint32_t i = 0; i < clients; i++)
        if (found[i] == SOTTO_I_CHECK_ACCEPTED) sum += own[i][j];
      if (sums[j] != sum) abort();
    }
  sotto_i_check_server_free(s.leader);
  sotto_i_check_server_free(s.helper);
  return 0;
}
