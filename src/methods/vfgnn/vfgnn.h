/* The parties of vfgnn (Zhou et al. 2021): holders of columns and edges over the same nodes, one of them
 * with labels or a party that has labels alone, and a server. Each protocol runs in its own thread or
 * process, over links. */
#ifndef SOTTO_SRC_METHODS_VFGNN_VFGNN_H
#define SOTTO_SRC_METHODS_VFGNN_VFGNN_H

#include "inside/mpc.h"
#include "inside/nn.h"
#include "options.h"
#include "protocols/folds.h"
#include "protocols/holders.h"
#include "run/parties/roles.h"
#include "run/statement/statement.h"
#include "sotto/split.h"
#include "vfgnn_batch.h"
#include "vfgnn_cells.h"
#include "vfgnn_clear.h"

enum { SOTTO_I_VFGNN_HOPS = 5, SOTTO_I_SECUREGNN_WEIGHTS = SOTTO_I_VFGNN_HOPS + 3 };
#define SOTTO_I_VFGNN_ALL_NAME "hidden.all"

sotto_status sotto_i_vfgnn_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);

/* The variants that publish counts, and that have the whole network under shares. */
extern const char sotto_i_vfgnn_counts_protocol, sotto_i_vfgnn_secure_protocol;
bool sotto_i_vfgnn_by_counts(const sotto_options *options);
bool sotto_i_vfgnn_is_secure(const sotto_options *options);

/* Why some payloads are sent without noise, as statements say it. */
extern const char sotto_i_vfgnn_features_reason[], sotto_i_vfgnn_hidden_reason[];

/* What all parties know. */
typedef struct sotto_i_vfgnn {
  const sotto_i_job *job;
  size_t holders;      /* of columns and edges */
  size_t label_holder; /* from 0; `holders` where the labels are apart */
  bool apart; /* the label holder has neither columns nor edges, and no part in what is under shares */
  size_t nodes, classes;
  size_t width; /* of the first layer: --hidden columns for each fold's network */
  bool collaborative;
  bool secure;         /* securegnn: the whole network under shares */
  bool counts;         /* networks read no edges; counts of neighbours are published after their training */
  bool noisy;          /* rows are published with noise and charged */
  bool sound;          /* gradients go back through public values alone (docs/vfgnn.md) */
  bool together;       /* several holders are in this process, and share one account */
  sotto_key key;       /* of the networks' initial weights and of dropout; public */
  sotto_key first_key; /* of the first layer and the dealer's masks: the system's, or the insecure seed's */
  sotto_i_vfgnn_clear *clear; /* NULL outside tests: the first layer in the clear, instead of shares */
  const sotto_matrix *opened; /* in one process, about other data: X W of all nodes, whose shares are all
                                 there; NULL: it is computed under shares */
} sotto_i_vfgnn;

/* The networks between the first layer and the published rows. */
typedef struct sotto_i_vfgnn_local {
  sotto_params *params;
  sotto_operator *spread;
  sotto_activation activation;
  sotto_aggregator kind;
  bool gcn, gat;
  const sotto_graph *graph;
  size_t folds;
  size_t first; /* the first layer, if each holder has its own */
  size_t own[SOTTO_I_VFGNN_HOPS], around[SOTTO_I_VFGNN_HOPS], hops; /* gat: own is not used */
  size_t sender[SOTTO_I_VFGNN_HOPS], receiver[SOTTO_I_VFGNN_HOPS];  /* gat: attention scores */
} sotto_i_vfgnn_local;

/* Is X W computed under shares? */
static inline bool sotto_i_vfgnn_shares_first(const sotto_i_vfgnn *shared) {
  return shared->collaborative && shared->opened == NULL;
}

/* What only the label holder has. */
typedef struct sotto_i_vfgnn_labels {
  sotto_i_parted parted;
  sotto_i_folds folds; /* with counts: of the training nodes */
  uint32_t *rest;      /* by fold, places in `train` outside the fold */
  sotto_params *params, *best;
  sotto_linear output[SOTTO_I_MOST_FOLDS];
  sotto_i_watch watch;
  sotto_quality validation, test, baseline_validation, baseline_test;
  sotto_tape *tape;
  sotto_matrix train, validate, tested; /* hidden rows: of a step; by part */
  int32_t *step_labels;                 /* of `train` */
  sotto_matrix scores; /* of all nodes, at the end of the run; with counts, and under shares */
} sotto_i_vfgnn_labels;

