/* Work counts of encoder and decoder. */
#include "work.h"

#include <math.h>

#include "run/method/method.h"

typedef struct parts {
  double train, validation, batch; /* rows of each part, and of the largest batch */
  bool again;                      /* do the training rows exceed one batch? */
} parts;

static parts parts_of(const sotto_options *o, const sotto_plan_shape *shape, double most) {
  const double rows = (double)shape->nodes;
  parts p = {.train = fmin(o->train_share * rows, most),
             .validation = fmin(o->validation_share * rows, most)};
  p.batch = fmin(p.train, (double)sotto_i_batch_rows());
  p.again = o->train_share * rows > p.batch;
  return p;
}

void sotto_i_work_encoder(sotto_plan_work *out, const sotto_options *o, const sotto_plan_shape *shape,
                          double most) {
  const double in = (double)shape->features, hidden = (double)o->hidden,
               width = (double)sotto_i_embedding_width(o), classes = shape->classes;
  const parts n = parts_of(o, shape, most);
  sotto_plan_phase *p = sotto_i_work_phase(out, "encoder", o->encoder_epochs, (double)shape->nodes, in);
  if (n.again) { /* rows in several batches are gathered and scaled in each epoch */
    p->passes += 2 * (n.train + n.validation) * in;
    p->scaled += (n.train + n.validation) * in;
  }
  sotto_i_work_linear(p, n.train, n.validation, in, hidden, false);
  sotto_i_work_activation(p, o->activation, n.train, n.validation, hidden);
  if (width != hidden) {
    sotto_i_work_dropout(p, n.train, hidden, o->dropout, true);
    sotto_i_work_linear(p, n.train, n.validation, hidden, width, true);
    sotto_i_work_activation(p, o->activation, n.train, n.validation, width);
  }
  sotto_i_work_dropout(p, n.train, width, o->dropout, true);
  sotto_i_work_linear(p, n.train, n.validation, width, classes, true);
  sotto_i_work_scores(p, n.train, n.validation, classes);
  out->node_values += in;
  out->batch_values = fmax(out->batch_values, n.batch * (2 * in + 6 * hidden));
}

void sotto_i_work_embed(sotto_plan_phase *p, const sotto_options *o, const sotto_plan_shape *shape) {
  const double rows = (double)shape->nodes, in = (double)shape->features, hidden = (double)o->hidden,
               width = (double)sotto_i_embedding_width(o);
  p->passes += rows * in;
  p->scaled += rows * in;
  *(o->activation == SOTTO_ACTIVATION_RELU ? &p->passes : &p->curves) += rows * (hidden + width);
  sotto_i_work_product(p, rows, in, hidden, 1);
  if (width != hidden) sotto_i_work_product(p, rows, hidden, width, 1);
}

void sotto_i_work_decoder(sotto_plan_work *out, const sotto_options *o, const sotto_plan_shape *shape,
                          double count) {
  const double joined = count * (double)sotto_i_embedding_width(o), hidden = (double)o->hidden,
               classes = shape->classes;
  const parts n = parts_of(o, shape, INFINITY);
  sotto_plan_phase *p = sotto_i_work_phase(out, "decoder", o->epochs, (double)shape->nodes, joined);
  p->normed += (2 * n.train + n.validation) * joined;
  if (n.again) { /* layers are read and scaled in windows in each epoch, and embeddings computed again */
    p->passes += 2 * (n.train + n.validation) * joined;
    p->scaled += 2 * (double)shape->nodes * joined;
    sotto_i_work_embed(p, o, shape);
  }
  sotto_i_work_linear(p, n.train, n.validation, joined, hidden, true);
  sotto_i_work_activation(p, sotto_i_head_activation(o), n.train, n.validation, hidden);
  sotto_i_work_dropout(p, n.train, hidden, o->dropout, true);
  sotto_i_work_linear(p, n.train, n.validation, hidden, classes, true);
  sotto_i_work_scores(p, n.train, n.validation, classes);
  out->batch_values = fmax(out->batch_values, n.batch * (4 * joined + 6 * hidden));
}
