/* Unpacks gzip files in memory, up to a limit. */
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "formats.h"

static sotto_status fail(const sotto_i_source *file, int code, const z_stream *stream, sotto_error *err) {
  if (code == Z_MEM_ERROR) return sotto_i_fail(err, SOTTO_NOMEM, "%s: no memory to unpack it", file->file);
  return sotto_i_fail(err, SOTTO_CORRUPT, "%s: offset %lu: is not gzip, or was cut short: %s; fetch it again",
                      file->file, stream->total_in, stream->msg == NULL ? "it ends too soon" : stream->msg);
}

/* Calls inflate once, with input and output within the range of its counters. */
static int inflate_step(z_stream *stream, const sotto_i_source *file, size_t taken, uint8_t *out,
                        size_t room) {
  enum { piece = 1 << 24 };
  const size_t left = file->size - taken;
  stream->next_in = (Bytef *)(uintptr_t)(file->data + taken);
  stream->avail_in = (uInt)(left < piece ? left : piece);
  stream->next_out = out;
  stream->avail_out = (uInt)(room < piece ? room : piece);
  return inflate(stream, Z_NO_FLUSH);
}

sotto_status sotto_i_gunzip(uint8_t **out, size_t *size, const sotto_i_source *file, sotto_error *err) {
  const uint64_t most = sotto_i_most_unpacked(file->size);
  z_stream stream = {0};
  size_t room = 0, taken = 0;
  sotto_status status = SOTTO_OK;
  *out = NULL;
  *size = 0;
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
    return sotto_i_fail(err, SOTTO_NOMEM, "%s: no memory to unpack it", file->file);
  for (int code = Z_OK;;) {
    if (*size == room) SOTTO_TRY(sotto_i_grow(out, &room, *size + 1 + (1 << 16), 1, err));
    code = inflate_step(&stream, file, taken, *out + *size, room - *size);
    const size_t had = file->size - taken < (1 << 24) ? file->size - taken : 1 << 24;
    const size_t given = room - *size < (1 << 24) ? room - *size : 1 << 24;
    taken += had - stream.avail_in;
    *size += given - stream.avail_out;
    if (*size > most) {
      status = sotto_i_fail(err, SOTTO_RANGE, "%s: unpacks to more than the limit of %llu bytes", file->file,
                            (unsigned long long)most);
      break;
    }
    if (code == Z_STREAM_END && taken == file->size) break;
    if (code == Z_STREAM_END) { /* a gzip file may have several members */
      if (inflateReset(&stream) != Z_OK)
        code = Z_MEM_ERROR;
      else
        continue;
    }
    if (code != Z_OK || (taken == file->size && stream.avail_out > 0)) {
      status = fail(file, code, &stream, err);
      break;
    }
  }
done:
  (void)inflateEnd(&stream);
  return status;
}
