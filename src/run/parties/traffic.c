/* Planned traffic of two parties: the numbers that it follows from, and the words for people. */
#include "traffic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/progress.h"
#include "party/wire/link/transport.h"

sotto_i_exchange_shape sotto_i_traffic_shape(const sotto_i_job *job, const sotto_split *split,
                                             uint32_t classes) {
  sotto_i_exchange_shape out = {.nodes = job->data->graph.nodes, .classes = classes};
  memcpy(out.count, split->count, sizeof out.count);
  return out;
}

static void write_bytes(char out[24], double bytes) {
  (void)snprintf(out, 24, bytes < 9.95e6 ? "%.1f MB" : "%.0f MB", bytes / 1e6);
}

void sotto_i_traffic_text(char out[SOTTO_I_TRAFFIC_TEXT], const sotto_i_exchanged *e,
                          const sotto_options *options) {
  char all[24], there[24], back[24];
  write_bytes(all, e->to_label + e->to_data);
  write_bytes(there, e->to_label);
  write_bytes(back, e->to_data);
  (void)snprintf(out, SOTTO_I_TRAFFIC_TEXT,
                 "%s%s in %.0f round trips: %s to the label party and %s to the data party",
                 options->patience > 0 ? "at most " : "", all, e->trips, there, back);
}

/* A burst of 2 MB cannot measure rates above 10 Gbit/s. */
static void write_rate(char out[24], double bytes) {
  const double mbit = bytes * 8e-6;
  if (mbit > 1e4)
    (void)snprintf(out, 24, "over 10 Gbit/s");
  else
    (void)snprintf(out, 24, mbit < 999.5 ? "%.3g Mbit/s" : "%.2g Gbit/s", mbit < 999.5 ? mbit : mbit / 1e3);
}

void sotto_i_traffic_time(char out[SOTTO_I_TRAFFIC_TEXT], const sotto_i_exchanged *exchange,
                          const sotto_i_line *line) {
  const double seconds = ceil(sotto_i_line_seconds(line, exchange));
  char time[32], there[24], back[24];
  write_rate(there, line->to_label);
  write_rate(back, line->to_data);
  (void)snprintf(time, sizeof time, seconds < 60 ? "%.0f s" : "%.0f min %02.0f s",
                 seconds < 60 ? seconds : floor(seconds / 60), fmod(seconds, 60));
  (void)snprintf(out, SOTTO_I_TRAFFIC_TEXT,
                 "%s at %s to the label party, %s to the data party and %.3g ms a round trip", time, there,
                 back, line->trip * 1e3);
}

void sotto_i_traffic_tell(const sotto_i_job *job, sotto_link *link, const sotto_i_exchange_shape *shape) {
  const sotto_i_variant *variant = sotto_i_variant_of(job->options);
  char phrase[SOTTO_I_TRAFFIC_TEXT], time[SOTTO_I_TRAFFIC_TEXT] = "", text[2 * SOTTO_I_TRAFFIC_TEXT + 80];
  sotto_i_exchanged e = {0};
  if (job->seat == NULL || variant->exchange == NULL || !variant->exchange(&e, job->options, shape)) return;
  sotto_i_traffic_text(phrase, &e, job->options);
  if (job->seat->line != NULL) sotto_i_traffic_time(time, &e, job->seat->line);
  (void)snprintf(text, sizeof text, "this training exchanges %s%s%s", phrase,
                 time[0] != '\0' ? "; on the network that takes " : "", time);
  sotto_i_log(job->observer, SOTTO_LOG_INFO, "%s", text);
  sotto_i_link_plan(link, (uint64_t)(e.to_label + e.to_data));
}

/* The label party's own split, with the labels that it has. */
static bool split_of_labels(sotto_i_exchange_shape *out, const sotto_options *options,
                            const sotto_dataset *data) {
  const sotto_i_job job = {.options = options, .data = data, .seed = options->seed};
  sotto_i_parted parted;
  if (sotto_i_parted_new(&parted, &job, NULL) != SOTTO_OK) return false;
  *out = sotto_i_traffic_shape(&job, &parted.split, data->classes);
  sotto_i_parted_free(&parted);
  return true;
}

bool sotto_i_traffic_expect(sotto_i_exchanged *out, const sotto_options *options, const sotto_dataset *data,
                            sotto_role role) {
  const sotto_i_variant *variant = sotto_i_variant_of(options);
  sotto_i_exchange_shape shape = {.nodes = data->graph.nodes};
  *out = (sotto_i_exchanged){0};
  if (variant->exchange == NULL) return false;
  if (role == SOTTO_ROLE_LABEL) {
    if (!split_of_labels(&shape, options, data)) return false;
  } else {
    if (options->split != SOTTO_SPLITTING_RANDOM) return false;
    shape = sotto_i_exchange_of_shares(options, data->graph.nodes, 0);
    shape.columns = data->features.cols;
  }
  return variant->exchange(out, options, &shape);
}
