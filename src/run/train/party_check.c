/* Checks all that a party's run needs, without the run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/party.h"
#include "party/identity/identity.h"
#include "party/wire/link/transport.h"
#include "party/wire/wire.h"
#include "run.h"
#include "run/parties/party_among.h"
#include "run/parties/party_roles.h"
#include "run/parties/party_run.h"
#include "run/parties/traffic.h"

typedef struct checking {
  sotto_options *options; /* settled once the data is open */
  const sotto_party *party;
  const sotto_observer *observer;
  sotto_check_line line;
  void *context;
  sotto_trouble first;
  sotto_dataset data;
  uint8_t nodes[32];
  bool have_data;
  sotto_i_exchanged planned; /* of a training, where `have_planned` */
  bool have_planned;
} checking;

static void report_line(checking *c, const char *what, sotto_trouble trouble, const char *text) {
  if (c->first == SOTTO_TROUBLE_NONE) c->first = trouble;
  c->line(c->context, what, trouble, text);
}

/* Reports the result of a call: `found` on success, else `trouble` and the error. */
static void report_result(checking *c, const char *what, const sotto_error *err, sotto_trouble trouble,
                          const char *found) {
  bool good = err->status == SOTTO_OK;
  report_line(c, what, good ? SOTTO_TROUBLE_NONE : trouble, good ? found : err->text);
}

static bool check_role(checking *c) {
  sotto_error err = {0};
  char role[SOTTO_ROLE_SIZE];
  sotto_party_role_name(role, c->party);
  (void)sotto_party_role_check(c->party, c->options, &err);
  report_result(c, "role", &err, SOTTO_TROUBLE_ROLES, role);
  return err.status == SOTTO_OK;
}

static void check_data(checking *c) {
  sotto_error err = {0};
  char text[200] = "";
  if (sotto_party_dataset_open(&c->data, c->nodes, c->options, c->party, NULL, c->observer, &err) ==
      SOTTO_OK) {
    c->have_data = true;
    sotto_party_settle(c->options, c->party, &c->data);
    (void)snprintf(text, sizeof text, "%.80s: %llu nodes%s", c->data.name,
                   (unsigned long long)c->data.graph.nodes,
                   c->party->role == SOTTO_ROLE_CLIENT
                       ? "; its columns and classes are compared with those of the others when the run begins"
                       : "");
  }
  bool missing = err.status == SOTTO_NOT_FOUND || err.status == SOTTO_IO;
  report_result(c, "own data", &err, missing ? SOTTO_TROUBLE_DATA_MISSING : SOTTO_TROUBLE_DATA_OTHER, text);
}

/* Until when the certificate is valid, and what to do if it ends soon. */
static void describe_validity(char *out, size_t size, const char *what, const sotto_identity_info *info,
                              const char *advice) {
  size_t used = (size_t)snprintf(out, size, "'%s'%s, until %s", info->name, what, info->ends);
  if (info->days < 0)
    (void)snprintf(out + used, size - used, ", which is over: %s with `sotto identity renew`", advice);
  else if (info->days <= SOTTO_IDENTITY_NOTICE)
    (void)snprintf(out + used, size - used, ", in %lld days: %s with `sotto identity renew`",
                   (long long)info->days, advice);
}

/* Why the own certificate cannot be used: its dates, or another cause. */
static sotto_trouble trouble_of_own(const char *folder) {
  char *path = NULL;
  X509 *certificate = NULL;
  sotto_status status;
  sotto_trouble trouble = SOTTO_TROUBLE_KEY;
  SOTTO_TRY(sotto_i_identity_path(&path, folder, "own.crt", NULL));
  SOTTO_TRY(sotto_i_certificate_read(&certificate, path, NULL));
  if (sotto_i_certificate_in_time(certificate, path, NULL) != SOTTO_OK) trouble = SOTTO_TROUBLE_DATES;
done:
  X509_free(certificate);
  sotto_i_free(path);
  return trouble;
}

static void check_identity(checking *c) {
  sotto_error err = {0}, peer_err = {0};
  sotto_identity_info info;
  char text[200] = "";
  if (c->party->insecure_loopback) {
    report_line(c, "keys", SOTTO_TROUBLE_NONE, "none are used: insecure loopback");
    return;
  }
  if (sotto_i_identity_private(c->party->folder, &err) != SOTTO_OK) {
    report_result(c, "own key", &err, SOTTO_TROUBLE_KEY_OPEN, "");
    return;
  }
  if (sotto_identity_check(&info, c->party->folder, &err) == SOTTO_OK)
    describe_validity(text, sizeof text, "", &info, "renew it");
  report_result(c, "own key", &err, trouble_of_own(c->party->folder), text);
  for (size_t i = 0; i < c->party->peer_count; i++) {
    peer_err = (sotto_error){.status = SOTTO_OK};
    if (sotto_identity_check_peer(&info, c->party->folder, c->party->peers[i].name, &peer_err) == SOTTO_OK)
      describe_validity(text, sizeof text, " is trusted", &info, "have it renewed");
    report_result(c, "peer's key", &peer_err, SOTTO_TROUBLE_UNTRUSTED, text);
  }
}

