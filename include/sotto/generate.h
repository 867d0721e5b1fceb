/* Generators of synthetic graphs. */
#ifndef SOTTO_GENERATE_H
#define SOTTO_GENERATE_H

#include "sotto/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each generator makes a dataset with features and labels, without a published split. The same key gives
 * the same dataset for any number of threads. Errors: RANGE (a parameter, naming it), INVALID (an empty
 * key), NOMEM, INTERRUPTED. */
/* Chains of `length` nodes (Zheng et al. 2026, appendix A-D1). Only the features of the first node of a
 * chain hold its class, one-hot. Nodes are ordered by class, then by chain. Nothing is random: the key is
 * not used. */
typedef struct sotto_chains_options {
  uint32_t classes, chains_per_class, length; /* each at least 1 */
  uint32_t features;                          /* width, at least `classes`; the other columns are zero */
} sotto_chains_options;
/* Stochastic block model; with feature_signal > 0 the contextual one (Deshpande et al. 2018). Blocks are
 * ranges of ids of nearly equal size; the label is the block. Time: O(nodes + edges). */
typedef struct sotto_sbm_options {
  uint64_t nodes;
  uint32_t classes;  /* 1 to nodes */
  uint32_t features; /* width; at least classes when feature_signal > 0; may be 0 */
  /* expected neighbours inside and outside of the own block, at most the number of such nodes */
  double degree_inside, degree_outside;
  double feature_signal; /* distance of any two class means in units of the noise, 0 to 1e6 */
} sotto_sbm_options;
/* A sparse fraud graph with the statistics of the Finance data of Wu et al. 2023: half of the users have
 * no neighbour, the mean degree is 2.2, 8 % are risky users (class 1), 24 features. Measured on 20,000
 * users, split 70/10/20, mean of 3 keys, without privacy: ROC AUC 0.715 for an MLP on features, 0.79 for a
 * 2-layer GCN, 0.81 for a 2-layer GIN. */
typedef struct sotto_transactions_options {
  uint64_t nodes;    /* at least 400 */
  double share;      /* of risky users, above 0 and at most 0.5; 0: 0.08 */
  uint32_t features; /* width, at least 8, of which 8 columns tell the class; 0: 24 */
} sotto_transactions_options;
/* A field of mines as a graph, like "minesweeper" of Platonov et al. 2023: a square grid, whose cells have up
 * to eight neighbours; a fifth are mines (class 1), and half of all cells show how many neighbours are mines,
 * one column a number; the others have 1 in column 9. Features and neighbours' classes say nothing of a
 * cell's class, neighbours' features do: without privacy a network over two hops reaches a ROC AUC of 0.9, a
 * perceptron 0.5. */
typedef struct sotto_mines_options {
  uint64_t nodes; /* at least 100; rounded down to a square */
} sotto_mines_options;
/* Payments between accounts, of which 8 % are mules (class 1), with 24 features that say little: a mean
 * degree of 6, about two payments a relation, amounts, and days of a year (sotto_transfers). At dial 1 half
 * of a mule's relations have a pattern of laundering; at dial 0 none, and the graph is the same. */
typedef enum sotto_payments_pattern {
  SOTTO_PAYMENTS_LIMIT,   /* amounts just under a limit for reports, mostly in the last two months */
  SOTTO_PAYMENTS_PASSING, /* of what comes in nine tenths go out to another account within two days */
  SOTTO_PAYMENTS_CYCLES   /* what goes out is back within a week */
} sotto_payments_pattern;
typedef struct sotto_payments_options {
  uint64_t nodes; /* at least 400 */
  double dial;    /* 0 to 1 */
  sotto_payments_pattern pattern;
  double salaries;  /* share of the other relations that are twelve monthly payments of one amount; 0 to 1 */
  bool kinds;       /* payments have kinds: card, cash, cheque or transfer */
  double kind_dial; /* at 1 half of a mule's relations are in cash, whatever else they are; at 0 kinds are the
                       same for all; 0 to 1 */
  double share;     /* of mules, above 0 and at most 0.5; 0: 0.08 */
} sotto_payments_options;
/* Accounts of several banks, with features that say a little of their class, and edges for payments between
 * them, a share of which cross from one bank to another. Accounts of one bank have neighbouring ids. */