typedef struct sotto_i_vfgnn_holder {
  const sotto_i_vfgnn *shared;
  size_t index;
  const sotto_dataset *data; /* its own */
  sotto_i_peers peers;
  sotto_matrix features; /* scaled */
  sotto_i_vfgnn_batch batch;
  sotto_dataset step; /* with mini-batches: the graph among the nodes of this step */
  sotto_i_vfgnn_local local;
  sotto_params *best;
  sotto_i_shared_linear first;
  sotto_ring best_first;
  sotto_ring best_weights[SOTTO_I_SECUREGNN_WEIGHTS]; /* securegnn: its shares of the best epoch's weights */
  sotto_matrix weight;                                /* initial opened: the first layer in the clear */
  sotto_i_vfgnn_cells cells;                          /* with counts */
  uint64_t forgotten;                                 /* epochs whose published rows are removed */
  sotto_i_vfgnn_labels *labels;                       /* NULL except at the label holder */
  uint64_t setup_bytes, epochs;     /* sent before the first epoch; epochs since this start */
  uint64_t trained_bytes;           /* sent before the training of the networks */
  double seconds;                   /* over these epochs */
  sotto_i_checkpoints *checkpoints; /* NULL: no checkpoints */
} sotto_i_vfgnn_holder;

typedef struct sotto_i_vfgnn_server {
  const sotto_i_vfgnn *shared;
  sotto_link *links[SOTTO_MOST_HOLDERS];
  sotto_i_vfgnn_batch batch;
  sotto_params *params, *best;
  sotto_matrix tested; /* hidden rows of all nodes in the best epoch; not with counts */
  sotto_mlp mlp[SOTTO_I_MOST_FOLDS];
  size_t weights[SOTTO_MOST_HOLDERS]; /* with regression */
  sotto_i_shared_dealer dealer;
  sotto_i_vfgnn_cells cells; /* with counts: the choice, and the numbers of pilots */
  uint64_t setup_bytes, trained_bytes, epochs;
  double seconds;                   /* over all epochs */
  sotto_i_checkpoints *checkpoints; /* NULL: no checkpoints */
} sotto_i_vfgnn_server;

extern const sotto_i_paper sotto_i_vfgnn_paper; /* what the paper claims of a run as published */
/* The number of releases and their noise: for a sound guarantee of the training, or as published. */
sotto_status sotto_i_vfgnn_plan(sotto_i_release_plan *out, const sotto_options *options,
                                const sotto_graph *graph, sotto_error *err);
/* vfgnn_canary.c */
struct sotto_i_canary;
sotto_status sotto_i_vfgnn_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run, unsigned kind,
                                  sotto_error *err);
sotto_status sotto_i_vfgnn_claim_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                        unsigned kind, sotto_error *err);

sotto_status sotto_i_vfgnn_holder_protocol(sotto_i_vfgnn_holder *holder, sotto_error *err);
/* vfgnn_apart.c: of a holder of labels alone. */
sotto_status sotto_i_vfgnn_apart_protocol(sotto_i_vfgnn_holder *holder, sotto_error *err);
sotto_status sotto_i_vfgnn_server_protocol(sotto_i_vfgnn_server *server, sotto_error *err);
void sotto_i_vfgnn_holder_free(sotto_i_vfgnn_holder *holder);
void sotto_i_vfgnn_server_free(sotto_i_vfgnn_server *server);

/* vfgnn.c: what all parties of a job know. */
void sotto_i_vfgnn_settle(sotto_i_vfgnn *out, const sotto_i_job *job);
/* Features of a holder, scaled as suits the data of which they are a part. */
sotto_status sotto_i_vfgnn_features(sotto_matrix *out, const sotto_options *options,
                                    const sotto_dataset *whole, const sotto_dataset *own, sotto_error *err);
