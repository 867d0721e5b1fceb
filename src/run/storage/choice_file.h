/* The training whose model a finished run uses, as stored in its folder. */
#ifndef SOTTO_SRC_RUN_STORAGE_CHOICE_FILE_H
#define SOTTO_SRC_RUN_STORAGE_CHOICE_FILE_H

#include "sotto/options.h"

/* In the options' run folder. Errors: those of files; CORRUPT. */
sotto_status sotto_i_choice_save(size_t best, const sotto_options *options, sotto_error *err);
bool sotto_i_choice_known(const sotto_options *options);
sotto_status sotto_i_choice_load(size_t *best, const sotto_options *options, sotto_error *err);

#endif
