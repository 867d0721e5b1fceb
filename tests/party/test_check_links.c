/* Checked sums over links: clients that cheat or hang up are named and left out; keys and seeds that are not
 * signed by their owner are refused. */
#include <pthread.h>
#include <sodium.h>

#include "check.h"
#include "check_round.h"
#include "inside/party.h"
#include "party/checked_sum/check_dispute.h"
#include "party/checked_sum/check_payloads.h"

enum { clients = 5, values = 40, bound = 10000 };
typedef enum conduct {
  HONEST,
  TOO_LONG,
  HANGS_UP,
  HANGS_UP_LATE,
  FORGED,
  GARBAGE,
  UNSIGNED,
  OTHER_WORDS,
  LIES, /* the helper: about client 3 */
  LIES_UNSIGNED
} conduct;

typedef struct side {
  sotto_link *link;
  uint32_t number; /* `clients`: the helper */
  conduct how;
  sotto_i_check_signers signers;
  int64_t x[values];
  sotto_i_check_kept kept; /* of a client, in the end */
  uint8_t verdicts[clients];
  sotto_status status;
  sotto_error error;
} side;

static struct stage {
  sotto_i_check_plan plan;
  uint8_t publics[clients + 1][SOTTO_SUM_PUBLIC], secrets[clients + 1][SOTTO_SUM_SECRET];
  side sides[clients + 1];
  int64_t sums[values];
  uint8_t verdicts[clients];
  sotto_error gone[clients];
  const sotto_i_check_memory *memory; /* the helper's */
  sotto_i_check_refusal refused;      /* of the last client that was refused; its values are below */
  uint64_t values[2][1024];
  uint32_t refusals;
} s;

/* What a client of its own making sends. */
static void cheat(side *c) {
  uint64_t x[values], shares[values] = {0}, *proof;
  uint8_t key[SOTTO_I_CHECK_SIGNED_KEY], *challenge, evidence[SOTTO_I_CHECK_EVIDENCE];
  uint8_t *seed = c->kept.seed, *box = c->kept.box;
  sotto_i_check_question of = {.in = NULL};
  bool fits;
  challenge = of.challenge;
  c->kept.client = c->number;
  for (size_t i = 0; i < values; i++) x[i] = c->how == TOO_LONG ? 1000 : i;
  CHECK_OK(sotto_i_check_receive(c->link, &sotto_i_check_key_payload, key, sizeof key, &err));
  CHECK_OK(sotto_i_check_share_any(shares, seed, &s.plan, c->number, x, &err));
  if (c->how == GARBAGE) memset(shares, 255, sizeof shares);
  CHECK_OK(sotto_i_check_seal(box, c->kept.opening, &s.plan, c->number, seed, key, &c->signers, &err));
  if (c->how == FORGED) box[0] ^= 1;
  CHECK_OK(sotto_i_check_send(c->link, &sotto_i_check_shares_payload, shares, sizeof shares, &err));
  if (c->how == HANGS_UP) {
    sotto_link_close(c->link, "the client hung up");
    return;
  }
  CHECK_OK(sotto_i_check_send(c->link, &sotto_i_check_seed_payload, box, SOTTO_I_CHECK_BOX, &err));
  CHECK_OK(sotto_i_check_receive(c->link, &sotto_i_check_challenge_payload, challenge, 32, &err));
  if (c->how == HANGS_UP_LATE) {
    sotto_link_close(c->link, "the client hung up");
    return;
  }
  const size_t size = sotto_i_check_message_sizes(&s.plan).proof;
  CHECK_OK(sotto_i_new(&proof, size, sizeof *proof, &err));
  CHECK_OK(sotto_i_check_prove_any(proof, &fits, &s.plan, c->number, x, seed, challenge, &err));
  CHECK_OK(sotto_i_check_send(c->link, &sotto_i_check_proof_payload, proof, 8 * size, &err));
  CHECK_OK(sotto_i_check_receive(c->link, &sotto_i_check_coin_payload, of.coin, 32, &err));
  if (c->how == OTHER_WORDS) shares[0] ^= 1;
  const sotto_i_check_sent sent = {shares, proof, box};
  CHECK_OK(sotto_i_check_sign(evidence, &s.plan, c->number, &of, &sent, &c->signers, &err));
  if (c->how == UNSIGNED) evidence[sizeof evidence - 1] ^= 1;
  CHECK_OK(sotto_i_check_send(c->link, &sotto_i_check_signed_payload, evidence, sizeof evidence, &err));
  sotto_i_free(proof);
}

