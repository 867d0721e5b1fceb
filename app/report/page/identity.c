/* Section of a page: who ran what, when, on which data. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "parts.h"
#include "sotto/methods.h"

void page_identity(page *p, const page_run *run) {
  static const char *const heads[] = {"What", "Value"};
  const json_t *s = run->statement, *method = json_object_get(s, "method"),
               *data = json_object_get(s, "dataset"), *program = json_object_get(s, "program");
  const double nodes = page_number(data, "nodes"), seconds = page_number(run->result, "seconds");
  page_section(p, "run", "The run");
  page_table(p, "Who ran what, when, on which data", heads, PAGE_COUNT(heads));
  page_row(p, "Run folder", run->name);
  page_row(p, "This party", run->role);
  page_row(p, "Method", page_words(method, "name"));
  page_row(p, "What the method does", page_words(method, "summary"));
  page_row(p, "Published by", page_words(method, "source"));
  page_row(p, "Dataset", page_words(data, "name"));
  if (isfinite(nodes)) {
    page_cell(p, "Nodes");
    page_cell(p, "%.0f", nodes);
  }
  page_cell(p, "Digest of the data");
  if (page_words(data, "digest")[0] != '\0')
    page_cell(p, "%s (of the number of nodes and their features, not of edges)", page_words(data, "digest"));
  else
    page_cell(p, "not stated, because features are not public here");
  page_row(p, "Date (UTC)", page_words(s, "date"));
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

/* A warning if no key known on this machine signed the statement. When a run ends, its page is made without
 * looking up the party's own key. */
static void put_signature_warning(page *p, const page_run *run) {
  const sotto_statement_check *c = &run->check;
  if (c->by != SOTTO_SIGNED_BY_NOBODY && (c->key_known || !run->asked)) return;
  page_put(p, "<p class=\"verdict warn\">");
  if (c->by == SOTTO_SIGNED_BY_NOBODY)
    page_say(p, "! NOT SIGNED. Whoever has the run folder can change this statement.");
  else
    page_say(p,
             "! Signed by a key that is NOT known here: %s. Whoever has the run folder can have signed it.",
             c->key);
  if (c->charges_checked)
    page_say(p, " Fields that the ledger does not have are unchecked: %s.", c->unchecked);
  page_put(p, "</p>\n");
}

/* Names of parties stand between backticks. */
static void put_names(page *p, const char *text) {
  char part[500];
  for (bool name = false; text[0] != '\0'; name = !name) {
    const size_t length = strcspn(text, "`");
    (void)snprintf(part, sizeof part, "%.*s", (int)length, text);
    if (name) page_put(p, "<code>");
    page_say(p, "%s", part);
    if (name) page_put(p, "</code>");
    text += length + (text[length] != '\0');
  }
}

void page_colour_line(page *p, const char *colour, const char *text) {
  static const struct {
    const char *colour, *look, *sign;
  } looks[] = {{"green", "good", "\xe2\x9c\x93"}, {"amber", "warn", "!"}, {"red", "bad", "\xe2\x9c\x95"}};
  enum { red = 2 };
  size_t look = 0;
  while (look < red && strcmp(looks[look].colour, colour) != 0) look++;
  (void)fprintf(p->out, "<p class=\"verdict %s\">", looks[look].look);
  if (text[0] != '\0') {
    page_say(p, "%s %c", looks[look].sign, toupper((unsigned char)text[0]));
    put_names(p, text + 1);
  }
  page_put(p, "</p>\n");
}

/* A line for each verdict in the colour of its class; verdicts of this party first. */
void page_verdict(page *p, const page_run *run) {
  const json_t *list = json_object_get(run->statement, "verdicts"), *v;
  size_t i;
  json_array_foreach(list, i, v) {
    char text[500];
    if (page_full(p)) break;
    (void)snprintf(text, sizeof text, "%s%s", i == 0 && !page_is_alone(run) ? "this run alone: " : "",
                   page_words(v, "text"));
    page_colour_line(p, page_words(v, "colour"), text);
  }
  page_cut(p, i, json_array_size(list));
  page_together_verdict(p, run);
  put_signature_warning(p, run);
  if (page_true(run->statement, "insecure"))
    page_paragraph(p, "The noise came from a fixed seed, so nothing is protected.");
}

/* One line "key: value" of the terms. */
static void put_term(page *p, const char *line, size_t length) {
  const char *colon = memchr(line, ':', length);
  if (colon == NULL) return;
  const size_t key = (size_t)(colon - line), start = key + 1 + (key + 1 < length && colon[1] == ' ');
  if (start >= length) return; /* the option is not given */
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
    put_term(p, at, length);
    at += length + (at[length] != '\0');
  }
  page_table_end(p);
  page_put(p, "</details>\n");
  page_section_end(p);
  sotto_text_free(terms);
  return SOTTO_OK;
}
