/* Dense aggregates, power iteration over features, hill climbing over graphs. */
#include "search.h"

#include <math.h>
#include <string.h>

void check_set_edge(check_dense *graph, int u, int v, bool present) {
  graph->edge[u][v] = graph->edge[v][u] = present;
}

int check_degree(const check_dense *graph, int v) {
  int degree = 0;
  for (int u = 0; u < graph->nodes; u++) degree += graph->edge[v][u];
  return degree;
}

typedef struct weights {
  int nodes, columns;
  double at[CHECK_MOST_NODES][CHECK_MOST_NODES + 1];
} weights;

/* S, by the definitions in graph.h. Column `moved` of the changed node goes to column `to`. */
static void operator_of(weights *s, const check_dense *graph, const check_rule *rule, int moved, int to) {
  double degree[CHECK_MOST_NODES], high[CHECK_MOST_NODES];
  for (int v = 0; v < graph->nodes; v++) {
    degree[v] = check_degree(graph, v);
    high[v] = fmax(degree[v], rule->degree_floor);
  }
  s->nodes = graph->nodes;
  s->columns = graph->nodes + 1;
  for (int v = 0; v < s->nodes; v++) memset(s->at[v], 0, (size_t)s->columns * sizeof s->at[v][0]);
  for (int v = 0; v < graph->nodes; v++)
    for (int u = 0; u < graph->nodes; u++) {
      if (u == v ? !rule->self : graph->edge[v][u] == 0) continue;
      double weight = 1;
      if (rule->aggregator == SOTTO_AGGREGATOR_MEAN)
        weight = rule->self ? 1 / (high[v] + 1) : 1 / fmax(high[v], 1);
      else if (rule->aggregator == SOTTO_AGGREGATOR_GCN)
        weight = 1 / sqrt((high[u] + 1) * (high[v] + 1));
      s->at[v][u == moved ? to : u] = weight;
    }
}

static void both(weights *s, weights *t, const check_pair *pair, const check_rule *rule) {
  operator_of(s, &pair->before, rule, -1, 0);
  operator_of(t, &pair->after, rule, pair->changed, pair->after.nodes);
}

static void apply_row(double *y, const weights *s, int v, const check_rows *rows, double clip) {
  double square = 0;
  for (int j = 0; j < CHECK_COLS; j++) y[j] = 0;
  for (int u = 0; u < s->columns; u++)
    if (s->at[v][u] != 0)
      for (int j = 0; j < CHECK_COLS; j++) y[j] += s->at[v][u] * rows->x[u][j];
  for (int j = 0; j < CHECK_COLS; j++) square += y[j] * y[j];
  if (square > clip * clip)
    for (int j = 0; j < CHECK_COLS; j++) y[j] *= clip / sqrt(square);
}

static bool same_row(const weights *s, const weights *t, int v) {
  return memcmp(s->at[v], t->at[v], (size_t)s->columns * sizeof s->at[v][0]) == 0;
}

static double change_of(const weights *s, const weights *t, const check_rows *rows, double clip) {
  double square = 0;
  for (int v = 0; v < s->nodes; v++) {
    if (same_row(s, t, v)) continue;
    double y[CHECK_COLS], z[CHECK_COLS];
    apply_row(y, s, v, rows, clip);
    apply_row(z, t, v, rows, clip);
    for (int j = 0; j < CHECK_COLS; j++) square += (y[j] - z[j]) * (y[j] - z[j]);
  }
  return sqrt(square);
}

double check_change(const check_pair *pair, const check_rule *rule, const check_rows *rows) {
  static weights s, t;
  both(&s, &t, pair, rule);
  return change_of(&s, &t, rows, rule->clip);
}

/* The row of the domain that lies furthest along `up`: on the sphere, and, where rows have no value below 0,
 * of what of it is above 0. Where nothing pulls, a row stays, or is 0 where everything pulls below. */
