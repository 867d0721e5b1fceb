/* Gromov-Wasserstein distances between graphs; classification, clustering and t-SNE by them.
 *
 * All computations are in double precision and run at the owner of the graphs: nothing is sent, and the
 * results are not private.
 *
 * value(T) = (1 - a) sum_ij F_ij T_ij + a sum_ijkl L(C_ik, D_jl) T_ij T_kl, T >= 0, T 1 = p, T' 1 = q
 *
 * is minimised over the plans T (Memoli 2011; Peyre, Cuturi and Solomon 2016; fused: Vayer et al. 2019).
 * The problem is not convex. The result is the best local minimum of several starts, so an upper bound. */
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
  SOTTO_GW_SQUARE, /* L(a, b) = (a - b)^2: the square root of the value is a metric up to isomorphism */
  SOTTO_GW_KL,     /* L(a, b) = a log(a / b) - a + b, with a and b at least 1e-15; not symmetric */
} sotto_gw_loss;

typedef enum sotto_gw_solver {
  SOTTO_GW_CONDITIONAL, /* conditional gradient: exact linear step (network simplex), exact line search */
  SOTTO_GW_PROXIMAL,    /* proximal point with the KL divergence to the previous plan (Xu et al. 2019) */
  SOTTO_GW_ENTROPIC,    /* entropy in the objective (Peyre et al. 2016); the value excludes the entropy */
} sotto_gw_solver;

typedef struct sotto_gw_options {
  sotto_gw_loss loss;
  sotto_gw_solver solver;
  uint32_t starts;     /* 1 to 64: the product plan, then profiles, then anchors (docs/gw.md) */
  uint32_t iterations; /* outer iterations of each start, at least 1 */
  /* stops when a step gains less than this fraction of the terms of the value; 1e-15 to 1 */
  double tolerance;
  double entropy; /* proximal, entropic: weight of the divergence, in units of the mean |cost|; above 0 */
  double alpha;   /* weight of the structure when there is a feature cost, 0 to 1 */
  const double *feature_cost; /* F, points of a x points of b, finite; NULL: none, and a = 1 */
} sotto_gw_options;

/* Square loss, conditional gradient, 6 starts, 1000 iterations, tolerance 1e-9, entropy 0.05, alpha 0.5. */
SOTTO_API sotto_gw_options sotto_gw_defaults(void);

typedef struct sotto_gw_result {
  double value;        /* not negative if F is not; 0: equal up to the order of points */
  uint32_t start;      /* index of the start that led to it */
  uint32_t iterations; /* sum over all starts */
} sotto_gw_result;

/* The value of the best plan found between a (n points) and b (m points), and the plan itself (n x m, row
 * sums are a's weights) unless `plan` is NULL. Deterministic. O(n^2 m + n m^2) per step, plus the network
 * simplex. Errors: INVALID (not symmetric, weights, naming the entry), RANGE (options, sizes), NUMERIC
 * (not finite), NOMEM. */
SOTTO_API sotto_status sotto_gw_distance(sotto_gw_result *result, double *plan, const sotto_gw_space *a,
                                         const sotto_gw_space *b, const sotto_gw_options *options,
                                         sotto_error *err);

/* Shortest-path distances in hops between all nodes by breadth-first search, nodes x nodes. Unconnected
 * pairs get the largest finite distance of the graph + 1, which keeps the triangle inequality. O(nodes *
 * entries). Errors: RANGE (no nodes, or more than 10,000). */
SOTTO_API sotto_status sotto_gw_paths(double *distance, const sotto_graph *graph, sotto_error *err);

/* Distance between two rows x, y. Rows that are zero (cosine) or constant (correlation) have distance 0 to
 * each other and 1 to others. */
typedef enum sotto_gw_metric {
  SOTTO_GW_EUCLIDEAN,   /* |x - y| */
  SOTTO_GW_COSINE,      /* 1 - <x, y> / (|x| |y|) */
  SOTTO_GW_CORRELATION, /* the same after subtracting the mean of each row */
} sotto_gw_metric;

