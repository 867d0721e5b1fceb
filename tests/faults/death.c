/* Deaths at steps of artifacts. The wrapped functions do what the true ones do, and die before or after.
 *
 * Threads: `armed` and what it points to are set before any thread starts; the rest is each thread's own. */
#include "death.h"

#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "dp/ledger/draws.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "release/draw.h"
#include "spending.h"

static const char *const names[DEATH_STEPS] = {"nowhere",     "half-saved", "unnamed", "saved", "uncharged",
                                               "uncommitted", "charged",    "unread",  "sent"};

static struct {
  bool on;
  char folder[1024];
  int log;
  death at;
} armed;

static _Thread_local char charging[200], drawn[CHECK_DRAW_DIGITS + 1]; /* the charge that is being made */
static _Thread_local bool looking; /* for an earlier draw: that is no use of it */

/* Opens a function that the linker puts in the place of `name`; the true one is __real_NAME. */
#define WRAP(type, name, parameters)                                                                         \
  type __real_##name parameters;                                                                             \
  type __wrap_##name parameters;                                                                             \
  type __wrap_##name parameters

ssize_t __real_write(int file, const void *bytes, size_t size);

const char *death_step_name(death_step step) {
  return names[step];
}

void death_arm(const char *folder, const char *log, const death *at) {
  (void)snprintf(armed.folder, sizeof armed.folder, "%s/", folder);
  armed.log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  armed.at = *at;
  armed.on = armed.log >= 0;
}

static void die(void) {
  (void)kill(getpid(), SIGKILL);
  for (;;) (void)pause();
}

static void reach(death_step step, const char *name, const char *more) {
  char line[400];
  if (!armed.on) return;
  int size = snprintf(line, sizeof line, "%s %s%s%s\n", names[step], name, more[0] == '\0' ? "" : " ", more);
  (void)!__real_write(armed.log, line, (size_t)size);
  if (armed.at.step == step && strcmp(armed.at.name, name) == 0) die();
}

/* Where a path goes on after the run folder; NULL: it is elsewhere. */
static const char *inside(const char *path) {
  const size_t length = strlen(armed.folder);
  return armed.on && strncmp(path, armed.folder, length) == 0 ? path + length : NULL;
}

WRAP(ssize_t, write, (int file, const void *bytes, size_t size)) {
  char link[40], path[1200];
  if (!armed.on || size < 2) return __real_write(file, bytes, size);
  (void)snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = '\0';
  const char *name = inside(path);
  char *end = name == NULL ? NULL : strstr(path, ".partial.");
  if (end == NULL) return __real_write(file, bytes, size);
  *end = '\0';
  if (armed.at.step == DEATH_HALF_SAVED && strcmp(name, armed.at.name) == 0)
    (void)!__real_write(file, bytes, size / 2);
  reach(DEATH_HALF_SAVED, name, "");
  return __real_write(file, bytes, size);
}

WRAP(int, rename, (const char *from, const char *to)) {
  const char *name = inside(to);
  if (name != NULL) reach(DEATH_UNNAMED, name, "");
  int code = __real_rename(from, to);
  if (name != NULL && code == 0) reach(DEATH_SAVED, name, "");
  return code;
}

static void begin_charge(const char *id) {
  const char *draw = check_draw_in(id);
  check_charge_name(charging, sizeof charging, id);
  (void)snprintf(drawn, sizeof drawn, "%.*s", (int)CHECK_DRAW_DIGITS, draw == NULL ? "" : draw);
  reach(DEATH_UNCHARGED, charging, drawn);
}

static sotto_status end_charge(sotto_status status) {
  if (status == SOTTO_OK) reach(DEATH_CHARGED, charging, drawn);
  charging[0] = '\0';
  return status;
}

WRAP(sotto_status, sotto_ledger_charge,
     (sotto_ledger * ledger, const uint8_t digest[32], const char *name, const sotto_charge *charges,
      size_t count, sotto_error *err)) {
  begin_charge(charges[0].id);
  return end_charge(__real_sotto_ledger_charge(ledger, digest, name, charges, count, err));
}

WRAP(sotto_status, sotto_i_ledger_draw,
     (sotto_ledger * ledger, const uint8_t digest[32], const char *name, const sotto_charge *charge,
      const char *among, uint32_t part, sotto_error *err)) {
  begin_charge(charge->id);
  return end_charge(__real_sotto_i_ledger_draw(ledger, digest, name, charge, among, part, err));
}

WRAP(int, sqlite3_exec,
     (sqlite3 * db, const char *sql, int (*row)(void *, int, char **, char **), void *context,
      char **message)) {
  if (charging[0] != '\0' && strcmp(sql, "COMMIT") == 0) reach(DEATH_UNCOMMITTED, charging, drawn);
  return __real_sqlite3_exec(db, sql, row, context, message);
}

WRAP(sotto_status, sotto_i_draw_find,
     (sotto_i_draw * out, bool *found, const char *path, const char *made_with, sotto_error *err)) {
  looking = true;
  sotto_status status = __real_sotto_i_draw_find(out, found, path, made_with, err);
  looking = false;
  return status;
}

WRAP(sotto_status, sotto_i_map_open, (sotto_i_map * out, const char *path, sotto_error *err)) {
  char draw[CHECK_DRAW_DIGITS + 1];
  const char *name = looking ? NULL : inside(path);
  if (name != NULL && check_draw_beside(draw, path)) reach(DEATH_UNREAD, name, draw);
  return __real_sotto_i_map_open(out, path, err);
}

static void sent(const char *name, const sotto_matrix *rows) {
  uint8_t digest[16];
  char text[33];
  crypto_generichash(digest, sizeof digest, (const uint8_t *)rows->data,
                     rows->rows * rows->cols * sizeof *rows->data, NULL, 0);
  reach(DEATH_SENT, name, sodium_bin2hex(text, sizeof text, digest, sizeof digest));
}

WRAP(sotto_status, sotto_link_send_release,
     (sotto_link * link, const char *name, const sotto_release *release, uint32_t layer, sotto_error *err)) {
  sotto_status status = __real_sotto_link_send_release(link, name, release, layer, err);
  if (status == SOTTO_OK) sent(name, sotto_release_layer(release, layer));
  return status;
}

WRAP(sotto_status, sotto_i_link_send_charged,
     (sotto_link * link, const char *name, const sotto_matrix *rows, const sotto_i_receipt *receipt,
      sotto_error *err)) {
  sotto_status status = __real_sotto_i_link_send_charged(link, name, rows, receipt, err);
  if (status == SOTTO_OK) sent(name, rows);
  return status;
}
