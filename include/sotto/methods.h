/* Named methods, their options, and runs.
 *
 * A run trains one method on one dataset, `seeds` times with different splits, initial weights and noise, in
 * a run folder that it can be resumed from. */
#ifndef SOTTO_METHODS_H
#define SOTTO_METHODS_H

#include "sotto/alerts.h"
#include "sotto/options.h"
#include "sotto/party.h"
#include "sotto/release.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who takes part in a run of a method. */
typedef enum sotto_topology {
  SOTTO_ONE_OWNER,
  SOTTO_TWO_PARTIES,        /* one with the graph, one with labels */
  SOTTO_HOLDERS_AND_SERVER, /* holders of columns and edges of the same nodes, and a neutral server */
  SOTTO_CLIENTS_AND_SERVER  /* clients with nodes or graphs of their own, and a server */
} sotto_topology;

/* A method, for lists and help. All texts are static. */
typedef struct sotto_method_info {
  const char *name;
  const char *summary;   /* which data leave which party, one line */
  const char *situation; /* who would use it; methods of one situation stand together */
  const char *source;    /* author and year */
  sotto_topology topology;
} sotto_method_info;
/* All methods. */
SOTTO_API const sotto_method_info *sotto_method_table(size_t *count);
/* The options of a method, with its own choices, and the defaults that it takes where no option is given.
 * Writes at most `most`, returns how many there are; 0 for an unknown name. */
SOTTO_API size_t sotto_method_options(sotto_option_info *out, size_t most, const char *method);
/* The default of an option whose default depends on other options, as one line for people: "with noise: 1;
 * else: 2". Empty for an option with one default. The value for given options is that of
 * sotto_options_resolve. Writes at most `size` bytes with the final zero; 600 are enough. Errors: NOT_FOUND
 * (no such method, or it has no such option), RANGE (`size`). */
SOTTO_API sotto_status sotto_method_default(char *out, size_t size, const char *method, const char *key,
                                            sotto_error *err);

/* What a user does with a run, and where. */
typedef enum sotto_step {
  SOTTO_STEP_TRAIN,
  SOTTO_STEP_RESUME,
  SOTTO_STEP_PREDICT_OWN, /* about the data of the run */
  SOTTO_STEP_PREDICT_NEW, /* about other data with the same columns */
  SOTTO_STEP_SERVE,
  SOTTO_STEP_AUDIT,
  SOTTO_STEP_REPORT
} sotto_step;
typedef enum sotto_place {
  SOTTO_PLACE_ONE_PROCESS, /* all parties in it */
  SOTTO_PLACE_PARTIES,     /* each party in a process of its own */
  SOTTO_PLACE_RANKS        /* several processes share the work of one run (sotto/ranks.h) */
} sotto_place;
enum { SOTTO_STEPS = 7, SOTTO_PLACES = 3 };

/* A cell of the matrix of methods, steps and places, over all levels and variants of the method. */
typedef enum sotto_there {
  SOTTO_THERE,
  SOTTO_THERE_PARTLY, /* except at some levels or in some variants, which `reason` names */
  SOTTO_NOT_THERE,
  SOTTO_NOT_MEANT /* the cell has no meaning, such as several parties of a method for one owner */
} sotto_there;
typedef struct sotto_cell {
  sotto_there there;
  const char *word; /* static: "yes", "partly", "no" or "not-meant", as in JSON */
  char reason[600]; /* why it is not there, for people; empty with SOTTO_THERE */
} sotto_cell;
/* Errors: NOT_FOUND (no such method), RANGE (no such step or place). */
SOTTO_API sotto_status sotto_method_cell(sotto_cell *out, const char *method, sotto_step step,
                                         sotto_place place, sotto_error *err);
/* "train", "predict-new"; "one-process", "ranks": static, as in JSON. NULL: none. */
SOTTO_API const char *sotto_step_name(sotto_step step);
SOTTO_API const char *sotto_place_name(sotto_place place);

