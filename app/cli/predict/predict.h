/* Shared code of `sotto predict`. */
#ifndef SOTTO_APP_CLI_PREDICT_H
#define SOTTO_APP_CLI_PREDICT_H

#include "sotto/model.h"
#include "sotto/nn.h"

/* The nodes that were asked for, ascending, each once. Freed with free(). */
typedef struct predict_nodes {
  uint32_t *nodes;
  size_t count;
} predict_nodes;

/* `list` has node numbers and ranges a-b with commas between, or is @FILE with one a line; NULL: all nodes
 * below `all`. Errors: PARSE and RANGE, naming the entry or line; INVALID (no entry); those of files. */
sotto_status predict_read_nodes(predict_nodes *out, const char *list, uint64_t all, sotto_error *err);

/* The id of each node of the data, from a text file with one a line; without a path those that the data has,
 * which is borrowed. Free with predict_ids_free, in any state. Errors: those of files; PARSE, INVALID (not as
 * many as nodes). */
typedef struct predict_ids {
  char *text, **ids;
  const sotto_names *listed;
} predict_ids;
sotto_status predict_ids_read(predict_ids *out, const char *path, const sotto_dataset *data,
                              sotto_error *err);
void predict_ids_free(predict_ids *ids);
/* NULL where there are no ids. */
const char *predict_id(const predict_ids *ids, uint32_t node);

/* predictions.csv of a run folder, or, where the answers are a part of those that it has (`further`),
 * predictions-N.csv with the first N that is free: in owner-only/ where labels are protected, or features
 * private, as at client level, since answers follow from them without noise. In fresh memory. `options` are
 * resolved. Errors: NOMEM, IO.
 */
sotto_status predict_place(char **out, const char *folder, const sotto_options *options, bool further,
                           sotto_error *err);

/* Class probabilities of nodes, a row each, as CSV with a header: node,class,probability,p0,p1,... With
 * ids: node,id,class,... With names of classes those stand in the place of numbers, and p_NAME in the place
 * of p0. With `top`, at most the number of classes: class1,p1,class2,p2,... in the place of all
 * probabilities. */
sotto_status predict_write(const char *path, const predict_nodes *nodes, const predict_ids *ids,
                           const sotto_names *classes, const sotto_matrix *rows, size_t top,
                           sotto_error *err);

/* Rows of these nodes as CSV with a header: node,e0,e1,... with all digits of a float. */
sotto_status predict_write_embeddings(const char *path, const predict_nodes *nodes, const sotto_matrix *all,
                                      sotto_error *err);

/* Labels of the nodes that were asked for, and which of them have one: rows[part][0..count[part]) are those
 * of a part of the run's split, rows[SOTTO_PART_NONE] all of them. Numbers count the nodes asked for. */
typedef struct predict_truth {
  int32_t *labels; /* -1 where unknown */
  uint32_t *rows[SOTTO_PART_TEST + 1];
  size_t count[SOTTO_PART_TEST + 1];
  bool own; /* the data is the run's own, so that its parts are known */
} predict_truth;
/* `labels` of all nodes, or NULL; `parts` of those asked for, or NULL where the data is not the run's own. */
sotto_status predict_truth_new(predict_truth *out, const int32_t *labels, const uint8_t *parts,
                               const predict_nodes *nodes, sotto_error *err);
/* *out: the part of each of these nodes in the run's split, freed with free(). */
sotto_status predict_parts_of(uint8_t **out, const sotto_model *model, const predict_nodes *nodes,
                              sotto_error *err);
void predict_truth_free(predict_truth *truth);

/* Of each part that is known, [SOTTO_PART_NONE] of all labelled nodes: NAN and 0 without nodes. Confusion and
 * calibration are those of `part`: the test nodes of the run's own data, all labelled nodes of other data. */
typedef struct predict_measures {
  sotto_part part;
  size_t nodes[SOTTO_PART_TEST + 1];
  double accuracy[SOTTO_PART_TEST + 1];
  sotto_confusion confusion;
  sotto_calibration calibration;
} predict_measures;
sotto_status predict_measure(predict_measures *out, const sotto_matrix *rows, const predict_truth *truth,
                             sotto_error *err);

/* What a person or a program reads of the predictions, on stdout; `unseen` NULL: nothing was matched by name.
 * Errors: NOMEM. */
sotto_status predict_print(const sotto_matrix *rows, const predict_measures *m, const sotto_names *classes,
                           const sotto_unseen *unseen, const char *path, bool json, sotto_error *err);

#endif
