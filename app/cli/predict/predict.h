/* Code shared by the files of `sotto predict`. */
#ifndef SOTTO_APP_CLI_PREDICT_H
#define SOTTO_APP_CLI_PREDICT_H

#include "sotto/alerts.h"
#include "sotto/model.h"
#include "sotto/nn.h"

/* The requested nodes, ascending, each once. Freed with free(). */
typedef struct predict_nodes {
  uint32_t *nodes;
  size_t count;
} predict_nodes;

/* `list` holds node numbers and ranges a-b separated by commas, or is @FILE with one a line; NULL: all nodes
 * below `all`. Errors: PARSE and RANGE, naming the entry or line; INVALID (no entry); those of files. */
sotto_status predict_read_nodes(predict_nodes *out, const char *list, uint64_t all, sotto_error *err);

/* The id of each node, from a text file with one a line. Without a path: the ids of the data, borrowed.
 * Free with predict_ids_free, in any state. Errors: those of files; PARSE, INVALID (ids and nodes differ in
 * number). */
typedef struct predict_ids {
  char *text, **ids;
  const sotto_names *listed;
} predict_ids;
sotto_status predict_ids_read(predict_ids *out, const char *path, const sotto_dataset *data,
                              sotto_error *err);
void predict_ids_free(predict_ids *ids);
/* NULL: there are no ids. */
const char *predict_id(const predict_ids *ids, uint32_t node);

/* Path of the predictions in a run folder, fresh. It is predictions.csv, or with `further` (only some of
 * the predictions) predictions-N.csv with the first free N. It is in owner-only/ if labels are protected or
 * features are private, as at client level: predictions follow from those without noise. `options` are
 * resolved. Errors: NOMEM, IO. */
sotto_status predict_place(char **out, const char *folder, const sotto_options *options, bool further,
                           sotto_error *err);

/* Scores of a rare class, a row a node; `there` false: the run has none. */
typedef struct predict_alerts {
  bool there;
  sotto_alerts rule;
  double *log_odds, *scores; /* of the class by the model; its probability, calibrated */
  uint64_t *ranks;           /* 1 for the highest score among these nodes; equal scores have the same rank */
  bool *alerts;
  size_t alerted;
} predict_alerts;
/* `seed` SOTTO_UNSET: the first. Freed with predict_alerts_free, in any state. Errors: those of
 * sotto_alerts_read; NOMEM; CORRUPT (the model has no such class). */
sotto_status predict_alerts_new(predict_alerts *out, const char *run, const sotto_options *options,
                                uint64_t seed, const sotto_matrix *rows, sotto_error *err);
void predict_alerts_free(predict_alerts *alerts);
/* The share of items for which recall is measured. */
double predict_alert_rate(const predict_alerts *alerts);

/* What predict_write writes of a row of class probabilities for each node. */
typedef struct predict_table {
  const predict_nodes *nodes;
  const predict_ids *ids;
  const sotto_names *classes;
  const sotto_matrix *rows;
  bool numbers;                 /* rows have a number each, not probabilities: node,number */
  size_t top;                   /* 0: all probabilities */
  const predict_alerts *alerts; /* NULL: the run has none */
  const char *item;             /* what a row is about, "graph"; NULL: "node" */
} predict_table;
/* Class probabilities of nodes, a row each, as CSV with a header: node,class,probability,p0,p1,... With
 * ids: node,id,class,... With class names, names replace class numbers and p_NAME replaces p0. With `top`
 * (at most the number of classes), class1,p1,class2,p2,... replace all probabilities. With alerts,
 * score,rank,alert end a row. */
sotto_status predict_write(const char *path, const predict_table *table, sotto_error *err);

/* Rows of these nodes as CSV with a header: node,e0,e1,... Each number has all digits of a float. */
sotto_status predict_write_embeddings(const char *path, const predict_nodes *nodes, const sotto_matrix *all,
                                      sotto_error *err);

/* Labels of the requested nodes. rows[part][0..count[part]) are the labelled ones of a part of the run's
 * split, rows[SOTTO_PART_NONE] all labelled ones. Rows are numbered within the requested nodes. */
typedef struct predict_truth {
  int32_t *labels; /* -1: unknown */
  uint32_t *rows[SOTTO_PART_TEST + 1];
  size_t count[SOTTO_PART_TEST + 1];
  bool own; /* the data is the run's own, so that its split is known */
} predict_truth;
/* `labels` of all nodes, or NULL; `parts` of the requested nodes, NULL: other data than the run's own. */
sotto_status predict_truth_new(predict_truth *out, const int32_t *labels, const uint8_t *parts,
                               const predict_nodes *nodes, sotto_error *err);
/* *out: the part of each of these nodes in the run's split, freed with free(). */
sotto_status predict_parts_of(uint8_t **out, const sotto_model *model, const predict_nodes *nodes,
                              sotto_error *err);
void predict_truth_free(predict_truth *truth);

/* Measures of each known part; [SOTTO_PART_NONE]: of all labelled nodes; NAN and 0 without nodes. Confusion
 * and calibration are those of `part`: the test nodes of the run's own data, or all labelled nodes of other
 * data. */
typedef struct predict_measures {
  sotto_part part;
  size_t nodes[SOTTO_PART_TEST + 1];
  double accuracy[SOTTO_PART_TEST + 1];
  sotto_confusion confusion;
  sotto_calibration calibration;
  const predict_alerts *alerts; /* NULL: no class is rare; else of `part`, where it has nodes: */
  sotto_ranking ranking;
  size_t found;      /* members of the class with an alert */
  const char *items; /* "nodes"; the caller may change it to "graphs" */
} predict_measures;
sotto_status predict_measure(predict_measures *out, const sotto_matrix *rows, const predict_truth *truth,
                             const predict_alerts *alerts, sotto_error *err);

/* Prints the summary of the predictions on stdout, for a person or as JSON. `unseen` NULL: no column was
 * matched by name. Errors: NOMEM. */
sotto_status predict_print(const sotto_matrix *rows, const predict_measures *m, const sotto_names *classes,
                           const sotto_unseen *unseen, const char *path, bool json, sotto_error *err);

/* numbers.c: where the model predicts numbers. */
/* Of the requested nodes: */
typedef struct predict_numbers_of {
  const predict_nodes *nodes; /* as the model numbers them */
  const sotto_matrix *rows;   /* a predicted number each */
  const float *numbers;       /* of all nodes of the model, NAN where unknown; NULL: none are known */
  const uint8_t *parts;       /* of these nodes in the run's split; NULL: other data than the run's own */
  const sotto_unseen *unseen; /* NULL: no column was matched by name */
} predict_numbers_of;

/* R2 and errors of each part; [SOTTO_PART_NONE]: of all nodes with a known number. `part`: the one that the
 * summary begins with. */
typedef struct predict_numbers {
  sotto_part part;
  size_t nodes[SOTTO_PART_TEST + 1];
  sotto_quality of[SOTTO_PART_TEST + 1];
} predict_numbers;

/* Errors: NOMEM. */
sotto_status predict_numbers_measure(predict_numbers *out, const predict_numbers_of *of, sotto_error *err);
/* On stdout, for a person or as JSON. Errors: NOMEM. */
sotto_status predict_numbers_print(const predict_numbers *m, const predict_numbers_of *of, const char *path,
                                   bool json, sotto_error *err);

#endif
