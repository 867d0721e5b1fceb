/* A section that ranks write range by range, and its checksum: BLAKE2b over the digests of pieces. Some
 * pieces start in one rank's bytes and end in another's. The rank where a piece starts computes its
 * digest; it receives the rest of the piece at the end. */
#include <sodium.h>
#include <string.h>

#include "base/memory.h"
#include "shared_file.h"

enum { piece_size = 1 << 20, digest_size = 32 };

typedef struct sotto_i_strip_piece {
  crypto_generichash_state state;
  bool open; /* started, and not complete yet */
} piece;

void sotto_i_strip_free(sotto_i_strip *s) {
  for (size_t i = 0; s->digests != NULL && i < s->ranges; i++) sotto_i_free(s->digests[i]);
  sotto_i_free(s->digests);
  sotto_i_free(s->digest_count);
  sotto_i_free(s->digest_room);
  sotto_i_free(s->begin);
  sotto_i_free(s->pieces);
  sotto_i_free(s->head);
  sotto_i_exchange_free(&s->mail);
  *s = (sotto_i_strip){0};
}

sotto_status sotto_i_strip_begin(sotto_i_strip *s, sotto_i_shared_file *file, sotto_i_native_kind kind,
                                 const uint64_t *sizes, size_t parts, sotto_error *err) {
  uint64_t *all = NULL;
  size_t got = 0;
  sotto_status status;
  *s = (sotto_i_strip){.file = file, .kind = kind, .range = sotto_ranks_number(file->ranks)};
  SOTTO_I_CHECK(sodium_init() >= 0);
  SOTTO_TRY(sotto_i_exchange_new(&s->mail, file->ranks, err));
  s->ranges = parts * s->mail.count;
  SOTTO_TRY(sotto_i_exchange_all((void **)&all, &got, file->ranks, sizes, parts * sizeof *sizes, err));
  SOTTO_TRY(sotto_i_new(&s->begin, s->ranges + 1, sizeof *s->begin, err));
  for (size_t i = 0; i < s->ranges; i++)
    s->begin[i + 1] = s->begin[i] + all[i % s->mail.count * parts + i / s->mail.count];
  SOTTO_I_CHECK(s->begin[s->ranges] == file->header.table[kind].size);
  SOTTO_TRY(sotto_i_new(&s->pieces, s->ranges, sizeof *s->pieces, err));
  SOTTO_TRY(sotto_i_new(&s->digests, s->ranges, sizeof *s->digests, err));
  SOTTO_TRY(sotto_i_new(&s->digest_count, s->ranges, sizeof *s->digest_count, err));
  SOTTO_TRY(sotto_i_new(&s->digest_room, s->ranges, sizeof *s->digest_room, err));
  SOTTO_TRY(sotto_i_new_raw(&s->head, piece_size, 1, err));
  s->at = s->begin[s->range];
done:
  sotto_i_free(all);
  return status;
}

/* Finishes and stores the digest of the open piece of a range. */
static sotto_status close_piece(sotto_i_strip *s, size_t range, sotto_error *err) {
  const sotto_status status =
      sotto_i_grow(&s->digests[range], &s->digest_room[range], s->digest_count[range] + 1, digest_size, err);
  if (status != SOTTO_OK) return status;
  crypto_generichash_final(&s->pieces[range].state, s->digests[range][s->digest_count[range]++], digest_size);
  s->pieces[range].open = false;
  return SOTTO_OK;
}

/* Adds bytes of one piece, from position s->at on, to its digest or to the head. */
static sotto_status add_to_piece(sotto_i_strip *s, const uint8_t *data, size_t size, sotto_error *err) {
  piece *p = &s->pieces[s->range];
  if (s->at % piece_size == 0) {
    crypto_generichash_init(&p->state, NULL, 0, digest_size);
    p->open = true;
  }
  if (!p->open) {
    memcpy(s->head + s->head_size, data, size);
    s->head_size += size;
    return SOTTO_OK;
  }
  crypto_generichash_update(&p->state, data, size);
  return (s->at + size) % piece_size == 0 ? close_piece(s, s->range, err) : SOTTO_OK;
}

/* The range in which the piece of byte `at` starts. */
static size_t piece_range(const sotto_i_strip *s, uint64_t at) {
  const uint64_t begin = at / piece_size * piece_size;
  size_t range = 0;
  while (s->begin[range + 1] <= begin) range++;
  return range;
}

/* At the end of an own range: sends bytes of an earlier piece to the rank of that piece. */
static sotto_status end_range(sotto_i_strip *s, sotto_error *err) {
  const uint64_t size = s->head_size;
  sotto_status status = SOTTO_OK;
  if (size > 0) {
    const uint32_t to = (uint32_t)(piece_range(s, s->begin[s->range]) % s->mail.count);
    SOTTO_TRY(sotto_i_exchange_put(&s->mail, to, &size, sizeof size, err));
    SOTTO_TRY(sotto_i_exchange_put(&s->mail, to, s->head, s->head_size, err));
  }
  s->head_size = 0;
  s->range += s->mail.count;
  if (s->range < s->ranges) s->at = s->begin[s->range];
done:
  return status;
}

