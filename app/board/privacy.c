/* The part "Privacy so far": the planned spending of the run, what the account has spent, its budget. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sections.h"
#include "sotto/guarantee.h"

enum { most_rows = 3 };

typedef struct table {
  const char *names[most_rows];
  double epsilons[most_rows], deltas[most_rows], budgets[most_rows];
  size_t count;
} table;

static void add_bar(table *t, const char *name, double epsilon, double delta, double budget) {
  t->names[t->count] = name;
  t->epsilons[t->count] = epsilon;
  t->deltas[t->count] = delta;
  t->budgets[t->count++] = budget;
}

static void draw_table(page *p, const table *t) {
  static const char *const heads[] = {"Epsilon of", "Value", "At delta", "Budget"};
  const app_bars bars = {.title = "Epsilon: planned, charged, and the budget",
                         .description =
                             "A bar for what the run may spend, and for what the account of the data "
                             "has spent. The mark is its budget.",
                         .names = t->names,
                         .values = t->epsilons,
                         .marks = t->budgets,
                         .count = t->count,
                         .of_epsilon = true,
                         .unit = "",
                         .mark_name = "budget of the account"};
  if (t->count == 0) return;
  page_figure(p, bars.title);
  (void)app_bars_draw(p->out, &bars, p->id);
  page_figure_table(p, bars.title, heads, PAGE_COUNT(heads));
  for (size_t i = 0; i < t->count; i++) {
    page_cell(p, "%s", t->names[i]);
    page_cell_epsilon(p, t->epsilons[i], "no bound");
    page_cell_delta(p, t->deltas[i]);
    page_cell_number(p, t->budgets[i], "-");
  }
  page_figure_end(p);
}

/* The colour follows the class of the text: that of the class that ends it, else red. */
static const char *colour_of(const char *text) {
  char class[40];
  const char *last = strrchr(text, '(');
  if (strstr(text, ": no edge was used") != NULL)
    return sotto_guarantee_describe(SOTTO_GUARANTEE_STRONG)->colour;
  for (int i = 0; i < SOTTO_GUARANTEE_NONE; i++) {
    const sotto_guarantee_row *row = sotto_guarantee_describe((sotto_guarantee)i);
    (void)snprintf(class, sizeof class, "(%s)", row->name);
    if (last != NULL && strcmp(last, class) == 0) return row->colour;
  }
  return sotto_guarantee_describe(SOTTO_GUARANTEE_NONE)->colour;
}

/* End of the first verdict. Another one follows after "; " and has the form "WHAT of `WHOSE`: ...". */
static const char *first_verdict_end(const char *text) {
  for (const char *at = text; (at = strstr(at, "; ")) != NULL; at += 2) {
    const char *of = strstr(at, " of `"), *colon = strchr(at, ':');
    if (of != NULL && colon != NULL && of < colon) return at;
  }
  return text + strlen(text);
}

/* The verdicts of the privacy statement as far as the plan determines them, each a paragraph in its colour.
 * The terminal prints the same ones after the run. */
static void put_verdicts(page *p, const board_view *view) {
  const watch_state *s = &view->state;
  if (s->verdicts[0] == '\0')
    page_paragraph(p, "The plan of this run is not known here.");
  else
    page_paragraph(p, "By the plan of this run, for all its repeats together:");
  for (const char *at = s->verdicts; *at != '\0';) {
    char text[500];
    const char *end = first_verdict_end(at);
    (void)snprintf(text, sizeof text, "%.*s", (int)(end - at), at);
    page_colour_line(p, colour_of(text), text);
    at = end + (*end == '\0' ? 0 : 2);
  }
}

void board_privacy(page *p, const board_view *view, double now) {
  const watch_state *s = &view->state;
  table t = {.count = 0};
  (void)now;
  page_section(p, "privacy", "Privacy so far");
  put_verdicts(p, view);
  if (!s->spent) page_paragraph(p, "No account of this party was charged so far.");
  if (s->planned) add_bar(&t, "this run, by its plan", s->planned_epsilon, s->planned_delta, NAN);
  if (s->spent) {
    add_bar(&t, "the account, before this start", s->epsilon_before, s->delta, NAN);
    add_bar(&t, "the account, charged so far", s->epsilon, s->delta, s->budget > 0 ? s->budget : NAN);
  }
  draw_table(p, &t);
  page_section_end(p);
}
