/* The training whose model a finished run uses, as stored in its folder. */
#include "choice_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "run/files/folder_file.h"

static const char file[] = "chosen";
/* Public only if labels may be followed: sotto_i_choice_free. */
static const sotto_i_folder_file chosen_file = {"chosen", SOTTO_I_FOR_ANYONE,
                                                "labels of validation items, where they are public"};

static sotto_status path_of(char **out, const sotto_options *options, sotto_error *err) {
  return sotto_i_join(out, options->out, file, err);
}

sotto_status sotto_i_choice_save(size_t best, const sotto_options *options, sotto_error *err) {
  char text[24];
  int size = snprintf(text, sizeof text, "%zu\n", best);
  return sotto_i_folder_write(options->out, &chosen_file, NULL, options, text, (size_t)size, err);
}

bool sotto_i_choice_known(const sotto_options *options) {
  char *path = NULL;
  bool known = path_of(&path, options, NULL) == SOTTO_OK && sotto_i_is_file(path);
  sotto_i_free(path);
  return known;
}

sotto_status sotto_i_choice_load(size_t *best, const sotto_options *options, sotto_error *err) {
  char *path = NULL, text[24] = "";
  sotto_i_map map = {0};
  sotto_status status;
  SOTTO_TRY(path_of(&path, options, err));
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  memcpy(text, map.data, map.size < sizeof text - 1 ? map.size : sizeof text - 1);
  char *end = text;
  unsigned long long number = strtoull(text, &end, 10);
  if (end == text || *end != '\n' || number >= options->seeds)
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: names no training of this run", path);
  else
    *best = (size_t)number;
done:
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}