static void furthest(double *row, const double *up, bool nonnegative) {
  double square = 0, pull[CHECK_COLS];
  bool any = false;
  for (int j = 0; j < CHECK_COLS; j++) {
    pull[j] = nonnegative ? fmax(up[j], 0) : up[j];
    square += pull[j] * pull[j];
    any = any || fabs(up[j]) > 1e-12;
  }
  for (int j = 0; j < CHECK_COLS && any; j++) row[j] = square > 1e-24 ? pull[j] / sqrt(square) : 0;
}

/* X := rows of M^T W M X scaled to norm 1, with M = S - S' on the stacked rows, W = 1 but `weight` for the
 * changed node's row: without clipping each step can only raise the weighted change, which is convex in X. */
static void power_step(check_rows *rows, const weights *s, const weights *t, int changed, double weight,
                       bool nonnegative) {
  check_rows up = {{{0}}};
  for (int v = 0; v < s->nodes; v++) {
    if (same_row(s, t, v)) continue;
    double y[CHECK_COLS], z[CHECK_COLS];
    apply_row(y, s, v, rows, INFINITY);
    apply_row(z, t, v, rows, INFINITY);
    for (int j = 0; j < CHECK_COLS; j++) y[j] = (y[j] - z[j]) * (v == changed ? weight : 1);
    for (int u = 0; u < s->columns; u++) {
      double m = s->at[v][u] - t->at[v][u];
      if (m != 0)
        for (int j = 0; j < CHECK_COLS; j++) up.x[u][j] += m * y[j];
    }
  }
  for (int u = 0; u < s->columns; u++) furthest(rows->x[u], up.x[u], nonnegative);
}

/* The clip of the own row is not convex: the iteration runs with the own row weighted down to several
 * degrees, and what counts is the change with the clip, wherever it is met. */
double check_power(const check_pair *pair, const check_rule *rule, check_rows *rows, int steps) {
  static const double own_weights[] = {1, 0.1, 0.01};
  static weights s, t;
  check_rows start = *rows;
  both(&s, &t, pair, rule);
  double best = change_of(&s, &t, rows, rule->clip);
  int weight_count = isinf(rule->clip) ? 1 : 3;
  for (int w = 0; w < weight_count; w++) {
    check_rows now = start;
    for (int i = 0; i < steps; i++)
      power_step(&now, &s, &t, pair->changed, own_weights[w], rule->nonnegative);
    double found = change_of(&s, &t, &now, rule->clip);
    if (found > best) {
      best = found;
      *rows = now;
    }
  }
  return best;
}

static void random_rows(check_rows *rows, int nodes, bool nonnegative, sotto_i_random *random) {
  for (int v = 0; v <= nodes; v++) {
    double square = 0;
    for (int j = 0; j < CHECK_COLS; j++) {
      rows->x[v][j] = sotto_i_random_normal(random);
      if (nonnegative) rows->x[v][j] = fabs(rows->x[v][j]);
      square += rows->x[v][j] * rows->x[v][j];
    }
    for (int j = 0; j < CHECK_COLS; j++) rows->x[v][j] /= sqrt(square);
  }
}

/* Rows that are no local maximum of the power iteration but are good with a clip: all equal but the changed
 * one, which is opposite, or orthogonal where no value is below 0; the neighbours of node 0 at even angles,
 * so that their sum vanishes, or, where none is below 0, those of the first graph along one axis and all
 * others along the other; all others zero. */
enum { regular_kinds = 3 };
static void regular_rows(check_rows *rows, const check_pair *pair, int kind, bool nonnegative) {
  int degree = check_degree(&pair->before, 0);
  memset(rows, 0, sizeof *rows);
  for (int v = 0; v <= pair->before.nodes; v++) {
    bool other = v > 0 && v < pair->before.nodes;
    double angle = kind == 1 && other && degree > 1 ? 2 * M_PI * v / degree : 0;
    if (v == pair->before.nodes) angle = M_PI;
    if (kind == 2 && other) continue;
    const bool across = v == pair->before.nodes || (kind == 1 && other && pair->before.edge[0][v] == 0);
    rows->x[v][0] = nonnegative ? !across : cos(angle);
    rows->x[v][1] = nonnegative ? across : sin(angle);
  }
}

