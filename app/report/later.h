/* Folders of later releases of a run: releases for predictions on other data, and nights. */
#ifndef SOTTO_APP_REPORT_LATER_H
#define SOTTO_APP_REPORT_LATER_H

#include "sotto/base.h"

/* Calls `visit` for each existing folder: predictions/1, predictions/2, ..., nights, with its path and its
 * name relative to the run's folder, until a call fails. Errors: those of `visit`, NOMEM. */
typedef sotto_status (*later_visit)(void *context, const char *path, const char *name, sotto_error *err);
sotto_status later_each(const char *folder, later_visit visit, void *context, sotto_error *err);

#endif
