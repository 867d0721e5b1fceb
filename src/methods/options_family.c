/* Which method protects what, and what the methods of one owner ask of their options. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "options.h"

static const struct {
  const char *method, *adjacencies, *advice;
} rows[] = {
    {"vesper", "none edge", "it protects edges"},
    {"gap", "none edge node", "it protects edges or nodes"},
    {"caribou", "none edge node", "it protects edges or nodes"},
    {"mlp", "none edge node", "it uses no edge, and protects nodes"},
    {"gnn", "none edge", "it is never private; the private forms are vesper and pertgraph"},
    {"vfgnn", "none edge", "it protects edges"},
    {"securegnn", "none edge", "it adds no noise"},
    {"sage", "none node", "give --adjacency none or node, or --method pertgraph for edge level"},
    {"pertgraph", "none edge node", "it protects edges or nodes"},
    {"dpdgc", "none edge k-neighbour node", "it protects edges or nodes"},
    {"lpgnet", "none edge node", "it protects edges or nodes"},
    {"best", "none edge", "it protects edges"},
};

/* Rows from here on are methods whose budget is checked here. */
enum { first_of_family = 7 };

static sotto_status check_vesper(const sotto_options *o, sotto_error *err) {
  bool two_parties = strcmp(o->method, "vesper") == 0 || strcmp(o->method, "mlp") == 0;
  if ((o->label_epsilon > 0 || o->label_features > 0) && (!two_parties || strcmp(o->adjacency, "node") == 0))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "label-epsilon, label-features: vesper and mlp have two parties, below node level");
  if (strcmp(o->method, "vesper") != 0) return SOTTO_OK;
  if (strcmp(o->publication, "layers") != 0 && (o->releases > 1 || o->layer_weights))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "publication: gap and vfgnn are baselines with one release and no layer-weights");
  if (o->releases > 1 && (strcmp(o->release_scale, "raw") != 0 || strcmp(o->release_activation, "none") != 0))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "releases: gradients go back through layers as the noise left them; with more than "
                        "one release give --release-scale raw and --release-activation none");
  return SOTTO_OK;
}

static sotto_status check_node_level(const sotto_options *o, sotto_error *err) {
  if (strcmp(o->feature_scale, "standard") == 0)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "feature-scale: the means of columns tell of every node; at node level take l2 or none");
  if (!(o->batch_rate > 0)) return sotto_i_fail(err, SOTTO_RANGE, "batch-rate: must be above 0");
  if (!isfinite(o->epsilon))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon: must be finite at node level; give --adjacency none");
  if (strcmp(o->method, "mlp") == 0) return SOTTO_OK;
  if (o->max_degree == 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "max-degree: node level of %s needs a declared bound on the neighbours of a node",
                        o->method);
  if (o->encoder_share + o->release_share > 0.99)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "encoder-share and release-share leave no budget for the classifier");
  if (strcmp(o->combine, "cat") != 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "combine: node level has cat alone");
  return SOTTO_OK;
}

/* Options about degrees, at any level. */
static sotto_status check_degree_options(const sotto_options *o, sotto_error *err) {
  if (!o->degree_cut) return SOTTO_OK;
  if (o->max_degree == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "degree-cut: give --max-degree, the bound to cut to");
  if (strcmp(o->adjacency, "edge") == 0 || strcmp(o->adjacency, "k-neighbour") == 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "degree-cut: edge level needs no bound on degrees, and cutting breaks its guarantee");
  return SOTTO_OK;
}

sotto_status sotto_i_options_check_family(const sotto_options *o, sotto_error *err) {
  bool family = false;
  sotto_status status = check_vesper(o, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(o->method, rows[i].method) != 0) continue;
    family = i >= first_of_family;
    if (!sotto_i_word_among(o->adjacency, rows[i].adjacencies))
      return sotto_i_fail(err, SOTTO_UNSUPPORTED, "adjacency: %s does not protect '%s': %s", o->method,
                          o->adjacency, rows[i].advice);
  }
  bool node = strcmp(o->adjacency, "node") == 0;
  status = check_degree_options(o, err);
  if (status != SOTTO_OK) return status;
  if (!node && (!family || strcmp(o->adjacency, "none") == 0)) return SOTTO_OK;
  if (!(o->epsilon > 0)) return sotto_i_fail(err, SOTTO_RANGE, "epsilon: must be above 0, or inf");
  if (!(o->delta > 0 && o->delta < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "delta: must be between 0 and 1");
  return node ? check_node_level(o, err) : SOTTO_OK;
}
