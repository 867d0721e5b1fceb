/* Logs of a federation: one line a round, and the measures of each client. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "methods/federated/federated.h"
#include "nn/quality.h"
#include "run/files/folder_file.h"
#include "run/statement/statement.h"

static const sotto_i_folder_file parts_file = {"seed-*/parts.csv", SOTTO_I_FOR_OWNER,
                                               "which client has which item"};
static const sotto_i_folder_file clients_file = {"seed-*/clients.json", SOTTO_I_FOR_OWNER,
                                                 "sizes and measures of single clients"};
static const sotto_i_folder_file rounds_file = {"seed-*/rounds.jsonl", SOTTO_I_FOR_MEASURES,
                                                "losses and validation measures of all clients together"};

static json_t *quality_json(sotto_quality q, sotto_task task) {
  json_t *object = json_object();
  for (int m = sotto_i_measures_begin(task); m < sotto_i_measures_end(task); m++)
    json_object_set_new(object, sotto_measure_name((sotto_measure)m), sotto_i_json_number(q.of[m]));
  return object;
}

sotto_status sotto_i_fed_log_parts(const sotto_i_job *job, const uint32_t *owner, const sotto_split *split,
                                   sotto_error *err) {
  static const char *const words[] = {"none", "train", "validation", "test"};
  const uint64_t items = sotto_deal_items(job->data);
  uint8_t *parts = NULL;
  char *text = NULL;
  size_t size = 0;
  sotto_status status = sotto_i_new(&parts, items, 1, err);
  if (status != SOTTO_OK) return status;
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    for (size_t i = 0; i < split->count[part]; i++) parts[split->rows[part][i]] = (uint8_t)part;
  FILE *out = open_memstream(&text, &size);
  if (out != NULL) {
    (void)fputs("item,client,part\n", out);
    for (uint64_t i = 0; i < items; i++)
      (void)fprintf(out, "%llu,%u,%s\n", (unsigned long long)i, (unsigned)owner[i] + 1, words[parts[i]]);
  }
  if (out == NULL || fclose(out) != 0)
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the list of parts");
  else
    status = sotto_i_folder_write(job->folder, &parts_file, NULL, job->options, text, size, err);
  free(text);
  sotto_i_free(parts);
  return status;
}

/* Adds the numbers of clients that were in round `index`, from 0, and left before they answered. */
static void add_missing(json_t *line, const sotto_i_fed_server *server, uint64_t index) {
  const uint32_t clients = server->federation->clients;
  json_t *list = json_array();
  for (uint32_t i = 0; server->missing != NULL && i < clients; i++)
    if (server->missing[index * clients + i] != 0)
      json_array_append_new(list, json_integer((json_int_t)i + 1));
  if (server->missing != NULL) json_object_set(line, "missing", list);
  json_decref(list);
}

static sotto_status write_turns(const sotto_i_fed_server *server, sotto_error *err) {
  uint64_t rounds = server->federation->rounds;
  size_t used = 0, capacity = 0;
  char *text = NULL;
  sotto_status status = SOTTO_OK;
  for (uint64_t i = 0; i < rounds; i++) {
    const sotto_i_fed_turn *t = &server->turns[i];
    json_t *line = json_pack("{s:I,s:I,s:o,s:o,s:I,s:I}", "round", (json_int_t)t->round, "clients",
                             (json_int_t)t->clients, "loss", sotto_i_json_number(t->loss), "validation",
                             sotto_i_json_number(t->validation), "sent", (json_int_t)t->sent, "received",
                             (json_int_t)t->received);
    add_missing(line, server, i);
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
  SOTTO_TRY(
      sotto_i_folder_write(server->job->folder, &rounds_file, NULL, server->job->options, text, used, err));
done:
  sotto_i_free(text);
  return status;
}

static json_t *item_count(const sotto_i_fed_client *clients, uint32_t i, sotto_part part) {
  return clients == NULL ? json_null() : json_integer((json_int_t)clients[i].count[part]);
}

sotto_status sotto_i_fed_log(const sotto_i_fed_server *server, const sotto_i_fed_client *clients,
                             sotto_error *err) {
  const sotto_task task = server->federation->options->task;
  json_t *list = json_array();
  char *text = NULL;
  sotto_status status = SOTTO_OK;
  if (!server->federation->alone) SOTTO_TRY(write_turns(server, err));
  for (uint32_t i = 0; i < server->federation->clients; i++) {
    const sotto_traffic traffic = sotto_i_fed_traffic(server, i);
    uint64_t sent = 0, received = 0;
    for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
      sent += traffic.received[kind]; /* seen from the client */
      received += traffic.sent[kind];
    }
    json_t *row = json_pack("{s:I,s:o,s:o,s:o,s:o,s:o,s:I,s:I}", "client", (json_int_t)i + 1, "training",
                            item_count(clients, i, SOTTO_PART_TRAIN), "validation_items",
                            item_count(clients, i, SOTTO_PART_VALIDATION), "test_items",
                            item_count(clients, i, SOTTO_PART_TEST), "validation",
                            quality_json(sotto_i_fed_quality(server, i, 1, 0), task), "test",
                            quality_json(sotto_i_fed_quality(server, i, 1, 1), task), "sent",
                            (json_int_t)sent, "received", (json_int_t)received);
    if (server->left != NULL)
      json_object_set_new(row, "left_in_round",
                          server->left[i] == 0 ? json_null() : json_integer((json_int_t)server->left[i]));
    if (server->own != NULL) {
      const sotto_i_fed_server own = {.federation = server->federation, .evaluation = server->own};
      json_object_set_new(row, "own_test", quality_json(sotto_i_fed_quality(&own, i, 1, 1), task));
    }
    json_array_append_new(list, row);
  }
  text = json_dumps(list, JSON_INDENT(2));
  if (text == NULL)
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the table of clients");
  else
    SOTTO_TRY(sotto_i_folder_write(server->job->folder, &clients_file, NULL, server->job->options, text,
                                   strlen(text), err));
done:
  free(text);
  json_decref(list);
  return status;
}
