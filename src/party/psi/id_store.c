/* Storage of id texts: in memory, or in their file, from which they are read again. */
#include "id_store.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "inside/party.h"

static bool is_same_state(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
         a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

void sotto_i_id_store_open(sotto_ids *ids, const char *path) {
  ids->descriptor = -1;
  if (stat(path, &ids->state) != 0 || !S_ISREG(ids->state.st_mode)) return;
  ids->descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (ids->descriptor >= 0 && fstat(ids->descriptor, &ids->state) != 0) sotto_i_id_store_close(ids);
}

bool sotto_i_id_store_stands(const sotto_ids *ids, const char *path) {
  struct stat now;
  return ids->descriptor >= 0 && stat(path, &now) == 0 && is_same_state(&now, &ids->state);
}

void sotto_i_id_store_close(sotto_ids *ids) {
  if (ids->descriptor >= 0) (void)close(ids->descriptor);
  ids->descriptor = -1;
}

static sotto_status put_number(sotto_ids *ids, uint64_t number, sotto_error *err) {
  enum { most = 10 };
  sotto_status status = sotto_i_grow(&ids->code, &ids->code_room, ids->next.code + most, 1, err);
  if (status != SOTTO_OK) return status;
  for (; number >= 128; number >>= 7) ids->code[ids->next.code++] = (uint8_t)(number | 128);
  ids->code[ids->next.code++] = (uint8_t)number;
  return SOTTO_OK;
}

static uint64_t take_number(const uint8_t **at) {
  uint64_t number = 0;
  int shift = 0;
  for (; (**at & 128) != 0; shift += 7) number |= (uint64_t)(*(*at)++ & 127) << shift;
  return number | (uint64_t) * (*at)++ << shift;
}

sotto_status sotto_i_id_store_add(sotto_ids *ids, const uint8_t *text, size_t size, uint64_t start,
                                  sotto_error *err) {
  const bool kept = start == UINT64_MAX;
  const size_t block = ids->count / SOTTO_I_ID_BLOCK;
  sotto_status status;
  if (ids->count % SOTTO_I_ID_BLOCK == 0) {
    SOTTO_TRY(sotto_i_grow(&ids->marks, &ids->mark_room, block + 1, sizeof *ids->marks, err));
    ids->marks[block] = ids->next;
  }
  SOTTO_TRY(put_number(ids, kept ? 1 : 2 * (start - ids->next.file), err));
  SOTTO_TRY(put_number(ids, size, err));
  if (kept) {
    SOTTO_TRY(sotto_i_grow(&ids->kept, &ids->kept_room, ids->next.kept + size, 1, err));
    memcpy(ids->kept + ids->next.kept, text, size);
    ids->next.kept += size;
  } else {
    ids->next.file = start + size;
  }
  ids->count++;
done:
  return status;
}

sotto_i_id_place sotto_i_id_store_place(const sotto_ids *ids, size_t row) {
  const sotto_i_id_mark *mark = &ids->marks[row / SOTTO_I_ID_BLOCK];
  const uint8_t *at = ids->code + mark->code;
  uint64_t ends[2] = {mark->file, mark->kept};
  sotto_i_id_place place = {0, 0, false};
  for (size_t i = 0; i <= row % SOTTO_I_ID_BLOCK; i++) {
    const uint64_t gap = take_number(&at);
    place.kept = (gap & 1) != 0;
    place.start = ends[place.kept] + (gap >> 1);
    place.size = (size_t)take_number(&at);
    ends[place.kept] = place.start + place.size;
  }
  return place;
}

sotto_status sotto_i_id_store_text(const uint8_t **text, size_t *size, const sotto_ids *ids, size_t row,
                                   bool ahead, sotto_i_id_window *window, sotto_error *err) {
  const sotto_i_id_place place = sotto_i_id_store_place(ids, row);
  *size = place.size;
  if (place.kept) {
    *text = ids->kept + place.start;
    return SOTTO_OK;
  }
  if (place.start < window->start || place.start + place.size > window->start + window->size) {
    const size_t wanted = ahead ? sizeof window->bytes : place.size;
    ssize_t got;
    do got = pread(ids->descriptor, window->bytes, wanted, (off_t)place.start);
    while (got < 0 && errno == EINTR);
    window->start = place.start;
    window->size = got < 0 ? 0 : (size_t)got;
    if (got < 0)
      return sotto_i_fail(err, SOTTO_IO, "%s: could not be read again: %s", ids->file,
                          sotto_i_errno_text(errno));
    if (window->size < place.size)
      return sotto_i_fail(err, SOTTO_CORRUPT, "%s: became shorter while ids were compared; align again",
                          ids->file);
  }
  *text = window->bytes + (place.start - window->start);
  return SOTTO_OK;
}

sotto_status sotto_i_id_store_check(const sotto_ids *ids, sotto_error *err) {
  struct stat now;
  if (ids->descriptor < 0) return SOTTO_OK;
  if (fstat(ids->descriptor, &now) != 0)
    return sotto_i_fail(err, SOTTO_IO, "%s: could not be looked at again: %s", ids->file,
                        sotto_i_errno_text(errno));
  if (is_same_state(&now, &ids->state)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_CORRUPT, "%s: changed while ids were compared; align again", ids->file);
}

void sotto_ids_free(sotto_ids *ids) {
  if (ids == NULL) return;
  sotto_i_id_store_close(ids);
  sotto_i_free(ids->file);
  sotto_i_free(ids->code);
  sotto_i_free(ids->kept);
  sotto_i_free(ids->marks);
  sotto_i_free(ids);
}

uint64_t sotto_ids_changed(const sotto_ids *ids) {
  return ids->changed;
}

size_t sotto_ids_count(const sotto_ids *ids) {
  return ids->count;
}

sotto_status sotto_ids_get(uint8_t *id, size_t *size, const sotto_ids *ids, size_t row, sotto_error *err) {
  sotto_i_id_window window = {.size = 0};
  const uint8_t *text;
  sotto_status status = sotto_i_id_store_text(&text, size, ids, row, false, &window, err);
  if (status != SOTTO_OK) return status;
  memcpy(id, text, *size);
  return sotto_i_id_store_check(ids, err);
}

sotto_status sotto_ids_digest(uint8_t digest[32], const sotto_ids *ids, const uint32_t *rows, size_t count,
                              sotto_error *err) {
  sotto_i_id_window window = {.size = 0};
  crypto_generichash_state hash;
  crypto_generichash_init(&hash, NULL, 0, 32);
  for (size_t i = 0; i < (rows == NULL ? ids->count : count); i++) {
    const uint8_t *text;
    size_t size;
    sotto_status status =
        sotto_i_id_store_text(&text, &size, ids, rows == NULL ? i : rows[i], rows == NULL, &window, err);
    if (status != SOTTO_OK) return status;
    crypto_generichash_update(&hash, text, size);
    crypto_generichash_update(&hash, (const uint8_t *)"\n", 1);
  }
  crypto_generichash_final(&hash, digest, 32);
  return sotto_i_id_store_check(ids, err);
}
