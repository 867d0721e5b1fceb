/* Terms of a run between parties: the public options as text in a fixed order. */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "options.h"
#include "run/method/method.h"

bool sotto_option_is_shared(const char *key) {
  const sotto_i_option *row = sotto_i_option_known(key, NULL);
  return row != NULL && !row->local && strcmp(key, "data") != 0;
}

static int by_key(const void *a, const void *b) {
  return strcmp(((const sotto_i_option *)a)->key, ((const sotto_i_option *)b)->key);
}

/* Does this option of one machine choose the variant, as partition does with linked:HOW? Then all parties
 * need the same one. */
static bool chooses(const sotto_i_option *row, const sotto_i_variant *variant) {
  return row->local && variant != NULL && variant->key != NULL && strcmp(row->key, variant->key) == 0;
}

sotto_status sotto_options_terms(char **out, const sotto_options *options, sotto_error *err) {
  sotto_i_option rows[SOTTO_MOST_OPTIONS], kept[SOTTO_MOST_OPTIONS];
  size_t all = sotto_i_option_list(rows, SOTTO_MOST_OPTIONS, &sotto_i_method_of(options)->options), count = 0;
  const sotto_i_variant *variant = sotto_i_variant_find(sotto_i_method_of(options), options);
  size_t size = 0;
  char value[1024];
  for (size_t i = 0; i < all; i++)
    if ((sotto_option_is_shared(rows[i].key) || chooses(&rows[i], variant)) &&
        sotto_i_option_has(&kept[count], options, rows[i].key))
      count++;
  qsort(kept, count, sizeof *kept, by_key);
  sotto_status status = sotto_i_new(out, count * 1200 + 1, 1, err);
  for (size_t i = 0; status == SOTTO_OK && i < count; i++) {
    if (chooses(&kept[i], variant))
      (void)snprintf(value, sizeof value, "%.*s", (int)strcspn(variant->word, ":"), variant->word);
    else
      sotto_i_option_value(value, sizeof value, options, &kept[i]);
    size += (size_t)snprintf(*out + size, 1200, "%s: %s\n", kept[i].key, value);
  }
  return status;
}

sotto_status sotto_options_terms_digest(char out[65], const sotto_options *options, sotto_error *err) {
  uint8_t digest[32];
  char *text;
  sotto_status status = sotto_options_terms(&text, options, err);
  if (status != SOTTO_OK) return status;
  crypto_generichash(digest, sizeof digest, (const uint8_t *)text, strlen(text), NULL, 0);
  sotto_i_hex(out, digest, sizeof digest);
  sotto_i_free(text);
  return SOTTO_OK;
}
