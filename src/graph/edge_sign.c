/* Signed hashes of entries: their sum shows whether every edge is in both of its rows. */
#include "csr.h"

uint64_t sotto_i_edge_sign(uint64_t u, uint64_t v, uint64_t key) {
  const uint64_t low = u < v ? u : v, high = u < v ? v : u;
  uint64_t x = (low << 32 | high) ^ key;
  for (int i = 0; i < 2; i++) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    x ^= x >> 31;
  }
  return u < v ? x : 0 - x;
}
