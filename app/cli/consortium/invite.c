/* sotto consortium invite: an organiser's invitation, and the consortium made of all answers; sotto
 * consortium terms.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/print.h"
#include "consortium.h"
#include "setup.h"

/* The run file of an invitation, of the options that were given by hand. */
static sotto_status write_run_file(const consortium_setup *s, sotto_error *err) {
  enum { room = 1 << 14 };
  char *text = NULL, value[1024];
  size_t count, used = 0;
  const sotto_option_info *infos = sotto_option_table(&count);
  sotto_status status;
  SOTTO_TRY(app_new(&text, room, 1, err));
  for (size_t i = 0; i < count && used < room; i++) {
    if (!s->options.given[i] || !sotto_option_is_shared(infos[i].key)) continue;
    sotto_option_text(&s->options, i, value, sizeof value);
    used += (size_t)snprintf(text + used, room - used, "%s: %s\n", infos[i].key, value);
  }
  if (used == 0 || used >= room)
    status = sotto_i_fail(
        err, SOTTO_NOT_FOUND,
        "%s: there is no such run file; give the options of the run, as --method vesper --epsilon 4, "
        "to have it written",
        s->words[0]);
  else
    status = app_write_file(s->words[0], text, used, err);
done:
  free(text);
  return status;
}

/* A new invitation. */
static sotto_status write_invitation(consortium_setup *s, sotto_error *err) {
  sotto_consortium *c = NULL;
  char *text = NULL, run[CONSORTIUM_STEM], file[CONSORTIUM_STEM + 16];
  size_t size;
  sotto_status status;
  consortium_stem(run, s->words[0]);
  if (!sotto_i_is_file(s->words[0])) SOTTO_TRY(write_run_file(s, err));
  SOTTO_TRY(consortium_setup_read(s, s->words[0], err));
  SOTTO_TRY(consortium_check_role(s, err));
  SOTTO_TRY(app_read_file(&text, &size, s->words[0], err));
  SOTTO_TRY(consortium_setup_key(s, err));
  SOTTO_TRY(sotto_consortium_new(&c, run, text, size, err));
  SOTTO_TRY(sotto_consortium_add(c, s->folder, s->role, s->address, err));
  (void)snprintf(file, sizeof file, "%s.invite", run);
  SOTTO_TRY(sotto_consortium_write(c, s->file == NULL ? file : s->file, err));
  app_print(stdout, "  terms\n");
  SOTTO_TRY(consortium_print_terms(&s->options, false, err));
  app_print(stdout, "  written      %s: send it to the other parties; each sends back a file NAME.join\n",
            s->file == NULL ? file : s->file);
done:
  free(text);
  sotto_consortium_free(c);
  return status;
}

/* Combines all answers into the consortium. */
static sotto_status write_consortium(consortium_setup *s, sotto_error *err) {
  sotto_consortium *c = NULL, *answer = NULL;
  char file[80], words[128];
  sotto_status status;
  SOTTO_TRY(sotto_consortium_read(&c, s->words[0], err));
  for (size_t i = 1; i < s->word_count; i++) {
    SOTTO_TRY(sotto_consortium_read(&answer, s->words[i], err));
    status = sotto_consortium_merge(c, answer, err);
    if (status != SOTTO_OK) {
      sotto_i_error_prefix(err, "%s", s->words[i]);
      goto done;
    }
    sotto_consortium_free(answer);
    answer = NULL;
  }
  SOTTO_TRY(consortium_write_run_file(s, c, err));
  SOTTO_TRY(consortium_check_members(c, &s->options, err));
  SOTTO_TRY(sotto_consortium_words(words, c, err));
  (void)snprintf(file, sizeof file, "%s.consortium", sotto_consortium_run(c));
  SOTTO_TRY(sotto_consortium_write(c, s->file == NULL ? file : s->file, err));
  consortium_print_members(c, s->folder);
  app_print(stdout, "  in words     %s\n", words);
  app_print(stdout,
            "  written      %s: send it to all; then have all on one call, read the words to them, and have "
            "each type "
            "them into `sotto consortium join %s`, as you do, too\n",
            s->file == NULL ? file : s->file, s->file == NULL ? file : s->file);
done:
  sotto_consortium_free(answer);
  sotto_consortium_free(c);
  return status;
}

int consortium_invite(int argc, char **argv) {
  static consortium_setup s;
  sotto_error err = {0};
  s = (consortium_setup){.name = NULL};
  if (!consortium_setup_parse(&s, argc, argv)) return EXIT_USAGE;
  if (s.word_count == 0)
    return cli_usage("give the run file, or the invitation and all answers to it (*.join)");
  if (s.word_count == 1 && s.role == NULL) return cli_usage("--role ROLE: what this party does in the run");
  sotto_status status = s.word_count == 1 ? write_invitation(&s, &err) : write_consortium(&s, &err);
  return status == SOTTO_OK ? EXIT_DONE : cli_error(&err);
}

int consortium_terms(int argc, char **argv) {
  static consortium_setup s;
  sotto_error err = {0};
  s = (consortium_setup){.name = NULL};
  if (!consortium_setup_parse(&s, argc, argv)) return EXIT_USAGE;
  if (s.word_count != 1) return cli_usage("give the run file, and no more");
  if (consortium_setup_read(&s, s.words[0], &err) != SOTTO_OK ||
      consortium_print_terms(&s.options, s.all, &err) != SOTTO_OK)
    return cli_error(&err);
  return EXIT_DONE;
}
