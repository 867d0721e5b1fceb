/* Secure aggregation: a server learns the sum of its clients' vectors and nothing else about any of them,
 * even if it is dishonest.
 *
 * Bonawitz et al. 2017 ("Practical secure aggregation", the variant against active adversaries), with the
 * sparse graph of neighbours of Bell et al. 2020. Numbers are integers modulo 2^64. Client u sends
 *     y_u = x_u + PRG(b_u) + sum of +-PRG(s_uv) over its neighbours v,
 * where s_uv follows from X25519 and PRG is AES-256 in counter mode. Shamir's scheme shares b_u and u's
 * secret key among the neighbours. The server gets b_u of a client that lasts. Of a client that drops it gets
 * the secret key, which removes the client's pairwise masks from the others' vectors. It never gets both. A
 * client may drop before any of these steps:
 *     1 keys       client -> server -> clients: two public keys, signed; a digest of all clients' keys
 *     2 boxes      client -> server -> neighbours: shares, sealed for the neighbour that may open them
 *     3 masked     client -> server: y_u
 *     4 states, signature   server -> client: who lasted, of all; client -> server: its signature of them
 *     5 signatures, reveal  server -> client: what the others signed; client -> server: one share a neighbour
 * A client reveals nothing unless more than two thirds of all clients signed the same states as it did. So
 * the clients reveal shares for one set of survivors at most, while no more than a third of them collude with
 * the server. docs/protocol.md has the proof, and what is not covered.
 * These functions make and take the messages; the caller sends them. Messages contain fresh randomness, so a
 * client or server object serves for one sum.
 */
#ifndef SOTTO_INSIDE_SECURE_SUM_H
#define SOTTO_INSIDE_SECURE_SUM_H

#include "sotto/base.h"

enum { SOTTO_SUM_MOST_CLIENTS = 65536, SOTTO_SUM_MOST_NEIGHBOURS = 254 };
/* Bytes of signing keys (Ed25519), of signatures, and of digests. */
enum { SOTTO_SUM_PUBLIC = 32, SOTTO_SUM_SECRET = 64, SOTTO_SUM_SIGNATURE = 64, SOTTO_SUM_DIGEST = 32 };

/* What all clients agree on before the sum, without trusting the server. */
typedef struct sotto_sum_plan {
  uint32_t clients;    /* 3 to SOTTO_SUM_MOST_CLIENTS */
  uint32_t neighbours; /* of each client: clients - 1 for all, else an even number below it */
  uint32_t threshold;  /* least number of survivors among each client's neighbours: more than two thirds of
                          the client and its neighbours */
  uint32_t least;      /* least number of survivors in all, where it is above the quorum; or 0 */
  size_t values;       /* length of the vectors */
  uint64_t round;      /* different for each sum under the same seed */
  uint64_t seed;       /* public: determines, with the round, each client's neighbours */
  /* clients x SOTTO_SUM_PUBLIC: the public keys by which clients recognise one another. Borrowed: must
   * outlive all objects made from the plan. */
  const uint8_t *signers;
  /* Identifies the run and whatever all clients must have in common, e.g. by a digest of the model from which
   * the vectors are computed. Clients with different tokens refuse each other's messages. */
  uint8_t token[SOTTO_SUM_DIGEST];
} sotto_sum_plan;

/* A plan without `least`, `signers` and `token`, which the caller sets. `neighbours` 0: 2 ceil(log2 clients),
 * or all where that is no fewer. `threshold` 0: the least, which is floor(2 (neighbours + 1) / 3). Errors:
 * RANGE, naming the number. */
sotto_status sotto_sum_plan_new(sotto_sum_plan *out, uint32_t clients, uint32_t neighbours,
                                          uint32_t threshold, size_t values, sotto_error *err);
/* The number of clients that must last and sign: floor(2 clients / 3) + 1, or `least` where that is more. */
uint32_t sotto_sum_quorum(const sotto_sum_plan *plan);
/* Draws a fresh pair of signing keys. */
void sotto_sum_signer_new(uint8_t public_key[SOTTO_SUM_PUBLIC], uint8_t secret[SOTTO_SUM_SECRET]);

/* Bytes of each message; all follow from the plan. A missing entry (a neighbour's key, box or share) is 0. */
typedef struct sotto_sum_sizes {
  size_t keys, neighbour_keys, boxes, neighbour_boxes, masked, states, signature, signatures, reveal;
} sotto_sum_sizes;
sotto_sum_sizes sotto_sum_message_sizes(const sotto_sum_plan *plan);

/* out[i] = round(x[i] 2^bits) weight, a number that cannot wrap in the sum of all clients. Errors: NUMERIC
 * (not finite), RANGE (beyond 2^62 / clients), each naming the element. On failure nothing is written. */
