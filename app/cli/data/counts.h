/* Figures of a dataset that `sotto data info` shows. */
#ifndef SOTTO_APP_CLI_DATA_COUNTS_H
#define SOTTO_APP_CLI_DATA_COUNTS_H

#include "sotto/graph.h"

typedef struct data_counts {
  bool of_graphs; /* classes, labels and names below are of the graphs of a collection */
  uint32_t classes;
  const sotto_names *names;
  uint64_t *members;                   /* of each class */
  uint64_t unlabelled;                 /* all, where there are no labels */
  uint64_t parts[SOTTO_PART_TEST + 1]; /* nodes in each part of the split */
  uint64_t largest, isolated;          /* degree; nodes without edges */
  double mean;                         /* degree */
  double homophily;                    /* share of edges whose ends have one class; NAN */
  uint64_t labelled_edges;             /* edges whose ends both have a label */
  uint64_t known_numbers;              /* nodes with a number to learn */
  double number_mean, number_deviation, least_number, largest_number; /* of these; 0 where there are none */
} data_counts;

/* Free with data_counts_free. `figures`: of data that ranks wrote, which have no edges here; else NULL.
 * Errors: NOMEM. */
sotto_status data_count(data_counts *out, const sotto_dataset *data, const sotto_figures *figures,
                        sotto_error *err);
void data_counts_free(data_counts *counts);

#endif
