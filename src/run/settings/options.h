/* The library's own interface of options: those given, those of a method, and their defaults. */
#ifndef SOTTO_SRC_RUN_SETTINGS_OPTIONS_H
#define SOTTO_SRC_RUN_SETTINGS_OPTIONS_H

#include "base/option.h"
#include "run/method/method.h"

/* As sotto_options_default and sotto_option_table; need the list of methods. */
void sotto_i_options_default(sotto_options *options);
const sotto_option_info *sotto_i_option_infos(size_t *count);
/* The public form of the row. Is it the option `method`, whose default is its own name? */
sotto_option_info sotto_i_option_info(const sotto_i_option *row);
bool sotto_i_is_method(const sotto_i_option *row);

/* The row of this key in any method's table; NULL: no method has it. *number is its index in the list. */
const sotto_i_option *sotto_i_option_known(const char *key, size_t *number);

/* Address of the option's value. */
void *sotto_i_option_field(sotto_options *options, const sotto_i_option *row);
/* The row's value as text (sotto_i_option_text). */
void sotto_i_option_value(char *out, size_t size, const sotto_options *options, const sotto_i_option *row);
/* A method's own settings, which these rows describe. The program ends if the rows are of another struct. */
#define SOTTO_I_OWN(struct_name, options, rows)                                                              \
  ((const struct_name *)sotto_i_own((options), (rows), #struct_name))
const void *sotto_i_own(const sotto_options *options, const sotto_i_option_rows *rows, const char *settings);

/* Was the option set by hand (command line or run file)? */
bool sotto_i_option_given(const sotto_options *options, const char *key);

/* Does the options' method, in the variant that they choose, have this option? False also for an unknown
 * method. */
bool sotto_i_option_has(sotto_i_option *out, const sotto_options *options, const char *key);

/* Sets every option that was not given by the method's table (sotto_i_option_default). */
void sotto_i_defaults_settle(sotto_options *options, const sotto_i_method *method);
/* The default of an option, static. `settled`: settled options of which none was given. */
const char *sotto_i_default_of(const sotto_options *settled, const sotto_i_method *method,
                               const sotto_i_option *row);
/* Has the method's paper a value of this option, which the options take under as-published? */
bool sotto_i_publishes(const sotto_options *options, const char *key);
/* An option whose value is not that of the method's paper. Texts are static. */
typedef struct sotto_i_unlike {
  const char *key, *published;
} sotto_i_unlike;
/* Lists, of resolved options as published, those with another value than the paper's; at most `most` are
 * written. Returns how many there are. */
size_t sotto_i_unpublished(sotto_i_unlike *out, size_t most, const sotto_options *options);
/* The conditional defaults of an option as text: "with noise: 1; else: 2". Empty: it has none. */
void sotto_i_default_rules(char *out, size_t size, const sotto_i_method *method, const sotto_i_option *row);

/* Does this method exist, with a variant for the level and the accounting? Errors: INVALID, UNSUPPORTED. */
sotto_status sotto_i_check_method(const sotto_options *options, sotto_error *err);
/* A private release that normalises by degree needs a floor. Errors: RANGE. */
sotto_status sotto_i_check_floor(const sotto_options *options, sotto_error *err);
/* At node level layers must be concatenated. Errors: UNSUPPORTED. */
sotto_status sotto_i_check_node_combine(const sotto_options *options, sotto_error *err);

/* Whose words a run file has: the owner's; another party's (sotto_options_read_shared); this machine's paths
 * alone. */
typedef enum sotto_i_run_file {
  SOTTO_I_RUN_FILE_OWN,
  SOTTO_I_RUN_FILE_SHARED,
  SOTTO_I_RUN_FILE_PATHS
} sotto_i_run_file;
/* Reads a run file of `size` bytes; errors name only the line. On failure the options stay as they were. */
sotto_status sotto_i_options_parse(sotto_options *options, const uint8_t *data, size_t size,
                                   sotto_i_run_file kind, sotto_error *err);

/* What run.yaml has in the place of the folder of its data. */
#define SOTTO_I_CUT_PATH ".../"
/* Is this value a path of this machine? A run folder that is handed on does not name it. */
bool sotto_i_option_is_path(const sotto_i_option *row, const char *value);
/* sotto_options_write for these options alone, or for all others; sotto_options_read takes `paths` from
 * owner-only/paths.yaml next to a file run.yaml. */
sotto_status sotto_i_options_write_part(const sotto_options *options, const char *path, bool paths,
                                        sotto_error *err);

/* May a run file of several parties set this key? An unknown key passes. Errors: INVALID. */
sotto_status sotto_i_check_shared_key(const char *key, const char *value, sotto_error *err);
/* Every option that weakens privacy must be set in `by_hand`. Errors: INVALID, naming the option. */
sotto_status sotto_i_check_consent(const sotto_options *options, const sotto_options *by_hand,
                                   sotto_error *err);

#endif
