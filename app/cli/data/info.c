/* sotto data info: counts of a dataset, and how it was read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "common/print.h"
#include "counts.h"
#include "data.h"
#include "sotto/schema.h"
#include "transfers.h"

enum { most_listed = 20, most_columns = 60 }; /* of classes and of words of a column; of columns */

static const char *const kinds[] = {"ids of nodes", "label",    "split",           "number",
                                    "category",     "date",     "not used",        "flag",
                                    "the amount",   "the time", "number to learn", "the kind"};

static json_t *counts_json(const sotto_dataset *data, const data_counts *c) {
  char digest[65];
  sotto_i_hex(digest, data->digest, 32);
  return json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:f,s:I,s:I,s:I,s:b,s:s}", "name", data->name, "nodes",
                   (json_int_t)data->graph.nodes, "edges", (json_int_t)(data->graph.entries / 2), "features",
                   (json_int_t)data->features.cols, "classes", (json_int_t)c->classes, "graphs",
                   (json_int_t)data->graph_count, "mean_degree", c->mean, "largest_degree",
                   (json_int_t)c->largest, "isolated", (json_int_t)c->isolated, "labelled",
                   (json_int_t)(data->labels != NULL), "published_split", data->split != NULL, "digest",
                   digest);
}

static json_t *classes_json(const data_counts *c) {
  json_t *out = json_array();
  for (uint32_t i = 0; i < c->classes; i++) {
    const char *name = sotto_name(c->names, i);
    (void)json_array_append_new(out,
                                json_pack("{s:s?,s:I}", "name", name, "count", (json_int_t)c->members[i]));
  }
  return out;
}

static json_t *columns_json(const sotto_dataset *data) {
  json_t *out = json_array();
  for (uint64_t j = 0; data->reading != NULL && j < data->reading->column_count; j++) {
    const sotto_column *c = &data->reading->columns[j];
    (void)json_array_append_new(out, json_pack("{s:s,s:s,s:s,s:I,s:I,s:I,s:s?}", "name", c->name, "kind",
                                               kinds[c->kind], "of", c->of_edges ? "edges" : "nodes",
                                               "first_feature", (json_int_t)c->first, "features",
                                               (json_int_t)c->feature_count, "missing",
                                               (json_int_t)c->missing, "missing_words", c->missing_words));
  }
  return out;
}

static json_t *numbers_json(const sotto_dataset *data, const data_counts *c) {
  if (data->numbers == NULL) return json_null();
  return json_pack("{s:I,s:f,s:f,s:f,s:f}", "known", (json_int_t)c->known_numbers, "mean", c->number_mean,
                   "deviation", c->number_deviation, "least", c->least_number, "largest", c->largest_number);
}

static json_t *info_json(const sotto_dataset *data, const data_counts *c) {
  json_t *root = counts_json(data, c);
  const sotto_reading *r = data->reading;
  json_t *parts =
      json_pack("{s:I,s:I,s:I}", "train", (json_int_t)c->parts[SOTTO_PART_TRAIN], "validation",
                (json_int_t)c->parts[SOTTO_PART_VALIDATION], "test", (json_int_t)c->parts[SOTTO_PART_TEST]);
  (void)json_object_set_new(root, "form", r == NULL ? json_null() : json_string(r->form));
  (void)json_object_set_new(root, "pairs", r == NULL ? json_null() : json_integer((json_int_t)r->pairs));
  (void)json_object_set_new(root, "self_loops",
                            r == NULL ? json_null() : json_integer((json_int_t)r->self_loops));
  (void)json_object_set_new(root, "repeats", r == NULL ? json_null() : json_integer((json_int_t)r->repeats));
  (void)json_object_set_new(root, "filled",
                            r == NULL || r->filled == SOTTO_MISSING_REFUSE
                                ? json_null()
                                : json_string(sotto_schema_missing(r->filled)));
  (void)json_object_set_new(root, "homophily", isnan(c->homophily) ? json_null() : json_real(c->homophily));
  (void)json_object_set_new(root, "unlabelled", json_integer((json_int_t)c->unlabelled));
  (void)json_object_set_new(root, "class_list", classes_json(c));
  (void)json_object_set_new(root, "split", data->split == NULL ? json_null() : json_incref(parts));
  (void)json_object_set_new(root, "ids", json_boolean(data->node_ids.count > 0));
  (void)json_object_set_new(root, "feature_names", json_boolean(data->feature_names.count > 0));
  (void)json_object_set_new(root, "columns", columns_json(data));
  (void)json_object_set_new(root, "transfers", data_transfers_json(data));
  (void)json_object_set_new(root, "numbers", numbers_json(data, c));
  (void)json_object_set_new(root, "foreign_edges",
                            data->foreign.nodes == NULL ? json_null()
                                                        : json_integer((json_int_t)data->foreign.ids.count));
  json_decref(parts);
  return root;
}

