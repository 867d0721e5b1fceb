/* sotto party: init, trust, check, or a run. */
#include "party.h"

#include <stdio.h>
#include <string.h>

static int print_help(void) {
  (void)puts(
      "usage: sotto party init --name NAME [--days 365] [--request]     a key and a certificate\n"
      "       sotto party trust PEER.crt [--as NAME]                    who may take part\n"
      "       sotto party check RUN.yaml --role ROLE ...                all short of the run\n"
      "       sotto party RUN.yaml --role data  --listen HOST:PORT --peer NAME [--data PATH] ...\n"
      "       sotto party RUN.yaml --role label --peer NAME=HOST:PORT [--data PATH] ...\n\n"
      "One party of a run over mutual TLS 1.3. Both hold the same run file; each names its own data. Either "
      "may\n"
      "listen. A run that was cut short goes on when the same command is given again.\n\n"
      "  --role data|label      data: graph and features; label: labels (a table with id and label will do)\n"
      "  --listen HOST:PORT     wait there for the peer\n"
      "  --peer NAME[=HOST:PORT]  the other party, by the name in its certificate, and where it listens\n"
      "  --dir FOLDER           key, certificate, trusted certificates [$SOTTO_PARTY, else party]\n"
      "  --insecure-loopback    no TLS, and no address but this machine's loopback\n"
      "  --json                 the result as one line of JSON, the last on stdout\n"
      "  --KEY VALUE            any option of `sotto train`; --out is runs/RUN-ROLE unless given\n\n"
      "example, on two machines that trust each other:\n"
      "  sotto party run.yaml --role data --data graph.sotto --listen 0.0.0.0:7443 --peer partner\n"
      "  sotto party run.yaml --role label --data labels.csv --peer bank=bank.example:7443");
  return EXIT_DONE;
}

/* A flag of this verb with a value, or NULL. */
static const char **own_flag(party_request *r, const char *name, size_t length) {
  const struct {
    const char *name;
    const char **value;
  } flags[] = {
      {"role", &r->role}, {"listen", &r->listen}, {"dir", &r->party.folder}, {"peer", &r->party.peer}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (strlen(flags[i].name) == length && strncmp(name, flags[i].name, length) == 0) return flags[i].value;
  return NULL;
}

static bool take_flag(party_request *r, int argc, char **argv, int *i, sotto_error *err) {
  const char *name = argv[*i] + 2;
  size_t length = strcspn(name, "=");
  const char **value = own_flag(r, name, length);
  if (value == NULL) return cli_take_option(&r->options, argc, argv, i, err);
  if (name[length] == '=')
    *value = name + length + 1;
  else if (*i + 1 < argc)
    *value = argv[++*i];
  else
    (void)snprintf(err->text, sizeof err->text, "--%s needs a value", name);
  return err->text[0] == '\0';
}

/* --peer NAME beside --listen, --peer NAME=HOST:PORT without. */
static bool settle_peer(party_request *r) {
  const char *peer = r->party.peer, *equals = peer == NULL ? NULL : strchr(peer, '=');
  if (peer == NULL) return cli_usage("name the other party: --peer NAME, as its certificate has it"), false;
  if ((r->listen != NULL) == (equals != NULL))
    return cli_usage("one party listens (--listen HOST:PORT --peer NAME), the other connects (--peer "
                     "NAME=HOST:PORT)"),
           false;
  (void)snprintf(r->peer, sizeof r->peer, "%.*s",
                 (int)(equals == NULL ? strlen(peer) : (size_t)(equals - peer)), peer);
  (void)snprintf(r->address, sizeof r->address, "%s", r->listen != NULL ? r->listen : equals + 1);
  r->party.peer = r->peer;
  r->party.address = r->address;
  r->party.listen = r->listen != NULL;
  return true;
}

static bool settle_role(party_request *r) {
  if (r->role != NULL && strcmp(r->role, "data") == 0)
    r->party.role = SOTTO_ROLE_DATA;
  else if (r->role != NULL && strcmp(r->role, "label") == 0)
    r->party.role = SOTTO_ROLE_LABEL;
  else
    return cli_usage("--role is data or label"), false;
  return true;
}

/* runs/STEM-ROLE: the same folder for the same command. */
static void default_folder(party_request *r) {
  const char *slash = strrchr(r->file, '/'), *name = slash == NULL ? r->file : slash + 1;
  const char *dot = strrchr(name, '.');
  size_t length = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
  if (r->options.out[0] == '\0')
    (void)snprintf(r->options.out, sizeof r->options.out, "runs/%.*s-%s", (int)(length < 200 ? length : 200),
                   name, sotto_role_name(r->party.role));
}

bool party_parse(party_request *r, int argc, char **argv) {
  sotto_error err = {0};
  sotto_options_default(&r->options);
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0)
      r->help = true;
    else if (strcmp(argv[i], "--json") == 0)
      r->json = true;
    else if (strcmp(argv[i], "--insecure-loopback") == 0)
      r->party.insecure_loopback = true;
    else if (strncmp(argv[i], "--", 2) == 0) {
      if (!take_flag(r, argc, argv, &i, &err)) return cli_usage("%s", err.text), false;
    } else if (r->file == NULL)
      r->file = argv[i];
    else
      return cli_usage("'%s': one run file at most", argv[i]), false;
  }
  if (r->help) return true;
  if (r->file == NULL)
    return cli_usage("give the run file that both parties hold; --help shows the form"), false;
  if (sotto_options_read(&r->options, r->file, &err) != SOTTO_OK) return cli_usage("%s", err.text), false;
  if (!settle_role(r) || !settle_peer(r)) return false;
  sotto_options_resolve(&r->options);
  if (sotto_options_check(&r->options, &err) != SOTTO_OK) return cli_usage("%s", err.text), false;
  default_folder(r);
  return true;
}

int cli_party(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
  } forms[] = {{"init", party_init}, {"trust", party_trust}, {"check", party_check}};
  if (argc == 0) {
    (void)print_help();
    return EXIT_USAGE;
  }
  for (int i = 0; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0) return print_help();
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (strcmp(argv[0], forms[i].name) == 0) return forms[i].run(argc - 1, argv + 1);
  return party_run(argc, argv);
}
