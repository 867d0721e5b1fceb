/* The attack `release`: the run's method is trained again with the run's stored releases, and each release
 * is tested where it is made, by the code that makes it.
 *
 * Locking: parties are threads of the training; `lock` guards all members of `looking`. Releases are tested
 * one at a time. */
#include "release.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "pmp/release.h"
#include "run/files/job_file.h"
#include "run/storage/facts_file.h"
#include "run/train/run.h"
#include "shadow.h"

/* Risk of a false alarm over all releases of an audit, unless a smaller one is requested. */
static const double most_risk = 1e-9;
enum { most_looked = 4096, tests_each = 3 + SOTTO_I_MOST_LAYERS };
static const char sees[] =
    "the run's releases and the true data: what the code that made them draws again, and its exact table";

typedef struct looking {
  pthread_mutex_t lock;
  sotto_dataset data;              /* the run's data: edges are added and removed while a release is tested */
  const char *run, *scratch;       /* folders: that of the run, or NULL, and that of the training */
  uint64_t made[SOTTO_MOST_COSTS]; /* releases of each item so far, of this seed */
  bool parts, all;                 /* several parties share an account; all planned releases were made */
  sotto_release_result found;
  sotto_i_looked_rounds rounds; /* owned */
  double evidence, enough;
  sotto_i_residual before; /* owned: the previous release of numbers */
} looking;

static void add_result(looking *l, sotto_i_looked *one) {
  const double both = sotto_i_residual_repeated(&l->before, &one->residual);
  l->evidence = fmax(l->evidence, fmax(one->evidence, both));
  l->found.releases++;
  l->found.draws += one->draws;
  l->found.edges += one->edges;
  l->found.compared += one->compared ? 1 : 0;
  if (!isnan(one->moved)) l->found.moved = fmax(isnan(l->found.moved) ? 0 : l->found.moved, one->moved);
  sotto_i_residual_free(&l->before);
  l->before = one->residual;
  one->residual = (sotto_i_residual){0};
}

/* Has a seed with one owner made all releases of its plan? */
static bool is_complete(looking *l, const sotto_i_artifact *a) {
  const sotto_cost *cost = a->owner.cost;
  l->parts = l->parts || a->part > 0;
  for (size_t i = a->item; i < a->item + (a->items == 0 ? 1 : a->items); i++) l->made[i]++;
  for (size_t i = 0; i < cost->count; i++)
    if (l->made[i] < cost->items[i].times) return false;
  return !l->parts;
}

/* Is the release at `path` the run's stored one? Otherwise it was drawn now: the run has none, or its file
 * is not the charged one. */
static sotto_status is_kept(bool *out, const looking *l, const char *path, sotto_error *err) {
  const size_t length = strlen(l->scratch);
  char *theirs = NULL;
  sotto_i_map one = {.data = NULL}, other = {.data = NULL};
  sotto_status status = SOTTO_OK;
  *out = false;
  if (l->run == NULL || strncmp(path, l->scratch, length) != 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_join(&theirs, l->run, path + length + 1, err));
  if (!sotto_i_is_file(theirs)) goto done;
  SOTTO_TRY(sotto_i_map_open(&one, path, err));
  SOTTO_TRY(sotto_i_map_open(&other, theirs, err));
  *out = one.size == other.size && memcmp(one.data, other.data, one.size) == 0;
done:
  sotto_i_map_close(&one);
  sotto_i_map_close(&other);
  sotto_i_free(theirs);
  return status;
}

static sotto_status look_at_release(void *context, const sotto_i_artifact *a, const char *path,
                                    sotto_error *err) {
  looking *l = context;
  sotto_i_looked one = {.evidence = 0};
  bool seen = false, kept = false;
  sotto_status status = SOTTO_OK;
  (void)pthread_mutex_lock(&l->lock);
  if (l->found.releases < most_looked)
    status = sotto_i_look_at(&one, &seen, a, path, &l->data, SOTTO_I_LOOKED_DRAWS, l->enough, err);
  if (status == SOTTO_OK && seen) status = is_kept(&kept, l, path, err);
  one.compared = one.compared && kept;
  if (status == SOTTO_OK && seen) add_result(l, &one);
  sotto_i_residual_free(&one.residual);
  l->all = (status == SOTTO_OK && is_complete(l, a)) || l->rounds.all;
  if (l->all) status = sotto_i_fail(err, SOTTO_INTERRUPTED, "the audit has looked at all releases");
  (void)pthread_mutex_unlock(&l->lock);
  return status;
}

static sotto_status look_at_sum(void *context, const sotto_i_round_sum *sum, sotto_error *err) {
  looking *l = context;
  (void)pthread_mutex_lock(&l->lock);
  sotto_status status = sotto_i_look_at_sum(&l->rounds, sum, err);
  l->all = l->all || l->rounds.all;
  if (status == SOTTO_OK && l->rounds.all)
    status = sotto_i_fail(err, SOTTO_INTERRUPTED, "the audit has looked at enough rounds");
  (void)pthread_mutex_unlock(&l->lock);
  return status;
}

