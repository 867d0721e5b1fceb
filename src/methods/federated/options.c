/* Options of clients and a server that averages their models. */
#include "options.h"
#include "base/option.h"

static const sotto_i_option client_rows[] = {
    {SOTTO_I_OPTION(sotto_options, clients, "clients", COUNT, "10", 2, 1024, "", PARTIES,
                    "how many clients hold data"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, dirichlet, "dirichlet", REAL, "0", 0, 1e6, "", PARTIES,
                    "labels are distributed unevenly, with this concentration; 0: alike")},
    {SOTTO_I_OPTION(sotto_options, deal, "deal", WORD, "alike", 0, 0, "alike communities", PARTIES,
                    "how nodes come to clients: at random, or by communities of the graph (Louvain)")},
    {SOTTO_I_OPTION(sotto_options, client_list, "client-list", TEXT, "", 0, 0, "", PARTIES,
                    "file with the client of each node or graph, from 1, a line each")},
    {SOTTO_I_OPTION(sotto_options, rounds, "rounds", COUNT, "200", 1, 1000000, "", TRAINING,
                    "times that models are averaged"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, fraction, "fraction", REAL, "1", 0.001, 1, "", TRAINING,
                    "share of the clients that take part in a round")},
    {SOTTO_I_OPTION(
        sotto_options, least_clients, "least-clients", COUNT, "0", 0, 1024, "", PARTIES,
        "between parties: how many must stay for the rounds to continue without the others; 0: all")},
    {SOTTO_I_OPTION(sotto_options, round_limit, "round-limit", REAL, "600", 0.1, 31536000, "", PARTIES,
                    "with least-clients: seconds that a client may take to answer, before it is left out")},
    {SOTTO_I_OPTION(sotto_options, local_epochs, "local-epochs", COUNT, "1", 1, 100000, "", TRAINING,
                    "epochs of a client in a round")},
    {SOTTO_I_OPTION(sotto_options, optimiser, "optimiser", WORD, "adam", 0, 0, "adam sgd", TRAINING,
                    "of clients; its state stays with them")},
    {SOTTO_I_OPTION(sotto_options, prox_mu, "prox-mu", REAL, "0", 0, 1e6, "", TRAINING,
                    "FedProx: pull of a client's weights towards the average")},
    {SOTTO_I_OPTION(sotto_options, server_momentum, "server-momentum", REAL, "0", 0, 0.999, "", TRAINING,
                    "momentum of the average")},
    {SOTTO_I_OPTION(sotto_options, local_momentum, "local-momentum", REAL, "0", 0, 0.999, "", TRAINING,
                    "momentum of clients' sgd, averaged with the models (momentum federated learning)")},
    {SOTTO_I_OPTION(sotto_options, secure_aggregation, "secure-aggregation", SWITCH, "false", 0, 0, "",
                    PRIVACY, "the server sees only sums of updates"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, sum_neighbours, "sum-neighbours", COUNT, "0", 0, 254, "", PRIVACY,
                    "secure-aggregation: how many others each client masks with, even; 0: all")},
    {SOTTO_I_OPTION(
        sotto_options, sum_threshold, "sum-threshold", COUNT, "0", 0, 254, "", PRIVACY,
        "secure-aggregation: how many of them must last; 0: two thirds of all, half of fewer, and one")},
};
const sotto_i_option_rows sotto_i_client_rows = {client_rows, sizeof client_rows / sizeof *client_rows};