/* Standardised columns are shared as numbers within the bound, to which rows are clipped. */
void sotto_i_vfgnn_clip_rows(sotto_matrix *features, double bound);
/* Its links: links[0] to the server, then those to the other holders by number. holder->shared is set. */
void sotto_i_vfgnn_join_links(sotto_i_vfgnn_holder *holder, size_t index, sotto_link **links);
/* All parties but the server. */
static inline size_t sotto_i_vfgnn_members(const sotto_i_vfgnn *shared) {
  return shared->holders + shared->apart;
}
static inline bool sotto_i_vfgnn_has_columns(const sotto_i_vfgnn_holder *holder) {
  return holder->index < holder->shared->holders;
}
/* Features of a holder whose data is set. */
sotto_status sotto_i_vfgnn_holder_prepare(sotto_i_vfgnn_holder *holder, sotto_error *err);
/* The parties in this process. */
typedef struct sotto_i_vfgnn_parties {
  sotto_i_vfgnn shared;
  sotto_i_session *sessions; /* the server's first, if it is in this process */
  sotto_dataset parts[SOTTO_MOST_HOLDERS];
  sotto_i_vfgnn_holder holders[SOTTO_MOST_HOLDERS];
  sotto_i_vfgnn_labels labels;
  sotto_i_vfgnn_server server;
} sotto_i_vfgnn_parties;
extern const sotto_i_roles sotto_i_vfgnn_roles;

/* vfgnn_holder.c: the rows of all nodes, or of a step, over the holder's graph, sent to the server: exposed,
 * or published with noise. *first and *out are of the same pass. `opened`: X W, where the first layer is
 * shared. */
SOTTO_MUST_USE sotto_status sotto_i_vfgnn_show_rows(sotto_i_vfgnn_holder *holder, sotto_tape *tape,
                                                    const sotto_matrix *opened, uint64_t epoch,
                                                    sotto_var *first, sotto_var *out, sotto_error *err);

/* vfgnn_publish.c: sends unit-norm rows to the server with noise; `rows` is changed. They are those
 * published earlier in this epoch and step, or new ones, charged before they are sent. Errors: PROTOCOL
 * beyond the plan's epochs; those of sotto_i_artifact_use and of the link. */
SOTTO_MUST_USE sotto_status sotto_i_vfgnn_publish(sotto_i_vfgnn_holder *holder, sotto_matrix *rows,
                                                  uint64_t epoch, sotto_error *err);
/* Removes published rows that no restart from a stored checkpoint needs; after the training, all of them. */
void sotto_i_vfgnn_forget_published(sotto_i_vfgnn_holder *holder);
void sotto_i_vfgnn_forget_all_published(sotto_i_vfgnn_holder *holder);

/* vfgnn_checkpoints.c: every --checkpoint-every epochs each role stores its state, with which an interrupted
 * run continues. *epoch is 0 at the beginning. With counts the end of the training, *stop, is stored too. */
sotto_status sotto_i_vfgnn_holder_save(sotto_i_vfgnn_holder *holder, uint64_t epoch, bool stop,
                                       sotto_error *err);
sotto_status sotto_i_vfgnn_holder_load(uint64_t *epoch, bool *stop, sotto_i_vfgnn_holder *holder,
                                       sotto_error *err);
sotto_status sotto_i_vfgnn_server_save(sotto_i_vfgnn_server *server, uint64_t epoch, bool stop,
                                       sotto_error *err);
sotto_status sotto_i_vfgnn_server_load(uint64_t *epoch, bool *stop, sotto_i_vfgnn_server *server,
                                       sotto_error *err);

/* Shares as a parameter of a set, and back from parameter `number` into a ring of the same shape. */
sotto_status sotto_i_vfgnn_add_ring(sotto_params *to, const char *name, const sotto_ring *ring,
                                    sotto_error *err);
void sotto_i_vfgnn_read_ring(sotto_ring *ring, sotto_params *from, size_t number);

/* vfgnn_join.c: the server's networks, which combine the holders' rows. */
sotto_status sotto_i_vfgnn_join_new(sotto_i_vfgnn_server *server, sotto_error *err);
/* The last hidden layer of `count` nodes, concatenated over all folds; rows[i] are holder i's of these
 * nodes, and `zeros` has row 0 `count` times. */
sotto_var sotto_i_vfgnn_join(sotto_i_vfgnn_server *server, sotto_tape *tape, const sotto_var *rows,
                             const uint32_t *zeros, size_t count, uint64_t step, bool training);

/* The folds' networks (protocols/folds.h) are concatenated, with this number of columns each; without
 * counts there is one. */
static inline size_t sotto_i_vfgnn_folds(const sotto_i_vfgnn *shared) {
  return shared->counts ? SOTTO_I_MOST_FOLDS : 1;
}
static inline size_t sotto_i_vfgnn_hidden(const sotto_i_vfgnn *shared) {
  return shared->width / sotto_i_vfgnn_folds(shared);
}
/* x without counts; else the fold's columns of it. */
sotto_var sotto_i_vfgnn_of_fold(const sotto_i_vfgnn *shared, sotto_tape *tape, sotto_var x, size_t fold);
/* The largest number of epochs of the networks under shares. */
uint64_t sotto_i_vfgnn_epochs(const sotto_i_vfgnn *shared);

