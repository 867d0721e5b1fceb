/* Section of a page: the privacy statement in plain words. */
#include <math.h>
#include <string.h>

#include "parts.h"
#include "report/chart.h"
#include "sotto/dp.h"
#include "sotto/guarantee.h"

enum { curve_points = 81 };

void page_coin(char *out, size_t size, double epsilon, double delta) {
  sotto_guarantee_guess_words(out, size, sotto_guarantee_guess(epsilon, delta));
}

static const char *question(const char *adjacency) {
  if (strcmp(adjacency, "transfer") == 0) return "whether a given transfer, such as one payment, was made";
  if (strcmp(adjacency, "edge") == 0) return "whether two given nodes, such as two customers, are linked";
  if (strcmp(adjacency, "k-neighbour") == 0) return "which of two sets of links a given node has";
  if (strcmp(adjacency, "node") == 0) return "which of two versions of a given node's data were used";
  if (strcmp(adjacency, "graph") == 0) return "which of two graphs a client had";
  if (strcmp(adjacency, "client") == 0) return "which of two sets of data a client had";
  return "which of two neighbouring inputs was used";
}

/* The trade-off function: the smallest possible share of missed links at a share of false alarms. */
static double missed(double alarms, double epsilon, double delta) {
  const double steep = 1 - delta - exp(epsilon) * alarms, flat = exp(-epsilon) * (1 - delta - alarms);
  return fmax(0, fmax(steep, flat));
}

static double normal_below(double z) {
  return 0.5 * erfc(-z / sqrt(2));
}

static void put_trade_table(page *p, double epsilon, double delta) {
  static const char *const heads[] = {"False alarms of 100", "Missed of 100, at least", "Missed by a coin"};
  static const double at[] = {0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5};
  page_figure_table(p, "False alarms and missed cases", heads, PAGE_COUNT(heads));
  for (size_t i = 0; i < PAGE_COUNT(at); i++) {
    page_cell(p, "%.3g", 100 * at[i]);
    page_cell(p, "%.3g", 100 * missed(at[i], epsilon, delta));
    page_cell(p, "%.3g", 100 * (1 - at[i]));
  }
  page_figure_end(p);
}

/* alpha = Phi(-t), beta = Phi(t - mu) for all thresholds t (Dong, Roth and Su 2022), so that no inverse of
 * Phi is needed. */
static void draw_trade_curve(page *p, double epsilon, double delta, double mu) {
  double x[3][curve_points], y[3][curve_points];
  for (size_t i = 0; i < curve_points; i++) {
    const double part = (double)i / (curve_points - 1);
    const double t = mu / 2 + 8 * (part - 0.5) * fmax(1, mu / 4);
    /* denser near 0, where the curve is steep */
    x[0][i] = 100 * part * part * part;
    y[0][i] = 100 * missed(part * part * part, epsilon, delta);
    x[1][i] = 100 * part;
    y[1][i] = 100 * (1 - part);
    x[2][i] = 100 * normal_below(-t);
    y[2][i] = 100 * normal_below(t - mu);
  }
  const app_series series[] = {
      {.name = "bound by epsilon and delta", .x = x[0], .y = y[0], .count = curve_points},
      {.name = "guessing by a coin", .x = x[1], .y = y[1], .count = curve_points},
      {.name = "exact curve of this run's Gaussian noise", .x = x[2], .y = y[2], .count = curve_points}};
  const app_chart chart = {
      .title = "What an attacker has to accept",
      .description =
          "Nobody who sees the releases gets below the bound: who wants few false alarms misses many "
          "cases. The nearer the bound is to the line of the coin, the more is protected.",
      .x_label = "false alarms of 100",
      .y_label = "missed of 100",
      .series = series,
      .series_count = isfinite(mu) && mu > 0 ? 3 : 2};
  page_figure(p, chart.title);
  (void)app_chart_draw(p->out, &chart, p->id);
  put_trade_table(p, epsilon, delta);
}

/* mu of the training, if the run was not repeated and mu gives the epsilon of all its charges. Else NAN. */
static double exact_mu(const page_run *run) {
  const double mu = page_number(run->statement, "mu"), delta = page_delta(run), stated = page_epsilon(run);
  double epsilon;
  if (!(mu > 0) || !(delta > 0) || page_number(run->statement, "repeats") != 1) return NAN;
  if (sotto_gdp_epsilon(&epsilon, mu, delta, NULL) != SOTTO_OK) return NAN;
  return fabs(epsilon - stated) <= 1e-3 * stated ? mu : NAN;
}

