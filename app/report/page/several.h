/* The page of several runs, compared. */
#ifndef SOTTO_APP_REPORT_PAGE_SEVERAL_H
#define SOTTO_APP_REPORT_PAGE_SEVERAL_H

#include "parts.h"

void page_several(page *p, const page_run *runs, size_t count);

#endif
