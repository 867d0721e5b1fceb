/* Gromov-Wasserstein distances between graphs, and classification, clusters and drawings by them. Everything
 * here is in double precision and is computed by the owner of the graphs: nothing is sent, and the results
 * are not private.
 *
 *   value(T) = (1 - a) sum_ij F_ij T_ij + a sum_ijkl L(C_ik, D_jl) T_ij T_kl,   T >= 0, T 1 = p, T' 1 = q
 *
 * is made small over the plans T (Memoli 2011; Peyre, Cuturi and Solomon 2016; fused: Vayer et al. 2019). It
 * is not convex: what is returned is a local minimum, the best from several starts, and so an upper bound. */
#ifndef SOTTO_GW_H
#define SOTTO_GW_H

#include "sotto/graph.h"
#include "sotto/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Points, distances (or similarities) between them, and their weights. Borrowed. */
typedef struct sotto_gw_space {
  size_t points;          /* 1 to 10,000 */
  const double *distance; /* points x points, row-major, finite, symmetric; not negative with the KL loss */
  const double *weight;   /* points, positive, sum 1 within 1e-9; NULL: uniform */
} sotto_gw_space;

typedef enum sotto_gw_loss {
  SOTTO_GW_SQUARE, /* L(a, b) = (a - b)^2: the root of the value is a metric up to isomorphism */
  SOTTO_GW_KL,     /* L(a, b) = a log(a / b) - a + b, with a and b at least 1e-15; not symmetric */
} sotto_gw_loss;

typedef enum sotto_gw_solver {
  SOTTO_GW_CONDITIONAL, /* conditional gradient: exact linear step (network simplex), exact line search */
  SOTTO_GW_PROXIMAL,    /* proximal point with the KL divergence to the last plan (Xu et al. 2019) */
  SOTTO_GW_ENTROPIC, /* entropy in the objective (Peyre et al. 2016); the value is that of the plan alone */
} sotto_gw_solver;

typedef struct sotto_gw_options {
  sotto_gw_loss loss;
  sotto_gw_solver solver;
  uint32_t starts;     /* 1 to 64: the product plan, then profiles, then anchors (docs/gw.md) */
  uint32_t iterations; /* of the outer loop for each start, at least 1 */
  double tolerance;    /* stops when a step gains less than this part of the terms of the value; 1e-15 to 1 */
  double entropy; /* proximal, entropic: weight of the divergence, in units of the mean |cost|; above 0 */
  double alpha;   /* weight of the structure when there is a feature cost, 0 to 1 */
  const double *feature_cost; /* F, points of a x points of b, finite; NULL: none, and a = 1 */
} sotto_gw_options;

/* Square loss, conditional gradient, 6 starts, 1000 iterations, tolerance 1e-9, entropy 0.05, alpha 0.5. */
SOTTO_API sotto_gw_options sotto_gw_defaults(void);

typedef struct sotto_gw_result {
  double value;        /* never negative when F is not; 0 means equal up to the order of points */
  uint32_t start;      /* which start led to it */
  uint32_t iterations; /* of all starts together */
} sotto_gw_result;

/* The value of the best plan found between a (n points) and b (m points), and the plan itself (n x m, row
 * sums a's weights) unless `plan` is NULL. Deterministic. O(n^2 m + n m^2) a step, plus the network simplex.
 * Errors: INVALID (not symmetric, weights, naming the entry), RANGE (options, sizes), NUMERIC (not finite),
 * NOMEM. */
SOTTO_API sotto_status sotto_gw_distance(sotto_gw_result *result, double *plan, const sotto_gw_space *a,
                                         const sotto_gw_space *b, const sotto_gw_options *options,
                                         sotto_error *err);

/* Hops between all nodes of a graph by breadth-first search, nodes x nodes. Nodes that no path joins get the
 * largest finite distance of the graph + 1, which keeps the triangle inequality. O(nodes * entries). Errors:
 * RANGE (no nodes, or more than 10,000). */
SOTTO_API sotto_status sotto_gw_paths(double *distance, const sotto_graph *graph, sotto_error *err);

/* How far two rows x, y are apart. Rows that are zero (cosine) or constant (correlation) are at distance 0
 * from each other and 1 from others. */
typedef enum sotto_gw_metric {
  SOTTO_GW_EUCLIDEAN,   /* |x - y| */
  SOTTO_GW_COSINE,      /* 1 - <x, y> / (|x| |y|) */
  SOTTO_GW_CORRELATION, /* the same after the mean of each row is taken off it */
} sotto_gw_metric;