/* Barycentre: the space of `points` points and uniform weights with the smallest mean value to `count`
 * spaces (Peyre et al. 2016, section 4; square loss).
 *
 * - Writes its distances, points x points, symmetric, and the mean value.
 * - `shares` has one positive weight per space, sum 1; NULL: equal weights.
 * - Starts from the given space whose size is nearest, resampled.
 * - Stops when a round gains less than 1e-6 of the value, or after `rounds`.
 * - Deterministic. Runs on the thread pool.
 *
 * Errors: as sotto_gw_distance; RANGE (no space, no point, KL loss). */
SOTTO_API sotto_status sotto_gw_barycentre(double *distance, double *value, size_t points,
                                           const sotto_gw_space *spaces, const double *shares, size_t count,
                                           uint32_t rounds, const sotto_gw_options *options,
                                           sotto_error *err);

/* How graphs of a collection are compared. */
typedef enum sotto_gw_by {
  SOTTO_GW_BY_PATHS,      /* Gromov-Wasserstein on shortest-path distances */
  SOTTO_GW_BY_FEATURES,   /* Gromov-Wasserstein on distances between node features */
  SOTTO_GW_BY_EMBEDDINGS, /* the same on embeddings that the caller provides */
  /* fused: shortest paths, and features or embeddings, with options.alpha; F is the squared distance */
  SOTTO_GW_BY_FUSED,
  /* shortest-path kernel (Borgwardt and Kriegel 2005), equal features as labels: 2 - 2 k(x, y) / sqrt(k(x,
   * x) k(y, y)) */
  SOTTO_GW_BY_KERNEL,
  SOTTO_GW_BY_EDITS, /* exact graph edit distance of small graphs, every edit at cost 1 */
  SOTTO_GW_BY_SIZE,  /* control: Gromov-Wasserstein on noise of the same sizes */
  SOTTO_GW_BY_CODES, /* expected distance between the anchors of the graphs, given their reports */
} sotto_gw_by;

/* What graphs reported of their codes and labels. A report is a set of `members` values anchor * classes +
 * label. It contains the true value with probability `truth`, and any other value with probability `other`.
 * A server has no true label. */
typedef struct sotto_gw_reported {
  int32_t
      *reports; /* graphs x members, ascending in each row; -1 in a row of a graph that reported no label */
  int32_t *answers; /* graphs: the class that the server gives each one */
  size_t members;
  uint32_t classes;
  double truth, other; /* 0 <= other < truth < 1 */
} sotto_gw_reported;

/* A server's knowledge of graphs that each reported one code under local privacy (docs/gw.md). Owned; free
 * with sotto_gw_codes_free. */
typedef struct sotto_gw_codes {
  sotto_matrix posterior;     /* graphs x anchors: probabilities of each graph's nearest anchor, row sums 1 */
  sotto_matrix distance;      /* anchors x anchors, symmetric, not negative */
  sotto_gw_reported reported; /* zeroed if the file has none: codes without noise */
} sotto_gw_codes;
/* Reads codes.npz of a run: arrays posterior and anchors; reports, answers and law where they are there.
 * Errors: those of sotto_gw_embeddings_open; PARSE (shapes), CORRUPT (not probabilities, not distances, not
 * reports). */
SOTTO_API sotto_status sotto_gw_codes_open(sotto_gw_codes *out, const char *path, sotto_error *err);
SOTTO_API void sotto_gw_codes_free(sotto_gw_codes *codes);

/* Graphs of other owners, as their reports show them to a server: without edges and labels. Owned; free with
 * sotto_gw_reports_free. */
typedef struct sotto_gw_reports {
  sotto_dataset graphs;    /* as many as reported; numbers of nodes are 0 by codes, which report none */
  sotto_gw_codes codes;    /* by codes */
  sotto_matrix embeddings; /* by embeddings: a row of each node, graph by graph */
} sotto_gw_reports;
/* Reads what a run of gwldp left at its server, for sotto_gw_compare and sotto_gw_cluster: `folder` is that
 * of a seed (RUN/seed-1). `by` is SOTTO_GW_BY_CODES (codes.npz) or SOTTO_GW_BY_EMBEDDINGS (embeddings.npz,
 * and owner-only/sizes.npz with the number of nodes of each graph). Errors: RANGE (another `by`), NOT_FOUND,
 * PARSE, CORRUPT (sizes that do not add up to the rows), and those of sotto_gw_codes_open. */