/* Cause of a budget error: the ledger's answer, the ledger itself, or the data. */
static sotto_trouble trouble_of_budget(const checking *c, const sotto_error *err) {
  sotto_ledger *ledger = NULL;
  const char *path = c->options->ledger;
  if (err->status == SOTTO_REFUSED) return SOTTO_TROUBLE_BUDGET;
  if (err->status == SOTTO_IO || err->status == SOTTO_CORRUPT) return SOTTO_TROUBLE_LEDGER;
  bool opens = sotto_ledger_open(&ledger, path[0] == '\0' ? NULL : path, NULL) == SOTTO_OK;
  sotto_ledger_close(ledger);
  return opens ? SOTTO_TROUBLE_DATA_OTHER : SOTTO_TROUBLE_LEDGER;
}

/* Would the ledger accept the charges? The data have to be within what was declared, of which its owner alone
 * hears. */
static void check_budget(checking *c) {
  sotto_error err = {0};
  sotto_trouble trouble = SOTTO_TROUBLE_NONE;
  char text[500] = "";
  if (!c->have_data) return;
  if (sotto_i_party_budget(text, sizeof text, c->options, &c->data, c->party, &err) != SOTTO_OK)
    trouble = trouble_of_budget(c, &err);
  report_result(c, trouble == SOTTO_TROUBLE_DATA_OTHER ? "own bounds" : "budget", &err, trouble, text);
}

/* The nearest existing folder; false if there is none. */
static bool find_folder(char folder[1024], struct statvfs *info, const char *out) {
  (void)snprintf(folder, 1024, "%s", out);
  while (statvfs(folder, info) != 0) {
    char *slash = strrchr(folder, '/');
    bool last = slash == NULL || slash == folder;
    if (last)
      (void)snprintf(folder, 1024, "%s", slash == NULL ? "." : "/");
    else
      *slash = '\0';
    if (last) return statvfs(folder, info) == 0;
  }
  return true;
}

/* Space for the run folder (layers, a release and their copies), on the disk and within this process's
 * limit. */
static void check_space(checking *c) {
  struct statvfs info;
  struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  char folder[1024], text[1400];
  const sotto_options *o = c->options;
  if (!c->have_data || !find_folder(folder, &info, o->out)) return;
  double file =
      4.0 * (double)c->data.graph.nodes * (double)sotto_i_released_width(o) * (double)(o->layers + 1);
  double need = file * (double)(o->seeds * sotto_i_job_releases(o)) * 1.1;
  double have = (double)info.f_bavail * (double)info.f_frsize;
  bool good = have >= need;
  (void)snprintf(text, sizeof text, "%.1f MB are needed and %.1f MB free", need / 1e6, have / 1e6);
  if (good && access(folder, W_OK) != 0) {
    good = false;
    (void)snprintf(text, sizeof text, "%s: %s", folder, sotto_i_errno_text(errno));
  } else if (good && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
             (double)limit.rlim_cur < file) {
    good = false;
    (void)snprintf(text, sizeof text,
                   "a file of %.3f MB is needed, and this process may write %.3f MB (ulimit -f)", file / 1e6,
                   (double)limit.rlim_cur / 1e6);
  }
  report_line(c, "disk", good ? SOTTO_TROUBLE_NONE : SOTTO_TROUBLE_DISK, text);
}

/* Bytes that each training will send, where this party alone can compute them. */
static void check_traffic(checking *c) {
  char text[SOTTO_I_TRAFFIC_TEXT];
  c->have_planned = c->have_data && sotto_i_traffic_expect(&c->planned, c->options, &c->data, c->party->role);
  if (!c->have_planned) return;
  sotto_i_traffic_text(text, &c->planned, c->options);
  report_line(c, "traffic", SOTTO_TROUBLE_NONE, text);
}

static void report_peer(void *context, const sotto_peer *peer, sotto_trouble trouble, const char *text) {
  checking *c = context;
  char found[300];
  (void)snprintf(found, sizeof found,
                 "'%s' answers, with the same run file, protocol and nodes, and a role that fits",
                 peer->name);
  report_line(c, "peer", trouble, trouble == SOTTO_TROUBLE_NONE ? found : text);
}

