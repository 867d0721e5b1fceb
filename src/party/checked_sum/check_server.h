/* The inside of a server of a checked sum. */
#ifndef SOTTO_SRC_PARTY_CHECKED_SUM_CHECK_SERVER_H
#define SOTTO_SRC_PARTY_CHECKED_SUM_CHECK_SERVER_H

#include "check_inside.h"

typedef enum sotto_i_check_step {
  SOTTO_I_CHECK_STEP_SHARES,
  SOTTO_I_CHECK_STEP_PROOFS, /* leader: the challenge is drawn; helper: who arrived is said */
  SOTTO_I_CHECK_STEP_ANSWER, /* leader: the question is asked */
  SOTTO_I_CHECK_STEP_OVER
} sotto_i_check_step;

struct sotto_i_check_server {
  sotto_i_check_plan plan;
  sotto_i_check_shape shape;
  sotto_i_check_role role;
  sotto_i_check_step next;
  uint8_t *state;    /* of each client: a verdict, or a state below */
  uint8_t *seeds;    /* helper: clients x SOTTO_I_CHECK_KEY */
  uint64_t **shares; /* leader: of each client that is there */
  uint64_t *proofs;  /* leader: clients x proof */
  uint64_t *points;  /* leader: clients x points */
  uint8_t challenge[SOTTO_I_CHECK_KEY], coin[SOTTO_I_CHECK_KEY];
};

enum { SOTTO_I_CHECK_SHARED = 16, SOTTO_I_CHECK_PROVED = 17 }; /* states on the way to a verdict */

sotto_status sotto_i_check_enter(sotto_i_check_server *server, sotto_i_check_role role,
                                 sotto_i_check_step wanted, sotto_error *err);
/* Is the client one of the plan, and in this state? Errors: INVALID. */
sotto_status sotto_i_check_expect(const sotto_i_check_server *server, uint32_t client, int state,
                                  sotto_error *err);

#endif
