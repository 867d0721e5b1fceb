/* Canaries that methods share: counts of neighbours, and releases of layers. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "canary.h"
#include "inside/audit.h"
#include "inside/base.h"
#include "pmp/contractive.h"
#include "protocols/counts.h"
#include "protocols/feature_sums.h"
#include "protocols/options.h"
#include "protocols/transfer_weights.h"
#include "protocols/unsure.h"
#include "run/train/run.h"
#include "tensor/blas/norm.h"

/* A table of the variant in one of the two worlds. Free it. */
static sotto_status draw_table(sotto_matrix *out, const sotto_i_canary *c, int which, const sotto_key *key,
                               sotto_error *err) {
  sotto_graph unused = {0};
  *out = (sotto_matrix){0};
  sotto_status status = c->make(c->made_of[which], &unused, out, key, err);
  sotto_graph_free(&unused);
  if (status == SOTTO_OK && (out->rows != c->clean[which].rows || out->cols != c->clean[which].cols))
    status = sotto_i_fail(err, SOTTO_INVALID, "a canary of %zu rows of %zu got %zu of %zu",
                          c->clean[which].rows, c->clean[which].cols, out->rows, out->cols);
  return status;
}

/* The log of the ratio of a cell's probabilities in the two worlds, up to a factor. */
static double ratio_of(const sotto_i_canary *c, size_t cell, double shown) {
  const double without = (double)c->clean[0].data[cell], with = (double)c->clean[1].data[cell];
  return c->counts ? fabs(shown - without) - fabs(shown - with) : shown * (with - without);
}

double sotto_i_canary_projection(const sotto_i_canary *c, const sotto_matrix *shown) {
  double sum = 0;
  for (size_t i = 0; i < shown->rows * shown->cols; i++)
    sum += (double)shown->data[i] * ((double)c->clean[1].data[i] - (double)c->clean[0].data[i]);
  return sum;
}

/* Each release has its own key. */
static sotto_status draw_tables(void *context, double *values, bool second, const sotto_key *key,
                                sotto_error *err) {
  const sotto_i_canary *c = context;
  sotto_key each = {.origin = SOTTO_KEY_NONE};
  sotto_matrix table = {0};
  sotto_status status = SOTTO_OK;
  *values = 0;
  for (uint64_t round = 0; round < c->releases; round++) {
    sotto_i_key_derive(&each, key, round);
    SOTTO_TRY(draw_table(&table, c, second ? 1 : 0, &each, err));
    for (size_t i = 0; i < table.rows * table.cols; i++) *values += ratio_of(c, i, (double)table.data[i]);
    sotto_matrix_free(&table);
  }
done:
  sotto_key_wipe(&each);
  sotto_matrix_free(&table);
  return status;
}

static sotto_status noise_of_table(void *context, sotto_noise_draw *out, const sotto_key *key,
                                   sotto_error *err) {
  const sotto_i_canary *c = context;
  sotto_matrix table = {0};
  sotto_status status = draw_table(&table, c, 0, key, err);
  if (status == SOTTO_OK) {
    sotto_i_canary_noise(out, &table, &c->clean[0], c->counts ? c->grid.scale : c->world[0].plan.grid.sigma);
    out->laplace = c->counts;
    out->step = c->counts ? c->grid.step / c->grid.scale : 0;
  }
  sotto_matrix_free(&table);
  return status;
}

void sotto_i_canary_sums(sotto_i_canary *c) {
  c->releases = 1;
  c->stated.context = c;
  c->stated.statistics = 1;
  c->stated.draw = draw_tables;
  c->stated.noise = noise_of_table;
}

void sotto_i_canary_counts(sotto_i_canary *c) {
  sotto_i_canary_sums(c);
  c->counts = true;
  c->releases = c->options.layers;
}

