/* Models of finished runs: opened, and asked for class probabilities, or for numbers. */
#ifndef SOTTO_MODEL_H
#define SOTTO_MODEL_H

#include "sotto/alerts.h"
#include "sotto/graph.h"
#include "sotto/options.h"
#include "sotto/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A trained model, with what it reads: its run folder, and a dataset.
 *
 * Features are those of the dataset, scaled as in training; answers are class probabilities, or with the task
 * regression (sotto_model_run) one number a node, in the unit of the numbers that were learnt. Where the run
 * made a noisy release, the model answers from the one that the run folder keeps: a query re-reads it, so
 * that features which change at a node change that node's answer alone. Without noise nothing is kept, and a
 * query computes everything anew, over the whole graph (but `best` and `lpgnet`, which keep their counts).
 * `pertgraph` computes over the graph that it released. One call at a time for one model. */
typedef struct sotto_model sotto_model;
typedef struct sotto_model_options {
  uint64_t seed; /* which of the run's; SOTTO_UNSET: the first */
  /* Make a noisy release anew for every answer, from the system's randomness, as a service would that
   * answers so. Nothing is charged: for experiments on one's own data, whose answers must not leave. */
  bool fresh;
  /* Makes a release of `data` with this epsilon, in RUN/predictions/N with N the next number, and charges it.
   * Every call makes one, also of data that was released before: the edges decide nothing. The delta is the
   * run's. 0: none is made. */
  double epsilon;
  const char *account; /* of the ledger, that pays for it; NULL: the run's, if it names one */
  const char *ledger;  /* path of the ledger that is charged; NULL: the run's */
  /* Answers from the release in RUN/predictions/N, N from 1; 0: not asked for. Nothing is drawn or charged,
   * and the edges of `data` are not read: its features have to be those of that release's data. */
  uint64_t again;
  /* Nightly answers about a growing graph. Each call is one night. The rows of `data` are those of the run,
   * then those of earlier nights, then the new ones. The first night gives `nights` and `epsilon`: it stores
   * a plan in RUN/nights for that number of nights, with that epsilon for training and all nights together,
   * and charges it whole. Later nights give neither. See docs/nights.md. */
  bool nightly;
  /* With `nightly`: this night. The next one is made; one that was made is repeated from its release, and the
   * edges of `data` are not read. 0: the next. */
  uint64_t night;
  uint64_t nights;       /* 1 to 1000; 0: not given */
  uint64_t edge_changes; /* 1: an edge that appeared stays counted; 2: it may go once. 0: not given, 1 */
  /* Takes the nodes of `data` for nodes without neighbours: its edges are not read, no release is read or
   * made, and nothing is drawn or charged. So an answer follows from a node's own features alone, and is the
   * same whatever other nodes are given. For programs that answer about new customers between two releases.
   * Goes with none of fresh, epsilon, again and nightly. */
  bool alone;
  /* The model answers about the graphs of a collection (sotto_model_of_graphs), each of which counts as a
   * node here: sotto_model_data has a node for each graph. Goes with none of the others but seed. */
  bool graphs;
  /* Others than the owner of the data receive the answers: about graphs where the run learnt those, else
   * about nodes. A run that protects graphs or clients is then refused, since answers about graphs read these
   * without noise. */
  bool served;
  const sotto_observer *observer; /* called with the planned charge before it is made; may be NULL */
} sotto_model_options;

/* Reads the folder `run`: its settings, the seed's model and release. `data` (borrowed until the model is
 * freed) is the run's own, or another dataset with the same columns, in any order where they have names (then
 * both sides must), of which a run with noise needs a release
 * (`epsilon`, `again`, `nightly`), `fresh` or `alone`. Nodes of other data are all taken for nodes that did
 * not train, and need no labels. Without these, a run with noise answers from its own release and reads no
 * edge of `data`, which has to have the features and labels of its own data; by RUN/owner-only/data.digest,
 * or, in a folder without that, by the digest of nodes and features in statement.json. `data` NULL: the
 * dataset is opened from the path that the run was given. `options` NULL: the first seed, not fresh.
 *
 * With data from sotto_dataset_open_ranks (best opened with SOTTO_RANK_PARTS_NONE) all ranks call this and
 * every query, each computes the answers of its rows, and rank 0 alone gets them; the others get none. Such a
 * model answers about ascending nodes from the run's release or, with `epsilon` or `again`, from one of other
 * data, with the bytes of one process. Rank 0 opens other data by its path to make a release of it.
 *
 * Errors:
 * those of reading files; RANGE (seed); UNSUPPORTED, naming what a model of this kind cannot answer (other
 * methods; node level; columns or edges of the label party); INVALID when model and data do not fit each
 * other, or answers would come from a release of other data, or data is not of a next night; REFUSED (the
 * ledger; no night is left). */
