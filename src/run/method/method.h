/* The interface of a method: its inputs, its outputs, and shared pieces. */
#ifndef SOTTO_SRC_RUN_METHOD_METHOD_H
#define SOTTO_SRC_RUN_METHOD_METHOD_H

#include "base/option.h"
#include "inside/party.h"
#include "nn/fit.h"
#include "release/plan.h"
#include "sotto/methods.h"
#include "sotto/plan.h"
#include "sotto/split.h"
#include "tensor/columns.h"

/* A place in a seed that all its roles can go on from: the number grows as the seed goes on. The token is
 * that of the session in which all roles were, where the state has shares (shares of two sessions do not add
 * up); else 0. Roles go on together from checkpoints with both numbers the same. */
typedef struct sotto_i_checkpoint {
  uint32_t number, token;
} sotto_i_checkpoint;

/* This party's place in a run over a network. */
typedef struct sotto_i_seat {
  sotto_role role;
  uint32_t number;    /* of a holder or client, from 1 */
  sotto_wire *wire;   /* of two parties; NULL among several */
  uint64_t index;     /* of the seed, from 0 */
  uint32_t stage;     /* of two: the checkpoint that both parties' files reach, at least; 0: the beginning */
  sotto_link **links; /* among several (party_among.h): of the server to all, by number; of a member to the
                       server, and then to other holders */
  size_t link_count;
  sotto_i_checkpoint at; /* among several: the latest that all files reach, {0, 0}: the beginning */
  uint32_t token;        /* of those that are saved from now on */
  const char *identity;  /* among several: folder of this party's key; NULL: --insecure-loopback */
} sotto_i_seat;

/* What the server of several parties has to know of data that it does not see. */
enum {
  SOTTO_I_FACT_NODES,
  SOTTO_I_FACT_CLASSES,
  SOTTO_I_FACT_INPUTS, /* columns of features of a federation */
  SOTTO_I_FACT_KIND,   /* 1: nodes are classified, 2: graphs */
  SOTTO_I_FACTS
};
typedef struct sotto_i_facts {
  uint32_t words[SOTTO_I_FACTS]; /* 0: not known */
} sotto_i_facts;

/* One seed of a run. All members are borrowed. */
typedef struct sotto_i_job {
  const sotto_options *options;
  const sotto_dataset *data;
  const sotto_matrix *features;   /* of all nodes, scaled as the options say; of a variant that reads
                                   * them by rows it has a shape and no data */
  const sotto_i_row_source *rows; /* the same features, read by rows; of a training alone */
  const sotto_pmp_plan *plan;     /* of the release; NULL for methods that make none */
  const sotto_contractive_plan *contractive; /* what `plan` stands for; NULL for other releases */
  bool last_alone;                           /* `plan` is of the last layer alone, after hops without noise */
  const sotto_graph *label_graph;            /* the label party's own edges (--label-edges); NULL: none */
  sotto_ledger *ledger;                      /* NULL when nothing will be charged here */
  const char *run_id;                        /* 32 hexadecimal digits */
  const char *folder;                        /* of this seed; exists */
  const sotto_cost *cost;                    /* the plan of all releases of the run */
  bool kept; /* releases are those of the folder: nothing is drawn, whatever is asked for */
  uint64_t seed;
  const sotto_i_seat *seat;   /* NULL: all parties are in this process */
  const sotto_i_facts *facts; /* among several parties in their own processes; else NULL */
  const sotto_observer *observer;
  const sotto_recorder *recorder;
  struct sotto_i_checkpoints
      *checkpoints;                  /* of a method with one owner (checkpoints.h); NULL: none are kept */
  const struct sotto_i_probe *probe; /* of an audit, which looks at releases (artifact.h); NULL: none */
} sotto_i_job;

