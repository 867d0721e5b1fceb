/* Generators of graphs. */
#ifndef SOTTO_GENERATE_H
#define SOTTO_GENERATE_H

#include "sotto/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each generator gives a dataset with features and labels, the same for the same key and any number of
 * threads, without a published split. Errors: RANGE for parameters out of their range, naming it; INVALID for
 * an empty key; NOMEM; INTERRUPTED. */
/* Chains of `length` nodes (Zheng et al. 2026, appendix A-D1): a chain's class stands, one-hot, in the
 * features of its first node only. Nodes go chain by chain, classes in order. Nothing is random: the key is
 * not used. */
typedef struct sotto_chains_options {
  uint32_t classes, chains_per_class, length; /* each at least 1 */
  uint32_t features;                          /* width, at least classes; the rest is zero */
} sotto_chains_options;
/* Stochastic block model; with feature_signal > 0 the contextual one (Deshpande et al. 2018). Blocks are
 * ranges of ids of nearly equal size; the label is the block. Time is proportional to nodes + edges. */
typedef struct sotto_sbm_options {
  uint64_t nodes;
  uint32_t classes;  /* 1 to nodes */
  uint32_t features; /* width; at least classes when feature_signal > 0; may be 0 */
  double degree_inside,
      degree_outside;    /* expected neighbours in and out of the own block; at most those there are */
  double feature_signal; /* distance of any two class means in units of the noise, 0 to 1e6 */
} sotto_sbm_options;
/* A sparse fraud graph with the statistics of the Finance data of Wu et al. 2023: half of the users without a
 * neighbour, mean degree 2.2, 8 % risky users (class 1), 24 features. Measured on 20,000 users, 70/10/20,
 * mean of 3 keys: ROC AUC 0.715 for an MLP on features, 0.79 for a 2-layer GCN, 0.81 for a 2-layer GIN
 * (without privacy). */
typedef struct sotto_transactions_options {
  uint64_t nodes; /* at least 400 */
} sotto_transactions_options;
/* Degrees with the tail k^-exponent up to about sqrt(2 edges) (Chung and Lu 2002), for measuring speed: any
 * size from a few to 10^8 edges. Labels are uniform, features noise with a little of the label in them; both
 * may be left out with 0. The graph has a few percent fewer edges than asked, for repeats are dropped. */
typedef struct sotto_powerlaw_options {
  uint64_t nodes, edges; /* edges at most a quarter of all pairs of nodes */
  double exponent;       /* above 2, at most 100 */
  uint32_t features, classes;
} sotto_powerlaw_options;
/* The chains of Zheng et al. 2026 by name, 2 classes and 100 features each: s, m, l (3 chains a class of 8,
 * 10, 15 nodes), x (5 of 15); and large (100 of 15), where a difference is larger than chance. Errors:
 * NOT_FOUND, with the names there are. */
SOTTO_API sotto_status sotto_chains_preset(sotto_chains_options *out, const char *name, sotto_error *err);
SOTTO_API sotto_status sotto_generate_chains(sotto_dataset *out, const sotto_chains_options *options,
                                             const sotto_key *key, sotto_error *err);
SOTTO_API sotto_status sotto_generate_sbm(sotto_dataset *out, const sotto_sbm_options *options,
                                          const sotto_key *key, sotto_error *err);
SOTTO_API sotto_status sotto_generate_transactions(sotto_dataset *out,
                                                   const sotto_transactions_options *options,
                                                   const sotto_key *key, sotto_error *err);
SOTTO_API sotto_status sotto_generate_powerlaw(sotto_dataset *out, const sotto_powerlaw_options *options,
                                               const sotto_key *key, sotto_error *err);

/* The same over ranks (sotto/ranks.h): each makes its share of edges and of features, and all write the
 * native file `path` together, each its own rows. The bytes are those of the dataset above when it is saved.
 * *out and *figures are as of sotto_dataset_import_ranks. Memory of a rank: about 1 / ranks of what the edges
 * take, 8 bytes a node (of sbm 4), and 16 MB on the way. Errors also: IO, those of another rank. */
SOTTO_API sotto_status sotto_generate_sbm_ranks(sotto_dataset *out, sotto_figures *figures,
                                                struct sotto_ranks *ranks, const sotto_sbm_options *options,
                                                const sotto_key *key, const char *path, sotto_error *err);
SOTTO_API sotto_status sotto_generate_powerlaw_ranks(sotto_dataset *out, sotto_figures *figures,
                                                     struct sotto_ranks *ranks,
                                                     const sotto_powerlaw_options *options,
                                                     const sotto_key *key, const char *path,
                                                     sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