typedef struct sotto_banks_options {
  uint64_t nodes;
  uint32_t banks;                       /* 2 to 1024, of nearly equal size */
  uint32_t classes;                     /* at least 2, of one size in expectation at every bank */
  uint32_t features;                    /* width; at least classes when feature_signal > 0; may be 0 */
  double degree_inside, degree_outside; /* expected neighbours of the own class and of others; a few are
                                           repeats, which are dropped */
  double feature_signal;                /* distance of any two class means in units of the noise, 0 to 1e6 */
  double share;                         /* of edges between two banks, 0 to 1, independent of classes */
} sotto_banks_options;
/* The bank of a node, from 0. */
static inline uint32_t sotto_bank_of(const sotto_banks_options *options, uint64_t node) {
  return (uint32_t)(node * options->banks / options->nodes);
}
/* Power-law degrees, for measuring speed: tail k^-exponent up to about sqrt(2 edges) (Chung and Lu 2002),
 * from a few to 10^8 edges. Labels are uniform; features are noise with a weak signal of the label; 0
 * leaves either out. The graph has a few percent fewer edges than requested, since repeats are dropped. */
typedef struct sotto_powerlaw_options {
  uint64_t nodes, edges; /* edges at most a quarter of all pairs of nodes */
  double exponent;       /* above 2, at most 100 */
  uint32_t features, classes;
} sotto_powerlaw_options;
/* A stand-in for a published dataset: made at random with its number of nodes, classes and columns, and its
 * mean degree. Nothing else of it is the original's, and the dataset is named "like-NAME". Names: finance
 * (Wu et al. 2023: sotto_generate_transactions with 155 columns), and as block models pubmed, products
 * (ogbn-products) and reddit: classes of equal size, degrees that are nearly all the mean one, and a distance
 * of class means at which features alone give the published accuracy of a perceptron. */
typedef struct sotto_like_options {
  const char *name;
  uint64_t nodes; /* fewer, or more, with the same mean degree; 0: as the original */
} sotto_like_options;
/* Errors: also NOT_FOUND, listing the names; RANGE where so few nodes have no room for the degree. */
SOTTO_API sotto_status sotto_generate_like(sotto_dataset *out, const sotto_like_options *options,
                                           const sotto_key *key, sotto_error *err);
/* The chains of Zheng et al. 2026 by name, 2 classes and 100 features each: s, m, l (3 chains per class of
 * 8, 10, 15 nodes), x (5 of 15), and large (100 of 15), where differences exceed chance. Errors:
 * NOT_FOUND, listing the names. */
SOTTO_API sotto_status sotto_chains_preset(sotto_chains_options *out, const char *name, sotto_error *err);
SOTTO_API sotto_status sotto_generate_chains(sotto_dataset *out, const sotto_chains_options *options,
                                             const sotto_key *key, sotto_error *err);
SOTTO_API sotto_status sotto_generate_sbm(sotto_dataset *out, const sotto_sbm_options *options,
                                          const sotto_key *key, sotto_error *err);
SOTTO_API sotto_status sotto_generate_transactions(sotto_dataset *out,
                                                   const sotto_transactions_options *options,
                                                   const sotto_key *key, sotto_error *err);
SOTTO_API sotto_status sotto_generate_mines(sotto_dataset *out, const sotto_mines_options *options,
                                            const sotto_key *key, sotto_error *err);
SOTTO_API sotto_status sotto_generate_payments(sotto_dataset *out, const sotto_payments_options *options,
                                               const sotto_key *key, sotto_error *err);
SOTTO_API sotto_status sotto_generate_banks(sotto_dataset *out, const sotto_banks_options *options,
                                            const sotto_key *key, sotto_error *err);
SOTTO_API sotto_status sotto_generate_powerlaw(sotto_dataset *out, const sotto_powerlaw_options *options,
                                               const sotto_key *key, sotto_error *err);

/* The same over ranks (sotto/ranks.h): each rank makes its share of edges and features, and all ranks
 * write the native file `path` together.
 *
 * - The bytes are those of the same dataset saved by one process.
 * - *out and *figures are as in sotto_dataset_import_ranks.
 * - Memory per rank: about 1 / ranks of the edges, 8 bytes per node (sbm: 4), and 16 MB of buffers.
 *
 * Errors: as above; IO, those of another rank. */
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
