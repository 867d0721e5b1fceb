/* What every test file includes: cmocka, the error check, seeds, scratch folders, the shared data. */
#ifndef SOTTO_TESTS_SUPPORT_CHECK_H
#define SOTTO_TESTS_SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "sotto/base.h"

/* Fails the test with the error's text unless the call (which takes `&err`) returns SOTTO_OK. */
#define CHECK_OK(call)                                                                                       \
  do {                                                                                                       \
    sotto_error err = {0};                                                                                   \
    if ((call) != SOTTO_OK) fail_msg("%s: %s", #call, err.text);                                             \
  } while (0)

/* Fails unless the call returns `wanted` with a text that contains `words`. */
#define CHECK_FAILS(wanted, words, call)                                                                     \
  do {                                                                                                       \
    sotto_error err = {0};                                                                                   \
    sotto_status got = (call);                                                                               \
    if (got != (wanted)) fail_msg("%s: got '%s' (%s)", #call, sotto_status_text(got), err.text);             \
    if (strstr(err.text, (words)) == NULL) fail_msg("%s: '%s' lacks '%s'", #call, err.text, (words));        \
  } while (0)

/* |a - b| <= tolerance * max(1, |b|), with both in the message. */
#define CHECK_NEAR(a, b, tolerance)                                                                          \
  do {                                                                                                       \
    double check_a = (a), check_b = (b);                                                                     \
    double check_scale = check_b < -1 ? -check_b : check_b > 1 ? check_b : 1;                                \
    double check_gap = check_a > check_b ? check_a - check_b : check_b - check_a;                            \
    if (!(check_gap <= (tolerance)*check_scale))                                                             \
      fail_msg("%s = %.17g, expected %.17g (off by %.3g)", #a, check_a, check_b, check_gap);                 \
  } while (0)

/* Seeds what this process draws, before its first test: by the name of its group of tests, by
 * SOTTO_TEST_SEED=N, or by the system (SOTTO_TEST_SEED=random). */
void check_begin(const char *name);

/* A stream for a property test, by that seed, which is printed. */
sotto_i_random check_random(void);

/* A fresh folder under the system's temporary folder, removed when the process ends. */
const char *check_folder(void);

/* "FOLDER/NAME" for the folder above, in a static buffer of its own for each of the last eight calls. */
const char *check_path(const char *name);

/* The path of a file or folder of the shared data, or NULL, after saying that the test skips, when absent. */
const char *check_shared(const char *name);

#endif
