/* sotto run --align: two parties find their common ids, and then train on or ask about these rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/align/align.h"
#include "cli/consortium/setup.h"
#include "common/file.h"
#include "common/folder.h"
#include "party.h"

/* The ids of all rows, as the reader of the table has them; of a table whose ids are 0, 1, 2, ... these
 * numbers. */
static sotto_status write_ids(const char *path, const sotto_dataset *data, sotto_error *err) {
  app_writer writer = {.stream = NULL};
  char line[SOTTO_MOST_ID_BYTES + 2];
  sotto_status status;
  SOTTO_TRY(app_writer_open(&writer, path, err));
  for (uint64_t v = 0; v < data->graph.nodes; v++) {
    const char *id = sotto_name(&data->node_ids, v);
    const int size = id == NULL ? snprintf(line, sizeof line, "%llu\n", (unsigned long long)v)
                                : snprintf(line, sizeof line, "%s\n", id);
    if (size < 0 || (size_t)size >= sizeof line) {
      status = sotto_i_fail(err, SOTTO_RANGE, "%s: the id of row %llu is longer than %d bytes", data->name,
                            (unsigned long long)v, (int)SOTTO_MOST_ID_BYTES);
      goto done;
    }
    SOTTO_TRY(app_writer_add(&writer, line, (size_t)size, err));
  }
  SOTTO_TRY(app_writer_commit(&writer, err));
done:
  if (status != SOTTO_OK) app_writer_abandon(&writer);
  return status;
}

/* Next to the run's folder, one for each table: RUN-aligned/TABLE. */
static sotto_status choose_folder(char **out, const party_request *r, sotto_error *err) {
  char table[CONSORTIUM_STEM], whole[1100];
  char *parent = NULL;
  sotto_status status;
  size_t size = strlen(r->options.out);
  while (size > 1 && r->options.out[size - 1] == '/') size--;
  (void)snprintf(whole, sizeof whole, "%.*s-aligned", (int)size, r->options.out);
  consortium_stem(table, r->options.data);
  SOTTO_TRY(app_join(&parent, whole, table, err));
  SOTTO_TRY(sotto_i_make_folder(whole, err));
  SOTTO_TRY(sotto_i_make_folder(parent, err));
  *out = parent;
  parent = NULL;
done:
  free(parent);
  return status;
}

static int align(party_request *r, const char *folder, const char *list) {
  static char address[600], grace[40];
  const sotto_peer *peer = r->party.peers;
  const bool hub = r->party.role == SOTTO_ROLE_DATA;
  const char *name = r->party.insecure_loopback ? (hub ? "leaf" : "hub") : peer->name;
  align_request request = {.out = folder,
                           .role = hub ? "hub" : "leaf",
                           .folder = r->party.folder,
                           .proxy = r->party.proxy,
                           .grace = grace,
                           .words = {list},
                           .word_count = 1,
                           .insecure_loopback = r->party.insecure_loopback};
  (void)snprintf(grace, sizeof grace, "%.17g", r->options.grace);
  (void)snprintf(address, sizeof address, "%s=%s", name, peer->address == NULL ? "" : peer->address);
  if (peer->address == NULL) {
    request.listen = r->party.listen;
    request.peer = name;
  } else {
    request.connect = address;
  }
  return align_party(&request);
}

int party_take_common(party_request *r, const sotto_dataset *data) {
  sotto_error err = {0};
  char *folder = NULL, *list = NULL, *common = NULL;
  sotto_status status = SOTTO_OK;
  int code = EXIT_DONE;
  if (r->party.role != SOTTO_ROLE_DATA && r->party.role != SOTTO_ROLE_LABEL)
    return cli_usage(
        "--align: is for a data and a label party; others give their lists to `sotto align`, and "
        "its ids.txt to --ids");
  if (r->options.ids[0] != '\0')
    return cli_usage(r->finished
                         ? "--align: the run's own data has its list of common ids; it is for other data"
                         : "--align and --ids: one of the two");
  SOTTO_TRY(choose_folder(&folder, r, &err));
  SOTTO_TRY(app_join(&list, folder, "own-ids.txt", &err));
  SOTTO_TRY(app_join(&common, folder, "ids.txt", &err));
  SOTTO_TRY(write_ids(list, data, &err));
  code = align(r, folder, list);
  if (code == EXIT_DONE) (void)snprintf(r->options.ids, sizeof r->options.ids, "%s", common);
done:
  free(folder);
  free(list);
  free(common);
  return status == SOTTO_OK ? code : cli_error(&err);
}
