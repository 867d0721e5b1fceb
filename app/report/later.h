/* Folders of what came after a run: releases for answers about other data, and nights. */
#ifndef SOTTO_APP_REPORT_LATER_H
#define SOTTO_APP_REPORT_LATER_H

#include "sotto/base.h"

/* Calls `visit` for each folder that is there, predictions/1, predictions/2, ..., nights, with its path and
 * its name from the run's folder on, until one call fails. Errors: those of `visit`, NOMEM. */
typedef sotto_status (*later_visit)(void *context, const char *path, const char *name, sotto_error *err);
sotto_status later_each(const char *folder, later_visit visit, void *context, sotto_error *err);

#endif
