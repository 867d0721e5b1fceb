/* Charges of a ledger: read, drawn over time, listed. */
#include "charges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "common/levels.h"
#include "common/memory.h"
#include "report/chart.h"
#include "sotto/guarantee.h"

enum { most_steps = 24 };

typedef struct reading {
  page_charges *out;
  sotto_status status;
  sotto_error *err;
} reading;

#define KEEP(field, text) (void)snprintf((field), sizeof(field), "%.*s", (int)sizeof(field) - 1, (text))

void page_key(char out[PAGE_KEY], const uint8_t key[32]) {
  sotto_i_hex(out, key, (PAGE_KEY - 1) / 2);
}

static int store_charge(void *context, const sotto_ledger_row *row) {
  reading *r = context;
  page_charges *list = r->out;
  const sotto_charge *c = &row->charge;
  r->status = app_grow(&list->items, &list->room, list->count + 1, sizeof *list->items, r->err);
  if (r->status != SOTTO_OK) return 1;
  page_charge *to = &list->items[list->count++];
  *to = (page_charge){.mu = c->mu, .epsilon = c->epsilon, .insecure = c->insecure};
  page_key(to->key, row->digest);
  KEEP(to->time, row->time);
  KEEP(to->name, row->name);
  KEEP(to->run, c->run);
  KEEP(to->mechanism, c->mechanism);
  KEEP(to->adjacency, c->adjacency);
  KEEP(to->description, c->description);
  KEEP(to->user, row->user);
  return 0;
}

sotto_status page_charges_read(page_charges *out, sotto_ledger *ledger, const uint8_t *key,
                               sotto_error *err) {
  reading r = {out, SOTTO_OK, err};
  *out = (page_charges){.items = NULL};
  const sotto_status status = sotto_ledger_visit(ledger, key, store_charge, &r, err);
  return r.status != SOTTO_OK ? r.status : status;
}

static double seconds_of(const char *time_text) {
  struct tm at = {0};
  if (sscanf(time_text, "%d-%d-%dT%d:%d:%d", &at.tm_year, &at.tm_mon, &at.tm_mday, &at.tm_hour, &at.tm_min,
             &at.tm_sec) != 6)
    return NAN;
  at.tm_year -= 1900;
  at.tm_mon--;
  return (double)timegm(&at);
}

typedef struct steps {
  double seconds[most_steps + 1], epsilon[most_steps + 1];
  char time[most_steps + 1][32], run[most_steps + 1][160];
  size_t count;
} steps;

static int add_step(void *context, const sotto_moment *m) {
  steps *s = context;
  if (s->count > most_steps) return 1;
  KEEP(s->time[s->count], m->time);
  KEEP(s->run[s->count], m->run);
  s->seconds[s->count] = seconds_of(m->time);
  s->epsilon[s->count++] = m->epsilon;
  return 0;
}

typedef struct unit {
  const char *name;
  double seconds;
} unit;

static unit unit_of(double seconds) {
  static const unit units[] = {{"seconds", 1}, {"minutes", 60}, {"hours", 3600}, {"days", 86400}};
  size_t i = 0;
  while (i + 1 < PAGE_COUNT(units) && seconds > 3 * units[i + 1].seconds) i++;
  return units[i];
}

static void draw_steps(page *p, const steps *s) {
  static const char *const heads[] = {"Time (UTC)", "Run", "Epsilon spent until then"};
  page_figure_table(p, "Epsilon spent over time", heads, PAGE_COUNT(heads));
  for (size_t i = 0; i < s->count; i++) {
    page_cell(p, "%s", s->time[i]);
    page_cell(p, "%s", s->run[i]);
    page_cell_epsilon(p, s->epsilon[i], "no bound");
  }
  page_figure_end(p);
}

