/* The flags shared by long-running verbs, and the observer and the live board behind them.
 *
 * Locking: `printing` guards the output and all members of `now_watched` but state and history. `lock`
 * guards these two, and is held only for moments. A writer holds both, so that they can be read under
 * either one. Threads of the library call the observer, one at a time. Threads of the servers copy the
 * state under `lock` and read the copy. So no reader and no stopped terminal delays the other side. */
#include "watch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "board/board.h"
#include "common/memory.h"
#include "common/print.h"
#include "run.h"
#include "sotto/ranks.h"

static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static watch now_watched = {.style = {.level = WATCH_INFO}};
static board *shown;

static void progress(void *context, const char *stage, uint64_t done, uint64_t total, const char *note) {
  watch *w = context;
  const double now = sotto_i_seconds();
  (void)pthread_mutex_lock(&printing);
  (void)pthread_mutex_lock(&lock);
  watch_state_progress(&w->state, stage, done, total, now);
  watch_state_note(&w->state, note);
  watch_history_progress(&w->history, &w->state, stage);
  (void)pthread_mutex_unlock(&lock);
  if (strcmp(stage, "seed") != 0) watch_show_progress(w, now);
  (void)pthread_mutex_unlock(&printing);
}

static void log_line(void *context, sotto_log_level level, const char *text) {
  watch *w = context;
  (void)pthread_mutex_lock(&printing);
  watch_show_line(w, level == SOTTO_LOG_WARNING ? WATCH_WARN : WATCH_INFO, "log", text);
  (void)pthread_mutex_unlock(&printing);
}

static void note_event(void *context, const sotto_event *event) {
  watch *w = context;
  const double now = sotto_i_seconds();
  (void)pthread_mutex_lock(&printing);
  (void)pthread_mutex_lock(&lock);
  watch_state_event(&w->state, event, now);
  watch_history_event(&w->history, &w->state, event);
  (void)pthread_mutex_unlock(&lock);
  watch_show_event(w, event, now);
  (void)pthread_mutex_unlock(&printing);
}

sotto_observer cli_observer(void) {
  return (sotto_observer){
      .context = &now_watched, .progress = progress, .log = log_line, .event = note_event};
}

void cli_observer_end(void) {
  (void)pthread_mutex_lock(&printing);
  watch_close_line(&now_watched);
  (void)pthread_mutex_unlock(&printing);
}

bool cli_watch_said(const char *level, const char *event, const char *text) {
  watch_level number = WATCH_ERROR;
  if (!now_watched.style.json) return false;
  (void)watch_level_read(&number, level);
  (void)pthread_mutex_lock(&printing);
  watch_show_line(&now_watched, number, event, text);
  (void)pthread_mutex_unlock(&printing);
  return true;
}

void cli_watch_certificate(const char *folder) {
  sotto_identity_info own;
  if (sotto_identity_check(&own, folder, NULL) != SOTTO_OK) return;
  (void)pthread_mutex_lock(&printing);
  (void)pthread_mutex_lock(&lock);
  now_watched.state.certificate = true;
  now_watched.state.certificate_days = (double)own.days;
  now_watched.state.certificate_read = sotto_i_seconds();
  (void)pthread_mutex_unlock(&lock);
  (void)pthread_mutex_unlock(&printing);
}

static void copy_view(board_view *out) {
  (void)pthread_mutex_lock(&lock);
  out->state = now_watched.state;
  out->history = now_watched.history;
  (void)pthread_mutex_unlock(&lock);
}

void cli_watch_run(const sotto_options *options, const sotto_dataset *data, const char *role) {
  static watch_history made;
  watch_run *run = &made.run;
  sotto_options resolved = *options;
  sotto_options_resolve(&resolved);
  const bool hides = sotto_options_hide_measures(&resolved);
  (void)pthread_mutex_lock(&printing);
  (void)pthread_mutex_lock(&lock);
  now_watched.state.hides = hides;
  (void)pthread_mutex_unlock(&lock);
  (void)pthread_mutex_unlock(&printing);
  if (shown == NULL) return;
  const bool has_data = data != NULL && data->name[0] != '\0' && strcmp(options->data, "none") != 0;
  *run = (watch_run){.seed = options->seed, .seeds = options->seeds};
  (void)snprintf(run->method, sizeof run->method, "%.63s", options->method);
  (void)snprintf(run->data, sizeof run->data, "%.127s", has_data ? data->name : "");
  (void)snprintf(run->adjacency, sizeof run->adjacency, "%.31s", sotto_adjacency_name(options->adjacency));
  (void)snprintf(run->role, sizeof run->role, "%.15s", role);
  (void)snprintf(run->folder, sizeof run->folder, "%.1023s", options->out);
  if ((options->resume || role[0] != '\0') && !hides) watch_history_load(&made);
  (void)pthread_mutex_lock(&printing);
  (void)pthread_mutex_lock(&lock);
  now_watched.history = made;
  (void)pthread_mutex_unlock(&lock);
  (void)pthread_mutex_unlock(&printing);
}

