/* Secure aggregation: a server learns the sum of its clients' vectors and nothing about any one of them, also
 * if it is dishonest.
 *
 * Bonawitz et al. 2017 ("Practical secure aggregation", the variant against active adversaries), with the
 * sparse graph of neighbours of Bell et al. 2020. Numbers are integers modulo 2^64. Client u sends
 *     y_u = x_u + PRG(b_u) + sum of +-PRG(s_uv) over its neighbours v,
 * where s_uv follows from X25519 and PRG is AES-256 in counter mode. b_u and u's secret key are shared by Shamir's scheme
 * among the neighbours: of a client that lasts the server is given b_u, of one that drops the key that takes
 * its pairwise masks out of the others' vectors; never both. Steps, each of which any client may not live to
 * take:
 *     1 keys       client -> server -> clients: two public keys, signed; a digest of all clients' keys
 *     2 boxes      client -> server -> neighbours: shares, sealed for the neighbour that may open them
 *     3 masked     client -> server: y_u
 *     4 states, signature   server -> client: who lasted, of all; client -> server: it signs that
 *     5 signatures, reveal  server -> client: what the others signed; client -> server: one share a neighbour
 * A client reveals nothing unless more than two thirds of all clients signed what it signed itself, so that
 * the clients reveal shares for one set of survivors at most, while no more than a third of them collude with
 * the server. docs/protocol.md has the proof, and what is not covered.
 * This room makes and takes the messages; sending them is the caller's. They are made of fresh randomness, so
 * a client or server object serves for one sum.
 */
#ifndef SOTTO_SECURE_SUM_H
#define SOTTO_SECURE_SUM_H

#include "sotto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SOTTO_SUM_MOST_CLIENTS = 65536, SOTTO_SUM_MOST_NEIGHBOURS = 254 };
/* Bytes of keys that sign (Ed25519), of signatures, and of digests. */
enum { SOTTO_SUM_PUBLIC = 32, SOTTO_SUM_SECRET = 64, SOTTO_SUM_SIGNATURE = 64, SOTTO_SUM_DIGEST = 32 };

/* What all agree on before, without trusting the server. */
typedef struct sotto_sum_plan {
  uint32_t clients;    /* 3 to SOTTO_SUM_MOST_CLIENTS */
  uint32_t neighbours; /* each masks with so many: clients - 1 for all, else an even number below it */
  uint32_t threshold; /* of each client's neighbours at least so many last: more than two thirds of the client
                         and its neighbours do */
  uint32_t least; /* so many clients last, or the sum is given up, where that is more than the quorum; or 0 */
  size_t values;  /* length of the vectors */
  uint64_t round; /* one of its own for each sum under the same seed */
  uint64_t seed;  /* public: decides, with the round, who is whose neighbour */
  /* clients x SOTTO_SUM_PUBLIC: by these keys clients know one another. Borrowed: outlives what is made by
   * the plan. */
  const uint8_t *signers;
  /* Names the run and what all are to have the same, e.g. by a digest of the model that the vectors follow
   * from. Clients with different tokens accept nothing of each other. */
  uint8_t token[SOTTO_SUM_DIGEST];
} sotto_sum_plan;

/* A plan without `least`, `signers` and `token`, which the caller sets. `neighbours` 0: 2 ceil(log2 clients),
 * or all where that is no fewer. `threshold` 0: the least, which is floor(2 (neighbours + 1) / 3). Errors:
 * RANGE, naming the number. */
SOTTO_API sotto_status sotto_sum_plan_new(sotto_sum_plan *out, uint32_t clients, uint32_t neighbours,
                                          uint32_t threshold, size_t values, sotto_error *err);
/* Of all clients so many have to last and to sign: floor(2 clients / 3) + 1, or `least` where that is more.
 */
SOTTO_API uint32_t sotto_sum_quorum(const sotto_sum_plan *plan);
/* A fresh pair of keys that sign. */
SOTTO_API void sotto_sum_signer_new(uint8_t public_key[SOTTO_SUM_PUBLIC], uint8_t secret[SOTTO_SUM_SECRET]);

/* Bytes of each message; all follow from the plan. What is not there (a neighbour's key, box or share) is 0.
 */
typedef struct sotto_sum_sizes {
  size_t keys, neighbour_keys, boxes, neighbour_boxes, masked, states, signature, signatures, reveal;
} sotto_sum_sizes;
SOTTO_API sotto_sum_sizes sotto_sum_message_sizes(const sotto_sum_plan *plan);

