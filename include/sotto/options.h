/* Options of a run: their values, run files, and checks before any work. Each method has options of its own:
 * sotto_method_options lists them. */
#ifndef SOTTO_OPTIONS_H
#define SOTTO_OPTIONS_H

#include "sotto/choices.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SOTTO_UNSET UINT64_MAX

enum { SOTTO_MOST_OPTIONS = 192 };

/* Room for the settings that one family of methods alone has: a struct a family, in the order of the structs'
 * names. Which struct lies where is the library's: callers set and read these values by key. */
enum { SOTTO_OWN_BYTES = 4096 };

/* The values of all options. Options of runs, and those that several methods share, are members; options of
 * one method lie in `own`. A method reads only options that it lists. Set them by key with sotto_options_set,
 * which checks the ranges below; a member has the name of its key. Shares and probabilities have no unit,
 * times are in seconds. */
typedef struct sotto_options {
  /* What is trained on what. */
  char method[32];                   /* its name; `sotto methods` has all */
  char data[1024];                   /* path that sotto_dataset_open reads */
  uint64_t classes;                  /* declared number of classes; 0: that of the data */
  sotto_splitting split;             /* into training, validation and test nodes */
  double train_share;                /* of labelled nodes, in a random split; 0.001 to 0.998 */
  double validation_share;           /* of labelled nodes, in a random split; 0.001 to 0.998 */
  uint64_t folds;                    /* of a k-fold split; 3 to 1000 */
  sotto_feature_scale feature_scale; /* of rows or columns, before anything else */
  bool as_published;                 /* options that are not given have the values of the method's paper */

  /* How tables are read: the fields of sotto_import_options, where an empty text stands for its NULL
   * (sotto_table_options). */
  char nodes[1024];           /* path of the table of nodes of an edge list; empty: next to it */
  char edges_to_others[1024]; /* path of a list of edges to nodes of other owners */
  char schema[1024];          /* path of a schema that states columns */
  char types[1024];           /* NAME=TYPE with commas between */
  char label[256];            /* the column of classes, or in regression of numbers */
  sotto_task task;            /* whether that column has classes or numbers to learn */
  char source[256];           /* edge list: the column of one end; that of the other is the target */
  char target[1024];          /* that column; facebook100: the label, and "year:1000" drops smaller classes */
  char amount[256];           /* the column or attribute of amounts of transfers; empty: its name decides */
  char time[256];             /* the same for times */
  char kind[256];             /* the same for kinds, which the schema declares */
  char direction[16];         /* keep (edges are transfers) or drop (edges alone); empty: as amounts say */
  char missing[16];           /* refuse, mean or zero */
  char missing_words[256];    /* words of cells without a value, with commas between */
  char decimal[16];           /* . or , */
  char header[16];            /* edge list: yes or no; empty: where it is clear */

  /* The network. */
  sotto_layer_kind aggregator;         /* kind of a layer */
  uint64_t layers;                     /* K: rounds of message passing, or of counts; 1 to 64 */
  uint64_t degree_floor;               /* smaller degrees count as this in releases; 0: none */
  uint64_t hidden;                     /* columns of hidden layers; 1 to 65536 */
  double dropout;                      /* share of hidden values that are dropped in training; below 1 */
  sotto_activation activation;         /* of the encoder */
  sotto_activation release_activation; /* after the noise of a layer */
  sotto_combination combine;           /* how layers, or holders' rows, are joined */
  uint64_t fan_out;                    /* neighbours drawn for a node in each hop of training; 0: all */

  /* Privacy. */
  sotto_adjacency adjacency;   /* level: which two inputs epsilon makes hard to tell apart */
  sotto_accounting accounting; /* sound, or as published */
  double epsilon;              /* of one training; 0 to infinity, which adds no noise */
  double delta;                /* 0 to 1, both excluded where noise is Gaussian */
  uint64_t max_degree;         /* declared bound on the neighbours of a node; 0: none */
  bool degree_cut;             /* drop edges to meet it */
  double publish_accuracy;     /* epsilon of a published count of right answers; 0: none, to 100 */

  /* Training. */
  uint64_t encoder_epochs;  /* epochs or rounds without edges, at most */
  uint64_t epochs;          /* of the decoder, or of the whole network, at most */
  uint64_t patience;        /* epochs without a better validation, after which it stops; 0: never */
  sotto_measure select_by;  /* validation measure that picks the epoch */
  double learning_rate;     /* of Adam; 0 to 10 */
  double weight_decay;      /* L2 penalty; 0 to 10 */
  uint64_t batch_size;      /* training nodes or graphs in a step; 0: all */
  char encoder_cache[1024]; /* folder of encoders that runs share; empty: none */

  /* Releases of layers between a data party and a label party, and what the label party holds. */
  uint64_t release_width;            /* columns that are released; 0: hidden */
  double constant;                   /* value of one more column, whose sum counts neighbours; 0: none */
  sotto_release_scale release_scale; /* of rows after the noise */
  uint64_t releases;                 /* of one training, with gradients between them; at least 1 */
  bool layer_weights;                /* trained weights between layers */
  double label_epsilon;              /* of randomised response on labels; 0: none */
  double label_features;             /* share of the columns that the label party holds; 0 to 1 */
  double label_edges;                /* share of the edges that the label party holds; 0 to 1 */

  /* Parties. */
  uint64_t holders;      /* of columns and edges; 1 to 16 */
  uint64_t label_holder; /* number of the one that has labels, from 1; holders + 1: a party of labels alone */
  uint64_t clients;      /* that hold nodes or graphs; 2 to 1024 */
  uint64_t least_clients; /* that must stay for rounds to continue; 0: all */
  sotto_wire_format wire; /* numbers of releases on the wire */
  double idle_limit;      /* seconds of silence after which a connection is given up; 0.3 to 3600 */
  double grace;           /* seconds without a connection, or a client's answer, at most; from 0.1 */
  char ids[1024];         /* file of common ids, one a line: rows are taken by them; empty: all rows */
  bool record_wire;       /* keep what each party here received */

  /* The run. */
  uint64_t seeds;            /* repetitions, with seeds seed, seed + 1, ...; 1 to 10000 */
  uint64_t seed;             /* of splits, initial weights and dropout; below 2^32 */
  uint64_t insecure_seed;    /* of noise: NOT PRIVATE; SOTTO_UNSET: noise is secret */
  uint64_t checkpoint_every; /* epochs between two checkpoints; 0: none */
  char ledger[1024];         /* that is charged; empty: the user's */
  char account[128];         /* of the ledger, of which the data are a version; empty: by the data */
  char out[1024];            /* run folder; empty: nothing is written */
  uint64_t threads;          /* 0: one a core */
  bool resume;               /* continue the run in the folder */
  char alert_rate[32]; /* share of nodes with an alert, as 1% or 0.01; f1 or cost:N choose it; empty: the
                          rare class's share */
  sotto_anyway anyway; /* train although there is a question */

  union {
    double aligned;
    unsigned char bytes[SOTTO_OWN_BYTES];
  } own;
  bool given[SOTTO_MOST_OPTIONS]; /* the option of this number in sotto_option_table was set by hand */
} sotto_options;

