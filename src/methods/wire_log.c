/* The recorded wire. */
#include "wire_log.h"

#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "party/transport.h"

static sotto_status path_of(char **out, const char *folder, sotto_role role, uint64_t number,
                            sotto_error *err) {
  char name[64], who[SOTTO_ROLE_SIZE];
  const sotto_party party = {.role = role};
  sotto_party_role_name(who, &party);
  (void)snprintf(name, sizeof name, "wire/%s-%06llu.sotto", who, (unsigned long long)number);
  return sotto_i_join(out, folder, name, err);
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
  SOTTO_TRY(path_of(&path, log->job->folder, log->role, ++log->count, err));
  SOTTO_TRY(sotto_dataset_save(&payload, path, err));
done:
  sotto_graph_free(&payload.graph);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_wire_log_begin(sotto_i_wire_log *log, sotto_link *link, const sotto_i_job *job,
                                    sotto_role role, sotto_error *err) {
  const sotto_i_record record = {log, take};
  sotto_status status;
  char *path = NULL;
  *log = (sotto_i_wire_log){.job = job, .role = role};
  SOTTO_TRY(sotto_i_join(&path, job->folder, "wire", err));
  SOTTO_TRY(sotto_i_make_folder(path, err));
  for (bool there = true; there;) {
    sotto_i_free(path);
    path = NULL;
    SOTTO_TRY(path_of(&path, job->folder, role, log->count + 1, err));
    there = sotto_i_is_file(path);
    if (there) log->count++;
  }
  sotto_i_link_record(link, &record);
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_wire_log_read(sotto_dataset *out, bool *found, const char *folder, sotto_role role,
                                   uint64_t number, sotto_error *err) {
  char *path = NULL;
  sotto_status status = path_of(&path, folder, role, number, err);
  *found = status == SOTTO_OK && sotto_i_is_file(path);
  if (*found) status = sotto_dataset_open(out, path, NULL, err);
  sotto_i_free(path);
  return status;
}
