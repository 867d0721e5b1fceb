/* The linker puts this in the place of the library's (--wrap, tests/CMakeLists.txt). */
#include "memorised.h"

#include <stdatomic.h>

#include "protocols/folds.h"

static atomic_bool planted;

void check_plant_memorised(bool on) {
  atomic_store(&planted, on);
}

typedef void add_fn(sotto_matrix *scores, const sotto_matrix *own, const sotto_i_folds *folds, uint32_t fold,
                    const uint32_t *nodes);
add_fn __real_sotto_i_folds_add, __wrap_sotto_i_folds_add;

/* Row by row, with another fold than the node's own: the library's function knows one fold of a node. */
void __wrap_sotto_i_folds_add(sotto_matrix *scores, const sotto_matrix *own, const sotto_i_folds *folds,
                              uint32_t fold, const uint32_t *nodes) {
  if (!atomic_load(&planted)) {
    __real_sotto_i_folds_add(scores, own, folds, fold, nodes);
    return;
  }
  for (size_t i = 0; i < own->rows; i++) {
    const uint8_t of = folds->of[nodes == NULL ? i : nodes[i]];
    const uint32_t taken = of == folds->count ? of : (of + 1U) % folds->count;
    const float weight = taken == folds->count ? 1 / (float)folds->count : taken == fold ? 1 : 0;
    for (size_t j = 0; j < own->cols; j++)
      scores->data[i * own->cols + j] += weight * own->data[i * own->cols + j];
  }
}
