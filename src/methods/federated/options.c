/* Options of clients and a server that averages their models. */
#include "options.h"
#include "run/settings/options.h"

static const sotto_i_option client_rows[] = {
    {SOTTO_I_OPTION(sotto_i_client_settings, rounds, "rounds", COUNT, "200", 1, 1000000, "", TRAINING,
                    "times that models are averaged"),
     .common = true},
    {SOTTO_I_OPTION(sotto_i_client_settings, fraction, "fraction", REAL, "1", 0.001, 1, "", TRAINING,
                    "share of the clients that take part in a round")},
    {SOTTO_I_OPTION(sotto_i_client_settings, optimiser, "optimiser", WORD, "adam", 0, 0,
                    "adam sgd server-adam", TRAINING,
                    "adam, sgd: of clients, its state stays with them; server-adam: clients take plain "
                    "gradient steps, and the server applies Adam to their mean change")},
    {SOTTO_I_OPTION(sotto_i_client_settings, prox_mu, "prox-mu", REAL, "0", 0, 1e6, "", TRAINING,
                    "FedProx: pull of a client's weights towards the average")},
    {SOTTO_I_OPTION(sotto_i_client_settings, local_momentum, "local-momentum", REAL, "0", 0, 0.999, "",
                    TRAINING,
                    "momentum of clients' sgd, averaged with the models (momentum federated learning)")},
    {SOTTO_I_OPTION(sotto_i_client_settings, secure_aggregation, "secure-aggregation", SWITCH, "false", 0, 0,
                    "", PRIVACY, "the server sees only sums of updates"),
     .common = true},
    {SOTTO_I_OPTION(sotto_i_client_settings, client_keys, "client-keys", TEXT, "", 0, 0, "", PARTIES,
                    "secure-aggregation, update-bound, partition linked between parties: file with all "
                    "clients' certificates, client1's "
                    "first, and the helper's last"),
     .local = true},
    {SOTTO_I_OPTION(sotto_i_client_settings, sum_neighbours, "sum-neighbours", COUNT, "0", 0, 254, "",
                    PRIVACY, "secure-aggregation: how many others each client masks with, even; 0: all")},
    {SOTTO_I_OPTION(sotto_i_client_settings, update_bound, "update-bound", REAL, "0", 0, 1e9, "", PRIVACY,
                    "L2 norm that two servers let a client's update have, without seeing it; 0: no check")},
};
const sotto_i_option_rows sotto_i_client_rows = SOTTO_I_OWN_ROWS(sotto_i_client_settings, client_rows);

const sotto_i_client_settings *sotto_i_client_settings_of(const sotto_options *options) {
  return SOTTO_I_OWN(sotto_i_client_settings, options, &sotto_i_client_rows);
}

static const sotto_i_option noise_rows[] = {
    {SOTTO_I_OPTION(sotto_i_noise_settings, noise, "noise", WORD, "distributed", 0, 0,
                    "distributed central local", PRIVACY,
                    "who adds the noise: each client a part, under secure-aggregation; the server, which is "
                    "trusted; each client all of it"),
     .common = true, .adjacencies = SOTTO_I_NODE | SOTTO_I_GRAPH | SOTTO_I_CLIENT, .asked = "central"},
    {SOTTO_I_OPTION(sotto_i_noise_settings, leaving_share, "leaving-share", REAL, "0", 0, 0.33, "", PRIVACY,
                    "noise distributed: share of a round's clients that may leave it; the others' noise is "
                    "enough"),
     .adjacencies = SOTTO_I_NODE | SOTTO_I_GRAPH | SOTTO_I_CLIENT},
    {SOTTO_I_OPTION(sotto_i_noise_settings, colluding_share, "colluding-share", REAL, "0", 0, 0.99, "",
                    PRIVACY,
                    "noise distributed: share of a round's clients whose noise is not counted on, since they "
                    "may reveal it"),
     .adjacencies = SOTTO_I_NODE | SOTTO_I_GRAPH | SOTTO_I_CLIENT},
};
const sotto_i_option_rows sotto_i_noise_rows = SOTTO_I_OWN_ROWS(sotto_i_noise_settings, noise_rows);

const sotto_i_noise_settings *sotto_i_noise_settings_of(const sotto_options *options) {
  return SOTTO_I_OWN(sotto_i_noise_settings, options, &sotto_i_noise_rows);
}

bool sotto_i_fed_by_client(const sotto_options *o) {
  return o->adjacency == SOTTO_ADJACENCY_CLIENT;
}
