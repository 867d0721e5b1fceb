/* sotto data schema: what the columns of a dataset, or of a run, are. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "common/file.h"
#include "common/print.h"
#include "data.h"
#include "sotto/model.h"
#include "sotto/schema.h"

enum { most_listed = 20 };

static void print_words(const sotto_names *words) {
  for (uint64_t i = 0; i < words->count && i < most_listed; i++)
    app_print(stdout, "%s%.40s", i == 0 ? "" : " | ", sotto_name(words, i));
  if (words->count > most_listed)
    app_print(stdout, " and %llu more", (unsigned long long)(words->count - most_listed));
}

static void print_column(const sotto_schema_column *c) {
  char features[44] = "-";
  const unsigned long long first = c->first, last = c->first + c->feature_count - 1;
  if (c->feature_count == 1) (void)snprintf(features, sizeof features, "%llu", first);
  if (c->feature_count > 1) (void)snprintf(features, sizeof features, "%llu to %llu", first, last);
  app_print(stdout, "  %-20.40s  %-8s  %-12s  %s", c->name, sotto_schema_type(c->kind), features,
            c->feature_count > 0 ? sotto_schema_missing(c->missing) : "-");
  if (c->kind == SOTTO_COLUMN_CATEGORY)
    app_print(stdout, "%*s", (int)(9 - strlen(sotto_schema_missing(c->missing))), "");
  print_words(&c->words);
  if (c->kind == SOTTO_COLUMN_DATE)
    app_print(stdout, "%*sdays since 2000-01-01", (int)(9 - strlen(sotto_schema_missing(c->missing))), "");
  app_print(stdout, "\n");
}

static void print_table(const sotto_schema *s) {
  app_print(stdout, "  %-20s  %-8s  %-12s  %-7s  %s\n", "column", "type", "features", "missing", "words");
  for (uint64_t j = 0; j < s->column_count; j++) print_column(&s->columns[j]);
  if (s->classes.count > 0) {
    app_print(stdout, "  classes: ");
    print_words(&s->classes);
    app_print(stdout, "\n");
  }
  if (s->kinds.count > 0) {
    app_print(stdout, "  kinds: ");
    print_words(&s->kinds);
    app_print(stdout, "\n");
  }
  if (s->source != NULL) app_print(stdout, "  edges: from %.40s to %.40s\n", s->source, s->target);
  if (!s->stated)
    app_print(stdout, "  The file has names of features alone: number stands for any type of one feature.\n");
}

static json_t *words_json(const sotto_names *words) {
  json_t *out = json_array();
  for (uint64_t i = 0; i < words->count; i++)
    (void)json_array_append_new(out, json_string(sotto_name(words, i)));
  return out;
}

static json_t *schema_json(const sotto_schema *s) {
  json_t *columns = json_array();
  for (uint64_t j = 0; j < s->column_count; j++) {
    const sotto_schema_column *c = &s->columns[j];
    (void)json_array_append_new(
        columns, json_pack("{s:s,s:s,s:I,s:I,s:s?,s:o}", "name", c->name, "type", sotto_schema_type(c->kind),
                           "first_feature", (json_int_t)c->first, "features", (json_int_t)c->feature_count,
                           "missing", c->feature_count > 0 ? sotto_schema_missing(c->missing) : NULL, "words",
                           words_json(&c->words)));
  }
  return json_pack("{s:b,s:o,s:o,s:o,s:s?,s:s?}", "stated", s->stated, "columns", columns, "classes",
                   words_json(&s->classes), "kinds", words_json(&s->kinds), "source", s->source, "target",
                   s->target);
}

static int print_schema(const sotto_schema *s, const data_schema_form *form) {
  sotto_error err = {0};
  char *yaml = NULL;
  if (form->json) return cli_print_json(schema_json(s));
  if (!form->yaml) {
    print_table(s);
    return EXIT_DONE;
  }
  if (sotto_schema_yaml(&yaml, s, &err) != SOTTO_OK) return cli_error(&err);
  (void)fputs(yaml, stdout);
  sotto_text_free(yaml);
  return EXIT_DONE;
}

int data_print_schema(const sotto_dataset *data, const char *path, const data_schema_form *form) {
  sotto_error err = {0};
  sotto_schema *schema = NULL;
  int code = EXIT_DONE;
  const sotto_status status =
      data == NULL ? sotto_model_read_schema(&schema, path, &err) : sotto_schema_of(&schema, data, &err);
  if (status != SOTTO_OK)
    code = cli_error(&err);
  else if (schema == NULL)
    code = cli_error(&(sotto_error){.status = SOTTO_NOT_FOUND,
                                    .text = "there is no schema: neither columns nor classes have names"});
  else
    code = print_schema(schema, form);
  sotto_schema_free(schema);
  return code;
}
