/* Several attacks on a run, shared among ranks, each with files of finished cells. An attack with one
 * training or one query is a single cell, which holds its findings; other attacks have their own cells. */
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "attack.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/base.h"
#include "run/settings/options.h"

typedef struct record {
  uint8_t sum[32]; /* of the other members */
  sotto_error passed;
  sotto_findings found;
} record;

typedef struct several {
  const sotto_i_attacked *as;
  const char *const *names;
  size_t count;
  bool passes;   /* attacks that the run does not allow are skipped */
  size_t *whole; /* numbers of the attacks that are a single cell */
  size_t wholes;
  bool *shared;
  record *records; /* one for each attack */
} several;

static void sum_of_record(uint8_t out[32], const record *r) {
  (void)crypto_generichash(out, 32, (const uint8_t *)r + sizeof r->sum, sizeof *r - sizeof r->sum, NULL, 0);
}

/* An attack that is a single cell is not shared among ranks and stores no cells of its own. */
static sotto_status run_attack(record *out, const several *s, size_t number, sotto_error *err) {
  sotto_error why = {0};
  sotto_i_attacked as = *s->as;
  memset(out, 0, sizeof *out);
  if (!s->shared[number]) {
    as.ask.ranks = NULL;
    as.ask.state = NULL;
  }
  const sotto_status status = sotto_i_attack_as(&out->found, &as, s->names[number], &why);
  const bool passed = s->passes && (status == SOTTO_UNSUPPORTED || status == SOTTO_INVALID);
  if (status != SOTTO_OK && !passed) {
    *err = why;
    return status;
  }
  out->passed = why;
  sum_of_record(out->sum, out);
  return SOTTO_OK;
}

static sotto_status run_single_cells(void *context, void *values, size_t first, size_t count,
                                     size_t *finished, sotto_error *err) {
  const several *s = context;
  sotto_status status = SOTTO_OK;
  for (*finished = 0; *finished < count; ++*finished)
    SOTTO_TRY(run_attack((record *)values + *finished, s, s->whole[first + *finished], err));
done:
  return status;
}

static sotto_status check_records(const record *r, const several *s, const char *path, sotto_error *err) {
  uint8_t sum[sizeof r->sum];
  for (size_t i = 0; i < s->wholes; i++) {
    sum_of_record(sum, &r[i]);
    if (memcmp(sum, r[i].sum, sizeof sum) != 0 || r[i].found.count > SOTTO_MOST_FINDINGS)
      return sotto_i_fail(err, SOTTO_CORRUPT, "%s: is damaged; remove it to begin anew",
                          path == NULL ? "findings of another rank" : path);
  }
  return SOTTO_OK;
}

static const char whole_name[] = "whole";

/* The cells of this file are the requested attacks of one cell. */
static sotto_status share_single_cells(several *s, sotto_error *err) {
  sotto_i_attack_cells cells = {.path = NULL};
  record *values = NULL;
  char name[256] = "";
  sotto_status status;
  for (size_t i = 0, used = 0; i < s->wholes && used < sizeof name; i++)
    used += (size_t)snprintf(name + used, sizeof name - used, "%s ", s->names[s->whole[i]]);
  SOTTO_TRY(sotto_i_attack_cells_of(&cells, s->as, whole_name, err));
  (void)crypto_generichash(cells.like.identity, 32, (const uint8_t *)name, sizeof name, cells.like.identity,
                           32);
  cells.like.bytes = sizeof *values;
  cells.like.total = s->wholes;
  cells.like.block = 1;
  SOTTO_TRY(sotto_i_new(&values, s->wholes, sizeof *values, err));
  cells.like.values = values;
  SOTTO_TRY(sotto_i_cells_open(&cells.like, err));
  SOTTO_TRY(sotto_i_cells_run(&cells.like, run_single_cells, s, "attacks", s->as->observer, err));
  SOTTO_TRY(sotto_i_cells_share(&cells.like, err));
  SOTTO_TRY(check_records(values, s, cells.path, err));
  for (size_t i = 0; i < s->wholes; i++) s->records[s->whole[i]] = values[i];
done:
  sotto_i_cells_close(&cells.like, false);
  sotto_i_free(cells.path);
  sotto_i_free(values);
  return status;
}

/* What the run states is taken from the last attack. */
static void copy_run_facts(sotto_findings *out, const sotto_findings *from) {
  memcpy(out->method, from->method, sizeof out->method);
  memcpy(out->adjacency, from->adjacency, sizeof out->adjacency);
  memcpy(out->data, from->data, sizeof out->data);
  out->stated = from->stated;
  out->mu = from->mu;
  out->delta = from->delta;
  out->seed = from->seed;
  out->fresh = from->fresh;
  out->confidence = from->confidence;
}

