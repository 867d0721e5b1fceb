/* Flags, messages and exit statuses of the verbs. */
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "common/print.h"

/* A line of JSON with --log json; else a sentence on stderr that starts with `before`. */
static void print_message(const char *level, const char *event, const char *before, const char *format,
                          va_list arguments) {
  char text[1200];
  (void)vsnprintf(text, sizeof text, format, arguments);
  cli_observer_end();
  if (!cli_watch_said(level, event, text)) app_print(stderr, "%s%s\n", before, text);
}

void cli_warn(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_message("warn", "log", "sotto: ", format, arguments);
  va_end(arguments);
}

void cli_advise(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_message("info", "advice", "", format, arguments);
  va_end(arguments);
}

static const cli_flag *find_flag(const cli_flag *flags, size_t count, const char *name, size_t length) {
  for (size_t i = 0; i < count; i++)
    if (strlen(flags[i].name) == length && strncmp(flags[i].name, name, length) == 0) return &flags[i];
  return NULL;
}

int cli_unknown_flag(const char *name, const char *const *names, size_t count) {
  const char *nearest = sotto_i_nearest(name, names, count);
  return nearest != NULL ? cli_usage("unknown option --%s; did you mean --%s?", name, nearest)
                         : cli_usage("unknown option --%s; --help lists what there is", name);
}

static bool unknown_flag(const cli_flag *flags, size_t count, const char *name) {
  const char *names[64];
  size_t known = count < 64 ? count : 64;
  for (size_t i = 0; i < known; i++) names[i] = flags[i].name;
  (void)cli_unknown_flag(name, names, known);
  return false;
}

/* The value of the option at argv[i], for a message; NULL: none. */
static const char *value_text(int argc, char **argv, int i) {
  const char *equals = strchr(argv[i], '=');
  if (equals != NULL) return equals + 1;
  return i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0 ? argv[i + 1] : NULL;
}

/* Is one of the words --header, and the other --no-header? */
static bool contradict(const char *a, const char *b) {
  return (strcmp(a, "--header") == 0 && strcmp(b, "--no-header") == 0) ||
         (strcmp(a, "--no-header") == 0 && strcmp(b, "--header") == 0);
}

bool cli_once(int argc, char **argv, int i) {
  const size_t length = strcspn(argv[i], "=");
  for (int k = 0; k < i; k++) {
    if (contradict(argv[k], argv[i]))
      return (void)cli_usage("--header and --no-header are given; leave one of them out"), false;
    if (strcspn(argv[k], "=") != length || strncmp(argv[k], argv[i], length) != 0) continue;
    const char *first = value_text(argc, argv, k), *second = value_text(argc, argv, i);
    if (first == NULL || second == NULL)
      (void)cli_usage("%.*s is given twice; give it once", (int)length, argv[i]);
    else
      (void)cli_usage("%.*s is given twice, with %.200s and with %.200s; give it once", (int)length, argv[i],
                      first, second);
    return false;
  }
  return true;
}

static const cli_flag *flag_at(const cli_flag *flags, size_t count, const char *word) {
  if (strncmp(word, "--", 2) != 0) return NULL;
  return find_flag(flags, count, word + 2, strcspn(word + 2, "="));
}

cli_taken cli_take(const cli_flag *flags, size_t count, int argc, char **argv, int *i) {
  if (flag_at(flags, count, argv[*i]) != NULL && !cli_once(argc, argv, *i)) return CLI_WRONG;
  return cli_take_each(flags, count, argc, argv, i);
}

