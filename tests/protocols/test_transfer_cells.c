/* Counts of relations by their transfers: against a slow reference, and how far one relation moves them. */
#include "protocols/transfer_cells.h"

#include <math.h>

#include "check.h"
#include "inside/nn.h"
#include "protocols/counts.h"
#include "protocols/feature_sums.h"
#include "protocols/pilots.h"
#include "protocols/transfer_weights.h"
#include "protocols/unsure.h"
#include "transfer_bins.h"

enum { nodes = 12, most_rows = 120, kind_count = 3 };

/* Rows in no order, whose relations are the edges of a graph. */
typedef struct made {
  uint32_t sources[most_rows], targets[most_rows];
  float amounts[most_rows];
  double times[most_rows];
  uint8_t kinds[most_rows];
  uint64_t count;
} made;

static void make_rows(made *m, sotto_i_random *random, bool zeros) {
  m->count = 1 + sotto_i_random_below(random, most_rows);
  for (uint64_t i = 0; i < m->count; i++) {
    m->sources[i] = (uint32_t)sotto_i_random_below(random, nodes);
    do m->targets[i] = (uint32_t)sotto_i_random_below(random, nodes);
    while (m->targets[i] == m->sources[i]);
    m->amounts[i] = zeros ? 0 : (float)(1 + sotto_i_random_below(random, 1000));
    m->kinds[i] = (uint8_t)sotto_i_random_below(random, kind_count);
    m->times[i] = (double)sotto_i_random_below(random, 400);
  }
}

static sotto_dataset open_rows(const made *m) {
  static const uint64_t starts[] = {0, 5, 10, 15};
  static const sotto_names names = {kind_count, starts, "card\0cash\0wire"};
  sotto_dataset out;
  const sotto_arrays arrays = {.nodes = nodes,
                               .sources = {m->sources, m->count, SOTTO_INDEX_U32},
                               .targets = {m->targets, m->count, SOTTO_INDEX_U32},
                               .amounts = m->amounts,
                               .times = m->times,
                               .kinds = m->kinds,
                               .kind_names = &names};
  CHECK_OK(sotto_dataset_from_arrays(&out, &arrays, &err));
  return out;
}

static bool joins(const made *m, uint64_t i, uint32_t u, uint32_t v) {
  return (m->sources[i] == u && m->targets[i] == v) || (m->sources[i] == v && m->targets[i] == u);
}

/* The kind of most of the amount between two nodes, or, where that is 0, of most rows. */
static size_t slow_kind(const made *m, uint32_t u, uint32_t v) {
  double amounts[kind_count] = {0}, rows[kind_count] = {0}, total = 0;
  size_t most = 0;
  for (uint64_t i = 0; i < m->count; i++) {
    if (!joins(m, i, u, v)) continue;
    amounts[m->kinds[i]] += (double)m->amounts[i];
    rows[m->kinds[i]]++;
    total += (double)m->amounts[i];
  }
  for (size_t k = 1; k < kind_count; k++)
    if (total > 0 ? amounts[k] > amounts[most] : rows[k] > rows[most]) most = k;
  return most;
}

/* The cell in which u counts v, by all rows; SIZE_MAX: there is no relation. */
static size_t slow_cell(const made *m, const sotto_i_transfer_bins *b, uint32_t u, uint32_t v) {
  double out = 0, in = 0, latest = -INFINITY;
  size_t amount = 0, time = 0, rows = 0, last = 0;
  for (uint64_t i = 0; i < m->count; i++) {
    if (!joins(m, i, u, v)) continue;
    rows++;
    *(m->sources[i] == u ? &out : &in) += (double)m->amounts[i];
    if (m->times[i] >= latest) last = i;
    latest = fmax(latest, m->times[i]);
  }
  if (rows == 0) return SIZE_MAX;
  for (int k = 0; k < SOTTO_I_AMOUNT_BINS - 1; k++) amount += out + in >= b->amount_from[k];
  for (int k = 0; k < SOTTO_I_TIME_BINS - 1; k++) time += latest >= b->time_from[k];
  const bool goes_out = out > in || (out == in && m->sources[last] == u);
  if (b->kinds > 0) return (goes_out ? 0 : (size_t)kind_count) + slow_kind(m, u, v);
  return ((goes_out ? 0 : (size_t)SOTTO_I_AMOUNT_BINS) + amount) * SOTTO_I_TIME_BINS + time;
}

