/* Findings of attacks on a run: a table for people, JSON for programs. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "common/file.h"
#include "common/folder.h"
#include "common/memory.h"
#include "report.h"
#include "sotto/guarantee.h"

enum { table_size = 16384 };
static const char for_owner[] = "for the owner alone: these numbers follow from the true data";

/* JSON has neither NAN nor infinities: null, or a text. */
static json_t *number(double value) {
  if (isnan(value)) return json_null();
  return isinf(value) ? json_string(value > 0 ? "inf" : "-inf") : json_real(value);
}

static json_t *attack_json(const sotto_finding *f) {
  const sotto_attack_result *r = &f->attacked;
  json_t *item =
      json_pack("{s:s,s:s,s:s,s:f,s:[f,f],s:f,s:f,s:I,s:I,s:I}", "attack", f->attack, "variant", f->variant,
                "sees", f->sees, "auc", r->auc, "auc_interval", r->auc_low, r->auc_high, "tpr_at_1_percent",
                r->tpr_1, "tpr_at_0.1_percent", r->tpr_01, "members", (json_int_t)r->members, "others",
                (json_int_t)r->others, "queries", (json_int_t)r->queries);
  if (item == NULL) return NULL;
  (void)json_object_set_new(item, "implied_epsilon", number(r->implied));
  if (!isnan(r->precision)) {
    (void)json_object_set_new(item, "precision", number(r->precision));
    (void)json_object_set_new(item, "recall", number(r->recall));
  }
  return item;
}

static void add_bounds(json_t *item, double stated, double lower, double mu_stated, double mu_lower) {
  (void)json_object_set_new(item, "stated_epsilon", number(stated));
  (void)json_object_set_new(item, "epsilon_lower_bound", number(lower));
  if (mu_stated <= 0) return;
  (void)json_object_set_new(item, "stated_mu", number(mu_stated));
  (void)json_object_set_new(item, "mu_lower_bound", number(mu_lower));
}

static json_t *canary_json(const sotto_finding *f) {
  const sotto_canary_result *r = &f->canary;
  json_t *item = json_pack("{s:s,s:s,s:s,s:I}", "attack", f->attack, "variant", f->variant, "sees", f->sees,
                           "trials", (json_int_t)r->trials);
  if (item == NULL) return NULL;
  add_bounds(item, r->stated, r->lower, r->mu_stated, r->mu_lower);
  if (r->noise_draws > 0)
    (void)json_object_set_new(
        item, "noise", json_pack("{s:I,s:b}", "draws", (json_int_t)r->noise_draws, "holds", r->noise_holds));
  return item;
}

static json_t *one_run_json(const sotto_finding *f) {
  const sotto_one_run_result *r = &f->one_run;
  json_t *item = json_pack("{s:s,s:s,s:s,s:I,s:I,s:I}", "attack", f->attack, "variant", f->variant, "sees",
                           f->sees, "canaries", (json_int_t)r->canaries, "guesses", (json_int_t)r->guesses,
                           "correct", (json_int_t)r->correct);
  if (item == NULL) return NULL;
  add_bounds(item, r->stated, r->lower, r->mu_stated, r->mu_lower);
  return item;
}

static json_t *release_json(const sotto_finding *f) {
  const sotto_release_result *r = &f->release;
  return json_pack("{s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:o,s:f,s:b,s:b,s:b}", "attack", f->attack, "variant",
                   f->variant, "sees", f->sees, "releases", (json_int_t)r->releases, "compared",
                   (json_int_t)r->compared, "seeds", (json_int_t)r->seeds, "draws", (json_int_t)r->draws,
                   "edges", (json_int_t)r->edges, "moved", number(r->moved), "false_alarm", r->false_alarm,
                   "kept", (int)r->kept, "noise_holds", (int)r->noise_holds, "edges_hold",
                   (int)r->edges_hold);
}

static json_t *item_json(const sotto_finding *f) {
  if (f->is_canary) return canary_json(f);
  if (f->is_one_run) return one_run_json(f);
  return f->is_release ? release_json(f) : attack_json(f);
}

