/* Agreement of the ranks of a run, and the run of all ranks but rank 0: the same steps in the same order,
 * without a folder, ledger or checkpoints. */
#include "ranks.h"

#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "graph/blocks/block.h"
#include "inside/ranks.h"
#include "run/files/folder_file.h"
#include "run/parties/roles.h"
#include "run/settings/options.h"
#include "run/storage/seed_file.h"

sotto_ranks *sotto_i_run_ranks(const sotto_i_run *r) {
  const sotto_i_block *block = sotto_i_block_of(r->data);
  return block == NULL ? NULL : block->ranks;
}

/* Names of methods that support ranks, separated by blanks. */
static void shared_methods(char *out, size_t size) {
  size_t used = 0;
  for (size_t i = 0; sotto_i_methods()[i] != NULL; i++)
    for (size_t k = 0; k < sotto_i_methods()[i]->variant_count && used < size; k++)
      if (sotto_i_methods()[i]->variants[k].ranks) {
        used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? " " : "",
                                 sotto_i_methods()[i]->name);
        break;
      }
}

sotto_status sotto_i_run_check_ranks(const sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  char names[256] = "";
  if (sotto_i_run_ranks(r) == NULL) return SOTTO_OK;
  if (!r->variant->ranks) {
    shared_methods(names, sizeof names);
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "method: %s with adjacency %s holds the whole graph in one process; start it without "
                        "mpirun, or take a method that runs over ranks at edge level: %s",
                        o->method, sotto_adjacency_name(o->adjacency), names);
  }
  if (o->degree_cut || o->max_degree > 0)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "max-degree: degrees are not looked at over ranks; leave it and degree-cut out, or start "
        "the run without mpirun");
  if (r->party == NULL && (o->label_features > 0 || o->label_epsilon > 0))
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "label-features, label-epsilon: what the label party has for itself is of one process; "
        "leave them out, or start the run without mpirun");
  return SOTTO_OK;
}

/* Fingerprint of all options, the data, and the size of batches. */
static void fingerprint(uint8_t out[32], const sotto_i_run *r) {
  crypto_generichash_state hash;
  size_t count;
  const sotto_option_info *infos = sotto_i_option_infos(&count);
  const uint64_t batch = sotto_i_batch_rows();
  (void)crypto_generichash_init(&hash, NULL, 0, 32);
  (void)crypto_generichash_update(&hash, (const uint8_t *)&batch, sizeof batch);
  (void)crypto_generichash_update(&hash, r->data->digest, sizeof r->data->digest);
  for (size_t i = 0; i < count; i++) {
    char value[1024] = "", line[1100];
    sotto_option_text(r->options, i, value, sizeof value);
    const int size = snprintf(line, sizeof line, "%s=%s\n", infos[i].key, value);
    (void)crypto_generichash_update(&hash, (const uint8_t *)line, (size_t)size);
  }
  (void)crypto_generichash_final(&hash, out, 32);
}

sotto_status sotto_i_run_agree(sotto_i_run *r, sotto_error *err) {
  sotto_ranks *ranks = sotto_i_run_ranks(r);
  uint8_t own[32], first[32];
  sotto_status status = SOTTO_OK;
  if (ranks == NULL) return SOTTO_OK;
  fingerprint(own, r);
  memcpy(first, own, sizeof first);
  SOTTO_TRY(sotto_i_ranks_give(ranks, first, sizeof first, err));
  SOTTO_TRY(sotto_i_ranks_give(ranks, r->id, sizeof r->id, err));
  if (memcmp(own, first, sizeof own) != 0)
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "its options or its data are not those of rank 0; give all ranks the same");
done:
  return status;
}

enum { NUMBERS = 9 };
static const char *const names_of[NUMBERS] = {
    "nodes", "entries", "halo", "sent", "received", "halo_sent", "halo_received", "halo_planned", "memory"};

static void count_own(uint64_t out[NUMBERS], const sotto_i_run *r) {
  const sotto_i_block *b = sotto_i_block_of(r->data);
  const sotto_rank_traffic t = sotto_ranks_traffic(b->ranks);
  const uint64_t numbers[NUMBERS] = {b->count,        b->graph.entries, b->halo,
                                     t.sent,          t.received,       t.halo_sent,
                                     t.halo_received, t.halo_planned,   sotto_i_peak_rss()};
  memcpy(out, numbers, sizeof numbers);
}

static const sotto_i_folder_file ranks_file = {"ranks.json", SOTTO_I_FOR_OWNER,
                                               "private edges: how many each process has"};

