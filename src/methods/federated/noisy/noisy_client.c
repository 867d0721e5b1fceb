/* A client of a federation with noisy sums: the sum of its records' vectors in whole steps
 * (noisy_records.c), and its noise.
 *
 * All samples and all noise of a seed follow from one key, which is drawn and charged for all rounds before
 * the first. So a round that is repeated after a restart sends the same sum. It never sends another one:
 * the round's model is stored before any work on it, and the sum before it is sent. A server that sends
 * another model in that round gets nothing, whether the round was finished or not. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "dp/noise/noise.h"
#include "inside/party.h"
#include "methods/federated/federated.h"
#include "party/secure_sum/sum_memory.h"
#include "party/wire/link/transport.h"
#include "run/files/folder_file.h"

/* The digests are useless without the key of the noise. */
static const sotto_i_folder_file summed_files = {"seed-*/summed-*.bin", SOTTO_I_FOR_ANYONE,
                                                 "keyed digests of a client's messages, by round"};
static const sotto_i_folder_file asked_files = {"seed-*/asked-*.bin", SOTTO_I_FOR_ANYONE,
                                                "keyed digests of the models that a client got, by round"};

enum { chunk = 4096 };

sotto_status sotto_i_fed_noise_key_use(sotto_i_drawn_key *out, const sotto_i_fed_noise_key *of,
                                       sotto_error *err) {
  const sotto_i_fed_noise *n = of->noise;
  char file[64], made_with[320];
  (void)snprintf(file, sizeof file, "owner-only/noise-%u.key", (unsigned)of->number);
  (void)snprintf(
      made_with, sizeof made_with,
      "key of samples and noise of %s: by %d, rounds %llu, rate %.17g, clip %.17g, step %.17g, noise "
      "%.17g of %u of %u parties",
      of->job->options->method, (int)n->by,
      (unsigned long long)sotto_i_client_settings_of(of->job->options)->rounds, n->rate, n->clip,
      n->grid.step, n->grid.each.sigma, (unsigned)n->grid.counted, (unsigned)n->grid.parties);
  const sotto_i_artifact artifact = {.owner = sotto_i_job_owner(of->job),
                                     .item = of->item,
                                     .file = file,
                                     .made_with = made_with,
                                     .part = of->part,
                                     .part_data = of->part_data};
  return sotto_i_artifact_key_use(out, &artifact, of->number, err);
}

static size_t item_of(const sotto_i_fed_client *c) {
  return sotto_i_cost_item_of(c->federation->job->cost, SOTTO_ACCOUNT_DATA);
}

sotto_status sotto_i_fed_noisy_ask(const sotto_i_fed_client *c, sotto_error *err) {
  return sotto_i_job_ask_part(c->federation->job, item_of(c), 1, &c->data, err);
}

/* Words of a secure sum have 64 bits, so sums must not wrap. */
static sotto_status check_reach(const sotto_i_fed_client *c, sotto_error *err) {
  const double records = (double)sotto_i_fed_record_count(c);
  const double reach = sotto_i_summed_reach(&c->federation->noise.grid, records);
  if (reach < 0x1p62) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_RANGE,
      "%g records at each of %u clients: sums of their vectors, up to %g steps of noise's grid, might wrap",
      records, (unsigned)c->federation->noise.grid.parties, reach);
}

sotto_status sotto_i_fed_noisy_begin(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  const sotto_i_fed_noise_key of = {.job = f->job,
                                    .item = item_of(c),
                                    .number = c->number + 1,
                                    .part = f->apart ? 0 : c->number + 1,
                                    .part_data = f->apart ? NULL : &c->data,
                                    .noise = &f->noise};
  sotto_status status = check_reach(c, err);
  return status == SOTTO_OK ? sotto_i_fed_noise_key_use(&c->drawn, &of, err) : status;
}

/* Adds all of the noise: a Gaussian rounded to the grid, on a sum on the grid. This is the Gaussian
 * mechanism, and a rounding after it. */
void sotto_i_fed_add_rounded(int64_t *sum, size_t size, double sigma, const sotto_key *key, uint64_t round) {
  int32_t noise[chunk];
  for (size_t at = 0; at < size; at += chunk) {
    const size_t count = size - at < chunk ? size - at : chunk;
    sotto_i_noise_steps(noise, count, sigma, key, (uint32_t)round, at / chunk);
    for (size_t j = 0; j < count; j++) sum[at + j] += noise[j];
  }
  sodium_memzero(noise, sizeof noise);
}

sotto_status sotto_i_fed_noisy_sum(int64_t *sum, sotto_i_fed_client *c, uint64_t round, sotto_error *err) {
  const sotto_i_fed_noise *noise = &c->federation->noise;
  const size_t size = c->model.size;
  sotto_status status = sotto_i_fed_add_records(sum, c, round, err);
  if (status == SOTTO_OK) status = sotto_i_fed_show_sum(c->federation, round, size, sum, NULL, err);
  if (status != SOTTO_OK) return status;
  if (noise->by == SOTTO_I_NOISE_DISTRIBUTED)
    return sotto_discrete_gaussian_add(sum, size, &noise->grid.each, &c->drawn.key, (uint32_t)round, err);
  if (noise->by == SOTTO_I_NOISE_LOCAL)
    sotto_i_fed_add_rounded(sum, size, noise->grid.each.sigma, &c->drawn.key, round);
  return SOTTO_OK;
}

