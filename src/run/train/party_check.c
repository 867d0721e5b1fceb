/* All that a party's run needs, tried without the run. */
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "run.h"
#include "run/parties/party_mesh.h"
#include "run/parties/party_roles.h"
#include "run/parties/party_run.h"

typedef struct checking {
  sotto_options *options; /* settled once the data is there */
  const sotto_party *party;
  const sotto_observer *observer;
  sotto_check_line line;
  void *context;
  size_t failed;
  sotto_dataset data;
  uint8_t nodes[32];
  bool have_data;
} checking;

static void say(checking *c, const char *what, bool good, const char *text) {
  if (!good) c->failed++;
  c->line(c->context, what, good, text);
}

/* Says how a call ended: `found` when it went well, the error's text when not. */
static void conclude(checking *c, const char *what, const sotto_error *err, const char *found) {
  say(c, what, err->status == SOTTO_OK, err->status == SOTTO_OK ? found : err->text);
}

static void check_data(checking *c) {
  sotto_error err = {0};
  char text[200] = "";
  if (sotto_party_role_check(c->party, c->options, &err) == SOTTO_OK &&
      sotto_party_dataset_open(&c->data, c->nodes, c->options, c->party, &err) == SOTTO_OK) {
    c->have_data = true;
    sotto_party_settle(c->options, c->party, &c->data);
    (void)snprintf(text, sizeof text, "%.80s: %llu nodes", c->data.name,
                   (unsigned long long)c->data.graph.nodes);
  }
  conclude(c, "data", &err, text);
}

/* Until when, and what to do when that is soon. */
static void say_until(char *out, size_t size, const char *what, const sotto_identity_info *info,
                      const char *advice) {
  size_t used = (size_t)snprintf(out, size, "'%s'%s, until %s", info->name, what, info->ends);
  if (info->days < 0)
    (void)snprintf(out + used, size - used, ", which is over: %s with `sotto party renew`", advice);
  else if (info->days <= SOTTO_IDENTITY_NOTICE)
    (void)snprintf(out + used, size - used, ", in %lld days: %s with `sotto party renew`",
                   (long long)info->days, advice);
}

static void check_identity(checking *c) {
  sotto_error err = {0}, peer_err = {0};
  sotto_identity_info info;
  char text[200] = "";
  if (c->party->insecure_loopback) {
    say(c, "keys", true, "none are used: insecure loopback");
    return;
  }
  if (sotto_identity_check(&info, c->party->folder, &err) == SOTTO_OK)
    say_until(text, sizeof text, "", &info, "renew it");
  conclude(c, "own key", &err, text);
  for (size_t i = 0; i < c->party->peer_count; i++) {
    peer_err = (sotto_error){SOTTO_OK, ""};
    if (sotto_identity_check_peer(&info, c->party->folder, c->party->peers[i].name, &peer_err) == SOTTO_OK)
      say_until(text, sizeof text, " is trusted", &info, "have it renewed");
    conclude(c, "peer's key", &peer_err, text);
  }
}

/* Would the ledger take the charges? */
static void check_budget(checking *c) {
  sotto_error err = {0};
  char text[500] = "";
  if (!c->have_data) return;
  (void)sotto_i_party_budget(text, sizeof text, c->options, &c->data, c->party, &err);
  conclude(c, "budget", &err, text);
}

/* Layers, a release and their copies: what the run folder will take. */
static void check_space(checking *c) {
  struct statvfs info;
  char folder[1024], text[300];
  const sotto_options *o = c->options;
  if (!c->have_data) return;
  double need = 4.0 * (double)c->data.graph.nodes * (double)sotto_i_released_width(o) *
                (double)(o->layers + 1) * (double)(o->seeds * sotto_i_job_releases(o)) * 1.1;
  (void)snprintf(folder, sizeof folder, "%s", o->out);
  while (statvfs(folder, &info) != 0) { /* the nearest folder that exists */
    char *slash = strrchr(folder, '/');
    if (slash == NULL || slash == folder) {
      (void)snprintf(folder, sizeof folder, "%s", slash == NULL ? "." : "/");
      if (statvfs(folder, &info) != 0) return;
      break;
    }
    *slash = '\0';
  }
  double have = (double)info.f_bavail * (double)info.f_frsize;
  (void)snprintf(text, sizeof text, "%.1f MB are needed and %.1f MB free%s", need / 1e6, have / 1e6,
                 have < need ? ": make room, or name another folder" : "");
  say(c, "disk", have >= need, text);
}

static void check_peer(checking *c) {
  sotto_error err = {0};
  sotto_wire *wire = NULL;
  sotto_progress common;
  char *terms = NULL, text[300];
  if (!c->have_data) {
    say(c, "peer", false, "not tried: without the data it cannot be asked whether it has the same nodes");
    return;
  }
  (void)snprintf(text, sizeof text, "'%s' answers, with the same run file, protocol and nodes",
                 c->party->peers->name);
  if (sotto_i_party_of_several(c->party)) {
    (void)sotto_i_party_mesh_check(c->options, c->party, c->nodes, c->observer, &err);
    conclude(c, "peers", &err, "all answer, with the same run file, protocol and nodes, and roles that fit");
    return;
  }
  if (sotto_options_terms(&terms, c->options, &err) == SOTTO_OK &&
      sotto_i_party_wire(&wire, c->options, c->party, c->nodes, terms, (sotto_progress){0, 0}, true,
                         c->observer, &err) == SOTTO_OK)
    (void)sotto_wire_meet(wire, &common, &err);
  conclude(c, "peer", &err, text);
  sotto_wire_free(wire);
  sotto_options_free_text(terms);
}

size_t sotto_party_check(const sotto_options *options, const sotto_party *party,
                         const sotto_observer *observer, sotto_check_line line, void *context) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_options settled = *options;
  checking c = {.options = &settled, .party = party, .observer = observer, .line = line, .context = context};
  check_data(&c);
  check_identity(&c);
  check_budget(&c);
  check_space(&c);
  check_peer(&c);
  sotto_dataset_free(&c.data);
  return c.failed;
}
