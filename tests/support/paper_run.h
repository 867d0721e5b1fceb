/* A short run of VESPER as published, and its data. */
#ifndef SOTTO_TESTS_SUPPORT_PAPER_RUN_H
#define SOTTO_TESTS_SUPPORT_PAPER_RUN_H

#include "sotto/graph.h"
#include "sotto/options.h"

enum { CHECK_PAPER_NODES = 200 };
/* Of two classes and six columns. */
sotto_dataset check_paper_data(void);
/* In FOLDER of the test, which is made, with a ledger of its own. */
sotto_options check_paper_options(const char *aggregator, const char *folder);

#endif
