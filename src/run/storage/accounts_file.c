/* The accounts of a run: one line "WORD HEX" for each paying account. */
#include "accounts_file.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "run/files/folder_file.h"

static const sotto_i_folder_file accounts_file = {
    "accounts", SOTTO_I_FOR_OWNER,
    "private edges or labels: the keys of the accounts that pay from the beginning on"};

enum { bytes = 32, digits = 2 * bytes, longest = 20 };
static const char *const words[SOTTO_ACCOUNTS] = {[SOTTO_ACCOUNT_DATA] = "data",
                                                  [SOTTO_ACCOUNT_LABELS] = "labels",
                                                  [SOTTO_ACCOUNT_LABEL_EDGES] = "label-edges"};

typedef struct keys {
  bool here[SOTTO_ACCOUNTS];
  uint8_t of[SOTTO_ACCOUNTS][bytes];
} keys;

static bool parse_line(keys *out, const char *line, size_t size) {
  for (sotto_account a = 0; a < SOTTO_ACCOUNTS; a++) {
    const size_t length = strlen(words[a]);
    if (size != length + 1 + digits || memcmp(line, words[a], length) != 0 || line[length] != ' ') continue;
    out->here[a] = true;
    return sodium_hex2bin(out->of[a], bytes, line + length + 1, digits, NULL, NULL, NULL) == 0;
  }
  return false;
}

static sotto_status load_accounts(keys *out, const char *run, sotto_error *err) {
  char *path = NULL;
  sotto_i_map map = {0};
  sotto_status status;
  *out = (keys){.here = {false}};
  SOTTO_TRY(sotto_i_folder_find(&path, run, accounts_file.name, err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  for (size_t at = 0; at < map.size;) {
    const char *line = (const char *)map.data + at, *end = memchr(line, '\n', map.size - at);
    const size_t size = end == NULL ? map.size - at : (size_t)(end - line);
    if (!parse_line(out, line, size)) {
      status =
          sotto_i_fail(err, SOTTO_CORRUPT,
                       "%s: is not what was written there; bring it back from a copy of the folder", path);
      goto done;
    }
    at += size + 1;
  }
done:
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_accounts_keep(const sotto_cost *cost, const char *run, sotto_error *err) {
  char *path = NULL, text[SOTTO_ACCOUNTS * (longest + digits + 2)] = "", hex[digits + 1];
  size_t used = 0;
  sotto_status status;
  for (sotto_account a = 0; a < SOTTO_ACCOUNTS; a++) {
    if (!cost->accounts[a].here) continue;
    sotto_i_hex(hex, cost->accounts[a].digest, bytes);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s %s\n", words[a], hex);
  }
  if (used == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_folder_find(&path, run, accounts_file.name, err));
  if (!sotto_i_is_file(path))
    SOTTO_TRY(sotto_i_folder_write(run, &accounts_file, NULL, NULL, text, used, err));
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_accounts_take(sotto_cost *cost, const char *run, sotto_error *err) {
  keys found;
  const sotto_status status = load_accounts(&found, run, err);
  for (sotto_account a = 0; status == SOTTO_OK && a < SOTTO_ACCOUNTS; a++)
    if (found.here[a] && cost->accounts[a].here) memcpy(cost->accounts[a].digest, found.of[a], bytes);
  return status;
}

sotto_status sotto_i_accounts_data_key(uint8_t key[bytes], bool *found, const char *run, sotto_error *err) {
  keys of;
  const sotto_status status = load_accounts(&of, run, err);
  *found = status == SOTTO_OK && of.here[SOTTO_ACCOUNT_DATA];
  if (*found) memcpy(key, of.of[SOTTO_ACCOUNT_DATA], bytes);
  return status;
}

sotto_status sotto_i_accounts_take_data(sotto_dataset *data, const char *run, sotto_error *err) {
  uint8_t key[bytes];
  bool found;
  const sotto_status status = sotto_i_accounts_data_key(key, &found, run, err);
  if (status == SOTTO_OK && found) memcpy(data->account, key, bytes);
  return status;
}
