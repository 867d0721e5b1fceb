/* sotto party init and trust. */
#include <stdio.h>

#include "party.h"

int party_init(int argc, char **argv) {
  const char *name = NULL, *days_text = NULL, *folder = NULL, *words[1];
  bool request = false;
  uint64_t days = 365;
  size_t count;
  sotto_error err = {0};
  sotto_identity_info info;
  const cli_flag flags[] = {
      {"name", &name, NULL}, {"days", &days_text, NULL}, {"dir", &folder, NULL}, {"request", NULL, &request}};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, words, 0, &count) ||
      !cli_count(&days, days_text, "days"))
    return EXIT_USAGE;
  if (name == NULL) return cli_usage("init needs --name NAME, by which the others will know this party");
  if (sotto_identity_init(folder, name, days, request, &err) != SOTTO_OK) return cli_error(&err);
  folder = sotto_identity_folder(folder);
  (void)printf("  key          %s/key.pem (keep it secret)\n", folder);
  if (request) {
    (void)printf("  request      %s/own.csr: have it signed, and put the certificate at %s/own.crt\n", folder,
                 folder);
    return EXIT_DONE;
  }
  if (sotto_identity_check(&info, folder, &err) != SOTTO_OK) return cli_error(&err);
  (void)printf("  certificate  %s/own.crt: of '%s', until %s; give it to the other parties\n", folder,
               info.name, info.ends);
  (void)printf("  fingerprint  %s\n", info.fingerprint);
  return EXIT_DONE;
}

int party_trust(int argc, char **argv) {
  const char *as = NULL, *folder = NULL, *words[1];
  size_t count;
  char name[64];
  sotto_error err = {0};
  sotto_identity_info info;
  const cli_flag flags[] = {{"as", &as, NULL}, {"dir", &folder, NULL}};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, words, 1, &count)) return EXIT_USAGE;
  if (count == 0) return cli_usage("trust needs the certificate of the other party");
  if (sotto_identity_trust(name, folder, words[0], as, &err) != SOTTO_OK ||
      sotto_identity_check_peer(&info, folder, name, &err) != SOTTO_OK)
    return cli_error(&err);
  (void)printf("  trusted      '%s', until %s\n", name, info.ends);
  (void)printf("  fingerprint  %s (compare it with theirs by another way)\n", info.fingerprint);
  return EXIT_DONE;
}
