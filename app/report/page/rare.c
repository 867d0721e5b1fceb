/* Part of a page: how well a run ranks a rare class, its alerts, and its cost curve on the test part. */
#include <math.h>

#include "parts.h"
#include "report/chart.h"
#include "report/report.h"

enum { most_ratios = 16 };

static void put_measures(page *p, const json_t *rare, const json_t *seeds) {
  static const char *const heads[] = {"Measure", "This run", "Meaning"};
  page_table(p, "Ranking of the rare class on the test part, mean over repeats", heads, PAGE_COUNT(heads));
  page_cell(p, "Average precision");
  page_cell(p, "%.2f %%", 100 * report_mean_over(seeds, "test", "average_precision"));
  page_cell(p, "mean share of members among the nodes above a member; the class's share for a random order");
  page_cell(p, "AUC");
  page_cell(p, "%.2f %%", 100 * report_mean_over(seeds, "test", "auc"));
  page_cell(p, "chance that the model ranks a member of the class above another node");
  page_cell(p, "Recall at %.3g %% alerts", 100 * page_number(rare, "alert_rate"));
  page_cell(p, "%.2f %%", 100 * report_mean_over(seeds, "test", "recall"));
  page_cell(p, "share of the class among so many nodes with the highest scores");
  page_cell(p, "Alerts");
  page_cell(p, "%.4g of %.4g nodes", report_mean_over(seeds, "alerts", "nodes"),
            report_mean_over(seeds, "test", "nodes"));
  page_cell(p, "nodes above the threshold, which validation nodes chose");
  page_cell(p, "Found");
  page_cell(p, "%.4g of %.4g of the class", report_mean_over(seeds, "alerts", "found"),
            report_mean_over(seeds, "test", "members"));
  page_cell(p, "members of the class among the alerts");
  page_table_end(p);
}

static void put_costs(page *p, const json_t *costs) {
  static const char *const heads[] = {"A missed node costs, in false alarms", "Least cost a node",
                                      "Alerts, per cent of nodes"};
  const json_t *one;
  double x[most_ratios], y[most_ratios];
  size_t i, count = 0;
  json_array_foreach(costs, i, one) {
    const double ratio = page_number(one, "missed_costs"), cost = page_number(one, "cost");
    if (count == most_ratios || !(ratio > 0) || !isfinite(cost)) break;
    x[count] = log10(ratio);
    y[count++] = cost;
  }
  if (count < 2) return;
  const app_series series = {.name = "least cost", .x = x, .y = y, .count = count};
  const app_chart chart = {.title = "Cost curve of the first repeat",
                           .description =
                               "A point for each cost of a missed node, in false alarms: the least "
                               "cost a node over all thresholds.",
                           .x_label = "cost of a missed node in false alarms, power of ten",
                           .y_label = "least cost a node, in false alarms",
                           .series = &series,
                           .series_count = 1};
  page_figure(p, chart.title);
  (void)app_chart_draw(p->out, &chart, p->id);
  page_figure_table(p, chart.title, heads, PAGE_COUNT(heads));
  for (i = 0; i < count; i++) {
    one = json_array_get(costs, i);
    page_cell_number(p, page_number(one, "missed_costs"), "-");
    page_cell_number(p, y[i], "-");
    page_cell_number(p, 100 * page_number(one, "alerts"), "-");
  }
  page_figure_end(p);
}

void page_rare(page *p, const page_run *run) {
  const json_t *rare = json_object_get(run->result, "rare"), *seeds = json_object_get(rare, "seeds");
  if (json_array_size(seeds) == 0) return;
  const char *name = page_words(rare, "name");
  page_paragraph(
      p,
      "Class %.0f%s%.60s%s is rare: %.2f %% of the labelled nodes. Accuracy is high there for almost any "
      "model, so these figures come first.",
      page_number(rare, "class"), name[0] == '\0' ? "" : " (", name, name[0] == '\0' ? "" : ")",
      100 * page_number(rare, "share"));
  put_measures(p, rare, seeds);
  put_costs(p, json_object_get(json_object_get(json_array_get(seeds, 0), "test"), "costs"));
}