sotto_status page_charges_curve(page *p, sotto_ledger *ledger, const uint8_t key[32], const char *name,
                                const char *level, const sotto_budget *budget, sotto_error *err) {
  steps s = {.count = 0};
  double x[2 * (most_steps + 1)], y[2 * (most_steps + 1)], line_x[2], line_y[2];
  char title[200], label[80];
  const sotto_status status = sotto_ledger_visit_spent(ledger, key, level, most_steps, add_step, &s, err);
  if (status != SOTTO_OK || s.count == 0) return status;
  const unit u = unit_of(s.seconds[s.count - 1] - s.seconds[0]);
  size_t points = 0;
  for (size_t i = 0; i < s.count; i++) { /* a step function: nothing is spent between two charges */
    const double at = (s.seconds[i] - s.seconds[0]) / u.seconds;
    x[points] = at;
    y[points++] = i == 0 ? 0 : s.epsilon[i - 1];
    x[points] = at;
    y[points++] = s.epsilon[i];
  }
  line_x[0] = x[0];
  line_x[1] = x[points - 1];
  line_y[0] = line_y[1] = budget->epsilon;
  const app_series series[] = {{.name = "spent", .x = x, .y = y, .count = points},
                               {.name = "budget", .x = line_x, .y = line_y, .count = 2}};
  (void)snprintf(title, sizeof title, "%.120s, %.20s level: epsilon spent over time", name, level);
  (void)snprintf(label, sizeof label, "%s since %.20s", u.name, s.time[0]);
  const app_chart chart = {.title = title,
                           .description =
                               "A stair for each release. The line of the budget is where the ledger "
                               "refuses.",
                           .x_label = label,
                           .y_label = "epsilon",
                           .series = series,
                           .series_count = budget->epsilon > 0 ? 2 : 1};
  page_figure(p, title);
  (void)app_chart_draw(p->out, &chart, p->id);
  draw_steps(p, &s);
  return SOTTO_OK;
}

/* Newest first, so that a truncated table loses the oldest. */
void page_charges_table(page *p, const page_charges *charges, const char *caption, bool keys) {
  const char *const heads[] = {"Time (UTC)", "Cost", "Level", keys ? "Account and key" : "Account",
                               "Run",        "By",   "What",  "Mechanism"};
  size_t shown = 0;
  page_table(p, caption, heads, PAGE_COUNT(heads));
  for (; shown < charges->count && shown < PAGE_CHARGE_ROWS && !page_full(p); shown++) {
    const page_charge *c = &charges->items[charges->count - 1 - shown];
    page_cell(p, "%s", c->time);
    if (c->mu > 0)
      page_cell(p, "mu %.4g", c->mu);
    else
      page_cell(p, "epsilon %.4g", c->epsilon);
    page_cell(p, "%s", c->adjacency);
    page_cell(p, "%s%s%s", c->name, keys ? " " : "", keys ? c->key : "");
    page_cell(p, "%s", c->run);
    page_cell(p, "%s", c->user[0] == '\0' ? "not recorded" : c->user);
    page_cell(p, "%s%s", c->description, c->insecure ? " (noise from a fixed seed)" : "");
    page_cell(p, "%s", c->mechanism);
  }
  page_table_end(p);
  page_cut(p, shown, charges->count);
  if (shown < charges->count) page_paragraph(p, "All charges are in what sotto ledger export writes.");
}

void page_spent_cells(page *p, const sotto_spent *s) {
  const double left = s->budget.epsilon - s->epsilon;
  char bare[APP_UNPROTECTED_WORDS], words[SOTTO_EPSILON_WORDS];
  sotto_epsilon_words(words, s->epsilon);
  app_unprotected_words(bare, s->unprotected);
  page_cell(p, "%llu", (unsigned long long)s->charges);
  if (bare[0] == '\0')
    page_cell_epsilon(p, s->epsilon, "no bound");
  else
    page_cell(p, "%s; and %s", words, bare);
  page_cell_delta(p, s->delta);
  if (!(s->budget.epsilon > 0)) {
    page_cell(p, "none");
    page_cell(p, "no limit");
    return;
  }
  page_cell(p, "%.4g", s->budget.epsilon);
  if (left >= 0)
    page_cell(p, "%.4g", left);
  else
    page_cell(p, "nothing: over by %.4g", -left);
}