static sotto_status keep_sent(void *context, const sotto_i_check_kept *kept, sotto_error *err) {
  side *c = context;
  (void)err;
  c->kept = *kept;
  c->kept.client = c->number;
  return SOTTO_OK;
}

static sotto_status keep_refused(void *context, const sotto_i_check_refusal *refusal, sotto_error *err) {
  const size_t size = 8 * sotto_i_check_message_sizes(&s.plan).points;
  (void)context;
  (void)err;
  assert_true(size <= sizeof s.values[0]);
  s.refused = *refusal;
  s.refused.client = refusal->place;
  s.refused.clients = clients;
  memcpy(s.refused.points = s.values[0], refusal->points, size);
  memcpy(s.refused.helper_points = s.values[1], refusal->helper_points, size);
  s.refusals++;
  return SOTTO_OK;
}

/* A helper of its own making: it says of client 3 that it fails, by a value that it changed. */
static void lie(side *c) {
  const size_t points = sotto_i_check_message_sizes(&s.plan).points,
               states = sotto_i_check_states_size(&s.plan);
  sotto_i_check_server *helper;
  sotto_i_check_buffers b;
  sotto_i_check_question question;
  uint8_t key[SOTTO_I_CHECK_SIGNED_KEY], secret[32], seed[32], boxes[clients][SOTTO_I_CHECK_BOX];
  uint8_t evidence[clients][SOTTO_I_CHECK_EVIDENCE], refused[clients][SOTTO_SUM_SIGNATURE] = {{0}};
  CHECK_OK(sotto_i_check_server_new(&helper, SOTTO_I_CHECK_HELPER, &s.plan, &err));
  CHECK_OK(sotto_i_check_buffers_new(&b, &s.plan, &err));
  sotto_i_check_key_new(key, secret, &s.plan, &c->signers);
  CHECK_OK(sotto_i_check_send(c->link, &sotto_i_check_key_payload, key, sizeof key, &err));
  CHECK_OK(sotto_i_check_receive(c->link, &sotto_i_check_seeds_payload, boxes, sizeof boxes, &err));
  for (uint32_t i = 0; i < clients; i++) {
    assert_true(sotto_i_check_open(seed, &s.plan, i, boxes[i], key, secret, &c->signers));
    CHECK_OK(sotto_i_check_take_seed(helper, i, seed, &err));
  }
  CHECK_OK(sotto_i_check_arrived(b.states, helper, &err));
  CHECK_OK(sotto_i_check_send(c->link, &sotto_i_check_arrived_payload, b.states, states, &err));
  CHECK_OK(
      sotto_i_check_receive(c->link, &sotto_i_check_question_payload, b.question, b.question_size, &err));
  CHECK_OK(sotto_i_check_receive(c->link, &sotto_i_check_points_payload, b.asked, b.points_size, &err));
  CHECK_OK(sotto_i_check_receive(c->link, &sotto_i_check_evidence_payload, evidence, sizeof evidence, &err));
  sotto_i_check_question_open(&question, &b);
  sotto_i_check_answer answer = {b.states, b.answered, b.sums};
  CHECK_OK(sotto_i_check_reply(&answer, helper, &question, &err));
  b.states[2] = SOTTO_I_CHECK_REFUSED;
  b.answered[2 * points] ^= 1;
  const sotto_i_check_signed what = {question.challenge, question.coin, boxes[2], NULL,
                                     b.answered + 2 * points};
  if (c->how == LIES) sotto_i_check_sign_refusal(refused[2], &s.plan, 2, &what, &c->signers);
  CHECK_OK(sotto_i_check_send(c->link, &sotto_i_check_verdicts_payload, b.states, states, &err));
  CHECK_OK(sotto_i_check_send(c->link, &sotto_i_check_points_payload, b.answered, b.points_size, &err));
  CHECK_OK(sotto_i_check_send(c->link, &sotto_i_check_refused_payload, refused, sizeof refused, &err));
  CHECK_OK(sotto_i_check_send(c->link, &sotto_i_check_sums_payload, b.sums, 8 * values, &err));
  sotto_i_check_server_free(helper);
  sotto_i_check_buffers_free(&b);
}

