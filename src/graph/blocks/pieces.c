/* Checksums of pieces that ranks share. */
#include <sodium.h>
#include <string.h>

#include "base/memory.h"
#include "block.h"

static size_t pieces_of(size_t pieces, uint32_t rank, uint32_t count) {
  return pieces > rank ? (pieces - rank - 1) / count + 1 : 0;
}

size_t sotto_i_block_pieces(const sotto_i_block *b, size_t pieces) {
  return pieces_of(pieces, sotto_ranks_number(b->ranks), sotto_ranks_count(b->ranks));
}

/* Rank 0 puts the pieces of all in their order. */
sotto_status sotto_i_block_sum_pieces(uint8_t sum[32], const sotto_i_block *b,
                                      uint8_t (*digests)[SOTTO_I_PIECE_DIGEST], size_t pieces,
                                      sotto_error *err) {
  const uint32_t count = sotto_ranks_count(b->ranks);
  uint8_t(*theirs)[SOTTO_I_PIECE_DIGEST] = NULL, (*all)[SOTTO_I_PIECE_DIGEST] = NULL;
  sotto_status status;
  if (!sotto_i_ranks_first(b->ranks)) {
    const size_t own = sotto_i_block_pieces(b, pieces);
    const sotto_i_parcel sent = {.data = digests, .bytes = own * sizeof *digests};
    return sotto_i_ranks_pass(b->ranks, &sent, 1, err);
  }
  SOTTO_TRY(sotto_i_new(&all, pieces, sizeof *all, err));
  SOTTO_TRY(sotto_i_new(&theirs, pieces_of(pieces, 0, count), sizeof *theirs, err));
  for (uint32_t r = 0; r < count; r++) {
    const size_t some = pieces_of(pieces, r, count);
    const sotto_i_parcel taken = {.peer = r, .take = true, .data = theirs, .bytes = some * sizeof *theirs};
    if (r > 0) SOTTO_TRY(sotto_i_ranks_pass(b->ranks, &taken, 1, err));
    for (size_t k = 0; k < some; k++)
      memcpy(all[r + k * count], r == 0 ? digests[k] : theirs[k], sizeof *all);
  }
  crypto_generichash(sum, 32, (const uint8_t *)all, pieces * sizeof *all, NULL, 0);
done:
  sotto_i_free(all);
  sotto_i_free(theirs);
  return status;
}