SOTTO_API sotto_status sotto_gw_reports_open(sotto_gw_reports *out, const char *folder, sotto_gw_by by,
                                             sotto_error *err);
SOTTO_API void sotto_gw_reports_free(sotto_gw_reports *reports);

/* Zero-initialise, then set what differs from the defaults. */
typedef struct sotto_gw_plan {
  sotto_gw_by by;
  sotto_gw_metric metric; /* of features and embeddings */
  /* nodes of all graphs x d, in dataset order; by embeddings, or instead of features in fused; else NULL */
  const sotto_matrix *embeddings;
  const sotto_gw_options *gw; /* NULL: sotto_gw_defaults() */
  uint32_t edit_nodes;        /* largest number of nodes of a graph, by edits; 0: 12 */
  double edit_seconds; /* by edits: time limit per pair in seconds, then the best so far counts; 0: 1 */
  const char *state;   /* file of finished pairs, removed at the end; NULL: none */
  const sotto_gw_codes *codes; /* by codes: codes of all graphs, in dataset order; else NULL */
  /* processes that share the pairs, all with the same data and plan. Rank 0 has the state file and the
   * table; other ranks get no distances. NULL: none */
  sotto_ranks *ranks;
} sotto_gw_plan;

/* Distances of all pairs of a collection. Owned; free with sotto_gw_table_free. */
typedef struct sotto_gw_table {
  size_t count;
  double *distance; /* count x count, symmetric, zero diagonal */
  int32_t *labels;  /* one per graph; -1 where unknown */
  uint32_t *sizes;  /* number of nodes of each graph */
  uint64_t bounds;  /* pairs whose edit distance is only an upper bound because the time ran out */
  uint64_t resumed; /* pairs read from the state file */
} sotto_gw_table;

/* Compares all pairs of a collection on the thread pool, each pair once. With a state file, finished pairs
 * are appended and synced about once a second. A later call with the same data and plan continues from
 * there, with any number of ranks; the file is removed at the end. Errors: those of another rank, INVALID
 * (no collection, no features, shapes), RANGE (an empty or too large graph, naming it), CORRUPT (a state
 * file of other data or another plan), INTERRUPTED, IO, NOMEM, and those of sotto_gw_distance. */
SOTTO_API sotto_status sotto_gw_compare(sotto_gw_table *out, const sotto_dataset *data,
                                        const sotto_gw_plan *plan, const sotto_observer *observer,
                                        sotto_error *err);
SOTTO_API void sotto_gw_table_free(sotto_gw_table *table);
/* Writes arrays distance (f8), labels (i4), sizes (u4) as .npz, or one line per graph (label, size,
 * distances) as .csv; the suffix of the path decides. sotto_gw_table_open reads .npz only, and checks it.
 * Errors: INVALID (another suffix), IO, PARSE, CORRUPT (not symmetric, not finite, negative), NOMEM. */
SOTTO_API sotto_status sotto_gw_table_save(const sotto_gw_table *table, const char *path, sotto_error *err);
SOTTO_API sotto_status sotto_gw_table_open(sotto_gw_table *out, const char *path, sotto_error *err);

/* Reads the float32 or float64 array `name` (rows x d) of an .npz into a new matrix. */
SOTTO_API sotto_status sotto_gw_embeddings_open(sotto_matrix *out, const char *path, const char *name,
                                                sotto_error *err);

/* Classification accuracy of a distance table: nested cross-validation with stratified folds. */
typedef struct sotto_gw_judgement {
  double svm, svm_deviation; /* accuracy over the outer folds: mean and sample standard deviation */
  double knn, knn_deviation;
  double majority;       /* share of the largest class: the accuracy of guessing it */
  double penalty, gamma; /* most frequently chosen */
  uint32_t neighbours;
  size_t graphs; /* number of labelled graphs */
} sotto_gw_judgement;
/* Nested cross-validation of two classifiers.
 *
 * - SVM with the kernel exp(-gamma * distance) (indefinite in general: Titouan et al. 2019), C in 10^-7 ..
 *   10^7, gamma in 2^-10 .. 2^10.
 * - kNN with k in 1, 3, .. 15; `neighbours` fixes k (1 to 1000); 0 chooses it.
 *
 * Settings are chosen by `inner` folds within the training part of each of `folds` outer folds, so test
 * graphs have no influence. `key` draws the folds. Errors: RANGE (folds from 2, classes from 2, fewer
 * graphs than folds), INVALID (an empty key), INTERRUPTED, NOMEM. */
