/* OpenBLAS as the library uses it: one thread, and the kernels of this processor. */
#ifndef SOTTO_SRC_TENSOR_BLAS_BEGIN_H
#define SOTTO_SRC_TENSOR_BLAS_BEGIN_H

/* To be called before any call of OpenBLAS; all calls but the first return at once. Threads may meet here.
 *
 * OpenBLAS chooses its kernels when it is loaded. On a processor newer than itself it takes those of 2004
 * (Prescott), which need five times as long and round differently. It is then made to choose again, from the
 * processor's instructions. So the program, the library and the Python package train the same models. A
 * choice of the user (OPENBLAS_CORETYPE) stands. */
void sotto_i_blas_begin(void);

#endif