/* With counts, after the networks: the server sends the label holder hidden rows of all nodes. Then in each
 * round the label holder sends the cluster of each node (protocols/rounds.h). Holders release the counts of
 * each node's neighbours by cluster over their own edges, and the server adds these up for the label
 * holder. Where there is a choice (vfgnn_choice.h), pilots are counted first, and the label holder says by
 * what all others are. */
sotto_status sotto_i_vfgnn_counts_check(const sotto_i_vfgnn *shared, sotto_error *err);
sotto_status sotto_i_vfgnn_counts_join(sotto_i_vfgnn_server *server, uint32_t rounds, sotto_error *err);
sotto_status sotto_i_vfgnn_counts_hold(sotto_i_vfgnn_holder *holder, uint32_t rounds, sotto_error *err);

/* vfgnn_blocks.c: rows pass, and networks without edges run, in blocks of this many rows. */
enum { SOTTO_I_VFGNN_BLOCK = 4096 };
static inline size_t sotto_i_vfgnn_block_rows(size_t rows, size_t begin) {
  return rows - begin < SOTTO_I_VFGNN_BLOCK ? rows - begin : SOTTO_I_VFGNN_BLOCK;
}
/* The block of a matrix that begins with row `begin`, borrowed. */
static inline sotto_matrix sotto_i_vfgnn_block(const sotto_matrix *of, size_t begin) {
  return (sotto_matrix){of->data + begin * of->cols, sotto_i_vfgnn_block_rows(of->rows, begin), of->cols};
}
/* Exposed rows in one message a block; `norm` as in sotto_expectation. */
sotto_status sotto_i_vfgnn_send_rows(sotto_link *link, const char *name, const char *reason,
                                     const sotto_matrix *rows, sotto_error *err);
sotto_status sotto_i_vfgnn_receive_rows(sotto_matrix *out, sotto_link *link, const char *name, double norm,
                                        sotto_error *err);
/* What a network without edges reads: row rows[i] (NULL: row i) of `from` for each i < count. These are rows
 * of the shared first layer, or the holder's features. Borrowed. */
typedef struct sotto_i_vfgnn_input {
  const sotto_matrix *from;
  const uint32_t *rows;
  size_t count;
} sotto_i_vfgnn_input;
/* Sends unit-norm rows of the block that begins with `begin` to the server. */
sotto_status sotto_i_vfgnn_send_encoded(const sotto_i_vfgnn_holder *holder, sotto_tape *tape,
                                        const sotto_i_vfgnn_input *in, size_t begin, sotto_error *err);
/* Gradients of unit-norm rows (count x width): sets those of the holder's weights. With a shared first layer
 * *gradient becomes that of its rows. */
sotto_status sotto_i_vfgnn_encoded_backward(sotto_matrix *gradient, const sotto_i_vfgnn_holder *holder,
                                            sotto_tape *tape, const sotto_i_vfgnn_input *in,
                                            sotto_error *err);

/* With counts and a shared first layer one holder, that with labels or else the first, reads X W and sends
 * rows to the server: without edges all holders would send the same. */
static inline bool sotto_i_vfgnn_one_reads(const sotto_i_vfgnn *shared) {
  return shared->counts && shared->collaborative;
}
/* Do gradients of X W pass for training nodes alone? Those of all others are zero where they go back without
 * the graph; with it, which rows are not zero would follow from edges. */
static inline bool sotto_i_vfgnn_trains_alone(const sotto_i_vfgnn *shared) {
  return shared->sound && shared->collaborative && shared->clear == NULL;
}
static inline size_t sotto_i_vfgnn_reader(const sotto_i_vfgnn *shared) {
  return shared->apart ? 0 : shared->label_holder;
}
static inline bool sotto_i_vfgnn_sends(const sotto_i_vfgnn *shared, size_t holder) {
  return !sotto_i_vfgnn_one_reads(shared) || holder == sotto_i_vfgnn_reader(shared);
}

/* With counts, after the networks: rows of all nodes by the best epoch, from the holders to the server, and
 * its hidden rows to the label holder, whose *scores (fresh) are log-probabilities. `scores` is NULL at the
 * other holders. */
