/* Secure sums of a federation: signing keys, plans of rounds, and signed states. */
#include "federated.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/secret.h"
#include "party/secure_sum/sum_links.h"
#include "party/secure_sum/sum_memory.h"
#include "party/secure_sum/sum_signers.h"
#include "run/files/folder_file.h"

void sotto_i_fed_sums_free(sotto_i_fed_sums *sums) {
  sotto_i_free(sums->signers);
  sotto_i_free_secret(sums->secrets);
  *sums = (sotto_i_fed_sums){.signers = NULL};
}

/* The number of keys: clients, and the helper after them. */
static uint32_t key_count(const sotto_i_federation *f) {
  return f->clients + (f->settings->update_bound > 0);
}

/* Fresh keys, in one process. */
static void make_keys(sotto_i_fed_sums *s, uint32_t clients) {
  for (uint32_t i = 0; i < clients; i++)
    sotto_sum_signer_new(s->signers + (size_t)i * SOTTO_SUM_PUBLIC,
                         s->secrets + (size_t)i * SOTTO_SUM_SECRET);
}

/* Keys of a loopback run, where anyone on the machine may connect: all parties know all keys. */
static void derive_keys(sotto_i_fed_sums *s, uint32_t clients, uint32_t number, uint64_t seed) {
  for (uint32_t i = 0; i < clients; i++) {
    uint8_t bytes[crypto_sign_SEEDBYTES], secret[SOTTO_SUM_SECRET];
    sotto_key key;
    sotto_i_random random;
    sotto_key_public(&key, seed);
    sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_SUM, 1, i);
    sotto_i_random_bytes(&random, bytes, sizeof bytes);
    crypto_sign_seed_keypair(s->signers + (size_t)i * SOTTO_SUM_PUBLIC, secret, bytes);
    if (i + 1 == number) memcpy(s->secrets, secret, sizeof secret);
  }
}

static sotto_status read_keys(sotto_i_fed_sums *s, const sotto_i_federation *f, uint32_t number,
                              const char *folder, sotto_error *err) {
  const char *path = f->settings->client_keys;
  uint8_t own[SOTTO_SUM_PUBLIC];
  sotto_status status;
  if (path[0] == '\0')
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "client-keys: secure-aggregation, update-bound and partition linked between parties need a file with "
        "the certificates "
        "of all %u clients, client1's first%s (cat client1.crt client2.crt ... > clients.pem): by "
        "these they know one another",
        (unsigned)f->clients, key_count(f) > f->clients ? ", and the helper's last" : "");
  SOTTO_TRY(sotto_i_sum_signers_read(s->signers, key_count(f), path, folder, err));
  if (number == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_sum_signer_read(s->secrets, folder, err));
  crypto_sign_ed25519_sk_to_pk(own, s->secrets);
  if (memcmp(own, s->signers + (size_t)(number - 1) * SOTTO_SUM_PUBLIC, sizeof own) != 0)
    status = sotto_i_fail(
        err, SOTTO_INVALID, "client-keys: %s: certificate %u is not this party's (own.crt), which is %s",
        path, (unsigned)number, f->job->seat->role == SOTTO_ROLE_HELPER ? "the helper" : "a client");
done:
  return status;
}

/* Sets the identity of this run, equal at all its clients. */
static sotto_status identify_run(sotto_i_fed_sums *s, const sotto_i_federation *f, sotto_error *err) {
  crypto_generichash_state hash;
  char *terms = NULL;
  sotto_status status = sotto_options_terms(&terms, f->options, err);
  if (status != SOTTO_OK) return status;
  crypto_generichash_init(&hash, NULL, 0, sizeof s->run);
  crypto_generichash_update(&hash, (const uint8_t *)terms, strlen(terms) + 1);
  crypto_generichash_update(&hash, (const uint8_t *)&f->seed, sizeof f->seed);
  crypto_generichash_update(&hash, s->signers, (size_t)key_count(f) * SOTTO_SUM_PUBLIC);
  crypto_generichash_final(&hash, s->run, sizeof s->run);
  sotto_text_free(terms);
  return SOTTO_OK;
}

sotto_status sotto_i_fed_sums_new(sotto_i_fed_sums *out, const sotto_i_federation *f, uint32_t number,
                                  sotto_error *err) {
  const sotto_i_seat *seat = f->job->seat;
  sotto_status status;
  *out = (sotto_i_fed_sums){.secret_count = seat == NULL ? key_count(f) : 1};
  if (!f->settings->secure_aggregation && f->settings->update_bound == 0 && !f->linked) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new(&out->signers, key_count(f), SOTTO_SUM_PUBLIC, err));
  SOTTO_TRY(sotto_i_new_secret(&out->secrets, out->secret_count, SOTTO_SUM_SECRET, err));
  if (seat == NULL)
    make_keys(out, key_count(f));
  else if (seat->identity == NULL)
    derive_keys(out, key_count(f), number, f->seed);
  else
    SOTTO_TRY(read_keys(out, f, number, seat->identity, err));
  SOTTO_TRY(identify_run(out, f, err));
done:
  return status;
}