cli_taken cli_take_each(const cli_flag *flags, size_t count, int argc, char **argv, int *i) {
  const cli_flag *flag = flag_at(flags, count, argv[*i]);
  if (flag == NULL) return CLI_NOT_TAKEN;
  const char *name = argv[*i] + 2;
  const size_t length = strcspn(name, "=");
  if (flag->present != NULL) {
    if (name[length] == '=') return (void)cli_usage("--%s takes no value", flag->name), CLI_WRONG;
    *flag->present = true;
  } else if (name[length] == '=') {
    *flag->value = name + length + 1;
  } else if (*i + 1 < argc) {
    *flag->value = argv[++*i];
  } else {
    return (void)cli_usage("--%s needs a value", flag->name), CLI_WRONG;
  }
  return CLI_TAKEN;
}

bool cli_parse(const cli_flag *flags, size_t flag_count, int argc, char **argv, const char **words,
               size_t most, size_t *word_count) {
  *word_count = 0;
  for (int i = 0; i < argc; i++) {
    const cli_taken taken = cli_take(flags, flag_count, argc, argv, &i);
    if (taken == CLI_WRONG) return false;
    if (taken == CLI_TAKEN) continue;
    if (strncmp(argv[i], "--", 2) == 0) return unknown_flag(flags, flag_count, argv[i] + 2);
    if (argv[i][0] == '-' && argv[i][1] != '\0' && argv[i][1] != '-' &&
        (argv[i][1] < '0' || argv[i][1] > '9')) {
      (void)cli_usage("'%s': options begin with two hyphens: -%s", argv[i], argv[i]);
      return false;
    }
    if (*word_count == most) {
      (void)cli_usage("'%s' is one word too many; --help shows the form", argv[i]);
      return false;
    }
    words[(*word_count)++] = argv[i];
  }
  return true;
}

bool cli_is_stdout(const char *path) {
  return path != NULL && strcmp(path, "-") == 0;
}

bool cli_named_at_all(const char *path, const char *flag) {
  if (path == NULL || path[0] != '\0') return true;
  (void)cli_usage("%s: its name is empty; give one", flag);
  return false;
}

bool cli_named(const char *path, const char *flag, const char *what) {
  if (!cli_named_at_all(path, flag)) return false;
  if (!cli_is_stdout(path)) return true;
  (void)cli_usage("%s: '-' is standard output, and this is %s; give its name", flag, what);
  return false;
}

bool cli_one_stdout(const char *path, const char *flag, bool json) {
  if (!json || !cli_is_stdout(path)) return true;
  (void)cli_usage("%s - and --json: both write to standard output; leave one out", flag);
  return false;
}

bool cli_real(double *out, const char *text, const char *name) {
  sotto_error err = {0};
  if (text == NULL || sotto_i_parse_double(out, text, name, &err) == SOTTO_OK) return true;
  (void)cli_usage("%s", err.text);
  return false;
}

bool cli_epsilon(double *out, const char *text) {
  if (text == NULL || strcmp(text, "inf") != 0) return cli_real(out, text, "epsilon");
  *out = INFINITY;
  return true;
}

bool cli_count(uint64_t *out, const char *text, const char *name) {
  sotto_error err = {0};
  if (text == NULL || sotto_i_parse_count(out, text, name, &err) == SOTTO_OK) return true;
  (void)cli_usage("%s", err.text);
  return false;
}

int cli_take_form(const cli_form *forms, size_t count, const char *help, int argc, char **argv) {
  const char *names[CLI_MOST_FORMS];
  if (argc == 0) {
    app_print(stdout, "%s", help);
    return EXIT_USAGE;
  }
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "--help") != 0) continue;
    app_print(stdout, "%s", help);
    return EXIT_DONE;
  }
  for (size_t i = 0; i < count && i < CLI_MOST_FORMS; i++) {
    if (strcmp(argv[0], forms[i].name) == 0) return forms[i].run(argc - 1, argv + 1);
    names[i] = forms[i].name;
  }
  const char *nearest = sotto_i_nearest(argv[0], names, count);
  return nearest == NULL ? cli_usage("unknown form '%s'; --help lists them", argv[0])
                         : cli_usage("unknown form '%s'; did you mean '%s'?", argv[0], nearest);
}
