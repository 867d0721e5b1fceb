/* Checked sums of a federation: a second server, the helper, checks together with the first that no
 * client's update exceeds update-bound. */
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "federated.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/party.h"
#include "party/checked_sum/check_links.h"
#include "party/secure_sum/sum_memory.h"
#include "protocol.h"
#include "run/files/folder_file.h"
#include "run/statement/dispute_file.h"

/* A vector is the update, scaled so that 2^24 is a norm of update-bound, then figures from 0 to 1, 2^20
 * each: the share of right predictions on validation items, whether there were any, and the loss, at most
 * 16. All clients have the same weight. */
enum { right, asked, loss, figures, bound_bits = 24, figure_bits = 20, most_loss = 16, least_in_sum = 3 };

static const char model_payload[] = "check model";

bool sotto_i_fed_has_helper(const sotto_options *options) {
  return sotto_i_client_settings_of(options)->update_bound > 0;
}

/* The number of clients that must pass, out of `taking`. */
static uint32_t least_checked(uint32_t taking) {
  const uint32_t least = 2 * taking / 3 + 1;
  return least < least_in_sum ? least_in_sum : least;
}

/* The helper gets only a digest of the model from the server. Clients with another model sign another plan,
 * and are not in the sum. */
static void digest_model(uint8_t out[SOTTO_SUM_DIGEST], const float *model, size_t size) {
  crypto_generichash(out, SOTTO_SUM_DIGEST, (const uint8_t *)model, size * sizeof *model, NULL, 0);
}

static sotto_i_check_occasion occasion_of(const sotto_i_federation *f, uint64_t round,
                                          const uint8_t model[SOTTO_SUM_DIGEST]) {
  sotto_i_check_occasion of = {.round = round};
  memcpy(of.run, f->sums->run, sizeof of.run);
  memcpy(of.model, model, sizeof of.model);
  return of;
}

static void plan_of(sotto_i_check_plan *out, const sotto_i_federation *f, uint64_t round, size_t size,
                    const uint8_t model[SOTTO_SUM_DIGEST]) {
  const sotto_i_check_occasion of = occasion_of(f, round, model);
  *out = (sotto_i_check_plan){.clients = f->taking,
                              .least = least_checked(f->taking),
                              .values = size + figures,
                              .bound = (uint64_t)1 << (2 * bound_bits)};
  sotto_i_check_token(out->token, &of);
}

static const uint8_t *signer_key(const sotto_i_federation *f, uint32_t number) {
  return f->sums->signers + (size_t)number * SOTTO_SUM_PUBLIC;
}

static const uint8_t *secret_key(const sotto_i_federation *f, uint32_t number) {
  return f->sums->secrets + (f->sums->secret_count > 1 ? (size_t)number * SOTTO_SUM_SECRET : 0);
}

/* The keys of a round's clients, in its order; to be freed. */
static sotto_status keys_of(uint8_t **out, const sotto_i_federation *f, const uint32_t *taking,
                            sotto_error *err) {
  const sotto_status status = sotto_i_new(out, f->taking, SOTTO_SUM_PUBLIC, err);
  for (uint32_t i = 0; status == SOTTO_OK && i < f->taking; i++)
    memcpy(*out + (size_t)i * SOTTO_SUM_PUBLIC, signer_key(f, taking[i]), SOTTO_SUM_PUBLIC);
  return status;
}

/* Rounds towards zero, so that no norm grows, and clips to the bound. An update that is not finite counts as
 * zero: the server chose the model, and would otherwise learn whose data make it overflow. */
static void encode_update(int64_t *out, const sotto_i_fed_client *c) {
  const size_t size = c->model.size;
  const float *update = c->update.data, *extras = update + size;
  const double unit = ldexp(1, figure_bits), least = ldexp(1, -24);
  double squares = 0, room = ldexp(1, 2 * bound_bits);
  int64_t *said = out + size;
  const double all = extras[SOTTO_I_FED_ASKED];
  said[asked] = all > 0 ? (int64_t)unit : 0;
  said[right] = all > 0 ? (int64_t)(unit * fmin(extras[SOTTO_I_FED_RIGHT] / all, 1)) : 0;
  said[loss] = (int64_t)(unit * fmin(fmax(extras[SOTTO_I_FED_LOSS] / most_loss, 0), 1));
  for (int i = 0; i < figures; i++) room -= (double)(said[i] * said[i]);
  for (size_t j = 0; j < size; j++) squares += (double)update[j] * update[j];
  if (!isfinite(squares)) {
    memset(out, 0, size * sizeof *out);
    return;
  }
  double scale = ldexp(1, bound_bits) / c->federation->settings->update_bound;
  if (scale * scale * squares > room * (1 - least)) scale = sqrt(room / squares) * (1 - least);
  for (size_t j = 0; j < size; j++) out[j] = (int64_t)(update[j] * scale);
}

/* A side's records for an arbiter, if each side has its own folder. */
typedef struct records {
  const sotto_i_federation *federation;
  sotto_i_check_occasion of;
  const uint32_t *taking; /* for the leader */
  uint32_t number;        /* for a client */
} records;

