/* sotto identity init, trust, renew and revoke. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/json.h"
#include "common/print.h"
#include "identity.h"

static int print_identity(const sotto_identity_info *info) {
  return cli_print_json(json_pack("{s:s,s:b,s:s,s:s,s:s}", "name", info->name, "authority",
                                  (int)info->authority, "fingerprint", info->fingerprint, "words",
                                  info->words, "ends", info->ends));
}

/* Prints the certificate request, which an authority signs. */
static int print_request(const char *folder, bool json) {
  if (json) {
    char path[1200];
    (void)snprintf(path, sizeof path, "%.1000s/own.csr", folder);
    return cli_print_json(json_pack("{s:s}", "request", path));
  }
  app_print(stdout, "  request      %s/own.csr: have it signed, and put the certificate at %s/own.crt\n",
            folder, folder);
  return EXIT_DONE;
}

/* Prints the own certificate, which the other parties need, and the words that they compare. */
static int print_own(const char *folder, bool json) {
  sotto_error err = {0};
  sotto_identity_info info;
  if (sotto_identity_check(&info, folder, &err) != SOTTO_OK) return cli_error(&err);
  if (json) return print_identity(&info);
  app_print(stdout, "  certificate  %s/own.crt: of '%s', until %s; give it to the other parties\n", folder,
            info.name, info.ends);
  app_print(stdout, "  fingerprint  %s\n", info.fingerprint);
  app_print(stdout, "  in words     %s\n", info.words);
  return EXIT_DONE;
}

int identity_init(int argc, char **argv) {
  const char *name = NULL, *days_text = NULL, *folder = NULL, *words[1];
  char token[1200];
  bool request = false, json = false;
  uint64_t days = 365;
  size_t count;
  sotto_error err = {0};
  const cli_flag flags[] = {{"name", &name, NULL},
                            {"days", &days_text, NULL},
                            {"dir", &folder, NULL},
                            {"request", NULL, &request},
                            {"json", NULL, &json}};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, words, 0, &count) ||
      !cli_count(&days, days_text, "days"))
    return EXIT_USAGE;
  if (name == NULL) return cli_usage("init needs --name NAME, by which the others will know this party");
  if (sotto_identity_init(folder, name, days, request, &err) != SOTTO_OK) return cli_error(&err);
  folder = sotto_identity_folder(folder);
  (void)snprintf(token, sizeof token, "%s/key.uri", folder);
  if (!json && sotto_i_is_file(token))
    app_print(stdout, "  key          in the token that %s names\n", token);
  else if (!json)
    app_print(stdout, "  key          %s/key.pem (keep it secret)\n", folder);
  if (request) return print_request(folder, json);
  return print_own(folder, json);
}

int identity_trust(int argc, char **argv) {
  const char *as = NULL, *folder = NULL, *words[1];
  bool replace = false, json = false;
  size_t count;
  char name[64];
  sotto_error err = {0};
  sotto_identity_info info;
  const cli_flag flags[] = {
      {"as", &as, NULL}, {"dir", &folder, NULL}, {"replace", NULL, &replace}, {"json", NULL, &json}};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, words, 1, &count)) return EXIT_USAGE;
  if (count == 0) return cli_usage("trust needs the certificate of the other party");
  if (sotto_identity_trust(name, folder, words[0], as, replace, &err) != SOTTO_OK) {
    int code = cli_error(&err);
    if (strstr(err.text, "is trusted with another key") != NULL) cli_advise("replace it with --replace");
    return code;
  }
  if (sotto_identity_check_peer(&info, folder, name, &err) != SOTTO_OK) return cli_error(&err);
  if (json) return print_identity(&info);
  app_print(stdout, "  trusted      '%s'%s, until %s\n", name, info.authority ? ", by its authority" : "",
            info.ends);
  app_print(stdout, "  fingerprint  %s\n", info.fingerprint);
  app_print(stdout, "  in words     %s\n", info.words);
  app_print(stdout,
            "               have them read to you by '%s', by another way than the certificate came\n", name);
  return EXIT_DONE;
}

int identity_renew(int argc, char **argv) {
  const char *days_text = NULL, *folder = NULL, *words[1];
  bool request = false, json = false;
  uint64_t days = 365;
  size_t count;
  sotto_error err = {0};
  const cli_flag flags[] = {
      {"days", &days_text, NULL}, {"dir", &folder, NULL}, {"request", NULL, &request}, {"json", NULL, &json}};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, words, 0, &count) ||
      !cli_count(&days, days_text, "days"))
    return EXIT_USAGE;
  if (sotto_identity_renew(folder, days, request, &err) != SOTTO_OK) return cli_error(&err);
  folder = sotto_identity_folder(folder);
  if (request) return print_request(folder, json);
  if (json) return print_own(folder, json);
  app_print(
      stdout,
      "  renewed      under the same key: the others accept it, and keep it when this party next connects\n");
  return print_own(folder, json);
}

int identity_revoke(int argc, char **argv) {
  const char *certificate = NULL, *folder = NULL, *words[1];
  size_t count;
  sotto_error err = {0};
  bool json = false;
  sotto_identity_info info;
  const cli_flag flags[] = {
      {"certificate", &certificate, NULL}, {"dir", &folder, NULL}, {"json", NULL, &json}};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, words, 1, &count)) return EXIT_USAGE;
  if (count == 0) return cli_usage("revoke needs the name of a party; `sotto identity list` shows them");
  if (sotto_identity_revoke(&info, folder, words[0], certificate, &err) != SOTTO_OK) return cli_error(&err);
  if (json) return print_identity(&info);
  if (info.authority)
    app_print(stdout,
              "  revoked      '%s' by its authority; a key of its own is refused with --certificate\n",
              info.name);
  else
    app_print(stdout, "  revoked      '%s': its key is refused from the next connection on\n", info.name);
  app_print(stdout, "  fingerprint  %s\n", info.fingerprint);
  app_print(stdout, "               a run that is connected to it now goes on: stop it if it should not\n");
  return EXIT_DONE;
}