static const sotto_i_transfer_bins fine_bins = {.amounts = SOTTO_I_FINE_AMOUNT_BINS,
                                                .times = SOTTO_I_TIME_BINS,
                                                .amount_from = {50, 100, 200, 350, 500, 700, 900},
                                                .time_from = {250}},
                                   some_kinds = {.amounts = 1, .times = 1, .kinds = kind_count};

static void counts_are_those_of_a_slow_loop(void **state) {
  sotto_i_random random = check_random();
  (void)state;
  for (int round = 0; round < 200; round++) {
    made m;
    const sotto_i_transfer_bins *bins = round % 2 == 0 ? &check_coarse_bins : &some_kinds;
    make_rows(&m, &random, round % 3 == 0);
    sotto_dataset data = open_rows(&m);
    sotto_matrix table, slow;
    CHECK_OK(sotto_matrix_new(&table, nodes, sotto_i_transfer_cells(bins), &err));
    CHECK_OK(sotto_matrix_new(&slow, nodes, table.cols, &err));
    sotto_i_transfer_cells_fill(&table, &(sotto_i_relations){&data.graph, &data.transfers, false}, bins, NULL,
                                NULL);
    for (uint32_t u = 0; u < nodes; u++)
      for (uint32_t v = 0; v < nodes; v++) {
        const size_t cell = u == v ? SIZE_MAX : slow_cell(&m, bins, u, v);
        if (cell != SIZE_MAX) slow.data[u * slow.cols + cell]++;
      }
    assert_memory_equal(table.data, slow.data, nodes * table.cols * sizeof(float));
    sotto_matrix_free(&table);
    sotto_matrix_free(&slow);
    sotto_dataset_free(&data);
  }
}

static void check_kinds_one_by_one(const made *m, const sotto_i_relations *relations) {
  float cells[nodes * 2 * kind_count] = {0};
  sotto_matrix table;
  CHECK_OK(sotto_matrix_new(&table, nodes, sotto_i_transfer_cells(&some_kinds), &err));
  assert_int_equal(table.cols, 2 * kind_count);
  sotto_i_transfer_cells_fill(&table, relations, &some_kinds, NULL, NULL);
  for (uint64_t i = 0; i < m->count; i++) {
    cells[m->sources[i] * table.cols + m->kinds[i]]++;
    cells[m->targets[i] * table.cols + kind_count + m->kinds[i]]++;
  }
  assert_memory_equal(table.data, cells, sizeof cells);
  sotto_matrix_free(&table);
}

/* Numbers as a regression finds them; with `huge` some are much larger. */
static void draw_weights(sotto_params **out, size_t cells, bool huge, sotto_i_random *random) {
  sotto_matrix of_cells, of_classes;
  CHECK_OK(sotto_i_transfer_weights_new(out, &err));
  CHECK_OK(sotto_matrix_new(&of_cells, cells, 1, &err));
  CHECK_OK(sotto_matrix_new(&of_classes, SOTTO_I_WEIGHED_CLASSES, 1, &err));
  for (size_t i = 0; i < cells; i++)
    of_cells.data[i] = (float)sotto_i_random_normal(random) * (huge && i % 5 == 0 ? 1e6F : 1);
  for (size_t k = 0; k < SOTTO_I_WEIGHED_CLASSES; k++)
    of_classes.data[k] = (float)sotto_i_random_normal(random);
  sotto_i_transfer_weights_set(sotto_params_value(*out, 0), &of_cells, &of_classes, 1);
  CHECK_OK(sotto_i_transfer_weights_check(sotto_params_value(*out, 0), SOTTO_CORRUPT, &err));
  sotto_matrix_free(&of_cells);
  sotto_matrix_free(&of_classes);
}

