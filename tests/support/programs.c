/* Parties as processes of the program. */
#include "programs.h"

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "run/method/method.h"
#include "run/parties/party_roles.h"
#include "run_files.h"

enum { most_words = 160, most_text = 1200, most_links = 64 };

extern char **environ;

/* Words of a command, or of an environment, in memory of their own. */
typedef struct words {
  char *of[most_words + 256];
  size_t count;
} words;

static void add(words *w, const char *format, ...) {
  char text[most_text];
  va_list arguments;
  va_start(arguments, format);
  const int size = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  assert_true(size >= 0 && (size_t)size < sizeof text && w->count + 1 < sizeof w->of / sizeof *w->of);
  w->of[w->count] = strdup(text);
  assert_non_null(w->of[w->count++]);
  w->of[w->count] = NULL;
}

static void words_free(words *w) {
  for (size_t i = 0; i < w->count; i++) free(w->of[i]);
}

static void path_of(char out[most_text], const check_party *p, const char *ending) {
  (void)snprintf(out, most_text, "%.1000s.%s", p->options.out, ending);
}

static void add_place(words *w, const check_party *p) {
  add(w, "--role");
  add(w, "%s", p->role);
  add(w, "--insecure-loopback");
  if (p->party.listen != NULL) {
    add(w, "--listen");
    add(w, "%s", p->party.listen);
  }
  for (size_t i = 0; i < p->party.peer_count; i++) {
    add(w, "--peer");
    if (p->peers[i].address == NULL)
      add(w, "%s", p->peers[i].name);
    else
      add(w, "%s=%s", p->peers[i].name, p->peers[i].address);
  }
}

/* Everything that was given by hand, on the command line: a run file may not weaken privacy. */
static void train_words(words *w, const char *program, const check_party *p) {
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  char file[most_text];
  path_of(file, p, "yaml");
  FILE *run = fopen(file, "w");
  assert_non_null(run);
  (void)fprintf(run, "grace: 20\n");
  assert_int_equal(fclose(run), 0);
  add(w, "%s", program);
  add(w, "run");
  add(w, "%s", file);
  add_place(w, p);
  for (size_t i = 0; i < count; i++) {
    char value[1100];
    if (!p->options.given[i]) continue;
    if (strcmp(infos[i].key, "data") == 0 && !sotto_i_party_has_data(&p->party)) continue;
    sotto_option_text(&p->options, i, value, sizeof value);
    add(w, "--%s=%s", infos[i].key, value);
  }
}

/* Answers of the finished run. */
static void ask_words(words *w, const char *program, const check_party *p) {
  add(w, "%s", program);
  add(w, "run");
  add(w, "predict");
  add(w, "%s", p->options.out);
  add_place(w, p);
  add(w, "--ledger=%s", p->options.ledger);
}

/* Answers about the data as if they were other ones: by a release of their own, or of a run without noise by
 * none. */
static void ask_anew_words(words *w, const char *program, const check_party *p) {
  sotto_options resolved = p->options;
  sotto_options_resolve(&resolved);
  const bool noisy =
      sotto_i_variant_has_noise(sotto_i_variant_of(&resolved)) && sotto_i_job_wants_privacy(&resolved);
  ask_words(w, program, p);
  add(w, "--epsilon=%s", noisy ? "2" : "inf");
  if (sotto_i_party_has_data(&p->party)) add(w, "--data=%s", p->options.data);
}

typedef void command_fn(words *w, const char *program, const check_party *p);

static void environment_of(words *w, const check_party *p, const char *link, uint64_t noise,
                           const check_rogue *rogue) {
  char trace[most_text];
  path_of(trace, p, link);
  for (char **at = environ; *at != NULL; at++)
    if (strlen(*at) < most_text) add(w, "%s", *at);
  add(w, "SOTTO_NOISE=%llu", (unsigned long long)noise);
  add(w, "SOTTO_TRACE=%s", trace);
  if (rogue != NULL && strcmp(rogue->role, p->role) == 0)
    add(w, "SOTTO_HOSTILE=%d %s", rogue->form, rogue->payload);
}

static pid_t begin(const check_party *p, command_fn *make, const char *link, uint64_t noise,
                   const check_rogue *rogue) {
  const char *program = getenv("SOTTO_TRACED");
  words command = {.count = 0}, environment = {.count = 0};
  char log[most_text];
  posix_spawn_file_actions_t files;
  pid_t pid;
  if (program == NULL) fail_msg("SOTTO_TRACED is not set: it is the program of tests/faults/traced.c");
  path_of(log, p, "log");
  make(&command, program, p);
  environment_of(&environment, p, link, noise, rogue);
  assert_int_equal(posix_spawn_file_actions_init(&files), 0);
  assert_int_equal(posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0), 0);
  assert_int_equal(posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0600), 0);
  assert_int_equal(posix_spawn_file_actions_adddup2(&files, 1, 2), 0);
  assert_int_equal(posix_spawn(&pid, program, &files, NULL, command.of, environment.of), 0);
  (void)posix_spawn_file_actions_destroy(&files);
  words_free(&command);
  words_free(&environment);
  return pid;
}

static size_t run_all(int status[CHECK_MOST_PARTIES], const check_placement *parties, command_fn *make,
                      const char *link, uint64_t noise, const check_rogue *rogue) {
  pid_t pids[CHECK_MOST_PARTIES];
  size_t failed = 0;
  for (size_t i = 0; i < parties->count; i++)
    pids[i] = begin(&parties->of[i], make, link, noise * CHECK_MOST_PARTIES + i, rogue);
  for (size_t i = 0; i < parties->count; i++) {
    assert_int_equal(waitpid(pids[i], &status[i], 0), pids[i]);
    failed += status[i] != 0;
  }
  return failed;
}