sotto_status sotto_i_strip_add(sotto_i_strip *s, const void *data, size_t size, sotto_error *err) {
  const uint64_t base = s->file->header.table[s->kind].offset;
  const uint8_t *bytes = data;
  sotto_status status = SOTTO_OK;
  while (size > 0) {
    while (s->at == s->begin[s->range + 1]) SOTTO_TRY(end_range(s, err));
    const uint64_t left = s->begin[s->range + 1] - s->at, whole = piece_size - s->at % piece_size;
    size_t some = size < whole ? size : (size_t)whole;
    if (some > left) some = (size_t)left;
    SOTTO_TRY(sotto_i_writer_at(&s->file->writer, bytes, some, base + s->at, err));
    SOTTO_TRY(add_to_piece(s, bytes, some, err));
    s->at += some;
    bytes += some;
    size -= some;
  }
done:
  return status;
}

/* Receives the ends of pieces that started at this rank, in order. */
static sotto_status receive_heads(sotto_i_strip *s, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < s->ranges; i++) {
    const uint64_t begin = s->begin[i], end = s->begin[i + 1], inside = begin % piece_size;
    if (begin == end || inside == 0) continue;
    const size_t range = piece_range(s, begin);
    const uint32_t from = (uint32_t)(i % s->mail.count);
    if (range % s->mail.count != s->mail.number) continue;
    const void *message = sotto_i_exchange_take(&s->mail, from, sizeof(uint64_t));
    uint64_t size = 0;
    if (message != NULL) memcpy(&size, message, sizeof size);
    const void *bytes = sotto_i_exchange_take(&s->mail, from, (size_t)size);
    SOTTO_I_CHECK(message != NULL && bytes != NULL && s->pieces[range].open);
    crypto_generichash_update(&s->pieces[range].state, bytes, (size_t)size);
    if ((begin + size) % piece_size == 0) SOTTO_TRY(close_piece(s, range, err));
  }
  for (size_t i = s->mail.number; i < s->ranges; i += s->mail.count)
    if (s->pieces[i].open) SOTTO_TRY(close_piece(s, i, err));
done:
  return status;
}

/* At rank 0: combines the digests of all pieces, in order. */
static sotto_status combine_digests(sotto_i_strip *s, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, digest_size);
  for (size_t i = 0; i < s->ranges; i++) {
    const uint32_t from = (uint32_t)(i % s->mail.count);
    uint64_t pieces = 0;
    for (uint64_t at = (s->begin[i] + piece_size - 1) / piece_size; at * piece_size < s->begin[i + 1]; at++)
      pieces++;
    const void *digests = sotto_i_exchange_take(&s->mail, from, (size_t)pieces * digest_size);
    if (digests == NULL) {
      status = sotto_i_fail(err, SOTTO_CORRUPT, "rank %u sent too few digests of its part of the file",
                            (unsigned)from);
      goto done;
    }
    crypto_generichash_update(&state, digests, pieces * digest_size);
  }
  crypto_generichash_final(&state, s->file->header.table[s->kind].checksum, digest_size);
done:
  return status;
}

sotto_status sotto_i_strip_end(sotto_i_strip *s, sotto_error *err) {
  bool more = false;
  sotto_status status = SOTTO_OK;
  while (s->range < s->ranges) {
    SOTTO_I_CHECK(s->at == s->begin[s->range + 1]);
    SOTTO_TRY(end_range(s, err));
  }
  SOTTO_TRY(sotto_i_exchange_pass(&s->mail, &more, err));
  SOTTO_TRY(receive_heads(s, err));
  for (size_t i = s->mail.number; i < s->ranges; i += s->mail.count)
    SOTTO_TRY(sotto_i_exchange_put(&s->mail, 0, s->digests[i], s->digest_count[i] * digest_size, err));
  SOTTO_TRY(sotto_i_exchange_pass(&s->mail, &more, err));
  if (s->mail.number == 0) SOTTO_TRY(combine_digests(s, err));
done:
  return status;
}

sotto_status sotto_i_strip_write(sotto_i_shared_file *file, sotto_i_native_kind kind, const void *data,
                                 uint64_t size, sotto_error *err) {
  sotto_i_strip s = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_strip_begin(&s, file, kind, &size, 1, err));
  SOTTO_TRY(sotto_i_strip_add(&s, data, (size_t)size, err));
  SOTTO_TRY(sotto_i_strip_end(&s, err));
done:
  sotto_i_strip_free(&s);
  return status;
}