static sotto_status merge_findings(sotto_findings *out, sotto_error *passed, const several *s,
                                   sotto_error *err) {
  for (size_t i = 0; i < s->count; i++) {
    const sotto_findings *found = &s->records[i].found;
    if (out->count + found->count > SOTTO_MOST_FINDINGS)
      return sotto_i_fail(err, SOTTO_RANGE, "%d findings are all that fit", SOTTO_MOST_FINDINGS);
    memcpy(out->items + out->count, found->items, found->count * sizeof *found->items);
    out->count += found->count;
    if (found->method[0] != '\0') copy_run_facts(out, found);
    if (found->not_audited[0] != '\0') memcpy(out->not_audited, found->not_audited, sizeof out->not_audited);
    if (passed != NULL) passed[i] = s->records[i].passed;
  }
  return SOTTO_OK;
}

/* A run without objections is not audited if no attempted attack could object. */
static void find_untested(sotto_findings *out, const several *s) {
  const sotto_options *o = s->as->options;
  bool decides = false;
  for (size_t i = 0; i < out->count; i++) decides = decides || out->items[i].decides;
  if (!decides && out->stated > 0 && isfinite(out->stated))
    (void)snprintf(out->not_audited, sizeof out->not_audited,
                   "epsilon %.4g: no attack here tests the releases of %s at %s level with accounting %s; "
                   "`sotto audit mechanism` tests mechanisms alone",
                   out->stated, o->method, out->adjacency, sotto_accounting_name(o->accounting));
}

static sotto_status begin_attacks(several *s, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&s->whole, s->count, sizeof *s->whole, err));
  SOTTO_TRY(sotto_i_new(&s->shared, s->count, sizeof *s->shared, err));
  SOTTO_TRY(sotto_i_new(&s->records, s->count, sizeof *s->records, err));
  for (size_t i = 0; i < s->count; i++) {
    SOTTO_TRY(sotto_i_attack_find(&s->shared[i], s->names[i], err));
    if (!s->shared[i]) s->whole[s->wholes++] = i;
  }
done:
  return status;
}

static sotto_status remove_cells(const several *s, sotto_error *err) {
  const char *folder = s->as->ask.state;
  sotto_status status = SOTTO_OK;
  if (folder == NULL || !sotto_i_ranks_first(s->as->ask.ranks)) return SOTTO_OK;
  for (size_t i = 0; i < s->count; i++)
    if (s->shared[i]) SOTTO_TRY(sotto_i_attack_cells_remove(folder, s->names[i], err));
  if (s->wholes > 0) SOTTO_TRY(sotto_i_attack_cells_remove(folder, whole_name, err));
done:
  return status;
}

static sotto_status attack_all(sotto_findings *out, sotto_error *passed, several *s, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(begin_attacks(s, err));
  if (s->wholes > 0) SOTTO_TRY(share_single_cells(s, err));
  for (size_t i = 0; i < s->count; i++)
    if (s->shared[i]) SOTTO_TRY(run_attack(&s->records[i], s, i, err));
  SOTTO_TRY(merge_findings(out, passed, s, err));
  if (passed != NULL) find_untested(out, s);
  SOTTO_TRY(remove_cells(s, err));
done:
  sotto_i_free(s->whole);
  sotto_i_free(s->shared);
  sotto_i_free(s->records);
  return status;
}

sotto_status sotto_i_attack_several(sotto_findings *out, sotto_error *passed, const char *run,
                                    const sotto_dataset *data, const char *const *attacks, size_t count,
                                    const sotto_audit_ask *ask, const sotto_observer *observer,
                                    sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_options options;
  sotto_status status;
  char *path = NULL;
  const size_t first = out->count;
  const sotto_i_attacked as = {
      .run = run, .options = &options, .data = data, .ask = *ask, .observer = observer, .share = 1};
  several s = {.as = &as, .names = attacks, .count = count, .passes = passed != NULL};
  for (size_t i = 0; i < count; i++) {
    bool shared;
    SOTTO_TRY(sotto_i_attack_find(&shared, attacks[i], err));
  }
  sotto_i_options_default(&options);
  SOTTO_TRY(sotto_i_join(&path, run, "run.yaml", err));
  SOTTO_TRY(sotto_options_read(&options, path, err));
  sotto_options_resolve(&options);
  SOTTO_TRY(sotto_options_check(&options, err));
  SOTTO_TRY(attack_all(out, passed, &s, err));
done:
  if (status != SOTTO_OK) out->count = first;
  sotto_i_free(path);
  return status;
}
