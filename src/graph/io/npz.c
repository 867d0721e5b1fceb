/* Reads and writes .npz archives with libzip, in memory. */
#include "npz.h"

#include <stdio.h>
#include <string.h>
#include <zip.h>

#include "base/file.h"
#include "base/memory.h"

enum { longest_name = 60 };

sotto_status sotto_i_npz_open(sotto_i_npz *out, const sotto_i_source *file, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  zip_error_t why;
  zip_error_init(&why);
  *out = (sotto_i_npz){.file = file, .left = sotto_i_most_unpacked(file->size)};
  zip_source_t *source = zip_source_buffer_create(file->data, file->size, 0, &why);
  if (source != NULL) out->zip = zip_open_from_source(source, ZIP_RDONLY, &why);
  if (out->zip == NULL) {
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: is not a zip archive, or was cut short; fetch it again",
                          file->file);
    zip_source_free(source);
  }
  zip_error_fini(&why);
  return status;
}

bool sotto_i_npz_has(const sotto_i_npz *npz, const char *name) {
  char entry_name[longest_name + 5];
  (void)snprintf(entry_name, sizeof entry_name, "%s.npy", name);
  return zip_name_locate(npz->zip, entry_name, 0) >= 0;
}

const char *sotto_i_npz_entry(const sotto_i_npz *npz, uint64_t i) {
  return i < (uint64_t)zip_get_num_entries(npz->zip, 0) ? zip_get_name(npz->zip, i, 0) : NULL;
}

void sotto_i_npz_close(sotto_i_npz *npz) {
  if (npz->zip != NULL) zip_discard(npz->zip);
  *npz = (sotto_i_npz){0};
}

/* The sizes in a zip directory are claims: deflate expands at most 1032 times, stored data not at all. */
static sotto_status check_claim(const zip_stat_t *entry, const sotto_i_source *file, const char *name,
                                sotto_error *err) {
  const zip_uint64_t wanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if ((entry->valid & wanted) != wanted ||
      (entry->comp_method != ZIP_CM_DEFLATE && entry->comp_method != ZIP_CM_STORE))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: array %s has an unsupported compression", file->file,
                        name);
  if (entry->comp_size > file->size || entry->size / SOTTO_I_EXPANSION > entry->comp_size)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s claims %llu bytes, more than the file can hold",
                        file->file, name, (unsigned long long)entry->size);
  return SOTTO_OK;
}

/* An entry being unpacked, with its first bytes and the parsed header. */
typedef struct unpacking {
  zip_file_t *stream;
  uint64_t size; /* unpacked */
  size_t head_size, begin;
  uint8_t head[SOTTO_I_NPY_HEAD];
} unpacking;

/* libzip checks the checksum at the read past the end. */
static bool check_end(unpacking *u) {
  uint8_t beyond;
  return zip_fread(u->stream, &beyond, 1) == 0;
}

static sotto_status fail_unpacking(const sotto_i_npz *npz, const char *name, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_CORRUPT, "%s: array %s does not unpack to the size and checksum it claims",
                      npz->file->file, name);
}

static sotto_status begin_unpacking(unpacking *u, sotto_i_array *array, sotto_i_npz *npz, const char *name,
                                    sotto_error *err) {
  char entry_name[longest_name + 5];
  zip_stat_t entry;
  u->stream = NULL;
  (void)snprintf(entry_name, sizeof entry_name, "%s.npy", name);
  zip_stat_init(&entry);
  if (zip_stat(npz->zip, entry_name, 0, &entry) != 0)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: has no array %s", npz->file->file, name);
  sotto_status status = check_claim(&entry, npz->file, name, err);
  if (status != SOTTO_OK) return status;
  u->size = entry.size;
  u->head_size = entry.size < sizeof u->head ? entry.size : sizeof u->head;
  u->stream = zip_fopen_index(npz->zip, entry.index, 0);
  if (u->stream == NULL || zip_fread(u->stream, u->head, u->head_size) != (zip_int64_t)u->head_size ||
      (u->head_size == u->size && !check_end(u)))
    return fail_unpacking(npz, name, err);
  return sotto_i_npy_head(array, &u->begin, u->head, u->head_size, entry.size, npz->file->file, name, err);
}

static void end_unpacking(unpacking *u) {
  if (u != NULL && u->stream != NULL) (void)zip_fclose(u->stream);
  sotto_i_free(u);
}

sotto_status sotto_i_npz_shape(sotto_i_npz *npz, sotto_i_array *array, const char *name, sotto_error *err) {
  unpacking *u = NULL;
  sotto_status status = sotto_i_new(&u, 1, sizeof *u, err);
  if (status == SOTTO_OK) status = begin_unpacking(u, array, npz, name, err);
  end_unpacking(u);
  return status;
}