/* No peer could be asked, for lack of an address or of keys; an earlier line reported the keys. */
static void report_not_asked(checking *c, const sotto_error *err) {
  if (err->status == SOTTO_INTERRUPTED)
    report_line(c, "peer", SOTTO_TROUBLE_OTHER, err->text);
  else if (c->first == SOTTO_TROUBLE_KEY || c->first == SOTTO_TROUBLE_KEY_OPEN ||
           c->first == SOTTO_TROUBLE_DATES || c->first == SOTTO_TROUBLE_UNTRUSTED)
    report_line(c, "peer", c->first, err->text);
  else
    report_line(c, "peer", SOTTO_TROUBLE_ADDRESS, err->text);
}

/* How long the planned traffic takes. A line that could not be measured is no reason against a run. */
static void check_line(checking *c, sotto_wire *wire) {
  sotto_error err = {0};
  sotto_i_line line;
  sotto_link *link = NULL;
  char time[SOTTO_I_TRAFFIC_TEXT], text[SOTTO_I_TRAFFIC_TEXT + 80];
  if (sotto_wire_link(wire, &link, &err) != SOTTO_OK) return;
  sotto_i_link_limit(link, sotto_i_check_limit(c->options));
  if (sotto_i_line_measure(&line, link, c->party->role == SOTTO_ROLE_DATA, &err) == SOTTO_OK) {
    sotto_i_traffic_time(time, &c->planned, &line);
    (void)snprintf(text, sizeof text, "a training's traffic takes %s", time);
    (void)sotto_wire_finish(wire, NULL);
  } else {
    (void)snprintf(text, sizeof text, "not measured: %.200s", err.text);
  }
  sotto_link_free(link);
  report_line(c, "line", SOTTO_TROUBLE_NONE, text);
}

/* Checks the only peer. Without data, this side has no nodes to compare, so different nodes are no trouble.
 */
static void check_other(checking *c) {
  sotto_error err = {0};
  sotto_wire *wire = NULL;
  sotto_progress common;
  char *terms = NULL, text[300];
  (void)snprintf(text, sizeof text, "'%s' answers, with the same run file, protocol and nodes",
                 c->party->peers->name);
  if (sotto_options_terms(&terms, c->options, &err) == SOTTO_OK &&
      sotto_i_party_wire(&wire, c->options, c->party, c->nodes, terms, (sotto_progress){0, 0}, true,
                         c->observer, &err) == SOTTO_OK)
    (void)sotto_wire_meet(wire, &common, &err);
  sotto_trouble trouble = wire == NULL ? SOTTO_TROUBLE_NONE : sotto_i_wire_trouble(wire);
  if (wire == NULL)
    report_not_asked(c, &err);
  else if (trouble == SOTTO_TROUBLE_NODES && !c->have_data)
    report_line(c, "peer", SOTTO_TROUBLE_NONE,
                "it answers; without the data, its nodes could not be compared");
  else
    report_result(c, "peer", &err, trouble == SOTTO_TROUBLE_NONE ? SOTTO_TROUBLE_OTHER : trouble, text);
  if (wire != NULL && err.status == SOTTO_OK && sotto_i_variant_of(c->options)->exchange != NULL &&
      sotto_i_wire_peer_checks(wire))
    check_line(c, wire);
  sotto_wire_free(wire);
  sotto_text_free(terms);
}

static void check_peers(checking *c) {
  sotto_error err = {0};
  if (!sotto_i_party_of_several(c->party, c->options)) {
    check_other(c);
    return;
  }
  char *terms = NULL;
  if (sotto_options_terms(&terms, c->options, &err) != SOTTO_OK ||
      sotto_i_party_mesh_greet(c->options, c->party, c->nodes, terms, true, c->observer, report_peer, c,
                               &err) != SOTTO_OK)
    report_not_asked(c, &err);
  sotto_text_free(terms);
}

sotto_trouble sotto_party_check(const sotto_options *options, const sotto_party *party,
                                const sotto_observer *observer, sotto_check_line line, void *context) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_options settled = *options;
  checking c = {.options = &settled, .party = party, .observer = observer, .line = line, .context = context};
  bool fits = check_role(&c);
  if (fits) check_data(&c);
  check_identity(&c);
  check_budget(&c);
  check_space(&c);
  check_traffic(&c);
  if (fits) check_peers(&c);
  sotto_dataset_free(&c.data);
  return c.first;
}