sotto_status sotto_i_vfgnn_all_hold(sotto_matrix *scores, sotto_i_vfgnn_holder *holder, sotto_error *err);
sotto_status sotto_i_vfgnn_all_join(sotto_i_vfgnn_server *server, sotto_error *err);

/* The public shape of the first layer under shares, whose gradients are means over `trained` nodes. */
sotto_i_shared_shape sotto_i_vfgnn_shape(const sotto_i_vfgnn *shared, const size_t *cols, size_t trained);

sotto_status sotto_i_vfgnn_local_new(sotto_i_vfgnn_local *out, const sotto_i_vfgnn *shared, size_t index,
                                     const sotto_graph *graph, size_t columns, sotto_error *err);
/* From the first layer's rows to the published rows; without the graph each aggregate is the own row. */
sotto_var sotto_i_vfgnn_local_apply(const sotto_i_vfgnn_local *local, sotto_tape *tape, sotto_var first,
                                    bool graph);
/* Sets another graph for the hops, borrowed. */
sotto_status sotto_i_vfgnn_local_move(sotto_i_vfgnn_local *local, const sotto_graph *graph, sotto_error *err);
void sotto_i_vfgnn_local_free(sotto_i_vfgnn_local *local);

/* Before an epoch at a holder. Errors: PROTOCOL beyond the run's epochs; INTERRUPTED. */
sotto_status sotto_i_vfgnn_epoch_check(const sotto_i_vfgnn *shared, uint64_t epoch, sotto_error *err);
/* An epoch's steps, equal for all parties that know the split. */
sotto_status sotto_i_vfgnn_batches(sotto_i_vfgnn_batch *out, const sotto_i_vfgnn *shared,
                                   const sotto_split *split, sotto_error *err);
/* Sets up a step at a holder, or at the server. */
sotto_status sotto_i_vfgnn_holder_step(sotto_i_vfgnn_holder *holder, uint64_t epoch, size_t step,
                                       sotto_error *err);
void sotto_i_vfgnn_server_step(sotto_i_vfgnn_server *server, uint64_t epoch, size_t step);

/* The label holder's part: sends the split; one step; the end. */
sotto_status sotto_i_vfgnn_labels_begin(sotto_i_vfgnn_holder *holder, sotto_error *err);
sotto_status sotto_i_vfgnn_labels_step(sotto_i_vfgnn_holder *holder, uint64_t epoch, sotto_error *err);
sotto_status sotto_i_vfgnn_labels_end(sotto_i_vfgnn_holder *holder, sotto_error *err);
/* scores (fresh) of hidden rows, row i of nodes[i]; nodes NULL: of all. */
sotto_status sotto_i_vfgnn_labels_score(sotto_matrix *scores, sotto_i_vfgnn_holder *holder,
                                        const sotto_matrix *hidden, const uint32_t *nodes, sotto_error *err);
void sotto_i_vfgnn_labels_free(sotto_i_vfgnn_labels *labels);

/* The message with the validation decision on an epoch: is it the best one, is it the last? */
sotto_status sotto_i_vfgnn_send_decision(sotto_link *link, sotto_i_decision decision, sotto_error *err);
/* Add a decision, or a gradient, to the list of a link's exposures. */
sotto_status sotto_i_vfgnn_note_decision(sotto_link *link, sotto_error *err);
sotto_status sotto_i_vfgnn_note_gradient(sotto_link *link, sotto_error *err);
sotto_status sotto_i_vfgnn_receive_decision(sotto_i_decision *decision, sotto_link *link, sotto_error *err);
/* Bytes sent so far. */
uint64_t sotto_i_vfgnn_sent(const sotto_link *link);
uint64_t sotto_i_vfgnn_sent_by_holder(const sotto_i_vfgnn_holder *holder);
uint64_t sotto_i_vfgnn_sent_by_server(const sotto_i_vfgnn_server *server);

/* Checks the features of a holder in its own process before it connects. Errors: NUMERIC, RANGE. */
sotto_status sotto_i_vfgnn_check_own(const struct sotto_i_run *run, sotto_error *err);
/* Before anything is sent: checks that a holder's data matches the agreement. Errors: INVALID, NUMERIC,
 * RANGE. */
sotto_status sotto_i_vfgnn_check_data(const sotto_i_vfgnn_holder *holder, sotto_error *err);
/* vfgnn_columns.c: the number of columns of each holder. Each sends its own to the server, which tells all of
 * them to so many parties: holders come first, and then a party of labels alone. */
