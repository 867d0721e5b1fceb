/* Arrays of ids and offsets of each type. */
#include "index_arrays.h"

sotto_index_array check_u32(const uint32_t *data, uint64_t count) {
  return (sotto_index_array){.data = data, .count = count, .type = SOTTO_INDEX_U32};
}

sotto_index_array check_u64(const uint64_t *data, uint64_t count) {
  return (sotto_index_array){.data = data, .count = count, .type = SOTTO_INDEX_U64};
}

sotto_index_array check_i32(const int32_t *data, uint64_t count) {
  return (sotto_index_array){.data = data, .count = count, .type = SOTTO_INDEX_I32};
}

sotto_index_array check_i64(const int64_t *data, uint64_t count) {
  return (sotto_index_array){.data = data, .count = count, .type = SOTTO_INDEX_I64};
}
