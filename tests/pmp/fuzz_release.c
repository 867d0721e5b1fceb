/* Any bytes as a release that was kept, with the checksum that they need: what is taken is within bounds. */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "input_file.h"
#include "inside/pmp.h"
#include "sotto/pmp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { most = 1 << 16, digest = 32 };
  static uint8_t bytes[most];
  sotto_release *release = NULL;
  sotto_error err = {0};
  if (size > most) return 0;
  memcpy(bytes, data, size);
  if (size > digest) crypto_generichash(bytes + size - digest, digest, bytes, size - digest, NULL, 0);
  if (sotto_release_load(&release, fuzz_put("release.bin", bytes, size), &err) != SOTTO_OK) {
    if (release != NULL || err.text[0] == '\0') abort();
    return 0;
  }
  const uint32_t layers = sotto_release_plan(release)->options.layers;
  double sum = 0;
  for (uint32_t k = 0; k <= layers; k++) {
    const sotto_matrix *rows = sotto_release_layer(release, k);
    if (rows->rows * rows->cols * sizeof(float) > size) abort();
    for (size_t i = 0; i < rows->rows * rows->cols; i++) sum += rows->data[i] > 0;
  }
  if (sum < 0 || sotto_release_paid(release)) abort();
  const sotto_charge charge = sotto_release_charge(release);
  if (strlen(charge.id) + strlen(charge.run) + strlen(charge.description) > size) abort();
  sotto_release_free(release);
  return 0;
}