size_t check_programs_run(int status[CHECK_MOST_PARTIES], const check_placement *parties, uint64_t noise,
                          const check_rogue *rogue) {
  return run_all(status, parties, train_words, "link", noise, rogue);
}

size_t check_programs_ask(int status[CHECK_MOST_PARTIES], const check_placement *parties, uint64_t noise,
                          const check_rogue *rogue, bool anew) {
  return run_all(status, parties, anew ? ask_anew_words : ask_words, "asked", noise, rogue);
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *text_of(const char *path) {
  sotto_i_map map;
  if (!sotto_i_is_file(path)) return NULL;
  CHECK_OK(sotto_i_map_open(&map, path, &err));
  char *out = calloc(map.size + 1, 1);
  assert_non_null(out);
  if (map.size > 0) memcpy(out, map.data, map.size);
  sotto_i_map_close(&map);
  return out;
}

/* Links are opened by threads, in any order; what one sends is in its order. */
static void add_links(check_trace *t, const check_party *p, const char *link) {
  char *links[most_links];
  size_t count = 0;
  for (; count < most_links; count++) {
    char path[most_text], ending[24];
    (void)snprintf(ending, sizeof ending, "%s.%zu", link, count);
    path_of(path, p, ending);
    links[count] = text_of(path);
    if (links[count] == NULL) break;
  }
  assert_true(count < most_links);
  qsort(links, count, sizeof *links, by_text);
  for (size_t i = 0; i < count; i++) {
    check_trace_add(t, "%s, a link, on which it sends:\n%s", p->role, links[i]);
    free(links[i]);
  }
}

void check_programs_sent(check_trace *t, const check_party *p) {
  add_links(t, p, "link");
  add_links(t, p, "asked");
}

/* When a peer can be reached, and from which port, follows from the machine. */
static bool is_of_the_machine(const char *line) {
  return strstr(line, "waiting for") != NULL || strstr(line, "could not be reached") != NULL ||
         strstr(line, ": connected (") != NULL;
}

/* Without the time of the day at its beginning. */
static const char *without_time(const char *line) {
  int hours, minutes, seconds, size = 0;
  return sscanf(line, "%2d:%2d:%2d %n", &hours, &minutes, &seconds, &size) == 3 && size > 0 ? line + size
                                                                                            : line;
}

static void add_log(check_trace *t, const check_party *p) {
  char path[most_text];
  path_of(path, p, "log");
  char *text = text_of(path), *rest = text;
  assert_non_null(text);
  for (char *line; (line = strsep(&rest, "\n")) != NULL;)
    if (!is_of_the_machine(line)) check_trace_add(t, "%s says %s", p->role, without_time(line));
  free(text);
}

void check_programs_sent_then(check_trace *t, const check_party *p) {
  add_links(t, p, "asked");
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

/* Names of all files. */
static void add_names(check_trace *t, const char *folder, size_t from) {
  struct dirent **entries;
  const int count = scandir(folder, &entries, NULL, by_name);
  for (int i = 0; i < count; i++) {
    char path[1400];
    (void)snprintf(path, sizeof path, "%.1100s/%.250s", folder, entries[i]->d_name);
    if (entries[i]->d_name[0] != '.') {
      if (sotto_i_is_folder(path))
        add_names(t, path, from);
      else
        check_trace_add(t, "a file %s", path + from);
    }
    free(entries[i]);
  }
  if (count >= 0) free(entries);
}

void check_programs_trace(check_trace *t, const check_party *p, int status, bool owner) {
  check_trace_add(t, "%s ends with status %d", p->role, WIFEXITED(status) ? WEXITSTATUS(status) : -status);
  /* Its own screen has measures, which are the owner's where they are private. */
  if (owner || !sotto_options_hide_measures(&p->options)) add_log(t, p);
  check_programs_sent(t, p);
  if (sotto_i_is_folder(p->options.out)) {
    check_trace_folder(t, p->options.out);
    if (owner) add_names(t, p->options.out, strlen(p->options.out));
  }
  check_trace_ledger(t, p->options.ledger);
}

bool check_programs_said(const check_party *p, const char *words) {
  char path[most_text];
  path_of(path, p, "log");
  char *text = text_of(path);
  const bool found = text != NULL && strstr(text, words) != NULL;
  free(text);
  return found;
}

void check_programs_show(const check_party *p) {
  char path[most_text];
  path_of(path, p, "log");
  char *text = text_of(path);
  (void)printf("%s of %s:\n%s\n", p->role, p->options.method,
               text == NULL ? "" : text); /* whole, however long */
  free(text);
}

void check_programs_remove(const check_placement *parties) {
  for (size_t i = 0; i < parties->count; i++) {
    const check_party *p = &parties->of[i];
    char path[most_text];
    bool there = true;
    if (sotto_i_is_folder(p->options.out)) check_remove_folder(p->options.out);
    for (size_t k = 0; there; k++) {
      char ending[2][24];
      (void)snprintf(ending[0], sizeof ending[0], "link.%zu", k);
      (void)snprintf(ending[1], sizeof ending[1], "asked.%zu", k);
      there = false;
      for (int of = 0; of < 2; of++) {
        path_of(path, p, ending[of]);
        there = unlink(path) == 0 || there;
      }
    }
    path_of(path, p, "log");
    (void)unlink(path);
    path_of(path, p, "yaml");
    (void)unlink(path);
    (void)unlink(p->options.ledger);
  }
}
