/* Signed states of a client: a file of records, each a round and the signed set of survivors, which is only
 * appended to. */
#include "sum_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

/* 8 bytes of the round, little-endian, and the set. */
enum { round_size = 8, record_size = round_size + SOTTO_SUM_DIGEST };

static void fill_record(uint8_t record[record_size], uint64_t round, const uint8_t set[SOTTO_SUM_DIGEST]) {
  for (int i = 0; i < round_size; i++) record[i] = (uint8_t)(round >> (8 * i));
  memcpy(record + round_size, set, SOTTO_SUM_DIGEST);
}

/* *known: the file has the record. *size: of the complete records, without one that a crash cut off. No
 * signature followed such a record. */
static sotto_status find_record(bool *known, size_t *size, const char *path,
                                const uint8_t record[record_size], uint64_t round, sotto_error *err) {
  sotto_i_map map = {.data = NULL};
  sotto_status status = SOTTO_OK;
  *known = false;
  *size = 0;
  if (!sotto_i_is_file(path)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  *size = map.size / record_size * record_size;
  for (size_t at = 0; at < *size; at += record_size) {
    if (memcmp(map.data + at, record, round_size) != 0) continue;
    *known = memcmp(map.data + at, record, record_size) == 0;
    if (*known) break;
    status =
        sotto_i_fail(err, SOTTO_PROTOCOL,
                     "round %llu: this client signed other survivors, or those of another model, for this "
                     "round before, and the sums of both would show the difference; nothing is signed. If "
                     "a client left meanwhile, start a new run without it",
                     (unsigned long long)round);
    break;
  }
  sotto_i_map_close(&map);
done:
  return status;
}

static sotto_status sync_folder(const char *path) {
  char folder[4096];
  const char *slash = strrchr(path, '/');
  size_t length = slash == NULL ? 1 : (size_t)(slash - path) + 1;
  if (length >= sizeof folder) return SOTTO_IO;
  memcpy(folder, slash == NULL ? "." : path, length);
  folder[length] = '\0';
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return SOTTO_IO;
  bool good = fsync(descriptor) == 0;
  (void)close(descriptor);
  return good ? SOTTO_OK : SOTTO_IO;
}

static bool write_at(int descriptor, const uint8_t record[record_size], size_t at) {
  size_t done = 0;
  if (ftruncate(descriptor, (off_t)at) != 0) return false;
  while (done < record_size) {
    ssize_t count = pwrite(descriptor, record + done, record_size - done, (off_t)(at + done));
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) done += (size_t)count;
  }
  return fsync(descriptor) == 0;
}

sotto_status sotto_i_sum_memory_keep(const char *path, uint64_t round, const uint8_t set[SOTTO_SUM_DIGEST],
                                     sotto_error *err) {
  uint8_t record[record_size];
  bool known;
  size_t size;
  fill_record(record, round, set);
  sotto_status status = find_record(&known, &size, path, record, round, err);
  if (status != SOTTO_OK || known) return status;
  int descriptor = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  bool good = descriptor >= 0 && write_at(descriptor, record, size);
  if (good && size == 0) good = sync_folder(path) == SOTTO_OK;
  if (!good)
    status = sotto_i_fail(err, SOTTO_IO, "%s: could not store what is signed in round %llu: %s", path,
                          (unsigned long long)round, sotto_i_errno_text(errno));
  if (descriptor >= 0) (void)close(descriptor);
  return status;
}
