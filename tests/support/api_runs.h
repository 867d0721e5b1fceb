/* Short runs of the public interface, and the folders that they work in. */
#ifndef SOTTO_TESTS_API_RUNS_H
#define SOTTO_TESTS_API_RUNS_H

#include "made_run.h"
#include "sotto/run.h"

/* 120 nodes of three classes; to be freed. */
sotto_dataset check_blocks(void);
void check_run_set(sotto_run *run, const char *key, const char *value);
/* A short training at epsilon 8 with repeatable noise, charged to the test's ledger; to be freed. */
sotto_run *check_short_run(const char *method);
/* The value of an option, in a static buffer. */
const char *check_run_value(sotto_run *run, const char *key);
/* A folder of the test, where private folders are made from now on; how many entries a folder has. */
const char *check_temporary(const char *name);
size_t check_entries(const char *path);
/* Lines of a text. */
size_t check_lines(const char *text);
/* Two runs left the same model file. */
void check_same_model(const sotto_run *a, const sotto_run *b);

#endif