/* Each end adds the weight of its cell and of the other end's cluster. */
static void sums_are_those_of_a_slow_loop(void **state) {
  static const uint16_t clusters[nodes] = {0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0};
  sotto_i_random random = check_random();
  (void)state;
  for (int round = 0; round < 100; round++) {
    made m;
    sotto_params *params;
    sotto_i_transfer_bins bins = round % 2 == 0 ? check_coarse_bins : some_kinds;
    make_rows(&m, &random, round % 3 == 0);
    draw_weights(&params, sotto_i_transfer_cells(&bins), round % 5 == 0, &random);
    bins.weights = sotto_params_value(params, 0);
    assert_int_equal(sotto_i_transfer_columns(&bins), 1);
    sotto_dataset data = open_rows(&m);
    sotto_matrix table;
    float slow[nodes] = {0};
    CHECK_OK(sotto_matrix_new(&table, nodes, 1, &err));
    sotto_i_transfer_cells_fill(&table, &(sotto_i_relations){&data.graph, &data.transfers, false}, &bins,
                                clusters, NULL);
    for (uint32_t u = 0; u < nodes; u++)
      for (uint32_t v = 0; v < nodes; v++) {
        const size_t cell = u == v ? SIZE_MAX : slow_cell(&m, &bins, u, v);
        if (cell != SIZE_MAX) slow[u] += bins.weights->data[2 * cell + clusters[v]];
      }
    assert_memory_equal(table.data, slow, sizeof slow);
    sotto_matrix_free(&table);
    sotto_params_free(params);
    sotto_dataset_free(&data);
  }
}

/* At transfer level each row is counted in a cell by itself: once by its source, and once by its target. */
static void transfers_are_counted_one_by_one(void **state) {
  sotto_i_random random = check_random();
  (void)state;
  for (int round = 0; round < 100; round++) {
    made m;
    make_rows(&m, &random, round % 3 == 0);
    sotto_dataset data = open_rows(&m);
    const sotto_i_relations relations = {&data.graph, &data.transfers, true};
    float cells[nodes * SOTTO_I_MOST_TRANSFER_CELLS] = {0};
    sotto_matrix table;
    CHECK_OK(sotto_matrix_new(&table, nodes, sotto_i_transfer_cells(&fine_bins), &err));
    sotto_i_transfer_cells_fill(&table, &relations, &fine_bins, NULL, NULL);
    for (uint64_t i = 0; i < m.count; i++) {
      size_t amount = 0, time = m.times[i] >= fine_bins.time_from[0];
      for (int k = 0; k < SOTTO_I_FINE_AMOUNT_BINS - 1; k++)
        amount += (double)m.amounts[i] >= fine_bins.amount_from[k];
      cells[m.sources[i] * table.cols + amount * SOTTO_I_TIME_BINS + time]++;
      cells[m.targets[i] * table.cols + (SOTTO_I_FINE_AMOUNT_BINS + amount) * SOTTO_I_TIME_BINS + time]++;
    }
    assert_memory_equal(table.data, cells, sizeof cells);
    sotto_matrix_free(&table);
    check_kinds_one_by_one(&m, &relations);
    sotto_dataset_free(&data);
  }
}

/* By clusters a pair counts once, whatever lies between: then both levels count the same, and what repeats
 * say is left to cells of transfers. */
static void clusters_count_a_pair_once(void **state) {
  static const uint16_t clusters[nodes] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
  enum { kinds = 3 };
  sotto_i_random random = check_random();
  (void)state;
  for (int round = 0; round < 100; round++) {
    made m;
    make_rows(&m, &random, round % 3 == 0);
    sotto_dataset data = open_rows(&m);
    float slow[nodes * kinds] = {0};
    sotto_matrix counts;
    CHECK_OK(sotto_matrix_new(&counts, nodes, kinds, &err));
    sotto_i_relations_fill(&counts, &data.transfers, clusters, NULL);
    for (uint32_t u = 0; u < nodes; u++)
      for (uint32_t v = 0; v < nodes; v++)
        if (u != v && slow_cell(&m, &check_coarse_bins, u, v) != SIZE_MAX) slow[u * kinds + clusters[v]]++;
    assert_memory_equal(counts.data, slow, sizeof slow);
    sotto_matrix_free(&counts);
    sotto_dataset_free(&data);
  }
}

/* What is the same in two neighbouring worlds. */
typedef struct setting {
  uint8_t group[nodes], usual[nodes];
  sotto_i_cluster_kind chosen;
  bool apart;
  const sotto_matrix *weights; /* of the chosen kind, if it is of transfers; NULL: relations are counted */
} setting;

/* Those of amounts and times. */
static const sotto_i_transfer_bins *bins_of(const setting *s) {
  return s->apart ? &fine_bins : &check_coarse_bins;
}