SOTTO_API void sotto_options_default(sotto_options *options);
/* Sets one option from text. Errors: NOT_FOUND (unknown key, with the nearest one), PARSE, RANGE, INVALID
 * (not one of the choices; a control character in a text); the text names the key and what it takes. A SWITCH
 * takes true or false. */
SOTTO_API sotto_status sotto_options_set(sotto_options *options, const char *key, const char *value,
                                         sotto_error *err);
/* Reads a run file: YAML, one mapping of keys to values; a key already given by hand is kept. A key without a
 * value is not given; a key that stands twice is refused. For the run.yaml of a run folder, paths are read
 * from its owner-only/paths.yaml, if that exists. Errors name the file and the line, and leave the options as
 * they were. */
SOTTO_API sotto_status sotto_options_read(sotto_options *options, const char *path, sotto_error *err);
/* The same for a run file that parties exchange, which another party may have written: what it may set are
 * the options that parties agree on (sotto_option_is_shared). INVALID for an option of one machine (data,
 * ledger, paths, ...), and for what takes privacy away and was not given by hand before: insecure-seed,
 * accounting paper, or no noise (epsilon inf, adjacency none, a method without noise). */
SOTTO_API sotto_status sotto_options_read_shared(sotto_options *options, const char *path, sotto_error *err);
/* The reason why a run with these options would not be private, as far as options show it; NULL: none. One
 * line for people, static. */
