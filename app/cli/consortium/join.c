/* sotto consortium join: an answer to an invitation, and trust in a consortium whose words were confirmed. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "common/file.h"
#include "common/print.h"
#include "consortium.h"
#include "setup.h"

/* Writes the run file that the received file contains, unless it exists. An existing run file with other
 * bytes is an error and is not changed. */
sotto_status consortium_write_run_file(consortium_setup *s, const sotto_consortium *c, sotto_error *err) {
  char path[80], *text = NULL;
  size_t size, there;
  const char *terms = sotto_consortium_text(c, &size);
  sotto_status status = SOTTO_OK;
  (void)snprintf(path, sizeof path, "%s.yaml", sotto_consortium_run(c));
  if (sotto_i_is_file(path)) {
    SOTTO_TRY(app_read_file(&text, &there, path, err));
    if (there != size || memcmp(text, terms, size) != 0)
      status = sotto_i_fail(err, SOTTO_INVALID,
                            "%s: is another run file than the one that came; move it away", path);
  } else {
    status = app_write_file(path, terms, size, err);
  }
  if (status == SOTTO_OK) status = consortium_setup_read(s, path, err);
done:
  free(text);
  return status;
}

/* Reads one line from a person at a terminal, in lower case; false at the end of input. */
static bool ask_line(char line[400], const char *question) {
  app_print(stdout, "%s", question);
  (void)fflush(stdout);
  if (fgets(line, 400, stdin) == NULL) return false;
  for (char *at = line; *at != '\0'; at++) *at = (char)tolower((unsigned char)*at);
  line[strcspn(line, "\n")] = '\0';
  return true;
}

/* Compares four letters of each word: any two words of the list differ in those. */
static bool same_words(const char *words, const char *typed) {
  char one[400], other[400], *save_one, *save_other;
  (void)snprintf(one, sizeof one, "%s", words);
  (void)snprintf(other, sizeof other, "%s", typed);
  char *a = strtok_r(one, " ", &save_one), *b = strtok_r(other, " \t,", &save_other);
  for (; a != NULL && b != NULL;
       a = strtok_r(NULL, " ", &save_one), b = strtok_r(NULL, " \t,", &save_other)) {
    size_t length = strlen(b);
    if (length > strlen(a) || (length < 4 && length != strlen(a)) || strncasecmp(a, b, length) != 0)
      return false;
  }
  return a == NULL && b == NULL;
}

/* Ends without agreement, with a message; returns the exit status. */
static int end_refused(const char *why) {
  (void)cli_usage("%s", why);
  return EXIT_FAILED;
}

/* Asks the person to agree to the terms; EXIT_DONE, or the exit status. */
static int ask_agreement(const consortium_setup *s) {
  char line[400];
  if (s->agree) return EXIT_DONE;
  if (!isatty(STDIN_FILENO))
    return cli_usage("nobody is asked here: look at the terms, and give --agree if you do");
  if (ask_line(line, "  do you agree to these terms? (yes or no) ") && strcmp(line, "yes") == 0)
    return EXIT_DONE;
  return end_refused("not agreed: nothing was written for the organiser");
}

/* Asks for the words as another person reads them. They are not shown before: copying them from the screen
 * would compare nothing. */
static int ask_words(const consortium_setup *s, const char *words) {
  char line[400];
  if (s->confirm != NULL) {
    if (same_words(words, s->confirm)) return EXIT_DONE;
    return end_refused(
        "the words are not those of this file: it was changed on its way, or is an older one; nobody is "
        "trusted. Get the file again, and compare the words again");
  }
  if (!isatty(STDIN_FILENO))
    return cli_usage(
        "nobody is asked here: give --confirm \"WORDS\", the twelve words as the organiser reads them");
  for (int tries = 0; tries < 3; tries++) {
    if (!ask_line(line,
                  "  the twelve words, as the organiser reads them (four letters of each will do):\n  > "))
      break;
    if (same_words(words, line)) return EXIT_DONE;
    app_print(stdout, "  these are not the words of this file\n");
  }
  return end_refused(
      "not confirmed: nobody is trusted. If the words were heard well, the file was changed on its way: "
      "get it again by another way");
}