/* A stage's counts: of pilots by their kind of cells, of all others by transfers, by kinds or by clusters; or
 * sums of weights, in units of one neighbour. */
static void fill_stage(sotto_matrix *table, const sotto_i_relations *relations, sotto_i_pilot_stage stage,
                       const setting *s, const uint8_t *levels) {
  const bool last = stage == SOTTO_I_STAGE_OTHERS;
  const sotto_i_cluster_kind kind = last ? s->chosen : sotto_i_pilots_kind(stage);
  const bool of_transfers = kind == SOTTO_I_BY_TRANSFERS || kind == SOTTO_I_BY_KINDS;
  sotto_i_transfer_bins bins = kind == SOTTO_I_BY_KINDS ? some_kinds : *bins_of(s);
  sotto_i_clusters of;
  sotto_matrix sums;
  bins.weights = last && of_transfers ? s->weights : NULL;
  CHECK_OK(sotto_matrix_new(&sums, nodes, 1, &err));
  CHECK_OK(sotto_i_clusters_new(&of, nodes, table->cols, &err));
  for (size_t v = 0; v < nodes; v++) of.of[v] = (uint16_t)(v % (bins.weights != NULL ? 2 : 3));
  sotto_i_counts_fill_relations(bins.weights != NULL ? &sums : table, relations, of_transfers ? &bins : NULL,
                                &of, levels);
  for (size_t v = 0; bins.weights != NULL && v < nodes; v++)
    table->data[v * table->cols] = sums.data[v] / SOTTO_I_SUM_UNITS;
  sotto_i_clusters_free(&of);
  sotto_matrix_free(&sums);
}

/* All releases of a run in one row: of the groups, of the survey, and of all others. */
static void fill_releases(double *out, const made *m, const setting *s) {
  const size_t cells = sotto_i_transfer_cells(bins_of(s));
  const sotto_i_pilots p = {.group = (uint8_t *)(uintptr_t)s->group};
  sotto_dataset data = open_rows(m);
  const sotto_i_relations relations = {&data.graph, &data.transfers, s->apart};
  for (sotto_i_pilot_stage stage = SOTTO_I_STAGE_CLASS; stage < SOTTO_I_STAGES; stage++) {
    const bool survey = stage == SOTTO_I_STAGE_SURVEY;
    if (stage == SOTTO_I_STAGE_SUMS || stage == SOTTO_I_STAGE_DIRECTIONS)
      continue; /* never beside transfers */
    uint8_t levels[nodes];
    sotto_matrix table;
    memcpy(levels, s->usual, nodes);
    if (stage == SOTTO_I_STAGE_OTHERS)
      sotto_i_pilots_spent(levels, nodes, &p);
    else
      sotto_i_pilots_levels(levels, nodes, &p, stage);
    CHECK_OK(sotto_matrix_new(&table, survey ? 1 : nodes, survey ? sotto_i_survey_columns() : cells, &err));
    if (survey)
      sotto_i_survey_fill(&table, &relations, levels);
    else
      fill_stage(&table, &relations, stage, s, levels);
    for (size_t i = 0; i < table.rows * table.cols; i++) *out++ = (double)table.data[i];
    sotto_matrix_free(&table);
  }
  sotto_dataset_free(&data);
}

/* The largest moves that a search finds, of any two ends, and between two that are no pilots. */
typedef struct moves {
  double all, others;
} moves;

/* A relation with everything in it comes or goes, or, `apart`, one transfer. Counts are released, or, where
 * `times` is not 0, sums of weights so many times as large, of all that are no pilots. */
