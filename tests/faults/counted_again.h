/* Whether pilots are counted again after their own release (counted_again.c). */
#ifndef SOTTO_TESTS_COUNTED_AGAIN_H
#define SOTTO_TESTS_COUNTED_AGAIN_H

#include <stdbool.h>

extern bool sotto_i_counted_again;

#endif
