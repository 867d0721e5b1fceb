/* Alerts of one seed's model, as its folder keeps them. */
#ifndef SOTTO_SRC_RUN_STORAGE_ALERTS_FILE_H
#define SOTTO_SRC_RUN_STORAGE_ALERTS_FILE_H

#include "sotto/methods.h"

/* Errors: IO, NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_alerts_write(const sotto_rare_result *rare, const char *folder,
                                                 const sotto_options *options, sotto_error *err);

#endif