/* The space of `points` points and uniform weights that is nearest to `count` others on average (Peyre et al.
 * 2016, section 4; square loss): writes its distances, points x points, symmetric, and the mean value to it.
 * `shares` has one positive weight for each space, with sum 1; NULL: equal ones. Starts from the given space
 * whose size is nearest, resampled, and stops when a round gains less than 1e-6 of the value, or after
 * `rounds`. Deterministic. Runs on the thread pool. Errors: as sotto_gw_distance; RANGE (no space, no point,
 * KL loss). */
SOTTO_API sotto_status sotto_gw_barycentre(double *distance, double *value, size_t points,
                                           const sotto_gw_space *spaces, const double *shares, size_t count,
                                           uint32_t rounds, const sotto_gw_options *options,
                                           sotto_error *err);

/* What a collection of graphs is compared by. */
typedef enum sotto_gw_by {
  SOTTO_GW_BY_PATHS,      /* Gromov-Wasserstein on hops */
  SOTTO_GW_BY_FEATURES,   /* Gromov-Wasserstein on distances of the nodes' features */
  SOTTO_GW_BY_EMBEDDINGS, /* the same, of rows that the caller brings */
  SOTTO_GW_BY_FUSED,      /* hops and features, or such rows, with options.alpha; F is the squared distance */
  SOTTO_GW_BY_KERNEL,     /* shortest-path kernel (Borgwardt and Kriegel 2005), labels being equal features:
                             the squared distance 2 - 2 k(x, y) / sqrt(k(x, x) k(y, y)) */
  SOTTO_GW_BY_EDITS,      /* exact graph edit distance, every edit at cost 1, of small graphs */
  SOTTO_GW_BY_SIZE,       /* control: Gromov-Wasserstein on noise of the same shapes */
  SOTTO_GW_BY_CODES,      /* expected distance of the anchors that reports of graphs stand for */
} sotto_gw_by;

/* What a server knows of graphs that reported one code each under local privacy (docs/gw.md). Owned; free
 * with sotto_gw_codes_free. */
typedef struct sotto_gw_codes {
  sotto_matrix posterior; /* graphs x anchors: probabilities of each graph's nearest anchor, sum 1 */
  sotto_matrix distance;  /* anchors x anchors, symmetric, not negative */
} sotto_gw_codes;
/* Reads codes.npz of a run: arrays posterior and anchors. Errors: those of sotto_gw_embeddings_open; PARSE
 * (shapes), CORRUPT (no probabilities, no distances). */
SOTTO_API sotto_status sotto_gw_codes_open(sotto_gw_codes *out, const char *path, sotto_error *err);
SOTTO_API void sotto_gw_codes_free(sotto_gw_codes *codes);

/* Zero-initialise, and set what differs from the defaults. */
typedef struct sotto_gw_plan {
  sotto_gw_by by;
  sotto_gw_metric metric;         /* of features and embeddings */
  const sotto_matrix *embeddings; /* nodes of all graphs x d, in the order of the dataset: by embeddings, and
                                     in the place of features in fused; else NULL */
  const sotto_gw_options *gw;     /* NULL: sotto_gw_defaults() */
  uint32_t edit_nodes;            /* largest graph for edits; 0: 12 */
  double edit_seconds;            /* for a pair, after which the best so far stands; 0: 1 */
  const char *state;              /* file where finished pairs are kept until the end; NULL: none */
  const sotto_gw_codes *codes;    /* by codes: of all graphs, in the order of the dataset; else NULL */
  sotto_ranks *ranks;             /* processes that share the pairs, all with the same data and plan; rank 0
                                     has the state file and the table, others get no distances; NULL: none */
} sotto_gw_plan;

/* Distances of all pairs of a collection. Owned; free with sotto_gw_table_free. */
typedef struct sotto_gw_table {
  size_t count;
  double *distance; /* count x count, symmetric, zero diagonal */
  int32_t *labels;  /* a graph; -1 where unknown */
  uint32_t *sizes;  /* nodes of a graph */
  uint64_t bounds;  /* pairs whose edit distance is only an upper bound, for time ran out */
  uint64_t resumed; /* pairs that came from the state file */
} sotto_gw_table;

/* Compares all pairs of a collection on the thread pool, each pair once. With a state file, finished pairs
 * are appended and synced about once a second, and a later call with the same data and plan goes on from
 * there, with any number of ranks; the file is removed at the end. Errors: those of another rank, INVALID (no
 * collection, no features, shapes), RANGE (an empty graph, or one too large, naming it), CORRUPT (a state
 * file of other data or another plan), INTERRUPTED, IO, NOMEM, and those of sotto_gw_distance. */
SOTTO_API sotto_status sotto_gw_compare(sotto_gw_table *out, const sotto_dataset *data,
                                        const sotto_gw_plan *plan, const sotto_observer *observer,
                                        sotto_error *err);
