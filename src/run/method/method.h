/* The interface of a method: its inputs, its outputs, and code shared by methods. */
#ifndef SOTTO_SRC_RUN_METHOD_METHOD_H
#define SOTTO_SRC_RUN_METHOD_METHOD_H

#include "base/option.h"
#include "inside/party.h"
#include "nn/fit.h"
#include "party/line.h"
#include "release/plan.h"
#include "sotto/methods.h"
#include "sotto/plan.h"
#include "sotto/split.h"
#include "tensor/columns.h"

/* A checkpoint of a seed, from which all its roles can resume; the number grows during the seed. The token
 * identifies the session of all roles if the state has secret shares, since shares of two sessions cannot
 * be combined; else it is 0. Roles resume together from checkpoints with the same number and token. */
typedef struct sotto_i_checkpoint {
  uint32_t number, token;
} sotto_i_checkpoint;

/* This party's role in a run over a network. */
typedef struct sotto_i_seat {
  sotto_role role;
  uint32_t number;    /* number of a holder or client, from 1 */
  sotto_wire *wire;   /* if there are two parties; NULL: several */
  uint64_t index;     /* index of the seed, from 0 */
  uint32_t stage;     /* of two parties: a checkpoint that the files of both have reached; 0: none */
  sotto_link **links; /* of several (party_among.h): server to all, by number; member to server, then
                       * holders */
  size_t link_count;
  sotto_i_checkpoint at;    /* if there are several: the latest common checkpoint; {0, 0}: the beginning */
  uint32_t token;           /* of checkpoints that will be saved */
  const sotto_i_line *line; /* if there are two parties: as it was measured; NULL: it was not */
  const char *identity;     /* if there are several: folder of this party's key; NULL: --insecure-loopback */
} sotto_i_seat;

/* Public numbers of the data, which a server of several parties needs because it has no data. */
enum {
  SOTTO_I_FACT_NODES,
  SOTTO_I_FACT_CLASSES,
  SOTTO_I_FACT_INPUTS, /* feature columns of a federation */
  SOTTO_I_FACT_KIND,   /* 1: nodes are classified; 2: graphs */
  SOTTO_I_FACTS
};
typedef struct sotto_i_facts {
  uint32_t words[SOTTO_I_FACTS]; /* 0: not known */
} sotto_i_facts;

/* One seed of a run. All members are borrowed. */
typedef struct sotto_i_job {
  const sotto_options *options;
  const sotto_dataset *data;
  const sotto_matrix *features;   /* of all nodes, scaled; only a shape if the variant reads them by rows */
  const sotto_i_row_source *rows; /* the same features, read by rows; only during a training */
  const sotto_pmp_plan *plan;     /* of the release; NULL: the method makes none */
  const sotto_contractive_plan *contractive; /* that `plan` was made from; NULL: another release */
  bool last_alone;                           /* `plan` covers only the last layer, after hops without noise */
  const sotto_graph *label_graph;            /* the label party's own edges (--label-edges); NULL: none */
  sotto_ledger *ledger;                      /* NULL: nothing is charged here */
  const char *run_id;                        /* 32 hexadecimal digits */
  const char *folder;                        /* of this seed; it exists */
  const sotto_cost *cost;                    /* all planned releases of the run */
  bool kept; /* use only the stored releases of the folder: nothing is drawn */
  uint64_t seed;
  const sotto_i_seat *seat;   /* NULL: all parties are in this process */
  const sotto_i_facts *facts; /* with several parties in their own processes; else NULL */
  const sotto_observer *observer;
  const sotto_recorder *recorder;
  struct sotto_i_checkpoints *checkpoints; /* of a method with a single owner; NULL: none are stored */
  const struct sotto_i_probe *probe;       /* of an audit, which inspects releases (artifact.h); NULL: none */
} sotto_i_job;

/* The results of a seed: its quality, its traffic and its exposures. */
typedef struct sotto_i_outcome {
  sotto_seed_result quality;
  sotto_traffic data_party, label_party;
  sotto_exposure exposures[2 * SOTTO_MOST_EXPOSURES];
  size_t data_exposures, exposure_count;
  sotto_graph_epsilon graph_epsilon;
  uint64_t setup_bytes, round_bytes, rounds; /* of secret shares: bytes sent once, mean bytes in each epoch */
  double round_seconds;
  char left_out[256]; /* clients whose updates failed a check; empty: none */
} sotto_i_outcome;