static sotto_status store_sent(void *context, const sotto_i_check_kept *kept, sotto_error *err) {
  const records *r = context;
  sotto_i_check_kept named = *kept;
  named.of = r->of;
  named.client = r->number;
  const sotto_status status = sotto_i_dispute_keep_sent(r->federation->job->folder, &named, err);
  sodium_memzero(&named, sizeof named);
  return status;
}

static sotto_status store_refusal(void *context, const sotto_i_check_refusal *refusal, sotto_error *err) {
  const records *r = context;
  sotto_i_check_refusal named = *refusal;
  named.of = r->of;
  named.client = r->taking[refusal->place];
  named.clients = r->federation->clients;
  return sotto_i_dispute_keep_refused(r->federation->job->folder, &named, err);
}

sotto_status sotto_i_fed_check_take_part(sotto_i_fed_client *c, uint64_t round, const uint32_t *taking,
                                         sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  const sotto_i_check_signers signers = {NULL, signer_key(f, f->clients), secret_key(f, c->number)};
  sotto_i_check_plan plan;
  int64_t *values = NULL;
  uint8_t model[SOTTO_SUM_DIGEST];
  uint32_t place = 0;
  sotto_status status;
  digest_model(model, c->global.data, c->model.size);
  plan_of(&plan, f, round, c->model.size, model);
  SOTTO_TRY(sotto_i_new(&values, plan.values, sizeof *values, err));
  encode_update(values, c);
  while (taking[place] != c->number) place++;
  records kept = {.federation = f, .of = occasion_of(f, round, model), .number = c->number};
  const sotto_i_check_records to = {.sent = store_sent, .context = &kept};
  SOTTO_TRY(sotto_i_check_take_part(c->link, &plan, place, values, &signers, f->apart ? &to : NULL, err));
done:
  if (values != NULL) sodium_memzero(values, plan.values * sizeof *values);
  sotto_i_free(values);
  return status;
}

/* Reports which clients are not in the sum. */
static uint32_t report_refused(const sotto_i_federation *f, const uint8_t *verdicts, const uint32_t *taking,
                               uint64_t round, const sotto_error *gone, uint32_t *refused) {
  static const char *const why[] = {"not all of its messages came as its owner signed them", "",
                                    "it sent words that are no numbers",
                                    "its update does not keep update-bound, or its proof is wrong"};
  uint32_t accepted = 0;
  for (uint32_t i = 0; i < f->taking; i++) {
    accepted += verdicts[i] == SOTTO_I_CHECK_ACCEPTED;
    if (verdicts[i] == SOTTO_I_CHECK_ACCEPTED || (gone != NULL && gone[i].status != SOTTO_OK)) continue;
    if (refused != NULL) refused[taking[i]]++;
    sotto_i_log(f->job->observer, SOTTO_LOG_WARNING, "client %u is left out of the sum of round %llu: %s",
                (unsigned)taking[i] + 1, (unsigned long long)round, why[verdicts[i]]);
  }
  return accepted;
}

static void fill_totals(sotto_i_fed_server *s, const int64_t *sums, uint32_t accepted) {
  const size_t size = s->model.size;
  const double step = s->federation->settings->update_bound * ldexp(1, -bound_bits);
  double *extras = s->totals + size;
  for (size_t j = 0; j < size; j++) s->totals[j] = step * (double)sums[j];
  extras[SOTTO_I_FED_EXAMPLES] = accepted;
  extras[SOTTO_I_FED_RIGHT] = ldexp((double)sums[size + right], -figure_bits);
  extras[SOTTO_I_FED_ASKED] = ldexp((double)sums[size + asked], -figure_bits);
  extras[SOTTO_I_FED_LOSS] = most_loss * ldexp((double)sums[size + loss], -figure_bits);
}

sotto_status sotto_i_fed_check_gather(uint32_t *accepted, sotto_i_fed_server *s, const uint32_t *taking,
                                      uint64_t round, sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  sotto_i_check_plan plan;
  sotto_link **links = NULL;
  sotto_error *gone = NULL;
  int64_t *sums = NULL;
  uint8_t model[SOTTO_SUM_DIGEST], *verdicts = NULL, *keys = NULL;
  const sotto_words words = {model_payload, SOTTO_WIRE_PUBLIC, NULL, model, 1, sizeof model / 4};
  sotto_status status;
  digest_model(model, s->values.data, s->model.size);
  plan_of(&plan, f, round, s->model.size, model);
  SOTTO_TRY(sotto_i_new(&links, plan.clients, sizeof(void *), err));
  SOTTO_TRY(sotto_i_new(&gone, plan.clients, sizeof *gone, err));
  SOTTO_TRY(sotto_i_new(&sums, plan.values, sizeof *sums, err));
  SOTTO_TRY(sotto_i_new(&verdicts, plan.clients, 1, err));
  for (uint32_t i = 0; i < plan.clients; i++)
    if (sotto_i_fed_is_here(s, taking[i])) links[i] = s->links[taking[i]];
  SOTTO_TRY(sotto_link_send_words(s->helper, &words, err));
  SOTTO_TRY(keys_of(&keys, f, taking, err));
  const sotto_i_check_signers signers = {.clients = keys, .helper = signer_key(f, f->clients)};
  records kept = {.federation = f, .of = occasion_of(f, round, model), .taking = taking};
  const sotto_i_check_records to = {.refused = store_refusal, .context = &kept};
  const sotto_i_check_sides sides = {.clients = links,
                                     .helper = s->helper,
                                     .limit = s->left == NULL ? 0 : f->options->grace,
                                     .records = f->apart ? &to : NULL};
  SOTTO_TRY(sotto_i_check_serve(sums, verdicts, gone, &sides, &plan, &signers, err));
  for (uint32_t i = 0; i < plan.clients; i++)
    if (links[i] != NULL) SOTTO_TRY(sotto_i_fed_left(s, taking[i], round, gone[i].status, &gone[i], err));
  *accepted = report_refused(f, verdicts, taking, round, gone, s->refused);
  fill_totals(s, sums, *accepted);
done:
  sotto_i_free(links);
  sotto_i_free(gone);
  sotto_i_free(sums);
  sotto_i_free(verdicts);
  sotto_i_free(keys);
  return status;
}

