/* Noise in the sums of a federation, at node, graph or client level: vectors in whole steps, and noise that
 * clients add together, that each client adds alone, or that the server adds. */
#ifndef SOTTO_SRC_METHODS_FEDERATED_NOISY_H
#define SOTTO_SRC_METHODS_FEDERATED_NOISY_H

#include "dp/noise/summed.h"
#include "inside/secure_sum.h"
#include "options.h"
#include "release/forms.h"
#include "release/receipt.h"
#include "sotto/methods.h"

struct sotto_i_federation;
struct sotto_i_fed_client;
struct sotto_i_fed_server;
struct sotto_i_job;

/* What all parties know about the noise of a run. */
typedef struct sotto_i_fed_noise {
  sotto_i_noise_by by;
  sotto_i_summed_noise grid; /* distributed: of all clients of a round; else of the one who adds all of it */
  double rate, clip;
  uint32_t least; /* distributed: the fewest survivors whose noise is enough; no sum over fewer is revealed */
} sotto_i_fed_noise;

/* noisy_joint.c. Noise that clients add together in a secure sum: the parameters for which both theorems
 * hold, and the number of clients whose noise is in every sum that anyone may see. */
typedef struct sotto_i_fed_joint {
  sotto_sum_plan plan; /* clients, neighbours, threshold, least */
  uint32_t leaving, colluding;
  uint32_t counted;    /* parts of noise in every visible sum: of clients that neither left nor collude */
  uint32_t withstands; /* this many clients may collude, whichever they are */
} sotto_i_fed_joint;
/* A share of the clients, rounded down. */
uint32_t sotto_i_fed_share(double share, uint32_t clients);
/* For `taking` clients in a round. Errors: RANGE, with a suggestion. */
sotto_status sotto_i_fed_joint_new(sotto_i_fed_joint *out, const sotto_options *options, uint32_t taking,
                                   sotto_error *err);

/* noisy_plan.c. The noise for epsilon and delta in all rounds, with `taking` clients in each. Errors:
 * RANGE. */
sotto_status sotto_i_fed_noise_new(sotto_i_fed_noise *out, const sotto_options *options, uint32_t taking,
                                   sotto_error *err);
/* All rounds of a seed as one item. Errors: also UNSUPPORTED (classification of graphs, no features). */
sotto_status sotto_i_fed_noise_price(sotto_cost *out, const struct sotto_i_job *job, sotto_error *err);
/* The number of clients in a round. */
uint32_t sotto_i_fed_taking(const sotto_options *options, uint32_t clients);
/* Checks that the options are compatible. Errors: INVALID, RANGE. */
sotto_status sotto_i_fed_noise_check(const sotto_options *options, sotto_error *err);

/* noisy_records.c. The number of the client's records, which is public; the noise hides each of them. */
size_t sotto_i_fed_record_count(const struct sotto_i_fed_client *client);
/* Adds the vectors of this round's records to sum[model.size]. Errors: NOMEM; none depends on values. */
sotto_status sotto_i_fed_add_records(int64_t *sum, struct sotto_i_fed_client *client, uint64_t round,
                                     sotto_error *err);

/* noisy_client.c. Does the client's own account have the budget? Errors: REFUSED, and the ledger's others. */
sotto_status sotto_i_fed_noisy_ask(const struct sotto_i_fed_client *client, sotto_error *err);
/* Draws or finds the key of all its samples and noise, and charges for all rounds. */
sotto_status sotto_i_fed_noisy_begin(struct sotto_i_fed_client *client, sotto_error *err);
/* A round after the model was received. Errors: also PROTOCOL (another model or sum was used in that round
 * before). */
sotto_status sotto_i_fed_noisy_turn(struct sotto_i_fed_client *client, uint64_t round, const uint32_t *taking,
                                    sotto_error *err);
/* The client's part of a round's sum alone, for tests: sum[model.size], zero at first. */
sotto_status sotto_i_fed_noisy_sum(int64_t *sum, struct sotto_i_fed_client *client, uint64_t round,
                                   sotto_error *err);
/* noisy_canary.c. A node whose gradient changes its sign, in all rounds. */
struct sotto_i_canary;
struct sotto_i_run;
sotto_status sotto_i_fed_noisy_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                      unsigned kind, sotto_error *err);
/* At the end: each client evaluates the common model on its own items and reports this to nobody. */
sotto_status sotto_i_fed_noisy_end(struct sotto_i_fed_client *client, sotto_error *err);

/* noisy_server.c. Receives sums, without noise or with a client's own, into totals. */
sotto_status sotto_i_fed_noisy_gather(struct sotto_i_fed_server *server, const uint32_t *taking,
                                      uint64_t round, sotto_error *err);
/* Adds the server's noise if the server adds it, and updates the model by the noisy mean gradient. */
sotto_status sotto_i_fed_noisy_move(struct sotto_i_fed_server *server, uint64_t round, sotto_error *err);
/* Sends a model that follows from noisy sums alone. */
sotto_status sotto_i_fed_noisy_send(struct sotto_i_fed_server *server, uint32_t client,
                                    const sotto_matrix *model, sotto_error *err);
/* Gives an audit's probe, if any, a client's sum of a round before its noise (`part`, in steps), or the
 * result (`whole`) (noisy_server.c). */
sotto_status sotto_i_fed_show_sum(const struct sotto_i_federation *federation, uint64_t round, size_t count,
                                  const int64_t *part, const double *whole, sotto_error *err);
/* Gaussian noise of `sigma` steps, rounded to whole ones (noisy_client.c). */
void sotto_i_fed_add_rounded(int64_t *sum, size_t size, double sigma, const sotto_key *key, uint64_t round);
/* A key of 32 bytes as an artifact (noisy_client.c): for `item` of the plan, or SOTTO_I_NO_ITEM. */
typedef struct sotto_i_fed_noise_key {
  const struct sotto_i_job *job;
  size_t item;
  uint32_t number; /* of a client, from 1; 0: the server's */
  uint32_t part;   /* the client's, where all are in one process; else 0 */
  const sotto_dataset *part_data;
  const sotto_i_fed_noise *noise;
} sotto_i_fed_noise_key;
sotto_status sotto_i_fed_noise_key_use(sotto_i_drawn_key *out, const sotto_i_fed_noise_key *of,
                                       sotto_error *err);

#endif