/* Removes "--NAME VALUE" or "--NAME=VALUE" from the words. False: the value is missing. */
static bool remove_flag(const char **value, const char *name, int *argc, char **argv) {
  const size_t length = strlen(name);
  for (int i = 0; i < *argc; i++) {
    if (strncmp(argv[i], "--", 2) != 0 || strncmp(argv[i] + 2, name, length) != 0) continue;
    const char *rest = argv[i] + 2 + length;
    const int words = *rest == '=' ? 1 : 2;
    if (*rest != '=' && *rest != '\0') continue;
    if (words == 2 && i + 1 == *argc) return cli_usage("--%s needs a value", name), false;
    *value = words == 1 ? rest + 1 : argv[i + 1];
    for (int k = i; k + words <= *argc; k++) argv[k] = argv[k + words]; /* including the NULL at the end */
    *argc -= words;
    i--;
  }
  return true;
}

static bool set_style(const char *form, const char *level) {
  watch_style *style = &now_watched.style;
  if (form != NULL && strcmp(form, "json") != 0 && strcmp(form, "text") != 0)
    return cli_usage("--log %s: json or text", form), false;
  style->json = form != NULL && strcmp(form, "json") == 0;
  if (level == NULL || watch_level_read(&style->level, level)) return true;
  return cli_usage("--log-level %s: error, warn, info or debug", level), false;
}

static int open_board(const char *address, const char *token, bool page) {
  sotto_error err = {0};
  const board_options options = {
      .address = address, .token_file = token, .flag = "--board-token", .look = copy_view, .page = page};
  if (address == NULL && token != NULL)
    return cli_usage("--board-token is for --board, which says where to listen");
  if (address == NULL) return EXIT_DONE;
  return board_open(&shown, &options, &err) == SOTTO_OK ? EXIT_DONE : cli_error(&err);
}

int cli_watch_begin(const char *verb, cli_watching watching, int *argc, char **argv) {
  const char *form = NULL, *level = NULL, *address = NULL, *token = NULL;
  if (!remove_flag(&form, "log", argc, argv) || !remove_flag(&level, "log-level", argc, argv) ||
      (watching >= CLI_WATCHED && !remove_flag(&address, "board", argc, argv)) ||
      (watching >= CLI_WATCHED && !remove_flag(&token, "board-token", argc, argv)) || !set_style(form, level))
    return EXIT_USAGE;
  now_watched.state.begun = sotto_i_seconds();
  (void)snprintf(now_watched.state.verb, sizeof now_watched.state.verb, "%.15s", verb);
  if (sotto_ranks_launched() > 1 && sotto_ranks_launched_as() > 0)
    return EXIT_DONE; /* rank 0 listens for all ranks */
  const int code = open_board(address, token, watching >= CLI_SHOWN);
  if (code != EXIT_DONE) cli_watch_end(code);
  return code;
}

void cli_watch_end(int code) {
  (void)pthread_mutex_lock(&printing);
  (void)pthread_mutex_lock(&lock);
  now_watched.state.ended = true;
  now_watched.state.code = code;
  (void)pthread_mutex_unlock(&lock);
  (void)pthread_mutex_unlock(&printing);
  board_close(shown, 1);
  shown = NULL;
}

void cli_watch_help(cli_watching watching) {
  (void)puts("\nwatching:\n"
             "  --log text|json     lines on stderr [text]\n"
             "  --log-level LEVEL   error, warn, info or debug [info]");
  (void)puts(
      watching < CLI_SHOWN
          ? "  --board ADDRESS     answer GET /health, /ready and /metrics (Prometheus) at HOST:PORT or "
            "unix:PATH"
          : "  --board ADDRESS     a page at HOST:PORT or unix:PATH that follows the run, with /health, "
            "/ready\n"
            "                      and /metrics (Prometheus) for programs");
  (void)puts("  --board-token FILE  the token that requests have to show; needed where others can reach the "
             "address");
}
