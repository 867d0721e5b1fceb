/* Code shared by the verbs that run a method: options from the command line, data, the result. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "common/print.h"
#include "report/page/page.h"
#include "sotto/model.h"
#include "table.h"

cli_option cli_next_option(int argc, char **argv, int *i) {
  cli_option out;
  const char *name = argv[*i] + 2, *equals = strchr(name, '=');
  size_t length = equals == NULL ? strlen(name) : (size_t)(equals - name), count;
  (void)snprintf(out.key, sizeof out.key, "%.*s", (int)(length < 100 ? length : 100), name);
  const bool header = strcmp(out.key, "header") == 0, no_header = strcmp(out.key, "no-header") == 0;
  if (equals == NULL && (header || no_header)) return (cli_option){"header", header ? "yes" : "no"};
  if (equals == NULL && strcmp(out.key, "not-private") == 0) return (cli_option){"anyway", "not-private"};
  if (equals == NULL && strcmp(out.key, "anyway") == 0) {
    const char *next = *i + 1 < argc ? argv[*i + 1] : "";
    const bool said = strcmp(next, "gain") == 0 || strcmp(next, "not-private") == 0;
    if (said) ++*i;
    return (cli_option){"anyway", said ? next : "gain"};
  }
  const sotto_option_info *infos = sotto_option_table(&count);
  bool alone = false;
  for (size_t k = 0; k < count; k++)
    if (strcmp(infos[k].key, out.key) == 0 && infos[k].type == SOTTO_SWITCH) alone = true;
  out.value = equals != NULL ? equals + 1 : alone ? "true" : *i + 1 < argc ? argv[*i + 1] : NULL;
  if (out.value == NULL)
    out.value = "";
  else if (equals == NULL && !alone)
    ++*i;
  return out;
}

size_t cli_option_number(const char *key) {
  size_t count, i = 0;
  const sotto_option_info *infos = sotto_option_table(&count);
  while (i + 1 < count && strcmp(infos[i].key, key) != 0) i++;
  return i;
}

/* False, after a message, if neither the verb nor a run has this option. */
static bool check_known(const cli_flag *flags, size_t count, const char *key) {
  static const char *const words[] = {"no-header", "not-private"}; /* cli_next_option */
  const size_t more = sizeof words / sizeof *words;
  const char *names[SOTTO_MOST_OPTIONS + 64];
  size_t options, used = 0;
  const sotto_option_info *infos = sotto_option_table(&options);
  for (size_t i = 0; i < options; i++) {
    if (strcmp(infos[i].key, key) == 0) return true;
    names[used++] = infos[i].key;
  }
  for (size_t i = 0; i < count && used + more < sizeof names / sizeof *names; i++)
    names[used++] = flags[i].name;
  for (size_t i = 0; i < more; i++) names[used++] = words[i];
  (void)cli_unknown_flag(key, names, used);
  return false;
}

bool cli_take_run(sotto_run *run, const char **file, const cli_flag *flags, size_t count, int argc,
                  char **argv) {
  sotto_error err = {0};
  for (int i = 0; i < argc; i++) {
    const cli_taken taken = cli_take(flags, count, argc, argv, &i);
    if (taken == CLI_WRONG) return false;
    if (taken == CLI_TAKEN) continue;
    if (strncmp(argv[i], "--", 2) == 0) {
      if (!cli_once(argc, argv, i)) return false;
      const bool last = i + 1 == argc && strchr(argv[i], '=') == NULL;
      const cli_option option = cli_next_option(argc, argv, &i);
      if (!check_known(flags, count, option.key)) return false;
      if (!last && strcmp(option.key, "out") == 0 && !cli_named_at_all(option.value, "--out")) return false;
      if (last && option.value[0] == '\0') return (void)cli_usage("--%s needs a value", option.key), false;
      if (sotto_run_set(run, option.key, option.value, &err) != SOTTO_OK)
        return (void)cli_usage("%s", err.text), false;
    } else if (argv[i][0] == '-' && argv[i][1] != '\0') {
      return (void)cli_usage("'%s': options begin with two hyphens: -%s", argv[i], argv[i]), false;
    } else if (*file == NULL) {
      *file = argv[i];
    } else {
      return (void)cli_usage("'%s': one run file at most", argv[i]), false;
    }
  }
  return true;
}