static void *play(void *context) {
  side *c = context;
  const sotto_i_check_records records = {.sent = keep_sent, .context = c};
  if (c->number == clients && c->how != HONEST)
    lie(c);
  else if (c->number == clients)
    c->status = sotto_i_check_help(c->verdicts, c->link, &s.plan, &c->signers, s.memory, &c->error);
  else if (c->how == HONEST)
    c->status = sotto_i_check_take_part(c->link, &s.plan, c->number, c->x, &c->signers, &records, &c->error);
  else
    cheat(c);
  if (c->status != SOTTO_OK) sotto_link_close(c->link, "it failed");
  return NULL;
}

static void stage_new(uint32_t least) {
  memset(&s, 0, sizeof s);
  s.plan = (sotto_i_check_plan){.clients = clients, .least = least, .values = values, .bound = bound};
  sotto_i_check_token(s.plan.token, &s.refused.of);
  for (uint32_t i = 0; i <= clients; i++) {
    sotto_sum_signer_new(s.publics[i], s.secrets[i]);
    s.sides[i].number = i;
    s.sides[i].signers = (sotto_i_check_signers){s.publics[0], s.publics[clients], s.secrets[i]};
    for (size_t j = 0; j < values; j++) s.sides[i].x[j] = (int64_t)(i * j % 17) - 8;
  }
}

static sotto_status run(sotto_error *error) {
  sotto_link *links[clients + 1];
  pthread_t threads[clients + 1];
  for (uint32_t i = 0; i <= clients; i++) CHECK_OK(sotto_link_pair(&links[i], &s.sides[i].link, &err));
  for (uint32_t i = 0; i <= clients; i++) pthread_create(&threads[i], NULL, play, &s.sides[i]);
  const sotto_i_check_signers signers = {.clients = s.publics[0], .helper = s.publics[clients]};
  const sotto_i_check_records records = {.refused = keep_refused};
  const sotto_i_check_sides sides = {.clients = links, .helper = links[clients], .records = &records};
  const sotto_status status =
      sotto_i_check_serve(s.sums, s.verdicts, s.gone, &sides, &s.plan, &signers, error);
  for (uint32_t i = 0; i <= clients && status != SOTTO_OK; i++)
    sotto_link_close(links[i], "the leader ended");
  for (uint32_t i = 0; i <= clients; i++) {
    pthread_join(threads[i], NULL);
    sotto_link_free(links[i]);
    sotto_link_free(s.sides[i].link);
  }
  return status;
}

static void check_verdicts(const uint8_t *wanted) {
  assert_memory_equal(s.verdicts, wanted, clients);
  for (size_t j = 0; j < values; j++) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < clients; i++)
      if (wanted[i] == SOTTO_I_CHECK_ACCEPTED) sum += s.sides[i].x[j];
    assert_true(s.sums[j] == sum);
  }
}

static void honest_clients_are_summed(void **state) {
  (void)state;
  const uint8_t wanted[clients] = {1, 1, 1, 1, 1};
  stage_new(clients);
  CHECK_OK(run(&err));
  check_verdicts(wanted);
  assert_memory_equal(s.sides[clients].verdicts, wanted, clients);
}

