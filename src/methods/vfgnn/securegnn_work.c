/* Bytes and work of securegnn, by public numbers alone. Each step of securegnn.c and securegnn_forward.c is
 * counted by the values that it masks, multiplies, truncates or moves (party/shares/secure.h). */
#include <math.h>

#include "securegnn.h"
#include "vfgnn_work.h"

/* A product of whole numbers of 64 bits takes so many multiply-adds of floats. */
static const double of_ring = 4;
/* Masks, copies, sums and zeroed memory for each value on the wire, in passes over two words: measured. */
static const double of_words = 56;

typedef struct sizes {
  double holders, pairs; /* pairs: messages when each holder sends to each other one */
  double nodes, rows, train, inner, width, classes, hops;
  double moved; /* nodes and declared entries of one holder's graph */
} sizes;

/* Values of 64 bits on the wire, and multiply-adds of products, of one phase. */
typedef struct counts {
  const sizes *s;
  double sent, multiplied, operands;
} counts;

static sizes sizes_of(const sotto_options *o, const sotto_plan_shape *shape) {
  const double nodes = (double)shape->nodes, holders = (double)o->holders;
  const double entries = 2 * floor(sotto_i_holder_settings_of(o)->edges_per_node * nodes);
  return (sizes){.holders = holders,
                 .pairs = holders * (holders - 1),
                 .nodes = nodes,
                 .rows = nodes, /* all are scored */
                 .train = floor(o->train_share * nodes),
                 .inner = (double)shape->features,
                 .width = (double)o->hidden,
                 .classes = shape->classes,
                 .hops = (double)o->layers,
                 .moved = nodes + entries};
}

static void count_mask(counts *c, double values) {
  c->sent += c->s->pairs * values;
}

/* A correction of two values, and the exchange. */
static void count_truncation(counts *c, double values) {
  c->sent += (2 + c->s->pairs) * values;
}

static void count_elementwise(counts *c, double values) {
  c->sent += values;
  count_truncation(c, values);
}

static void count_product(counts *c, double rows, double in, double out) {
  c->multiplied += rows * in * ceil(out / 16) * 16;
  c->operands += rows * (in + out);
  count_elementwise(c, rows * out);
}

/* The three orders and the factors of all holders' graphs: the other holders and the dealer send. */
static void count_maps(counts *c, double columns) {
  c->sent += c->s->holders * (2 * c->s->moved + 2 * c->s->nodes) * columns;
}

static void count_spread(counts *c, double rows) {
  count_maps(c, c->s->holders * c->s->width);
  count_truncation(c, rows * c->s->width);
}

static void count_forward_layer(counts *c, double rows, double in, double out, bool curved) {
  count_mask(c, rows * in);
  count_mask(c, in * out);
  count_product(c, rows, in, out);
  for (int k = 0; curved && k < 2; k++) { /* the square, and the cube */
    count_mask(c, rows * out);
    count_elementwise(c, rows * out);
  }
  if (curved) count_truncation(c, 3 * rows * out);
}

/* Velocity, decay and weight. */
static void count_update(counts *c, double in, double out) {
  count_truncation(c, 3 * in * out);
}

static void count_back_layer(counts *c, double rows, double in, double out, bool curved) {
  count_mask(c, rows * out);
  if (curved) {
    count_mask(c, 2 * rows * out);
    count_elementwise(c, rows * out);
  }
  count_mask(c, in * out);
  count_product(c, rows, out, in);
  count_product(c, in, rows, out);
  count_update(c, in, out);
}

/* Rows of hop k: the last of several has the scored nodes alone, and training nodes backward. */
static double rows_of_hop(const sizes *s, double k, double last) {
  return s->hops > 1 && k == s->hops ? last : s->nodes;
}

static void count_forward(counts *c) {
  const sizes *s = c->s;
  count_mask(c, s->inner * s->width);
  count_product(c, s->nodes, s->inner, s->width);
  for (double k = 1; k <= s->hops; k++) {
    const double rows = rows_of_hop(s, k, s->rows);
    if (k > 1) count_spread(c, rows);
    count_forward_layer(c, rows, s->width, s->width, true);
  }
  count_forward_layer(c, s->rows, s->width, s->width, true);
  count_forward_layer(c, s->rows, s->width, s->classes, false);
  c->sent += (s->holders - 1) * s->rows * s->classes; /* scores, to the label holder */
}

static void count_backward(counts *c) {
  const sizes *s = c->s;
  count_back_layer(c, s->train, s->width, s->classes, false);
  count_back_layer(c, s->train, s->width, s->width, true);
  for (double k = s->hops; k >= 1; k--) {
    count_back_layer(c, rows_of_hop(s, k, s->train), s->width, s->width, true);
    if (k > 1) count_spread(c, s->nodes);
  }
  count_mask(c, s->nodes * s->width);
  count_product(c, s->inner, s->nodes, s->width);
  count_update(c, s->inner, s->width);
}

/* The weights of the best epoch: a mask and a product for each value. */
static void count_selection(counts *c) {
  const sizes *s = c->s;
  const double weights = s->inner * s->width + (s->hops + 1) * s->width * s->width + s->width * s->classes;
  c->sent += (s->pairs + 1) * weights;
}

/* The split at all, the orders of the graphs (12 bytes a row) and factors, and S X, opened under its mask. */
static void count_once(counts *c) {
  const sizes *s = c->s;
  c->sent += (s->holders + 1) * s->nodes / 2 + s->pairs * (1.5 * s->moved + s->nodes);
  count_maps(c, (s->holders - 1) * s->inner);
  count_truncation(c, s->nodes * s->inner);
  count_mask(c, s->nodes * s->inner);
}

/* All holders and the dealer compute each product. Whoever sends a value draws one of 64 bits for it, and so
 * does the dealer, or the holder whose share it corrects. */
static void add_phase(sotto_plan_work *out, const char *name, uint64_t times, const counts *c) {
  sotto_plan_phase *p = sotto_i_work_phase(out, name, times, c->s->moved, c->s->width);
  p->multiply_adds = of_ring * (c->s->holders + 1) * c->multiplied;
  p->operands = 2 * (c->s->holders + 1) * c->operands;
  p->draws = 4 * c->sent;
  p->passes = of_words * c->sent;
  p->copied = 2 * c->sent;
  out->wire_bytes += (double)times * sizeof(uint64_t) * c->sent;
}

bool sotto_i_securegnn_work(sotto_plan_work *out, const sotto_options *o, const sotto_plan_shape *shape) {
  const sizes s = sizes_of(o, shape);
  counts once = {.s = &s}, epoch = {.s = &s};
  count_once(&once);
  count_forward(&epoch);
  count_backward(&epoch);
  count_selection(&epoch);
  add_phase(out, "shares", 1, &once);
  add_phase(out, "network", o->epochs, &epoch);
  out->all_bytes = sotto_i_securegnn_bytes(o, s.nodes, s.inner, (size_t)o->holders + 1);
  return true;
}
