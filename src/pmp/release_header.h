/* The header of a release's file. */
#ifndef SOTTO_SRC_PMP_RELEASE_HEADER_H
#define SOTTO_SRC_PMP_RELEASE_HEADER_H

#include "release.h"

typedef struct sotto_i_release_header {
  char magic[8];
  uint32_t version, layers, aggregator, activation;
  uint64_t degree_floor, rows, cols;
  double sensitivity, sigma, step, mu;
  uint32_t self, insecure;
  uint32_t text_size[3];            /* id, run, description */
  uint32_t level, raw, nonnegative; /* nonnegative is 0 before version 4 */
  uint64_t most;
  double row_clip;
} sotto_i_release_header;

#define SOTTO_I_RELEASE_MAGIC "SOTTOREL" /* without the final zero */
/* Versions, and the size of the digest at the end. */
enum {
  SOTTO_I_RELEASE_WITH_INPUTS = 2,
  SOTTO_I_RELEASE_WITHOUT_INPUTS = 3,
  SOTTO_I_RELEASE_NONNEGATIVE = 4,
  SOTTO_I_RELEASE_DIGEST = 32
};

#endif
