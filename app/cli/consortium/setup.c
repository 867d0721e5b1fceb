/* Setup of a consortium: flags, keys, tables, and which party listens. */
#include "setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "common/file.h"
#include "common/print.h"

static bool read_flag(consortium_setup *s, int argc, char **argv, int *i) {
  const cli_flag flags[] = {
      {"name", &s->name, NULL},   {"role", &s->role, NULL},       {"address", &s->address, NULL},
      {"dir", &s->folder, NULL},  {"confirm", &s->confirm, NULL}, {"file", &s->file, NULL},
      {"agree", NULL, &s->agree}, {"replace", NULL, &s->replace}, {"all", NULL, &s->all}};
  sotto_error err = {0};
  const cli_taken taken = cli_take(flags, sizeof flags / sizeof *flags, argc, argv, i);
  if (taken != CLI_NOT_TAKEN) return taken == CLI_TAKEN;
  if (!cli_once(argc, argv, *i)) return false;
  const cli_option option = cli_next_option(argc, argv, i);
  if (sotto_options_set(&s->options, option.key, option.value, &err) == SOTTO_OK) return true;
  return cli_usage("%s", err.text), false;
}

/* "run" of "folder/run.yaml". */
void consortium_stem(char out[CONSORTIUM_STEM], const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
  const char *dot = strrchr(name, '.');
  const size_t length = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
  (void)snprintf(out, CONSORTIUM_STEM, "%.*s", (int)(length < CONSORTIUM_STEM ? length : CONSORTIUM_STEM - 1),
                 name);
}

bool consortium_setup_parse(consortium_setup *s, int argc, char **argv) {
  sotto_options_default(&s->options);
  for (int i = 0; i < argc; i++) {
    if (strncmp(argv[i], "--", 2) == 0) {
      if (!read_flag(s, argc, argv, &i)) return false;
    } else if (s->word_count == SOTTO_MOST_MEMBERS) {
      return cli_usage("'%s' is one file too many", argv[i]), false;
    } else {
      s->words[s->word_count++] = argv[i];
    }
  }
  return true;
}

sotto_status consortium_setup_key(const consortium_setup *s, sotto_error *err) {
  sotto_identity_info own;
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(app_join(&path, sotto_identity_folder(s->folder), "own.crt", err));
  if (!sotto_i_is_file(path)) {
    if (s->name == NULL)
      status = sotto_i_fail(
          err, SOTTO_INVALID,
          "%s: there is no certificate; give --name NAME, by which the others will know this party", path);
    else
      status = sotto_identity_init(s->folder, s->name, 365, false, err);
  } else if (s->name != NULL) {
    SOTTO_TRY(sotto_identity_check(&own, s->folder, err));
    if (strcmp(own.name, s->name) != 0)
      status = sotto_i_fail(err, SOTTO_INVALID, "--name %s: the certificate of this party names it '%s'",
                            s->name, own.name);
  }
done:
  free(path);
  return status;
}

sotto_status consortium_setup_read(consortium_setup *s, const char *path, sotto_error *err) {
  sotto_status status = sotto_options_read_shared(&s->options, path, err);
  if (status != SOTTO_OK) return status;
  sotto_options_resolve(&s->options);
  return SOTTO_OK;
}

sotto_status consortium_check_role(const consortium_setup *s, sotto_error *err) {
  sotto_party party = {.role = SOTTO_ROLE_DATA};
  sotto_status status = sotto_party_role_read(&party, s->role, err);
  if (status != SOTTO_OK) return status;
  party.peer_count = sotto_party_peer_roles(NULL, 0, &party, &s->options);
  return sotto_party_role_check(&party, &s->options, err);
}

/* The line of a key in the terms, and its length; NULL: not found. */
static const char *find_line(const char *terms, const char *key, size_t *length) {
  size_t size = strlen(key);
  for (const char *at = terms; *at != '\0'; at += *length + 1) {
    *length = strcspn(at, "\n");
    if (*length > size + 1 && strncmp(at, key, size) == 0 && strncmp(at + size, ": ", 2) == 0) return at;
  }
  return NULL;
}

/* Options that are shown first, even at their defaults. */
static bool always_shown(const char *key) {
  static const char *const keys[] = {"method", "epsilon", "delta", "adjacency", "accounting"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(keys[i], key) == 0) return true;
  return false;
}

