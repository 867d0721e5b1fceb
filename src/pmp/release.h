/* The inside of a release. */
#ifndef SOTTO_SRC_PMP_RELEASE_H
#define SOTTO_SRC_PMP_RELEASE_H

#include "sotto/pmp.h"

enum { SOTTO_I_MOST_LAYERS = 64, SOTTO_I_INPUT_BITS = 24 };
#define SOTTO_I_INPUT_STEP 0x1p-24 /* grid of the rows that enter an aggregate */

struct sotto_release {
  sotto_pmp_plan plan;
  sotto_matrix layers[SOTTO_I_MOST_LAYERS + 1];
  char *id, *run, *description;
  bool insecure;
  bool paid;
};

/* Errors: RANGE, INVALID, naming the option. */
sotto_status sotto_i_pmp_check(const sotto_pmp_options *options, sotto_error *err);

/* A release with zeroed layers. */
sotto_status sotto_i_release_shell(sotto_release **out, const sotto_pmp_plan *plan, size_t rows, size_t cols,
                                   const char *id, const char *run, const char *description,
                                   sotto_error *err);

#endif