/* What a seed gave beside its quality. */
typedef struct sotto_i_outcome {
  sotto_seed_result quality;
  sotto_traffic data_party, label_party;
  sotto_exposure exposures[2 * SOTTO_MOST_EXPOSURES];
  size_t data_exposures, exposure_count;
  sotto_graph_epsilon graph_epsilon;
  uint64_t setup_bytes, round_bytes,
      rounds; /* of secret shares: sent once, and on the average in each epoch */
  double round_seconds;
  char left_out[256]; /* clients whose updates failed a check; empty: none */
} sotto_i_outcome;

/* The ranks that share the job; NULL: this process has it alone. */
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

/* The plan of the releases of layers that a seed makes. */
typedef struct sotto_i_release_plan {
  sotto_pmp_plan layers;
  sotto_contractive_plan contractive; /* what `layers` stands for, in contractive variants */
  sotto_paper_claim claim;            /* what was published of it; epsilon 0: nothing */
  const char *what;                   /* static; NULL: noisy layers over the whole graph */
  bool one_shot;                      /* the last layer is shown alone, after hops without noise */
} sotto_i_release_plan;
/* Noisy layers as the options say, with the noise that epsilon asks for, or none. `graph` is read for its
 * number of nodes. Errors: RANGE. */
sotto_status sotto_i_plan_layers(sotto_i_release_plan *out, const sotto_options *options,
                                 const sotto_graph *graph, sotto_error *err);
/* Gaussian releases compose by the squares of their mu: *epsilon becomes that of each of so many. */
sotto_status sotto_i_share_of_release(double *epsilon, uint64_t releases, double delta, sotto_error *err);

