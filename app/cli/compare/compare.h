/* Code shared by the forms of `sotto compare`. */
#ifndef SOTTO_APP_CLI_COMPARE_H
#define SOTTO_APP_CLI_COMPARE_H

#include "cli/cli.h"
#include "sotto/gw.h"

/* Flags of all forms of the verb; each form uses its own. */
typedef struct compare_request {
  const char *words[2]; /* the form and its input, or only the dataset */
  size_t word_count;
  const char *by, *metric, *embeddings, *array, *codes, *alpha, *starts, *solver, *entropy, *edit_nodes,
      *edit_seconds;
  const char *out, *threads, *folds, *inner, *seed, *clusters, *rounds, *kind, *perplexity, *parts,
      *neighbours, *colours, *format;
  bool json, help;
} compare_request;

/* A plan built from the flags; it has neither codes nor embeddings yet. False after a message, in words of
 * wrong usage. */
bool compare_plan(sotto_gw_plan *plan, sotto_gw_options *gw, const compare_request *r);

/* The graphs and their embeddings or codes. Zero-initialise; close in any case. */
typedef struct compare_inputs {
  const sotto_dataset *graphs; /* the user's, or those of the reports, without labels */
  sotto_dataset data;
  sotto_gw_codes codes;
  sotto_matrix embeddings;
  sotto_gw_reports reports;
} compare_inputs;
/* Without --codes or --embeddings these comparisons read the reports in a run folder. */
bool compare_by_reports(const compare_request *r, sotto_gw_by by);
/* Opens DATA, or RUN, and sets what the plan borrows. Errors: those of the readers; INVALID (neither). */
sotto_status compare_open(compare_inputs *in, sotto_gw_plan *plan, const compare_request *r, const char *path,
                          sotto_error *err);
void compare_close(compare_inputs *in);
/* Index of a word in a NULL-terminated list; -1 after a message that names the nearest one. */
int compare_choice(const char *word, const char *const *names, const char *what);

int compare_classify(const compare_request *r);
int compare_cluster(const compare_request *r);
int compare_plot(const compare_request *r);

#endif
