/* Counts of relations by their transfers: against a slow reference, and how far one relation moves them. */
#include "protocols/transfer_cells.h"

#include <math.h>

#include "check.h"
#include "inside/nn.h"
#include "protocols/counts.h"
#include "protocols/pilots.h"
#include "protocols/unsure.h"

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

static const sotto_i_transfer_bins some_bins = {.amounts = SOTTO_I_AMOUNT_BINS,
                                                .times = SOTTO_I_TIME_BINS,
                                                .amount_from = {200, 500, 1100},
                                                .time_from = {250}},
                                   some_kinds = {.amounts = 1, .times = 1, .kinds = kind_count};

static void counts_are_those_of_a_slow_loop(void **state) {
  sotto_i_random random = check_random();
  (void)state;
  for (int round = 0; round < 200; round++) {
    made m;
    const sotto_i_transfer_bins *bins = round % 2 == 0 ? &some_bins : &some_kinds;
    make_rows(&m, &random, round % 3 == 0);
    sotto_dataset data = open_rows(&m);
    sotto_matrix table, slow;
    CHECK_OK(sotto_matrix_new(&table, nodes, sotto_i_transfer_cells(bins), &err));
    CHECK_OK(sotto_matrix_new(&slow, nodes, table.cols, &err));
    sotto_i_transfer_cells_fill(&table, &(sotto_i_relations){&data.graph, &data.transfers, false}, bins,
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
  sotto_i_transfer_cells_fill(&table, relations, &some_kinds, NULL);
  for (uint64_t i = 0; i < m->count; i++) {
    cells[m->sources[i] * table.cols + m->kinds[i]]++;
    cells[m->targets[i] * table.cols + kind_count + m->kinds[i]]++;
  }
  assert_memory_equal(table.data, cells, sizeof cells);
  sotto_matrix_free(&table);
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
    CHECK_OK(sotto_matrix_new(&table, nodes, sotto_i_transfer_cells(&some_bins), &err));
    sotto_i_transfer_cells_fill(&table, &relations, &some_bins, NULL);
    for (uint64_t i = 0; i < m.count; i++) {
      size_t amount = 0, time = m.times[i] >= some_bins.time_from[0];
      for (int k = 0; k < SOTTO_I_AMOUNT_BINS - 1; k++)
        amount += (double)m.amounts[i] >= some_bins.amount_from[k];
      cells[m.sources[i] * table.cols + amount * SOTTO_I_TIME_BINS + time]++;
      cells[m.targets[i] * table.cols + (SOTTO_I_AMOUNT_BINS + amount) * SOTTO_I_TIME_BINS + time]++;
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
  static const uint32_t clusters[nodes] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
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
        if (u != v && slow_cell(&m, &some_bins, u, v) != SIZE_MAX) slow[u * kinds + clusters[v]]++;
    assert_memory_equal(counts.data, slow, sizeof slow);
    sotto_matrix_free(&counts);
    sotto_dataset_free(&data);
  }
}

/* A stage's counts: of pilots by their kind of cells, of all others by transfers, by kinds or by clusters. */
static void fill_stage(sotto_matrix *table, const sotto_i_relations *relations, sotto_i_pilot_stage stage,
                       sotto_i_cluster_kind chosen, const uint8_t *levels) {
  const sotto_i_cluster_kind kind = stage == SOTTO_I_STAGE_OTHERS ? chosen : sotto_i_pilots_kind(stage);
  const sotto_i_transfer_bins *bins = kind == SOTTO_I_BY_TRANSFERS ? &some_bins
                                      : kind == SOTTO_I_BY_KINDS   ? &some_kinds
                                                                   : NULL;
  sotto_matrix scores;
  CHECK_OK(sotto_matrix_new(&scores, nodes, table->cols, &err));
  for (size_t v = 0; v < nodes; v++) scores.data[v * scores.cols + v % 3] = 1;
  CHECK_OK(sotto_i_counts_fill_relations(table, relations, bins, &scores, levels, &err));
  sotto_matrix_free(&scores);
}

/* What is the same in two neighbouring worlds. */
typedef struct setting {
  uint8_t group[nodes], usual[nodes];
  sotto_i_cluster_kind chosen;
  bool apart;
} setting;

/* All releases of a run in one row: of the groups, of the survey, and of all others. */
static void fill_releases(double *out, const made *m, const setting *s) {
  const size_t cells = sotto_i_transfer_cells(&some_bins);
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
      fill_stage(&table, &relations, stage, s->chosen, levels);
    for (size_t i = 0; i < table.rows * table.cols; i++) *out++ = (double)table.data[i];
    sotto_matrix_free(&table);
  }
  sotto_dataset_free(&data);
}

/* A relation with everything in it comes or goes, or, `apart`, one transfer; the search looks for the largest
 * move. */
static void search_moves(bool apart) {
  static const uint8_t groups[] = {0,
                                   SOTTO_I_STAGE_CLASS,
                                   SOTTO_I_STAGE_FEATURES,
                                   SOTTO_I_STAGE_TRANSFERS,
                                   SOTTO_I_STAGE_SURVEY,
                                   SOTTO_I_STAGE_KINDS};
  const size_t size = sotto_i_survey_columns() + 5 * nodes * sotto_i_transfer_cells(&some_bins);
  sotto_i_random random = check_random();
  double *with = calloc(size, sizeof *with), *without = calloc(size, sizeof *without), most = 0;
  for (int round = 0; round < 300; round++) {
    made m, less = {.count = 0};
    setting s = {.chosen = (sotto_i_cluster_kind)(round % SOTTO_I_CLUSTER_KINDS), .apart = apart};
    make_rows(&m, &random, round % 3 == 0);
    for (int v = 0; v < nodes; v++) {
      s.group[v] = groups[sotto_i_random_below(&random, sizeof groups)];
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
    assert_true(moved <= 2);
    most = fmax(most, moved);
  }
  assert_true(most == 2);
  free(with);
  free(without);
}

static void a_relation_moves_all_releases_by_two_at_most(void **state) {
  (void)state;
  search_moves(false);
}

static void a_transfer_moves_all_releases_by_two_at_most(void **state) {
  (void)state;
  search_moves(true);
}

/* Amounts and days of known quantiles, without noise and with it. */
static void bins_hold_about_equal_numbers(void **state) {
  enum { columns = 256 + 5218 };
  static float row[columns];
  const float amount = 1;
  const double day = 0;
  const sotto_transfers both = {.count = 1, .amounts = &amount, .times = &day};
  const sotto_matrix survey = {row, 1, columns};
  sotto_i_transfer_bins bins;
  sotto_i_random random = check_random();
  (void)state;
  assert_int_equal(sotto_i_survey_columns(), columns);
  for (int i = 0; i < 400; i++) {
    row[1 + 4 * 10 + i % 40]++;               /* 1 to 1024, even in the logarithm */
    row[256 + (9132 + 10957) / 7 + i % 52]++; /* the weeks of 2025 */
  }
  for (int noisy = 0; noisy < 2; noisy++) {
    const double scale = noisy ? 0.5 : 0;
    for (int j = 0; noisy && j < columns; j++) {
      const double u = sotto_i_random_double(&random) - 0.5;
      row[j] += (float)(scale * (u < 0 ? 1 : -1) * log(fmax(1e-12, 1 - 2 * fabs(u))));
    }
    CHECK_OK(sotto_i_survey_read(&bins, &survey, &both, scale, &err));
    CHECK_NEAR(log2(bins.amount_from[0]), 2.5, 0.5);
    CHECK_NEAR(log2(bins.amount_from[1]), 5, 0.5);
    CHECK_NEAR(log2(bins.amount_from[2]), 7.5, 0.5);
    CHECK_NEAR(bins.time_from[0], 9132 + 182, 30);
  }
  memset(row, 0, sizeof row); /* nothing stands out: bins there are, whatever they hold */
  CHECK_OK(sotto_i_survey_read(&bins, &survey, &both, 0.5, &err));
  assert_true(isfinite(bins.amount_from[0]) && isfinite(bins.time_from[0]));
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

static void a_model_keeps_its_bins(void **state) {
  sotto_params *kept;
  sotto_i_transfer_bins read;
  sotto_dataset none = {.name = "made"};
  (void)state;
  CHECK_OK(sotto_params_new(&kept, &err));
  CHECK_OK(sotto_i_transfer_bins_keep(kept, &some_bins, &err));
  CHECK_OK(sotto_i_transfer_bins_take(&read, kept, &err));
  assert_int_equal(sotto_i_transfer_cells(&read), SOTTO_I_MOST_TRANSFER_CELLS);
  for (int k = 0; k < 3; k++) assert_true(read.amount_from[k] == some_bins.amount_from[k]);
  assert_true(read.time_from[0] == some_bins.time_from[0]);
  CHECK_FAILS(SOTTO_INVALID, "made: has no transfers", sotto_i_transfer_bins_fit(&read, &none, &err));
  const uint32_t end = 0;
  none.transfers = (sotto_transfers){.count = 1, .sources = &end, .targets = &end};
  CHECK_FAILS(SOTTO_INVALID, "no amounts of transfers", sotto_i_transfer_bins_fit(&read, &none, &err));
  ((sotto_matrix *)(uintptr_t)sotto_params_value(kept, 0))->data[0] = 3;
  CHECK_FAILS(SOTTO_CORRUPT, "has 3 bins", sotto_i_transfer_bins_take(&read, kept, &err));
  sotto_params_free(kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_are_those_of_a_slow_loop),
      cmocka_unit_test(transfers_are_counted_one_by_one),
      cmocka_unit_test(clusters_count_a_pair_once),
      cmocka_unit_test(a_transfer_moves_all_releases_by_two_at_most),
      cmocka_unit_test(a_relation_moves_all_releases_by_two_at_most),
      cmocka_unit_test(bins_hold_about_equal_numbers),
      cmocka_unit_test(bins_of_kinds_are_those_of_the_list),
      cmocka_unit_test(a_model_keeps_its_bins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