/* What a method does at some adjacencies under some accountings. */
typedef struct sotto_i_variant {
  unsigned adjacencies, accountings; /* sets of bits (base/option.h) */
  bool edges;                        /* uses the graph */
  bool noisy;       /* makes releases that a plan describes, charged unless no privacy was asked for */
  bool contractive; /* its release is a contractive one */
  bool one_owner;   /* one party has all, whatever the topology of the method's other variants */
  bool one_process; /* its parties cannot be processes of their own */
  bool ranks;       /* several processes may share it (sotto/ranks.h): it reads edges by blocks alone */
  bool by_rows;     /* its training reads features by rows (job->rows): no scaled copy of all is made */
  bool covered;     /* of clients: noise is on all that leaves them, not on a part of it */
  /* Among variants of the same adjacencies and accountings: is it the one that the options choose, by the
   * WORD `key` being `word`? NULL: there is one. `without`: keys of the method that this variant does not
   * read, parted by single spaces; or NULL. */
  bool (*chosen)(const sotto_options *options);
  const char *key, *word, *without;
  const void *recipe; /* what `run` has to know of this variant; of a type of the method's own, or NULL */
  sotto_status (*run)(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
  const struct sotto_i_roles *roles; /* in the place of `run`: a seed is these roles (run/parties/roles.h) */
  /* What is released in a seed, from options and public numbers alone (no member of the job but options, data
   * and seed is set, and of a party in a process of its own the seat's role and number). NULL: what the plan
   * of the one release says. Errors: RANGE, UNSUPPORTED. */
  sotto_status (*price)(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
  /* Counts the work of a seed for plans (sotto/plan.h), into a zeroed `out`. False: these options have no
   * count. NULL: none have. */
  bool (*work)(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape);
  /* Of how many nodes one node, replaced, changes the answers, with all releases fixed: what
   * --publish-accuracy counts moves by as much. NULL: not known. */
  uint64_t (*answers_moved)(const sotto_options *options);
  /* How many releases a seed makes. NULL: one. */
  uint64_t (*releases)(const sotto_options *options);
  /* Without a price: plans the release. NULL: sotto_i_plan_layers. */
  sotto_status (*plan)(sotto_i_release_plan *out, const sotto_options *options, const sotto_graph *graph,
                       sotto_error *err);
  /* Of several processes: one role of a prediction of the run's own nodes (run/joint/joint.h). `out` (fresh):
   * scores of the nodes, of the label party or holder alone. What the data party or the server sends, for
   * people. NULL: they do not answer together. */
  sotto_status (*answer)(sotto_matrix *out, const struct sotto_i_joint *joint, sotto_error *err);
  const char *answer_sends;
  /* The same of other data than the run's own: what the data party sends, and the label party. NULL: they do
   * not answer about that. */
  const char *other_sends[2];
  /* Builds the canary of a kind of those in `canaries` (bits of audit/canary.h). NULL: there is none yet.
   */
  unsigned canaries;
  sotto_status (*canary)(struct sotto_i_canary *out, const struct sotto_i_run *run, unsigned kind,
                         sotto_error *err);
} sotto_i_variant;

/* A method: an entry of the registry, defined in a folder of its own. Nothing outside of that folder knows
 * its name. */
typedef struct sotto_i_method {
  const char *name;
  const char *summary;   /* what leaves whom, one line */
  const char *situation; /* who would use it, as `sotto methods` groups them */
  const char *source;    /* author and year; docs/references.md */
  const char *protects;  /* one line for those who ask for a level that it does not have */
  sotto_topology topology;
  /* Has a run with these options a helper, a second server that talks to the first alone? NULL: none has. */
  bool (*helper)(const sotto_options *options);
  bool apart;            /* a comparison in which nothing passes between parties: it runs in one process */
  bool nights;           /* its models answer night after night: `open` takes a night (run/train/nights.h) */
  bool no_fresh;         /* its answers come from the kept release alone, never from one made for a query */
  bool central;          /* its classifier joins layers as the option `combine` says */
  sotto_activation head; /* of the network that reads what was released; 0: relu */
  sotto_i_option_table options;
  /* Of the method's own options against each other. Errors: INVALID, RANGE, UNSUPPORTED. Or NULL. */
  sotto_status (*check)(const sotto_options *options, sotto_error *err);
  /* Hooks of a run (train.h), each NULL where there is nothing to do: divides the data among parties that are
   * all in this process; adds the releases and the accounts of other parties to the plan; and what the
   * statement is made of for these. */
  sotto_status (*divide)(struct sotto_i_run *run, sotto_error *err);
  /* Holds a party's own data to bounds that the method alone knows, before it connects: a peer then learns no
   * more than that this party does not come. Errors: RANGE, INVALID. */
  sotto_status (*bounds)(const struct sotto_i_run *run, sotto_error *err);
  sotto_status (*accounts)(struct sotto_i_run *run, sotto_error *err);
  sotto_status (*state)(sotto_result *out, const struct sotto_i_run *run, sotto_error *err);
  /* Columns of features as the recipe reads them; NULL: those of the data. */
  size_t (*inputs)(const sotto_dataset *data);
  /* Attacks from the view of the server, and of a client, on a run whose wire was recorded; NULL: none. */
  sotto_status (*attack_server)(struct sotto_i_attacked *attacked, const char *folder, sotto_error *err);
  sotto_status (*attack_client)(struct sotto_i_attacked *attacked, const char *folder, sotto_error *err);
  /* What the statement says of a run, beside figures (statement.h): who may see what, and what is not
   * covered. NULL: as of one owner. Then what only this method has: its claim, details. Or NULL. */
  void (*describe)(struct sotto_i_description *out, const struct sotto_report *report);
  void (*annotate)(struct json_t *statement, const struct sotto_report *report);
  /* Opens a finished run for prediction (predict.h). NULL: it does not answer queries. */
  sotto_status (*open)(struct sotto_i_predictor *out, const struct sotto_i_opening *from, sotto_error *err);
  /* Answers about other data than the run's own: turns the run's options into those of the releases that the
   * model in `file` reads. NULL: such releases are not made for its models. */
  sotto_status (*narrow)(sotto_options *options, const char *file, sotto_error *err);
  const sotto_i_variant *variants;
  size_t variant_count;
} sotto_i_method;

/* The engine names no method: src/methods/registry.c hands over the list of all, NULL at the end, which stays
 * as it is. Every public call with which a program may begin does so first (src/methods/entry.c). */
enum { SOTTO_I_MOST_METHODS = 64 };
void sotto_i_methods_use(const sotto_i_method *const *methods);
/* The list that was handed over. */
const sotto_i_method *const *sotto_i_methods(void);
/* NULL: there is none of that name. */
const sotto_i_method *sotto_i_method_named(const char *name);
/* That of the options, which were checked; and the variant that they choose. */
const sotto_i_method *sotto_i_method_of(const sotto_options *options);
const sotto_i_variant *sotto_i_variant_of(const sotto_options *options);
/* The same of options that were not checked; NULL: there is none for them. */
const sotto_i_variant *sotto_i_variant_find(const sotto_i_method *method, const sotto_options *options);
/* Whose releases the job makes; and the question to the ledger for one item of it on another account, a part
 * of the data, where `times` are planned. Is noise asked for: --adjacency edge or node, and a finite epsilon?
 */
sotto_i_release_owner sotto_i_job_owner(const sotto_i_job *job);
SOTTO_MUST_USE sotto_status sotto_i_job_ask_part(const sotto_i_job *job, size_t item, uint64_t times,
                                                 const sotto_dataset *part, sotto_error *err);
bool sotto_i_price_asked(const sotto_options *options);
/* The key of a seed's noise. Wipe it. */
void sotto_i_job_noise_key(sotto_key *key, const sotto_i_job *job);
/* The price of variants that add no noise. */
sotto_status sotto_i_price_nothing(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
/* The options' adjacency and accounting as a bit of their sets. */
unsigned sotto_i_adjacency_bit(const sotto_options *options);
unsigned sotto_i_accounting_bit(const sotto_options *options);
/* Do two parties run it, one with the graph and one with labels? */
bool sotto_i_is_of_two(const sotto_options *options);

/* Is a network fitted to labels that the run does not reveal: with label-epsilon, and between two parties at
 * node level, where nothing that follows from labels leaves the label party? */
bool sotto_i_model_has_labels(const sotto_options *options);

/* Options as the rooms below want them. */
sotto_aggregator sotto_i_job_aggregator(const sotto_options *options);
sotto_i_training sotto_i_job_training(const sotto_options *options, uint64_t epochs);
bool sotto_i_job_wants_privacy(
    const sotto_options *options); /* is there to be noise, if the method has any */
/* Is it of several holders and a server? Of clients and a server? */
bool sotto_i_has_holders(const sotto_options *options);
bool sotto_i_has_clients(const sotto_options *options);
bool sotto_i_has_helper(const sotto_options *options);
sotto_pmp_options sotto_i_job_pmp(const sotto_options *options);
/* Of the hidden layer of the network that reads what was released. */
sotto_activation sotto_i_head_activation(const sotto_options *options);
/* Columns of the embeddings, and of what is released: one more where there is a constant column. */
size_t sotto_i_embedding_width(const sotto_options *options);
size_t sotto_i_released_width(const sotto_options *options);
/* The key of splits, initial weights and dropout of this seed. */
void sotto_i_job_key(sotto_key *key, const sotto_i_job *job);

/* The split of this seed, and labels by part: labels[p] has split.count[p] entries. */
typedef struct sotto_i_parted {
  sotto_split split;
  int32_t *labels[4];
} sotto_i_parted;
/* Federated methods split the graphs of a collection. Errors: also INVALID when the data has no labels, or a
 * part has no node. */
sotto_status sotto_i_parted_new(sotto_i_parted *out, const sotto_i_job *job, sotto_error *err);
void sotto_i_parted_free(sotto_i_parted *parted);

/* Features of all nodes, scaled as they are read: to the same values as sotto_i_scaled_features, which has a
 * copy of all. It stays where it is while it is in use. */
typedef struct sotto_i_feature_rows {
  const sotto_dataset *from;
  bool unit;                         /* rows to norm 1 */
  double *moments;                   /* columns by these; or NULL */
  float *factor;                     /* of sparse rows: to norm 1; or NULL */
  const struct sotto_i_block *block; /* of ranks: features are read from the file; or NULL */
  sotto_i_row_source source;
} sotto_i_feature_rows;
sotto_status sotto_i_feature_rows_new(sotto_i_feature_rows *out, const sotto_options *options,
                                      const sotto_dataset *data, sotto_error *err);
void sotto_i_feature_rows_free(sotto_i_feature_rows *rows);
/* Where no scaling was asked for: columns of a table are standardised, and the observer hears why, if one of
 * numbers or dates is much larger than another and features are public; tables of counts stay as they are,
 * and so does data without a schema, and data of several holders or clients. Errors: IO, NOMEM. */
sotto_status sotto_i_suit_scaling(sotto_options *options, const sotto_dataset *data,
                                  const sotto_observer *observer, sotto_error *err);
/* A copy of the dataset's features, scaled as the options say. */
sotto_status sotto_i_scaled_features(sotto_matrix *out, const sotto_options *options,
                                     const sotto_dataset *data, sotto_error *err);
/* The same as entries alone, in a zeroed *out; it stays zeroed (worth: false) where features are dense, or
 * become so by the scaling. */
sotto_status sotto_i_scaled_entries(sotto_i_sparse *out, const sotto_options *options,
                                    const sotto_dataset *data, sotto_error *err);

/* The rows, and the copy of all, of which a run that reads by rows has the shape alone. */
sotto_status sotto_i_features_take(sotto_i_feature_rows *rows, sotto_matrix *all, bool by_rows,
                                   const sotto_options *options, const sotto_dataset *data, sotto_error *err);

/* Scales node features as the options say. */
sotto_status sotto_i_scale_features(sotto_matrix *x, const sotto_options *options, sotto_error *err);

/* How many of so many columns, the last ones, are the label party's. */
size_t sotto_i_label_columns(double share, size_t columns);

/* One stage of a seed, for the recorder, the observer and the checkpoints (stage.c). Stages of one name
 * differ in their part. */
enum { SOTTO_I_STAGE_NAME = 40 };
typedef struct sotto_i_stage {
  const sotto_i_job *job;
  const char *name;
  uint64_t epochs;
  uint32_t part;                           /* from 0 */
  struct sotto_i_checkpoints *checkpoints; /* where it keeps itself; NULL: where the job does */
  sotto_i_keeper keeper;                   /* set by sotto_i_stage_training */
} sotto_i_stage;
void sotto_i_stage_epoch(void *stage, uint64_t epoch, double loss, double validation);
/* Its training: as the options say, kept every --checkpoint-every epochs, and gone on with from what was
 * kept. The stage is borrowed. */
sotto_i_training sotto_i_stage_training(sotto_i_stage *stage);

/* How many releases one seed makes. */
uint64_t sotto_i_job_releases(const sotto_options *options);
/* The file in the seed's folder that keeps one of them. */
void sotto_i_release_file(char out[40], const sotto_options *options, uint64_t round, bool of_label);
typedef struct sotto_i_release_request {
  const sotto_matrix *inputs;
  const sotto_matrix *const *weights; /* between layers, one a layer; NULL: none */
  uint64_t round;                     /* which of the seed's releases, from 0 */
  bool of_label;                      /* the label party's, of its own edges (label_edges.h) */
  size_t item;                        /* of the job's plan; not read where the release has no noise */
  uint64_t number;                    /* which release of the item, from 0 */
  bool kept;    /* the one that is there already, or none; of `inputs` the width counts */
  bool spent;   /* the inputs may be overwritten: nobody reads them after this */
  bool by_rows; /* read by sotto_i_release_read alone: its layers stay in the file */
} sotto_i_release_request;
/* The computation alone, with a key that no other release has: nothing is kept, and nothing may leave. */
sotto_status sotto_i_job_compute(sotto_release **out, const sotto_i_job *job,
                                 const sotto_i_release_request *request, const sotto_key *key, const char *id,
                                 const char *description, sotto_error *err);
/* The job's release of rows `inputs`, as an artifact: found in its folder or made, and charged, unless it has
 * no noise. Errors: those of sotto_i_artifact_use. */
SOTTO_MUST_USE sotto_status sotto_i_job_release(sotto_release **out, const sotto_i_job *job,
                                                const sotto_i_release_request *request, sotto_error *err);

#endif
