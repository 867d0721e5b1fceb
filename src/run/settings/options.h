/* Options inside of the library: which were given, which a method has, what it falls back to. */
#ifndef SOTTO_SRC_RUN_SETTINGS_OPTIONS_H
#define SOTTO_SRC_RUN_SETTINGS_OPTIONS_H

#include "base/option.h"

/* The row of this key in any method's table; NULL: no method has it. *number is its place in the list. */
const sotto_i_option *sotto_i_option_known(const char *key, size_t *number);

/* Was the option set by hand (command line or run file)? */
bool sotto_i_option_given(const sotto_options *options, const char *key);

/* Has the options' method this one, in the variant that they choose? False also for an unknown method. */
bool sotto_i_option_has(sotto_i_option *out, const sotto_options *options, const char *key);

/* Sets an option to `value` unless it was given in `asked`. */
void sotto_i_fall_back(sotto_options *options, const sotto_options *asked, const char *key,
                       const char *value);

/* Defaults at node level: a floor of at least max-degree makes all weights alike, which is what node level
 * can bound best; no weight decay. */
void sotto_i_resolve_node(sotto_options *options, const sotto_options *asked);
/* A private release that normalises by degree needs a floor. Errors: RANGE. */
sotto_status sotto_i_check_floor(const sotto_options *options, sotto_error *err);
/* At node level layers are put side by side. Errors: UNSUPPORTED. */
sotto_status sotto_i_check_node_combine(const sotto_options *options, sotto_error *err);

/* sotto_options_read for `size` bytes; errors name the line alone. On failure the options are as they were.
 */
sotto_status sotto_i_options_parse(sotto_options *options, const uint8_t *data, size_t size,
                                   sotto_error *err);

#endif
