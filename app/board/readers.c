/* Updates for one reader of the board: parts that changed, a sentence now and then, the end. */
#include "readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "common/memory.h"
#include "report/page/page.h"
#include "sections.h"

static const double least_age = 0.9, silence = 10; /* seconds */

typedef struct reader {
  board_readers *all;
  uint64_t versions[BOARD_PARTS]; /* of the parts that the reader has; 0: none */
  char latest[WATCH_WORDS];
  bool begun;
  double heard; /* time of the last byte sent to the reader */
} reader;

void board_readers_begin(board_readers *readers, void (*look)(board_view *out)) {
  memset(readers, 0, sizeof *readers);
  readers->look = look;
  (void)pthread_mutex_init(&readers->lock, NULL);
}

void board_readers_end(board_readers *readers) {
  for (size_t i = 0; i < BOARD_PARTS; i++) free(readers->parts[i]);
  free(readers->report);
  (void)pthread_mutex_destroy(&readers->lock);
}

void board_readers_last(board_readers *readers) {
  (void)pthread_mutex_lock(&readers->lock);
  readers->drawn = 0;
  (void)pthread_mutex_unlock(&readers->lock);
}

/* Redraws the parts. locking: lock held. If memory runs out, a part stays as it was. */
static void redraw_parts(board_readers *r, double now) {
  r->look(&r->view);
  r->drawn = now;
  for (size_t i = 0; i < BOARD_PARTS; i++) {
    char *text = board_part(&r->view, i, now);
    if (text == NULL || (r->parts[i] != NULL && strcmp(text, r->parts[i]) == 0)) {
      free(text);
      continue;
    }
    free(r->parts[i]);
    r->parts[i] = text;
    r->versions[i] = ++r->latest;
  }
  if (r->view.state.ended && r->view.state.code == 0 && r->report == NULL &&
      r->view.history.run.method[0] != '\0')
    (void)page_text_run(&r->report, r->view.history.run.folder, "", NULL);
}

/* One server-sent event; each line of its text becomes a line "data:". */
static void put_event(FILE *out, const char *name, const char *text) {
  (void)fprintf(out, "event: %s\n", name);
  for (const char *at = text; *at != '\0';) {
    const size_t length = strcspn(at, "\n");
    (void)fprintf(out, "data: %.*s\n", (int)length, at);
    at += length + (at[length] == '\n');
  }
  (void)fputc('\n', out);
}

/* Sends the newest sentence, but not for each epoch: a screen reader speaks every one. locking: lock held. */
static void put_latest(FILE *out, reader *one, const board_view *view) {
  char words[200] = "";
  const watch_history *h = &view->history;
  if (view->state.ended)
    board_sentence(words, sizeof words, view);
  else if (h->said_count > 0)
    (void)snprintf(words, sizeof words, "%s", h->said[h->said_count - 1].words);
  if (strncmp(words, one->latest, sizeof one->latest - 1) == 0) return;
  (void)snprintf(one->latest, sizeof one->latest, "%.*s", (int)sizeof one->latest - 1, words);
  if (one->begun) put_event(out, "latest", words);
}

/* Sends all that is new for a reader. locking: lock held. */
static void put_updates(FILE *out, reader *one, bool *last) {
  board_readers *r = one->all;
  if (!one->begun) (void)fputs("retry: 3000\n\n", out);
  for (size_t i = 0; i < BOARD_PARTS; i++) {
    if (r->parts[i] == NULL || one->versions[i] == r->versions[i]) continue;
    put_event(out, board_ids[i], r->parts[i]);
    one->versions[i] = r->versions[i];
  }
  put_latest(out, one, &r->view);
  one->begun = true;
  if (!r->view.state.ended) return;
  if (r->report != NULL) put_event(out, "report", r->report);
  put_event(out, "end", "the run is over");
  *last = true;
}

static char *next_updates(void *context, bool *last) {
  reader *one = context;
  board_readers *r = one->all;
  const double now = sotto_i_seconds();
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return NULL;
  (void)pthread_mutex_lock(&r->lock);
  if (!r->view.state.ended && (r->drawn == 0 || now - r->drawn >= least_age)) redraw_parts(r, now);
  put_updates(out, one, last);
  (void)pthread_mutex_unlock(&r->lock);
  if (ftell(out) == 0 && now - one->heard > silence) (void)fputs(": still here\n\n", out);
  const bool failed = ferror(out) != 0;
  if (fclose(out) != 0 || failed || size == 0) {
    free(text);
    return NULL;
  }
  one->heard = now;
  return text;
}

bool board_reader_new(http_stream *out, board_readers *readers) {
  reader *one;
  if (app_new(&one, 1, sizeof *one, NULL) != SOTTO_OK) return false;
  one->all = readers;
  *out = (http_stream){.context = one, .more = next_updates, .end = free};
  return true;
}