static void clients_that_cheat_or_hang_up_are_left_out(void **state) {
  (void)state;
  static const struct {
    conduct how;
    uint8_t verdict;
  } cases[] = {{TOO_LONG, SOTTO_I_CHECK_REFUSED},    {GARBAGE, SOTTO_I_CHECK_MALFORMED},
               {FORGED, SOTTO_I_CHECK_ABSENT},       {UNSIGNED, SOTTO_I_CHECK_ABSENT},
               {OTHER_WORDS, SOTTO_I_CHECK_ABSENT},  {HANGS_UP, SOTTO_I_CHECK_ABSENT},
               {HANGS_UP_LATE, SOTTO_I_CHECK_ABSENT}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    uint8_t wanted[clients] = {1, 1, 1, 1, 1};
    const uint32_t liar = (uint32_t)c % clients;
    stage_new(clients - 1);
    s.sides[liar].how = cases[c].how;
    wanted[liar] = cases[c].verdict;
    CHECK_OK(run(&err));
    check_verdicts(wanted);
    assert_true((s.gone[liar].status != SOTTO_OK) ==
                (cases[c].how == HANGS_UP || cases[c].how == HANGS_UP_LATE));
  }
}

/* A leader of its own making, with honest clients. It changes a word of client 3: of its shares, of its
 * proof, of the values that follow, or of the evidence. Or it gives clients 2 and 3 each other's values,
 * client 3 those of client 2, all another coin than they signed, client 3 a box of an earlier round; it sends
 * a part of the values, or leaves client 3 out where all are needed. */
typedef enum change {
  NOTHING,
  A_SHARE,
  A_PROOF,
  A_VALUE,
  A_DIGEST,
  SWAPPED,
  REPEATED,
  OTHER_COIN,
  OLD_BOX,
  CUT_SHORT,
  LEFT_OUT,
  CHANGES
} change;
static const char *const found_out[CHANGES] = {[A_SHARE] = "client 3 did not sign the values",
                                               [A_PROOF] = "client 3 did not sign the values",
                                               [A_VALUE] = "client 3 did not sign the values",
                                               [A_DIGEST] = "client 3 did not sign the values",
                                               [SWAPPED] = "client 2 did not sign the values",
                                               [REPEATED] = "client 3 did not sign the values",
                                               [OTHER_COIN] = "client 1 did not sign the values",
                                               [OLD_BOX] = "client 3 did not sign the values",
                                               [CUT_SHORT] = "check points",
                                               [LEFT_OUT] = "a sum needs"};

static void change_question(sotto_i_check_question *question, uint8_t (*evidence)[SOTTO_I_CHECK_EVIDENCE],
                            change how) {
  const size_t size = sotto_i_check_message_sizes(&s.plan).points;
  uint64_t *value = question->points + 2 * size;
  if (how == A_VALUE) *value = *value == 0 ? 1 : *value - 1;
  if (how == A_DIGEST) evidence[2][0] ^= 1;
  if (how == OTHER_COIN) question->coin[0] ^= 1;
  if (how == LEFT_OUT) question->in[2] = 0;
  if (how != SWAPPED && how != REPEATED) return;
  uint64_t *before = question->points + size;
  for (size_t j = 0; j < size; j++) {
    const uint64_t kept = value[j];
    value[j] = before[j];
    if (how == SWAPPED) before[j] = kept;
  }
  uint8_t kept[SOTTO_I_CHECK_EVIDENCE];
  memcpy(kept, evidence[2], sizeof kept);
  memcpy(evidence[2], evidence[1], sizeof kept);
  if (how == SWAPPED) memcpy(evidence[1], kept, sizeof kept);
}