sotto_status sotto_i_npz_array(sotto_i_npz *npz, sotto_i_array *array, uint8_t **bytes, const char *name,
                               sotto_error *err) {
  sotto_status status;
  unpacking *u = NULL;
  uint8_t *made = NULL;
  SOTTO_TRY(sotto_i_new(&u, 1, sizeof *u, err));
  SOTTO_TRY(begin_unpacking(u, array, npz, name, err));
  if (u->size > npz->left) {
    status = sotto_i_fail(err, SOTTO_RANGE,
                          "%s: array %s has %llu bytes, but this file may unpack to at most %llu",
                          npz->file->file, name, (unsigned long long)u->size,
                          (unsigned long long)sotto_i_most_unpacked(npz->file->size));
    goto done;
  }
  npz->left -= u->size;
  SOTTO_TRY(sotto_i_new_raw(bytes, u->size, 1, err));
  memcpy(*bytes, u->head, u->head_size);
  const zip_uint64_t rest = u->size - u->head_size;
  if (rest > 0 && (zip_fread(u->stream, *bytes + u->head_size, rest) != (zip_int64_t)rest || !check_end(u))) {
    status = fail_unpacking(npz, name, err);
    goto done;
  }
  array->data = *bytes + u->begin;
  SOTTO_TRY(sotto_i_npy_settle(array, &made, err));
  if (made != NULL) {
    sotto_i_free(*bytes);
    *bytes = made;
  }
done:
  end_unpacking(u);
  return status;
}

/* Makes the .npy file of an array, version 1. Its header is padded so that the data starts at a multiple
 * of 64. */
static sotto_status make_npy(uint8_t **out, size_t *size, const sotto_i_npz_part *part, sotto_error *err) {
  enum { header = 128 };
  const size_t columns = part->dims == 2 ? part->shape[1] : 1, bytes = part->shape[0] * columns * part->item;
  char shape[64];
  sotto_status status = sotto_i_new_raw(out, header + bytes, 1, err);
  if (status != SOTTO_OK) return status;
  if (part->dims == 2)
    (void)snprintf(shape, sizeof shape, "(%zu, %zu)", part->shape[0], part->shape[1]);
  else
    (void)snprintf(shape, sizeof shape, "(%zu,)", part->shape[0]);
  memset(*out, ' ', header);
  memcpy(*out, "\x93NUMPY\x01\x00\x76\x00", 10);
  char text[header - 10];
  const int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                              part->type, shape);
  memcpy(*out + 10, text, (size_t)length);
  (*out)[header - 1] = '\n';
  if (bytes > 0) memcpy(*out + header, part->data, bytes);
  *size = header + bytes;
  return SOTTO_OK;
}

static sotto_status add_part(zip_t *zip, const uint8_t *npy, size_t size, const char *name, const char *path,
                             sotto_error *err) {
  char entry_name[longest_name + 5];
  (void)snprintf(entry_name, sizeof entry_name, "%s.npy", name);
  zip_source_t *source = zip_source_buffer(zip, npy, size, 0);
  zip_int64_t index = source == NULL ? -1 : zip_file_add(zip, entry_name, source, ZIP_FL_ENC_UTF_8);
  if (index < 0 || zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_mtime(zip, (zip_uint64_t)index, 315532800, 0) != 0) { /* 1980: files have no real time */
    if (index < 0) zip_source_free(source);
    return sotto_i_fail(err, SOTTO_NOMEM, "%s: could not add array %s: %s", path, name, zip_strerror(zip));
  }
  return SOTTO_OK;
}

/* Copies the finished archive out of its source and into the file. */
static sotto_status write_source(zip_source_t *source, const char *path, sotto_error *err) {
  zip_stat_t info;
  uint8_t *bytes = NULL;
  sotto_status status = SOTTO_OK;
  zip_stat_init(&info);
  if (zip_source_open(source) != 0)
    return sotto_i_fail(err, SOTTO_NOMEM, "%s: no memory for the archive", path);
  if (zip_source_stat(source, &info) != 0)
    status = sotto_i_fail(err, SOTTO_NOMEM, "%s: no memory for the archive", path);
  if (status == SOTTO_OK) status = sotto_i_new_raw(&bytes, info.size, 1, err);
  if (status == SOTTO_OK && zip_source_read(source, bytes, info.size) != (zip_int64_t)info.size)
    status = sotto_i_fail(err, SOTTO_IO, "%s: the archive could not be read back", path);
  (void)zip_source_close(source);
  if (status == SOTTO_OK) status = sotto_i_write_file(path, bytes, info.size, err);
  sotto_i_free(bytes);
  return status;
}

sotto_status sotto_i_npz_write(const char *path, const sotto_i_npz_part *parts, size_t count,
                               sotto_error *err) {
  enum { most_parts = 16 };
  uint8_t *npy[most_parts] = {0};
  sotto_status status = SOTTO_OK;
  zip_t *zip = NULL;
  zip_source_t *source = zip_source_buffer_create(NULL, 0, 0, NULL);
  SOTTO_I_CHECK(count <= most_parts);
  if (source != NULL) zip = zip_open_from_source(source, ZIP_TRUNCATE, NULL);
  if (zip == NULL) {
    zip_source_free(source);
    return sotto_i_fail(err, SOTTO_NOMEM, "%s: no memory for an archive", path);
  }
  zip_source_keep(source);
  for (size_t k = 0; k < count; k++) {
    size_t size = 0;
    SOTTO_TRY(make_npy(&npy[k], &size, &parts[k], err));
    SOTTO_TRY(add_part(zip, npy[k], size, parts[k].name, path, err));
  }
  if (zip_close(zip) != 0) {
    status = sotto_i_fail(err, SOTTO_IO, "%s: %s", path, zip_strerror(zip));
    goto done;
  }
  zip = NULL;
  SOTTO_TRY(write_source(source, path, err));
done:
  if (zip != NULL) zip_discard(zip);
  zip_source_free(source);
  for (size_t k = 0; k < count; k++) sotto_i_free(npy[k]);
  return status;
}