/* The ranks that share the job; NULL: a single process. */
sotto_ranks *sotto_i_job_ranks(const sotto_i_job *job);

struct json_t;
struct sotto_report;
struct sotto_i_description;
struct sotto_i_run;
struct sotto_i_canary;
struct sotto_i_attacked;
struct sotto_i_predictor;
struct sotto_i_opening;
struct sotto_i_joint;

/* The plan of a seed's releases of layers. */
typedef struct sotto_i_release_plan {
  sotto_pmp_plan layers;
  sotto_contractive_plan contractive; /* in contractive variants: the plan that `layers` was made from */
  sotto_paper_claim claim;            /* a published claim about it; epsilon 0: none */
  const char *what;                   /* static; NULL: noisy layers over the whole graph */
  bool one_shot;                      /* only the last layer is released, after hops without noise */
} sotto_i_release_plan;
/* Plans noisy layers by the options, with the noise for their epsilon, or none. Of `graph` only the number
 * of nodes is read. Errors: RANGE. */
sotto_status sotto_i_plan_layers(sotto_i_release_plan *out, const sotto_options *options,
                                 const sotto_graph *graph, sotto_error *err);

/* Public numbers that decide what a seed of two parties exchanges. */
typedef struct sotto_i_exchange_shape {
  uint64_t nodes;
  size_t count[4];         /* nodes of each part */
  uint32_t classes;        /* 0: not known at this party; the bytes for each class are then left out */
  size_t columns;          /* of the data party's features; 0: not known at this party, or not read */
  uint64_t trained, epoch; /* networks, and epochs of the next one, that an earlier start trained */
  uint64_t released;       /* rounds of releases that are done */
} sotto_i_exchange_shape;

/* The shape of a random split by the options' shares. */
sotto_i_exchange_shape sotto_i_exchange_of_shares(const sotto_options *options, uint64_t nodes,
                                                  uint32_t classes);

