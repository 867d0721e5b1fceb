/* Work counts of encoder and decoder (networks.h). */
#ifndef SOTTO_SRC_PROTOCOLS_NETWORKS_WORK_H
#define SOTTO_SRC_PROTOCOLS_NETWORKS_WORK_H

#include "run/method/work.h"

/* The training of an encoder with its head, by batches of rows, and the embeddings of all nodes. A step goes
 * by at most `most` training rows, and the decision about an epoch by as many validation rows; INFINITY: all.
 */
void sotto_i_work_encoder(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape,
                          double most);
void sotto_i_work_embed(sotto_plan_phase *phase, const sotto_options *options, const sotto_plan_shape *shape);
/* The training of a decoder on `count` concatenated layers. */
void sotto_i_work_decoder(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape,
                          double count);

#endif
