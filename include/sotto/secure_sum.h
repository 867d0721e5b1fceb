/* Secure aggregation: a server learns the sum of its clients' vectors and nothing of any one of them.
 *
 * Bonawitz et al. 2017 ("Practical secure aggregation"), against a server that follows the protocol, alone or
 * together with fewer than `threshold` neighbours of a client; and the sparse graph of neighbours of Bell et
 * al. 2020. Numbers are integers modulo 2^64. Client u sends
 *     y_u = x_u + PRG(b_u) + sum of +-PRG(s_uv) over its neighbours v,
 * where s_uv follows from X25519 and PRG is ChaCha20. b_u and u's secret key are shared by Shamir's scheme
 * among the neighbours: of a client that lasts the server is given b_u, of one that drops the key that takes
 * its pairwise masks out of the others' vectors; never both. Steps, each of which any client may not live to
 * take:
 *     1 keys      client -> server -> neighbours: two public keys
 *     2 boxes     client -> server -> neighbours: shares, sealed for the neighbour that may open them
 *     3 masked    client -> server: y_u
 *     4 states, reveal   server -> client: who lasted; client -> server: one share a neighbour
 * This room makes and takes the messages; sending them is the caller's. They are made of fresh randomness, so
 * a client or server object serves for one sum. What it costs and what it does not protect:
 * docs/federated.md.
 */
#ifndef SOTTO_SECURE_SUM_H
#define SOTTO_SECURE_SUM_H

#include "sotto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SOTTO_SUM_MOST_CLIENTS = 65536, SOTTO_SUM_MOST_NEIGHBOURS = 254 };

/* What all agree on before. */
typedef struct sotto_sum_plan {
  uint32_t clients;    /* 3 to SOTTO_SUM_MOST_CLIENTS */
  uint32_t neighbours; /* each masks with so many: clients - 1 for all, else an even number below it */
  uint32_t threshold;  /* of each client's neighbours at least so many last; more than half of them */
  size_t values;       /* length of the vectors */
  uint64_t round;      /* one of its own for each sum under the same seed */
  uint64_t seed;       /* public: decides, with the round, who is whose neighbour */
} sotto_sum_plan;

/* `neighbours` 0: 2 ceil(log2 clients), or all where that is no fewer. `threshold` 0: two thirds of all, half
 * of fewer, and one more. Errors: RANGE, naming the number. */
SOTTO_API sotto_status sotto_sum_plan_new(sotto_sum_plan *out, uint32_t clients, uint32_t neighbours,
                                          uint32_t threshold, size_t values, sotto_error *err);
/* Neighbours of a client, ascending, in out[neighbours]. O(clients). Errors: RANGE, NOMEM. */
SOTTO_API sotto_status sotto_sum_neighbours(uint32_t *out, const sotto_sum_plan *plan, uint32_t client,
                                            sotto_error *err);

/* Bytes of each message; all follow from the plan. What is not there (a neighbour's key, box or share) is 0.
 */
typedef struct sotto_sum_sizes {
  size_t keys, neighbour_keys, boxes, neighbour_boxes, masked, states, reveal;
} sotto_sum_sizes;
SOTTO_API sotto_sum_sizes sotto_sum_message_sizes(const sotto_sum_plan *plan);

/* out[i] = round(x[i] 2^bits) weight, a number that cannot wrap in the sum of all clients. Errors: NUMERIC
 * (not finite), RANGE (beyond 2^62 / clients), each naming the place; nothing is written then. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_sum_encode(uint64_t *out, const float *x, size_t count,
                                                       unsigned bits, uint32_t weight,
                                                       const sotto_sum_plan *plan, sotto_error *err);

/* A client, for one sum. Steps are taken in order, each once: INVALID otherwise. A client that fails says no
 * more: every later step is INVALID. */
typedef struct sotto_sum_client sotto_sum_client;
SOTTO_API sotto_status sotto_sum_client_new(sotto_sum_client **out, const sotto_sum_plan *plan,
                                            uint32_t client, sotto_error *err);
SOTTO_API void sotto_sum_client_free(sotto_sum_client *client); /* wiped */
SOTTO_API sotto_status sotto_sum_client_keys(sotto_sum_client *client, uint8_t *keys, sotto_error *err);
/* Errors: PROTOCOL (fewer neighbours than the threshold; a key that is no point). */
SOTTO_API sotto_status sotto_sum_client_boxes(sotto_sum_client *client, uint8_t *boxes,
                                              const uint8_t *neighbour_keys, sotto_error *err);
/* masked[values]. Errors: PROTOCOL (too few neighbours; a box that does not open), RANGE (a value, as a two's
 * complement number, beyond 2^62 / clients, naming the place). */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_sum_client_mask(sotto_sum_client *client, uint64_t *masked,
                                                            const uint8_t *neighbour_boxes,
                                                            const uint64_t *values, sotto_error *err);
/* Errors: PROTOCOL (states that cannot be; fewer neighbours that last than the threshold). */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_sum_client_reveal(sotto_sum_client *client, uint8_t *reveal,
                                                              const uint8_t *states, sotto_error *err);

/* The server of one sum. What a client sends is taken in any order within a step; one that sent nothing when
 * the step ends has dropped. */
typedef struct sotto_sum_server sotto_sum_server;
SOTTO_API sotto_status sotto_sum_server_new(sotto_sum_server **out, const sotto_sum_plan *plan,
                                            sotto_error *err);
SOTTO_API void sotto_sum_server_free(sotto_sum_server *server);
/* The message of the present step (keys, boxes, masked, reveal in turn), copied. Errors: INVALID (a client
 * that has dropped, or that has sent it), RANGE (no such client), PROTOCOL (malformed). */
SOTTO_API sotto_status sotto_sum_server_take(sotto_sum_server *server, uint32_t client, const void *message,
                                             sotto_error *err);
/* Ends the step: who did not send has dropped. Errors: PROTOCOL when a client has too few neighbours left, or
 * the clients that last fall apart into groups of no common neighbour: the sum cannot be had, and what was
 * sent shows nothing. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_sum_server_next(sotto_sum_server *server, sotto_error *err);
/* What goes to a client that has not dropped, once its step has ended: neighbour_keys, neighbour_boxes,
 * states in turn. */
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
