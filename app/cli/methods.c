/* sotto methods, and the options of a method as help. */
#include <stdio.h>
#include <string.h>

#include "common/print.h"
#include "matrix.h"
#include "run.h"

static const char *const groups[] = {"data", "tables", "network", "privacy", "training", "parties", "run"};
enum { most_options = SOTTO_MOST_OPTIONS, help_column = 24, last_column = 110, longest_key = 32 };

static void print_wrapped(const char *text, int column) {
  int at = column;
  while (*text != '\0') {
    int length = (int)strcspn(text, " ");
    if (at > column && at + 1 + length > last_column) {
      app_print(stdout, "\n%*s", column, "");
      at = column;
    } else if (at > column) {
      (void)putchar(' ');
      at++;
    }
    app_print(stdout, "%.*s", length, text);
    at += length;
    text += length + (text[length] == ' ');
  }
  (void)putchar('\n');
}

/* Prints one option: its purpose, its choices, its default with the conditions of that default. Defaults are
 * those of a run with only this command's words. */
static void print_option(const sotto_option_info *info, const char *value, const char *rules) {
  char flag[48], text[1900];
  int used = snprintf(text, sizeof text, "%s", info->help);
  (void)snprintf(flag, sizeof flag, "--%s", info->key);
  if (info->type == SOTTO_WORD && info->choices[0] != '\0' && used > 0 && (size_t)used < sizeof text)
    used += snprintf(text + used, sizeof text - (size_t)used, ": %s", info->choices);
  const bool shown =
      info->type == SOTTO_SWITCH ? strcmp(value, "true") == 0 || rules[0] != '\0' : value[0] != '\0';
  if (shown && used > 0 && (size_t)used < sizeof text)
    (void)snprintf(text + used, sizeof text - (size_t)used, " [%s%s%s]", value, rules[0] == '\0' ? "" : "; ",
                   rules);
  app_print(stdout, "  %-*s", help_column - 2, flag);
  print_wrapped(text, help_column);
}

void cli_table_help(const char *but) {
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t i = 0; i < count; i++)
    if (infos[i].group == SOTTO_GROUP_TABLES && (but == NULL || strcmp(infos[i].key, but) != 0))
      print_option(&infos[i], "", "");
}

/* The default value of an option, and in `rules` the conditions under which it holds. */
static void read_default(char value[1100], char rules[600], const sotto_options *options, const char *key) {
  const size_t number = cli_option_number(key);
  sotto_option_text(options, number, value, 1100);
  if (sotto_method_default(rules, 600, options->method, key, NULL) != SOTTO_OK) rules[0] = '\0';
  static const char alone[] = "else: "; /* only variants with that default have the option */
  if (options->given[number] || strncmp(rules, alone, strlen(alone)) != 0) return;
  (void)snprintf(value, 1100, "%s", rules + strlen(alone));
  rules[0] = '\0';
}

/* Is the option refused in a run with these words? */
static bool is_refused(const sotto_options *options, const char *key) {
  const size_t number = cli_option_number(key);
  sotto_options asked = *options, taken;
  if (options->given[number]) return false;
  asked.given[number] = true;
  taken = asked;
  sotto_options_prune(&taken);
  return !taken.given[number] && sotto_options_check(&asked, NULL) != SOTTO_OK;
}

/* Options of other variants of the method, by name alone. */
static void print_refused(const char *method, const char *names) {
  if (names[0] == '\0') return;
  app_print(stdout, "\nother variants of %s alone; an error names them\n  ", method);
  print_wrapped(names, 2);
}

size_t cli_print_method_options(const sotto_options *options, bool whole) {
  sotto_option_info infos[most_options];
  char refused[most_options * longest_key] = "";
  size_t left_out = 0, used = 0;
  const size_t count = sotto_method_options(infos, most_options, options->method);
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
    bool any = false;
    for (int common = 1; common >= 0; common--)
      for (size_t i = 0; i < count; i++) {
        char value[1100], rules[600];
        if (infos[i].group != (sotto_option_group)g || infos[i].common != (common == 1)) continue;
        if (strcmp(infos[i].key, "method") == 0) continue;
        if (is_refused(options, infos[i].key)) {
          used += (size_t)snprintf(refused + used, sizeof refused - used, "%s%s", used > 0 ? " " : "",
                                   infos[i].key);
          continue;
        }
        if (!whole && common == 0) {
          left_out++;
          continue;
        }
        read_default(value, rules, options, infos[i].key);
        if (!any) app_print(stdout, "%s%s\n", whole ? "\n" : "", groups[g]);
        any = true;
        print_option(&infos[i], value, whole ? rules : "");
      }
  }
  if (whole) print_refused(options->method, refused);
  return left_out;
}

