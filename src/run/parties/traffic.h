/* What a seed of two parties exchanges, as people are told before it. */
#ifndef SOTTO_SRC_RUN_PARTIES_TRAFFIC_H
#define SOTTO_SRC_RUN_PARTIES_TRAFFIC_H

#include "run/method/method.h"

/* The shape of a seed that begins, with the split that both parties know; `classes` 0: not known here. */
sotto_i_exchange_shape sotto_i_traffic_shape(const sotto_i_job *job, const sotto_split *split,
                                             uint32_t classes);
/* Tells the observer what the seed exchanges over the link, which began with it. Nothing in one process. */
void sotto_i_traffic_tell(const sotto_i_job *job, sotto_link *link, const sotto_i_exchange_shape *shape);
/* What a seed exchanges, as one party plans it alone, before the parties meet: the data party takes all nodes
 * for labelled. False: not known to this party. */
bool sotto_i_traffic_expect(sotto_i_exchanged *out, const sotto_options *options, const sotto_dataset *data,
                            sotto_role role);
/* One phrase, "739 MB in 604 round trips: ...". */
enum { SOTTO_I_TRAFFIC_TEXT = 240 };
void sotto_i_traffic_text(char out[SOTTO_I_TRAFFIC_TEXT], const sotto_i_exchanged *exchange,
                          const sotto_options *options);
/* The same for the time that it takes on a measured line: "97 Mbit/s to ...: 1:51". */
void sotto_i_traffic_time(char out[SOTTO_I_TRAFFIC_TEXT], const sotto_i_exchanged *exchange,
                          const sotto_i_line *line);

#endif
