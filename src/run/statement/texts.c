/* Statement texts for methods of a single owner, who publishes the model. */
#include <string.h>

#include "statement.h"

static const char *const edge_public[] = {"node ids and their number",
                                          "node features and labels, which this adjacency does not protect",
                                          "which nodes are in the training, validation and test parts",
                                          "hyper-parameters, the degree floor among them", NULL};
static const char *const edge_uncovered[] = {
    "node features and labels: the model is fitted to them without noise",
    "the choice of hyper-parameters by trying several on the same data, beyond the charges in the ledger",
    "side channels such as the time that training takes", NULL};
static const char *const answers_uncovered[] = {"node features: answers follow from them without noise",
                                                "side channels such as the time that an answer takes", NULL};
static const char *const node_public[] = {
    "node ids and their number, and how many are in the training part",
    "which nodes have a label, and which are in the training, validation and test parts",
    "hyper-parameters, batch rate, clipping norms and number of steps among them", NULL};
static const char *const node_uncovered[] = {
    "losses and measures: they follow from private features, edges and labels without noise, and lie in the "
    "run "
    "folder's owner-only/; the model does not follow from validation and test labels",
    "the choice of hyper-parameters by trying several on the same data, beyond the charges in the ledger",
    "side channels such as the time that training takes", NULL};

void sotto_i_describe_bare(sotto_i_description *out, const sotto_i_bare *bare) {
  if (out->bare_count < SOTTO_I_MOST_BARE) out->bare[out->bare_count++] = *bare;
}

/* Lists what edge level assumes to be public, for an owner who disagrees. */
static void add_bare(sotto_i_description *out, const sotto_report *report) {
  const bool features = report->data->features.cols > 0;
  sotto_i_bare bare = {.what = features ? "features and labels" : "labels",
                       .receives = "the model is fitted to them"};
  if (report->result->of_answers) /* by a model of other data: labels are not read */
    bare = (sotto_i_bare){.what = features ? "features" : NULL, .receives = "answers follow from them"};
  sotto_i_describe_bare(out, &bare);
}

void sotto_i_describe_owner(sotto_i_description *out, const sotto_report *report) {
  const bool node = report->options->adjacency == SOTTO_ADJACENCY_NODE, answers = report->result->of_answers;
  *out = (sotto_i_description){.adversary =
                                   "anyone who sees the published model and all releases of its training, "
                                   "and who may know everything that the adjacency does not protect",
                               .assumed = node ? node_public : edge_public,
                               .uncovered = node      ? node_uncovered
                                            : answers ? answers_uncovered
                                                      : edge_uncovered};
  if (!node) add_bare(out, report);
}
