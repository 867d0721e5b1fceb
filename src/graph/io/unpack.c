/* Unpacks gzip and zstd in memory, up to a limit. */
#include "unpack.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"

enum { piece = 1 << 24, first_room = 1 << 16 };

sotto_i_packing sotto_i_packing_of(const uint8_t *bytes, size_t size) {
  static const uint8_t gzip[] = {0x1F, 0x8B}, zstd[] = {0x28, 0xB5, 0x2F, 0xFD};
  if (size >= sizeof gzip && memcmp(bytes, gzip, sizeof gzip) == 0) return SOTTO_I_PACKING_GZIP;
  if (size >= sizeof zstd && memcmp(bytes, zstd, sizeof zstd) == 0) return SOTTO_I_PACKING_ZSTD;
  return SOTTO_I_PACKING_NONE;
}

const char *sotto_i_packing_name(sotto_i_packing packing) {
  return packing == SOTTO_I_PACKING_GZIP ? "gzip" : packing == SOTTO_I_PACKING_ZSTD ? "zstd" : "no packing";
}

/* A file being unpacked: bytes taken from it, and bytes made of them. */
typedef struct unpacking {
  const sotto_i_source *file;
  size_t taken, made, room;
  uint8_t *out;
} unpacking;

static sotto_status fail_cut(const unpacking *u, const char *form, const char *why, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_CORRUPT, "%s: offset %zu: is not %s, or was cut short: %s; fetch it again",
                      u->file->file, u->taken, form, why);
}

static sotto_status fail_memory(const sotto_i_source *file, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_NOMEM, "%s: no memory to unpack it", file->file);
}

/* Checks what is unpacked so far, and makes room for more. */
static sotto_status make_room(unpacking *u, sotto_error *err) {
  const uint64_t most = sotto_i_most_unpacked(u->file->size);
  if (u->made > most)
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "%s: unpacks to more than the limit of %llu bytes; unpack it yourself if you trust it", u->file->file,
        (unsigned long long)most);
  if (u->made < u->room) return SOTTO_OK;
  return sotto_i_grow(&u->out, &u->room, u->made + 1 + first_room, 1, err);
}

static size_t at_most_a_piece(size_t size) {
  return size < piece ? size : piece;
}

static sotto_status gunzip(unpacking *u, sotto_error *err) {
  z_stream stream = {0};
  sotto_status status = SOTTO_OK;
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return fail_memory(u->file, err);
  for (bool ended = false; !ended || u->taken < u->file->size;) {
    SOTTO_TRY(make_room(u, err));
    if (ended && inflateReset(&stream) != Z_OK) { /* a gzip file may have several members */
      status = fail_memory(u->file, err);
      break;
    }
    const size_t in = at_most_a_piece(u->file->size - u->taken), out = at_most_a_piece(u->room - u->made);
    stream.next_in = (Bytef *)(uintptr_t)(u->file->data + u->taken);
    stream.avail_in = (uInt)in;
    stream.next_out = u->out + u->made;
    stream.avail_out = (uInt)out;
    const int code = inflate(&stream, Z_NO_FLUSH);
    u->taken += in - stream.avail_in;
    u->made += out - stream.avail_out;
    ended = code == Z_STREAM_END;
    if (code == Z_MEM_ERROR) {
      status = fail_memory(u->file, err);
      break;
    }
    if (!ended && (code != Z_OK || (u->taken == u->file->size && stream.avail_out > 0))) {
      status = fail_cut(u, "gzip", stream.msg == NULL ? "it ends too soon" : stream.msg, err);
      break;
    }
  }
  if (status == SOTTO_OK) SOTTO_TRY(make_room(u, err));
done:
  (void)inflateEnd(&stream);
  return status;
}

static sotto_status unzstd(unpacking *u, sotto_error *err) {
  enum { least_window = 24, most_window = 27 }; /* logarithms of bytes, which a frame claims */
  ZSTD_DStream *stream = ZSTD_createDStream();
  sotto_status status = SOTTO_OK;
  int window = least_window;
  if (stream == NULL) return fail_memory(u->file, err);
  while (window < most_window && (UINT64_C(1) << window) < sotto_i_most_unpacked(u->file->size)) window++;
  (void)ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, window);
  for (size_t left = 1; left > 0 || u->taken < u->file->size;) { /* a file may have several frames */
    SOTTO_TRY(make_room(u, err));
    ZSTD_inBuffer in = {u->file->data + u->taken, at_most_a_piece(u->file->size - u->taken), 0};
    ZSTD_outBuffer out = {u->out + u->made, at_most_a_piece(u->room - u->made), 0};
    left = ZSTD_decompressStream(stream, &out, &in);
    u->taken += in.pos;
    u->made += out.pos;
    if (ZSTD_isError(left)) {
      status = ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation
                   ? fail_memory(u->file, err)
                   : fail_cut(u, "zstd", ZSTD_getErrorName(left), err);
      break;
    }
    if (left > 0 && u->taken == u->file->size && out.pos < out.size) {
      status = fail_cut(u, "zstd", "it ends too soon", err);
      break;
    }
  }
  if (status == SOTTO_OK) SOTTO_TRY(make_room(u, err));
done:
  (void)ZSTD_freeDStream(stream);
  return status;
}

sotto_status sotto_i_unpack(uint8_t **out, size_t *size, const sotto_i_source *file, sotto_error *err) {
  unpacking u = {.file = file};
  const bool zstd = sotto_i_packing_of(file->data, file->size) == SOTTO_I_PACKING_ZSTD;
  const sotto_status status = zstd ? unzstd(&u, err) : gunzip(&u, err);
  *out = u.out;
  *size = u.made;
  return status;
}
