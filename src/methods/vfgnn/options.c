/* Options of several holders and a server. */
#include "options.h"
#include "base/option.h"

static const sotto_i_option holder_rows[] = {
    {SOTTO_I_OPTION(sotto_options, holders, "holders", COUNT, "2", 1, 16, "", PARTIES,
                    "how many hold columns and edges"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, label_holder, "label-holder", COUNT, "1", 1, 16, "", PARTIES,
                    "which of them has labels")},
    {SOTTO_I_OPTION(sotto_options, proportion, "proportion", TEXT, "", 0, 0, "", PARTIES,
                    "in one process: what each holder gets, as 5:5; empty: the same")},
    {SOTTO_I_OPTION(sotto_options, initial, "initial", WORD, "collaboratively", 0, 0,
                    "collaboratively individually", NETWORK,
                    "first layer over all columns under secret shares, or one a holder over its own")},
    {SOTTO_I_OPTION(sotto_options, first_rate, "first-rate", REAL, "1", 1e-6, 100, "", TRAINING,
                    "learning rate of the first layer under shares")},
    {SOTTO_I_OPTION(sotto_options, first_momentum, "first-momentum", REAL, "0.9", 0, 0.99, "", TRAINING,
                    "momentum of the first layer under shares")},
    {SOTTO_I_OPTION(sotto_options, hop_rate, "hop-rate", REAL, "0.0003", 0, 10, "", TRAINING,
                    "learning rate of the holders' hops, which begin as means; 0: they stay so")},
    {SOTTO_I_OPTION(sotto_options, feature_bound, "feature-bound", REAL, "1", 1e-3, 1e6, "", NETWORK,
                    "largest feature, after scaling, that enters shares")},
    {SOTTO_I_OPTION(sotto_options, fraction_bits, "fraction-bits", COUNT, "20", 10, 30, "", NETWORK,
                    "bits of the fraction in fixed point under shares")},
    {SOTTO_I_OPTION(sotto_options, estimator, "estimator", WORD, "gaussian", 0, 0, "gaussian james-stein",
                    PRIVACY, "the server reads noisy rows as they are, or shrinks them")},
    {SOTTO_I_OPTION(sotto_options, export_first, "export-first", SWITCH, "false", 0, 0, "", PARTIES,
                    "open the shared first layer to all holders at the end")},
};
const sotto_i_option_rows sotto_i_holder_rows = {holder_rows, sizeof holder_rows / sizeof *holder_rows};