static sotto_status write_counts(const sotto_i_run *r, uint64_t (*all)[NUMBERS], sotto_error *err) {
  char *text = NULL;
  json_t *root = json_array();
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 0; i < sotto_ranks_count(sotto_i_run_ranks(r)); i++) {
    json_t *rank = json_object();
    for (size_t k = 0; k < NUMBERS; k++)
      (void)json_object_set_new(rank, names_of[k], json_integer((json_int_t)all[i][k]));
    (void)json_array_append_new(root, rank);
  }
  text = json_dumps(root, JSON_INDENT(1));
  if (text == NULL) {
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the counts of the ranks");
    goto done;
  }
  status = sotto_i_folder_write(r->options->out, &ranks_file, NULL, r->options, text, strlen(text), err);
done:
  json_decref(root);
  free(text);
  return status;
}

sotto_status sotto_i_run_end_ranks(const sotto_i_run *r, sotto_error *err) {
  sotto_ranks *ranks = sotto_i_run_ranks(r);
  uint64_t(*all)[NUMBERS] = NULL, own[NUMBERS];
  sotto_status status = SOTTO_OK;
  if (ranks == NULL) return SOTTO_OK;
  count_own(own, r);
  if (!sotto_i_ranks_first(ranks)) {
    const sotto_i_parcel sent = {.data = own, .bytes = sizeof own};
    SOTTO_TRY(sotto_i_ranks_pass(ranks, &sent, 1, err));
  } else {
    SOTTO_TRY(sotto_i_new(&all, sotto_ranks_count(ranks), sizeof *all, err));
    memcpy(all[0], own, sizeof own);
    for (uint32_t i = 1; i < sotto_ranks_count(ranks); i++) {
      const sotto_i_parcel taken = {.peer = i, .take = true, .data = all[i], .bytes = sizeof own};
      SOTTO_TRY(sotto_i_ranks_pass(ranks, &taken, 1, err));
    }
    SOTTO_TRY(write_counts(r, all, err));
  }
  SOTTO_TRY(sotto_i_ranks_meet(ranks, err));
done:
  sotto_i_free(all);
  return status;
}

sotto_status sotto_i_run_tell_seed(const sotto_i_run *r, uint64_t *index, sotto_error *err) {
  return sotto_i_ranks_give(sotto_i_run_ranks(r), index, sizeof *index, err);
}

static sotto_status run_helper_seed(sotto_result *out, const sotto_i_run *r, uint64_t index,
                                    const sotto_observer *observer, sotto_error *err) {
  sotto_i_outcome outcome = {.exposure_count = 0};
  sotto_i_seat seat = {.index = index};
  char *folder = NULL;
  const uint64_t seed = r->options->seed + index;
  sotto_status status;
  SOTTO_TRY(sotto_i_seed_path(&folder, r->options->out, seed, err));
  sotto_i_job job = sotto_i_run_job(r, folder, seed);
  job.observer = observer;
  if (r->party != NULL) {
    seat.role = r->party->role;
    job.seat = &seat;
  }
  if (r->variant->roles != NULL)
    SOTTO_TRY(sotto_i_roles_run(&outcome, &job, r->variant->roles, err));
  else
    SOTTO_TRY(r->variant->run(&outcome, &job, err));
  out->seeds[index] = outcome.quality;
done:
  sotto_i_free(folder);
  return status;
}

static sotto_status run_helper(sotto_result *out, sotto_i_run *r, const sotto_observer *observer,
                               sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_options_check(r->options, err));
  r->variant = sotto_i_variant_of(r->options);
  r->releases = sotto_i_job_releases(r->options);
  SOTTO_TRY(sotto_i_run_check_ranks(r, err));
  SOTTO_TRY(sotto_i_run_check_domain(r, err));
  SOTTO_TRY(sotto_i_run_plan(r, err));
  SOTTO_TRY(sotto_i_features_take(&r->rows, &r->features, r->variant->by_rows, r->options, r->data, err));
  SOTTO_TRY(sotto_i_new(&out->seeds, r->options->seeds, sizeof *out->seeds, err));
  SOTTO_TRY(sotto_i_run_agree(r, err));
  for (;;) {
    uint64_t index = SOTTO_I_NO_SEED;
    SOTTO_TRY(sotto_i_run_tell_seed(r, &index, err));
    if (index == SOTTO_I_NO_SEED) break;
    SOTTO_TRY(run_helper_seed(out, r, index, observer, err));
  }
  out->seed_count = r->options->seeds;
  SOTTO_TRY(sotto_i_run_end_ranks(r, err));
done:
  return status;
}

sotto_status sotto_i_run_help(sotto_result *out, sotto_i_run *r, const sotto_observer *observer,
                              sotto_error *err) {
  *out = (sotto_result){0};
  r->observer = observer;
  const sotto_status status = run_helper(out, r, observer, err);
  sotto_ranks *ranks = sotto_i_run_ranks(r);
  sotto_i_run_end(r);
  if (status != SOTTO_OK) sotto_result_free(out);
  if (status != SOTTO_OK) sotto_ranks_fail(ranks, err);
  return status;
}
