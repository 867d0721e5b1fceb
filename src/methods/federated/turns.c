/* Turns of clients. `lock` guards the list of free turns; the memory of a turn is its holder's. */
#include "turns.h"

#include <pthread.h>

#include "base/memory.h"
#include "sotto/base.h"
#include "tensor/tape.h"

struct sotto_i_turns {
  pthread_mutex_t lock;
  pthread_cond_t ended;
  uint32_t count, free_count;
  uint32_t *free_turns; /* numbers, the last one is taken first */
  sotto_i_arena *rooms; /* memory of each turn */
};

sotto_status sotto_i_turns_new(sotto_i_turns **out, uint32_t clients, sotto_error *err) {
  const uint32_t threads = sotto_threads();
  sotto_i_turns *t = NULL;
  sotto_status status;
  *out = NULL;
  if (clients <= 1) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new(&t, 1, sizeof *t, err));
  (void)pthread_mutex_init(&t->lock, NULL);
  (void)pthread_cond_init(&t->ended, NULL);
  t->count = t->free_count = clients < threads ? clients : threads;
  SOTTO_TRY(sotto_i_new(&t->free_turns, t->count, sizeof *t->free_turns, err));
  SOTTO_TRY(sotto_i_new(&t->rooms, t->count, sizeof *t->rooms, err));
  for (uint32_t i = 0; i < t->count; i++) t->free_turns[i] = t->count - 1 - i;
  *out = t;
  t = NULL;
done:
  sotto_i_turns_free(t);
  return status;
}

uint32_t sotto_i_turn_begin(sotto_i_turns *t, sotto_tape *tape) {
  if (t == NULL) return 0;
  (void)pthread_mutex_lock(&t->lock);
  while (t->free_count == 0) (void)pthread_cond_wait(&t->ended, &t->lock);
  const uint32_t number = t->free_turns[--t->free_count];
  (void)pthread_mutex_unlock(&t->lock);
  sotto_i_tape_swap(tape, &t->rooms[number]);
  return number;
}

void sotto_i_turn_end(sotto_i_turns *t, uint32_t number, sotto_tape *tape) {
  if (t == NULL) return;
  sotto_i_tape_swap(tape, &t->rooms[number]);
  (void)pthread_mutex_lock(&t->lock);
  t->free_turns[t->free_count++] = number;
  (void)pthread_cond_signal(&t->ended);
  (void)pthread_mutex_unlock(&t->lock);
}

void sotto_i_turns_free(sotto_i_turns *t) {
  if (t == NULL) return;
  for (uint32_t i = 0; t->rooms != NULL && i < t->count; i++) sotto_i_arena_free(&t->rooms[i]);
  sotto_i_free(t->rooms);
  sotto_i_free(t->free_turns);
  (void)pthread_cond_destroy(&t->ended);
  (void)pthread_mutex_destroy(&t->lock);
  sotto_i_free(t);
}
