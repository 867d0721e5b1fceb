/* For every aggregator, at edge and node level, a search over graphs and features for the largest change: it
 * stays under the stated sensitivity, and comes within 15% of it. The figures it prints stand in
 * docs/privacy.md. */
#include <math.h>

#include "check.h"
#include "inside/pmp.h"
#include "search.h"
#include "sotto/pmp.h"

static const sotto_aggregator kinds[] = {SOTTO_AGGREGATOR_SUM, SOTTO_AGGREGATOR_MEAN, SOTTO_AGGREGATOR_GCN};
static const char *const names[] = {"sum", "mean", "gcn"};
static const double close_enough = 0.85, rounding = 1 + 1e-9;
/* A search climbs from random starts and may end on a low hill, as one in seventeen does for rows that are
 * not negative, the mean, the own row, no floor and six neighbours: then it begins anew. */
enum { most_searches = 10 };

/* Node 0 has `left` neighbours beside 1, node 1 has `right` beside 0; the edge (0, 1) is what differs. */
static void two_hubs(check_pair *pair, int left, int right) {
  memset(pair, 0, sizeof *pair);
  pair->changed = -1;
  pair->before.nodes = pair->after.nodes = 2 + left + right;
  for (int i = 0; i < left + right; i++) check_set_edge(&pair->before, i < left ? 0 : 1, 2 + i, true);
  pair->after = pair->before;
  check_set_edge(&pair->before, 0, 1, true);
}

static double edge_bound(const check_rule *rule) {
  return sotto_edge_sensitivity(rule->aggregator, (uint64_t)rule->degree_floor, rule->self);
}

/* Greedy from a random sparse graph and from two hubs of the floor's degree. */
static double search_edge(const check_rule *rule, sotto_i_random *random) {
  double best = 0;
  for (int start = 0; start < 3; start++) {
    static check_pair pair;
    check_rows rows;
    two_hubs(&pair, start == 0 ? 6 : rule->degree_floor, start == 1 ? rule->degree_floor : 9);
    for (int i = 0; start == 0 && i < 20; i++) {
      int u = (int)sotto_i_random_below(random, 17), v = (int)sotto_i_random_below(random, 17);
      if (u == v || u + v == 1) continue;
      check_set_edge(&pair.before, u, v, true);
      check_set_edge(&pair.after, u, v, true);
    }
    (void)check_search_rows(&pair, rule, &rows, 2, 30, random);
    best = fmax(best, check_greedy(&pair, rule, &rows, 120, CHECK_MOST_NODES, random));
  }
  return best;
}

/* What the search says of a bound: it objects when it finds more. */
static bool objects(double found, double bound) {
  return found > bound * rounding;
}

static void edges_found_by_search_stay_under_the_bound_and_come_close(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const int floors[] = {0, 1, 2, 3, 5, 10, 20};
  (void)printf("edge level: aggregator own floor bound found ratio\n");
  for (int kind = 0; kind < 3; kind++)
    for (int self = 0; self < 2; self++)
      for (size_t f = 0; f < sizeof floors / sizeof *floors; f++) {
        check_rule rule = {kinds[kind], floors[f], self, INFINITY, false};
        double bound = edge_bound(&rule), found = 0;
        for (int i = 0; i < most_searches && found < close_enough * bound; i++)
          found = fmax(found, search_edge(&rule, &random));
        (void)printf("  %-4s %d %2d  %.4f %.4f %.3f\n", names[kind], self, floors[f], bound, found,
                     found / bound);
        if (objects(found, bound)) fail_msg("found %.6f above the bound %.6f", found, bound);
        if (found < close_enough * bound) fail_msg("found %.6f, far below the bound %.6f", found, bound);
      }
}