SOTTO_MUST_USE sotto_status sotto_sum_encode(uint64_t *out, const float *x, size_t count,
                                                       unsigned bits, uint32_t weight,
                                                       const sotto_sum_plan *plan, sotto_error *err);

/* A client, for one sum. Steps are taken in order, each once (INVALID otherwise). After a failure every later
 * step is INVALID. PROTOCOL means that the server or a client is dishonest, and the text names the false
 * message. `secret` signs, and is copied. Errors: RANGE (plan), INVALID (no signers, or `secret` is not this
 * client's), NOMEM. */
typedef struct sotto_sum_client sotto_sum_client;
sotto_status sotto_sum_client_new(sotto_sum_client **out, const sotto_sum_plan *plan,
                                            uint32_t client, const uint8_t secret[SOTTO_SUM_SECRET],
                                            sotto_error *err);
void sotto_sum_client_free(sotto_sum_client *client); /* wiped */
sotto_status sotto_sum_client_keys(sotto_sum_client *client, uint8_t *keys, sotto_error *err);
/* Errors: PROTOCOL (fewer neighbours than the threshold; keys that their client did not sign for this plan,
 * or that are not in the list of all; a key that is zero, of low order or not canonical). */
sotto_status sotto_sum_client_boxes(sotto_sum_client *client, uint8_t *boxes,
                                              const uint8_t *neighbour_keys, sotto_error *err);
/* masked[values]. Errors: PROTOCOL (too few neighbours; a box that does not open), RANGE (a value, as a two's
 * complement number, beyond 2^62 / clients, naming the element). */
SOTTO_MUST_USE sotto_status sotto_sum_client_mask(sotto_sum_client *client, uint64_t *masked,
                                                            const uint8_t *neighbour_boxes,
                                                            const uint64_t *values, sotto_error *err);
/* Checks the states and signs them. `set` identifies the survivors under this plan, and contains none of this
 * sum's fresh keys. A client that may repeat the same round after a restart stores `set` before it sends the
 * signature, and signs no other set in that round: the difference of two sums of one round over different
 * sets reveals vectors. Errors: PROTOCOL (impossible states; too few survivors). */
SOTTO_MUST_USE sotto_status sotto_sum_client_sign(sotto_sum_client *client, uint8_t *signature,
                                                            uint8_t set[SOTTO_SUM_DIGEST],
                                                            const uint8_t *states, sotto_error *err);
/* Errors: PROTOCOL (a signature of other states than this client signed; fewer signatures than the quorum;
 * fewer neighbours of a client signed than the threshold). */
SOTTO_MUST_USE sotto_status sotto_sum_client_reveal(sotto_sum_client *client, uint8_t *reveal,
                                                              const uint8_t *signatures, sotto_error *err);

/* The server of one sum. It accepts messages in any order within a step. A client that sent nothing by the
 * end of a step has dropped. */
typedef struct sotto_sum_server sotto_sum_server;
sotto_status sotto_sum_server_new(sotto_sum_server **out, const sotto_sum_plan *plan,
                                            sotto_error *err);
void sotto_sum_server_free(sotto_sum_server *server);
/* Takes a client's message of the present step (keys, boxes, masked, signature, reveal in turn), and copies
 * it. Errors: INVALID (the client has dropped, or has sent it already), RANGE (no such client), PROTOCOL
 * (malformed, or signed by another key). */
sotto_status sotto_sum_server_take(sotto_sum_server *server, uint32_t client, const void *message,
                                             sotto_error *err);
/* Ends the step: clients that did not send have dropped. Errors: PROTOCOL when too few clients, or too few
 * neighbours of one, are left. Then the sum cannot be computed, and the messages reveal nothing. */
SOTTO_MUST_USE sotto_status sotto_sum_server_next(sotto_sum_server *server, sotto_error *err);
/* The server's answer to a client that has not dropped, after its step has ended: neighbour_keys,
 * neighbour_boxes, states, signatures in turn. */
sotto_status sotto_sum_server_give(const sotto_sum_server *server, uint32_t client, void *message,
                                             sotto_error *err);
bool sotto_sum_server_has(const sotto_sum_server *server, uint32_t client);
/* After the last step: sums[values], as two's complement numbers, over the `summed` clients whose masked
 * vectors arrived. Cost: one PRG of `values` for each of them, and one for each pair of a dropped client and
 * a survivor. Errors: PROTOCOL (shares that do not match the announced keys). */
SOTTO_MUST_USE sotto_status sotto_sum_server_finish(sotto_sum_server *server, uint64_t *sums,
                                                              uint32_t *summed, sotto_error *err);

#endif