sotto_status sotto_i_vfgnn_agree_on_columns(size_t *cols, const sotto_i_vfgnn_holder *holder,
                                            sotto_error *err);
sotto_status sotto_i_vfgnn_hear_columns(size_t *cols, const sotto_i_vfgnn_holder *holder, sotto_error *err);
sotto_status sotto_i_vfgnn_tell_columns(const sotto_i_vfgnn_server *server, size_t *cols, size_t parties,
                                        sotto_error *err);

/* vfgnn_answer.c: what a party stores of a finished seed for later predictions. The server stores hidden
 * rows of all nodes, the label holder its output layer, and a holder its share of the first layer. With
 * counts, and under shares, the label holder stores scores of all nodes, which it has then. The files are in
 * owner-only/. One process stores scores and all shares. */
sotto_status sotto_i_vfgnn_keep_server(const sotto_i_vfgnn_server *server, sotto_error *err);
sotto_status sotto_i_vfgnn_keep_holder(const sotto_i_vfgnn_holder *holder, sotto_error *err);
sotto_status sotto_i_vfgnn_keep_all(sotto_i_vfgnn_parties *parties, sotto_error *err);
/* One party of a prediction; then, in vfgnn_open.c, the predictor of a run of one process. */
struct sotto_i_joint;
struct sotto_i_predictor;
struct sotto_i_opening;
sotto_status sotto_i_vfgnn_answer(sotto_matrix *out, const struct sotto_i_joint *joint, sotto_error *err);
/* vfgnn_others.c: the same of vfgnn, whose parties answer about other data, too. */
sotto_status sotto_i_vfgnn_others_answer(sotto_matrix *out, const struct sotto_i_joint *joint,
                                         sotto_error *err);
/* securegnn_weights.c: stores the shares of best_weights of one holder, or of all holders of one process. */
sotto_status sotto_i_securegnn_store(const sotto_i_vfgnn_holder *holders, size_t count, bool whole,
                                     sotto_error *err);
/* The scores of all nodes that a run of one process, or a label holder, keeps. The scores of securegnn are
 * opened only for nodes in a part of the split. Errors: NOT_FOUND, those of files; UNSUPPORTED. */
sotto_status sotto_i_vfgnn_load_scores(sotto_matrix *out, const sotto_i_vfgnn *shared, sotto_error *err);
sotto_status sotto_i_vfgnn_check_opened(const sotto_i_vfgnn *shared, const sotto_i_parted *parted,
                                        const uint32_t *nodes, size_t count, sotto_error *err);
/* A holder's share of the first layer, into a ring of its shape; in one process the sum of all shares, into a
 * zeroed ring. Errors: NOT_FOUND, those of files. */
sotto_status sotto_i_vfgnn_load_first(sotto_ring *share, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_vfgnn_load_all_first(sotto_ring *whole, const sotto_i_job *job, sotto_error *err);
/* The server's hidden rows of the requested nodes, of all in `hidden`, to the label holder; and its scores of
 * them (fresh). */
sotto_status sotto_i_vfgnn_send_asked(const sotto_i_vfgnn *shared, const struct sotto_i_joint *joint,
                                      const sotto_matrix *hidden, sotto_error *err);
sotto_status sotto_i_vfgnn_score_asked(sotto_matrix *out, sotto_i_vfgnn_holder *holder,
                                       const struct sotto_i_joint *joint, sotto_error *err);
sotto_status sotto_i_vfgnn_open(struct sotto_i_predictor *out, const struct sotto_i_opening *from,
                                sotto_error *err);
/* Options of a release of other data: the rounds that the model in `file` reads, or rows that are published
 * once. Errors: those of sotto_i_vfgnn_corrected_kept. */
sotto_status sotto_i_vfgnn_narrow(sotto_options *options, const char *file, sotto_error *err);
/* vfgnn_labels.c: the output layers, to be trained or loaded. */
sotto_status sotto_i_vfgnn_outputs_new(sotto_i_vfgnn_labels *labels, const sotto_i_vfgnn *shared,
                                       sotto_error *err);

/* The same parties with the whole network under shares. */
sotto_status sotto_i_securegnn_holder_protocol(sotto_i_vfgnn_holder *holder, sotto_error *err);
sotto_status sotto_i_securegnn_server_protocol(sotto_i_vfgnn_server *server, sotto_error *err);

#endif