static sotto_status copy_file(const char *to, const char *from, const char *name, sotto_error *err) {
  char *source = NULL, *target = NULL;
  sotto_i_map map = {.data = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&source, from, name, err));
  SOTTO_TRY(sotto_i_join(&target, to, name, err));
  if (!sotto_i_is_file(source)) goto done;
  SOTTO_TRY(sotto_i_map_open(&map, source, err));
  SOTTO_TRY(sotto_i_write_file(target, map.data, map.size, err));
done:
  sotto_i_map_close(&map);
  sotto_i_free(source);
  sotto_i_free(target);
  return status;
}

/* Copies the releases of a folder: files with a FILE.made next to them. */
static sotto_status copy_releases(const char *to, const char *from, sotto_error *err) {
  static const char ending[] = ".made";
  sotto_status status = SOTTO_OK;
  DIR *folder = opendir(from);
  if (folder == NULL) return SOTTO_OK;
  for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    char name[sizeof entry->d_name];
    const size_t length = strlen(entry->d_name), end = sizeof ending - 1;
    if (length <= end || strcmp(entry->d_name + length - end, ending) != 0) continue;
    (void)snprintf(name, sizeof name, "%.*s", (int)(length - end), entry->d_name);
    SOTTO_TRY(copy_file(to, from, name, err));
    SOTTO_TRY(copy_file(to, from, entry->d_name, err));
  }
done:
  (void)closedir(folder);
  return status;
}

/* The model of a seed, for a variant whose training cannot go on from its releases alone. */
static sotto_status copy_model(const char *to, const char *from, const sotto_options *o, sotto_error *err) {
  char *path = NULL;
  sotto_status status = SOTTO_OK;
  if (sotto_i_variant_of(o)->begins_anew == NULL) return SOTTO_OK;
  SOTTO_TRY(sotto_i_job_find_model(&path, from, o, err));
  if (strncmp(path, from, strlen(from)) == 0) SOTTO_TRY(copy_file(to, from, path + strlen(from) + 1, err));
done:
  sotto_i_free(path);
  return status;
}

static sotto_status copy_run(const char *folder, const char *run, const sotto_options *o, uint64_t seed,
                             sotto_error *err) {
  char name[32], *to = NULL, *from = NULL;
  sotto_status status = SOTTO_OK;
  if (run == NULL) return SOTTO_OK;
  (void)snprintf(name, sizeof name, "seed-%llu", (unsigned long long)seed);
  SOTTO_TRY(sotto_i_join(&to, folder, name, err));
  SOTTO_TRY(sotto_i_join(&from, run, name, err));
  SOTTO_TRY(sotto_i_make_folder(to, err));
  SOTTO_TRY(copy_releases(to, from, err));
  SOTTO_TRY(copy_model(to, from, o, err));
  SOTTO_TRY(copy_releases(folder, run, err));
done:
  sotto_i_free(to);
  sotto_i_free(from);
  return status;
}

/* This is an error and not a limitation of the method: the run has files that do not follow from its
 * options. */
static sotto_status fail_for_run(const char *run, const char *folder, const sotto_error *why,
                                 sotto_error *err) {
  const size_t length = strlen(folder);
  const bool named = strncmp(why->text, folder, length) == 0;
  return sotto_i_fail(err, SOTTO_CORRUPT,
                      "release: what the run keeps does not follow from its run.yaml: %s%s", named ? run : "",
                      why->text + (named ? length : 0));
}

static sotto_status train_and_look(looking *l, const sotto_i_attacked *a, uint64_t seed, sotto_error *err) {
  const sotto_i_probe probe = {.context = l, .look = look_at_release, .sum = look_at_sum};
  char folder[SOTTO_I_SCRATCH] = "";
  sotto_error own = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_scratch_begin(folder, err));
  SOTTO_TRY(copy_run(folder, a->run, a->options, seed, err));
  l->scratch = folder;
  l->all = l->parts = false;
  memset(l->made, 0, sizeof l->made);
  status = sotto_i_scratch_train_in(folder, a->options, &l->data, seed, &probe, a->observer, &own);
  if (status != SOTTO_OK && l->all) status = SOTTO_OK;
  if (status == SOTTO_INVALID && a->run != NULL)
    status = fail_for_run(a->run, folder, &own, err);
  else if (status != SOTTO_OK)
    *err = own;
  l->found.seeds++;
done:
  sotto_i_scratch_end(folder);
  return status;
}

static double risk_of(const sotto_i_attacked *a) {
  return fmin(most_risk, 1 - a->ask.confidence);
}

enum { of_kept, of_nights, of_rounds };

