/* Codes of graphs: the nearest public anchor of each graph, and the server's use of codes from a local
 * mechanism. A code is a function of its graph and of public things alone. */
#ifndef SOTTO_SRC_GW_CODES_H
#define SOTTO_SRC_GW_CODES_H

#include "gw/collection.h"

enum { SOTTO_I_GW_MOST_ANCHORS = 256 };

/* Anchors: places that stand for all graphs of a shape, or graphs. */
typedef struct sotto_i_gw_anchors {
  size_t count;
  double *distance;                 /* count x count, symmetric, zero diagonal */
  double *place;                    /* count x 2; NULL: graphs */
  bool by_size;                     /* places are log2 of the number of nodes alone */
  sotto_dataset data;               /* graphs; else zeroed */
  sotto_i_gw_collection collection; /* of these */
} sotto_i_gw_anchors;

/* Made ones, which need no data: (log2 of edges, log2 of the mean degree), an octave apart, 2 to 1024 edges
 * and degrees of about 2 to 16, without places that no graph can be near. The distance is squared Euclidean.
 * 27 anchors. */
sotto_status sotto_i_gw_anchors_by_shape(sotto_i_gw_anchors *out, sotto_error *err);
/* The control: log2 of the number of nodes alone, half an octave apart, 2 to 1024 nodes. 18 anchors. */
sotto_status sotto_i_gw_anchors_by_size(sotto_i_gw_anchors *out, sotto_error *err);
/* Public graphs, under the Gromov-Wasserstein distance on hops. Errors: those of the dataset's reader and of
 * sotto_gw_compare; RANGE (fewer than 2 graphs, or more than SOTTO_I_GW_MOST_ANCHORS). */
sotto_status sotto_i_gw_anchors_open(sotto_i_gw_anchors *out, const char *path, sotto_error *err);
void sotto_i_gw_anchors_free(sotto_i_gw_anchors *anchors);

/* The nearest anchor of each graph of the collection, the first of equals. Errors: INVALID (one graph alone);
 * by graphs also those of sotto_gw_distance. */
sotto_status sotto_i_gw_code(uint32_t *codes, const sotto_i_gw_anchors *anchors, const sotto_dataset *data,
                             sotto_error *err);

/* Reports of graphs: each a set of `members` values anchor * classes + label. The right value is in it with
 * probability `truth`, any other one with probability `other`. */
typedef struct sotto_i_gw_reports {
  const int32_t *answers; /* count x members */
  size_t count, members;
  double truth, other;
  size_t anchors, classes;
} sotto_i_gw_reports;

/* What they show. Owned. */
typedef struct sotto_i_gw_learned {
  uint32_t *label; /* of each anchor: the class that its graphs are taken for */
  double *share;   /* anchors x classes: estimated shares of graphs, 0 where noise alone would do, sum 1 */
  double *
      table; /* classes x classes: estimated graphs at anchors of a label, by their own label; not negative */
  double width;    /* of the kernel, in units of the distance between nearest anchors; 0: none */
  double accuracy; /* estimate, each report judged by the others; in [0, 1] */
} sotto_i_gw_learned;
/* Unbiased counts, smoothed by exp(-distance / width); the label of an anchor is the largest of its classes.
 * The width is the one of 0, 1/4, 1/2, 1 by which most reports are right, each by what is learnt without it;
 * of equals the middle one. `distance` is that of the anchors.
 * Post-processing: reads reports alone. Errors: RANGE (a value that is none of anchors x classes), NOMEM. */
sotto_status sotto_i_gw_learn(sotto_i_gw_learned *out, const sotto_i_gw_reports *reports,
                              const double *distance, sotto_error *err);
void sotto_i_gw_learned_free(sotto_i_gw_learned *learned);

/* The likeliest class of a graph that reports the label of its anchor as `reported`: the right one has
 * probability `truth`, any other `other`. It is another class where the report is noisy and that class
 * common. */
uint32_t sotto_i_gw_answer(const sotto_i_gw_learned *learned, size_t classes, double truth, double other,
                           uint32_t reported);

/* Probabilities of the anchors, out[anchors], given a report of a graph, by Bayes' rule from the learnt
 * shares. Of a report of (anchor, label), or of one of the anchor's label (`members` labels). */
void sotto_i_gw_posterior(float *out, const sotto_i_gw_learned *learned, const sotto_i_gw_reports *reports,
                          const int32_t *answer);
void sotto_i_gw_posterior_of_label(float *out, const sotto_i_gw_learned *learned,
                                   const sotto_i_gw_reports *reports, int32_t label);

/* Writes posteriors (graphs x anchors) and distances as .npz for sotto_gw_codes_open. */
sotto_status sotto_i_gw_codes_save(const char *path, const sotto_matrix *posterior, const double *distance,
                                   sotto_error *err);
/* Distances of all pairs by the plan's codes. */
sotto_status sotto_i_gw_compare_codes(sotto_gw_table *out, const sotto_dataset *data,
                                      const sotto_gw_codes *codes, sotto_error *err);
/* k-means over codes: a centre is the mean posterior of its graphs, and the distance of a graph to it is the
 * expected one. As sotto_gw_cluster. */
sotto_status sotto_i_gw_cluster_codes(sotto_gw_clusters *out, const sotto_dataset *data,
                                      const sotto_gw_codes *codes, uint32_t clusters, uint32_t rounds,
                                      const sotto_key *key, sotto_error *err);
/* cluster.c: the adjusted Rand index of two partitions (Hubert and Arabie 1985). */
double sotto_i_gw_rand_index(const uint32_t *cluster, const int32_t *labels, size_t count);

#endif