/* All graphs on six nodes that hold the edge (0, 1), which is every pair up to names. */
static void every_graph_of_six_nodes_stays_under_the_edge_bound(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static check_pair pair;
  for (int kind = 0; kind < 3; kind++)
    for (int self = 0; self < 2; self++)
      for (int code = 0; code < 1 << 14; code++) {
        check_rule rule = {kinds[kind], code % 4, self, INFINITY, false};
        int bit = 0;
        memset(&pair, 0, sizeof pair);
        pair.changed = -1;
        pair.before.nodes = 6;
        for (int u = 0; u < 6; u++)
          for (int v = u + 1; v < 6; v++)
            if (u + v != 1) check_set_edge(&pair.before, u, v, (code >> bit++ & 1) != 0);
        pair.after = pair.before;
        check_set_edge(&pair.before, 0, 1, true);
        double found = check_search_rows(&pair, &rule, NULL, 1, 4, &random);
        if (found > edge_bound(&rule) * rounding) fail_msg("code %d: found %.6f", code, found);
      }
}

static double node_bound(const check_rule *rule, int most) {
  return sotto_node_sensitivity(rule->aggregator, (uint64_t)rule->degree_floor, (uint64_t)most, rule->clip,
                                rule->self, rule->nonnegative);
}

/* Every graph on the other four nodes, and every way to change the neighbours of node 0 up to names: it keeps
 * the first `common`, leaves the next `left` and gains the `gained` after those. */
static void every_change_of_a_node_among_five_stays_under_the_bound(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static check_pair pair;
  for (int code = 0; code < 64 * 125 * 6; code++) {
    int common = code / 64 % 5, left = code / 320 % 5, gained = code / 1600 % 5, bit = 0, most = 1;
    check_rule rule = {kinds[code / 8000 % 3], code % 3, code / 24000 != 0, 0.5 + code % 2, false};
    if (common + left + gained > 4) continue;
    memset(&pair, 0, sizeof pair);
    pair.before.nodes = 5;
    for (int u = 1; u < 5; u++)
      for (int v = u + 1; v < 5; v++) check_set_edge(&pair.before, u, v, (code >> bit++ & 1) != 0);
    pair.after = pair.before;
    for (int i = 0; i < common + left + gained; i++) {
      if (i < common + left) check_set_edge(&pair.before, 0, 1 + i, true);
      if (i < common || i >= common + left) check_set_edge(&pair.after, 0, 1 + i, true);
    }
    for (int v = 0; v < 5; v++) {
      if (check_degree(&pair.before, v) > most) most = check_degree(&pair.before, v);
      if (check_degree(&pair.after, v) > most) most = check_degree(&pair.after, v);
    }
    for (int sign = 0; sign < 2; sign++) {
      rule.nonnegative = sign != 0;
      double found = check_search_rows(&pair, &rule, NULL, 1, 4, &random);
      if (objects(found, node_bound(&rule, most)))
        fail_msg("code %d, rows %d: found %.6f", code, sign, found);
    }
  }
}

/* Node 0 keeps `common` neighbours and changes `moved` others; in the first graph the rows of A, in the
 * second those of B. Each of those has `others` further neighbours: of its own, or, with `cliques`, others of
 * its side. */
static bool moved_neighbours(check_pair *pair, int common, int moved, int others, bool cliques) {
  int next = 1 + common + 2 * moved;
  memset(pair, 0, sizeof *pair);
  for (int i = 0; i < common; i++) check_set_edge(&pair->before, 0, 1 + i, true);
  for (int i = 0; i < 2 * moved; i++) {
    int w = 1 + common + i, side = i / moved, group = others + 1;
    int first = (i % moved) / group * group;
    for (int k = 0; k < others; k++) {
      if (!cliques) {
        if (next == CHECK_MOST_NODES) return false;
        check_set_edge(&pair->before, w, next++, true);
      } else if (first + k + 1 < moved && side * moved + first + k + 1 > i) {
        check_set_edge(&pair->before, w, 1 + common + side * moved + first + k + 1, true);
      }
    }
  }
  pair->before.nodes = next;
  pair->after = pair->before;
  for (int i = 0; i < 2 * moved; i++)
    check_set_edge(i < moved ? &pair->before : &pair->after, 0, 1 + common + i, true);
  pair->after.nodes = next;
  return next <= CHECK_MOST_NODES;
}

