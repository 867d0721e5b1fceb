/* Sums of vectors whose length two servers check together, without either of them seeing a vector.
 *
 * Each client splits its vector x of integers into shares modulo p = 2^64 - 2^32 + 1: the helper's follows
 * from a seed of 32 bytes, the leader gets the rest. It proves on shares that sum x_j^2 <= bound over the
 * integers, so that also each |x_j| <= sqrt(bound). Who fails is named and left out; the leader learns the
 * sum of the others. Steps: 1 shares     client -> leader: values words; client -> helper: a seed 2 arrived
 * helper -> leader: whose seed is there 3 challenge  leader -> clients: 32 bytes, once the shares of all are
 * in 4 proof      client -> leader (the helper's share follows from the seed and the challenge) 5 question
 * leader -> helper: the challenge, a point, who is in; its values at the point 6 answer     helper -> leader:
 * its values at the point, whom it accepts; its share of the sum Both find the same verdicts from both sides'
 * values, or the round ends. Neither server alone learns more of a client than that its vector keeps the
 * bound; a sum of fewer clients than `least` is not given away. A vector beyond the bound is accepted with a
 * probability below 2^-80, whatever its client sends, when both servers are honest. docs/checked-sums.md has
 * the proofs. This room makes and takes the messages; sending them is the caller's.
 *
 * Sources: Corrigan-Gibbs and Boneh 2017 (Prio); Boneh, Boyle, Corrigan-Gibbs, Gilboa and Ishai 2019;
 * Rothblum, Omri, Chen and Talwar 2024 (PINE). */
#ifndef SOTTO_SRC_PARTY_CHECKED_SUM_CHECKED_SUM_H
#define SOTTO_SRC_PARTY_CHECKED_SUM_CHECKED_SUM_H

#include "sotto/base.h"

enum {
  SOTTO_I_CHECK_KEY = 32, /* seeds, challenges, tokens */
  SOTTO_I_CHECK_MOST_CLIENTS = 65536,
  SOTTO_I_CHECK_MOST_VALUES = 1 << 24,
  SOTTO_I_CHECK_BOUND_BITS = 49 /* of the largest bound on a sum of squares */
};

/* What all agree on before. */
typedef struct sotto_i_check_plan {
  uint32_t clients; /* 1 to SOTTO_I_CHECK_MOST_CLIENTS */
  uint32_t least;   /* 1 to clients: of so many that are accepted a sum is given away */
  size_t values;    /* 1 to SOTTO_I_CHECK_MOST_VALUES: length of the vectors */
  uint64_t bound;   /* 1 to 2^SOTTO_I_CHECK_BOUND_BITS: on the sum of the squares of each */
  /* Names the run, the round and what all are to have the same: one of its own for each sum. What a client
   * says under another plan or as another client proves nothing here. */
  uint8_t token[SOTTO_I_CHECK_KEY];
} sotto_i_check_plan;
/* What a token stands for. */
typedef struct sotto_i_check_occasion {
  uint8_t run[SOTTO_I_CHECK_KEY]; /* digest of what all sides agreed on */
  uint64_t round;
  uint8_t model[SOTTO_I_CHECK_KEY]; /* digest of the model that clients got */
} sotto_i_check_occasion;
void sotto_i_check_token(uint8_t out[SOTTO_I_CHECK_KEY], const sotto_i_check_occasion *of);
/* Errors: RANGE, naming the number. */
sotto_status sotto_i_check_plan_check(const sotto_i_check_plan *plan, sotto_error *err);

/* Sizes of messages, in words of 8 bytes; all follow from the plan. */
typedef struct sotto_i_check_sizes {
  size_t proof;  /* client -> leader */
  size_t points; /* of one client, between the servers */
} sotto_i_check_sizes;
sotto_i_check_sizes sotto_i_check_message_sizes(const sotto_i_check_plan *plan);

/* A client's shares: shares[values] for the leader, and a fresh seed for the helper, to be kept for the proof
 * and wiped. A seed serves for one sum. Errors: RANGE (plan; sum of squares above the bound). */
SOTTO_MUST_USE sotto_status sotto_i_check_share(uint64_t *shares, uint8_t seed[SOTTO_I_CHECK_KEY],
                                                const sotto_i_check_plan *plan, uint32_t client,
                                                const int64_t *values, sotto_error *err);