SOTTO_API const char *sotto_options_warning(const sotto_options *options);
/* Writes a run file with every option of the method resolved. */
SOTTO_API sotto_status sotto_options_write(const sotto_options *options, const char *path, sotto_error *err);
/* Gives every option that was not given by hand the default of the method; run files are written so. Doing it
 * again changes nothing. sotto_train does it by itself. */
SOTTO_API void sotto_options_resolve(sotto_options *options);
/* Sets delta by the number of nodes, unless it was given by hand or a paper has one (as-published): the
 * largest power of ten that is at most 1e-6 and at most 1 / (10 x nodes). It does not depend on the number of
 * edges, since a published delta would reveal that number. At graph and client level it stays 1e-6, since
 * sizes are private there. */
SOTTO_API void sotto_options_settle(sotto_options *options, uint64_t nodes);
/* Checks options against each other before any work. Errors: INVALID (an option that the method does not
 * have, with the methods that have it), RANGE, naming the keys; UNSUPPORTED for an adjacency or accounting
 * that the method does not offer. */
SOTTO_API sotto_status sotto_options_check(const sotto_options *options, sotto_error *err);
/* Are losses on training items and measures on validation and test items functions of private data? So it is
 * at node, graph and client level, and where labels are reported with noise. A run then writes them to
 * owner-only/ of its folder. The options are resolved. */
SOTTO_API bool sotto_options_hide_measures(const sotto_options *options);
/* Forgets what was given of options that the method, in the variant that it chooses, does not have: for
 * settings that go to many methods. */
SOTTO_API void sotto_options_prune(sotto_options *options);

/* What parties must agree on, as `key: value` lines in ascending order, in fresh memory of the caller, to be
 * freed with sotto_text_free: every option of the method but those of one machine (data, nodes, ids,
 * ledger, encoder-cache, partition, record-wire, out, threads, resume). */
SOTTO_API sotto_status sotto_options_terms(char **out, const sotto_options *options, sotto_error *err);
/* BLAKE2b-256 of that text, in hexadecimal: what people who have the same terms can compare. Errors: NOMEM.
 */
SOTTO_API sotto_status sotto_options_terms_digest(char out[65], const sotto_options *options,
                                                  sotto_error *err);
/* Is the option one of them? */
SOTTO_API bool sotto_option_is_shared(const char *key);

typedef enum sotto_option_type {
  SOTTO_TEXT,  /* a string */
  SOTTO_WORD,  /* one of the choices */
  SOTTO_COUNT, /* a whole number */
  SOTTO_REAL,  /* a number; "inf" where most is infinite */
  SOTTO_SWITCH /* true or false */
} sotto_option_type;
typedef enum sotto_option_group {
  SOTTO_GROUP_DATA,
  SOTTO_GROUP_TABLES, /* how tables are read: every verb that reads one takes these */
  SOTTO_GROUP_NETWORK,
  SOTTO_GROUP_PRIVACY,
  SOTTO_GROUP_TRAINING,
  SOTTO_GROUP_PARTIES,
  SOTTO_GROUP_RUN
} sotto_option_group;
typedef struct sotto_option_info {
  const char *key;
  sotto_option_type type;
  double least, most;
  const char *choices, *help;
  const char *fallback; /* the default, as text */
  sotto_option_group group;
  bool common; /* of those that most users set */
} sotto_option_info;
/* Every option of any method, once. */
SOTTO_API const sotto_option_info *sotto_option_table(size_t *count);
/* The value of option i of that table as text, in `out`. */
SOTTO_API void sotto_option_text(const sotto_options *options, size_t i, char *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