static void ask_helper(sotto_link *helper, change how) {
  const size_t proof = sotto_i_check_message_sizes(&s.plan).proof;
  sotto_i_check_server *leader;
  sotto_i_check_buffers b;
  sotto_i_check_question question;
  uint8_t key[SOTTO_I_CHECK_SIGNED_KEY], challenge[32], seeds[clients][32];
  static uint8_t boxes[clients][SOTTO_I_CHECK_BOX], earlier[SOTTO_I_CHECK_BOX];
  uint8_t sent_boxes[clients][SOTTO_I_CHECK_BOX], evidence[clients][SOTTO_I_CHECK_EVIDENCE];
  uint8_t opening[SOTTO_I_CHECK_KEY], refused[clients][SOTTO_SUM_SIGNATURE];
  uint64_t shares[clients][values], *proofs = calloc(clients * proof, sizeof *proofs);
  assert_non_null(proofs);
  CHECK_OK(sotto_i_check_server_new(&leader, SOTTO_I_CHECK_LEADER, &s.plan, &err));
  CHECK_OK(sotto_i_check_buffers_new(&b, &s.plan, &err));
  CHECK_OK(sotto_i_check_receive(helper, &sotto_i_check_key_payload, key, sizeof key, &err));
  memcpy(earlier, boxes[2], sizeof earlier); /* of the round before */
  for (uint32_t i = 0; i < clients; i++) {
    CHECK_OK(sotto_i_check_share(shares[i], seeds[i], &s.plan, i, s.sides[i].x, &err));
    CHECK_OK(sotto_i_check_seal(boxes[i], opening, &s.plan, i, seeds[i], key, &s.sides[i].signers, &err));
    uint64_t taken[values];
    memcpy(taken, shares[i], sizeof taken);
    if (how == A_SHARE && i == 2) taken[1] = taken[1] == 0 ? 1 : taken[1] - 1;
    CHECK_OK(sotto_i_check_take_shares(leader, i, taken, &err));
  }
  memcpy(sent_boxes, boxes, sizeof boxes);
  if (how == OLD_BOX) memcpy(sent_boxes[2], earlier, sizeof earlier);
  CHECK_OK(sotto_i_check_send(helper, &sotto_i_check_seeds_payload, sent_boxes, sizeof sent_boxes, &err));
  CHECK_OK(sotto_i_check_receive(helper, &sotto_i_check_arrived_payload, b.states,
                                 sotto_i_check_states_size(&s.plan), &err));
  assert_int_equal(b.states[2], how != OLD_BOX);
  b.states[2] = 1;
  CHECK_OK(sotto_i_check_challenge(challenge, leader, b.states, &err));
  for (uint32_t i = 0; i < clients; i++) {
    uint64_t *own = proofs + i * proof;
    CHECK_OK(sotto_i_check_prove(own, &s.plan, i, s.sides[i].x, seeds[i], challenge, &err));
    const uint64_t first = own[0];
    if (how == A_PROOF && i == 2) own[0] = first == 0 ? 1 : first - 1;
    CHECK_OK(sotto_i_check_take_proof(leader, i, own, &err));
    own[0] = first;
  }
  sotto_i_check_question_open(&question, &b);
  CHECK_OK(sotto_i_check_ask(&question, leader, &err));
  for (uint32_t i = 0; i < clients; i++) {
    const sotto_i_check_sent sent = {shares[i], proofs + i * proof, boxes[i]};
    CHECK_OK(sotto_i_check_sign(evidence[i], &s.plan, i, &question, &sent, &s.sides[i].signers, &err));
  }
  change_question(&question, evidence, how);
  sotto_i_check_question_close(&b, &question);
  CHECK_OK(sotto_i_check_send(helper, &sotto_i_check_question_payload, b.question, b.question_size, &err));
  const size_t whole = b.points_size - (how == CUT_SHORT ? 8 : 0);
  CHECK_OK(sotto_i_check_send(helper, &sotto_i_check_points_payload, b.asked, whole, &err));
  const sotto_status late =
      sotto_i_check_send(helper, &sotto_i_check_evidence_payload, evidence, sizeof evidence, NULL);
  if (how != CUT_SHORT) CHECK_OK(late);
  if (how == NOTHING) {
    const size_t states = sotto_i_check_states_size(&s.plan);
    CHECK_OK(sotto_i_check_receive(helper, &sotto_i_check_verdicts_payload, b.states, states, &err));
    CHECK_OK(sotto_i_check_receive(helper, &sotto_i_check_points_payload, b.answered, b.points_size, &err));
    CHECK_OK(sotto_i_check_receive(helper, &sotto_i_check_refused_payload, refused, sizeof refused, &err));
    assert_true(sodium_is_zero(refused[0], sizeof refused)); /* it refuses nobody */
    CHECK_OK(sotto_i_check_receive(helper, &sotto_i_check_sums_payload, b.sums, 8 * values, &err));
  }
  sotto_i_check_server_free(leader);
  sotto_i_check_buffers_free(&b);
  free(proofs);
}