static moves search_moves(bool apart, float times) {
  static const uint8_t groups[] = {0,
                                   SOTTO_I_STAGE_CLASS,
                                   SOTTO_I_STAGE_FEATURES,
                                   SOTTO_I_STAGE_TRANSFERS,
                                   SOTTO_I_STAGE_SURVEY,
                                   SOTTO_I_STAGE_KINDS};
  const size_t size = sotto_i_survey_columns() + 5 * nodes * SOTTO_I_MOST_TRANSFER_CELLS;
  sotto_i_random random = check_random();
  double *with = calloc(size, sizeof *with), *without = calloc(size, sizeof *without);
  moves most = {0, 0};
  for (int round = 0; round < 300; round++) {
    made m, less = {.count = 0};
    setting s = {.chosen = (sotto_i_cluster_kind)(round % SOTTO_I_CLUSTER_KINDS), .apart = apart};
    sotto_params *weights = NULL;
    make_rows(&m, &random, round % 3 == 0);
    if (times > 0) {
      s.chosen = round % 2 == 0 ? SOTTO_I_BY_TRANSFERS : SOTTO_I_BY_KINDS;
      draw_weights(&weights, sotto_i_transfer_cells(round % 2 == 0 ? bins_of(&s) : &some_kinds),
                   round % 5 == 0, &random);
      s.weights = sotto_params_value(weights, 0);
      for (size_t i = 0; i < 2 * SOTTO_I_WEIGHT_ROWS; i++) s.weights->data[i] *= times;
    }
    for (int v = 0; v < nodes; v++) {
      const bool other = times > 0 && sotto_i_random_below(&random, 2) == 0;
      s.group[v] = other ? 0 : groups[sotto_i_random_below(&random, sizeof groups)];
      s.usual[v] = (uint8_t)sotto_i_random_below(&random, SOTTO_I_MOST_LEVEL + 1);
    }
    for (uint64_t i = 0; i < m.count; i++) {
      if (apart ? i == 0 : joins(&m, i, m.sources[0], m.targets[0])) continue;
      less.sources[less.count] = m.sources[i];
      less.targets[less.count] = m.targets[i];
      less.amounts[less.count] = m.amounts[i];
      less.kinds[less.count] = m.kinds[i];
      less.times[less.count++] = m.times[i];
    }
    fill_releases(with, &m, &s);
    fill_releases(without, &less, &s);
    double moved = 0;
    for (size_t i = 0; i < size; i++) moved += fabs(with[i] - without[i]);
    most.all = fmax(most.all, moved);
    if (s.group[m.sources[0]] == 0 && s.group[m.targets[0]] == 0) most.others = fmax(most.others, moved);
    sotto_params_free(weights);
  }
  free(with);
  free(without);
  return most;
}

/* In a third of the rounds no end is a pilot, and a weight is near its bound in a third of these: none of 300
 * rounds comes near with a probability below 10^-14. */
static void check_moves(bool apart) {
  const moves counts = search_moves(apart, 0), sums = search_moves(apart, 1),
              planted = search_moves(apart, 2);
  print_message("counts move by %g, sums by %g, sums of weights of two neighbours by %g\n", counts.all,
                sums.others, planted.others);
  assert_true(counts.all == 2);
  assert_true(sums.all <= 2 && sums.others > 2 / 1.15);
  assert_true(planted.others > 2 * 2 / 1.15);
}

static void a_relation_moves_all_releases_by_two_at_most(void **state) {
  (void)state;
  check_moves(false);
}

static void a_transfer_moves_all_releases_by_two_at_most(void **state) {
  (void)state;
  check_moves(true);
}

/* A model that counts by kinds asks for as many in other data. */
static void bins_of_kinds_are_those_of_the_list(void **state) {
  sotto_i_random random = check_random();
  sotto_i_transfer_bins bins;
  made m;
  (void)state;
  make_rows(&m, &random, false);
  sotto_dataset data = open_rows(&m), none = {.name = "made"};
  CHECK_OK(sotto_i_kind_bins(&bins, &data, 0, &err));
  assert_int_equal(sotto_i_transfer_cells(&bins), 2 * kind_count);
  CHECK_OK(sotto_i_kind_bins(&bins, &data, 2 * kind_count, &err));
  CHECK_FAILS(SOTTO_INVALID, "has 3 kinds of transfers, and the run counts neighbours by 4",
              sotto_i_kind_bins(&bins, &data, 8, &err));
  CHECK_FAILS(SOTTO_INVALID, "has 0 kinds", sotto_i_kind_bins(&bins, &none, 6, &err));
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_are_those_of_a_slow_loop),
      cmocka_unit_test(sums_are_those_of_a_slow_loop),
      cmocka_unit_test(transfers_are_counted_one_by_one),
      cmocka_unit_test(clusters_count_a_pair_once),
      cmocka_unit_test(a_transfer_moves_all_releases_by_two_at_most),
      cmocka_unit_test(a_relation_moves_all_releases_by_two_at_most),
      cmocka_unit_test(bins_of_kinds_are_those_of_the_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
