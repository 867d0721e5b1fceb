/* The file of trainings. */
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "common/memory.h"

static double number(const json_t *object, const char *key, double otherwise) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : otherwise;
}

static sotto_status push(app_bench_state *state, const app_bench_trial *trial, sotto_error *err) {
  sotto_status status =
      app_grow(&state->items, &state->capacity, state->count + 1, sizeof *state->items, err);
  if (status == SOTTO_OK) state->items[state->count++] = *trial;
  return status;
}

static sotto_status read_line(app_bench_trial *out, const char *text, size_t size, size_t line,
                              sotto_error *err) {
  json_error_t problem;
  json_t *root = json_loadb(text, size, 0, &problem);
  const char *key = json_string_value(json_object_get(root, "key"));
  const char *reason = json_string_value(json_object_get(root, "failed"));
  sotto_status status = SOTTO_OK;
  if (key == NULL || strlen(key) != APP_BENCH_KEY - 1) {
    status = sotto_i_fail(err, SOTTO_CORRUPT, "line %zu: is not a training; take the line out", line);
  } else {
    *out = (app_bench_trial){.failed = reason != NULL,
                             .validation = number(root, "validation", NAN),
                             .test = number(root, "test", NAN),
                             .seconds = number(root, "seconds", 0),
                             .epsilon = number(root, "stated_epsilon", INFINITY)};
    memcpy(out->key, key, sizeof out->key);
    (void)snprintf(out->reason, sizeof out->reason, "%s", reason == NULL ? "" : reason);
  }
  json_decref(root);
  return status;
}

/* One write, so that a line is there whole or is the last and cut. */
static bool write_line(int descriptor, const char *text, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t wrote = write(descriptor, text + done, size - done);
    if (wrote < 0 && errno != EINTR) return false;
    if (wrote > 0) done += (size_t)wrote;
  }
  return fsync(descriptor) == 0;
}

/* Reads every whole line; *whole is where the last one ends. `copy`: of another file, of which lines with
 * trainings that are not known yet are written to this one. */
static sotto_status take_lines(app_bench_state *state, const char *text, size_t length, size_t *whole,
                               bool copy, sotto_error *err) {
  size_t line = 1;
  for (*whole = 0; *whole < length; line++) {
    const char *end = memchr(text + *whole, '\n', length - *whole);
    if (end == NULL) break;
    size_t size = (size_t)(end - text) - *whole;
    app_bench_trial trial;
    sotto_status status = read_line(&trial, text + *whole, size, line, err);
    const bool known =
        copy && status == SOTTO_OK && app_bench_state_find(state, trial.key) != APP_BENCH_MISSING;
    if (status == SOTTO_OK && !known) status = push(state, &trial, err);
    if (status == SOTTO_OK && copy && !known && !write_line(state->descriptor, text + *whole, size + 1))
      status = sotto_i_fail(err, SOTTO_IO, "the file of trainings: %s", strerror(errno));
    if (status != SOTTO_OK) return status;
    *whole += size + 1;
  }
  return SOTTO_OK;
}

/* The whole file, read through the descriptor: closing another one would give up the lock. */
static sotto_status read_whole(char **out, size_t *size, int descriptor, sotto_error *err) {
  struct stat what;
  *out = NULL;
  if (fstat(descriptor, &what) != 0) return sotto_i_fail(err, SOTTO_IO, "%s", strerror(errno));
  sotto_status status = app_new(out, (size_t)what.st_size, 1, err);
  for (*size = 0; status == SOTTO_OK && *size < (size_t)what.st_size;) {
    ssize_t got = pread(descriptor, *out + *size, (size_t)what.st_size - *size, (off_t)*size);
    if (got == 0) break;
    if (got > 0) *size += (size_t)got;
    if (got < 0 && errno != EINTR) status = sotto_i_fail(err, SOTTO_IO, "%s", strerror(errno));
  }
  return status;
}

