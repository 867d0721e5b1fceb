/* What the verbs that run a method share: options from the command line, data, the result. */
#include "run.h"

#include <stdio.h>
#include <string.h>

bool cli_take_option(sotto_options *options, int argc, char **argv, int *i, sotto_error *err) {
  char key[128];
  const char *name = argv[*i] + 2, *equals = strchr(name, '=');
  size_t length = equals == NULL ? strlen(name) : (size_t)(equals - name), count;
  (void)snprintf(key, sizeof key, "%.*s", (int)(length < 100 ? length : 100), name);
  const sotto_option_info *infos = sotto_option_table(&count);
  bool alone = false;
  for (size_t k = 0; k < count; k++)
    if (strcmp(infos[k].key, key) == 0 && infos[k].type == SOTTO_SWITCH) alone = true;
  const char *value = equals != NULL ? equals + 1 : alone ? "true" : *i + 1 < argc ? argv[*i + 1] : NULL;
  if (value == NULL)
    value = "";
  else if (equals == NULL && !alone)
    ++*i;
  return sotto_options_set(options, key, value, err) == SOTTO_OK;
}

sotto_status cli_open_data(sotto_dataset *out, const sotto_options *options, sotto_error *err) {
  const sotto_import_options import = {.target = options->target,
                                       .min_class_size = options->min_class_size,
                                       .nodes_table = options->nodes[0] == '\0' ? NULL : options->nodes};
  return sotto_dataset_open(out, options->data, &import, err);
}

sotto_status cli_open_run(sotto_options *options, sotto_dataset *out, const char *run, const char *data,
                          sotto_error *err) {
  char path[1200];
  (void)snprintf(path, sizeof path, "%.1000s/run.yaml", run);
  sotto_options_default(options);
  sotto_status status = sotto_options_read(options, path, err);
  if (status != SOTTO_OK) return status;
  if (data != NULL) (void)snprintf(options->data, sizeof options->data, "%s", data);
  return cli_open_data(out, options, err);
}

int cli_print_result(const app_report *report, bool json, sotto_error *err) {
  char *text = NULL;
  sotto_status status =
      json ? sotto_report_result(&text, report, err) : sotto_report_table(&text, report, err);
  if (status != SOTTO_OK) return cli_error(err);
  (void)printf(json ? "%s\n" : "%s", text);
  sotto_report_free_text(text);
  return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}
