/* Any bytes as an .npy array: what is taken lies within the bytes, and as much as a reader has of a long file
 * says the same. */
#include <stdlib.h>
#include <string.h>

#include "graph/io/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_i_array array, head;
  size_t begin = 0;
  sotto_error err = {0};
  const size_t part = size < SOTTO_I_NPY_HEAD ? size : SOTTO_I_NPY_HEAD;
  if (sotto_i_npy_head(&array, &begin, data, size, size, "fuzzed", "a", &err) != SOTTO_OK) {
    if (err.text[0] == '\0') abort();
    return 0;
  }
  if (begin > size) abort();
  array.data = data + begin;
  if ((uint64_t)(data + size - array.data) != array.count * array.item) abort();
  for (uint64_t i = 0; i < array.count; i++) {
    int64_t whole;
    (void)sotto_i_array_double(&array, i);
    (void)sotto_i_array_integer(&array, i, &whole);
  }
  const size_t place = begin;
  if (sotto_i_npy_head(&head, &begin, data, part, size, "fuzzed", "a", NULL) != SOTTO_OK)
    return 0; /* a long head */
  if (begin != place || head.count != array.count || head.item != array.item) abort();
  return 0;
}
