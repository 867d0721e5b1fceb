/* Numbers that a hostile peer sends: finite ones, and one kind that is not. */
#ifndef SOTTO_TESTS_SUPPORT_HOSTILE_NUMBERS_H
#define SOTTO_TESTS_SUPPORT_HOSTILE_NUMBERS_H

#include <float.h>
#include <math.h>
#include <stddef.h>

/* CHOSEN: a first layer of 5 x 4 weights, and a second, in which exactly the rows overflow that have feature
 * 0; in other tables the first column alone is large. A link refuses NOT_A_NUMBER when it arrives. */
typedef enum check_hostile {
  CHECK_HONEST,
  CHECK_HUGE,
  CHECK_CHOSEN,
  CHECK_SUBNORMAL,
  CHECK_EQUAL,
  CHECK_ZERO,
  CHECK_SIGNS,   /* huge, with signs that take turns: sums of them are not numbers */
  CHECK_LARGEST, /* the sum of two is infinite */
  CHECK_HOSTILE_KINDS,
  CHECK_NOT_A_NUMBER = CHECK_HOSTILE_KINDS
} check_hostile;

/* Number `i` of a table. */
static inline float check_hostile_number(check_hostile how, size_t rows, size_t cols, size_t i) {
  enum { hidden = 4, first_layer = 20 };
  if (how == CHECK_HUGE) return 1e25F;
  if (how == CHECK_SUBNORMAL) return 1e-42F;
  if (how == CHECK_EQUAL) return 1;
  if (how == CHECK_ZERO) return 0;
  if (how == CHECK_SIGNS) return i % 2 == 0 ? 1e38F : -1e38F;
  if (how == CHECK_LARGEST) return FLT_MAX;
  if (how == CHECK_NOT_A_NUMBER) return NAN;
  if (rows == 1) return i < hidden || i >= first_layer + hidden ? 1e25F : 0; /* no bias of the first layer */
  return i % cols == 0 ? 1e25F : 0;
}

#endif
