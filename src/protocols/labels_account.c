/* The account of a dataset's labels: by a digest of them, so that it outlives a file. */
#include "labels_account.h"

#include <sodium.h>
#include <stdio.h>

#include "base/text.h"

void sotto_i_labels_account(uint8_t digest[32], char name[128], const sotto_dataset *data) {
  static const char domain[] = "sotto labels";
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, 32);
  crypto_generichash_update(&state, (const uint8_t *)domain, sizeof domain);
  crypto_generichash_update(&state, (const uint8_t *)&data->classes, sizeof data->classes);
  crypto_generichash_update(&state, (const uint8_t *)data->labels, data->graph.nodes * sizeof *data->labels);
  crypto_generichash_final(&state, digest, 32);
  (void)snprintf(name, 128, "labels of %.*s", sotto_i_fitting(data->name, 100), data->name);
}
