/* Codes of graphs under local privacy: the nearest public anchor of each graph, and what a server learns
 * from randomised codes. A code depends on its graph and on public data only. */
#ifndef SOTTO_SRC_GW_CODES_H
#define SOTTO_SRC_GW_CODES_H

#include "gw/collection.h"

enum { SOTTO_I_GW_MOST_ANCHORS = 256, SOTTO_I_GW_MOST_CLASSES = 1 << 14 };

/* Anchors: synthetic points that represent all graphs of one shape, or public graphs. */
typedef struct sotto_i_gw_anchors {
  size_t count;
  double *distance;                 /* count x count, symmetric, zero diagonal */
  double *place;                    /* count x 2 coordinates; NULL: anchors are graphs */
  bool by_size;                     /* coordinates are log2 of the number of nodes only */
  sotto_dataset data;               /* the anchor graphs; zeroed otherwise */
  sotto_i_gw_collection collection; /* the anchor graphs, prepared for comparison */
} sotto_i_gw_anchors;

/* Synthetic anchors, which need no data: (log2 of the edges, log2 of the mean degree) on a grid of one
 * octave, 2 to 1024 edges, mean degrees of about 2 to 16, without cells where no graph can lie. The
 * distance is squared Euclidean. 27 anchors. */
sotto_status sotto_i_gw_anchors_by_shape(sotto_i_gw_anchors *out, sotto_error *err);
/* Control: log2 of the number of nodes only, half an octave apart, 2 to 1024 nodes. 18 anchors. */
sotto_status sotto_i_gw_anchors_by_size(sotto_i_gw_anchors *out, sotto_error *err);
/* Public graphs as anchors, with the Gromov-Wasserstein distance on shortest paths. Errors: those of the
 * dataset's reader and of sotto_gw_compare; RANGE (fewer than 2 graphs, or more than
 * SOTTO_I_GW_MOST_ANCHORS). */
sotto_status sotto_i_gw_anchors_open(sotto_i_gw_anchors *out, const char *path, sotto_error *err);
void sotto_i_gw_anchors_free(sotto_i_gw_anchors *anchors);

/* The nearest anchor of each graph of the collection; the first one on ties. Errors: INVALID (a single
 * graph); with anchor graphs also those of sotto_gw_distance. */
sotto_status sotto_i_gw_code(uint32_t *codes, const sotto_i_gw_anchors *anchors, const sotto_dataset *data,
                             sotto_error *err);

/* Randomised reports: each is a set of `members` values anchor * classes + label. It contains the true
 * value with probability `truth`, and any other value with probability `other`. */
typedef struct sotto_i_gw_reports {
  const int32_t *answers; /* count x members */
  size_t count, members;
  double truth, other;
  size_t anchors, classes;
} sotto_i_gw_reports;

/* Estimates from the reports. Owned. */
typedef struct sotto_i_gw_learned {
  uint32_t *label; /* of each anchor: the class predicted for its graphs */
  /* anchors x classes: estimated shares of graphs, sum 1; 0 where the estimate is within the noise */
  double *share;
  double *
      /* classes x classes: estimated number of graphs at anchors of a label (row), by their own label; not
       * negative */
      table;
  double width; /* width of the kernel, in units of the distance between nearest anchors; 0: no smoothing */
  double accuracy; /* estimated accuracy in [0, 1], each report scored by the others */
} sotto_i_gw_learned;
/* Estimates unbiased counts, smoothed by exp(-distance / width); the label of an anchor is its largest
 * class. The width is the one of 0, 1/4, 1/2, 1 with the highest leave-one-out accuracy; on ties, the
 * middle one. `distance` is that of the anchors. Post-processing: reads the reports only. Errors: RANGE (a
 * value outside anchors x classes), NOMEM. */
sotto_status sotto_i_gw_learn(sotto_i_gw_learned *out, const sotto_i_gw_reports *reports,
                              const double *distance, sotto_error *err);
void sotto_i_gw_learned_free(sotto_i_gw_learned *learned);

/* The most probable class of a graph that reports its anchor's label as `reported`. The report is true
 * with probability `truth`; each other label has probability `other`. The result differs from the report
 * where reports are noisy and another class is common. */
uint32_t sotto_i_gw_answer(const sotto_i_gw_learned *learned, size_t classes, double truth, double other,
                           uint32_t reported);

/* The probabilities behind that answer, out[classes]: of each class, given the reported label. */
void sotto_i_gw_class_probabilities(float *out, const sotto_i_gw_learned *learned, size_t classes,
                                    double truth, double other, uint32_t reported);

/* Posterior probabilities of the anchors, out[anchors], given one report, by Bayes' rule with the
 * estimated shares as prior. The second function takes a report of the anchor's label only. */
void sotto_i_gw_posterior(float *out, const sotto_i_gw_learned *learned, const sotto_i_gw_reports *reports,
                          const int32_t *answer);
void sotto_i_gw_posterior_of_label(float *out, const sotto_i_gw_learned *learned,
                                   const sotto_i_gw_reports *reports, int32_t label);

/* The class that the server gives a graph that made this report: the most probable label, by Bayes' rule as
 * above; the first one on ties. */
uint32_t sotto_i_gw_class_of_report(const sotto_i_gw_learned *learned, const sotto_i_gw_reports *reports,
                                    const int32_t *answer);

/* In codes_file.c. Writes posteriors (graphs x anchors), distances and what was reported (NULL: left out) as
 * .npz, for sotto_gw_codes_open. */
sotto_status sotto_i_gw_codes_save(const char *path, const sotto_matrix *posterior, const double *distance,
                                   const sotto_gw_reported *reported, sotto_error *err);
/* Fills distance[graphs x graphs] of all pairs of graphs, by their posteriors. Errors: NOMEM. */
sotto_status sotto_i_gw_compare_codes(double *distance, const sotto_matrix *posterior,
                                      const sotto_matrix *anchors, sotto_error *err);
/* k-means over codes: a centre is the mean posterior of its graphs, and the distance of a graph to it is
 * the expected distance. Contract as sotto_gw_cluster. */
sotto_status sotto_i_gw_cluster_codes(sotto_gw_clusters *out, const sotto_dataset *data,
                                      const sotto_gw_codes *codes, uint32_t clusters, uint32_t rounds,
                                      const sotto_key *key, sotto_error *err);
/* In cluster.c: the graph of each cluster that is nearest to its centre, the first one on ties; UINT32_MAX:
 * none. value[graphs x clusters] are the distances to the centres. */
void sotto_i_gw_find_medoids(sotto_gw_clusters *out, const double *value, uint32_t clusters);
/* Adjusted Rand index of two partitions (Hubert and Arabie 1985); in cluster.c. */
double sotto_i_gw_rand_index(const uint32_t *cluster, const int32_t *labels, size_t count);

#endif