/* out[i] = round(x[i] 2^bits) weight, a number that cannot wrap in the sum of all clients. Errors: NUMERIC
 * (not finite), RANGE (beyond 2^62 / clients), each naming the place; nothing is written then. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_sum_encode(uint64_t *out, const float *x, size_t count,
                                                       unsigned bits, uint32_t weight,
                                                       const sotto_sum_plan *plan, sotto_error *err);

/* A client, for one sum. Steps are taken in order, each once: INVALID otherwise. A client that fails says no
 * more: every later step is INVALID. PROTOCOL: a server or a client is dishonest, and the text names the
 * false message. `secret` signs, and is copied. Errors: RANGE (plan), INVALID (no signers, or `secret` is not
 * of this client's), NOMEM. */
typedef struct sotto_sum_client sotto_sum_client;
SOTTO_API sotto_status sotto_sum_client_new(sotto_sum_client **out, const sotto_sum_plan *plan,
                                            uint32_t client, const uint8_t secret[SOTTO_SUM_SECRET],
                                            sotto_error *err);
SOTTO_API void sotto_sum_client_free(sotto_sum_client *client); /* wiped */
SOTTO_API sotto_status sotto_sum_client_keys(sotto_sum_client *client, uint8_t *keys, sotto_error *err);
/* Errors: PROTOCOL (fewer neighbours than the threshold; keys that their client did not sign for this plan,
 * or that are not in the list of all; a key that is zero, of low order or not canonical). */
SOTTO_API sotto_status sotto_sum_client_boxes(sotto_sum_client *client, uint8_t *boxes,
                                              const uint8_t *neighbour_keys, sotto_error *err);
/* masked[values]. Errors: PROTOCOL (too few neighbours; a box that does not open), RANGE (a value, as a two's
 * complement number, beyond 2^62 / clients, naming the place). */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_sum_client_mask(sotto_sum_client *client, uint64_t *masked,
                                                            const uint8_t *neighbour_boxes,
                                                            const uint64_t *values, sotto_error *err);
/* Judges who lasted, and signs it. `set` names the survivors under this plan, and nothing of this sum's fresh
 * keys. A client that may come to the same round again, after a restart, keeps `set` before it sends the
 * signature, and sends none for another set of that round: two sums of one round over different sets show
 * the difference. Errors: PROTOCOL (states that cannot be; too few that last). */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_sum_client_sign(sotto_sum_client *client, uint8_t *signature,
                                                            uint8_t set[SOTTO_SUM_DIGEST],
                                                            const uint8_t *states, sotto_error *err);
/* Errors: PROTOCOL (a signature that is not of what this client signed; fewer than the quorum; of some client
 * fewer neighbours signed than the threshold). */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_sum_client_reveal(sotto_sum_client *client, uint8_t *reveal,
                                                              const uint8_t *signatures, sotto_error *err);

/* The server of one sum. What a client sends is taken in any order within a step; one that sent nothing when
 * the step ends has dropped. */
typedef struct sotto_sum_server sotto_sum_server;
SOTTO_API sotto_status sotto_sum_server_new(sotto_sum_server **out, const sotto_sum_plan *plan,
                                            sotto_error *err);
SOTTO_API void sotto_sum_server_free(sotto_sum_server *server);
/* The message of the present step (keys, boxes, masked, signature, reveal in turn), copied. Errors: INVALID
 * (a client that has dropped, or that has sent it), RANGE (no such client), PROTOCOL (malformed, or signed by
 * somebody else). */
SOTTO_API sotto_status sotto_sum_server_take(sotto_sum_server *server, uint32_t client, const void *message,
                                             sotto_error *err);
/* Ends the step: who did not send has dropped. Errors: PROTOCOL when too few clients, or too few neighbours
 * of one, are left: the sum cannot be had, and what was sent shows nothing. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_sum_server_next(sotto_sum_server *server, sotto_error *err);
/* What goes to a client that has not dropped, once its step has ended: neighbour_keys, neighbour_boxes,
 * states, signatures in turn. */
SOTTO_API sotto_status sotto_sum_server_give(const sotto_sum_server *server, uint32_t client, void *message,
                                             sotto_error *err);
SOTTO_API bool sotto_sum_server_has(const sotto_sum_server *server, uint32_t client);
/* After the last step: sums[values], as two's complement numbers, over the `summed` clients whose masked
 * vectors came. Cost: PRG of values for each of them, and for each pair of one that dropped and one that
 * lasted. Errors: PROTOCOL (shares that do not fit what was announced). */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_sum_server_finish(sotto_sum_server *server, uint64_t *sums,
                                                              uint32_t *summed, sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
