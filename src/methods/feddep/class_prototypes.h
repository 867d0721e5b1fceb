/* Prototypes with class and structure: means of embeddings of labelled nodes, by their class and by the
 * class of most of their neighbours (after Wu et al. 2025). */
#ifndef SOTTO_SRC_METHODS_FEDDEP_CLASS_PROTOTYPES_H
#define SOTTO_SRC_METHODS_FEDDEP_CLASS_PROTOTYPES_H

#include "sotto/graph.h"

/* Nodes rows[0..count) of a graph, whose labels (0 to classes - 1) may be read. Borrowed. */
typedef struct sotto_i_labelled {
  const sotto_graph *graph;
  const int32_t *labels;
  const uint32_t *rows;
  size_t count;
  uint32_t classes;
} sotto_i_labelled;

/* True for each of the rows; n places, fresh. Errors: NOMEM. */
sotto_status sotto_i_labelled_flags(bool **out, const sotto_i_labelled *of, sotto_error *err);
/* For each node the class of most of its labelled neighbours, the lowest of equal ones; `classes` if there
 * are none. Errors: NOMEM. */
sotto_status sotto_i_neighbour_classes(uint32_t *out, const sotto_i_labelled *of, sotto_error *err);
/* The same, but a labelled node has its own class. Errors: NOMEM. */
sotto_status sotto_i_likely_classes(uint32_t *out, const sotto_i_labelled *of, sotto_error *err);

/* Buckets of a class: one for each class of neighbours, and one for nodes without a labelled neighbour; or
 * a single one without structure. */
size_t sotto_i_class_buckets(uint32_t classes, bool structure);
/* Sums of the rows of x (n x d), and in a last column `weight` times their number, by class and bucket: out
 * is (classes buckets) x (d + 1), row class * buckets + bucket. Errors: NOMEM. */
sotto_status sotto_i_class_sums(sotto_matrix *out, const sotto_matrix *x, double weight, size_t buckets,
                                const sotto_i_labelled *of, sotto_error *err);
/* Means: (classes buckets) x d; zeros if there is no node. Errors: NOMEM. */
sotto_status sotto_i_class_prototypes(sotto_matrix *out, const sotto_matrix *x, size_t buckets,
                                      const sotto_i_labelled *of, sotto_error *err);

#endif
