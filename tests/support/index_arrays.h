/* Arrays of ids and offsets as a caller of the library gives them; `data` is borrowed. */
#ifndef SOTTO_TESTS_INDEX_ARRAYS_H
#define SOTTO_TESTS_INDEX_ARRAYS_H

#include "sotto/graph.h"

sotto_index_array check_u32(const uint32_t *data, uint64_t count);
sotto_index_array check_u64(const uint64_t *data, uint64_t count);
sotto_index_array check_i32(const int32_t *data, uint64_t count);
sotto_index_array check_i64(const int64_t *data, uint64_t count);

#endif