/* One round of one helper. */
typedef struct kept_round {
  const sotto_i_fed_helper *helper;
  uint64_t round;
} kept_round;

static const sotto_i_folder_file summed_file = {"seed-*/summed-helper.bin", SOTTO_I_FOR_ANYONE,
                                                "digests of the sets that the helper signed, by round"};

/* Stored in the seed's folder, which outlives checkpoints. */
static sotto_status store_set(void *context, const uint8_t set[SOTTO_SUM_DIGEST], sotto_error *err) {
  const kept_round *k = context;
  char *path = NULL;
  sotto_status status =
      sotto_i_folder_path(&path, k->helper->federation->job->folder, &summed_file, NULL, NULL, err);
  if (status == SOTTO_OK) status = sotto_i_sum_memory_keep(path, k->round, set, err);
  sotto_i_free(path);
  return status;
}

static sotto_status help_in_round(const sotto_i_fed_helper *h, size_t size, uint64_t round,
                                  const uint32_t *taking, sotto_error *err) {
  const sotto_i_federation *f = h->federation;
  sotto_i_check_signers signers = {.helper = signer_key(f, f->clients), .secret = secret_key(f, f->clients)};
  sotto_i_check_plan plan;
  uint8_t model[SOTTO_SUM_DIGEST], *keys = NULL, *verdicts = NULL;
  const sotto_expectation expected = {model_payload, SOTTO_WIRE_PUBLIC, 1, sizeof model / 4, 0};
  kept_round kept = {h, round};
  const sotto_i_check_memory memory = {store_set, &kept};
  sotto_status status;
  SOTTO_TRY(sotto_link_receive_words(h->link, model, &expected, err));
  plan_of(&plan, f, round, size, model);
  SOTTO_TRY(sotto_i_new(&verdicts, plan.clients, 1, err));
  SOTTO_TRY(keys_of(&keys, f, taking, err));
  signers.clients = keys;
  SOTTO_TRY(sotto_i_check_help(verdicts, h->link, &plan, &signers, f->apart ? &memory : NULL, err));
  if (f->apart)
    (void)report_refused(f, verdicts, taking, round, NULL, NULL); /* otherwise the server reports them */
done:
  sotto_i_free(keys);
  sotto_i_free(verdicts);
  return status;
}

sotto_status sotto_i_fed_helper_protocol(const sotto_i_fed_helper *h, sotto_error *err) {
  const sotto_i_federation *f = h->federation;
  sotto_i_fed_model model;
  uint32_t *taking = NULL;
  sotto_status status = sotto_i_fed_model_new(&model, f, err);
  if (status != SOTTO_OK) return status;
  const size_t size = model.size;
  sotto_i_fed_model_free(&model);
  SOTTO_TRY(sotto_i_new(&taking, f->taking, sizeof *taking, err));
  for (uint64_t round = h->checkpoints->at.number + 1; round <= f->rounds; round++) {
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(sotto_i_fed_round(taking, f, round, err));
    SOTTO_TRY(help_in_round(h, size, round, taking, err));
    SOTTO_TRY(sotto_i_fed_helper_save(h, round, err));
  }
done:
  sotto_i_free(taking);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "the helper");
  return status;
}

/* "client 2 (3 rounds), client 5 (1 round)", as far as the buffer allows. */
void sotto_i_fed_list_refused(char *out, size_t room, const sotto_i_fed_server *s) {
  size_t used = 0;
  out[0] = '\0';
  for (uint32_t i = 0; s->refused != NULL && i < s->federation->clients && used + 48 < room; i++)
    if (s->refused[i] > 0)
      used += (size_t)snprintf(out + used, room - used, "%sclient %u (%u round%s)", used > 0 ? ", " : "",
                               (unsigned)i + 1, (unsigned)s->refused[i], s->refused[i] == 1 ? "" : "s");
}
