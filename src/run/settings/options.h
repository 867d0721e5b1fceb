/* Questions about options that methods ask. */
#ifndef SOTTO_SRC_RUN_SETTINGS_OPTIONS_H
#define SOTTO_SRC_RUN_SETTINGS_OPTIONS_H

#include "sotto/methods.h"

/* Was the option set by hand (command line or run file)? */
bool sotto_i_option_given(const sotto_options *options, const char *key);

/* And to something else than the list has? The file that a run leaves gives every option, so what has no
 * meaning for a run is told by this. */
bool sotto_i_option_changed(const sotto_options *options, const char *key);

/* Is `word` one of the words, parted by single spaces, of `choices`? */
bool sotto_i_word_among(const char *word, const char *choices);

/* The part of sotto_options_check that knows which method protects what. Errors: UNSUPPORTED, RANGE. */
sotto_status sotto_i_options_check_family(const sotto_options *options, sotto_error *err);

/* sotto_options_read for `size` bytes; errors name the line alone. On failure the options are as they were.
 */
sotto_status sotto_i_options_parse(sotto_options *options, const uint8_t *data, size_t size,
                                   sotto_error *err);

#endif