static void print_counts(const sotto_dataset *data, const data_counts *c) {
  app_print(stdout, "  name            %s\n", data->name);
  if (data->graph_count > 0)
    app_print(stdout, "  graphs          %llu\n", (unsigned long long)data->graph_count);
  app_print(stdout,
            "  nodes           %llu\n  edges           %llu (undirected)\n  features        %zu\n  "
            "classes         %u\n",
            (unsigned long long)data->graph.nodes, (unsigned long long)(data->graph.entries / 2),
            data->features.cols, c->classes);
  app_print(stdout, "  degree          mean %.2f, largest %llu, %llu nodes without edges\n", c->mean,
            (unsigned long long)c->largest, (unsigned long long)c->isolated);
  if (data->split == NULL)
    app_print(stdout, "  published split no\n");
  else
    app_print(stdout, "  published split yes: %llu train, %llu validation, %llu test, %llu in none\n",
              (unsigned long long)c->parts[SOTTO_PART_TRAIN],
              (unsigned long long)c->parts[SOTTO_PART_VALIDATION],
              (unsigned long long)c->parts[SOTTO_PART_TEST], (unsigned long long)c->parts[SOTTO_PART_NONE]);
}

static void print_digest(const sotto_dataset *data) {
  char digest[65];
  sotto_i_hex(digest, data->digest, 32);
  app_print(stdout, "  digest          %s\n", digest);
}

/* The words of a category: what follows NAME= in the names of its features. */
static void print_words(const sotto_dataset *data, const sotto_column *c) {
  const uint64_t end = c->first + c->feature_count;
  for (uint64_t j = c->first; j < end && j < c->first + most_listed; j++) {
    const char *name = sotto_name(&data->feature_names, j);
    if (name == NULL) return;
    const char *word = strlen(name) > strlen(c->name) ? name + strlen(c->name) + 1 : name;
    app_print(stdout, "%s%.40s", j == c->first ? ": " : " | ", word);
  }
  if (c->feature_count > most_listed)
    app_print(stdout, " and %llu more", (unsigned long long)(c->feature_count - most_listed));
}

static void print_column(const sotto_dataset *data, const sotto_column *c) {
  app_print(stdout, "    %-14.40s%s%s", c->name, c->of_edges ? "of edges, " : "", kinds[c->kind]);
  if (c->kind == SOTTO_COLUMN_NUMBER || c->kind == SOTTO_COLUMN_FLAG)
    app_print(stdout, ", feature %llu", (unsigned long long)c->first);
  if (c->kind == SOTTO_COLUMN_DATE)
    app_print(stdout, ", feature %llu: days since 2000-01-01", (unsigned long long)c->first);
  if (c->kind == SOTTO_COLUMN_CATEGORY) {
    app_print(stdout, ", features %llu to %llu", (unsigned long long)c->first,
              (unsigned long long)(c->first + c->feature_count - 1));
    print_words(data, c);
  }
  if (c->missing > 0)
    app_print(stdout, "; %llu missing%s%s%s%s", (unsigned long long)c->missing,
              c->missing_words == NULL ? "" : " (", c->missing_words == NULL ? "" : c->missing_words,
              c->missing_words == NULL ? "" : ")", c->feature_count > 0 ? ", filled" : "");
  app_print(stdout, "\n");
}

static void print_reading(const sotto_dataset *data) {
  const sotto_reading *r = data->reading;
  uint64_t filled = 0;
  if (r == NULL) return;
  app_print(stdout, "  read as         %s\n  edges listed    %llu; left out: self-loops %llu, repeats %llu\n",
            r->form, (unsigned long long)r->pairs, (unsigned long long)r->self_loops,
            (unsigned long long)r->repeats);
  if (data->schema != NULL && data->schema->source != NULL)
    app_print(stdout, "  ends            from '%s' to '%s'\n", data->schema->source, data->schema->target);
  if (r->column_count > 0) app_print(stdout, "  columns\n");
  for (uint64_t j = 0; j < r->column_count; j++)
    if (j < most_columns) print_column(data, &r->columns[j]);
  if (r->column_count > most_columns)
    app_print(stdout, "    and %llu more\n", (unsigned long long)(r->column_count - most_columns));
  for (uint64_t j = 0; j < r->column_count; j++)
    if (r->columns[j].feature_count > 0) filled += r->columns[j].missing;
  if (filled > 0 && r->filled == SOTTO_MISSING_ZERO)
    app_print(stdout, "  filled          missing values %llu, with zero\n", (unsigned long long)filled);
  if (filled > 0 && r->filled == SOTTO_MISSING_VALUE)
    app_print(stdout, "  filled          missing values %llu, as the schema says\n",
              (unsigned long long)filled);
  if (filled > 0 && r->filled == SOTTO_MISSING_MEAN)
    app_print(
        stdout,
        "  filled          missing values %llu, with means of %s nodes, which the schema keeps for later "
        "tables.\n                  No noise covers what a mean says: where nodes are private, it is "
        "refused\n",
        (unsigned long long)filled, data->split == NULL ? "all" : "the training");
}