sotto_status consortium_print_terms(const sotto_options *options, bool all, sotto_error *err) {
  static sotto_options usual;
  char *terms = NULL, *plain = NULL, digest[65];
  size_t hidden = 0, length, there;
  sotto_status status;
  sotto_options_default(&usual);
  SOTTO_TRY(sotto_options_set(&usual, "method", options->method, err));
  sotto_options_resolve(&usual);
  SOTTO_TRY(sotto_options_terms(&terms, options, err));
  SOTTO_TRY(sotto_options_terms(&plain, &usual, err));
  SOTTO_TRY(sotto_options_terms_digest(digest, options, err));
  for (const char *at = terms; *at != '\0'; at += length + 1) {
    char key[128];
    length = strcspn(at, "\n");
    size_t size = strcspn(at, ":");
    (void)snprintf(key, sizeof key, "%.*s", (int)(size < 127 ? size : 127), at);
    const char *other = find_line(plain, key, &there);
    bool same = other != NULL && there == length && strncmp(at, other, length) == 0;
    if (same && !all && !always_shown(key)) {
      hidden++;
      continue;
    }
    app_print(stdout, "    %-24s %.*s\n", key, (int)(length - size - 2), at + size + 2);
  }
  if (hidden > 0)
    app_print(stdout, "    %-24s %zu more, as `sotto consortium terms RUN.yaml --all` shows\n",
              "at their defaults", hidden);
  const char *warning = sotto_options_warning(options);
  if (warning != NULL) app_print(stdout, "  privacy      %s\n", warning);
  app_print(stdout, "  digest       %s\n", digest);
done:
  sotto_text_free(terms);
  sotto_text_free(plain);
  return status;
}

void consortium_print_members(const sotto_consortium *c, const char *folder) {
  const sotto_member *own = sotto_consortium_own(c, folder);
  for (size_t i = 0; i < sotto_consortium_count(c); i++) {
    const sotto_member *m = sotto_consortium_member(c, i);
    app_print(stdout, "  %-12s '%s'%s, %s%s; certificate until %s\n", m->role, m->name,
              m == own ? ", this party" : "", m->address[0] == '\0' ? "only connects" : "at ", m->address,
              m->info.ends);
  }
}

const sotto_member *consortium_with_role(const sotto_consortium *c, const char *role) {
  for (size_t i = 0; i < sotto_consortium_count(c); i++)
    if (strcmp(sotto_consortium_member(c, i)->role, role) == 0) return sotto_consortium_member(c, i);
  return NULL;
}

static const sotto_member *earlier_member(const sotto_consortium *c, const sotto_member *a,
                                          const sotto_member *b) {
  for (size_t i = 0; i < sotto_consortium_count(c); i++) {
    const sotto_member *m = sotto_consortium_member(c, i);
    if (m == a || m == b) return m;
  }
  return a;
}

const sotto_member *consortium_listener(const sotto_consortium *c, const sotto_member *a,
                                        const sotto_member *b) {
  const sotto_member *first = earlier_member(c, a, b), *second = first == a ? b : a;
  if (first->address[0] != '\0') return first;
  return second->address[0] != '\0' ? second : NULL;
}

static sotto_status check_member(const sotto_consortium *c, const sotto_member *m,
                                 const sotto_options *options, sotto_error *err) {
  char(*roles)[SOTTO_ROLE_SIZE] = calloc(SOTTO_MOST_PEERS, sizeof *roles);
  sotto_party party = {.role = SOTTO_ROLE_DATA};
  sotto_status status;
  if (roles == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the roles");
  SOTTO_TRY(sotto_party_role_read(&party, m->role, err));
  party.peer_count = sotto_party_peer_roles(roles, SOTTO_MOST_PEERS, &party, options);
  SOTTO_TRY(sotto_party_role_check(&party, options, err));
  for (size_t i = 0; i < party.peer_count && i < SOTTO_MOST_PEERS; i++) {
    const sotto_member *peer = consortium_with_role(c, roles[i]);
    if (peer == NULL)
      status =
          sotto_i_fail(err, SOTTO_INVALID, "nobody has the role %s, to whom %s talks; have that party join",
                       roles[i], m->role);
    else if (consortium_listener(c, m, peer) == NULL)
      status = sotto_i_fail(
          err, SOTTO_INVALID,
          "neither '%s' nor '%s' has an address, so they cannot meet; one of them joins with --address",
          m->name, peer->name);
    if (status != SOTTO_OK) break;
  }
done:
  free(roles);
  return status;
}

sotto_status consortium_check_members(const sotto_consortium *c, const sotto_options *options,
                                      sotto_error *err) {
  for (size_t i = 0; i < sotto_consortium_count(c); i++) {
    sotto_status status = check_member(c, sotto_consortium_member(c, i), options, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

sotto_status consortium_joined_path(char **out, const char *folder, const char *run, sotto_error *err) {
  char name[CONSORTIUM_STEM + 16];
  (void)snprintf(name, sizeof name, "joined/%s.json", run);
  return app_join(out, sotto_identity_folder(folder), name, err);
}