double check_search_rows(const check_pair *pair, const check_rule *rule, check_rows *rows, int starts,
                         int steps, sotto_i_random *random) {
  double best = -1;
  int regular = isinf(rule->clip) ? 1 : regular_kinds;
  for (int i = 0; i < starts + regular; i++) {
    check_rows now = {{{0}}};
    if (i < starts)
      random_rows(&now, pair->before.nodes, rule->nonnegative, random);
    else
      regular_rows(&now, pair, i - starts, rule->nonnegative);
    double found = check_power(pair, rule, &now, steps);
    if (found <= best) continue;
    best = found;
    if (rows != NULL) *rows = now;
  }
  return best;
}

/* Candidate `number` for a row: 0, parts of both axes, and, where values may be below 0, their opposites and
 * that of the row. False when there are no more. */
static bool candidate(double *row, int number, bool nonnegative) {
  static const double parts[] = {0.15, 0.3, 0.5, 0.75, 1};
  enum { steps = sizeof parts / sizeof *parts, axes = steps * CHECK_COLS };
  for (int j = 0; j < CHECK_COLS && number == 2 * axes + 1; j++) row[j] *= -1;
  if (number <= 2 * axes) memset(row, 0, CHECK_COLS * sizeof *row);
  if (number >= 1 && number <= 2 * axes)
    row[(number - 1) % CHECK_COLS] = parts[(number - 1) / CHECK_COLS % steps] * (number <= axes ? 1 : -1);
  return number < (nonnegative ? axes + 1 : 2 * axes + 2);
}

double check_polish(const check_pair *pair, const check_rule *rule, check_rows *rows) {
  static weights s, t;
  both(&s, &t, pair, rule);
  double best = change_of(&s, &t, rows, rule->clip);
  for (int round = 0; round < 3; round++)
    for (int v = 0; v < s.columns; v++)
      for (int number = 0;; number++) {
        check_rows now = *rows;
        if (!candidate(now.x[v], number, rule->nonnegative)) break;
        double found = change_of(&s, &t, &now, rule->clip);
        if (found <= best) continue;
        best = found;
        *rows = now;
      }
  return best;
}

static bool degrees_hold(const check_pair *pair, int u, int v, int most) {
  return check_degree(&pair->before, u) <= most && check_degree(&pair->before, v) <= most &&
         check_degree(&pair->after, u) <= most && check_degree(&pair->after, v) <= most;
}

/* One pair of nodes, twice as often near the change; false when it may not be flipped. */
static bool pick(const check_pair *pair, int *u, int *v, sotto_i_random *random) {
  uint64_t nodes = (uint64_t)pair->before.nodes;
  *u = (int)sotto_i_random_below(random, sotto_i_random_below(random, 2) == 0 ? nodes : 2);
  *v = (int)sotto_i_random_below(random, nodes);
  return *u != *v && (pair->changed >= 0 || *u + *v != 1);
}

double check_greedy(check_pair *pair, const check_rule *rule, check_rows *rows, int flips, int most_degree,
                    sotto_i_random *random) {
  double best = check_power(pair, rule, rows, 8);
  for (int i = 0; i < flips; i++) {
    int u, v;
    if (!pick(pair, &u, &v, random)) continue;
    check_pair next = *pair;
    check_rows now = *rows;
    bool one_side = pair->changed >= 0 && (u == pair->changed || v == pair->changed);
    uint64_t which = one_side ? 1 + sotto_i_random_below(random, 3) : 3;
    if ((which & 1) != 0) check_set_edge(&next.before, u, v, pair->before.edge[u][v] == 0);
    if ((which & 2) != 0) check_set_edge(&next.after, u, v, pair->after.edge[u][v] == 0);
    if (!degrees_hold(&next, u, v, most_degree)) continue;
    double found = check_power(&next, rule, &now, 4);
    if (found < best) continue;
    best = found;
    *pair = next;
    *rows = now;
  }
  return best;
}
