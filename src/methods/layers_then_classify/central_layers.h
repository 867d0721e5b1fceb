/* Layers for the classifier of a central method, read in windows, so that none of them is in memory. */
#ifndef SOTTO_SRC_METHODS_LAYERS_THEN_CLASSIFY_CENTRAL_LAYERS_H
#define SOTTO_SRC_METHODS_LAYERS_THEN_CLASSIFY_CENTRAL_LAYERS_H

#include "central.h"

/* Layer k of a seed. Layer 0 has the embeddings, which the encoder computes again for each batch. */
typedef struct sotto_i_central_layer {
  sotto_i_central *c;
  uint32_t k;
  double *moments;       /* of its columns */
  sotto_tape *tape;      /* of layer 0 */
  sotto_matrix embedded; /* of layer 0: the last batch */
  size_t batch;
  sotto_i_row_room room; /* of layer 0: features of a batch */
} sotto_i_central_layer;

/* Layers 0 to count - 1, and their sources. Free in any case. Errors: those of reading. */
typedef struct sotto_i_central_layers {
  sotto_i_central_layer *layers;
  sotto_i_row_source *sources;
  uint32_t count;
} sotto_i_central_layers;

#endif