SOTTO_API sotto_status sotto_model_open(sotto_model **out, const char *run, const sotto_dataset *data,
                                        const sotto_model_options *options, sotto_error *err);
SOTTO_API void sotto_model_free(sotto_model *model);
/* Do models of such a run of this data, which may be NULL, answer about graphs? Then sotto_model_open needs
 * `graphs`. Unchecked options: no. */
SOTTO_API bool sotto_model_of_graphs(const sotto_options *options, const sotto_dataset *data);

/* Class probabilities in the caller's memory: out[i * classes + c] for nodes[i], or for all nodes in order
 * when `nodes` is NULL (`count` is then their number). `room` is how many floats `out` holds, at least count
 * times sotto_model_classes. Errors: INVALID (room, count), RANGE (a node), NOMEM. Nothing is written on
 * failure. */
SOTTO_API sotto_status sotto_model_predict(sotto_model *model, float *out, size_t room, const uint32_t *nodes,
                                           size_t count, sotto_error *err);
/* Columns of an answer: 1 where it is a number. */
SOTTO_API size_t sotto_model_classes(const sotto_model *model);

/* Alerts of a finished run's seed, from its folder; *found is false where the run has none. Errors: CORRUPT,
 * IO, NOMEM. */
SOTTO_API sotto_status sotto_alerts_read(sotto_alerts *out, bool *found, const char *run, uint64_t seed,
                                         sotto_error *err);

/* The folder of the release that was made of other data, or used again, or of the night; NULL: there is none.
 */
SOTTO_API const char *sotto_model_release_folder(const sotto_model *model);
/* What its data has that its training did not. */
SOTTO_API const sotto_unseen *sotto_model_unseen(const sotto_model *model);
/* The schema of the data that a run was trained on, to be freed; *out is NULL where the folder has none.
 * Errors: those of sotto_schema_read. */
SOTTO_API sotto_status sotto_model_read_schema(sotto_schema **out, const char *run, sotto_error *err);
/* What options of the group TABLES say of reading, without the schema, which is a file; borrowed from
 * `options`. Errors: INVALID, naming the option. */
SOTTO_API sotto_status sotto_table_options(sotto_import_options *out, const sotto_options *options,
                                           sotto_error *err);
/* Opens options->data as the options say; to be freed. With `run`, columns are read as the schema in its
 * folder says, and words or classes that this lacks are read too. `observer` may be NULL. Errors: those of
 * sotto_dataset_open and sotto_schema_read. */
SOTTO_API sotto_status sotto_run_data_open(sotto_dataset *out, const sotto_options *options, const char *run,
                                           const sotto_observer *observer, sotto_error *err);
/* Names of the model's classes, borrowed from it; none: they are numbers. */
SOTTO_API const sotto_names *sotto_model_class_names(const sotto_model *model);
/* The settings of its run; the data that it reads: borrowed from the model. */
SOTTO_API const sotto_options *sotto_model_run(const sotto_model *model);
SOTTO_API const sotto_dataset *sotto_model_data(const sotto_model *model);
/* Borrowed from the model, a row for each node: what the model computes from the node's own features before
 * it reads neighbours. docs/predict.md has the columns of each method. */
SOTTO_API const sotto_matrix *sotto_model_embeddings(const sotto_model *model);
/* Borrowed from the model: the nodes of a part of the run's split, ascending (none when the data has no
 * labels). */
SOTTO_API const uint32_t *sotto_model_part(const sotto_model *model, sotto_part part, size_t *count);

/* Of a night whose data has ids in another order than the plan, or without some of its nodes: the number of
 * each given node among those of the model, by which queries and sotto_model_data go; else NULL. */
SOTTO_API const uint32_t *sotto_model_night_rows(const sotto_model *model);

/* Class probabilities (wanted_count x classes, or of all nodes when `wanted` is NULL; fresh) when the
 * features of nodes changed[0..changed_count) are the rows of x, and all others as they are; changed_count 0:
 * nothing changes. */
typedef struct sotto_query {
  const uint32_t *changed;
  size_t changed_count;
  const sotto_matrix *x;
  const uint32_t *wanted;
  size_t wanted_count;
} sotto_query;
SOTTO_API sotto_status sotto_model_query(sotto_matrix *out, sotto_model *model, const sotto_query *query,
                                         sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
