/* Section of a page: measures on the test part, with and without edges. */
#include <math.h>

#include "parts.h"
#include "report/report.h"

typedef struct described {
  const char *key, *name, *meaning;
} described;

enum { shown_measures = 3 };
static const described of_classes[shown_measures] = {
    {"accuracy", "Accuracy", "share of test nodes or graphs with the right class"},
    {"auc", "AUC", "chance that the model ranks a member of a class above a non-member"},
    {"macro_f1", "Macro F1",
     "mean of F1 over the classes that occur, which weighs small ones like large ones"}};
static const described of_numbers[shown_measures] = {
    {"r2", "R2", "share of the variance of the numbers of test nodes that the model explains"},
    {"rmse", "RMSE", "square root of the mean squared error, in the unit of the numbers"},
    {"mae", "MAE", "mean absolute error, in the unit of the numbers"}};

/* The measure that comes first. Where a class is rare, accuracy is high for any model, so it is AUC. */
page_first page_first_of(const json_t *result) {
  static const page_first r2 = {"r2", "R2", "R2 on the test part", ""},
                          auc = {"auc", "AUC", "AUC on the test part", " %"},
                          accuracy = {"accuracy", "Accuracy", "Accuracy on the test part", " %"};
  if (report_of_numbers(result)) return r2;
  return json_is_object(json_object_get(result, "rare")) ? auc : accuracy;
}

double page_first_value(const json_t *result, const char *part) {
  const json_t *measure = json_object_get(json_object_get(result, part), page_first_of(result).key);
  const double value = page_number(measure, "mean");
  return report_of_numbers(result) ? value : 100 * value;
}

void page_measure_cell(page *p, const json_t *result, const char *part, const char *measure) {
  const json_t *found = json_object_get(json_object_get(result, part), measure);
  const double mean = page_number(found, "mean"), spread = page_number(found, "std");
  const bool several = json_array_size(json_object_get(found, "runs")) > 1 && isfinite(spread);
  if (!isfinite(mean))
    page_cell(p, "not known");
  else if (report_of_numbers(result) && several)
    page_cell(p, "%.5g ± %.2g", mean, spread);
  else if (report_of_numbers(result))
    page_cell(p, "%.5g", mean);
  else if (several)
    page_cell(p, "%.2f ± %.2f %%", 100 * mean, 100 * spread);
  else
    page_cell(p, "%.2f %%", 100 * mean);
}

static const char *why_unknown(const page_run *run) {
  if (run->result != NULL) return "This party has no labels of the test part, so it knows no result.";
  if (run->hides)
    return "Measures on test data follow from private data in this run, without noise. The owner finds them "
           "in the "
           "run folder, in owner-only/result.json, and in the page of sotto report --owner.";
  return "The folder has no result.json, so no result is known here.";
}

/* Measures that may be published, because their noise was charged. */
static void put_published(page *p, const page_run *run) {
  static const char *const heads[] = {"Training", "Accuracy", "95 of 100 draws of its noise are within",
                                      "Test nodes", "Epsilon"};
  const json_t *list = json_object_get(run->statement, "published"), *one;
  size_t i;
  if (json_array_size(list) == 0) return;
  page_table(p, "Published accuracy: right answers about test nodes, counted with noise", heads,
             PAGE_COUNT(heads));
  json_array_foreach(list, i, one) {
    if (page_full(p)) break;
    page_cell(p, "%.0f", page_number(one, "seed"));
    page_cell(p, "%.2f %%", 100 * page_number(one, "accuracy"));
    page_cell(p, "%.2f %%", 100 * page_number(one, "half_width_95"));
    page_cell_number(p, page_number(one, "test_nodes"), "not known");
    page_cell_number(p, page_number(one, "epsilon"), "not known");
  }
  page_table_end(p);
  page_cut(p, i, json_array_size(list));
}

void page_results(page *p, const page_run *run) {
  static const char *const heads[] = {"Measure", "This run", "The same without edges", "Meaning"};
  page_section(p, "results", "Results");
  put_published(p, run);
  if (!isfinite(page_first_value(run->result, "test"))) {
    page_paragraph(p, "%s", why_unknown(run));
    page_section_end(p);
    return;
  }
  page_rare(p, run);
  page_table(p, "Measures on the test part, mean ± standard deviation over repeats", heads,
             PAGE_COUNT(heads));
  const described *measures = report_of_numbers(run->result) ? of_numbers : of_classes;
  for (size_t i = 0; i < shown_measures; i++) {
    page_cell(p, "%s", measures[i].name);
    page_measure_cell(p, run->result, "test", measures[i].key);
    page_measure_cell(p, run->result, "baseline", measures[i].key);
    page_cell(p, "%s", measures[i].meaning);
  }
  page_table_end(p);
  const json_t *expected = json_object_get(run->result, "expected");
  const double others = page_number(expected, "by_others"), transfers = page_number(expected, "by_transfers");
  if (json_is_number(json_object_get(expected, "reached")))
    page_paragraph(
        p,
        "Before the charge, neighbours' classes were expected to add %.1f points of %s, and clusters of "
        "features or transfers up to %.1f. The run reached %.1f.",
        100 * page_number(expected, "by_class"), report_measure_word(expected), 100 * fmax(others, transfers),
        100 * page_number(expected, "reached"));
  if (page_guarantees(run)) {
    page_put(p, "<p>");
    page_say(p, "The run has no result without privacy. To compare, train the same method with ");
    page_put(p, "<code>--adjacency none</code>");
    page_say(p, " on data that may be used so, and give both folders to ");
    page_put(p, "<code>sotto report</code>.</p>\n");
  }
  page_section_end(p);
}