/* Epsilon of releases of graph embeddings in one seed, a graph at a time. All releases of one graph have the
 * same epsilon. */
typedef struct sotto_graph_epsilon {
  double least, most; /* of one release: smallest and largest over all graphs */
  uint64_t releases;  /* their number at the client that made the most; 0: none was private */
} sotto_graph_epsilon;

/* The noisy count of right answers about test nodes that publish-accuracy asks for. */
typedef struct sotto_published {
  uint64_t nodes;    /* test nodes; 0: nothing is published */
  double right;      /* the noisy count; it may lie outside of 0 to `nodes` */
  double half_width; /* of the 95% interval of the noise, in answers */
} sotto_published;

/* A rare class, as one seed's model ranks it. */
typedef struct sotto_rare_result {
  bool there; /* false: no class is rare, or the model does not answer queries */
  sotto_alerts alerts;
  sotto_ranking validation, test;
  uint64_t alerted, found; /* test items with an alert, and members of the class among these */
} sotto_rare_result;

/* The gain in accuracy that a method expects of its edges, before it charges for them. It is computed from
 * labels, features and assumptions that the asking party may see, never from an edge. */
typedef struct sotto_expected {
  bool there;            /* false: nothing is said, and nothing was asked */
  sotto_measure measure; /* AUC with two classes, else accuracy */
  double alone;          /* of features alone; 0 to 1 */
  double classes;        /* expected gain by counts of neighbours by class; at least 0 */
  double others; /* expected gain by clusters of features or of transfers, if these predict the class as well
                    as neighbours' classes do and pilots detect it; at least 0 */
  double homophily; /* assumed: share of neighbours that are of the node's class whatever its size; 0 to 1 */
  double larger;    /* if nothing is gained: the smallest multiple of epsilon that gains, of 2, 4, 8; or 0 */
  double transfers; /* what transfers would add where they tell the class as in made payments at dial 1
                       (sotto/generate.h), and pilots would find that out; at least 0 */
} sotto_expected;

/* What one seed gave. */
typedef struct sotto_seed_result {
  uint64_t seed;
  sotto_quality test, validation; /* of the method */
  sotto_quality baseline_test,
      baseline_validation; /* of the same without edges; NAN when it was not trained */
  sotto_published published;
  sotto_rare_result rare;
  sotto_expected expected;
  bool resumed; /* read from the run folder, finished by an earlier start */
} sotto_seed_result;

/* One epoch, as it ends. `stage` is "encoder", "decoder" or "network". */
typedef struct sotto_epoch {
  uint64_t seed;
  const char *stage;
  uint64_t epoch; /* from 1 */
  double loss, validation;
} sotto_epoch;

/* Records of a run during training. Any member may be NULL. Calls come one at a time. */
typedef struct sotto_recorder {
  void *context;
  void (*epoch)(void *context, const sotto_epoch *epoch);
  void (*seed)(void *context, const sotto_seed_result *result);
} sotto_recorder;

