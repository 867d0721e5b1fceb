/* First screen of a run's page, below the verdicts: who saw what, accuracy, privacy cost. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "owner.h"
#include "parts.h"
#include "report/chart.h"
#include "report/report.h"
#include "sotto/guarantee.h"

enum { most_bars = 3 };

typedef struct bar_list {
  const char *names[most_bars];
  double values[most_bars];
  size_t count;
} bar_list;

static void add_bar(bar_list *list, const char *name, double value) {
  if (!isfinite(value)) return;
  list->names[list->count] = name;
  list->values[list->count++] = value;
}

/* Mean over the trainings of the accuracy that was counted with noise, in per cent; NAN: none. */
static double published_accuracy(const page_run *run) {
  const json_t *list = json_object_get(run->statement, "published"), *one;
  double sum = 0;
  size_t i;
  json_array_foreach(list, i, one) sum += page_number(one, "accuracy");
  return i == 0 ? NAN : 100 * sum / (double)i;
}

static void draw_accuracy(page *p, const page_run *run, const bar_list *list) {
  const page_first first = page_first_of(run->result);
  char head[40];
  (void)snprintf(head, sizeof head, "%s%s", first.name, first.unit[0] != '\0' ? " in per cent" : "");
  const char *const heads[] = {"Training", head};
  const app_bars bars = {.title = first.title,
                         .description = "A bar for features alone, and one for this run.",
                         .names = list->names,
                         .values = list->values,
                         .count = list->count,
                         .unit = first.unit};
  page_figure(p, bars.title);
  (void)app_bars_draw(p->out, &bars, p->id);
  page_figure_table(p, first.name, heads, PAGE_COUNT(heads));
  for (size_t i = 0; i < list->count; i++) {
    page_cell(p, "%s", list->names[i]);
    page_cell_number(p, list->values[i], "not known");
  }
  page_figure_end(p);
}

static void put_accuracy(page *p, const page_run *run) {
  bar_list list = {.count = 0};
  const bool bare = !page_guarantees(run);
  add_bar(&list, "features alone, no edges", page_first_value(run->result, "baseline"));
  add_bar(&list, bare ? "this run, without proven privacy" : "this run, with privacy",
          page_first_value(run->result, "test"));
  if (strcmp(page_first_of(run->result).key, "accuracy") == 0)
    add_bar(&list, "this run, counted with noise", published_accuracy(run));
  page_put(p, "<div>\n");
  if (list.count > 0) {
    draw_accuracy(p, run, &list);
  } else {
    page_put(p, "<h2>Accuracy on the test part</h2>\n");
    page_paragraph(p, "Not on this page. The results below say why.");
  }
  if (!bare) page_put(p, "<p class=\"small\">No privacy: not trained.</p>\n");
  page_put(p, "</div>\n");
}

static void put_epsilon(page *p, const page_run *run) {
  char at[SOTTO_DELTA_WORDS], words[SOTTO_EPSILON_WORDS];
  const double repeats = page_number(run->statement, "repeats");
  if (!page_guarantees(run)) {
    page_put(p, "<p class=\"amount\">no bound</p>\n");
    return;
  }
  sotto_delta_words(at, page_delta(run));
  sotto_epsilon_words(words, page_epsilon(run));
  page_put(p, "<p><span class=\"amount\">");
  page_say(p, "epsilon %s", words);
  page_put(p, "</span> ");
  page_say(p, "at delta %s, %s level", at, page_words(run->statement, "adjacency"));
  if (repeats > 1) page_say(p, ", %.0f repeats together", repeats);
  page_put(p, "</p>\n");
}

static sotto_status put_cost(page *p, const page_run *run, const char *folder, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  page_put(p, "<div><h2>Privacy cost</h2>\n");
  put_epsilon(p, run);
  if (p->owner)
    status = page_account_budget(p, run, folder, err);
  else
    page_put(p, "<p class=\"small\">The owner's page compares it with the budget.</p>\n");
  page_put(p, "</div>\n");
  return status;
}

sotto_status page_glance(page *p, const page_run *run, const char *folder, sotto_error *err) {
  page_put(p, "<section class=\"glance\" aria-label=\"At a glance\">\n");
  put_accuracy(p, run);
  const sotto_status status = put_cost(p, run, folder, err);
  if (status != SOTTO_OK) return status;
  page_put(p, "<div>\n");
  page_parties_picture(p, run);
  page_put(p, "</div>\n</section>\n");
  return SOTTO_OK;
}
