/* The privacy cost of a federation with noisy sums: noise for all of its rounds, and who adds which part of
 * it. */
#include "methods/federated/noisy.h"

#include <math.h>

#include "base/error.h"
#include "dp/mechanisms/mechanism.h"
#include "inside/nn.h"
#include "methods/federated/protocol.h"
#include "protocols/options.h"
#include "release/plan.h"
#include "run/settings/options.h"

/* A node or a graph is one example of one client. Neighbouring data differ in it: its vector is replaced.
 * The same holds for a client, which takes part in at most all rounds, and not secretly. */
static const char *description_of(const sotto_options *o) {
  if (o->adjacency == SOTTO_ADJACENCY_CLIENT) return "noisy sums of the clipped updates of clients";
  return o->adjacency == SOTTO_ADJACENCY_GRAPH
             ? "DP-SGD over clients: noisy sums of the clipped gradients of secret Poisson samples of "
               "training graphs"
             : "DP-SGD over clients: noisy sums of the clipped gradients of secret Poisson samples of "
               "training nodes";
}

static double rate_of(const sotto_options *o) {
  return sotto_i_fed_by_client(o) ? 1 : sotto_i_node_settings_of(o)->batch_rate;
}

uint32_t sotto_i_fed_taking(const sotto_options *o, uint32_t clients) {
  const uint32_t taking = (uint32_t)ceil(sotto_i_client_settings_of(o)->fraction * clients - 1e-9);
  return taking < 1 ? 1 : taking;
}

/* Noise that several add together is a sum of discrete Gaussians. Noise of one party is a Gaussian, rounded
 * where all sums are whole. */
static sotto_mechanism_kind kind_of(sotto_i_noise_by by) {
  return by == SOTTO_I_NOISE_DISTRIBUTED ? SOTTO_MECHANISM_POISSON_SUM : SOTTO_MECHANISM_REPLACED_GAUSSIAN;
}

sotto_status sotto_i_fed_noise_new(sotto_i_fed_noise *out, const sotto_options *o, uint32_t taking,
                                   sotto_error *err) {
  const sotto_i_noise_settings *own = sotto_i_noise_settings_of(o);
  const size_t most_values = (size_t)1 << 40;
  const bool distributed = own->noise == SOTTO_I_NOISE_DISTRIBUTED;
  sotto_i_fed_joint joint = {.counted = 1, .leaving = 0};
  sotto_mechanism one = sotto_mechanism_default(kind_of(own->noise));
  const double epsilon = o->epsilon * (distributed ? 1 : 1 - 1e-3); /* pld bounds are up to 1e-3 too high */
  double multiplier;
  sotto_status status;
  if (distributed) SOTTO_TRY(sotto_i_fed_joint_new(&joint, o, taking, err));
  *out = (sotto_i_fed_noise){.by = own->noise,
                             .rate = rate_of(o),
                             .clip = sotto_i_node_settings_of(o)->clip,
                             .least = taking - joint.leaving};
  one.rate = rate_of(o);
  one.count = sotto_i_client_settings_of(o)->rounds;
  SOTTO_TRY(sotto_account_noise(&multiplier, &one, 1, 0, epsilon, o->delta, SOTTO_ACCOUNTANT_PLD, err));
  SOTTO_TRY(sotto_i_summed_noise_new(&out->grid, sotto_i_node_settings_of(o)->clip, multiplier,
                                     distributed ? taking : 1, joint.counted, most_values, err));
done:
  return status;
}

/* The mu in the ledger for readers who compose Gaussians alone: that of the Gaussian with the Renyi
 * divergences of the rounds without sampling. It is increased until its epsilon is at least the one that
 * follows from these divergences, for delta from 1/10 to 1e-20. */
static sotto_status gaussian_above(double *mu, const sotto_mechanism *all, sotto_error *err) {
  sotto_mechanism whole = *all;
  sotto_status status = SOTTO_OK;
  whole.rate = 1;
  *mu = 2 * all->sensitivity / all->noise * sqrt((double)all->count) * (1 + 0x1p-50);
  if (!sotto_i_mechanism_by_renyi(all)) return SOTTO_OK; /* the mechanism is a Gaussian */
  for (double delta = 0.1; delta > 0.9e-20; delta /= 10) {
    double shown, epsilon;
    SOTTO_TRY(sotto_account_epsilon(&shown, &whole, 1, delta, SOTTO_ACCOUNTANT_RDP, err));
    SOTTO_TRY(sotto_gdp_epsilon(&epsilon, *mu, delta, err));
    while (epsilon < shown) {
      *mu *= 1 + 0x1p-10;
      SOTTO_TRY(sotto_gdp_epsilon(&epsilon, *mu, delta, err));
    }
  }
done:
  return status;
}