typedef struct sotto_result {
  sotto_seed_result *seeds; /* owned */
  size_t seed_count;
  sotto_traffic data_party, label_party; /* over all seeds of this start; vfgnn: all holders', the server's */
  uint64_t setup_bytes, round_bytes; /* vfgnn: sent by all before the first epoch, and in each, by a seed */
  double round_seconds;              /* vfgnn: of an epoch, on the average of a seed */
  sotto_exposure exposures[2 * SOTTO_MOST_EXPOSURES];
  size_t data_exposures, exposure_count; /* the data party's (the holders') come first */
  bool private_edges;                    /* noise was added: a release was charged */
  bool insecure;
  sotto_pmp_plan plan; /* of each seed's release, when private_edges */
  bool contractive;    /* that release is a contractive one, planned so: */
  sotto_contractive_plan contractive_plan;
  bool central;    /* one owner who publishes the model */
  bool of_answers; /* the releases are of data that the model was not trained on, for answers about it */
  sotto_cost cost; /* the plan of all releases */
  sotto_graph_epsilon graph_epsilon; /* gwldp: of each seed */
  double
      epsilon; /* of one training, at the options' delta; INFINITY without privacy, 0 when no edge was used */
  double total_epsilon; /* of all seeds of this run together */
  double epsilon_planned,
      total_planned; /* the same composed from the plan; they differ only where `made.known` */
  sotto_made made;   /* the charges that were made; where these are known, epsilon and total_epsilon are
                        composed   from them */
  uint64_t releases; /* of one training; `plan` is that of each */
  double
      label_epsilon; /* of one label against the data party, for the whole run; 0: labels are not protected */
  double label_epsilon_planned;
  double label_flip;       /* flip probability of randomised response */
  sotto_spent label_spent; /* the ledger's account of the labels */
  bool label_edges;        /* the label party has edges of its own; `plan` holds for releases of them too */
  sotto_spent label_edges_spent; /* the account of these, where the label party is in this process */
  sotto_ledger_account account;  /* that pays for the dataset's releases; its name is empty: not here */
  sotto_spent spent;             /* of that account after the run */
  char ledger[1024];             /* its path */
  bool marked;                   /* of that ledger, after the run: */
  sotto_ledger_mark mark;
  char model[1024];   /* the model file of the last seed */
  double seconds;     /* of this start */
  char left_out[256]; /* clients whose updates failed a check, of the last seed; empty: none */
  char role[16];      /* of the party of several that this is; empty: all of them, or one of two */
  char self[16];      /* role of the party that this process is; empty: all of them */
  char own_name[64],
      peer_name[64]; /* by their certificates: this party, and the other one of two; or empty */
} sotto_result;
SOTTO_API void sotto_result_free(sotto_result *result);

/* Runs the options' method on the dataset; options->out names the run folder, which is created once all
 * checks have passed. It gets run.yaml, metrics.jsonl (one line per epoch and one per seed), a folder for
 * each seed, and at the end model.safetensors, statement.json and result.json. It calls
 * sotto_options_resolve; the caller calls sotto_options_settle before (sotto_run_train in sotto/run.h does
 * both). With options->resume, finished seeds are read from the folder. A release that exists there is used
 * again without a charge; one whose file is lost or changed is drawn and charged again. Before any work it
 * asks the ledger whether all releases fit: REFUSED if not. Errors: also INTERRUPTED (the folder can be
 * resumed), and those of data, training, parties and ledger. */
SOTTO_API sotto_status sotto_train(sotto_result *out, const sotto_options *options, const sotto_dataset *data,
                                   const sotto_observer *observer, const sotto_recorder *recorder,
                                   sotto_error *err);

/* One party of a run over a network. vesper and mlp have a data and a label party; vfgnn and securegnn a
 * server and holders; fedavg and gwldp a server and clients, and with update-bound a helper. */
typedef enum sotto_role {
  SOTTO_ROLE_DATA,
  SOTTO_ROLE_LABEL,
  SOTTO_ROLE_SERVER,
  SOTTO_ROLE_HOLDER,
  SOTTO_ROLE_CLIENT,
  SOTTO_ROLE_HELPER /* a second server, which talks to the first alone */
} sotto_role;

typedef struct sotto_party {
  sotto_role role;
  uint32_t number;         /* of a holder or a client, from 1; else 0 */
  const char *folder;      /* identity; NULL: the usual one */
  const char *listen;      /* HOST:PORT on which peers without an address connect; NULL: none */
  const sotto_peer *peers; /* all peers of this party, by the names in their certificates */
  size_t peer_count;
  const char *proxy; /* HOST:PORT of an HTTP proxy through which it connects to peers; NULL: none */
  bool insecure_loopback;
  bool unlabelled; /* for answers about other data: data of the label party or label holder needs no labels */
  bool question;   /* a client asks the server of a finished run (sotto_party_asks): each has one peer */
  /* Several processes that are this party together (sotto/ranks.h); rank 0 alone speaks with its peers. NULL:
   * one process. sotto_party_role_check refuses roles that ranks do not share. */
  struct sotto_ranks *ranks;
  sotto_rank_parts rank_parts; /* how nodes are distributed to them */
} sotto_party;