static void put_words(page *p, const page_run *run) {
  const double epsilon = page_epsilon(run), delta = page_delta(run),
               repeats = page_number(run->statement, "repeats"), mu = exact_mu(run);
  const char *adjacency = page_words(run->statement, "adjacency");
  char coin[80], at[SOTTO_DELTA_WORDS], words[SOTTO_EPSILON_WORDS];
  page_coin(coin, sizeof coin, epsilon, delta);
  sotto_delta_words(at, delta);
  sotto_epsilon_words(words, epsilon);
  page_paragraph(
      p,
      "Somebody sees all that this run released, and guesses %s. Both answers are as likely before. "
      "By a coin the guess is right 50 times of 100. With the releases it is right %s.",
      question(adjacency), coin);
  page_paragraph(
      p,
      "This bound comes from epsilon %s at delta %s%s. It is a bound on the best "
      "possible attacker, whatever else that person knows. It does not say that such an attack is known.",
      words, at, repeats > 1 ? ", of all repeats of the training together" : "");
  if (isfinite(mu)) { /* the total variation of N(0, 1) and N(mu, 1) is 2 Phi(mu / 2) - 1 */
    sotto_guarantee_guess_words(coin, sizeof coin, normal_below(mu / 2));
    page_paragraph(p, "The noise of this run is Gaussian alone, so the exact figure is known: %s.", coin);
  }
  if (delta > 0)
    page_paragraph(p, "Delta is the part of the probability that the bound on epsilon leaves out.");
  page_put(p, "<div class=\"pair\">\n<div>");
  (void)page_neighbours(p, adjacency);
  page_put(p, "</div>\n");
  draw_trade_curve(p, epsilon, delta, mu);
  page_put(p, "</div>\n");
}

static void put_numbers(page *p, const page_run *run) {
  static const char *const heads[] = {"Figure", "One training", "All repeats", "As planned, all repeats"};
  const json_t *s = run->statement;
  page_table(p, "The guarantee in numbers", heads, PAGE_COUNT(heads));
  page_cell(p, "Epsilon");
  page_cell_epsilon(p, page_number(s, "epsilon"), "no guarantee");
  page_cell_epsilon(p, page_number(s, "total_epsilon"), "no guarantee");
  page_cell_epsilon(p, page_number(s, "total_epsilon_planned"), "no guarantee");
  page_cell(p, "Delta");
  for (int i = 0; i < 3; i++) page_cell_delta(p, page_delta(run));
  page_table_end(p);
}

static void put_mechanisms(page *p, const page_run *run) {
  static const char *const heads[] = {"What is released", "Mechanism", "Account", "Sensitivity", "Noise",
                                      "Planned",          "Made"};
  const json_t *list = json_object_get(run->statement, "mechanisms"), *item;
  size_t i;
  if (json_array_size(list) == 0) return;
  page_table(p, "Releases, each with its noise", heads, PAGE_COUNT(heads));
  json_array_foreach(list, i, item) {
    if (page_full(p)) break;
    page_cell(p, "%s", page_words(item, "what"));
    page_cell(p, "%s", page_words(item, "mechanism"));
    page_cell(p, "%s", page_words(item, "account"));
    page_cell_number(p, page_number(item, "sensitivity"), "-");
    page_cell_number(p, page_number(item, "noise"), "-");
    page_cell_number(p, page_number(item, "releases_planned"), "-");
    page_cell_number(p, page_number(item, "releases_made"), "in another party's ledger");
  }
  page_table_end(p);
  page_cut(p, i, json_array_size(list));
}

/* Accounts other than the data's: labels reported with randomised response, and edges of the label party. */
static void put_other_account(page *p, const json_t *account, const char *what) {
  char coin[80];
  const double epsilon = page_number(account, "epsilon");
  if (!json_is_object(account)) return;
  page_put(p, "<h3>");
  page_say(p, "%s", what);
  page_put(p, "</h3>\n");
  page_paragraph(p, "%s. Against whom: %s.", page_words(account, "what"), page_words(account, "adversary"));
  if (!isfinite(epsilon)) return;
  if (strcmp(page_words(account, "mechanism"), "randomized-response") == 0) {
    page_coin(coin, sizeof coin, epsilon, 0);
    page_paragraph(p, "Epsilon is %.4g for each. A guess between two values is right %s.", epsilon, coin);
  } else {
    page_paragraph(p, "Epsilon is %.4g for one training, at the delta of the run.", epsilon);
  }
}

void page_privacy(page *p, const page_run *run) {
  const json_t *s = run->statement;
  page_section(p, "privacy", "Privacy in plain words");
  if (page_number(s, "epsilon") == 0 && page_true(s, "sound") &&
      strcmp(page_words(s, "adjacency"), "none") == 0)
    page_paragraph(p, "This run reads no edge, so it reveals none. It says nothing of features and labels.");
  else if (page_guarantees(run))
    put_words(p, run);
  else
    page_paragraph(
        p, "There is no proven bound on what this run reveals. Treat the model, its answers and all that was "
           "sent as you treat the data itself.");
  if (page_words(s, "adjacency_means")[0] != '\0' && page_guarantees(run))
    page_paragraph(p, "Protected: %s level, %s.", page_words(s, "adjacency"),
                   page_words(s, "adjacency_means"));
  if (page_words(s, "adversary")[0] != '\0')
    page_paragraph(p, "Against whom: %s.", page_words(s, "adversary"));
  if (page_guarantees(run)) put_numbers(p, run);
  put_mechanisms(p, run);
  page_together_table(p, &run->together);
  const json_t *labels = json_object_get(s, "labels");
  put_other_account(p, labels,
                    json_object_get(labels, "subject") == NULL ? "Labels of the label party"
                                                               : "Clusters of clients' nodes");
  put_other_account(p, json_object_get(s, "label_edges"), "Edges of the label party");
  page_section_end(p);
}
