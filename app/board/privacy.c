/* Privacy so far: what the run may spend by its plan, what the account has spent, its budget. */
#include <math.h>

#include "sections.h"
#include "sotto/guarantee.h"

enum { most_rows = 3 };

typedef struct table {
  const char *names[most_rows];
  double epsilons[most_rows], deltas[most_rows], budgets[most_rows];
  size_t count;
} table;

static void add(table *t, const char *name, double epsilon, double delta, double budget) {
  t->names[t->count] = name;
  t->epsilons[t->count] = epsilon;
  t->deltas[t->count] = delta;
  t->budgets[t->count++] = budget;
}

static void draw(page *p, const table *t) {
  static const char *const heads[] = {"Epsilon of", "Value", "At delta", "Budget"};
  const app_bars bars = {.title = "Epsilon: planned, charged, and the budget",
                         .description =
                             "A bar for what the run may spend, and for what the account of the data "
                             "has spent. The mark is its budget.",
                         .names = t->names,
                         .values = t->epsilons,
                         .marks = t->budgets,
                         .count = t->count,
                         .unit = "",
                         .mark_name = "budget of the account"};
  if (t->count == 0) return;
  page_figure(p, bars.title);
  (void)app_bars_draw(p->out, &bars, p->id);
  page_figure_table(p, bars.title, heads, PAGE_COUNT(heads));
  for (size_t i = 0; i < t->count; i++) {
    page_cell(p, "%s", t->names[i]);
    page_cell_number(p, t->epsilons[i], "no bound");
    page_cell_delta(p, t->deltas[i]);
    page_cell_number(p, t->budgets[i], "-");
  }
  page_figure_end(p);
}

static void plan_words(page *p, const board_view *view) {
  const watch_state *s = &view->state;
  char delta[SOTTO_DELTA_WORDS];
  sotto_delta_words(delta, s->planned_delta);
  if (!s->planned)
    page_paragraph(p, "The plan of this run is not known here.");
  else if (isinf(s->planned_epsilon))
    page_paragraph(p,
                   "There is no bound on what this run reveals. Treat its model and all that it sends as you "
                   "treat the data itself.");
  else if (s->planned_epsilon == 0)
    page_paragraph(p, "This run reads no edge, so it reveals none. It says nothing of features and labels.");
  else
    page_paragraph(p,
                   "All releases of this run together spend at most epsilon %.4g at delta %s, at %s level.",
                   s->planned_epsilon, delta, view->history.run.adjacency);
}

void board_privacy(page *p, const board_view *view, double now) {
  const watch_state *s = &view->state;
  table t = {.count = 0};
  (void)now;
  page_section(p, "privacy", "Privacy so far");
  plan_words(p, view);
  if (!s->spent) page_paragraph(p, "No account of this party was charged so far.");
  if (s->planned) add(&t, "this run, by its plan", s->planned_epsilon, s->planned_delta, NAN);
  if (s->spent) {
    add(&t, "the account, before this start", s->epsilon_before, s->delta, NAN);
    add(&t, "the account, charged so far", s->epsilon, s->delta, s->budget > 0 ? s->budget : NAN);
  }
  draw(p, &t);
  page_section_end(p);
}