/* Does the data have what is to be protected? */
static sotto_status check_data(const sotto_options *o, const sotto_dataset *data, sotto_error *err) {
  const bool graphs = data->graph_count > 0, node = o->adjacency == SOTTO_ADJACENCY_NODE;
  const bool whole = o->adjacency == SOTTO_ADJACENCY_GRAPH;
  const double units = whole ? (double)data->graph_count : (double)o->clients;
  if (node && graphs)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "adjacency: node is for nodes that are classified; here graphs are: take graph");
  if (o->adjacency == SOTTO_ADJACENCY_GRAPH && !graphs)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "adjacency: graph is for graphs that are classified; %s has one graph: take node",
                        data->name);
  if (node && (data->features.cols == 0 || data->labels == NULL))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "adjacency: node needs features and labels; %s lacks them",
                        data->name);
  if (!node && o->delta * units >= 1)
    return sotto_i_fail(err, SOTTO_RANGE, "delta: %g is not below one in %g, the number of %s", o->delta,
                        units, whole ? "graphs" : "clients");
  return SOTTO_OK;
}

sotto_status sotto_i_fed_noise_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  const bool server = job->seat != NULL && job->seat->role == SOTTO_ROLE_SERVER; /* the server has no data */
  sotto_i_fed_noise noise;
  sotto_status status;
  double mu;
  *out = (sotto_cost){.adjacency = "node"};
  if (!server) SOTTO_TRY(check_data(o, job->data, err));
  SOTTO_TRY(sotto_i_fed_noise_new(&noise, o, sotto_i_fed_taking(o, (uint32_t)o->clients), err));
  sotto_mechanism all = sotto_i_summed_mechanism(&noise.grid, noise.rate);
  all.kind = kind_of(noise.by);
  all.count = sotto_i_client_settings_of(o)->rounds;
  SOTTO_TRY(gaussian_above(&mu, &all, err));
  (void)sotto_i_cost_add(out, description_of(o), &all, mu, 0);
done:
  return status;
}

sotto_status sotto_i_fed_noise_check(const sotto_options *o, sotto_error *err) {
  const sotto_i_noise_settings *own = sotto_i_noise_settings_of(o);
  const sotto_i_client_settings *client = sotto_i_client_settings_of(o);
  const uint32_t clients = (uint32_t)o->clients;
  sotto_i_fed_joint joint;
  if (own->noise == SOTTO_I_NOISE_DISTRIBUTED && !client->secure_aggregation)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "noise: distributed needs secure-aggregation, since each client's part of the noise "
                        "alone hides little; or take noise local, or central where the server is trusted");
  if (own->noise == SOTTO_I_NOISE_LOCAL && client->secure_aggregation)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "noise: local hides each client's sum by itself: leave secure-aggregation out, or take "
        "noise distributed");
  if (own->noise != SOTTO_I_NOISE_DISTRIBUTED && (own->leaving_share > 0 || own->colluding_share > 0))
    return sotto_i_fail(err, SOTTO_INVALID, "leaving-share and colluding-share are of noise distributed");
  if (own->noise == SOTTO_I_NOISE_DISTRIBUTED) {
    const sotto_status status = sotto_i_fed_joint_new(&joint, o, sotto_i_fed_taking(o, clients), err);
    if (status != SOTTO_OK) return status;
    const uint32_t leaving = sotto_i_fed_share(own->leaving_share, clients);
    if (o->least_clients > 0 && o->least_clients + leaving < clients)
      return sotto_i_fail(err, SOTTO_INVALID,
                          "least-clients: %llu of %u, but the noise is enough without %u of them alone; give "
                          "a larger leaving-share",
                          (unsigned long long)o->least_clients, (unsigned)clients, (unsigned)leaving);
  }
  if (sotto_i_fed_by_client(o) && (client->optimiser == SOTTO_I_OPTIMISER_ADAM || client->local_momentum > 0))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "optimiser: at client level a client keeps no moments from round to round, so that a "
                        "round that is done again has the same sum: take server-adam, or sgd");
  if (o->adjacency == SOTTO_ADJACENCY_NODE && o->layers > SOTTO_MLP_LAYERS)
    return sotto_i_fail(err, SOTTO_RANGE, "layers: at node level at most %d", SOTTO_MLP_LAYERS);
  return SOTTO_OK;
}