/* A method's behaviour at certain adjacencies under certain accountings. */
typedef struct sotto_i_variant {
  unsigned adjacencies, accountings; /* sets of bits (base/option.h) */
  bool edges;                        /* uses the graph */
  bool noisy; /* makes releases under a plan, which are charged unless the options ask for no privacy */
  bool released_as_published; /* under paper accounting, too, releases of other data are made: they are
                                 charged what holds, as those of the training, whatever is claimed */
  bool contractive;           /* its release is contractive */
  bool one_owner;   /* a single party has all data, whatever the topology of the method's other variants */
  bool labels_join; /* its parties are several holders and a label party, which has the place of a server */
  bool ranks;       /* several processes may share it (sotto/ranks.h): it reads edges only by blocks */
  bool data_ranks;  /* and be its data party, while the label party is another process */
  bool by_rows;     /* its training reads features by rows (job->rows), so no scaled copy is made */
  bool covered;     /* of clients: noise covers everything that leaves them, not only a part */
  bool numbers;     /* it learns numbers: chosen by task regression, which other variants refuse */
  bool own_rows; /* node level: answers follow from what was released, and from rows of features (and edges)
                  * that have no noise: the owner of all of them may ask, and no service answers */
  /* If several variants have the same adjacencies and accountings: do the options choose this one, by the
   * value `word` of option `key`? NULL: it is the only one. `without`: the method's keys that this variant
   * does not read, separated by single spaces; or NULL. */
  bool (*chosen)(const sotto_options *options);
  const char *key, *word, *without;
  /* Why something of it is not there (matrix.h), as words after a colon; NULL: it is there. begins_anew: with
   * noise, going on with a training that was cut short. unanswered: queries of its models. own_alone: queries
   * about other data without noise, or at node level; at a client too. unreleased: queries about other data
   * with noise. */
  const char *begins_anew, *unanswered, *own_alone, *unreleased;
  const void *protocol; /* parameters of this variant for `run`, of a type of the method; or NULL */
  sotto_status (*run)(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
  const struct sotto_i_roles *roles; /* instead of `run`: a seed's roles (run/parties/roles.h) */
  /* The releases of a seed, from options and public numbers only. Of the job only options, data and seed
   * are set, and for a party in its own process the seat's role and number. NULL: those of the plan of its
   * single release. Errors: RANGE, UNSUPPORTED. */
  sotto_status (*price)(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
  /* Counts the work of a seed for plans (sotto/plan.h), into a zeroed `out`. False: these options have no
   * count. NULL: no options have. */
  bool (*work)(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape);
  /* Of two parties: what a seed exchanges, in `out`. False: these options have no count. NULL: no options
   * have. */
  bool (*exchange)(sotto_i_exchanged *out, const sotto_options *options, const sotto_i_exchange_shape *shape);
  /* Largest number of nodes whose predictions change if one node is replaced, with all releases fixed. It
   * is the sensitivity of --publish-accuracy. NULL: not known. */
  uint64_t (*answers_moved)(const sotto_options *options);
  /* Number of releases in a seed. NULL: one. */
  uint64_t (*releases)(const sotto_options *options);
  /* Without `price`: plans the release. NULL: sotto_i_plan_layers. */
  sotto_status (*plan)(sotto_i_release_plan *out, const sotto_options *options, const sotto_graph *graph,
                       sotto_error *err);
  /* In separate processes: one role of a joint prediction of the run's own nodes (run/joint/joint.h). `out`
   * (fresh): scores of the nodes, only at the label party or label holder. `answer_sends`: what the data
   * party or the server sends, as text for people. NULL: no joint predictions. */
  sotto_status (*answer)(sotto_matrix *out, const struct sotto_i_joint *joint, sotto_error *err);
  const char *answer_sends;
  /* For other data than the run's own: what the data party or a holder sends, what the label party or label
   * holder, what the server, and what a holder of labels alone. NULL: no joint predictions on other data. */
  const char *other_sends[4];
  bool other_bare; /* without noise they answer about other data, too, and nothing is released */
  bool other_once; /* the release of other data is what `narrow` makes of the options, whatever the label
                      party's model reads */
  /* In separate processes: a question of one client to the server, after the run, about graphs that did not
   * train (run/joint/joint.h). `out` (fresh): class probabilities, a row a graph, at both. NULL: none.
   * `question_sends`: what the client sends, and the server. */
  sotto_status (*question)(sotto_matrix *out, const struct sotto_i_joint *joint, sotto_error *err);
  const char *question_sends[2];
  /* Builds a canary of a kind in `canaries` (bits of audit/canary.h). NULL: not available. */
  unsigned canaries;
  sotto_status (*canary)(struct sotto_i_canary *out, const struct sotto_i_run *run, unsigned kind,
                         sotto_error *err);
} sotto_i_variant;

/* What the method's paper claims, for runs as published. Its settings are the rows under SOTTO_I_PUBLISHED of
 * the method's defaults. */
enum { SOTTO_I_CLAIM_TEXT = 300 };
typedef struct sotto_i_paper {
  /* Writes the claim about such a run, as words after "claims": "epsilon 4 of edges (theorem 2.1)"; an empty
   * text: none, without noise or with sound accounting. The cost is that of the plan. */
  void (*claims)(char out[SOTTO_I_CLAIM_TEXT], const sotto_options *options, const sotto_cost *cost);
  const char *theorem; /* claims NULL: by which the plan's own claim holds of edges, as the paper says */
  const char *why;     /* why what is charged is not the claim: a sentence without its full stop */
} sotto_i_paper;

/* A method: an entry of the registry, defined in its own folder. No code outside that folder refers to it
 * by name. */
typedef struct sotto_i_method {
  const char *name;
  const char *summary;   /* what leaves which party, in one line */
  const char *situation; /* its use case, by which `sotto methods` groups methods */
  const char *source;    /* author and year, as in docs/references.md */
  const char *protects;  /* one line for users who ask for a level that it lacks */
  sotto_topology topology;
  /* With these options, has a run a helper: a second server that communicates only with the first? NULL:
   * never. */
  bool (*helper)(const sotto_options *options);
  bool apart;            /* a comparison without messages between parties: it runs in one process */
  bool nights;           /* its models predict night after night (run/train/nights.h) */
  bool no_fresh;         /* it predicts only from the stored release, never from one made for a query */
  bool central;          /* its classifier combines layers by the option `combine` */
  sotto_activation head; /* activation of the network that reads the release; 0: relu */
  sotto_i_option_table options;
  const sotto_i_paper *paper; /* of a method with the option as-published; else NULL */
  /* Checks the method's own options against each other. Errors: INVALID, RANGE, UNSUPPORTED. May be NULL. */
  sotto_status (*check)(const sotto_options *options, sotto_error *err);
  /* Hooks of a run (train.h), NULL if not needed. divide: splits the data among parties in this process.
   * accounts: adds other parties' releases and accounts to the plan. state: adds their part of the
   * statement's inputs. */
  sotto_status (*divide)(struct sotto_i_run *run, sotto_error *err);
  /* Checks a party's own data against bounds that only the method knows, before it connects: a peer then
   * learns only that this party is missing. Errors: RANGE, INVALID. */
  sotto_status (*bounds)(const struct sotto_i_run *run, sotto_error *err);
  sotto_status (*accounts)(struct sotto_i_run *run, sotto_error *err);
  sotto_status (*state)(sotto_result *out, const struct sotto_i_run *run, sotto_error *err);
  /* Number of feature columns as the method reads them; NULL: those of the data. */
  size_t (*inputs)(const sotto_dataset *data);
  /* Attacks from the view of the server, and of a client, on a run whose messages were recorded; NULL:
   * none. */
  sotto_status (*attack_server)(struct sotto_i_attacked *attacked, const char *folder, sotto_error *err);
  sotto_status (*attack_client)(struct sotto_i_attacked *attacked, const char *folder, sotto_error *err);
  /* describe: who may see what in a run, and what is not covered (statement.h); NULL: as for a single
   * owner. annotate: what only this method states, such as its claim; or NULL. */
  void (*describe)(struct sotto_i_description *out, const struct sotto_report *report);
  void (*annotate)(struct json_t *statement, const struct sotto_report *report);
  /* Opens a finished run for predictions (predict.h). NULL: its models cannot be queried. */
  sotto_status (*open)(struct sotto_i_predictor *out, const struct sotto_i_opening *from, sotto_error *err);
  /* For models that answer about the graphs of a collection: a dataset with a node for each graph, whose
   * features are what the model reads of it, with its label. Fresh. NULL: models answer about nodes. Errors:
   * INVALID (no collection), UNSUPPORTED (the options). */
  sotto_status (*items)(sotto_dataset *out, const sotto_options *options, const sotto_dataset *data,
                        sotto_error *err);
  bool nodes_too; /* with items: a run about the nodes of one graph answers about nodes */
  /* For predictions on other data: changes the run's options to those of the releases that the model in
   * `file` reads. NULL: no releases of other data are made for its models. */
  sotto_status (*narrow)(sotto_options *options, const char *file, sotto_error *err);
  const sotto_i_variant *variants;
  size_t variant_count;
} sotto_i_method;
#define SOTTO_I_VARIANTS(array) .variants = (array), .variant_count = sizeof(array) / sizeof *(array)

/* The engine names no method. src/methods/registry.c passes the NULL-terminated list of all, which must not
 * change. Every public function that a program may call first does so (src/methods/entry.c). */
enum { SOTTO_I_MOST_METHODS = 64 };
void sotto_i_methods_use(const sotto_i_method *const *methods);
/* The list that was passed. */
const sotto_i_method *const *sotto_i_methods(void);
/* NULL: no method of that name. */
const sotto_i_method *sotto_i_method_named(const char *name);
/* The method of checked options, and the variant that they choose. */
const sotto_i_method *sotto_i_method_of(const sotto_options *options);
const sotto_i_variant *sotto_i_variant_of(const sotto_options *options);
/* The same for unchecked options; NULL: none. */
const sotto_i_variant *sotto_i_variant_find(const sotto_i_method *method, const sotto_options *options);
/* sotto_i_job_owner: the owner of the job's releases. sotto_i_job_ask_part: asks the ledger about one item
 * on another account, that of a part of the data, with `times` planned releases. sotto_i_price_asked: do
 * the options ask for noise, by --adjacency edge or node and a finite epsilon? */
sotto_i_release_owner sotto_i_job_owner(const sotto_i_job *job);
SOTTO_MUST_USE sotto_status sotto_i_job_ask_part(const sotto_i_job *job, size_t item, uint64_t times,
                                                 const sotto_dataset *part, sotto_error *err);
bool sotto_i_price_asked(const sotto_options *options);
/* The key of a seed's noise. The caller wipes it. */
void sotto_i_job_noise_key(sotto_key *key, const sotto_i_job *job);
/* The hook `price` of variants without noise. */
sotto_status sotto_i_price_nothing(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
/* Has a run of the variant noise where its options ask for some? Without noise it makes no release. */
bool sotto_i_variant_has_noise(const sotto_i_variant *variant);
/* The bits of the options' adjacency and accounting. */
unsigned sotto_i_adjacency_bit(const sotto_options *options);
unsigned sotto_i_accounting_bit(const sotto_options *options);
/* Does the run have two parties, one with the graph and one with the labels? */
bool sotto_i_is_of_two(const sotto_options *options);

/* Is a network fitted to labels that the run must not reveal? True with label-epsilon, and for two parties
 * at node level, where nothing that follows from labels leaves the label party. */
bool sotto_i_model_has_labels(const sotto_options *options);

/* The options in the form of the rooms below. */
sotto_aggregator sotto_i_job_aggregator(const sotto_options *options);
sotto_i_training sotto_i_job_training(const sotto_options *options, uint64_t epochs);
bool sotto_i_job_wants_privacy(const sotto_options *options); /* is noise wanted, if the method has any? */
/* Does the run have several holders? Clients and a server? A helper? */
bool sotto_i_has_holders(const sotto_options *options);
/* Are there several holders and a label party, which has the place of a server? */
bool sotto_i_labels_join(const sotto_options *options);
/* Are the labels of holders at a party that has neither columns nor edges? Its number is then the last. */
bool sotto_i_has_labels_apart(const sotto_options *options);
bool sotto_i_has_clients(const sotto_options *options);
bool sotto_i_has_helper(const sotto_options *options);
sotto_pmp_options sotto_i_job_pmp(const sotto_options *options);
/* Activation of the hidden layer of the network that reads the release. */
sotto_activation sotto_i_head_activation(const sotto_options *options);
/* Columns of the embeddings, and of the release: one more with a constant column. */
size_t sotto_i_embedding_width(const sotto_options *options);
size_t sotto_i_released_width(const sotto_options *options);
/* The key of this seed's split, initial weights and dropout. */
void sotto_i_job_key(sotto_key *key, const sotto_i_job *job);

/* Options of classes alone: `without` of variants that learn numbers, whose epochs R2 selects. */
#define SOTTO_I_WITHOUT_CLASSES "classes alert-rate select-by"
/* Defaults of methods that learn numbers: values that are dropped make a network shrink what it predicts. */
#define SOTTO_I_NUMBER_DEFAULTS                                                                              \
  {                                                                                                          \
    "dropout", "0", .when = { SOTTO_I_WHEN("task", "regression") }                                           \
  }
/* Does the run learn numbers (task regression) in place of classes? */
bool sotto_i_learns_numbers(const sotto_options *options);
/* The measure on validation items that selects an epoch, and among several trainings the model. */
sotto_measure sotto_i_selects_by(const sotto_options *options);
/* Columns of a network's output: 1 for a number, else one for each class. */
size_t sotto_i_outputs(const sotto_options *options, const sotto_dataset *data);
/* Has the data what the task does not learn: labels in regression, else numbers? */
bool sotto_i_has_other_task(const sotto_dataset *data, const sotto_options *options);
/* Forgets what the task does not learn: labels in regression, else numbers. */
void sotto_i_forget_other_task(sotto_dataset *data, const sotto_options *options);

/* The split of this seed, and labels or numbers by part: labels[p], or numbers[p], has split.count[p]
 * entries; the other is NULL. */
typedef struct sotto_i_parted {
  sotto_split split;
  int32_t *labels[4];
  float *numbers[4];
} sotto_i_parted;
/* Federated methods split the graphs of a collection. Errors: also INVALID if the data has no labels, or in
 * regression no numbers, or a part has no node. */
sotto_status sotto_i_parted_new(sotto_i_parted *out, const sotto_i_job *job, sotto_error *err);
void sotto_i_parted_free(sotto_i_parted *parted);
/* What a fit learns of a part: its labels, without a flip, or its numbers in their own unit; and of all
 * parts, for a task. Borrowed. */
sotto_i_targets sotto_i_parted_targets(const sotto_i_parted *parted, sotto_part part);
void sotto_i_parted_learn(sotto_i_task *task, const sotto_i_parted *parted);

/* Features of all nodes, scaled when they are read, to the same values as in the copy of
 * sotto_i_scaled_features. It must not move while it is in use. */
typedef struct sotto_i_feature_rows {
  const sotto_dataset *from;
  bool unit;                         /* rows are scaled to unit norm */
  double *moments;                   /* columns are standardised by these; or NULL */
  float *factor;                     /* of sparse rows: factors to unit norm; or NULL */
  const struct sotto_i_block *block; /* with ranks: features are read from the file; or NULL */
  sotto_i_row_source source;
} sotto_i_feature_rows;
void sotto_i_feature_rows_free(sotto_i_feature_rows *rows);
/* Rows of the features as they are, dense; over ranks from the file. Errors: IO. */
sotto_status sotto_i_dataset_window(float *out, const sotto_dataset *data, size_t first, size_t count,
                                    sotto_error *err);
/* out (fresh): means and variances of the columns of the data, dense or sparse, read in windows of rows; over
 * ranks, by the one that asks. Errors: NOMEM, IO. */
sotto_status sotto_i_dataset_moments(double **out, const sotto_dataset *data, sotto_error *err);
/* The scaling of this data: suited means standard where its schema has statistics, else l2. */
sotto_feature_scale sotto_i_scale_of(const sotto_options *options, const sotto_dataset *data);
/* A copy of the dataset's features, scaled as the options say. */
sotto_status sotto_i_scaled_features(sotto_matrix *out, const sotto_options *options,
                                     const sotto_dataset *data, sotto_error *err);
/* The same as sparse entries, in a zeroed *out. It stays zeroed (worth: false) if features are dense, or
 * become dense by scaling. */
sotto_status sotto_i_scaled_entries(sotto_i_sparse *out, const sotto_options *options,
                                    const sotto_dataset *data, sotto_error *err);

/* The rows, and the scaled copy of all; only the copy's shape if the run reads by rows. */
sotto_status sotto_i_features_take(sotto_i_feature_rows *rows, sotto_matrix *all, bool by_rows,
                                   const sotto_options *options, const sotto_dataset *data, sotto_error *err);

/* Scales node features. */
sotto_status sotto_i_scale_features(sotto_matrix *x, sotto_feature_scale scale, sotto_error *err);

/* The number of columns, the last ones, that belong to the label party. */
size_t sotto_i_label_columns(double share, size_t columns);

/* One stage of a seed, for the recorder, the observer and the checkpoints (stage.c). Stages of the same
 * name differ in `part`. */
enum { SOTTO_I_STAGE_NAME = 40 };
typedef struct sotto_i_stage {
  const sotto_i_job *job;
  const char *name;
  uint64_t epochs;
  uint32_t part;                           /* from 0 */
  bool weighted;                           /* the second fit of the stage, with weights of classes */
  struct sotto_i_checkpoints *checkpoints; /* where its state is saved; NULL: with the job's */
  sotto_i_keeper keeper;                   /* set by sotto_i_stage_training */
} sotto_i_stage;
void sotto_i_stage_epoch(void *stage, uint64_t epoch, double loss, double validation);
/* Training options of a stage: saved every --checkpoint-every epochs, and resumed from the saved state. The
 * stage is borrowed. */
sotto_i_training sotto_i_stage_training(sotto_i_stage *stage);

/* Number of releases of one seed. */
uint64_t sotto_i_job_releases(const sotto_options *options);
/* Name of the file in the seed's folder that stores a release. */
void sotto_i_release_file(char out[40], const sotto_options *options, uint64_t round, bool of_label);
typedef struct sotto_i_release_request {
  const sotto_matrix *inputs;
  const sotto_matrix *const *weights; /* between layers, one for each layer; NULL: none */
  uint64_t round;                     /* index among the seed's releases, from 0 */
  bool of_label;                      /* a release of the label party's own edges (label_edges.h) */
  size_t item;                        /* of the job's plan; not read if the release has no noise */
  uint64_t number;                    /* number of the release within the item, from 0 */
  bool kept;                          /* only use a stored release; of `inputs` only the width is read */
  bool spent;                         /* the inputs may be overwritten, since nobody reads them later */
  bool by_rows;                       /* only sotto_i_release_read reads it, so its layers stay in the file */
} sotto_i_release_request;
/* Computes a release with a key that no other release uses. It is not stored, and must not leave the
 * process. */
sotto_status sotto_i_job_compute(sotto_release **out, const sotto_i_job *job,
                                 const sotto_i_release_request *request, const sotto_key *key, const char *id,
                                 const char *description, sotto_error *err);
/* The job's release of the rows `inputs` as an artifact: loaded from its folder, or made, and charged if it
 * has noise. Errors: those of sotto_i_artifact_use. */
SOTTO_MUST_USE sotto_status sotto_i_job_release(sotto_release **out, const sotto_i_job *job,
                                                const sotto_i_release_request *request, sotto_error *err);

#endif
