/* metrics.jsonl: one line for each epoch and each seed, written at once, so that a crash loses none. An
 * epoch that is repeated after a restart replaces its earlier line, so that each epoch occurs once. */
#include "metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "nn/quality.h"
#include "run/files/folder_file.h"

enum { LINE_SIZE = 320, STAGE_SIZE = 64 };

static const sotto_i_folder_file metrics_file = {
    "metrics.jsonl", SOTTO_I_FOR_MEASURES, "losses on training items; labels of validation and test items"};

/* The latest epoch of a stage in the file. */
typedef struct reached {
  uint64_t seed, epoch;
  char stage[STAGE_SIZE];
} reached;

struct sotto_i_metrics {
  char *folder, *path; /* path: NULL before the first line */
  const sotto_options *options;
  const sotto_recorder *also;
  FILE *stream; /* NULL before the first line */
  reached *stages;
  size_t count, room;
};

sotto_status sotto_i_metrics_open(sotto_i_metrics **out, const char *folder, const sotto_options *options,
                                  const sotto_recorder *also, sotto_error *err) {
  sotto_status status = sotto_i_new(out, 1, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  (*out)->also = also;
  (*out)->options = options;
  status = sotto_i_strdup(&(*out)->folder, folder, err);
  if (status == SOTTO_OK) return SOTTO_OK;
  sotto_i_metrics_close(*out);
  *out = NULL;
  return status;
}

void sotto_i_metrics_close(sotto_i_metrics *metrics) {
  if (metrics == NULL) return;
  if (metrics->stream != NULL) (void)fclose(metrics->stream);
  sotto_i_free(metrics->stages);
  sotto_i_free(metrics->folder);
  sotto_i_free(metrics->path);
  sotto_i_free(metrics);
}

/* Parses a line: an epoch, or the end of a seed (epoch 0). False for any other line. */
static bool parse(reached *out, const char *line, size_t size) {
  char text[LINE_SIZE];
  unsigned long long seed = 0, epoch = 0;
  *out = (reached){0};
  if (size == 0 || size >= sizeof text || line[size - 1] != '}') return false;
  memcpy(text, line, size);
  text[size] = '\0';
  int found =
      sscanf(text, "{\"seed\":%llu,\"stage\":\"%63[^\"]\",\"epoch\":%llu,", &seed, out->stage, &epoch);
  out->seed = seed;
  out->epoch = epoch;
  return found == 3 || (found == 1 && strstr(text, "\"test\":") != NULL);
}

static reached *stage_of(sotto_i_metrics *m, uint64_t seed, const char *stage) {
  for (size_t i = 0; i < m->count; i++)
    if (m->stages[i].seed == seed && strcmp(m->stages[i].stage, stage) == 0) return &m->stages[i];
  return NULL;
}

static void record_line(sotto_i_metrics *m, const reached *line) {
  reached *known = stage_of(m, line->seed, line->stage);
  if (known == NULL) {
    if (sotto_i_grow(&m->stages, &m->room, m->count + 1, sizeof *m->stages, NULL) != SOTTO_OK) return;
    known = &m->stages[m->count++];
  }
  *known = *line;
}

/* Is this line repeated by the training that `again` (NULL: none) starts? The end of a seed is repeated
 * with its epochs. */
static bool is_redone(const reached *line, const reached *again) {
  if (again == NULL || line->seed != again->seed) return false;
  return line->epoch == 0 || (strcmp(line->stage, again->stage) == 0 && line->epoch >= again->epoch);
}

/* Keeps only complete lines that are not repeated. */
static sotto_status rewrite(sotto_i_metrics *m, const reached *again, sotto_error *err) {
  sotto_i_map map;
  sotto_i_writer writer = {.descriptor = -1};
  sotto_status status = sotto_i_map_open(&map, m->path, err);
  if (status != SOTTO_OK) return status;
  m->count = 0;
  SOTTO_TRY(sotto_i_writer_open(&writer, m->path, err));
  for (const char *at = (const char *)map.data, *end = at + map.size; at < end;) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    reached line;
    if (stop == NULL) break; /* truncated by a crash */
    if (parse(&line, at, (size_t)(stop - at)) && !is_redone(&line, again)) {
      SOTTO_TRY(sotto_i_writer_add(&writer, at, (size_t)(stop - at) + 1, err));
      record_line(m, &line);
    }
    at = stop + 1;
  }
  SOTTO_TRY(sotto_i_writer_commit(&writer, err));
done:
  if (status != SOTTO_OK) sotto_i_writer_abandon(&writer);
  sotto_i_map_close(&map);
  return status;
}

