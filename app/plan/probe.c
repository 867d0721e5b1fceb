/* One short training in its own process. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/text.h"
#include "common/file.h"
#include "common/memory.h"
#include "estimate.h"

enum { most_path = 512, interrupted = 130 };

typedef struct place {
  char folder[most_path], data[most_path], run[most_path], yaml[most_path], log[most_path];
} place;

static double bytes_of_run, bytes_of_seed;

static int add_bytes(const char *path, const struct stat *info, int kind, struct FTW *at) {
  (void)at;
  if (kind == FTW_F)
    *(strstr(path, "/seed-") != NULL ? &bytes_of_seed : &bytes_of_run) += (double)info->st_size;
  return 0;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *at) {
  (void)info;
  (void)kind;
  (void)at;
  return remove(path);
}

static sotto_status make_place(place *p, sotto_error *err) {
  const char *temporary = getenv("TMPDIR");
  if (temporary == NULL || temporary[0] == '\0') temporary = "/tmp";
  (void)snprintf(p->folder, sizeof p->folder, "%.400s/sotto-estimate-XXXXXX", temporary);
  if (mkdtemp(p->folder) == NULL)
    return sotto_i_fail(err, SOTTO_IO, "%s: could not make a folder there: %s", temporary, strerror(errno));
  const struct {
    char *to;
    const char *name;
  } files[] = {{p->data, "made.sotto"}, {p->run, "run"}, {p->yaml, "run.yaml"}, {p->log, "log"}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    (void)snprintf(files[i].to, most_path, "%.480s/%s", p->folder, files[i].name);
  return SOTTO_OK;
}

/* Writes one line of the run file. Options that name files or accounts, or say how tables are read, are left
 * out; epochs and rounds are reduced, of clients the rounds alone. */
static void write_probe_option(FILE *out, const char *line, bool in_rounds, double share) {
  static const char *const left_out[] = {"data",          "ids",         "ledger", "account",
                                         "encoder-cache", "record-wire", "seeds"};
  static const char *const cut[] = {"epochs", "encoder-epochs", "generator-epochs", "embed-epochs", "rounds"};
  const size_t length = strcspn(line, ":");
  for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
    if (strlen(left_out[i]) == length && memcmp(left_out[i], line, length) == 0) return;
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t i = 0; i < count; i++)
    if (infos[i].group == SOTTO_GROUP_TABLES && strlen(infos[i].key) == length &&
        memcmp(infos[i].key, line, length) == 0)
      return;
  for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
    if (strlen(cut[i]) != length || memcmp(cut[i], line, length) != 0) continue;
    if (i == 0 && in_rounds) break;
    const double value = strtod(line + length + 1, NULL), now = value * share;
    (void)fprintf(out, "%s: %.0f\n", cut[i], value < 1 ? value : now < 1 ? 1 : now);
    return;
  }
  (void)fprintf(out, "%s\n", line);
}

static sotto_status write_options(const place *p, const sotto_options *options, double share,
                                  sotto_error *err) {
  char *text = NULL;
  size_t size;
  sotto_status status;
  SOTTO_TRY(sotto_options_write(options, p->yaml, err));
  SOTTO_TRY(app_read_file(&text, &size, p->yaml, err));
  FILE *out = fopen(p->yaml, "w");
  if (out == NULL) {
    status = sotto_i_fail(err, SOTTO_IO, "%s: %s", p->yaml, strerror(errno));
    goto done;
  }
  const bool in_rounds = strstr(text, "\nrounds:") != NULL;
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
    write_probe_option(out, line, in_rounds, share);
  if (fclose(out) != 0) status = sotto_i_fail(err, SOTTO_IO, "%s: %s", p->yaml, strerror(errno));
done:
  free(text);
  return status;
}

/* Fails with the last error message of the training. */
static sotto_status fail_with_log(const place *p, sotto_error *err) {
  char *text = NULL;
  size_t size = 0;
  sotto_error unread = {0};
  sotto_status status = SOTTO_INVALID;
  if (app_read_file(&text, &size, p->log, &unread) != SOTTO_OK) text = NULL;
  char *last = text == NULL ? NULL : strstr(text, "sotto: ");
  if (last != NULL) last[strcspn(last, "\n")] = '\0';
  status = sotto_i_fail(err, SOTTO_INVALID, "estimate: a short training on made data failed: %s",
                        last == NULL ? "it did not say why" : last + 7);
  free(text);
  return status;
}

/* The environment, with another ledger: it is created on first use and removed with the folder. */
static char **environment_new(char *const own[], size_t own_count, sotto_error *err) {
  extern char **environ;
  char **list = NULL;
  size_t all = own_count, count = 0;
  for (char **e = environ; *e != NULL; e++) all++;
  if (app_new(&list, all + 1, sizeof *list, err) != SOTTO_OK) return NULL;
  for (; count < own_count; count++) list[count] = own[count];
  for (char **e = environ; *e != NULL; e++)
    if (strncmp(*e, "SOTTO_LEDGER", 12) != 0 && strncmp(*e, "XDG_", 4) != 0 &&
        strncmp(*e, "SOTTO_BATCH_ROWS", 16) != 0 && strncmp(*e, "SOTTO_MEMORY", 12) != 0)
      list[count++] = *e;
  list[count] = NULL;
  return list;
}