SOTTO_API void sotto_gw_table_free(sotto_gw_table *table);
/* Writes arrays distance (f8), labels (i4), sizes (u4) as .npz; or a line a graph (label, size, distances)
 * as .csv: the path's end decides. Reads .npz alone, and checks it. Errors: INVALID (another end), IO, PARSE,
 * CORRUPT (not symmetric, not finite, negative), NOMEM. */
SOTTO_API sotto_status sotto_gw_table_save(const sotto_gw_table *table, const char *path, sotto_error *err);
SOTTO_API sotto_status sotto_gw_table_open(sotto_gw_table *out, const char *path, sotto_error *err);

/* Reads the float32 or float64 array `name` (rows x d) of an .npz into a new matrix. */
SOTTO_API sotto_status sotto_gw_embeddings_open(sotto_matrix *out, const char *path, const char *name,
                                                sotto_error *err);

/* How well a table tells labelled graphs apart: nested cross-validation, folds drawn by class. */
typedef struct sotto_gw_judgement {
  double svm, svm_deviation; /* accuracy over the outer folds, mean and sample deviation */
  double knn, knn_deviation;
  double majority;       /* share of the largest class: what guessing gets */
  double penalty, gamma; /* chosen most often */
  uint32_t neighbours;
  size_t graphs; /* with a label */
} sotto_gw_judgement;
/* SVM with the kernel exp(-gamma * distance) (indefinite in general: Titouan et al. 2019), C in 10^-7 .. 10^7
 * and gamma in 2^-10 .. 2^10; and kNN with k in 1, 3, .. 15; all chosen by `inner` folds within the training
 * part of each of `folds` outer folds, so that no test graph has a say. `neighbours` fixes k (1 to 1000); 0
 * chooses it. `key` draws the folds. Errors: RANGE (folds from 2, classes from 2, fewer graphs than folds),
 * INVALID (an empty key), INTERRUPTED, NOMEM. */
SOTTO_API sotto_status sotto_gw_classify(sotto_gw_judgement *out, const sotto_gw_table *table, uint32_t folds,
                                         uint32_t inner, uint32_t neighbours, const sotto_key *key,
                                         const sotto_observer *observer, sotto_error *err);
/* The same for one parting, which a model behind the table was trained by: settings are chosen on the graphs
 * of the validation part after learning from those of the training part, and the answers counted are those
 * for the test part after learning from both, so that no test graph has a say in the model either.
 * parts[count] are values of sotto_part; deviations are 0. Errors: RANGE (a part without labelled graphs, one
 * class). */
SOTTO_API sotto_status sotto_gw_classify_parts(sotto_gw_judgement *out, const sotto_gw_table *table,
                                               const uint8_t *parts, uint32_t neighbours, sotto_error *err);
/* Reads the part of each of `count` graphs from the parts.csv of a run: a line "item,client,part", then one
 * for each graph in order. Errors: NOT_FOUND, IO, PARSE, naming the line. */
SOTTO_API sotto_status sotto_gw_parts_open(uint8_t *parts, size_t count, const char *path, sotto_error *err);

/* k-means: centres are barycentres of their cluster, with as many points as its graphs have on average. */
typedef struct sotto_gw_clusters {
  size_t count;      /* graphs */
  uint32_t *cluster; /* of each graph; owned */
  double spread;     /* mean distance of a graph to its centre */
  uint32_t rounds;
  double rand_index; /* adjusted, against the labels (Hubert and Arabie 1985); NAN without labels */
} sotto_gw_clusters;
/* Centres begin at graphs drawn as k-means++ does with `key`; stops when no graph moves, or after `rounds`.
 * The plan is by paths, features, embeddings or codes (centres are then mean posteriors). Errors: as
 * sotto_gw_compare; RANGE (clusters from 1 to the graphs). */
SOTTO_API sotto_status sotto_gw_cluster(sotto_gw_clusters *out, const sotto_dataset *data,
                                        const sotto_gw_plan *plan, uint32_t clusters, uint32_t rounds,
                                        const sotto_key *key, const sotto_observer *observer,
                                        sotto_error *err);
SOTTO_API void sotto_gw_clusters_free(sotto_gw_clusters *clusters);

/* Places in the plane, count x 2, that keep neighbours (van der Maaten and Hinton 2008): exact t-SNE on the
 * distances of the table, 1,000 steps, begun from `key`. O(count^2) a step. Errors: RANGE (perplexity from 1
 * to (count - 1) / 3, at least 4 graphs), INVALID (an empty key), INTERRUPTED, NOMEM. */
SOTTO_API sotto_status sotto_gw_places(double *out, const sotto_gw_table *table, double perplexity,
                                       const sotto_key *key, const sotto_observer *observer,
                                       sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