static double search_node(const check_rule *rule, int most, sotto_i_random *random) {
  double best = 0;
  static check_pair pair, from;
  check_rows rows, at = {{{0}}};
  memset(&from, 0, sizeof from);
  from.before.nodes = from.after.nodes = 8;
  int step = most / 6 + 1, last = rule->degree_floor + 1 < most ? rule->degree_floor + 1 : most - 1;
  for (int common = 0; common <= most; common += step)
    for (int others = 0; others <= last; others++)
      for (int cliques = 0; cliques < 2; cliques++) {
        if (!moved_neighbours(&pair, common, most - common, others, cliques != 0)) continue;
        double found = check_search_rows(&pair, rule, &rows, 1, 20, random);
        if (rule->clip < 1) found = fmax(found, check_polish(&pair, rule, &rows));
        if (found <= best) continue;
        best = found;
        from = pair;
        at = rows;
      }
  best = fmax(best, check_greedy(&from, rule, &at, 60, most, random));
  return fmax(best, check_polish(&from, rule, &at));
}

static void the_search_objects_to_a_bound_lowered_by_a_fifth(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int kind = 0; kind < 3; kind++) {
    check_rule rule = {kinds[kind], 5, true, INFINITY, false};
    assert_true(objects(search_edge(&rule, &random), 0.8 * edge_bound(&rule)));
    rule.clip = 1;
    assert_true(objects(search_node(&rule, 4, &random), 0.8 * node_bound(&rule, 4)));
    rule.nonnegative = true;
    assert_true(objects(search_node(&rule, 4, &random), 0.8 * node_bound(&rule, 4)));
  }
}

typedef struct node_case {
  int degree_floor, most;
  double clip;
} node_case;

/* What the search has to reach of the bound. GCN: the bound takes its terms at their worst degrees and adds
 * them up, though no graph has them all; that costs most without a floor and where rows are not negative.
 * With a clip below what one neighbour adds, it counts each row of GCN without its clip, and of each other
 * row that is not negative that it moves across the whole of the clipped ball, which takes neighbours that
 * are longer than that ball is wide. */
static double share_of(const check_rule *rule) {
  const bool gcn = rule->aggregator == SOTTO_AGGREGATOR_GCN;
  if (rule->clip < 1 && gcn) return 0.6;
  if (rule->clip < 1 && rule->nonnegative && rule->aggregator == SOTTO_AGGREGATOR_MEAN) return 0.7;
  return gcn && rule->nonnegative && rule->degree_floor == 0 ? 0.8 : close_enough;
}

static void hold_case(const check_rule *rule, const node_case *c, sotto_i_random *random) {
  const double bound = node_bound(rule, c->most);
  double found = 0;
  for (int i = 0; i < most_searches && found < share_of(rule) * bound; i++)
    found = fmax(found, search_node(rule, c->most, random));
  (void)printf("  %c %-4s %d %2d %2d %.1f  %.4f %.4f %.3f\n", rule->nonnegative ? '+' : '-',
               names[rule->aggregator], rule->self, rule->degree_floor, c->most, rule->clip, bound, found,
               found / bound);
  if (objects(found, bound)) fail_msg("found %.6f above the bound %.6f", found, bound);
  if (found < share_of(rule) * bound) fail_msg("found %.6f, far below the bound %.6f", found, bound);
}

static void nodes_found_by_search_stay_under_the_bound_and_come_close(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const node_case cases[] = {{2, 2, 1},  {5, 3, 1}, {2, 3, 1}, {2, 6, 1},  {3, 8, 1},
                                    {3, 12, 1}, {1, 6, 2}, {0, 6, 1}, {2, 6, 0.3}};
  (void)printf("node level: rows aggregator own floor most clip bound found ratio\n");
  for (int kind = 0; kind < 6; kind++)
    for (int self = 0; self < 2; self++)
      for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const check_rule rule = {kinds[kind % 3], cases[i].degree_floor, self, cases[i].clip, kind >= 3};
        hold_case(&rule, &cases[i], &random);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edges_found_by_search_stay_under_the_bound_and_come_close),
      cmocka_unit_test(every_graph_of_six_nodes_stays_under_the_edge_bound),
      cmocka_unit_test(every_change_of_a_node_among_five_stays_under_the_bound),
      cmocka_unit_test(nodes_found_by_search_stay_under_the_bound_and_come_close),
      cmocka_unit_test(the_search_objects_to_a_bound_lowered_by_a_fifth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
