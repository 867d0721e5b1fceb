/* Runs of method progap: small data, quick options, and the files of the run's one seed. */
#ifndef SOTTO_TESTS_PROGAP_RUNS_H
#define SOTTO_TESTS_PROGAP_RUNS_H

#include "sotto/methods.h"

enum { CHECK_PROGAP_PATH = 1400 };

/* Three communities with 6 features; to be freed. */
sotto_dataset check_progap_data(uint64_t nodes, double signal);
/* Options with a ledger of their own. */
sotto_options check_progap_options(const char *folder, const char *layers);
/* The same at node level, for at most 59 neighbours. */
sotto_options check_progap_node_options(const char *folder, const char *layers);
/* The path of a file of the run's seed. */
void check_progap_path(char out[CHECK_PROGAP_PATH], const sotto_options *options, const char *file);
/* Fails the test when there is no such file. */
void check_progap_remove(const sotto_options *options, const char *file);

#endif
