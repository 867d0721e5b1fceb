/* Public numbers of a run's data, in one line. */
#include "facts_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "run/files/folder_file.h"

static const sotto_i_folder_file facts_file = {"facts", SOTTO_I_FOR_SIZES,
                                               "numbers of nodes, classes and columns"};
static const sotto_i_folder_file role_file = {"role", SOTTO_I_FOR_ANYONE, "options: the party's role"};
enum { longest = 64 };
_Static_assert(SOTTO_I_FACTS == 4, "the line has four numbers");

sotto_status sotto_i_facts_save(const sotto_i_facts *facts, const sotto_options *options, sotto_error *err) {
  char text[longest];
  const uint32_t *w = facts->words;
  int size = snprintf(text, sizeof text, "%u %u %u %u\n", (unsigned)w[0], (unsigned)w[1], (unsigned)w[2],
                      (unsigned)w[3]);
  return sotto_i_folder_write(options->out, &facts_file, NULL, options, text, (size_t)size, err);
}

sotto_status sotto_i_facts_keep(const sotto_dataset *data, size_t inputs, const sotto_options *options,
                                sotto_error *err) {
  const sotto_i_facts of_nodes = {{(uint32_t)data->graph.nodes, data->classes, (uint32_t)inputs, 1}},
                      of_graphs = {{0, data->graph_classes, (uint32_t)inputs, 2}};
  return sotto_i_facts_save(data->graph_count > 0 ? &of_graphs : &of_nodes, options, err);
}

/* Parses numbers separated by blanks, up to the end of the line. */
static bool parse(sotto_i_facts *out, const char *text) {
  for (size_t i = 0; i < SOTTO_I_FACTS; i++) {
    char *end = NULL;
    unsigned long long number = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : UINT64_MAX;
    if (number > UINT32_MAX || *end != (i + 1 == SOTTO_I_FACTS ? '\n' : ' ')) return false;
    out->words[i] = (uint32_t)number;
    text = end + 1;
  }
  return *text == '\0';
}

sotto_status sotto_i_facts_load(sotto_i_facts *facts, const char *run, sotto_error *err) {
  char *path = NULL, text[longest] = "";
  sotto_i_map map = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_folder_find(&path, run, "facts", err));
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  if (map.size < sizeof text && map.size > 0) memcpy(text, map.data, map.size);
  if (!parse(facts, text))
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: is not what a run keeps of its data", path);
done:
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_role_keep(const sotto_party *party, const sotto_options *options, sotto_error *err) {
  char role[SOTTO_ROLE_SIZE];
  sotto_party_role_name(role, party);
  return sotto_i_folder_write(options->out, &role_file, NULL, options, role, strlen(role), err);
}

sotto_status sotto_i_role_load(sotto_party *party, bool *found, const char *run, sotto_error *err) {
  char *path = NULL, role[SOTTO_ROLE_SIZE] = "";
  sotto_i_map map = {0};
  sotto_status status;
  *found = false;
  SOTTO_TRY(sotto_i_join(&path, run, "role", err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  if (map.size > 0 && map.size < sizeof role) memcpy(role, map.data, map.size);
  *found = sotto_party_role_read(party, role, NULL) == SOTTO_OK;
  if (!*found) status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: names no role", path);
done:
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}