static json_t *findings_json(const sotto_findings *findings) {
  json_t *items = json_array();
  for (size_t i = 0; i < findings->count; i++) {
    const sotto_finding *f = &findings->items[i];
    json_t *item = item_json(f);
    (void)json_object_set_new(item, "decides", json_boolean(f->decides));
    (void)json_object_set_new(item, "holds", json_boolean(f->holds));
    (void)json_object_set_new(item, "seconds", json_real(f->seconds));
    (void)json_array_append_new(items, item);
  }
  json_t *root =
      json_pack("{s:s,s:s,s:s,s:I,s:s,s:f,s:b,s:f,s:b,s:o}", "note", for_owner, "method", findings->method,
                "data", findings->data, "seed", (json_int_t)findings->seed, "adjacency", findings->adjacency,
                "delta", findings->delta, "fresh_releases", (int)findings->fresh, "confidence",
                findings->confidence, "holds", (int)sotto_findings_hold(findings), "findings", items);
  (void)json_object_set_new(root, "stated_epsilon", number(findings->stated));
  (void)json_object_set_new(root, "not_audited",
                            findings->not_audited[0] == '\0' ? json_null()
                                                             : json_string(findings->not_audited));
  return root;
}

static sotto_status write_json(char **out, const sotto_findings *findings, size_t flags, sotto_error *err) {
  json_t *root = findings_json(findings);
  char *text = root == NULL ? NULL : json_dumps(root, flags);
  sotto_status status = text == NULL ? sotto_i_fail(err, SOTTO_NOMEM, "no memory for the findings")
                                     : app_strdup(out, text, err);
  free(text);
  json_decref(root);
  return status;
}

sotto_status sotto_report_findings(char **out, const sotto_findings *findings, sotto_error *err) {
  return write_json(out, findings, JSON_COMPACT | JSON_REAL_PRECISION(12), err);
}

sotto_status sotto_report_findings_write(const sotto_findings *findings, const char *folder,
                                         sotto_error *err) {
  static const app_folder_file audit_file = {"audit.json", APP_FOR_OWNER,
                                             "private data: results of attacks on it"};
  char *path = NULL, *text = NULL;
  sotto_status status;
  SOTTO_TRY(write_json(&text, findings, JSON_INDENT(2) | JSON_REAL_PRECISION(12), err));
  SOTTO_TRY(app_folder_path(&path, folder, &audit_file, err));
  SOTTO_TRY(app_write_file(path, text, strlen(text), err));
done:
  free(path);
  free(text);
  return status;
}

typedef struct text {
  char *data;
  size_t used;
} text;

static void add_line(text *t, const char *format, ...) SOTTO_PRINTF(2, 3);
static void add_line(text *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(t->data + t->used, table_size - t->used, format, arguments);
  va_end(arguments);
  if (count > 0) t->used += (size_t)count < table_size - t->used ? (size_t)count : table_size - t->used - 1;
}

static void add_stated(text *t, const sotto_findings *f) {
  char delta[SOTTO_DELTA_WORDS];
  sotto_delta_words(delta, f->delta);
  add_line(t, "  audited          %s on %s, seed %llu\n", f->method, f->data, (unsigned long long)f->seed);
  if (isinf(f->stated))
    add_line(t, "  stated           no privacy\n");
  else
    add_line(t, "  stated           epsilon %.4g at delta %s (adjacency: %s)\n", f->stated, delta,
             f->adjacency);
  if (f->fresh)
    add_line(t, "  releases         made anew for every answer, as this run does not: each would be another "
                "charge\n");
}

static void add_attacks(text *t, const sotto_findings *findings) {
  bool first = true;
  for (size_t i = 0; i < findings->count; i++) {
    const sotto_finding *f = &findings->items[i];
    const sotto_attack_result *r = &f->attacked;
    if (f->is_canary || f->is_one_run || f->is_release) continue;
    if (first)
      add_line(t, "\n  %-14s %-22s %6s %15s %9s %9s %9s\n", "attack", "variant", "AUC", "95% interval",
               "TPR at 1%", "at 0.1%", "epsilon");
    first = false;
    add_line(t, "  %-14s %-22s %6.3f   %5.3f - %5.3f %8.1f%% %8.1f%% %8.2f%s\n", f->attack, f->variant,
             r->auc, r->auc_low, r->auc_high, 100 * r->tpr_1, 100 * r->tpr_01, r->implied,
             f->decides ? "" : " *");
    if (!isnan(r->precision))
      add_line(t, "  %-14s %-22s precision %.3f, recall %.3f at the density belief\n", "", "", r->precision,
               r->recall);
  }
  if (!first)
    add_line(t,
             "  epsilon: lower bound implied by the rates, at 95%%. * not a test of what is stated: members "
             "differ\n"
             "  from others in more than membership, or the statement is of something else\n");
}

static void add_verdict(text *t, const sotto_finding *f, const double epsilon[2], const double mu[2]) {
  add_line(t, "  epsilon          at least %.4f, stated %.4f\n", epsilon[0], epsilon[1]);
  if (mu[1] > 0) add_line(t, "  mu               at least %.4f, stated %.4f\n", mu[0], mu[1]);
  add_line(t, "  verdict          %s\n",
           f->holds ? "no objection" : "FAILED: the run shows more than it states");
}