/* The inputs of one world's counts. */
typedef struct counted {
  sotto_i_counts counts;
  sotto_i_counts pilots; /* of a canary of pilots: the release before */
  sotto_i_job job;
  sotto_dataset data; /* its graph is the world's */
  sotto_i_clusters clusters;
  sotto_matrix rows;          /* of a canary of sums */
  sotto_i_transfer_bins bins; /* of a canary of cells */
  sotto_matrix weights;       /* of these, in `whole` */
  float whole[SOTTO_I_WEIGHT_ROWS * SOTTO_I_WEIGHED_CLASSES];
  uint8_t *levels;
} counted;

static void free_counted(sotto_i_canary *c) {
  for (int which = 0; which < 2; which++) {
    counted *of = c->made_of[which];
    if (of == NULL) continue;
    sotto_i_clusters_free(&of->clusters);
    sotto_matrix_free(&of->rows);
    sotto_i_free(of->levels);
    sotto_i_free(of);
    c->made_of[which] = NULL;
  }
}

/* The table without noise, by the same code. */
static sotto_status count_exactly(sotto_matrix *out, const sotto_i_counts *counts, sotto_error *err) {
  const sotto_key none = {.origin = SOTTO_KEY_NONE};
  sotto_i_counts exact = *counts;
  exact.noise = NULL;
  exact.stage = 0; /* no key is derived where there is no noise */
  sotto_matrix_free(out);
  return sotto_i_counts_make(&exact, NULL, out, &none, err);
}

/* What lies between the two nodes in the second world: at transfer level one transfer, else all three. */
static sotto_transfers transfers_of(const sotto_options *o, uint64_t which) {
  static const uint32_t sources[] = {0, 1, 0}, targets[] = {1, 0, 1};
  static const float amounts[] = {10, 400, 90};
  static const double times[] = {30, 10, 90};
  static const uint8_t kinds[] = {1, 0, 1};
  static const uint64_t starts[] = {0, 5, 10};
  return (sotto_transfers){.count = o->adjacency == SOTTO_ADJACENCY_TRANSFER ? which : 3 * which,
                           .sources = sources,
                           .targets = targets,
                           .amounts = amounts,
                           .times = times,
                           .kinds = kinds,
                           .kind_names = {2, starts, "card\0cash"}};
}

sotto_status sotto_i_canary_counted(sotto_i_canary *c, int which, sotto_i_clusters *clusters,
                                    const uint8_t *levels, sotto_error *err) {
  const size_t nodes = clusters->nodes;
  counted *of = NULL;
  sotto_status status;
  c->make = sotto_i_counts_make;
  c->forget = free_counted;
  SOTTO_TRY(sotto_i_new(&of, 1, sizeof *of, err));
  c->made_of[which] = of;
  of->clusters = *clusters;
  *clusters = (sotto_i_clusters){.of = NULL};
  if (levels != NULL) {
    SOTTO_TRY(sotto_i_new(&of->levels, nodes, 1, err));
    memcpy(of->levels, levels, nodes);
  }
  of->data = (sotto_dataset){.name = "canary",
                             .graph = c->world[which].graph,
                             .transfers = transfers_of(&c->options, (uint64_t)which)};
  of->job = (sotto_i_job){.options = &c->options, .data = &of->data};
  of->counts =
      (sotto_i_counts){.job = &of->job, .clusters = &of->clusters, .levels = of->levels, .noise = &c->grid};
  SOTTO_TRY(count_exactly(&c->clean[which], &of->counts, err));
done:
  return status;
}

/* The rows of a, and then those of b, which has as many columns. */
static sotto_status stack(sotto_matrix *out, const sotto_matrix *a, const sotto_matrix *b, sotto_error *err) {
  const sotto_status status = sotto_matrix_new(out, a->rows + b->rows, a->cols, err);
  if (status != SOTTO_OK) return status;
  memcpy(out->data, a->data, a->rows * a->cols * sizeof(float));
  memcpy(out->data + a->rows * a->cols, b->data, b->rows * b->cols * sizeof(float));
  return SOTTO_OK;
}

