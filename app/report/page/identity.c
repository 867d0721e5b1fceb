/* Who, what, when, which data. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "parts.h"
#include "sotto/methods.h"

static void row(page *p, const char *name, const char *value) {
  if (value[0] == '\0') return;
  page_cell(p, "%s", name);
  page_cell(p, "%s", value);
}

void page_identity(page *p, const page_run *run) {
  static const char *const heads[] = {"What", "Value"};
  const json_t *s = run->statement, *method = json_object_get(s, "method"),
               *data = json_object_get(s, "dataset"), *program = json_object_get(s, "program");
  const double nodes = page_number(data, "nodes"), seconds = page_number(run->result, "seconds");
  page_section(p, "run", "The run");
  page_table(p, "Who ran what, when, on which data", heads, PAGE_COUNT(heads));
  row(p, "Run folder", run->name);
  row(p, "This party", run->role);
  row(p, "Method", page_words(method, "name"));
  row(p, "What the method does", page_words(method, "summary"));
  row(p, "Published by", page_words(method, "source"));
  row(p, "Dataset", page_words(data, "name"));
  if (isfinite(nodes)) {
    page_cell(p, "Nodes");
    page_cell(p, "%.0f", nodes);
  }
  page_cell(p, "Digest of the data");
  if (page_words(data, "digest")[0] != '\0')
    page_cell(p, "%s (of the number of nodes and their features, not of edges)", page_words(data, "digest"));
  else
    page_cell(p, "not stated, because features are not public here");
  row(p, "Date (UTC)", page_words(s, "date"));
  page_cell(p, "Program");
  page_cell(p, "%s %s", page_words(program, "name"), page_words(program, "version"));
  if (isfinite(page_number(s, "repeats"))) {
    page_cell(p, "Repeats of the training");
    page_cell(p, "%.0f", page_number(s, "repeats"));
  }
  if (isfinite(seconds)) {
    page_cell(p, "Time");
    page_cell(p, "%.3g s", seconds);
  }
  page_table_end(p);
  page_section_end(p);
}

void page_verdict(page *p, const page_run *run) {
  const char *kind = page_words(run->statement, "verdict_class");
  const bool insecure = page_true(run->statement, "insecure");
  const char *look = strcmp(kind, "private") == 0 || strcmp(kind, "no edge used") == 0 ? "good"
                     : strcmp(kind, "vacuous") == 0                                    ? "warn"
                                                                                       : "bad";
  const bool is_bad = insecure || strcmp(look, "bad") == 0;
  const char *sign = is_bad                      ? "\xe2\x9c\x95"
                     : strcmp(look, "warn") == 0 ? "!"
                                                 : "\xe2\x9c\x93"; /* cross, check */
  char text[400];
  (void)snprintf(text, sizeof text, "%s", page_words(run->statement, "verdict"));
  text[0] = (char)toupper((unsigned char)text[0]);
  (void)fprintf(p->out, "<p class=\"verdict %s\">", is_bad ? "bad" : look);
  page_say(p, "%s %s", sign, text);
  page_put(p, "</p>\n");
  if (insecure) page_paragraph(p, "The noise came from a fixed seed, so nothing is protected.");
}

/* One "key: value" of the terms. */
static void term(page *p, const char *line, size_t length) {
  const char *colon = memchr(line, ':', length);
  if (colon == NULL) return;
  const size_t key = (size_t)(colon - line), start = key + 1 + (key + 1 < length && colon[1] == ' ');
  if (start >= length) return; /* not given */
  page_cell(p, "%.*s", (int)key, line);
  page_cell(p, "%.*s", (int)(length - start), line + start);
}

sotto_status page_settings(page *p, const page_run *run, sotto_error *err) {
  static const char *const heads[] = {"Setting", "Value"};
  char *terms = NULL;
  if (!run->has_options) return SOTTO_OK;
  const sotto_status status = sotto_options_terms(&terms, &run->options, err);
  if (status != SOTTO_OK) return status;
  page_section(p, "settings", "Settings");
  page_paragraph(p, "These are the settings that all parties agree on. Paths of this machine are left out.");
  page_put(p, "<details><summary>All settings</summary>\n");
  page_table(p, "Settings of the run", heads, PAGE_COUNT(heads));
  for (const char *at = terms; *at != '\0' && !page_full(p);) {
    const size_t length = strcspn(at, "\n");
    term(p, at, length);
    at += length + (at[length] != '\0');
  }
  page_table_end(p);
  page_put(p, "</details>\n");
  page_section_end(p);
  sotto_options_free_text(terms);
  return SOTTO_OK;
}
