/* Work of gap: encoder, release of noisy layers, classifier. */
#include "recipes/networks/work.h"

#include <math.h>

#include "central.h"

enum { most_at_once = 16 }; /* columns of a release over ranks */

bool sotto_i_gap_work(sotto_plan_work *out, const sotto_options *o, const sotto_plan_shape *shape) {
  const double rows = (double)shape->nodes, width = (double)sotto_i_released_width(o),
               layers = (double)o->layers;
  if (o->combine != SOTTO_COMBINE_CAT) return false;
  sotto_i_work_encoder(out, o, shape);
  sotto_i_work_dropout(&out->phases[0], o->train_share * rows, (double)shape->features, o->dropout, false);
  sotto_plan_phase *p = sotto_i_work_phase(out, "release", 1, rows, width);
  sotto_i_work_embed(p, o, shape);
  p->passes += (layers + 2) * rows * width; /* centred, written */
  p->scaled += (2 * layers + 1) * rows * width;
  p->sums = layers * 2 * (double)shape->edges * width;
  if (sotto_i_job_wants_privacy(o)) p->normals = layers * rows * width;
  const double parts = ceil(width / most_at_once);
  p->at_once = ceil(width / parts);
  p->exchanges = layers * parts;
  p->exchanged = layers * parts * p->at_once;
  p->dealt = rows * width;
  p->gathered = (layers + 1) * rows * width;
  sotto_i_work_decoder(out, o, shape, layers + 1);
  out->node_values += 2 * width;
  out->rank_values = (layers > 1 ? 3 : 2) * width;
  out->released_bytes = layers * rows * width * (double)sizeof(float);
  return true;
}