static sotto_status lock(int descriptor, sotto_error *err) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(descriptor, F_SETLK, &whole) == 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "another bench is at work here; give another --out");
}

sotto_status app_bench_state_open(app_bench_state *out, const char *path, sotto_error *err) {
  char *text = NULL;
  sotto_status status;
  size_t size = 0, whole = 0;
  *out =
      (app_bench_state){.descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (out->descriptor < 0)
    return sotto_i_fail(err, SOTTO_IO, "%s: could not open it: %s", path, strerror(errno));
  SOTTO_TRY(lock(out->descriptor, err));
  SOTTO_TRY(read_whole(&text, &size, out->descriptor, err));
  SOTTO_TRY(take_lines(out, text, size, &whole, false, err));
  if (whole < size && ftruncate(out->descriptor, (off_t)whole) != 0)
    status = sotto_i_fail(err, SOTTO_IO, "could not cut it: %s", strerror(errno));
done:
  free(text);
  if (status != SOTTO_OK) {
    sotto_i_error_prefix(err, "%s", path);
    app_bench_state_close(out);
  }
  return status;
}

sotto_status app_bench_state_take(app_bench_state *state, const char *path, sotto_error *err) {
  char *text = NULL;
  sotto_status status;
  size_t size = 0, whole;
  const int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return sotto_i_fail(err, SOTTO_IO, "%s: could not open it: %s", path, strerror(errno));
  SOTTO_TRY(read_whole(&text, &size, descriptor, err));
  SOTTO_TRY(take_lines(state, text, size, &whole, true, err));
done:
  (void)close(descriptor);
  free(text);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", path);
  return status;
}

void app_bench_state_close(app_bench_state *state) {
  if (state->descriptor >= 0) (void)close(state->descriptor);
  free(state->items);
  *state = (app_bench_state){.descriptor = -1};
}

size_t app_bench_state_find(const app_bench_state *state, const char *key) {
  for (size_t i = 0; i < state->count; i++)
    if (strcmp(state->items[i].key, key) == 0) return i;
  return APP_BENCH_MISSING;
}

static json_t *real(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

static char *line_of(const app_bench_trial *t, const app_bench_label *l) {
  json_t *root = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:I}", "dataset", l->dataset, "method", l->method,
                           "level", l->level, "epsilon", l->epsilon, "options", l->options, "key", t->key,
                           "seed", (json_int_t)l->seed);
  if (t->failed) {
    json_t *reason = json_string(t->reason); /* NULL when a message was cut inside of a character */
    json_object_set_new(root, "failed", reason != NULL ? reason : json_string("failed"));
  } else {
    json_object_set_new(root, "validation", real(t->validation));
    json_object_set_new(root, "test", real(t->test));
    json_object_set_new(root, "stated_epsilon", real(t->epsilon));
  }
  json_object_set_new(root, "seconds", real(t->seconds));
  char *text = root == NULL ? NULL : json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(root);
  return text;
}

sotto_status app_bench_state_add(app_bench_state *state, const app_bench_trial *trial,
                                 const app_bench_label *label, sotto_error *err) {
  sotto_status status = push(state, trial, err);
  if (status != SOTTO_OK) return status;
  char *text = line_of(trial, label);
  if (text == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the line of a training");
  const size_t size = strlen(text);
  text[size] = '\n'; /* in the place of the final zero */
  if (!write_line(state->descriptor, text, size + 1))
    status = sotto_i_fail(err, SOTTO_IO, "the file of trainings: %s", strerror(errno));
  free(text);
  return status;
}

static const double rounding = 1e-12; /* means that differ by less are equal, and the first is taken */

size_t app_bench_choose(const app_bench_trial *const *trials, size_t count) {
  size_t best = count;
  for (size_t i = 0; i < count; i++) {
    if (trials[i]->failed || !isfinite(trials[i]->validation)) continue;
    if (best == count || trials[i]->validation > trials[best]->validation + rounding) best = i;
  }
  return best;
}