/* Opens the file and records its lines; those that `again` repeats are removed. */
static void open_file(sotto_i_metrics *m, const reached *again) {
  if (m->stream != NULL) (void)fclose(m->stream);
  m->stream = NULL;
  if (m->path == NULL &&
      sotto_i_folder_path(&m->path, m->folder, &metrics_file, NULL, m->options, NULL) != SOTTO_OK)
    return;
  if (sotto_i_is_file(m->path) && rewrite(m, again, NULL) != SOTTO_OK) return;
  int descriptor = open(m->path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor >= 0) m->stream = fdopen(descriptor, "a");
  if (descriptor >= 0 && m->stream == NULL) (void)close(descriptor);
}

static void write_text(sotto_i_metrics *m, const reached *what, const char *line) {
  if (m->stream == NULL) open_file(m, NULL);
  const reached *known = stage_of(m, what->seed, what->stage);
  if (known != NULL && what->epoch == 0) return;
  if (known != NULL && known->epoch >= what->epoch) open_file(m, what);
  if (m->stream == NULL) return;
  (void)fputs(line, m->stream);
  (void)fflush(m->stream);
  record_line(m, what);
}

/* A number, or null: JSON has no NaN. */
static const char *value_text(char out[32], double value) {
  if (isfinite(value))
    (void)snprintf(out, 32, "%.9g", value);
  else
    (void)snprintf(out, 32, "null");
  return out;
}

static void record_epoch(void *context, const sotto_epoch *epoch) {
  sotto_i_metrics *m = context;
  char loss[32], validation[32], line[LINE_SIZE];
  reached what = {.seed = epoch->seed, .epoch = epoch->epoch};
  (void)snprintf(what.stage, sizeof what.stage, "%s", epoch->stage);
  (void)snprintf(line, sizeof line,
                 "{\"seed\":%llu,\"stage\":\"%s\",\"epoch\":%llu,\"loss\":%s,\"validation\":%s}\n",
                 (unsigned long long)epoch->seed, what.stage, (unsigned long long)epoch->epoch,
                 value_text(loss, epoch->loss), value_text(validation, epoch->validation));
  write_text(m, &what, line);
  if (m->also != NULL && m->also->epoch != NULL) m->also->epoch(m->also->context, epoch);
}

static void record_seed(void *context, const sotto_seed_result *result) {
  sotto_i_metrics *m = context;
  char value[32], line[LINE_SIZE];
  const reached what = {.seed = result->seed};
  int size = snprintf(line, sizeof line, "{\"seed\":%llu,\"test\":{", (unsigned long long)result->seed);
  const int first = sotto_i_measures_begin(m->options->task);
  for (int k = first; k < sotto_i_measures_end(m->options->task); k++)
    size += snprintf(line + size, sizeof line - (size_t)size, "%s\"%s\":%s", k > first ? "," : "",
                     sotto_measure_name((sotto_measure)k), value_text(value, result->test.of[k]));
  (void)snprintf(line + size, sizeof line - (size_t)size, "}}\n");
  write_text(m, &what, line);
  if (m->also != NULL && m->also->seed != NULL) m->also->seed(m->also->context, result);
}

sotto_recorder sotto_i_metrics_recorder(sotto_i_metrics *metrics) {
  return (sotto_recorder){.context = metrics, .epoch = record_epoch, .seed = record_seed};
}
