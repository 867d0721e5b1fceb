/* The recorded wire. */
#include "wire_log.h"

#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "party/wire/link/transport.h"
#include "run/files/folder_file.h"

static const sotto_i_folder_file wire_files = {"seed-*/wire/*", SOTTO_I_FOR_PARTY,
                                               "what this party received, where record-wire is set"};

static sotto_status path_of(char **out, const char *folder, sotto_i_wire_end end, uint64_t number,
                            sotto_error *err) {
  char name[80], who[SOTTO_ROLE_SIZE], from[24] = "";
  const sotto_party party = {.role = end.role, .number = end.number};
  sotto_party_role_name(who, &party);
  if (end.role == SOTTO_ROLE_SERVER) (void)snprintf(from, sizeof from, "-from-%u", (unsigned)end.number);
  (void)snprintf(name, sizeof name, "wire/%s%s-%06llu.sotto", who, from, (unsigned long long)number);
  return sotto_i_folder_path(out, folder, &wire_files, name, NULL, err);
}

static sotto_status take(void *context, const char *name, sotto_wire_kind kind, const sotto_matrix *rows,
                         sotto_error *err) {
  sotto_i_wire_log *log = context;
  sotto_dataset payload = {.features = *rows};
  char *path = NULL, called[128];
  sotto_status status;
  (void)snprintf(called, sizeof called, "%s %s", sotto_wire_kind_name(kind), name);
  payload.name = called;
  SOTTO_TRY(sotto_graph_from_pairs(&payload.graph, rows->rows, NULL, NULL, 0, err));
  SOTTO_TRY(path_of(&path, log->job->folder, log->end, ++log->count, err));
  SOTTO_TRY(sotto_dataset_save(&payload, path, err));
done:
  sotto_graph_free(&payload.graph);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_wire_log_begin(sotto_i_wire_log *log, sotto_link *link, const sotto_i_job *job,
                                    sotto_i_wire_end end, bool goes_on, sotto_error *err) {
  const sotto_i_record record = {log, take};
  sotto_status status;
  char *path = NULL;
  *log = (sotto_i_wire_log){.job = job, .end = end};
  SOTTO_TRY(sotto_i_join(&path, job->folder, "owner-only/wire", err));
  SOTTO_TRY(sotto_i_make_folder(path, err));
  for (bool there = true; there;) {
    sotto_i_free(path);
    path = NULL;
    SOTTO_TRY(path_of(&path, job->folder, end, log->count + 1, err));
    there = sotto_i_is_file(path);
    if (there) log->count++;
    if (there && !goes_on && remove(path) != 0) {
      status = sotto_i_fail(err, SOTTO_IO, "%s: cannot be removed, to make place for this start's", path);
      goto done;
    }
  }
  if (!goes_on) log->count = 0;
  sotto_i_link_record(link, &record);
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_wire_log_read(sotto_dataset *out, bool *found, const char *folder, sotto_i_wire_end end,
                                   uint64_t number, sotto_error *err) {
  char *path = NULL;
  sotto_status status = path_of(&path, folder, end, number, err);
  *found = status == SOTTO_OK && sotto_i_is_file(path);
  if (*found) status = sotto_dataset_open(out, path, NULL, err);
  sotto_i_free(path);
  return status;
}