/* The release of a pilot's counts, and then that of the other node's. */
static sotto_status make_stages(void *context, sotto_graph *unused, sotto_matrix *table, const sotto_key *key,
                                sotto_error *err) {
  counted *of = context;
  sotto_matrix first = {0}, last = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_counts_make(&of->pilots, unused, &first, key, err));
  SOTTO_TRY(sotto_i_counts_make(&of->counts, unused, &last, key, err));
  SOTTO_TRY(stack(table, &first, &last, err));
done:
  sotto_matrix_free(&first);
  sotto_matrix_free(&last);
  return status;
}

/* Turns the canary of counts into that of the pilot, node 0. */
static sotto_status add_pilot(sotto_i_canary *c, int which, sotto_error *err) {
  static const uint8_t pilot[2] = {SOTTO_I_PILOT, SOTTO_I_DEAF}, others[2] = {SOTTO_I_SPENT, 1};
  static const uint32_t rows[1] = {0};
  counted *of = c->made_of[which];
  sotto_matrix first = {0}, last = {0};
  sotto_status status;
  of->pilots = of->counts;
  of->pilots.levels = pilot;
  of->pilots.stage = 1;
  of->pilots.rows = rows;
  of->pilots.row_count = 1;
  of->counts.levels = others;
  c->make = make_stages;
  sotto_matrix_free(&c->clean[which]);
  SOTTO_TRY(count_exactly(&first, &of->pilots, err));
  SOTTO_TRY(count_exactly(&last, &of->counts, err));
  SOTTO_TRY(stack(&c->clean[which], &first, &last, err));
done:
  sotto_matrix_free(&first);
  sotto_matrix_free(&last);
  return status;
}

/* Weights of one whole neighbour each, of either sign. */
static void weigh(counted *of) {
  of->weights = (sotto_matrix){of->whole, SOTTO_I_WEIGHT_ROWS, SOTTO_I_WEIGHED_CLASSES};
  for (size_t i = 0; i < of->weights.rows * of->weights.cols; i++)
    of->whole[i] = i % 2 == 0 ? SOTTO_I_SUM_UNITS : -SOTTO_I_SUM_UNITS;
  of->bins.weights = &of->weights;
}

/* Counts in cells of transfers or of kinds, or, `weighed`, sums, in place of clusters. There single transfers
 * are beside two others of the pair, which hide none. */
static sotto_status count_in_cells(sotto_i_canary *c, int which, bool of_kinds, bool weighed,
                                   sotto_error *err) {
  static const sotto_i_transfer_bins bins = {.amounts = SOTTO_I_AMOUNT_BINS,
                                             .times = SOTTO_I_TIME_BINS,
                                             .amount_from = {50, 100, 300},
                                             .time_from = {60}},
                                     by_kind = {.amounts = 1, .times = 1, .kinds = 2};
  counted *of = c->made_of[which];
  of->bins = of_kinds ? by_kind : bins;
  of->counts.bins = &of->bins;
  if (weighed) weigh(of);
  if (c->options.adjacency == SOTTO_ADJACENCY_TRANSFER) of->data.transfers.count += 2;
  return count_exactly(&c->clean[which], &of->counts, err);
}

/* Sums of rows of the whole norm in place of counts, one number each. */
static sotto_status add_rows(sotto_i_canary *c, int which, sotto_error *err) {
  counted *of = c->made_of[which];
  const sotto_status status = sotto_matrix_new(&of->rows, 2, 2, err);
  if (status != SOTTO_OK) return status;
  of->rows.data[0] = SOTTO_I_SUM_UNITS;
  of->rows.data[3] = -SOTTO_I_SUM_UNITS;
  of->counts.added = &of->rows;
  return count_exactly(&c->clean[which], &of->counts, err);
}