sotto_status sotto_i_fed_sum_plan(sotto_sum_plan *out, const sotto_options *options, uint32_t taking,
                                  size_t values, sotto_error *err) {
  const sotto_i_client_settings *o = sotto_i_client_settings_of(options);
  const uint32_t all = taking < 1 ? 0 : taking - 1, asked = (uint32_t)o->sum_neighbours;
  if (taking < 3)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "secure-aggregation: %u clients take part in a round; a sum of fewer than 3 hides nothing",
        (unsigned)taking);
  return sotto_sum_plan_new(out, taking, asked == 0 || asked > all ? all : asked, 0, values, err);
}

void sotto_i_fed_sum_free(sotto_i_fed_sum *sum) {
  sotto_i_free(sum->signers);
}

sotto_i_fed_summed sotto_i_fed_round_summed(const sotto_i_federation *f, uint64_t round,
                                            const uint32_t *taking, const sotto_matrix *model) {
  return (sotto_i_fed_summed){round, taking, f->taking, model->cols + SOTTO_I_FED_EXTRAS};
}

sotto_status sotto_i_fed_all_clients(uint32_t **out, const sotto_i_federation *f, sotto_error *err) {
  const sotto_status status = sotto_i_new_raw(out, f->clients, sizeof **out, err);
  for (uint32_t i = 0; status == SOTTO_OK && i < f->clients; i++) (*out)[i] = i;
  return status;
}

sotto_status sotto_i_fed_sum_new(sotto_i_fed_sum *out, const sotto_i_federation *f,
                                 const sotto_i_fed_summed *of, const sotto_matrix *model, sotto_error *err) {
  crypto_generichash_state hash;
  sotto_status status;
  out->signers = NULL;
  SOTTO_TRY(sotto_i_fed_sum_plan(&out->plan, f->options, of->count, of->values, err));
  if (f->noisy && f->noise.by == SOTTO_I_NOISE_DISTRIBUTED) out->plan.least = f->noise.least;
  SOTTO_TRY(sotto_i_new(&out->signers, of->count, SOTTO_SUM_PUBLIC, err));
  for (uint32_t i = 0; i < of->count; i++)
    memcpy(out->signers + (size_t)i * SOTTO_SUM_PUBLIC,
           f->sums->signers + (size_t)of->taking[i] * SOTTO_SUM_PUBLIC, SOTTO_SUM_PUBLIC);
  out->plan.signers = out->signers;
  out->plan.seed = f->seed;
  out->plan.round = of->round;
  crypto_generichash_init(&hash, NULL, 0, sizeof out->plan.token);
  crypto_generichash_update(&hash, f->sums->run, sizeof f->sums->run);
  crypto_generichash_update(&hash, (const uint8_t *)model->data, model->cols * sizeof *model->data);
  crypto_generichash_final(&hash, out->plan.token, sizeof out->plan.token);
done:
  return status;
}

static const sotto_i_folder_file signed_files = {"seed-*/signed-client*.bin", SOTTO_I_FOR_ANYONE,
                                                 "digests of the sets that a client signed, by round"};

/* Stored in the seed's folder, which outlives checkpoints. */
static sotto_status store_set(void *context, uint64_t round, const uint8_t set[SOTTO_SUM_DIGEST],
                              sotto_error *err) {
  const sotto_i_fed_client *c = context;
  char name[48], *path = NULL;
  (void)snprintf(name, sizeof name, "signed-client%u.bin", (unsigned)c->number + 1);
  sotto_status status =
      sotto_i_folder_path(&path, c->federation->job->folder, &signed_files, name, NULL, err);
  if (status == SOTTO_OK) status = sotto_i_sum_memory_keep(path, round, set, err);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_fed_sum_take_part(sotto_i_fed_client *c, const sotto_i_fed_sum *sum,
                                       const uint32_t *taking, const uint64_t *values, bool *declined,
                                       sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  const uint32_t own = f->sums->secret_count > 1 ? c->number : 0;
  sotto_i_sum_member member = {.plan = &sum->plan,
                               .secret = f->sums->secrets + (size_t)own * SOTTO_SUM_SECRET,
                               .values = values,
                               .keep = f->apart ? store_set : NULL,
                               .context = c,
                               .declined = declined};
  while (taking[member.number] != c->number) member.number++;
  return sotto_i_sum_take_part(c->link, &member, err);
}

sotto_status sotto_i_fed_sum_gather(uint64_t *out, sotto_i_fed_server *s, const sotto_i_fed_sum *sum,
                                    uint64_t round, const uint32_t *taking, uint32_t count, bool *declined,
                                    sotto_error *err) {
  sotto_link **links = NULL;
  sotto_error *gone = NULL;
  uint32_t summed;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&links, count, sizeof(void *), err));
  SOTTO_TRY(sotto_i_new(&gone, count, sizeof *gone, err));
  for (uint32_t i = 0; i < count; i++)
    if (sotto_i_fed_is_here(s, taking[i])) links[i] = s->links[taking[i]];
  SOTTO_TRY(sotto_i_sum_serve(out, &summed, gone, links, &sum->plan,
                              s->left == NULL ? 0 : s->federation->options->grace, declined, err));
  for (uint32_t i = 0; i < count && s->left != NULL; i++)
    if (links[i] != NULL) SOTTO_TRY(sotto_i_fed_left(s, taking[i], round, gone[i].status, &gone[i], err));
done:
  sotto_i_free(links);
  sotto_i_free(gone);
  return status;
}
