/* How many answers about test nodes are right, with discrete Laplace noise on whole numbers. What a method
 * answers follows from its releases, which are charged, and from private data of few nodes: with the releases
 * fixed, one node changes at most `answers_moved` of the answers (docs/privacy.md, section 8). */
#include "published.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "inside/dp.h"
#include "release/forms.h"
#include "run/files/folder_file.h"

static const char what[] = "how many answers about test nodes are right (publish-accuracy)";
enum { most_nodes = 1 << 23 }; /* of floats that hold whole numbers, with room for noise */
enum { stream = 4096 };        /* of a key that, with an insecure seed, other releases have as well */

typedef struct count {
  const sotto_laplace_grid *grid;
  double right;
} count;

static double moved(const sotto_options *o) {
  return (double)sotto_i_variant_of(o)->answers_moved(o);
}

static sotto_status grid_of(sotto_laplace_grid *out, const sotto_options *o, sotto_error *err) {
  const double scale = moved(o) / o->publish_accuracy * (1 + 0x1p-40);
  if (o->publish_accuracy >= 1e-2 && scale <= 1e5) return sotto_laplace_grid_whole(out, scale, err);
  return sotto_i_fail(
      err, SOTTO_RANGE,
      "publish-accuracy: epsilon %g for a count that one node moves by %g is too little; give "
      "at least %.2g",
      o->publish_accuracy, moved(o), fmax(1e-2, moved(o) / 1e5));
}

/* Noise on whole numbers composes as any release of this pure epsilon (inside/dp.h). */
sotto_status sotto_i_published_price(sotto_cost *cost, const sotto_options *o, sotto_error *err) {
  sotto_laplace_grid grid;
  sotto_status status;
  if (!(o->publish_accuracy > 0)) return SOTTO_OK;
  if (cost->count == SOTTO_MOST_COSTS)
    return sotto_i_fail(err, SOTTO_RANGE, "publish-accuracy: the run has %d releases already, the most",
                        SOTTO_MOST_COSTS);
  SOTTO_TRY(grid_of(&grid, o, err));
  const sotto_mechanism laplace = sotto_laplace_grid_mechanism(&grid, moved(o), 0);
  sotto_cost_item *item = sotto_i_cost_add(cost, what, &laplace, 0, o->publish_accuracy);
  item->charged = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
  item->charged.epsilon = o->publish_accuracy;
done:
  return status;
}

static sotto_status make(void *context, sotto_graph *unused, sotto_matrix *table, const sotto_key *key,
                         sotto_error *err) {
  const count *c = context;
  sotto_key own;
  sotto_status status = sotto_matrix_new(table, 1, 1, err);
  (void)unused;
  if (status != SOTTO_OK) return status;
  table->data[0] = (float)c->right;
  sotto_i_key_derive(&own, key, stream);
  status = sotto_laplace_grid_add_noise(table, c->grid, &own, 0, err);
  sotto_key_wipe(&own);
  return status;
}

static size_t item_of(const sotto_cost *cost) {
  size_t item = 0;
  while (item < cost->count && cost->items[item].what != what) item++;
  return item < cost->count ? item : SOTTO_I_NO_ITEM;
}

/* Of 95 draws of noise in 100 none is wider. */
static const double miss = 0.05;
static const sotto_i_folder_file accuracy_file = {
    "seed-*/accuracy.json", SOTTO_I_FOR_ANYONE,
    "a noisy count of right answers about test nodes, which was charged"};

static sotto_status write(const sotto_i_job *job, double right, uint64_t nodes, double scale,
                          sotto_error *err) {
  const double share = fmin(fmax(right / (double)nodes, 0), 1);
  json_t *root =
      json_pack("{s:I,s:f,s:I,s:f,s:f,s:f,s:f}", "seed", (json_int_t)job->seed, "right", right, "test_nodes",
                (json_int_t)nodes, "accuracy", share, "half_width_95", scale * log(1 / miss) / (double)nodes,
                "epsilon", job->options->publish_accuracy, "sensitivity", moved(job->options));
  return sotto_i_folder_save_json(root, job->folder, &accuracy_file, job->options, JSON_INDENT(2), err);
}

sotto_status sotto_i_published_release(const sotto_i_job *job, const sotto_quality *test, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_laplace_grid grid;
  sotto_i_parted parted = {0};
  sotto_dataset released = {0};
  char made_with[200];
  sotto_status status;
  if (!(o->publish_accuracy > 0)) return SOTTO_OK;
  SOTTO_TRY(grid_of(&grid, o, err));
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  const size_t nodes = parted.split.count[SOTTO_PART_TEST];
  if (nodes > most_nodes) {
    status =
        sotto_i_fail(err, SOTTO_RANGE, "publish-accuracy: %zu test nodes; at most %d", nodes, most_nodes);
    goto done;
  }
  count c = {&grid, isfinite(test->accuracy) ? nearbyint(test->accuracy * (double)nodes) : 0};
  (void)snprintf(made_with, sizeof made_with,
                 "%s, right answers about %zu test nodes: epsilon %.17g, sensitivity %.17g, scale %.17g",
                 o->method, nodes, o->publish_accuracy, moved(o), grid.scale);
  const sotto_i_table_artifact table = {.artifact = {.owner = sotto_i_job_owner(job),
                                                     .item = item_of(job->cost),
                                                     .file = "accuracy.sotto",
                                                     .made_with = made_with,
                                                     .kept = job->kept},
                                        .rows = 1,
                                        .context = &c,
                                        .make = make};
  SOTTO_TRY(sotto_i_table_use(&released, NULL, &table, err));
  SOTTO_TRY(write(job, released.features.data[0], nodes, grid.scale, err));
done:
  sotto_dataset_free(&released);
  sotto_i_parted_free(&parted);
  return status;
}