/* Two nodes of two clusters, with the edge between them and without it. Of two levels the less sure node
 * counts the other twice; of one level each counts the other. If the run's edges have transfers, those of a
 * pair are counted in cells of these, or weighed where the run may weigh them, and if they have kinds, those
 * of a tie are counted in cells of kinds. */
sotto_status sotto_i_canary_of_counts(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                      sotto_error *err) {
  static const uint32_t from[] = {0}, to[] = {1};
  const bool leveled = sotto_i_read_share(&c->options) < 1;
  const uint8_t levels[2] = {2, kind == SOTTO_I_CANARY_TIE ? 2 : 1};
  const bool kinds = kind == SOTTO_I_CANARY_TIE && run->data->transfers.kinds != NULL;
  const bool cells = kinds || (kind == SOTTO_I_CANARY_PAIR && run->data->transfers.sources != NULL);
  sotto_i_clusters clusters = {.of = NULL};
  sotto_status status;
  const bool sums = kind == SOTTO_I_CANARY_SUM;
  const bool weighed =
      cells && !kinds && sotto_i_is_weighed(SOTTO_I_BY_TRANSFERS, run->data->classes, &c->options);
  SOTTO_TRY(sotto_i_release_grid(&c->grid, sums || weighed, &c->options, err));
  for (uint32_t which = 0; which < 2; which++) {
    SOTTO_TRY(sotto_graph_from_pairs(&c->world[which].graph, 2, from, to, which, err));
    SOTTO_TRY(sotto_i_clusters_new(&clusters, 2, 2, err));
    clusters.of[1] = 1;
    SOTTO_TRY(sotto_i_canary_counted(c, (int)which, &clusters, leveled ? levels : NULL, err));
    if (kind == SOTTO_I_CANARY_PILOT) SOTTO_TRY(add_pilot(c, (int)which, err));
    if (sums) SOTTO_TRY(add_rows(c, (int)which, err));
    if (cells) SOTTO_TRY(count_in_cells(c, (int)which, kinds, weighed, err));
  }
  sotto_i_canary_counts(c);
done:
  sotto_i_clusters_free(&clusters);
  return status;
}

/* The noise of a run whose plan depends on the graph, for another graph. */
static sotto_status plan_again(sotto_i_world *world, const sotto_options *options, sotto_error *err) {
  sotto_i_release_plan plan = {.what = NULL};
  sotto_status status = sotto_i_variant_of(options)->plan(&plan, options, &world->graph, err);
  world->plan = plan.layers;
  world->contractive = plan.contractive;
  return status;
}

/* Weights between layers that change every row as much as they can and keep its length: a cyclic shift of
 * the columns by one. They are bounded as the party bounds the weights that it trains. */
static sotto_status shift_columns(sotto_i_canary *c, size_t cols, sotto_error *err) {
  sotto_status status = sotto_matrix_new(&c->weight, cols, cols, err);
  if (status != SOTTO_OK) return status;
  for (size_t j = 0; j < cols; j++) c->weight.data[j * cols + (j + 1) % cols] = 1;
  return sotto_i_to_unit_operator(&c->weight, err);
}

/* Layers are compared directly after their noise. Scaling and activation come later and reveal nothing
 * more. */
sotto_status sotto_i_canary_of_layers(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                      sotto_error *err) {
  enum { most_leaves = 256 };
  sotto_i_world planned = {.plan = run->plan.layers, .contractive = run->plan.contractive};
  const uint64_t floor = kind == SOTTO_I_CANARY_STARS ? (uint64_t)c->options.degree_floor : 0;
  size_t cols = sotto_i_released_width(&c->options);
  c->is_contractive = run->variant->contractive;
  c->one_shot = c->is_contractive || run->plan.one_shot;
  c->releases = run->releases;
  sotto_i_canary_layers(c);
  if (c->options.layer_weights) {
    sotto_status status = shift_columns(c, cols, err);
    if (status != SOTTO_OK) return status;
  }
  if (kind == SOTTO_I_CANARY_OWN) return sotto_i_canary_own(c, run->data, cols, plan_again, err);
  planned.plan.options.raw = !c->one_shot;
  planned.plan.options.activation = SOTTO_ACTIVATION_NONE;
  return sotto_i_canary_stars(c, &planned, (uint32_t)(floor < most_leaves ? floor : most_leaves), cols, err);
}