static sotto_status open_data(sotto_dataset *out, const sotto_options *options, const char *run,
                              sotto_error *err) {
  const sotto_observer observer = cli_observer();
  const sotto_status status = sotto_run_data_open(out, options, run, &observer, err);
  cli_observer_end();
  return status;
}

sotto_status cli_open_data(sotto_dataset *out, const sotto_options *options, sotto_error *err) {
  return open_data(out, options, NULL, err);
}

/* Drops the options that name columns of the training data: other data have their own table of nodes, next to
 * their edges, and the schema names its columns. The names of columns of edges stay where both files have the
 * same form. */
static void name_other_data(sotto_options *o, const char *data) {
  const char *before = strrchr(o->data, '.'), *now = strrchr(data, '.');
  const bool alike = before != NULL && now != NULL && strcmp(before, now) == 0;
  o->nodes[0] = o->label[0] = o->types[0] = '\0';
  if (!alike) o->source[0] = o->target[0] = o->amount[0] = o->time[0] = o->kind[0] = o->direction[0] = '\0';
  (void)snprintf(o->data, sizeof o->data, "%s", data);
}

sotto_status cli_read_run(sotto_options *options, const char *run, const char *data, const cli_table *table,
                          sotto_error *err) {
  char path[1200];
  (void)snprintf(path, sizeof path, "%.1000s/run.yaml", run);
  sotto_options_default(options);
  sotto_status status;
  if (!sotto_i_is_file(path))
    return sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: %s; name the folder of a finished run", run,
                        sotto_i_is_folder(run) ? "has no run.yaml" : "there is no such folder");
  SOTTO_TRY(sotto_options_read(options, path, err));
  if (data != NULL) name_other_data(options, data);
  if (table != NULL) SOTTO_TRY(cli_table_set(options, table, err));
done:
  return status;
}

sotto_status cli_open_run(sotto_options *options, sotto_dataset *out, const char *run, const char *data,
                          const cli_table *table, sotto_error *err) {
  const sotto_status status = cli_read_run(options, run, data, table, err);
  return status == SOTTO_OK ? open_data(out, options, run, err) : status;
}

void cli_leave_report(const char *folder) {
  sotto_error err = {0};
  if (page_write_run(folder, &err) != SOTTO_OK)
    cli_warn("the run is done, and its report.html was not written: %s", err.text);
}

/* Prints verdicts in the colours of their classes. */
static void print_table(char *table, const char *result) {
  json_t *root = json_loads(result, 0, NULL);
  char *rest = table;
  for (char *line = strsep(&rest, "\n"); line != NULL && (rest != NULL || line[0] != '\0');
       line = strsep(&rest, "\n"))
    app_print_line(stdout, sotto_report_colour(root, line), line);
  json_decref(root);
}

static sotto_status make_table(char **table, const char *result, sotto_error *err) {
  json_t *root = json_loads(result, 0, NULL);
  const char *run = json_string_value(json_object_get(root, "run"));
  char *spent = NULL;
  sotto_status status = run == NULL ? SOTTO_OK : sotto_report_spent(&spent, run, err);
  if (status == SOTTO_OK) status = sotto_report_table(table, result, spent, err);
  free(spent);
  json_decref(root);
  return status;
}

int cli_print_result(const char *result, bool json, sotto_error *err) {
  char *table = NULL;
  if (!json && make_table(&table, result, err) != SOTTO_OK) return cli_error(err);
  if (json)
    (void)puts(result);
  else
    print_table(table, result);
  sotto_report_free_text(table);
  return EXIT_DONE;
}
