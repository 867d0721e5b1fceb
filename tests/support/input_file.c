/* Files that are written again and again, without waiting for a disk. */
#include "input_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *fuzz_folder(void) {
  static char folder[64];
  if (folder[0] != '\0') return folder;
  (void)snprintf(folder, sizeof folder, "%s/sotto-fuzz-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (mkdtemp(folder) == NULL) abort();
  return folder;
}

const char *fuzz_put(const char *name, const uint8_t *data, size_t size) {
  static char path[200];
  (void)snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0 || (size > 0 && write(descriptor, data, size) != (ssize_t)size)) abort();
  (void)close(descriptor);
  return path;
}