uint32_t sotto_i_canary_leaves(const sotto_options *o) {
  enum { most_leaves = 1024 };
  return (uint32_t)(o->max_degree < most_leaves ? o->max_degree : most_leaves);
}

static bool has_floor(const sotto_options *o) {
  const bool sums = o->aggregator == SOTTO_LAYER_GIN && !sotto_i_variant_of(o)->contractive;
  return !sums && o->degree_floor > 0;
}

bool sotto_i_canary_fits(sotto_i_canary_kind kind, const sotto_options *o) {
  if ((sotto_i_variant_of(o)->canaries & 1U << kind) == 0) return false;
  if (kind == SOTTO_I_CANARY_TIE) return sotto_i_read_share(o) < 1; /* else all pairs are ties */
  return kind != SOTTO_I_CANARY_STARS || has_floor(o);
}

static sotto_status check_supported(const sotto_options *o, sotto_i_canary_kind kind, sotto_error *err) {
  const sotto_i_variant *v = sotto_i_variant_of(o);
  if (kind == SOTTO_I_CANARY_STEPS ? v->canaries == 0 : v->canary == NULL)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "method: there is no canary for %s with adjacency %s and accounting %s yet (sotto audit "
        "mechanism tests its parts)",
        o->method, sotto_adjacency_name(o->adjacency), sotto_accounting_name(o->accounting));
  if (o->label_edges > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "label-edges: canaries are of one party's edges yet");
  return SOTTO_OK;
}

sotto_status sotto_i_canary_of_run(sotto_i_canary *out, const sotto_i_run *run, sotto_i_canary_kind kind,
                                   double epsilon, double mu, sotto_error *err) {
  const sotto_options *o = run->options;
  const bool noisy = run->charges || run->cost.count > 0; /* a release may be charged when a run is not */
  sotto_status status;
  *out = (sotto_i_canary){.options = *o, .stated = {.epsilon = epsilon, .delta = o->delta, .mu = mu}};
  if (!noisy)
    return sotto_i_fail(err, SOTTO_INVALID, "%s adds no noise in this run, and states no privacy to test",
                        o->method);
  SOTTO_TRY(check_supported(o, kind, err));
  for (int k = 0; k < SOTTO_I_CANARY_KINDS; k++)
    if (sotto_i_canary_fits((sotto_i_canary_kind)k, o)) out->stated.share++;
  status = kind == SOTTO_I_CANARY_STEPS ? sotto_i_canary_of_steps(out, run, err)
                                        : run->variant->canary(out, run, kind, err);
done:
  return status;
}

sotto_status sotto_i_canary_new(sotto_i_canary *out, const sotto_options *options, const sotto_dataset *data,
                                sotto_i_canary_kind kind, double epsilon, double mu, sotto_error *err) {
  sotto_i_run run = {.options = options,
                     .data = data,
                     .variant = sotto_i_variant_of(options),
                     .releases = sotto_i_job_releases(options)};
  sotto_status status;
  *out = (sotto_i_canary){.stated = {.epsilon = epsilon}};
  SOTTO_TRY(check_supported(options, kind, err));
  SOTTO_TRY(sotto_i_run_check_domain(&run, err));
  SOTTO_TRY(sotto_i_run_plan(&run, err));
  SOTTO_TRY(sotto_i_canary_of_run(out, &run, kind, epsilon, mu, err));
done:
  sotto_i_run_end(&run);
  return status;
}
