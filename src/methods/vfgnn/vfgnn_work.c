/* Bytes and work of vfgnn with counts, by public numbers alone (docs/vfgnn.md). */
#include "vfgnn_work.h"

#include <math.h>

#include "options.h"
#include "protocols/counts_work.h"
#include "protocols/folds.h"
#include "vfgnn_memory.h"

/* Bytes of a number, of one under shares, and of one that is opened. */
static const double of_value = 4, of_share = 8, of_opened = 4;
/* A product under shares is of whole numbers of 64 bits: so many multiply-adds of floats. */
static const double of_ring = 4;

typedef struct sizes {
  double holders, others, members; /* holders without one; all parties but the server */
  double nodes, columns, width;    /* of the first layer */
  double train, rows;              /* training nodes; with validation nodes */
  double readers, classes;         /* holders that send rows */
  bool shared;
} sizes;

static sizes sizes_of(const sotto_options *o, const sotto_plan_shape *shape) {
  const double nodes = (double)shape->nodes;
  const bool shared = sotto_i_holder_settings_of(o)->initial != SOTTO_I_INITIAL_INDIVIDUALLY;
  const double holders = (double)o->holders;
  return (sizes){.holders = holders,
                 .others = holders - 1,
                 .members = holders + sotto_i_has_labels_apart(o),
                 .nodes = nodes,
                 .columns = (double)shape->features,
                 .width = SOTTO_I_MOST_FOLDS * (double)o->hidden,
                 .train = floor(o->train_share * nodes),
                 .rows = floor(o->train_share * nodes) + floor(o->validation_share * nodes),
                 .readers = shared ? 1 : holders,
                 .classes = shape->classes,
                 .shared = shared};
}

/* X W of some rows for its reader: shares of the others, and the dealer's corrections. */
static double opened_bytes(const sizes *s, double rows) {
  return s->shared ? of_opened * s->holders * rows * s->width : 0;
}

static double epoch_bytes(const sizes *s) {
  const double masks = s->shared ? of_share * s->holders * s->others * s->columns * s->width : 0;
  const double first = s->shared ? of_value * s->others * s->train * s->width : 0;
  const double published = of_value * s->readers * (s->rows + s->train) * s->width;
  const double hidden = of_value * (s->rows + s->train) * s->width;
  const double decisions = of_value * (s->members + 1);
  return masks + opened_bytes(s, s->rows) + first + published + hidden + decisions;
}

static double once_bytes(const sizes *s) {
  const double features = s->shared ? of_share * s->nodes * s->columns * s->others : 0;
  const double masks = s->shared ? of_share * s->holders * s->others * s->columns * s->width : 0;
  const double split = of_value * s->nodes * (s->members + 1);
  const double all = opened_bytes(s, s->nodes) + of_value * (s->readers + 1) * s->nodes * s->width;
  return features + split + masks + all;
}

static double round_bytes(const sizes *s) {
  const double clusters = 2 * of_value * s->nodes * (s->members - 1);
  return clusters + of_value * s->nodes * s->classes * (s->holders + 1);
}

double sotto_i_vfgnn_counts_bytes(const sotto_options *o, const sotto_plan_shape *shape) {
  const sizes s = sizes_of(o, shape);
  return once_bytes(&s) + (double)o->encoder_epochs * epoch_bytes(&s) + (double)o->layers * round_bytes(&s);
}

/* Each holder and the dealer computes its part of X W, and holders the gradient of their own columns. */
static void count_networks(sotto_plan_work *out, const sotto_options *o, const sizes *s) {
  const double parties = s->shared ? of_ring * (s->holders + 1) : s->holders;
  const double hidden = (double)o->hidden;
  sotto_plan_phase *p = sotto_i_work_phase(out, "networks", o->encoder_epochs, s->nodes, s->columns);
  sotto_i_work_product(p, s->rows + s->train, s->columns, s->width, parties);
  p->draws += s->shared ? (s->rows + s->train) * s->columns * (s->holders + 1) : 0;
  for (uint32_t k = 0; k < SOTTO_I_MOST_FOLDS; k++) {
    sotto_i_work_linear(p, s->train, s->rows - s->train, hidden, hidden, true);
    sotto_i_work_activation(p, SOTTO_ACTIVATION_TANH, s->train, s->rows - s->train, hidden);
    sotto_i_work_linear(p, s->train, s->rows - s->train, hidden, s->classes, true);
    sotto_i_work_scores(p, s->train, s->rows - s->train, s->classes);
  }
  p->copied += epoch_bytes(s) / of_value;
}

bool sotto_i_vfgnn_counts_work(sotto_plan_work *out, const sotto_options *o, const sotto_plan_shape *shape) {
  const sizes s = sizes_of(o, shape);
  const double degree = 2 * (double)shape->edges / s.nodes;
  const sotto_i_vfgnn_size size = sotto_i_vfgnn_size_of(o, (size_t)shape->nodes, degree);
  count_networks(out, o, &s);
  sotto_i_work_rounds(out, o, shape);
  out->wire_bytes = sotto_i_vfgnn_counts_bytes(o, shape);
  out->all_bytes = sotto_i_vfgnn_all_bytes(&size, s.columns);
  return true;
}
