/* Any bytes as a file of a run folder: the result of a seed, what is beside a draw, the training that was
 * chosen, the metrics, what a server was told of the data, a role, the scale of a correction, records of a
 * checked sum. The first byte picks the file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input_file.h"
#include "protocols/correction_scale.h"
#include "release/draw.h"
#include "run/statement/dispute_file.h"
#include "run/storage/choice_file.h"
#include "run/storage/facts_file.h"
#include "run/storage/metrics.h"
#include "run/storage/seed_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_result(const uint8_t *data, size_t size) {
  static sotto_i_outcome outcome;
  sotto_error err = {0};
  (void)fuzz_put("result.json", data, size);
  if (sotto_i_seed_file_read(&outcome, fuzz_folder(), &err) != SOTTO_OK) {
    if (err.text[0] == '\0') abort();
    return;
  }
  const size_t most = sizeof outcome.exposures / sizeof *outcome.exposures;
  if (outcome.exposure_count > most || outcome.data_exposures > outcome.exposure_count) abort();
  for (size_t i = 0; i < outcome.exposure_count; i++)
    if (memchr(outcome.exposures[i].reason, '\0', sizeof outcome.exposures[i].reason) == NULL) abort();
}

static void find_draw(const uint8_t *data, size_t size) {
  sotto_i_draw draw = {0};
  bool found = false;
  sotto_error err = {0};
  char path[200];
  (void)fuzz_put("table.bin.made", data, size);
  (void)snprintf(path, sizeof path, "%s", fuzz_put("table.bin", (const uint8_t *)"rows", 4));
  if (sotto_i_draw_find(&draw, &found, path, "options", &err) != SOTTO_OK && (found || err.text[0] == '\0'))
    abort();
}

static void load_choice(const uint8_t *data, size_t size) {
  static sotto_options options;
  size_t best = 0;
  sotto_error err = {0};
  sotto_options_default(&options);
  options.seeds = 3;
  (void)snprintf(options.out, sizeof options.out, "%s", fuzz_folder());
  (void)fuzz_put("chosen", data, size);
  if (sotto_i_choice_load(&best, &options, &err) != SOTTO_OK) {
    if (err.text[0] == '\0') abort();
  } else if (best >= options.seeds) {
    abort();
  }
}

static void load_facts(const uint8_t *data, size_t size) {
  static sotto_options options;
  sotto_i_facts facts = {{0}};
  sotto_error err = {0};
  sotto_options_default(&options);
  (void)snprintf(options.out, sizeof options.out, "%s", fuzz_folder());
  (void)fuzz_put("facts", data, size);
  if (sotto_i_facts_load(&facts, options.out, &err) != SOTTO_OK && err.text[0] == '\0') abort();
}

static void load_role(const uint8_t *data, size_t size) {
  sotto_party party = {.number = 0};
  bool found = false;
  sotto_error err = {0};
  (void)fuzz_put("role", data, size);
  if (sotto_i_role_load(&party, &found, fuzz_folder(), &err) != SOTTO_OK && (found || err.text[0] == '\0'))
    abort();
}

/* Every number of a scale that is read is finite. */
static void load_scale(const uint8_t *data, size_t size) {
  enum { classes = 3 };
  sotto_i_correction_scale scale;
  sotto_error err = {0};
  (void)fuzz_put("correction.json", data, size);
  if (sotto_i_correction_scale_load(&scale, fuzz_folder(), classes, &err) != SOTTO_OK) {
    if (err.text[0] == '\0') abort();
  } else {
    for (size_t i = 0; i < (size_t)2 * classes; i++)
      if (!isfinite(scale.moments[i])) abort();
  }
  sotto_i_correction_scale_free(&scale);
}

/* An epoch is added to what is there: the old lines are read, and those that it replaces go. */
static void add_metric(const uint8_t *data, size_t size) {
  sotto_i_metrics *metrics = NULL;
  const sotto_options options = {.adjacency = SOTTO_ADJACENCY_EDGE};
  (void)fuzz_put("metrics.jsonl", data, size);
  if (sotto_i_metrics_open(&metrics, fuzz_folder(), &options, NULL, NULL) != SOTTO_OK) abort();
  const sotto_recorder recorder = sotto_i_metrics_recorder(metrics);
  const sotto_epoch epoch = {.seed = 1, .stage = "encoder", .epoch = 2, .loss = 0.5, .validation = 0.25};
  recorder.epoch(recorder.context, &epoch);
  sotto_i_metrics_close(metrics);
}

static void read_refused(const uint8_t *data, size_t size) {
  sotto_i_check_refusal refusal = {.points = NULL};
  sotto_error err = {0};
  const char *path = fuzz_put("refused.json", data, size);
  if (sotto_i_dispute_read_refused(&refusal, path, &err) != SOTTO_OK) {
    if (err.text[0] == '\0') abort();
  } else if (refusal.client >= refusal.clients || refusal.place >= refusal.plan.clients) {
    abort();
  }
  sotto_i_dispute_free_refused(&refusal);
}

static void read_sent(const uint8_t *data, size_t size) {
  sotto_i_check_kept kept;
  sotto_error err = {0};
  if (sotto_i_dispute_read_sent(&kept, fuzz_put("sent.json", data, size), &err) != SOTTO_OK &&
      err.text[0] == '\0')
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  void (*const readers[])(const uint8_t *, size_t) = {read_result, find_draw,    load_choice,
                                                      add_metric,  load_facts,   load_role,
                                                      load_scale,  read_refused, read_sent};
  if (size > 0) readers[data[0] % (sizeof readers / sizeof *readers)](data + 1, size - 1);
  return 0;
}
