/* What two parties exchange, planned from public numbers before the first byte. */
#ifndef SOTTO_SRC_PARTY_EXCHANGE_H
#define SOTTO_SRC_PARTY_EXCHANGE_H

#include "sotto/party.h"

/* Bytes of payloads in each direction, and round trips: how often a party waits for an answer to what it
 * sent. Frames and TLS add less than one in a hundred to large payloads. */
typedef struct sotto_i_exchanged {
  double to_label, to_data;
  double trips;
} sotto_i_exchanged;

/* Bytes of rows x cols values on the wire. */
double sotto_i_exchange_rows(double rows, size_t cols, sotto_wire_format format);

/* One training by split learning (split_learning.h). */
typedef struct sotto_i_exchange_split {
  size_t count[4]; /* rows of each part */
  size_t width;    /* of the embeddings */
  uint64_t first;  /* epochs before this one were trained by an earlier start */
  uint64_t epochs; /* of the whole training, if it does not stop early */
  bool unmeasured; /* as of its sides */
} sotto_i_exchange_split;
void sotto_i_exchange_add_split(sotto_i_exchanged *to, const sotto_i_exchange_split *of);

#endif
