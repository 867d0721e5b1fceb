/* Initialisation of OpenBLAS: one thread, and the kernels of this processor. */
#ifndef SOTTO_SRC_TENSOR_BLAS_BEGIN_H
#define SOTTO_SRC_TENSOR_BLAS_BEGIN_H

/* Call it before any call of OpenBLAS; all calls but the first return at once. Thread-safe.
 *
 * OpenBLAS chooses its kernels when it is loaded. On a processor newer than itself it takes those of 2004
 * (Prescott), which are five times slower and round differently. This function makes it choose again by
 * the processor's instructions, so that the program, the library and the Python package train the same
 * models. A choice of the user (OPENBLAS_CORETYPE) is kept, if it names kernels. */
void sotto_i_blas_begin(void);

#endif