static void print_classes(const sotto_dataset *data, const data_counts *c) {
  if (c->classes == 0) return;
  app_print(stdout, "  classes of %s\n", c->of_graphs ? "graphs" : "nodes");
  for (uint32_t i = 0; i < c->classes && i < most_listed; i++) {
    const char *name = sotto_name(c->names, i);
    app_print(stdout, "    %4u %-20.60s %llu\n", (unsigned)i, name == NULL ? "" : name,
              (unsigned long long)c->members[i]);
  }
  if (c->classes > most_listed) app_print(stdout, "    and %u more\n", (unsigned)(c->classes - most_listed));
  if (c->unlabelled > 0) app_print(stdout, "    without a label: %llu\n", (unsigned long long)c->unlabelled);
  if (!isnan(c->homophily) && data->graph_count == 0)
    app_print(stdout,
              "  homophily       %.4f: share of %llu edges between labelled nodes that join one class\n",
              c->homophily, (unsigned long long)c->labelled_edges);
}

static void print_numbers(const sotto_dataset *data, const data_counts *c) {
  if (data->numbers == NULL) return;
  app_print(
      stdout,
      "  numbers         of %llu nodes, from %g to %g, mean %g, standard deviation %g; learnt with --task "
      "regression\n",
      (unsigned long long)c->known_numbers, c->least_number, c->largest_number, c->number_mean,
      c->number_deviation);
}

static void print_names(const sotto_dataset *data) {
  const uint64_t count = data->feature_names.count;
  if (data->node_ids.count > 0)
    app_print(stdout, "  ids of nodes    yes, the first is %.60s\n", sotto_name(&data->node_ids, 0));
  for (uint64_t j = 0; j < count && j < most_listed; j++)
    app_print(stdout, "%s%.40s", j == 0 ? "  feature names   " : " | ", sotto_name(&data->feature_names, j));
  if (count > most_listed) app_print(stdout, " and %llu more", (unsigned long long)(count - most_listed));
  if (count > 0) app_print(stdout, "\n");
}

static void print_foreign(const sotto_dataset *data) {
  if (data->foreign.nodes == NULL) return;
  app_print(stdout, "  edges to others %llu, whose other ends are nodes of other owners\n",
            (unsigned long long)data->foreign.ids.count);
}

void cli_print_counts(const sotto_dataset *data, const sotto_figures *figures, json_t *list) {
  sotto_error err = {0};
  data_counts c;
  if (data_count(&c, data, figures, &err) != SOTTO_OK) {
    (void)cli_error(&err);
    return;
  }
  if (list != NULL) {
    (void)json_array_append_new(list, counts_json(data, &c));
  } else {
    print_counts(data, &c);
    print_digest(data);
  }
  data_counts_free(&c);
}

void cli_print_one(const sotto_dataset *data, const sotto_figures *figures, bool json) {
  json_t *list = json ? json_array() : NULL;
  cli_print_counts(data, figures, list);
  if (json && json_array_size(list) == 1) (void)cli_print_json(json_incref(json_array_get(list, 0)));
  json_decref(list);
}

int cli_print_info(const sotto_dataset *data, const sotto_figures *figures, bool json) {
  sotto_error err = {0};
  data_counts c;
  if (data_count(&c, data, figures, &err) != SOTTO_OK) return cli_error(&err);
  if (json) {
    (void)cli_print_json(info_json(data, &c));
  } else {
    print_counts(data, &c);
    print_reading(data);
    data_print_transfers(data);
    print_classes(data, &c);
    print_numbers(data, &c);
    print_foreign(data);
    print_names(data);
    print_digest(data);
  }
  data_counts_free(&c);
  return EXIT_DONE;
}
