/* The served runs. */
#include "service.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/progress.h"

static sotto_status name_slot(serve_service *s, const char *word, sotto_error *err) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  serve_slot *slot = &s->slots[s->count];
  const char *equals = strchr(word, '=');
  slot->path = equals == NULL ? word : equals + 1;
  const char *from = word;
  size_t length = equals == NULL ? strlen(word) : (size_t)(equals - word);
  if (equals == NULL) {
    while (length > 1 && from[length - 1] == '/') length--;
    for (size_t i = 0; i < length; i++)
      if (word[i] == '/') from = word + i + 1;
    length -= (size_t)(from - word);
  }
  if (length == 0 || length >= sizeof slot->name || strspn(from, letters) < length ||
      strncmp(from, "..", length) == 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "'%.80s': give NAME=RUN, with a name of 1 to 63 letters, digits, '-', '_' and '.'",
                        word);
  (void)snprintf(slot->name, sizeof slot->name, "%.*s", (int)length, from);
  for (size_t i = 0; i < s->count; i++)
    if (strcmp(s->slots[i].name, slot->name) == 0)
      return sotto_i_fail(err, SOTTO_INVALID, "two runs are called '%s'; give one of them as NAME=RUN",
                          slot->name);
  s->count++;
  return SOTTO_OK;
}

sotto_status serve_service_begin(serve_service *s, const char *const *words, size_t count, uint64_t seed,
                                 sotto_error *err) {
  pthread_condattr_t clock;
  memset(s, 0, sizeof *s);
  s->seed = seed;
  s->begun = sotto_i_seconds();
  (void)pthread_mutex_init(&s->lock, NULL);
  (void)pthread_condattr_init(&clock);
  (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  (void)pthread_cond_init(&s->wake, &clock);
  (void)pthread_condattr_destroy(&clock);
  for (size_t i = 0; i < count; i++) {
    const sotto_status status = name_slot(s, words[i], err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

/* Releases one use of a run. locking: lock held. */
static void release_run(serve_run *run) {
  if (run != NULL && --run->users == 0) serve_run_free(run);
}

void serve_service_end(serve_service *s) {
  for (size_t i = 0; i < s->count; i++) release_run(s->slots[i].run);
  (void)pthread_cond_destroy(&s->wake);
  (void)pthread_mutex_destroy(&s->lock);
}

static sotto_status load_slot(serve_service *s, serve_slot *slot, bool only_private, sotto_error *err) {
  serve_run *run = NULL;
  sotto_error problem = {0};
  sotto_status status = serve_run_open(&run, slot->path, s->seed, s->joint, s->board, &problem);
  if (status == SOTTO_OK && only_private && !(run->is_private && run->is_signed)) {
    status = sotto_i_fail(
        &problem, SOTTO_REFUSED,
        "%.200s: %.300s; answers to others would reveal edges. Listen on loopback or a Unix socket, or "
        "set --not-private",
        slot->path, run->verdict);
    serve_run_free(run);
    run = NULL;
  }
  (void)pthread_mutex_lock(&s->lock);
  (void)snprintf(slot->problem, sizeof slot->problem, "%s", problem.text);
  if (run != NULL) {
    run->users = 1;
    release_run(slot->run);
    slot->run = run;
    slot->generation++;
  }
  (void)pthread_mutex_unlock(&s->lock);
  if (status != SOTTO_OK && err != NULL && err->status == SOTTO_OK) *err = problem;
  return status;
}

sotto_status serve_service_load(serve_service *s, bool only_private, sotto_error *err) {
  sotto_status first = SOTTO_OK;
  for (size_t i = 0; i < s->count; i++) {
    const sotto_status status = load_slot(s, &s->slots[i], only_private, err);
    if (first == SOTTO_OK) first = status;
  }
  return first;
}

void serve_service_refresh(serve_service *s) {
  for (size_t i = 0; i < s->count; i++) {
    serve_run *run = serve_hold(s, NULL, s->slots[i].name);
    if (run == NULL) continue;
    const serve_spent spent = serve_run_spent(run);
    serve_release(s, run);
    (void)pthread_mutex_lock(&s->lock);
    s->slots[i].spent = spent;
    (void)pthread_mutex_unlock(&s->lock);
  }
}

void serve_service_ask(serve_service *s) {
  (void)pthread_mutex_lock(&s->lock);
  s->asked = true;
  (void)pthread_cond_broadcast(&s->wake);
  (void)pthread_mutex_unlock(&s->lock);
}

bool serve_service_wait(serve_service *s, double seconds) {
  const double end = sotto_i_seconds() + seconds;
  const struct timespec at = {.tv_sec = (time_t)end, .tv_nsec = (long)(1e9 * (end - (double)(time_t)end))};
  (void)pthread_mutex_lock(&s->lock);
  if (!s->asked) (void)pthread_cond_timedwait(&s->wake, &s->lock, &at);
  const bool asked = s->asked;
  s->asked = false;
  (void)pthread_mutex_unlock(&s->lock);
  return asked;
}

serve_run *serve_hold(serve_service *s, serve_slot **slot, const char *name) {
  serve_run *run = NULL;
  if (slot != NULL) *slot = NULL;
  (void)pthread_mutex_lock(&s->lock);
  for (size_t i = 0; i < s->count; i++) {
    if (name != NULL && strcmp(s->slots[i].name, name) != 0) continue;
    if (slot != NULL) *slot = &s->slots[i];
    run = s->slots[i].run;
    if (run != NULL) run->users++;
    break;
  }
  (void)pthread_mutex_unlock(&s->lock);
  return run;
}

void serve_release(serve_service *s, serve_run *run) {
  (void)pthread_mutex_lock(&s->lock);
  release_run(run);
  (void)pthread_mutex_unlock(&s->lock);
}

/* locking: lock held. */
static bool is_slot_ready(const serve_slot *slot, char why[SOTTO_ERROR_TEXT]) {
  sotto_joint_state state;
  if (slot->run == NULL) {
    if (why != NULL) (void)snprintf(why, SOTTO_ERROR_TEXT, "not all runs are loaded");
    return false;
  }
  if (slot->run->source.look == NULL) return true;
  slot->run->source.look(slot->run->source.context, &state);
  if (!state.ready && why != NULL)
    (void)snprintf(why, SOTTO_ERROR_TEXT, "no session with %.127s: %.300s", state.peer, state.problem);
  return state.ready;
}

bool serve_is_ready(serve_service *s, char why[SOTTO_ERROR_TEXT]) {
  bool ready = true;
  (void)pthread_mutex_lock(&s->lock);
  for (size_t i = 0; ready && i < s->count; i++) ready = is_slot_ready(&s->slots[i], why);
  (void)pthread_mutex_unlock(&s->lock);
  return ready;
}

void serve_count(serve_service *s, unsigned code, bool prediction, double seconds) {
  size_t bucket = 0;
  atomic_fetch_add_explicit(&s->codes[code < SERVE_CODES ? code : 0], 1, memory_order_relaxed);
  if (!prediction) return;
  while (bucket < SERVE_BUCKETS && seconds > serve_bounds[bucket]) bucket++;
  atomic_fetch_add_explicit(&s->buckets[bucket], 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&s->nanoseconds, (uint64_t)(seconds * 1e9), memory_order_relaxed);
}
