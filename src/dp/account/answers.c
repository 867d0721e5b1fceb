/* A ring buffer of the last answers. A busy lock is not waited for: the answer is then computed again, and a
 * process that was forked meanwhile does not hang. */
#include "answers.h"

#include <pthread.h>
#include <sodium.h>
#include <stddef.h>
#include <string.h>

enum { most = 64 };
static struct {
  sotto_i_question question;
  double value;
} answers[most];
static size_t known, next;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { fields = 15 }; /* after the kind, of eight bytes each: without padding */
_Static_assert(sizeof(sotto_mechanism) == offsetof(sotto_mechanism, count) + fields * sizeof(double),
               "a question has every field of a mechanism");

sotto_i_question sotto_i_question_of(const sotto_mechanism *list, size_t count, size_t which, double epsilon,
                                     double delta) {
  sotto_i_question question;
  const double numbers[2] = {epsilon, delta};
  const uint64_t place = which;
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, sizeof question.hash);
  crypto_generichash_update(&state, (const uint8_t *)&place, sizeof place);
  crypto_generichash_update(&state, (const uint8_t *)numbers, sizeof numbers);
  for (size_t i = 0; i < count; i++) {
    const uint64_t kind = list[i].kind;
    crypto_generichash_update(&state, (const uint8_t *)&kind, sizeof kind);
    crypto_generichash_update(&state, (const uint8_t *)&list[i].count, fields * sizeof(double));
  }
  crypto_generichash_final(&state, question.hash, sizeof question.hash);
  return question;
}

bool sotto_i_answer_find(double *value, const sotto_i_question *question) {
  bool found = false;
  if (pthread_mutex_trylock(&lock) != 0) return false;
  for (size_t i = 0; i < known && !found; i++) {
    found = memcmp(&answers[i].question, question, sizeof *question) == 0;
    if (found) *value = answers[i].value;
  }
  (void)pthread_mutex_unlock(&lock);
  return found;
}

void sotto_i_answer_keep(double value, const sotto_i_question *question) {
  if (pthread_mutex_trylock(&lock) != 0) return;
  answers[next].question = *question;
  answers[next].value = value;
  next = (next + 1) % most;
  if (known < most) known++;
  (void)pthread_mutex_unlock(&lock);
}
