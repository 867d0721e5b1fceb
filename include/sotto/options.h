/* Options of a run: their values, run files, and checks before any work. Which options there are is the
 * method's own affair: sotto_method_options lists them. */
#ifndef SOTTO_OPTIONS_H
#define SOTTO_OPTIONS_H

#include "sotto/choices.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SOTTO_UNSET UINT64_MAX

enum { SOTTO_MOST_OPTIONS = 192 };

/* Room for the settings that only one family of methods has; they lie there as structs of these methods. */
enum { SOTTO_OWN_BYTES = 4096 };

/* The values of options: those of runs and of what methods share as members, those of single methods behind
 * them. A method reads what it lists alone. Set by key: sotto_options_set. */
typedef struct sotto_options {
  char method[32];
  char data[1024];
  char target[1024];
  uint64_t classes;
  char nodes[1024];
  sotto_splitting split;
  double train_share;
  double validation_share;
  uint64_t folds;
  sotto_layer_kind aggregator;
  uint64_t layers;
  uint64_t degree_floor;
  sotto_feature_scale feature_scale;
  uint64_t hidden;
  uint64_t release_width;
  double constant;
  sotto_release_scale release_scale;
  uint64_t releases;
  bool layer_weights;
  double label_epsilon;
  double label_features;
  double label_edges;
  sotto_combination combine;
  uint64_t holders;
  uint64_t label_holder;
  sotto_adjacency adjacency;
  uint64_t max_degree;
  bool degree_cut;
  sotto_accounting accounting;
  double epsilon;
  double delta;
  uint64_t encoder_epochs;
  uint64_t epochs;
  uint64_t patience;
  sotto_measure select_by;
  double learning_rate;
  double weight_decay;
  double dropout;
  sotto_activation activation;
  sotto_activation release_activation;
  uint64_t fan_out;
  uint64_t clients;
  uint64_t least_clients;
  uint64_t batch_size;
  uint64_t seeds;
  uint64_t seed;
  uint64_t insecure_seed;
  sotto_wire_format wire;
  double idle_limit;
  double grace;
  uint64_t checkpoint_every;
  char ids[1024];
  char ledger[1024];
  char account[128];
  char out[1024];
  char encoder_cache[1024];
  uint64_t threads;
  bool record_wire;
  bool resume;
  bool not_private;
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
 * value is not given; a key that stands twice is refused. Errors name the file and the line, and leave the
 * options as they were. */
SOTTO_API sotto_status sotto_options_read(sotto_options *options, const char *path, sotto_error *err);
/* The same for a run file that parties exchange, which another party may have written: what it may set are
 * the options that parties agree on (sotto_option_is_shared). INVALID for an option of one machine (data,
 * ledger, paths, ...), and for what takes privacy away and was not given by hand before: insecure-seed,
 * accounting paper, or no noise (epsilon inf, adjacency none, a method without noise). */
SOTTO_API sotto_status sotto_options_read_shared(sotto_options *options, const char *path, sotto_error *err);
/* Why a run with these options is not private, known before any work; NULL: nothing says so yet. One line for
 * people, static. */
SOTTO_API const char *sotto_options_warning(const sotto_options *options);
/* Writes a run file with every option of the method resolved. */
SOTTO_API sotto_status sotto_options_write(const sotto_options *options, const char *path, sotto_error *err);
/* Gives every option that was not given by hand the default of the method; run files are written so. Doing it
 * again changes nothing. sotto_train does it by itself. */
SOTTO_API void sotto_options_resolve(sotto_options *options);
/* Settles what depends on the size of the data: delta, unless it was given by hand, becomes the largest power
 * of ten that is at most 1e-6 and at most 1 / (10 x nodes). The number of edges has no part in it, since a
 * published delta would reveal it. At graph and client level it stays 1e-6, since sizes are private there. */
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
 * freed with sotto_options_free_text: every option of the method but those of one machine (data, nodes, ids,
 * ledger, encoder-cache, partition, record-wire, out, threads, resume). */
SOTTO_API sotto_status sotto_options_terms(char **out, const sotto_options *options, sotto_error *err);
/* BLAKE2b-256 of that text, in hexadecimal: what people who have the same terms can compare. Errors: NOMEM.
 */
SOTTO_API sotto_status sotto_options_terms_digest(char out[65], const sotto_options *options,
                                                  sotto_error *err);
SOTTO_API void sotto_options_free_text(char *text);
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
