/* The ranks of a verb: their start, their output, and their end. */
#include "ranks.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "common/print.h"

/* The saved stderr; -1: stderr was not redirected. */
static int own_stderr = -1;

/* Redirects the output of all ranks but rank 0. Rank 0 reports for all: it receives the failures of the
 * other ranks, with their numbers. */
static void silence_output(void) {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  own_stderr = dup(STDERR_FILENO);
  if (nowhere < 0) return;
  (void)dup2(nowhere, STDOUT_FILENO);
  (void)dup2(nowhere, STDERR_FILENO);
  (void)close(nowhere);
}

/* Large blocks go back to the system when they are freed, so that the peak of a stage has nothing of earlier
 * ones. By default glibc keeps up to 64 MB once blocks of 32 MB were freed. */
static void give_memory_back(void) {
  (void)mallopt(M_MMAP_THRESHOLD, 4 << 20);
  (void)mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

/* Which verbs and forms ranks share: the first row that fits decides, and what has none is one process. A
 * form is the first word after the verb, or an option. */
static const struct {
  const char *verb, *form; /* NULL: any */
  bool shared;
} rules[] = {{"train", NULL, true},
             {"predict", NULL, true},
             {"run", "check", false},
             {"run", "predict", false},
             {"run", NULL, true},
             {"data", "generate", true},
             {"data", "import", true},
             {"audit", "mechanism", false},
             {"audit", "--self", false},
             {"audit", NULL, true},
             {"compare", "classify", false},
             {"compare", "cluster", false},
             {"compare", "plot", false},
             {"compare", NULL, true}};

/* Is the word among them: the first one, or an option anywhere? */
static bool has_word(const char *word, int argc, char **argv) {
  const int end = strncmp(word, "--", 2) == 0 ? argc : argc > 0;
  for (int i = 0; i < end; i++)
    if (strcmp(argv[i], word) == 0) return true;
  return false;
}

bool cli_ranks_may(int *code, const char *verb, int argc, char **argv) {
  const char *form = NULL;
  bool shared = false, found = false;
  if (sotto_ranks_launched() <= 1 || has_word("--help", argc, argv)) return true;
  for (size_t i = 0; i < sizeof rules / sizeof *rules && !found; i++) {
    if (strcmp(rules[i].verb, verb) != 0) continue;
    if (rules[i].form != NULL && !has_word(rules[i].form, argc, argv)) continue;
    found = true;
    form = rules[i].form;
    shared = rules[i].shared;
  }
  if (shared) return true;
  *code =
      sotto_ranks_launched_as() > 0
          ? EXIT_DONE
          : cli_usage("%s%s%s: is one process, and mpirun started %u; start it without mpirun", verb,
                      form == NULL ? "" : " ", form == NULL ? "" : form, (unsigned)sotto_ranks_launched());
  return false;
}

sotto_status cli_ranks_begin(sotto_ranks **out, sotto_error *err) {
  const uint32_t count = sotto_ranks_launched();
  *out = NULL;
  if (count == 0 || (count == 1 && !sotto_ranks_built())) return SOTTO_OK;
  give_memory_back();
  const sotto_status status = sotto_ranks_begin(out, NULL, err);
  if (status == SOTTO_OK && sotto_ranks_number(*out) > 0) silence_output();
  return status;
}

int cli_ranks_end(sotto_ranks *ranks, int code, const sotto_error *err) {
  if (ranks == NULL) return code;
  const uint32_t number = sotto_ranks_number(ranks);
  if (code != EXIT_DONE) sotto_ranks_fail(ranks, err);
  /* rank 0 may end before it can report this failure */
  if (number > 0 && own_stderr >= 0 && (err->status == SOTTO_INTERRUPTED || err->status == SOTTO_IO)) {
    (void)dup2(own_stderr, STDERR_FILENO);
    app_print(stderr, "sotto: rank %u: %s\n", (unsigned)number, err->text);
  }
  sotto_ranks_end(ranks, code);
  return code;
}

sotto_status cli_ranks_parts(sotto_rank_parts *out, const char *word, sotto_error *err) {
  *out = strcmp(word, "metis") == 0 ? SOTTO_RANK_PARTS_METIS : SOTTO_RANK_PARTS_RANDOM;
  if (strcmp(word, "metis") == 0 || strcmp(word, "random") == 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "rank-parts: '%s'; there are random and metis", word);
}

sotto_status cli_ranks_check_tables(const sotto_options *options, sotto_error *err) {
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t k = 0; k < count; k++)
    if (infos[k].group == SOTTO_GROUP_TABLES && options->given[k] && strcmp(infos[k].key, "task") != 0)
      return sotto_i_fail(
          err, SOTTO_UNSUPPORTED,
          "%s: ranks read native files, which say themselves how they are read; give it to `sotto "
          "data import`, and its file to the ranks",
          infos[k].key);
  return SOTTO_OK;
}

sotto_status cli_ranks_open(sotto_dataset *out, sotto_ranks *ranks, const sotto_options *options,
                            sotto_rank_parts parts, sotto_error *err) {
  const sotto_status status = cli_ranks_check_tables(options, err);
  return status == SOTTO_OK ? sotto_dataset_open_ranks(out, ranks, options->data, parts, err) : status;
}
