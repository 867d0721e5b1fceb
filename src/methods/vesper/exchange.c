/* What a training of two parties exchanges: bytes and round trips, from options and public numbers. */
#include "party/exchange.h"

#include <math.h>

#include "party/wire/link/transport.h"
#include "protocols/counts.h"
#include "protocols/expect.h"
#include "protocols/folds.h"
#include "vesper_features_once.h"

/* Numbers of nodes, classes or a decision. */
static double words(double count) {
  return sotto_i_exchange_rows(count, 1, SOTTO_FORMAT_FLOAT32);
}

static void add_split(sotto_i_exchanged *out, const sotto_options *o, const sotto_i_exchange_shape *s,
                      double train, uint64_t first, bool unmeasured) {
  const sotto_i_exchange_split split = {
      .count = {0, (size_t)train, s->count[SOTTO_PART_VALIDATION], s->count[SOTTO_PART_TEST]},
      .width = sotto_i_embedding_width(o),
      .first = first,
      .epochs = o->encoder_epochs,
      .unmeasured = unmeasured};
  sotto_i_exchange_add_split(out, &split);
}

bool sotto_i_vesper_first_exchange(sotto_i_exchanged *out, const sotto_options *o,
                                   const sotto_i_exchange_shape *s) {
  *out = (sotto_i_exchanged){.to_data = words((double)s->nodes), .trips = 1};
  if (s->trained == 0) add_split(out, o, s, (double)s->count[SOTTO_PART_TRAIN], s->epoch, false);
  return true;
}

bool sotto_i_vesper_layers_exchange(sotto_i_exchanged *out, const sotto_options *o,
                                    const sotto_i_exchange_shape *s) {
  const double nodes = (double)s->nodes, all = (double)sotto_i_job_releases(o);
  const double left = fmax(0, all - (double)s->released); /* releases that are not made yet */
  const size_t width = sotto_i_released_width(o);
  const sotto_wire_format format = sotto_i_price_asked(o) ? o->wire : SOTTO_FORMAT_FLOAT32;
  const double layers = (double)o->layers;
  (void)sotto_i_vesper_first_exchange(out, o, s);
  out->to_label += left * (sotto_i_exchange_rows(nodes, width, SOTTO_FORMAT_FLOAT32) +
                           layers * sotto_i_exchange_rows(nodes, width, format));
  out->to_data += fmax(0, left - 1) *
                  sotto_i_exchange_rows((double)s->count[SOTTO_PART_TRAIN], width, SOTTO_FORMAT_FLOAT32) *
                  (layers + 1);
  out->trips += left;
  return true;
}

/* Rows of a batch in each step, and their gradients; then rows of all nodes. */
bool sotto_i_vesper_paper_exchange(sotto_i_exchanged *out, const sotto_options *o,
                                   const sotto_i_exchange_shape *s) {
  const double train = (double)s->count[SOTTO_PART_TRAIN], batch = (double)o->batch_size;
  const double steps = ceil(train / batch) * (double)o->epochs;
  const size_t width = (size_t)(o->layers * o->hidden);
  const double rows = steps * sotto_i_exchange_rows(batch, width, SOTTO_FORMAT_FLOAT32);
  *out = (sotto_i_exchanged){.to_data = words((double)s->nodes) + rows,
                             .to_label =
                                 rows + sotto_i_exchange_rows((double)s->nodes, width, SOTTO_FORMAT_FLOAT32),
                             .trips = 1 + steps};
  return true;
}

/* Split learning of a network for each fold of the training nodes, and then embeddings of all nodes. */
static void add_networks(sotto_i_exchanged *out, const sotto_options *o, const sotto_i_exchange_shape *s,
                         double folds) {
  const double train = (double)s->count[SOTTO_PART_TRAIN];
  for (uint64_t k = s->trained; (double)k < folds; k++) {
    const double own = floor((train + folds - 1 - (double)k) / folds); /* of the fold itself */
    add_split(out, o, s, train - own, k == s->trained ? s->epoch : 0, true);
  }
  out->to_label +=
      folds * sotto_i_exchange_rows((double)s->nodes, sotto_i_embedding_width(o), SOTTO_I_ROUNDED);
}

bool sotto_i_vesper_counts_exchange(sotto_i_exchanged *out, const sotto_options *o,
                                    const sotto_i_exchange_shape *s) {
  const double nodes = (double)s->nodes, train = (double)s->count[SOTTO_PART_TRAIN];
  const double folds = fmin(train, SOTTO_I_MOST_FOLDS);
  const bool noisy = sotto_i_price_asked(o);
  const sotto_wire_format format = noisy ? o->wire : SOTTO_FORMAT_FLOAT32;
  const double rounds = (double)o->layers;
  if (sotto_i_shares_features(o) && s->columns == 0) return false;
  *out = (sotto_i_exchanged){.to_data = words(nodes + 1), .to_label = words(3), .trips = 1};
  if (sotto_i_shares_features(o))
    sotto_i_exchange_add_features(out, o, s, (size_t)folds);
  else
    add_networks(out, o, s, folds);
  out->to_data += noisy ? words(SOTTO_I_EXPECTED_NUMBERS) : 0;
  out->to_data += rounds * words(nodes) * SOTTO_I_CLUSTER_COLUMNS;
  out->to_label += rounds * sotto_i_exchange_rows(nodes, s->classes, format);
  out->trips += 1 + rounds;
  return true;
}
