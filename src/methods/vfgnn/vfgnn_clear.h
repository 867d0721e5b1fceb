/* The first layer of vfgnn without shares, in one process: the reference for the layer under shares. It is
 * only for tests: neither the library nor the program can enable it, and the switch is not exported. */
#ifndef SOTTO_SRC_METHODS_VFGNN_VFGNN_CLEAR_H
#define SOTTO_SRC_METHODS_VFGNN_VFGNN_CLEAR_H

#include "party/shares/shared_linear.h"

typedef struct sotto_i_vfgnn_clear sotto_i_vfgnn_clear;

/* Enables or disables the clear first layer for later runs in one process; the last run's weights can be
 * read. */
void sotto_i_plant_clear_first(bool on);
/* *out is NULL unless the layer is enabled. */
sotto_status sotto_i_vfgnn_clear_new(sotto_i_vfgnn_clear **out, size_t holders, sotto_error *err);
void sotto_i_vfgnn_clear_free(sotto_i_vfgnn_clear *clear);

/* The calls of the shared layer, made by each holder's thread. */
sotto_status sotto_i_vfgnn_clear_begin(sotto_i_vfgnn_clear *clear, const sotto_i_shared_shape *shape,
                                       size_t holder, const sotto_matrix *features, const sotto_matrix *start,
                                       sotto_error *err);
sotto_status sotto_i_vfgnn_clear_forward(sotto_i_vfgnn_clear *clear, size_t holder, sotto_matrix *out,
                                         sotto_error *err);
sotto_status sotto_i_vfgnn_clear_backward(sotto_i_vfgnn_clear *clear, size_t holder,
                                          const sotto_matrix *gradient, sotto_error *err);
/* Marks the current weights as the best so far; export returns the best ones. */
void sotto_i_vfgnn_clear_keep(sotto_i_vfgnn_clear *clear, size_t holder);
void sotto_i_vfgnn_clear_export(const sotto_i_vfgnn_clear *clear, sotto_matrix *out);

#endif
