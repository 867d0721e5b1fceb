/* Turns of the clients of one process. As many clients compute at the same time as there are threads. Memory
 * for values of the network belongs to a turn, so it does not grow with the number of clients. */
#ifndef SOTTO_SRC_METHODS_FEDERATED_TURNS_H
#define SOTTO_SRC_METHODS_FEDERATED_TURNS_H

#include "sotto/tensor.h"

typedef struct sotto_i_turns sotto_i_turns;
/* For this many clients; *out is NULL for one, which needs no turns. Errors: NOMEM. */
sotto_status sotto_i_turns_new(sotto_i_turns **out, uint32_t clients, sotto_error *err);
/* Waits for a turn, and gives its memory to the tape, which is reset. Between this and the end the client
 * waits for nobody. NULL: nothing happens. Returns the number of the turn. */
uint32_t sotto_i_turn_begin(sotto_i_turns *turns, sotto_tape *tape);
/* Takes the memory back; values of the tape are gone. */
void sotto_i_turn_end(sotto_i_turns *turns, uint32_t number, sotto_tape *tape);
void sotto_i_turns_free(sotto_i_turns *turns);

#endif
