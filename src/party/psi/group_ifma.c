/* ristretto255 on eight elements at once, with AVX-512 IFMA. */
#if defined(__x86_64__)
#include "party/curve/field_ifma.h"

#include "group_body.h"

const sotto_i_group_kernel sotto_i_group_ifma = {"avx512 ifma", group_multiply, group_hash_multiply};
#endif
