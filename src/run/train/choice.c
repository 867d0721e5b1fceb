/* The choice among several trainings, and the message to the data party about it. */
#include "choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "run/files/folder_file.h"
#include "run/files/job_file.h"

static const char payload[] = "chosen";
static const char *const reason =
    "which training did best on validation labels: its model is the one that both parties keep";

bool sotto_i_choice_free(const sotto_i_run *r) {
  bool node = r->cost.count > 0 && strcmp(r->cost.adjacency, "node") == 0;
  return !node && !(r->options->label_epsilon > 0);
}

bool sotto_i_choice_asked(const sotto_i_run *r) {
  const bool two =
      sotto_i_method_of(r->options)->topology == SOTTO_TWO_PARTIES && !sotto_i_labels_join(r->options);
  return two && r->options->seeds > 1 && sotto_i_choice_free(r);
}

size_t sotto_i_choice_best(const sotto_result *result, const sotto_options *options) {
  const sotto_measure measure = sotto_i_selects_by(options);
  size_t best = 0;
  for (size_t i = 1; i < result->seed_count; i++)
    if (sotto_i_quality_value(&result->seeds[i].validation, measure) >
        sotto_i_quality_value(&result->seeds[best].validation, measure))
      best = i;
  return best;
}

sotto_status sotto_i_choice_settle(size_t *best, const sotto_i_run *r, const sotto_result *result,
                                   sotto_link *link, sotto_error *err) {
  uint32_t number = 0;
  sotto_status status;
  if (r->party->role == SOTTO_ROLE_LABEL) {
    number = (uint32_t)sotto_i_choice_best(result, r->options);
    const sotto_words words = {payload, SOTTO_WIRE_EXPOSED, reason, &number, 1, 1};
    SOTTO_TRY(sotto_link_send_words(link, &words, err));
  } else {
    const sotto_expectation expected = {payload, SOTTO_WIRE_EXPOSED, 1, 1, 0};
    SOTTO_TRY(sotto_link_receive_words(link, &number, &expected, err));
    if (number >= r->options->seeds) {
      sotto_link_close(link, SOTTO_I_BREACH_REASON);
      return sotto_i_fail(err, SOTTO_PROTOCOL, "%s: training %u is chosen, of %llu", payload, number + 1,
                          (unsigned long long)r->options->seeds);
    }
  }
  SOTTO_TRY(sotto_i_choice_save(number, r->options, err));
  *best = number;
done:
  return status;
}

void sotto_i_choice_note(sotto_result *out, const sotto_i_run *r) {
  const size_t bytes = sizeof(uint32_t), most = sizeof out->exposures / sizeof *out->exposures;
  out->label_party.sent[SOTTO_WIRE_EXPOSED] += bytes;
  out->data_party.received[SOTTO_WIRE_EXPOSED] += bytes;
  if ((r->party != NULL && r->party->role == SOTTO_ROLE_DATA) || out->exposure_count == most) return;
  sotto_exposure *exposure = &out->exposures[out->exposure_count++];
  (void)snprintf(exposure->name, sizeof exposure->name, "%s", payload);
  (void)snprintf(exposure->reason, sizeof exposure->reason, "%s", reason);
}

static const sotto_i_folder_file model_file = {"model.safetensors", SOTTO_I_FOR_LABELS,
                                               "networks of one seed, as seed-*/model.safetensors"};

sotto_status sotto_i_choice_keep_model(sotto_result *out, const sotto_i_run *r, size_t best,
                                       sotto_error *err) {
  char folder[1200], *from = NULL, *to = NULL;
  sotto_i_map map = {0};
  sotto_status status;
  if (r->party != NULL && r->party->role == SOTTO_ROLE_HELPER) return SOTTO_OK;
  (void)snprintf(folder, sizeof folder, "%s/seed-%llu", r->options->out,
                 (unsigned long long)out->seeds[best].seed);
  SOTTO_TRY(sotto_i_job_find_model(&from, folder, r->options, err));
  SOTTO_TRY(sotto_i_map_open(&map, from, err));
  SOTTO_TRY(sotto_i_folder_path(&to, r->options->out, &model_file, NULL, r->options, err));
  (void)snprintf(out->model, sizeof out->model, "%s", to);
  SOTTO_TRY(sotto_i_folder_write(r->options->out, &model_file, NULL, r->options, map.data, map.size, err));
done:
  sotto_i_map_close(&map);
  sotto_i_free(from);
  sotto_i_free(to);
  return status;
}
