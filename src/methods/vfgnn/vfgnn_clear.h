/* The first layer of vfgnn without shares, in one process: the reference for the layer under shares. For
 * tests alone: nothing in the library or the program switches it on, and the switch is not exported. */
#ifndef SOTTO_SRC_METHODS_VFGNN_VFGNN_CLEAR_H
#define SOTTO_SRC_METHODS_VFGNN_VFGNN_CLEAR_H

#include "party/shares/shared_linear.h"

typedef struct sotto_i_vfgnn_clear sotto_i_vfgnn_clear;

/* From now on runs in one process have their first layer in the clear; the last run's weights can be read. */
void sotto_i_plant_clear_first(bool on);
/* NULL, unless it is switched on. */
sotto_status sotto_i_vfgnn_clear_new(sotto_i_vfgnn_clear **out, size_t holders, sotto_error *err);
void sotto_i_vfgnn_clear_free(sotto_i_vfgnn_clear *clear);

/* As the calls of the shared layer, by each holder's thread. */
sotto_status sotto_i_vfgnn_clear_begin(sotto_i_vfgnn_clear *clear, const sotto_i_shared_shape *shape,
                                       size_t holder, const sotto_matrix *features, const sotto_matrix *start,
                                       sotto_error *err);
sotto_status sotto_i_vfgnn_clear_forward(sotto_i_vfgnn_clear *clear, size_t holder, sotto_matrix *out,
                                         sotto_error *err);
sotto_status sotto_i_vfgnn_clear_backward(sotto_i_vfgnn_clear *clear, size_t holder,
                                          const sotto_matrix *gradient, sotto_error *err);
/* The weights as they are now are the best so far; export gives the best ones. */
void sotto_i_vfgnn_clear_keep(sotto_i_vfgnn_clear *clear, size_t holder);
void sotto_i_vfgnn_clear_export(const sotto_i_vfgnn_clear *clear, sotto_matrix *out);

#endif
