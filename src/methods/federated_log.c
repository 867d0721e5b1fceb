/* What a federation leaves beside its model: a line a round, and what each client came to. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "federated.h"

static json_t *number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

static json_t *quality_json(sotto_quality q) {
  return json_pack("{s:o,s:o,s:o}", "accuracy", number(q.accuracy), "auc", number(q.auc), "macro_f1",
                   number(q.macro_f1));
}

/* Takes `text` and `name`, a file in the seed's folder. */
static sotto_status write_text(const sotto_i_job *job, const char *name, const char *text, size_t size,
                               sotto_error *err) {
  char *path = NULL;
  sotto_status status = sotto_i_join(&path, job->folder, name, err);
  if (status == SOTTO_OK) status = sotto_i_write_file(path, text, size, err);
  sotto_i_free(path);
  return status;
}

static sotto_status write_turns(const sotto_i_fed_server *server, sotto_error *err) {
  uint64_t rounds = server->federation->options->rounds;
  size_t used = 0, capacity = 0;
  char *text = NULL;
  sotto_status status = SOTTO_OK;
  for (uint64_t i = 0; i < rounds; i++) {
    const sotto_i_fed_turn *t = &server->turns[i];
    json_t *line =
        json_pack("{s:I,s:I,s:o,s:o,s:I,s:I}", "round", (json_int_t)t->round, "clients",
                  (json_int_t)t->clients, "loss", number(t->loss), "validation", number(t->validation),
                  "sent", (json_int_t)t->sent, "received", (json_int_t)t->received);
    char *dumped = line == NULL ? NULL : json_dumps(line, JSON_COMPACT);
    json_decref(line);
    size_t size = dumped == NULL ? 0 : strlen(dumped);
    status = dumped == NULL ? sotto_i_fail(err, SOTTO_NOMEM, "no memory for the log of rounds")
                            : sotto_i_grow(&text, &capacity, used + size + 1, 1, err);
    if (status == SOTTO_OK) {
      memcpy(text + used, dumped, size + 1);
      text[used + size] = '\n';
      used += size + 1;
    }
    free(dumped);
    if (status != SOTTO_OK) goto done;
  }
  SOTTO_TRY(write_text(server->job, "rounds.jsonl", text, used, err));
done:
  sotto_i_free(text);
  return status;
}

sotto_status sotto_i_fed_log(const sotto_i_fed_server *server, const sotto_i_fed_client *clients,
                             sotto_error *err) {
  json_t *list = json_array();
  char *text = NULL;
  sotto_status status = SOTTO_OK;
  if (!server->federation->alone) SOTTO_TRY(write_turns(server, err));
  for (uint32_t i = 0; i < server->federation->clients; i++) {
    const sotto_traffic traffic = sotto_link_traffic(server->links[i]);
    uint64_t sent = 0, received = 0;
    for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
      sent += traffic.received[kind]; /* the client's side */
      received += traffic.sent[kind];
    }
    json_t *row = json_pack("{s:I,s:I,s:I,s:I,s:o,s:o,s:I,s:I}", "client", (json_int_t)i + 1, "training",
                            (json_int_t)clients[i].count[SOTTO_PART_TRAIN], "validation_items",
                            (json_int_t)clients[i].count[SOTTO_PART_VALIDATION], "test_items",
                            (json_int_t)clients[i].count[SOTTO_PART_TEST], "validation",
                            quality_json(sotto_i_fed_quality(server, i, 1, 0)), "test",
                            quality_json(sotto_i_fed_quality(server, i, 1, 1)), "sent", (json_int_t)sent,
                            "received", (json_int_t)received);
    if (server->own != NULL) {
      const sotto_i_fed_server own = {.federation = server->federation, .evaluation = server->own};
      json_object_set_new(row, "own_test", quality_json(sotto_i_fed_quality(&own, i, 1, 1)));
    }
    json_array_append_new(list, row);
  }
  text = json_dumps(list, JSON_INDENT(2));
  if (text == NULL)
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the table of clients");
  else
    SOTTO_TRY(write_text(server->job, "clients.json", text, strlen(text), err));
done:
  free(text);
  json_decref(list);
  return status;
}
