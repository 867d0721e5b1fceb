/* Work of the perceptron: the first stage of two parties, both in one process. */
#include "mlp.h"

#include <math.h>

#include "recipes/networks/work.h"

bool sotto_i_mlp_work(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape) {
  const double rows = (double)shape->nodes, width = (double)sotto_i_embedding_width(options);
  sotto_i_work_encoder(out, options, shape);
  /* Embeddings go to the label party, gradients come back. */
  out->phases[0].copied += (2 * options->train_share + options->validation_share) * rows * width;
  /* What is on its way, and the tape of the second party. */
  out->node_values += 1.2 * width;
  out->batch_values += 2.5 * width * fmin(options->train_share * rows, (double)sotto_i_batch_rows());
  return true;
}