SOTTO_API sotto_status sotto_gw_classify(sotto_gw_judgement *out, const sotto_gw_table *table, uint32_t folds,
                                         uint32_t inner, uint32_t neighbours, const sotto_key *key,
                                         const sotto_observer *observer, sotto_error *err);
/* The same for one fixed split: the one that the model behind the table was trained with. Settings are
 * chosen on the validation part after training on the training part. The result counts the test part after
 * training on both, so test graphs have no influence on the model either. parts[count] are values of
 * sotto_part; deviations are 0. Errors: RANGE (a part without labelled graphs, one class). */
SOTTO_API sotto_status sotto_gw_classify_parts(sotto_gw_judgement *out, const sotto_gw_table *table,
                                               const uint8_t *parts, uint32_t neighbours, sotto_error *err);
/* The same from reports alone, where nobody knows a true label. A classifier is trained on reported labels of
 * a part of the graphs, by distances of codes, and gives each anchor a class. The share of the other graphs
 * whose anchor gets their own label is estimated without bias from their reports: means over folds may lie
 * outside 0 to 1. Errors: those of sotto_gw_classify; INVALID (codes without reports). */
SOTTO_API sotto_status sotto_gw_classify_codes(sotto_gw_judgement *out, const sotto_gw_codes *codes,
                                               uint32_t folds, uint32_t inner, uint32_t neighbours,
                                               const sotto_key *key, const sotto_observer *observer,
                                               sotto_error *err);
/* Reads the part of each of `count` graphs from the parts.csv of a run: a line "item,client,part", then
 * one line per graph in order. Errors: NOT_FOUND, IO, PARSE, naming the line. */
SOTTO_API sotto_status sotto_gw_parts_open(uint8_t *parts, size_t count, const char *path, sotto_error *err);

/* k-means: a centre is the barycentre of its cluster, with the mean number of points of its graphs. */
typedef struct sotto_gw_clusters {
  size_t count;      /* graphs */
  uint32_t *cluster; /* of each graph; owned */
  /* of each cluster: its graph nearest to the centre, which stands for the barycentre where that is no graph;
   * UINT32_MAX: a cluster without graphs. Owned */
  uint32_t *medoid;
  double spread; /* mean distance of the graphs to their centres */
  uint32_t rounds;
  /* adjusted Rand index against the labels (Hubert and Arabie 1985); NAN without labels */
  double rand_index;
} sotto_gw_clusters;
/* The first centres are graphs drawn by k-means++ with `key`. Stops when no assignment changes, or after
 * `rounds`. The plan is by paths, features, embeddings or codes (centres are then mean posteriors).
 * Errors: as sotto_gw_compare; RANGE (clusters from 1 to the number of graphs). */
SOTTO_API sotto_status sotto_gw_cluster(sotto_gw_clusters *out, const sotto_dataset *data,
                                        const sotto_gw_plan *plan, uint32_t clusters, uint32_t rounds,
                                        const sotto_key *key, const sotto_observer *observer,
                                        sotto_error *err);
SOTTO_API void sotto_gw_clusters_free(sotto_gw_clusters *clusters);

/* Positions in the plane, count x 2, by exact t-SNE on the distances of the table (van der Maaten and
 * Hinton 2008): 1,000 steps, initialised from `key`. O(count^2) per step. Errors: RANGE (perplexity from 1
 * to (count - 1) / 3, at least 4 graphs), INVALID (an empty key), INTERRUPTED, NOMEM. */
SOTTO_API sotto_status sotto_gw_places(double *out, const sotto_gw_table *table, double perplexity,
                                       const sotto_key *key, const sotto_observer *observer,
                                       sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