static void add_release(text *t, const sotto_finding *f) {
  const sotto_release_result *r = &f->release;
  const uint64_t missed = r->releases - r->compared;
  add_line(t, "\n  release          %llu releases of %llu seeds drawn again, %llu draws\n",
           (unsigned long long)r->releases, (unsigned long long)r->seeds, (unsigned long long)r->draws);
  add_line(t, "  looked at        %s\n", f->variant);
  if (r->kept)
    add_line(t, "  kept by the run  %llu compared, %llu not compared%s\n", (unsigned long long)r->compared,
             (unsigned long long)missed,
             missed == 0
                 ? ""
                 : ": gone, changed since they were charged, or computed from noisy numbers that are not "
                   "kept");
  add_line(t, "  noise            %s (false alarms: at most %g)\n",
           r->noise_holds ? "no objection"
                          : "FAILED: absent (in all of it or a row), narrower than stated, or used twice",
           r->false_alarm);
  if (!isnan(r->moved))
    add_line(t, "  edges            %s: %llu edges, the largest change is %.4g of the stated sensitivity\n",
             r->edges_hold ? "no objection" : "FAILED", (unsigned long long)r->edges, r->moved);
  const bool failed = !r->noise_holds || !r->edges_hold;
  add_line(t, "  verdict          %s\n",
           failed     ? "FAILED: the run shows more than it states"
           : f->holds ? "no objection"
                      : "NOT COMPARED: nothing is said of what this run released");
}

static void add_canaries(text *t, const sotto_findings *findings) {
  for (size_t i = 0; i < findings->count; i++) {
    const sotto_finding *f = &findings->items[i];
    const sotto_one_run_result *r = &f->one_run;
    if (f->is_canary) {
      add_line(t, "\n  canary           %s, %llu runs with it and without\n", f->variant,
               (unsigned long long)f->canary.trials);
      if (f->canary.noise_draws > 0)
        add_line(t, "  noise            %s, %llu draws\n",
                 f->canary.noise_holds ? "no objection"
                                       : "FAILED: narrower than stated, absent, or drawn twice",
                 (unsigned long long)f->canary.noise_draws);
      add_verdict(t, f, (const double[]){f->canary.lower, f->canary.stated},
                  (const double[]){f->canary.mu_lower, f->canary.mu_stated});
    } else if (f->is_release) {
      add_release(t, f);
    } else if (f->is_one_run) {
      add_line(t, "\n  one-run          %s, %llu canaries in one training\n", f->variant,
               (unsigned long long)r->canaries);
      add_line(t, "  guesses          %llu, of which %llu are right\n", (unsigned long long)r->guesses,
               (unsigned long long)r->correct);
      add_verdict(t, f, (const double[]){r->lower, r->stated}, (const double[]){r->mu_lower, r->mu_stated});
    }
  }
}

static void add_views(text *t, const sotto_findings *findings) {
  add_line(t, "\n");
  for (size_t i = 0; i < findings->count; i++) {
    const sotto_finding *f = &findings->items[i];
    const sotto_finding *before = i > 0 ? &findings->items[i - 1] : NULL;
    if (before != NULL && strcmp(f->attack, before->attack) == 0 && strcmp(f->sees, before->sees) == 0)
      continue;
    add_line(t, "  %-16s sees %s\n", f->attack, f->sees);
  }
  add_line(t, "\n  kept             in owner-only/audit.json, %s\n", for_owner);
}

/* Is a bound above the stated epsilon? A release that could not be compared does not count as one. */
static bool is_above(const sotto_findings *findings) {
  for (size_t i = 0; i < findings->count; i++) {
    const sotto_finding *f = &findings->items[i];
    const bool unseen = f->is_release && f->release.noise_holds && f->release.edges_hold;
    if (f->decides && !f->holds && !unseen) return true;
  }
  return false;
}

sotto_status sotto_report_findings_table(char **out, const sotto_findings *findings, sotto_error *err) {
  text t = {0};
  sotto_status status = app_new(&t.data, table_size, 1, err);
  if (status != SOTTO_OK) return status;
  add_stated(&t, findings);
  add_attacks(&t, findings);
  add_canaries(&t, findings);
  add_views(&t, findings);
  if (findings->not_audited[0] != '\0') add_line(&t, "\n  NOT AUDITED      %s\n", findings->not_audited);
  if (is_above(findings)) add_line(&t, "\n  FAILED: the run shows more than it states\n");
  *out = t.data;
  return SOTTO_OK;
}