/* Its proof, for the leader, of the same values. A client answers one challenge for a seed, no other. Errors:
 * NUMERIC (a random test that an honest vector fails with a probability below 2^-109), NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_check_prove(uint64_t *proof, const sotto_i_check_plan *plan,
                                                uint32_t client, const int64_t *values,
                                                const uint8_t seed[SOTTO_I_CHECK_KEY],
                                                const uint8_t challenge[SOTTO_I_CHECK_KEY], sotto_error *err);

/* What became of a client. */
typedef enum sotto_i_check_verdict {
  SOTTO_I_CHECK_ABSENT = 0,    /* something of it did not come */
  SOTTO_I_CHECK_ACCEPTED = 1,  /* it is in the sum */
  SOTTO_I_CHECK_MALFORMED = 2, /* it sent words that are no numbers modulo p */
  SOTTO_I_CHECK_REFUSED = 3    /* its proof fails */
} sotto_i_check_verdict;

typedef enum sotto_i_check_role { SOTTO_I_CHECK_LEADER, SOTTO_I_CHECK_HELPER } sotto_i_check_role;

/* A server, for one sum. Steps are taken in the order of this list: INVALID otherwise. Memory: the leader
 * keeps all shares (8 values bytes a client), the helper eight clients' at a time. */
typedef struct sotto_i_check_server sotto_i_check_server;
SOTTO_MUST_USE sotto_status sotto_i_check_server_new(sotto_i_check_server **out, sotto_i_check_role role,
                                                     const sotto_i_check_plan *plan, sotto_error *err);
void sotto_i_check_server_free(sotto_i_check_server *server); /* wiped */

/* What came from a client: shares at the leader, a seed at the helper. Errors: PROTOCOL (numbers that are not
 * below p; the client is MALFORMED then), INVALID, NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_check_take_shares(sotto_i_check_server *leader, uint32_t client,
                                                      const uint64_t *shares, sotto_error *err);
SOTTO_MUST_USE sotto_status sotto_i_check_take_seed(sotto_i_check_server *helper, uint32_t client,
                                                    const uint8_t seed[SOTTO_I_CHECK_KEY], sotto_error *err);
/* The helper's arrived[clients]: 1 whose seed came; after it no more seeds are taken. */
SOTTO_MUST_USE sotto_status sotto_i_check_arrived(uint8_t *arrived, sotto_i_check_server *helper,
                                                  sotto_error *err);
/* The leader takes that, and draws the challenge; after it no more shares are taken. Errors: PROTOCOL. */
SOTTO_MUST_USE sotto_status sotto_i_check_challenge(uint8_t challenge[SOTTO_I_CHECK_KEY],
                                                    sotto_i_check_server *leader, const uint8_t *arrived,
                                                    sotto_error *err);
/* May the client still be accepted? */
bool sotto_i_check_is_in(const sotto_i_check_server *server, uint32_t client);
SOTTO_MUST_USE sotto_status sotto_i_check_take_proof(sotto_i_check_server *leader, uint32_t client,
                                                     const uint64_t *proof, sotto_error *err);

/* The leader's question, for the helper: public parts, and values at the point, clients x points words. */
typedef struct sotto_i_check_question {
  uint8_t challenge[SOTTO_I_CHECK_KEY], coin[SOTTO_I_CHECK_KEY];
  uint8_t *in;      /* clients: 1 whose proof is there */
  uint64_t *points; /* zeros for who is not in */
} sotto_i_check_question;
SOTTO_MUST_USE sotto_status sotto_i_check_ask(sotto_i_check_question *out, sotto_i_check_server *leader,
                                              sotto_error *err);
/* The helper's answer: verdicts[clients], its values at the point, its share of the sum of who is accepted.
 * Errors: PROTOCOL (a question that names a client whose seed did not come; numbers that are not below p;
 * fewer accepted than `least`: nothing is written to sums then), NOMEM. */
typedef struct sotto_i_check_answer {
  uint8_t *verdicts;
  uint64_t *points, *sums;
} sotto_i_check_answer;
SOTTO_MUST_USE sotto_status sotto_i_check_reply(sotto_i_check_answer *out, sotto_i_check_server *helper,
                                                const sotto_i_check_question *question, sotto_error *err);
/* The leader's end: sums[values] over who is accepted, and all verdicts. Errors: PROTOCOL (the helper finds
 * other verdicts or sends numbers that are not below p; fewer accepted than `least`), NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_check_finish(int64_t *sums, uint8_t *verdicts,
                                                 sotto_i_check_server *leader,
                                                 const sotto_i_check_answer *answer, sotto_error *err);

#endif
