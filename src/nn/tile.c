/* The choice between the tile kernels. */
#include "tile.h"

#include "base/cpu.h"

const sotto_i_tile_table *sotto_i_tiles(void) {
  switch (sotto_i_isa()) {
  case SOTTO_I_ISA_AVX512:
    return &sotto_i_tile_avx512;
  case SOTTO_I_ISA_AVX2:
    return &sotto_i_tile_avx2;
  case SOTTO_I_ISA_PLAIN:
    break;
  }
  return &sotto_i_tile_plain;
}