static sotto_status add_finding(sotto_i_attacked *a, const looking *l, int of, sotto_error *err) {
  static const char *const variants[] = {"noise and edges of what is kept", "noise of the run's nights",
                                         "noise of the sums of rounds"};
  sotto_finding *f = sotto_i_finding(a, "release", variants[of], sees, err);
  if (f == NULL) return SOTTO_RANGE;
  f->is_release = f->decides = true;
  f->release = l->found;
  f->release.kept = a->run != NULL && of != of_rounds;
  f->release.false_alarm = risk_of(a);
  f->release.noise_holds = l->evidence < l->enough;
  f->release.edges_hold = !(l->found.moved > 1 + 1e-5);
  f->holds = f->release.noise_holds && f->release.edges_hold &&
             (!f->release.kept || f->release.compared == f->release.releases);
  return SOTTO_OK;
}

/* Findings about a seed's releases, and about the sums of its rounds. */
static sotto_status add_findings(sotto_i_attacked *a, looking *l, sotto_error *err) {
  const sotto_i_looked_rounds *r = &l->rounds;
  const looking rounds = {
      .found = {.releases = r->rounds, .draws = r->rounds, .seeds = l->found.seeds, .moved = NAN},
      .evidence = r->evidence,
      .enough = l->enough};
  sotto_status status = SOTTO_OK;
  if (l->found.releases == 0 && r->rounds == 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "release: a run of %s at this level keeps no release of rows, tables or graphs whose "
                        "numbers can be compared with the noise that is stated",
                        a->options->method);
  if (l->found.releases > 0) SOTTO_TRY(add_finding(a, l, of_kept, err));
  if (r->rounds > 0) SOTTO_TRY(add_finding(a, &rounds, of_rounds, err));
done:
  return status;
}

static void add_night(void *context, sotto_i_looked *one) {
  add_result(context, one);
}

/* The data of the nights may be missing. Then they are reported as not audited, whatever the result for the
 * training. */
static sotto_status look_at_nights(sotto_i_attacked *a, double enough, sotto_error *err) {
  looking l = {.found = {.moved = NAN, .seeds = 1}, .enough = enough};
  const sotto_i_looking_nights nights = {&l, add_night, enough};
  sotto_error why = {0};
  sotto_status status = sotto_i_look_at_nights(a, &nights, &why);
  if (status == SOTTO_OK) {
    status = add_finding(a, &l, of_nights, err);
  } else if (status == SOTTO_INVALID || status == SOTTO_NOT_FOUND) {
    (void)snprintf(a->out->not_audited, sizeof a->out->not_audited, "the releases of nights: %.340s",
                   why.text);
    status = SOTTO_OK;
  } else {
    *err = why;
  }
  sotto_i_residual_free(&l.before);
  return status;
}

/* The release of one party is drawn again only with what it received from the others. */
static sotto_status check_whole(const sotto_i_attacked *a, sotto_error *err) {
  sotto_party party;
  bool found = false;
  if (a->run == NULL) return SOTTO_OK;
  const sotto_status status = sotto_i_role_load(&party, &found, a->run, err);
  if (status != SOTTO_OK || !found) return status;
  return sotto_i_fail(
      err, SOTTO_UNSUPPORTED,
      "release: %s is the folder of one party, and a release is drawn again with the data of all; audit "
      "a run of all in one process",
      a->run);
}

sotto_status sotto_i_attack_release(sotto_i_attacked *a, sotto_error *err) {
  looking l = {.lock = PTHREAD_MUTEX_INITIALIZER, .data = *a->data, .found = {.moved = NAN}, .run = a->run};
  bool nights;
  sotto_status status;
  /* a release may be charged where the run as a whole is not private */
  if (!a->planned->charges && a->planned->cost.count == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s adds no noise in this run, and states no privacy to test",
                        a->options->method);
  SOTTO_TRY(check_whole(a, err));
  SOTTO_TRY(sotto_i_attack_has_nights(&nights, a->run, err));
  l.enough =
      log((double)tests_each * most_looked * (nights ? 2 : 1) / risk_of(a) * (a->share > 1 ? a->share : 1));
  /* All seeds of a run, unless one is requested; an audit without a run trains one. */
  const bool all = a->run != NULL && a->ask.model.seed == SOTTO_UNSET;
  for (uint64_t i = 0; i < (all ? a->options->seeds : 1) && l.evidence < l.enough; i++) {
    SOTTO_TRY(train_and_look(&l, a, a->out->seed + i, err));
    l.rounds.all = false; /* the rounds of that seed */
  }
  SOTTO_TRY(add_findings(a, &l, err));
  if (nights) SOTTO_TRY(look_at_nights(a, l.enough, err));
done:
  sotto_i_looked_rounds_free(&l.rounds);
  sotto_i_residual_free(&l.before);
  return status;
}