/* The helper finds the leader out, names nobody as one who poisons, and gives no sum. */
static void a_leader_that_changes_a_word_has_nobody_named(void **state) {
  (void)state;
  for (change how = NOTHING; how < CHANGES; how++) {
    sotto_link *helper;
    pthread_t thread;
    stage_new(clients);
    CHECK_OK(sotto_link_pair(&helper, &s.sides[clients].link, &err));
    pthread_create(&thread, NULL, play, &s.sides[clients]);
    ask_helper(helper, how);
    pthread_join(thread, NULL);
    const sotto_status wanted = how == NOTHING ? SOTTO_OK : how == CUT_SHORT ? SOTTO_RANGE : SOTTO_PROTOCOL;
    if (s.sides[clients].status != wanted)
      fail_msg("change %d: ends as %d: %s", (int)how, (int)s.sides[clients].status,
               s.sides[clients].error.text);
    for (uint32_t i = 0; i < clients; i++)
      assert_int_equal(s.sides[clients].verdicts[i], how == NOTHING ? SOTTO_I_CHECK_ACCEPTED : 0);
    if (how != NOTHING && strstr(s.sides[clients].error.text, found_out[how]) == NULL)
      fail_msg("change %d: %s", (int)how, s.sides[clients].error.text);
    sotto_link_free(helper);
    sotto_link_free(s.sides[clients].link);
  }
}

static sotto_i_check_finding decided(const sotto_i_check_kept *kept) {
  sotto_i_check_finding found;
  assert_int_equal(s.refusals, 1);
  assert_int_equal(s.refused.place, 2);
  CHECK_OK(sotto_i_check_decide(&found, &s.refused, kept, s.publics[2], s.publics[clients], &err));
  return found;
}

/* What both sides keep is enough for an arbiter. */
static void a_refused_client_can_show_what_it_sent(void **state) {
  (void)state;
  stage_new(clients - 1);
  s.sides[clients].how = LIES;
  CHECK_OK(run(&err));
  assert_int_equal(s.verdicts[2], SOTTO_I_CHECK_REFUSED);
  assert_int_equal(decided(NULL), SOTTO_I_CHECK_UNANSWERED);
  assert_int_equal(decided(&s.sides[2].kept), SOTTO_I_CHECK_KEPT_BOUND);
  assert_int_equal(decided(&s.sides[3].kept), SOTTO_I_CHECK_OTHER_RECORD);
  stage_new(clients - 1);
  s.sides[2].how = TOO_LONG;
  CHECK_OK(run(&err));
  assert_int_equal(decided(NULL), SOTTO_I_CHECK_UNANSWERED);
  assert_int_equal(decided(&s.sides[2].kept), SOTTO_I_CHECK_BROKE_BOUND);
}

static void a_helper_that_does_not_sign_has_nobody_named(void **state) {
  (void)state;
  stage_new(clients - 1);
  s.sides[clients].how = LIES_UNSIGNED;
  CHECK_FAILS(SOTTO_PROTOCOL, "refuses client 3, and did not sign its values of it", run(&err));
  assert_int_equal(s.refusals, 0);
}

static void too_few_that_pass_end_the_sum(void **state) {
  (void)state;
  stage_new(clients);
  s.sides[2].how = TOO_LONG;
  CHECK_FAILS(SOTTO_PROTOCOL, "", run(&err));
  assert_int_equal(s.sides[clients].status, SOTTO_PROTOCOL);
  assert_non_null(strstr(s.sides[clients].error.text, "4 clients passed"));
}

/* Two sums of one round with one client more or less show that client by their difference. */
static sotto_status keep_one(void *context, const uint8_t set[SOTTO_SUM_DIGEST], sotto_error *err) {
  uint8_t *first = context;
  if (!sodium_is_zero(first, SOTTO_SUM_DIGEST)) {
    if (memcmp(first, set, SOTTO_SUM_DIGEST) == 0) return SOTTO_OK;
    return sotto_i_fail(err, SOTTO_PROTOCOL, "another sum was given");
  }
  memcpy(first, set, SOTTO_SUM_DIGEST);
  return SOTTO_OK;
}