/* Stores permanently, before the next step, a digest of the round's model, or with `sum` one of model and
 * sum. */
static sotto_status store_digest(const sotto_i_fed_client *c, uint64_t round, const int64_t *sum,
                                 sotto_error *err) {
  uint8_t digest[SOTTO_SUM_DIGEST];
  crypto_generichash_state hash;
  char name[80], *path = NULL;
  crypto_generichash_init(&hash, c->drawn.key.bytes, sizeof c->drawn.key.bytes, sizeof digest);
  crypto_generichash_update(&hash, (const uint8_t *)c->global.data, c->global.cols * sizeof(float));
  if (sum != NULL) crypto_generichash_update(&hash, (const uint8_t *)sum, c->model.size * sizeof *sum);
  crypto_generichash_final(&hash, digest, sizeof digest);
  const bool asked = sum == NULL;
  (void)snprintf(name, sizeof name, "%s-%u-%s.bin", asked ? "asked" : "summed", (unsigned)c->number + 1,
                 c->drawn.name);
  sotto_status status = sotto_i_folder_path(&path, c->federation->job->folder,
                                            asked ? &asked_files : &summed_files, name, NULL, err);
  if (status == SOTTO_OK) status = sotto_i_sum_memory_keep(path, round, digest, err);
  sotto_i_free(path);
  return status;
}

static sotto_status send_masked(sotto_i_fed_client *c, const int64_t *sum, uint64_t round,
                                const uint32_t *taking, sotto_error *err) {
  const size_t size = c->model.size;
  uint64_t *values = NULL;
  sotto_i_fed_sum plan;
  sotto_status status;
  const sotto_i_fed_summed of = sotto_i_fed_round_summed(c->federation, round, taking, &c->global);
  SOTTO_TRY(sotto_i_fed_sum_new(&plan, c->federation, &of, &c->global, err));
  SOTTO_TRY(sotto_i_new(&values, size + SOTTO_I_FED_EXTRAS, sizeof *values, err));
  for (size_t j = 0; j < size; j++) values[j] = (uint64_t)sum[j];
  values[size + SOTTO_I_FED_EXAMPLES] = sotto_i_fed_record_count(c);
  SOTTO_TRY(sotto_i_fed_sum_take_part(c, &plan, taking, values, NULL, err));
done:
  sotto_i_fed_sum_free(&plan);
  sotto_i_free(values);
  return status;
}

/* To a server that adds the noise. */
static sotto_status send_bare(const sotto_i_fed_client *c, int64_t *sum, sotto_error *err) {
  const sotto_words words = {.name = "clipped sum",
                             .kind = SOTTO_WIRE_EXPOSED,
                             .reason =
                                 "the server, which is trusted to, adds the noise: it sees each client's sum "
                                 "of clipped vectors",
                             .data = sum,
                             .rows = 1,
                             .cols = 2 * (c->model.size + 1)};
  return sotto_link_send_words(c->link, &words, err);
}

/* With all of the noise included. */
static sotto_status send_noisy(const sotto_i_fed_client *c, const int64_t *sum, sotto_error *err) {
  sotto_matrix rows = {0};
  sotto_status status = sotto_matrix_new(&rows, 1, c->model.size + 1, err);
  if (status != SOTTO_OK) return status;
  for (size_t j = 0; j < c->model.size; j++)
    rows.data[j] = (float)((double)sum[j] * c->federation->noise.grid.step);
  rows.data[c->model.size] = (float)sum[c->model.size];
  status = sotto_i_link_send_charged(c->link, "noisy sum", &rows, &c->drawn.receipt, err);
  sotto_matrix_free(&rows);
  return status;
}

sotto_status sotto_i_fed_noisy_turn(sotto_i_fed_client *c, uint64_t round, const uint32_t *taking,
                                    sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  int64_t *sum = NULL; /* and the number of records, which is public */
  sotto_status status;
  SOTTO_TRY(store_digest(c, round, NULL, err));
  SOTTO_TRY(sotto_i_new(&sum, c->model.size + 1, sizeof *sum, err));
  SOTTO_TRY(sotto_i_fed_noisy_sum(sum, c, round, err));
  sum[c->model.size] = (int64_t)sotto_i_fed_record_count(c);
  SOTTO_TRY(store_digest(c, round, sum, err));
  if (f->settings->secure_aggregation)
    SOTTO_TRY(send_masked(c, sum, round, taking, err));
  else if (f->noise.by == SOTTO_I_NOISE_CENTRAL)
    SOTTO_TRY(send_bare(c, sum, err));
  else
    SOTTO_TRY(send_noisy(c, sum, err));
done:
  if (sum != NULL) sodium_memzero(sum, c->model.size * sizeof *sum);
  sotto_i_free(sum);
  return status;
}

sotto_status sotto_i_fed_noisy_end(sotto_i_fed_client *c, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_receive_model(c, err));
  SOTTO_TRY(sotto_matrix_new(&c->answers, 2, sotto_i_fed_answers_width(c->federation), err));
  SOTTO_TRY(sotto_i_fed_judge(&c->answers, c, err));
done:
  return status;
}