void cli_print_common_options(const sotto_options *options) {
  static const char *const shown[] = {"method", "data",  "epsilon", "adjacency", "layers",
                                      "epochs", "seeds", "ledger",  "out",       "resume"};
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t s = 0; s < sizeof shown / sizeof *shown; s++) {
    char value[1100];
    const size_t i = cli_option_number(shown[s]);
    sotto_option_text(options, i, value, sizeof value);
    print_option(&infos[i], value, "");
  }
}

static bool has_option(const char *method, const char *key) {
  char rules[600];
  return sotto_method_default(rules, sizeof rules, method, key, NULL) == SOTTO_OK;
}

static void print_text(const sotto_method_info *methods, size_t count) {
  for (size_t i = 0; i < count; i++) {
    bool first = true;
    for (size_t j = 0; j < i; j++) first &= strcmp(methods[j].situation, methods[i].situation) != 0;
    if (!first) continue;
    app_print(stdout, "%s%s\n", i == 0 ? "" : "\n", methods[i].situation);
    for (size_t j = i; j < count; j++) {
      if (strcmp(methods[j].situation, methods[i].situation) != 0) continue;
      app_print(stdout, "  %-11s", methods[j].name);
      print_wrapped(methods[j].summary, 13);
      app_print(stdout, "  %-11s%s%s\n", "", methods[j].source,
                has_option(methods[j].name, "as-published") ? ", whose settings --as-published takes" : "");
    }
  }
  (void)puts("\nsotto train --method NAME --help shows the options of one.");
}

/* Names and texts are constants of the program, so none needs escaping. */
static void print_json(const sotto_method_info *methods, size_t count) {
  static const char *const topologies[] = {"one-owner", "two-parties", "holders-and-server",
                                           "clients-and-server"};
  app_print(stdout, "{\"methods\":[");
  for (size_t i = 0; i < count; i++) {
    sotto_option_info infos[most_options];
    size_t options = sotto_method_options(infos, most_options, methods[i].name);
    app_print(stdout,
              "%s{\"name\":\"%s\",\"summary\":\"%s\",\"situation\":\"%s\",\"source\":\"%s\","
              "\"topology\":\"%s\",\"options\":[",
              i == 0 ? "" : ",", methods[i].name, methods[i].summary, methods[i].situation, methods[i].source,
              topologies[methods[i].topology]);
    for (size_t k = 0; k < options; k++) app_print(stdout, "%s\"%s\"", k == 0 ? "" : ",", infos[k].key);
    app_print(stdout, "]}");
  }
  (void)puts("]}");
}

int cli_methods(int argc, char **argv) {
  bool json = false, matrix = false, help = false;
  const cli_flag flags[] = {{"matrix", NULL, &matrix}, {"json", NULL, &json}, {"help", NULL, &help}};
  size_t words, count;
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, NULL, 0, &words)) return EXIT_USAGE;
  if (help) {
    (void)puts(
        "usage: sotto methods [--matrix] [--json]\n\n"
        "Lists the methods by the situation that they are for.\n\n"
        "  --matrix  what can be done with a run of each method, in one process, between parties and over\n"
        "            ranks, and why the rest is not there\n"
        "  --json    as one line of JSON\n\n"
        "example:\n  sotto methods");
    return EXIT_DONE;
  }
  const sotto_method_info *methods = sotto_method_table(&count);
  if (matrix && json)
    cli_matrix_print_json(methods, count);
  else if (matrix)
    cli_matrix_print(methods, count);
  else if (json)
    print_json(methods, count);
  else
    print_text(methods, count);
  return EXIT_DONE;
}