static void a_helper_gives_one_sum_of_a_round(void **state) {
  (void)state;
  uint8_t first[SOTTO_SUM_DIGEST] = {0};
  const sotto_i_check_memory memory = {keep_one, first};
  for (int time = 0; time < 3; time++) {
    stage_new(clients - 1);
    s.memory = &memory;
    if (time == 2) s.sides[3].how = FORGED; /* left out by the leader, for the third time */
    if (time < 2)
      CHECK_OK(run(&err));
    else
      CHECK_FAILS(SOTTO_PROTOCOL, "", run(&err));
  }
  assert_non_null(strstr(s.sides[clients].error.text, "another sum was given"));
  for (size_t j = 0; j < values; j++) assert_true(s.sums[j] == 0);
}

/* A leader that puts a key of its own in the helper's place would read all seeds. */
static void a_key_that_is_not_the_helpers_is_refused(void **state) {
  (void)state;
  stage_new(clients);
  s.sides[clients].signers.secret = s.secrets[0];
  CHECK_FAILS(SOTTO_PROTOCOL, "", run(&err));
  assert_non_null(strstr(s.sides[1].error.text, "the helper's key is not signed by it for this round"));
}

/* Under another plan (round), as another client, for another key of the helper: nothing opens. */
static void a_seed_opens_for_its_sum_and_client_alone(void **state) {
  (void)state;
  uint8_t key[SOTTO_I_CHECK_SIGNED_KEY], other[SOTTO_I_CHECK_SIGNED_KEY], secret[32], other_secret[32];
  uint8_t seed[32] = {7}, found[32], opening[32], box[SOTTO_I_CHECK_BOX];
  stage_new(clients);
  const sotto_i_check_signers *helper = &s.sides[clients].signers;
  sotto_i_check_plan next = s.plan;
  next.token[3] ^= 1;
  sotto_i_check_key_new(key, secret, &s.plan, helper);
  sotto_i_check_key_new(other, other_secret, &s.plan, helper);
  CHECK_OK(sotto_i_check_seal(box, opening, &s.plan, 1, seed, key, &s.sides[1].signers, &err));
  assert_true(sotto_i_check_open(found, &s.plan, 1, box, key, secret, helper));
  assert_memory_equal(found, seed, sizeof seed);
  assert_false(sotto_i_check_open(found, &s.plan, 2, box, key, secret, helper));
  assert_false(sotto_i_check_open(found, &next, 1, box, key, secret, helper));
  assert_false(sotto_i_check_open(found, &s.plan, 1, box, other, other_secret, helper));
  CHECK_FAILS(SOTTO_PROTOCOL, "not signed",
              sotto_i_check_seal(box, opening, &next, 1, seed, key, &s.sides[1].signers, &err));
  assert_true(sotto_i_check_is_sealed(box, seed, opening, key));
  assert_false(sotto_i_check_is_sealed(box, seed, opening, other));
  for (size_t i = 0; i < sizeof box; i++) {
    box[i] ^= 4;
    assert_false(sotto_i_check_open(found, &s.plan, 1, box, key, secret, helper));
    box[i] ^= 4;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(honest_clients_are_summed),
      cmocka_unit_test(clients_that_cheat_or_hang_up_are_left_out),
      cmocka_unit_test(a_leader_that_changes_a_word_has_nobody_named),
      cmocka_unit_test(a_refused_client_can_show_what_it_sent),
      cmocka_unit_test(a_helper_that_does_not_sign_has_nobody_named),
      cmocka_unit_test(too_few_that_pass_end_the_sum),
      cmocka_unit_test(a_helper_gives_one_sum_of_a_round),
      cmocka_unit_test(a_key_that_is_not_the_helpers_is_refused),
      cmocka_unit_test(a_seed_opens_for_its_sum_and_client_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