enum { SOTTO_ROLE_SIZE = 16, SOTTO_MOST_PEERS = 1024 };
/* "data", "label", "server", "holder2", "client7", "helper". Errors of reading: INVALID. */
SOTTO_API void sotto_party_role_name(char out[SOTTO_ROLE_SIZE], const sotto_party *party);
SOTTO_API sotto_status sotto_party_role_read(sotto_party *party, const char *name, sotto_error *err);
/* After a run of these options, does one client ask the server alone, rather than all parties together?
 * Unchecked options: false. */
SOTTO_API bool sotto_party_asks(const sotto_options *options);
/* The roles that a party of the options' run talks to; at most `room` are written. Returns how many there
 * are. */
SOTTO_API size_t sotto_party_peer_roles(char (*out)[SOTTO_ROLE_SIZE], size_t room, const sotto_party *party,
                                        const sotto_options *options);
/* Is there such a party in a run of the options' method, and is it given as many peers as it talks to?
 * Errors: INVALID, UNSUPPORTED (a method of one owner). */
SOTTO_API sotto_status sotto_party_role_check(const sotto_party *party, const sotto_options *options,
                                              sotto_error *err);

/* Reads the part of the options' data that this party may see: features and graph; or labels and the
 * published split, and with label-features or label-edges (any share: the file is this party's own) its
 * features or edges. The label party may also give a table (.csv, .tsv) with columns id and label, a row a
 * node. `nodes` is the digest of the node ids in the order of rows: those of the options' file of ids, else
 * of the table, else the row numbers. A server or helper has no data, and zeros for the digest; clients have
 * nodes of their own, and zeros too. `run`: the folder of the finished run that answers about these data,
 * whose schema says what columns are; or NULL. `observer` (NULL: none) hears which columns and edges are left
 * out. Errors: those of sotto_dataset_open; INVALID for data without what the role needs. */
SOTTO_API sotto_status sotto_party_dataset_open(sotto_dataset *out, uint8_t nodes[32],
                                                const sotto_options *options, const sotto_party *party,
                                                const char *run, const sotto_observer *observer,
                                                sotto_error *err);

/* sotto_options_settle for a party, so that all parties have the same delta. Two parties settle it by the
 * number of nodes, which both know. In a run with a server, which does not know that number when terms are
 * compared, delta stays as in the run file. */
SOTTO_API void sotto_party_settle(sotto_options *options, const sotto_party *party,
                                  const sotto_dataset *data);

/* Parts a dataset as sotto_train does for these shares (0 to 0.99 each): the data party's file has the first
 * columns and its edges, the label party's the last columns, the other edges, labels and published split. Two
 * processes with them train what one does with the whole. Errors: RANGE, INVALID (no labels of nodes), IO,
 * NOMEM. */
SOTTO_API sotto_status sotto_dataset_save_parts(const char *data_path, const char *label_path,
                                                const sotto_dataset *data, double label_features,
                                                double label_edges, sotto_error *err);

/* sotto_train for one party: the others run it too, elsewhere, with the same terms. A run that was cut short
 * goes on when all are started again, from the last files that all have. What was charged is sent again as it
 * was; what was lost is drawn again, under a charge of its own. Methods of one owner: UNSUPPORTED. Errors:
 * also PROTOCOL (sotto_wire_meet). */
SOTTO_API sotto_status sotto_train_party(sotto_result *out, const sotto_options *options,
                                         const sotto_dataset *data, const uint8_t nodes[32],
                                         const sotto_party *party, const sotto_observer *observer,
                                         const sotto_recorder *recorder, sotto_error *err);

