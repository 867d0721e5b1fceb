/* Options of a run: their values, run files, and what is checked before any work. Which options there are is
 * the method's own affair: sotto_method_options lists them. */
#ifndef SOTTO_OPTIONS_H
#define SOTTO_OPTIONS_H

#include "sotto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SOTTO_UNSET UINT64_MAX

enum { SOTTO_MOST_OPTIONS = 128 };

/* A place for the value of every option of every method. A method reads its own alone. */
typedef struct sotto_options {
  char method[32];
  char data[1024];
  char target[1024];
  uint64_t min_class_size;
  char nodes[1024];
  char split[32];
  double train_share;
  double validation_share;
  uint64_t folds;
  char aggregator[32];
  uint64_t layers;
  uint64_t degree_floor;
  double contraction;
  double alpha;
  double beta;
  char feature_scale[32];
  uint64_t hidden;
  uint64_t release_width;
  double constant;
  char release_scale[32];
  char publication[32];
  uint64_t releases;
  bool layer_weights;
  double label_epsilon;
  double label_features;
  double label_edges;
  char decoder[32];
  char combine[32];
  uint64_t holders;
  uint64_t label_holder;
  char proportion[1024];
  char initial[32];
  double first_rate;
  double first_momentum;
  double hop_rate;
  double feature_bound;
  uint64_t fraction_bits;
  char estimator[32];
  bool export_first;
  char adjacency[32];
  uint64_t max_degree;
  bool degree_cut;
  uint64_t neighbours;
  double row_clip;
  double encoder_share;
  double release_share;
  char accounting[32];
  uint64_t neighbour_cap;
  uint64_t batch;
  double fit_share;
  double epsilon;
  double delta;
  uint64_t encoder_epochs;
  uint64_t epochs;
  uint64_t patience;
  char select_by[32];
  double learning_rate;
  double weight_decay;
  double dropout;
  char activation[32];
  char decoder_activation[32];
  char release_activation[32];
  char perturbation[32];
  double density_share;
  double batch_rate;
  double clip;
  uint64_t steps;
  uint64_t clients;
  double dirichlet;
  char deal[32];
  char client_list[1024];
  uint64_t fan_out;
  uint64_t embed_layers;
  uint64_t embed_epochs;
  uint64_t prototypes;
  double prototype_rate;
  double prototype_noise;
  uint64_t least_degree;
  double hide_share;
  uint64_t most_missing;
  uint64_t generator_epochs;
  double count_weight;
  double missing_weight;
  double prototype_weight;
  uint64_t cross_fit;
  char mend[32];
  double mend_scale;
  char fusion[32];
  uint64_t rounds;
  double fraction;
  uint64_t least_clients;
  double round_limit;
  uint64_t local_epochs;
  uint64_t batch_size;
  char optimiser[32];
  double prox_mu;
  double server_momentum;
  double local_momentum;
  uint64_t sum_neighbours;
  uint64_t sum_threshold;
  uint64_t embed_every;
  uint64_t seeds;
  uint64_t seed;
  uint64_t insecure_seed;
  char wire[32];
  double connect_limit;
  double idle_limit;
  double grace;
  uint64_t checkpoint_every;
  char ids[1024];
  char ledger[1024];
  char out[1024];
  char encoder_cache[1024];
  uint64_t threads;
  bool secure_aggregation;
  bool unbiased;
  bool record_wire;
  bool resume;
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
/* Writes a run file with every option of the method resolved. */
SOTTO_API sotto_status sotto_options_write(const sotto_options *options, const char *path, sotto_error *err);
/* Gives every option that was not given by hand the default of the method; run files are written so. Doing it
 * again changes nothing. sotto_train does it by itself. */
SOTTO_API void sotto_options_resolve(sotto_options *options);
/* Settles what depends on the size of the data: delta, unless it was given by hand, becomes the largest power
 * of ten that is at most 1e-6 and at most 1 / (10 x edges), or at node level 1 / (10 x nodes). 0 edges: not
 * known. */
SOTTO_API void sotto_options_settle(sotto_options *options, uint64_t nodes, uint64_t edges);
/* Checks options against each other before any work. Errors: INVALID (an option that the method does not
 * have, with the methods that have it), RANGE, naming the keys; UNSUPPORTED for an adjacency or accounting
 * that the method does not offer. */
SOTTO_API sotto_status sotto_options_check(const sotto_options *options, sotto_error *err);

/* Forgets what was given of options that the method, in the variant that it chooses, does not have: for
 * settings that go to many methods. */
SOTTO_API void sotto_options_prune(sotto_options *options);

/* What parties must agree on, as `key: value` lines in ascending order, in fresh memory of the caller, to be
 * freed with sotto_options_free_text: every option of the method but those of one machine (data, nodes, ids,
 * ledger, out, threads, resume). */
SOTTO_API sotto_status sotto_options_terms(char **out, const sotto_options *options, sotto_error *err);
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
