/* Assignment of nodes to ranks: blocks of a random permutation, so that all ranks have equally many nodes
 * and nearly equally many edges. The permutation is computed per node and takes no memory. It is not
 * secret, so it needs no cryptographic stream. */
#include <string.h>

#include "base/memory.h"
#include "block.h"
#include "graph/csr.h"

static uint64_t mix_bits(uint64_t x) { /* the finaliser of splitmix64 (Steele, Lea and Flood 2014) */
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/* Feistel network on numbers of 2 * half bits; applied again while the result is not below `nodes` (cycle
 * walking). */
static uint64_t permute_node(uint64_t node, uint64_t nodes, uint64_t key) {
  unsigned half = 1;
  while ((uint64_t)1 << (2 * half) < nodes) half++;
  const uint64_t mask = ((uint64_t)1 << half) - 1;
  do {
    uint64_t left = node >> half, right = node & mask;
    for (uint64_t round = 0; round < 4; round++) {
      const uint64_t next = left ^ (mix_bits(right ^ key ^ round << 60) & mask);
      left = right;
      right = next;
    }
    node = left << half | right;
  } while (node >= nodes);
  return node;
}

uint32_t sotto_i_block_owner(const sotto_i_block *b, uint64_t node) {
  const uint32_t count = sotto_ranks_count(b->ranks);
  if (count == 1) return 0;
  if (b->owners != NULL) return b->owners[node];
  return (uint32_t)(permute_node(node, b->nodes, b->key) * count / b->nodes);
}

size_t sotto_i_block_from(const sotto_i_block *b, uint64_t node) {
  return (size_t)sotto_i_first_at_least(b->own, 0, b->count, node);
}

uint64_t sotto_i_block_rows(const sotto_i_block *b, uint32_t rank, uint64_t first, uint64_t end) {
  uint64_t count = 0;
  for (uint64_t v = first; v < end; v++) count += sotto_i_block_owner(b, v) == rank;
  return count;
}

void sotto_i_block_put(float *out, const sotto_i_block *b, uint32_t rank, uint64_t first, uint64_t end,
                       const float *rows, size_t cols) {
  for (uint64_t v = first; v < end; v++) {
    if (sotto_i_block_owner(b, v) != rank) continue;
    memcpy(out + (v - first) * cols, rows, cols * sizeof *out);
    rows += cols;
  }
}

sotto_status sotto_i_block_choose(sotto_i_block *b, sotto_error *err) {
  const uint32_t number = sotto_ranks_number(b->ranks);
  b->count = 0;
  for (uint64_t v = 0; v < b->nodes; v++) b->count += sotto_i_block_owner(b, v) == number;
  const sotto_status status = sotto_i_new_raw(&b->own, b->count, sizeof *b->own, err);
  size_t used = 0;
  for (uint64_t v = 0; status == SOTTO_OK && v < b->nodes; v++)
    if (sotto_i_block_owner(b, v) == number) b->own[used++] = (uint32_t)v;
  return status;
}
