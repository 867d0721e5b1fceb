/* sotto run: the command line of a run or a check. */
#include <stdio.h>
#include <string.h>

#include "cli/consortium/setup.h"
#include "party.h"

/* NAME or NAME=HOST:PORT; a name that was already given gets the new address. */
static bool add_peer(party_request *r, const char *text, sotto_error *err) {
  const char *equals = strchr(text, '=');
  size_t i = 0, length = equals == NULL ? strlen(text) : (size_t)(equals - text);
  if (length == 0 || length >= sizeof r->names[0]) {
    (void)snprintf(err->text, sizeof err->text, "--peer '%.80s': NAME or NAME=HOST:PORT", text);
    return false;
  }
  while (i < r->party.peer_count &&
         (strlen(r->names[i]) != length || strncmp(r->names[i], text, length) != 0))
    i++;
  if (i == SOTTO_MOST_PEERS) {
    (void)snprintf(err->text, sizeof err->text, "--peer: at most %d of them", SOTTO_MOST_PEERS);
    return false;
  }
  (void)snprintf(r->names[i], sizeof r->names[i], "%.*s", (int)length, text);
  r->peers[i] = (sotto_peer){r->names[i], equals == NULL ? NULL : equals + 1};
  r->party.peers = r->peers;
  if (i == r->party.peer_count) r->party.peer_count++;
  return true;
}

/* Sets an option of a method. A finished run keeps the options that the parties share. */
static bool set_option(sotto_options *options, bool finished, const cli_option *option, sotto_error *err) {
  if (!finished || !sotto_option_is_shared(option->key))
    return sotto_options_set(options, option->key, option->value, err) == SOTTO_OK;
  (void)snprintf(err->text, sizeof err->text, "--%.100s: the run is finished, and has its own", option->key);
  return false;
}

/* False after a message. */
static bool read_flag(party_request *r, int argc, char **argv, int *i) {
  const char *peer = NULL;
  const cli_flag flags[] = {
      {"role", &r->role, NULL},        {"listen", &r->party.listen, NULL},
      {"dir", &r->party.folder, NULL}, {"proxy", &r->party.proxy, NULL},
      {"agree", &r->agree, NULL},      {"rank-parts", &r->parts, NULL},
      {"help", NULL, &r->help},        {"json", NULL, &r->json},
      {"align", NULL, &r->align},      {"insecure-loopback", NULL, &r->party.insecure_loopback}};
  const cli_flag peers[] = {{"peer", &peer, NULL}};
  sotto_error err = {0};
  cli_taken taken = cli_take_each(peers, 1, argc, argv, i);
  if (taken == CLI_NOT_TAKEN) taken = cli_take(flags, sizeof flags / sizeof *flags, argc, argv, i);
  if (taken == CLI_WRONG) return false;
  if (taken == CLI_TAKEN && (peer == NULL || add_peer(r, peer, &err))) return true;
  if (taken == CLI_NOT_TAKEN) {
    if (!cli_once(argc, argv, *i)) return false;
    const cli_option option = cli_next_option(argc, argv, i);
    if (strcmp(option.key, "out") == 0 && !cli_named_at_all(option.value, "--out")) return false;
    if (set_option(&r->options, r->finished, &option, &err)) return true;
  }
  return cli_usage("%s", err.text), false;
}

/* Every peer has an address, or connects to this party's address. */
static bool check_peers(party_request *r) {
  bool two = r->party.role == SOTTO_ROLE_DATA || r->party.role == SOTTO_ROLE_LABEL, comes = false;
  if (r->party.peer_count == 0)
    return cli_usage("name the other party: --peer NAME, as its certificate has it"), false;
  for (size_t i = 0; i < r->party.peer_count; i++) comes = comes || r->peers[i].address == NULL;
  if (two && comes != (r->party.listen != NULL))
    return cli_usage("one party listens (--listen HOST:PORT --peer NAME), the other connects (--peer "
                     "NAME=HOST:PORT)"),
           false;
  if (comes != (r->party.listen != NULL))
    return cli_usage(comes ? "a --peer without an address comes to --listen HOST:PORT, which is not given"
                           : "--listen is given, and every --peer has an address: nobody will come"),
           false;
  return true;
}

/* Are the terms those whose digest the people agreed on? */
static bool check_agreed(const party_request *r) {
  sotto_error err = {0};
  char digest[65];
  if (r->agree == NULL) return true;
  if (sotto_options_terms_digest(digest, &r->options, &err) != SOTTO_OK)
    return cli_usage("%s", err.text), false;
  if (strcmp(digest, r->agree) == 0) return true;
  return cli_usage("the terms of %s are not those agreed: their digest is %s, and --agree has %s; look "
                   "at `sotto consortium terms %s`",
                   r->file, digest, r->agree, r->file),
         false;
}

/* STEM of runs/STEM-ROLE. */
static void party_run_stem(char stem[CONSORTIUM_STEM], const char *folder) {
  char *dash;
  consortium_stem(stem, folder);
  dash = strrchr(stem, '-');
  if (dash != NULL) *dash = '\0';
}

/* runs/STEM-ROLE: the same folder for the same command. */
static void default_folder(party_request *r) {
  char stem[CONSORTIUM_STEM];
  consortium_stem(stem, r->file);
  char role[SOTTO_ROLE_SIZE];
  sotto_party_role_name(role, &r->party);
  if (r->options.out[0] == '\0')
    (void)snprintf(r->options.out, sizeof r->options.out, "runs/%s-%s", stem, role);
}

/* Reads the run file. A shared one must not contain options that are each party's own; the one in a run
 * folder may. */
static sotto_status read_options(party_request *r, sotto_error *err) {
  char path[1200];
  if (!r->finished) return sotto_options_read_shared(&r->options, r->file, err);
  (void)snprintf(path, sizeof path, "%.1000s/run.yaml", r->file);
  sotto_status status = sotto_options_set(&r->options, "out", r->file, err);
  return status == SOTTO_OK ? sotto_options_read(&r->options, path, err) : status;
}

bool party_parse(party_request *r, int argc, char **argv) {
  sotto_error err = {0};
  char stem[CONSORTIUM_STEM];
  sotto_options_default(&r->options);
  for (int i = 0; i < argc; i++) {
    if (strncmp(argv[i], "--", 2) == 0) {
      if (!read_flag(r, argc, argv, &i)) return false;
    } else if (r->file == NULL)
      r->file = argv[i];
    else
      return cli_usage("'%s': one run file at most", argv[i]), false;
  }
  if (r->help) return true;
  if (r->file == NULL)
    return cli_usage(r->finished ? "give the folder of the run; --help shows the form"
                                 : "give the run file that all parties hold; --help shows the form"),
           false;
  if (read_options(r, &err) != SOTTO_OK) return cli_usage("%s", err.text), false;
  consortium_stem(stem, r->file);
  if (r->finished) party_run_stem(stem, r->file);
  if (party_joined(r, stem, &err) != SOTTO_OK) return cli_usage("%s", err.text), false;
  if (sotto_party_role_read(&r->party, r->role, &err) != SOTTO_OK) return cli_usage("%s", err.text), false;
  if (!check_peers(r)) return false;
  if (r->party.role == SOTTO_ROLE_SERVER || r->party.role == SOTTO_ROLE_HELPER)
    (void)snprintf(r->options.data, sizeof r->options.data, "none");
  sotto_options_resolve(&r->options);
  if (sotto_options_check(&r->options, &err) != SOTTO_OK) return cli_usage("%s", err.text), false;
  default_folder(r);
  return check_agreed(r);
}
