/* The names of a seed's files by their points: which there are, and which go. */
#ifndef SOTTO_SRC_RUN_POINT_FILES_H
#define SOTTO_SRC_RUN_POINT_FILES_H

#include "checkpoint.h"

#define SOTTO_I_POINT_FOLDER "stages"
#define SOTTO_I_ENCODER_FILE "encoder"
#define SOTTO_I_ROUND_FILE   "round"
#define SOTTO_I_LAYER_FILE   "layer"
#define SOTTO_I_LAYERS_FILE  "layers"
#define SOTTO_I_DECODER_FILE "decoder"
#define SOTTO_I_STATE_END    ".safetensors"
#define SOTTO_I_DONE_END     ".done"

/* Two encoders, and two points for each of 64 rounds, fit. */
enum { SOTTO_I_MOST_POINTS = 160 };

uint32_t sotto_i_point_number(sotto_i_point point);
/* Of a number of our own making. */
sotto_i_point sotto_i_point_of(uint32_t number);

typedef struct sotto_i_points {
  uint32_t numbers[SOTTO_I_MOST_POINTS]; /* in any order; 0: an empty place */
  size_t count;
  uint32_t last; /* the largest */
} sotto_i_points;
/* The points that the files of a seed's folder reach. */
void sotto_i_points_found(sotto_i_points *out, const char *folder, sotto_role role);
/* The last number that stands in both lists; 0: none does. `theirs` may hold anything in `numbers`. */
uint32_t sotto_i_points_common(const sotto_i_points *own, const sotto_i_points *theirs);
/* Removes the files that belong to points beyond this one. */
void sotto_i_points_cut(const char *folder, sotto_i_point point);
/* Removes a round's layers, and what the decoder kept of its training on them. */
void sotto_i_layers_forget(const char *folder, uint64_t round, uint32_t count);
/* Removes the encoder's epochs before the one that is `every` before this one. */
void sotto_i_encoders_forget(const char *folder, uint64_t epoch, uint64_t every);

#endif
