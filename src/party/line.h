/* Rate and delay of the line between two parties, measured over a link before a run. */
#ifndef SOTTO_SRC_PARTY_LINE_H
#define SOTTO_SRC_PARTY_LINE_H

#include "exchange.h"

typedef struct sotto_i_line {
  double trip;              /* seconds of a round trip of 4 bytes */
  double to_label, to_data; /* bytes a second in each direction */
} sotto_i_line;

/* Measures the line: five round trips, then in each direction a burst of 64 KB to 2 MB, at most as
 * much as passes in four seconds. Both sides call it at the same time; the data party leads, and both get the
 * same numbers. What is sent does not depend on data. For people alone: a peer can make the numbers wrong,
 * and nothing but words depends on them. Errors: PROTOCOL, those of the link. */
sotto_status sotto_i_line_measure(sotto_i_line *out, sotto_link *link, bool is_data, sotto_error *err);

/* Seconds that the line takes for an exchange: bytes at its rates, and round trips. */
double sotto_i_line_seconds(const sotto_i_line *line, const sotto_i_exchanged *exchange);

#endif
