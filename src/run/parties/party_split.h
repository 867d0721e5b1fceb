/* Transfer of the split from the label party to the data party. */
#ifndef SOTTO_SRC_RUN_PARTIES_PARTY_SPLIT_H
#define SOTTO_SRC_RUN_PARTIES_PARTY_SPLIT_H

#include "run/method/method.h"
#include "sotto/split.h"

sotto_status sotto_i_send_split(sotto_link *link, const sotto_split *split, uint64_t nodes, sotto_error *err);
/* Errors: also PROTOCOL for what is no split, or has an empty part. */
sotto_status sotto_i_receive_split(sotto_split *out, sotto_link *link, uint64_t nodes, sotto_error *err);

#endif