/* After sotto_party_dataset_open refused this party's table (why: SOTTO_DECLINE_TABLE): tells the others,
 * which would wait for it, that it takes no part and that its own terminal says why. Takes as long as they
 * need to come, at most 10 seconds or `grace`. sotto_train_party and sotto_predict_party call it themselves.
 */
SOTTO_API void sotto_party_decline(const sotto_options *options, const sotto_party *party, sotto_decline why,
                                   const sotto_observer *observer);

/* Who learns the answers that two parties give together. */
typedef enum sotto_learns { SOTTO_LEARNS_LABEL, SOTTO_LEARNS_DATA, SOTTO_LEARNS_BOTH } sotto_learns;
/* What one party asks of a finished run. */
typedef struct sotto_asking {
  uint64_t seed;         /* which of the run's; SOTTO_UNSET: the first */
  sotto_learns learns;   /* the other party has to say the same */
  const uint32_t *nodes; /* ascending, each once; NULL: those that the other party names, else all */
  size_t count;
  /* 0: of the run's own nodes. Else of other data, of which both give what they have: the data party makes a
   * release with this epsilon, charged to its ledger. The other party has to say the same. */
  double epsilon;
  /* Of other data, at the data party: release N in predictions/N is sent again, nothing is drawn, and the
   * edges of the data are not read; its epsilon is that of the release. 0: one is made. */
  uint64_t again;
} sotto_asking;
typedef struct sotto_answers {
  bool learnt; /* by this party; else there are no rows */
  uint32_t *nodes;
  size_t count;
  sotto_matrix rows; /* class probabilities of these nodes; with task regression one column, their numbers */
  uint8_t *parts;    /* of the label party: each node's sotto_part in the run's split; else NULL */
  int32_t
      *labels; /* of the label party: of all its nodes, as the model numbers classes, -1 unknown; else NULL */
  float *numbers; /* of the label party with task regression: of all its nodes, NAN unknown; else NULL */
  sotto_names class_names; /* of the model, at the label party; none: numbers */
} sotto_answers;
/* One party of a prediction by a finished run of two parties, or of holders and a server (the holder with
 * labels is what the label party is here, and other holders are as the data party), or of a client that asks
 * the server (party->question). A client's `data` are graphs that did not train; its ledger is charged with
 * `epsilon` for its report of them, it keeps the report in predictions/N, and both sides learn the answers.
 * Of the others: `options` are those of its folder, options->out, and `data` its own data of the run. The
 * other parties call it too. Each computes with its part of the model; the label party gets the
 * answers, and sends them where the data party learns them. Releases are those of the folder, sent
 * again, so nothing is charged that the ledger has; of other data the data party makes one with each call,
 * and keeps it under options->out, in predictions/N, with a statement. What this party sends is logged before
 * it connects, and written to predictions.json of its folder. Free with sotto_answers_free. Errors:
 * UNSUPPORTED (the method; label-epsilon, where the data party is to learn), INVALID (unfinished; other data
 * without epsilon; both name nodes; folders of two runs), RANGE (seed), NOT_FOUND (a release is gone),
 * PROTOCOL, and those of sotto_wire_meet. */
SOTTO_API sotto_status sotto_predict_party(sotto_answers *out, const sotto_options *options,
                                           const sotto_dataset *data, const uint8_t nodes[32],
                                           const sotto_party *party, const sotto_asking *asking,
                                           const sotto_observer *observer, sotto_error *err);
SOTTO_API void sotto_answers_free(sotto_answers *answers);

/* What sotto_train_party would need, tried one after the other without a run: calls `line` with what was
 * tried, what is wrong with it (NONE: nothing), and what was found. Every peer is tried, whatever came of the
 * others. Returns the first trouble. */
typedef void (*sotto_check_line)(void *context, const char *what, sotto_trouble trouble, const char *text);
SOTTO_API sotto_trouble sotto_party_check(const sotto_options *options, const sotto_party *party,
                                          const sotto_observer *observer, sotto_check_line line,
                                          void *context);

#ifdef __cplusplus
}
#endif

#endif
