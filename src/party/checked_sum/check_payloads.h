/* The payloads of checked sums, and buffers of messages between the servers. */
#ifndef SOTTO_SRC_PARTY_CHECKED_SUM_CHECK_PAYLOADS_H
#define SOTTO_SRC_PARTY_CHECKED_SUM_CHECK_PAYLOADS_H

#include "checked_sum.h"
#include "sotto/party.h"

typedef struct sotto_i_check_payload {
  const char *name;
  sotto_wire_kind kind;
} sotto_i_check_payload;
extern const sotto_i_check_payload sotto_i_check_key_payload, sotto_i_check_shares_payload,
    sotto_i_check_seed_payload, sotto_i_check_seeds_payload, sotto_i_check_arrived_payload,
    sotto_i_check_challenge_payload, sotto_i_check_proof_payload, sotto_i_check_coin_payload,
    sotto_i_check_signed_payload, sotto_i_check_evidence_payload, sotto_i_check_question_payload,
    sotto_i_check_points_payload, sotto_i_check_verdicts_payload, sotto_i_check_refused_payload,
    sotto_i_check_sums_payload;

/* Sizes are in bytes, multiples of 4. */
sotto_status sotto_i_check_send(sotto_link *link, const sotto_i_check_payload *payload, const void *data,
                                size_t size, sotto_error *err);
sotto_status sotto_i_check_receive(sotto_link *link, const sotto_i_check_payload *payload, void *out,
                                   size_t size, sotto_error *err);
/* Of one byte a client. */
size_t sotto_i_check_states_size(const sotto_i_check_plan *plan);

typedef struct sotto_i_check_buffers {
  uint8_t *states;   /* who arrived, verdicts */
  uint8_t *question; /* challenge, coin, who is in */
  uint64_t *asked, *answered, *sums;
  size_t question_size, points_size; /* bytes */
} sotto_i_check_buffers;
sotto_status sotto_i_check_buffers_new(sotto_i_check_buffers *out, const sotto_i_check_plan *plan,
                                       sotto_error *err);
void sotto_i_check_buffers_free(sotto_i_check_buffers *buffers);
/* The question in its buffers, and out of them; what points to memory points into them. */
void sotto_i_check_question_open(sotto_i_check_question *out, const sotto_i_check_buffers *buffers);
void sotto_i_check_question_close(const sotto_i_check_buffers *buffers,
                                  const sotto_i_check_question *question);

#endif