static int write_answer(consortium_setup *s, sotto_consortium *c) {
  sotto_error err = {0};
  sotto_identity_info own;
  char file[80];
  if (s->role == NULL) return cli_usage("--role ROLE: what this party does in the run");
  if (consortium_write_run_file(s, c, &err) != SOTTO_OK || consortium_check_role(s, &err) != SOTTO_OK)
    return cli_error(&err);
  app_print(stdout, "  invited by\n");
  consortium_print_members(c, s->folder);
  app_print(stdout, "  terms\n");
  if (consortium_print_terms(&s->options, false, &err) != SOTTO_OK) return cli_error(&err);
  int code = ask_agreement(s);
  if (code != EXIT_DONE) return code;
  if (consortium_setup_key(s, &err) != SOTTO_OK ||
      sotto_consortium_add(c, s->folder, s->role, s->address, &err) != SOTTO_OK ||
      sotto_identity_check(&own, s->folder, &err) != SOTTO_OK)
    return cli_error(&err);
  (void)snprintf(file, sizeof file, "%s.join", own.name);
  if (sotto_consortium_write(c, s->file == NULL ? file : s->file, &err) != SOTTO_OK) return cli_error(&err);
  app_print(stdout, "  written      %s: send it to the organiser, who sends back %s.consortium\n",
            s->file == NULL ? file : s->file, sotto_consortium_run(c));
  return EXIT_DONE;
}

static sotto_status store_certificates(const consortium_setup *s, const sotto_consortium *c,
                                       sotto_error *err) {
  char *path = NULL, *folder = NULL;
  sotto_status status;
  SOTTO_TRY(app_join(&folder, sotto_identity_folder(s->folder), "joined", err));
  SOTTO_TRY(sotto_i_make_folder(folder, err));
  SOTTO_TRY(consortium_joined_path(&path, s->folder, sotto_consortium_run(c), err));
  SOTTO_TRY(sotto_consortium_write(c, path, err));
done:
  free(folder);
  free(path);
  return status;
}

static int trust_consortium(consortium_setup *s, const sotto_consortium *c) {
  sotto_error err = {0};
  char words[128];
  if (consortium_write_run_file(s, c, &err) != SOTTO_OK ||
      consortium_check_members(c, &s->options, &err) != SOTTO_OK ||
      sotto_consortium_words(words, c, &err) != SOTTO_OK)
    return cli_error(&err);
  consortium_print_members(c, s->folder);
  app_print(stdout, "  terms\n");
  if (consortium_print_terms(&s->options, false, &err) != SOTTO_OK) return cli_error(&err);
  int code = ask_words(s, words);
  if (code != EXIT_DONE) return code;
  if (sotto_consortium_trust(c, s->folder, s->replace, &err) != SOTTO_OK ||
      store_certificates(s, c, &err) != SOTTO_OK)
    return cli_error(&err);
  app_print(stdout,
            "  joined       %s.yaml: try `sotto run check %s.yaml`, then `sotto run %s.yaml`, each with "
            "--data\n",
            sotto_consortium_run(c), sotto_consortium_run(c), sotto_consortium_run(c));
  return EXIT_DONE;
}

int consortium_join(int argc, char **argv) {
  static consortium_setup s;
  sotto_error err = {0};
  sotto_consortium *c;
  s = (consortium_setup){.name = NULL};
  if (!consortium_setup_parse(&s, argc, argv)) return EXIT_USAGE;
  if (s.word_count != 1) return cli_usage("give the file of the organiser: an invitation or a consortium");
  if (sotto_consortium_read(&c, s.words[0], &err) != SOTTO_OK) return cli_error(&err);
  int code = sotto_consortium_own(c, s.folder) == NULL ? write_answer(&s, c) : trust_consortium(&s, c);
  sotto_consortium_free(c);
  return code;
}
