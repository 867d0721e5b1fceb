/* Options that the engine itself reads, as rows for methods' tables. */
#ifndef SOTTO_SRC_RUN_SETTINGS_ROWS_H
#define SOTTO_SRC_RUN_SETTINGS_ROWS_H

#include "base/option.h"

extern const sotto_i_option_rows sotto_i_run_rows;
extern const sotto_i_option_rows sotto_i_privacy_rows;
extern const sotto_i_option_rows sotto_i_published_rows; /* of a method that has the settings of its paper */
extern const sotto_i_option_rows sotto_i_party_rows;
extern const sotto_i_option_rows sotto_i_member_rows; /* for holders and clients */

#endif