/* Runs the training after a fork. Its output goes to the log, and it ends if the waiting parent ends. */
static _Noreturn void run_training(const place *p, pid_t parent, char *const *words,
                                   char *const *surroundings) {
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int log = open(p->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (getppid() == parent && log >= 0 && dup2(log, 1) >= 0 && dup2(log, 2) >= 0)
    (void)execve("/proc/self/exe", words, surroundings);
  _exit(1);
}

/* An interrupt of this process stops the training: one signal, and then a wait for its end. */
static void wait_for(int *state, struct rusage *used, pid_t child) {
  const int patience = 2; /* milliseconds: little of what is timed */
  bool asked = false;
  pid_t ended = 0;
  while (ended == 0 || (ended < 0 && errno == EINTR)) {
    if (sotto_interrupted() && !asked) asked = kill(child, SIGTERM) == 0;
    ended = wait4(child, state, WNOHANG, used);
    if (ended == 0) (void)poll(NULL, 0, patience);
  }
}

static sotto_status spawn(estimate_probe *probe, place *p, sotto_error *err) {
  char ledger[most_path + 24], key[most_path + 24], batch[40], memory[40];
  char name[] = "sotto", verb[] = "train", data[] = "--data", out[] = "--out";
  char *words[] = {name, verb, p->yaml, data, p->data, out, p->run, NULL};
  int state = 0;
  struct rusage used = {0};
  (void)snprintf(ledger, sizeof ledger, "XDG_DATA_HOME=%s", p->folder);
  (void)snprintf(key, sizeof key, "XDG_CONFIG_HOME=%s", p->folder);
  (void)snprintf(batch, sizeof batch, "SOTTO_BATCH_ROWS=%u", probe->batch_rows);
  (void)snprintf(memory, sizeof memory, "SOTTO_MEMORY=%.0f", probe->allowed);
  char *own[] = {ledger, key, batch, memory};
  char **surroundings = environment_new(own, sizeof own / sizeof *own, err);
  if (surroundings == NULL) return SOTTO_NOMEM;
  const double begin = sotto_i_seconds();
  const pid_t parent = getpid(), child = fork();
  if (child == 0) run_training(p, parent, words, surroundings);
  free(surroundings);
  if (child < 0) return sotto_i_fail(err, SOTTO_IO, "estimate: could not start itself: %s", strerror(errno));
  wait_for(&state, &used, child);
  probe->seconds = sotto_i_seconds() - begin;
  probe->memory = (double)used.ru_maxrss * 1024;
  if (sotto_interrupted() || (WIFEXITED(state) && WEXITSTATUS(state) == interrupted))
    return sotto_i_fail(err, SOTTO_INTERRUPTED, "stopped on request");
  return WIFEXITED(state) && WEXITSTATUS(state) == 0 ? SOTTO_OK : fail_with_log(p, err);
}

/* Reads the peak that the training reports itself: the system's figure starts from the peak of this
 * process. */
static void read_peak(estimate_probe *probe, const place *p) {
  const char *name = probe->allowed > 0 ? "\"peak_own_mb\":" : "\"peak_rss_mb\":";
  char path[most_path + 32], *text = NULL;
  size_t size = 0;
  sotto_error unread = {0};
  (void)snprintf(path, sizeof path, "%s/owner-only/memory.json", p->run);
  if (app_read_file(&text, &size, path, &unread) != SOTTO_OK) return;
  const char *found = strstr(text, name);
  const double megabytes = found == NULL ? 0 : strtod(found + strlen(name), NULL);
  if (megabytes > 0) probe->memory = megabytes * 1e6;
  free(text);
}

sotto_status estimate_measure(estimate_probe *probe, const sotto_options *options,
                              const estimate_shape *shape, sotto_error *err) {
  static place p;
  sotto_dataset data = {0};
  sotto_status status;
  sotto_dataset like = *shape->data; /* a dataset with the declared number of classes is generated */
  p = (place){.folder = ""};
  if (options->classes > 0 && like.classes > 0) like.classes = (uint32_t)options->classes;
  if (options->classes > 0 && like.graph_classes > 0) like.graph_classes = (uint32_t)options->classes;
  SOTTO_TRY(make_place(&p, err));
  SOTTO_TRY(estimate_made(&data, &(estimate_shape){&like, shape->density}, probe->items, err));
  SOTTO_TRY(sotto_dataset_save(&data, p.data, err));
  sotto_dataset_free(&data); /* so that this process and the training do not both hold the data */
  SOTTO_TRY(write_options(&p, options, probe->share, err));
  SOTTO_TRY(spawn(probe, &p, err));
  read_peak(probe, &p);
  bytes_of_run = bytes_of_seed = 0;
  (void)nftw(p.run, add_bytes, 16, FTW_PHYS);
  probe->disk = bytes_of_run + bytes_of_seed * (double)options->seeds;
done:
  sotto_dataset_free(&data);
  if (p.folder[0] != '\0') (void)nftw(p.folder, remove_entry, 16, FTW_PHYS | FTW_DEPTH);
  return status;
}
