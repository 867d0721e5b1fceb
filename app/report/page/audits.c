/* Attacks and audits of a run, compared with its claims: for the owner only. */
#include <math.h>
#include <string.h>

#include "owner.h"
#include "report/chart.h"

enum { most_audits = 16 };

static double shown(const json_t *item) {
  const double lower = page_number(item, "epsilon_lower_bound");
  return isfinite(lower) ? lower : page_number(item, "implied_epsilon");
}

static double stated(const json_t *audit, const json_t *item) {
  const double own = page_number(item, "stated_epsilon");
  return isfinite(own) ? own : page_number(audit, "stated_epsilon");
}

/* The only problem is a release of the run that could not be compared. */
static bool is_unseen(const json_t *item) {
  return page_true(item, "noise_holds") && page_true(item, "edges_hold");
}

static const char *outcome(const json_t *item) {
  if (!page_true(item, "decides")) return "not a test of the claim";
  if (page_true(item, "holds")) return "no objection";
  return is_unseen(item) ? "not compared" : "FAILED: above the claim";
}

static void draw_bars(page *p, const json_t *audit, const json_t *list) {
  const char *names[most_audits];
  char texts[most_audits][160];
  double lower[most_audits], claim[most_audits];
  size_t count = 0, i;
  const json_t *item;
  json_array_foreach(list, i, item) {
    if (count == most_audits) break;
    const bool decides = page_true(item, "decides");
    (void)snprintf(texts[count], sizeof texts[count], "%.40s, %.40s%s", page_words(item, "attack"),
                   page_words(item, "variant"), decides ? "" : " *");
    names[count] = texts[count];
    lower[count] = shown(item);
    claim[count++] = decides ? stated(audit, item) : NAN;
  }
  const app_bars bars = {
      .title = "Epsilon that attacks show, and the claim",
      .description =
          "A bar for each attack: the lower bound on epsilon that it shows. The mark is the claim, where the "
          "attack tests it. A bar that passes its mark refutes the claim.",
      .names = names,
      .values = lower,
      .marks = claim,
      .count = count,
      .unit = "",
      .mark_name = "claim of the run (* is no test of it)"};
  (void)app_bars_draw(p->out, &bars, p->id);
}

static bool is_above(const json_t *list) {
  size_t i;
  const json_t *item;
  json_array_foreach(list, i, item) {
    if (page_true(item, "decides") && !page_true(item, "holds") && !is_unseen(item)) return true;
  }
  return false;
}

void page_audits(page *p, const json_t *audit) {
  static const char *const heads[] = {"Attack",  "Variant", "Epsilon shown", "Epsilon claimed",
                                      "Outcome", "AUC",     "Sees"};
  const json_t *list = json_object_get(audit, "findings"), *item;
  size_t i;
  page_section(p, "audits", "Audits");
  const char *not_audited = page_words(audit, "not_audited");
  if (not_audited[0] != '\0') page_paragraph(p, "Not audited: %s.", not_audited);
  if (json_array_size(list) == 0) {
    if (not_audited[0] == '\0') page_paragraph(p, "Nobody has audited this run. To do so: sotto audit RUN.");
    page_section_end(p);
    return;
  }
  page_paragraph(p, is_above(list) ? "An audit shows more than the run claims."
                                   : "No audit shows more than the run claims. That is no proof.");
  page_figure(p, "Epsilon that attacks show, and the claim");
  draw_bars(p, audit, list);
  page_figure_table(p, "Audits", heads, PAGE_COUNT(heads));
  json_array_foreach(list, i, item) {
    if (page_full(p)) break;
    page_cell(p, "%s", page_words(item, "attack"));
    page_cell(p, "%s", page_words(item, "variant"));
    page_cell_number(p, shown(item), "-");
    page_cell_number(p, stated(audit, item), "no claim");
    page_cell(p, "%s", outcome(item));
    page_cell_number(p, page_number(item, "auc"), "-");
    page_cell(p, "%s", page_words(item, "sees"));
  }
  page_figure_end(p);
  page_section_end(p);
}
