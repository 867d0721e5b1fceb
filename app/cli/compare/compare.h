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

/* A plan built from the flags, and the embeddings that it borrows. False after a message; *code is then the
 * exit status. */
bool compare_plan(sotto_gw_plan *plan, sotto_gw_options *gw, sotto_matrix *embeddings,
                  const compare_request *r, int *code);
/* Index of a word in a NULL-terminated list; -1 after a message that names the nearest one. */
int compare_choice(const char *word, const char *const *names, const char *what);

int compare_classify(const compare_request *r);
int compare_cluster(const compare_request *r);
int compare_plot(const compare_request *r);

#endif
