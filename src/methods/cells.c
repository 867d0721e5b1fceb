/* The matrix of methods, steps and places: one cell over all levels and variants of a method. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "registry.h"
#include "run/method/matrix.h"
#include "sotto/choices.h"

enum { adjacencies = SOTTO_ADJACENCY_CLIENT + 1 };

/* What the cases of a method say of one step at one place. */
typedef struct tally {
  const sotto_i_method *method;
  sotto_step step;
  sotto_place place;
  size_t there, lacking;
  const char *first; /* reason of the first that lacks it, or for which it is not meant */
  bool one_reason;   /* all that lack it have that reason */
} tally;

static sotto_i_standing standing(const tally *t, const sotto_i_variant *v, unsigned level) {
  const sotto_i_case c = {t->method, v, 1U << level};
  return sotto_i_standing_of(&c, t->step, t->place);
}

static void count(tally *t) {
  t->one_reason = true;
  for (size_t i = 0; i < t->method->variant_count; i++)
    for (unsigned level = 0; level < adjacencies; level++) {
      const sotto_i_variant *v = &t->method->variants[i];
      if ((v->adjacencies & 1U << level) == 0) continue;
      const sotto_i_standing s = standing(t, v, level);
      t->there += s.meant && s.why == NULL;
      t->lacking += s.meant && s.why != NULL;
      if (s.why == NULL) continue;
      if (t->first == NULL || (s.meant && t->lacking == 1)) t->first = s.why;
      t->one_reason = t->one_reason && (!s.meant || strcmp(t->first, s.why) == 0);
    }
}

static void add(char *out, size_t size, const char *text) {
  const size_t used = strlen(out);
  (void)snprintf(out + used, size - used, "%s", text);
}

/* Adds "none, edge with publication code" of the variant's levels that lack the step for this reason. */
static void add_levels(char *out, size_t size, const tally *t, const sotto_i_variant *v, const char *why) {
  bool any = false;
  for (unsigned level = 0; level < adjacencies; level++) {
    if ((v->adjacencies & 1U << level) == 0) continue;
    const sotto_i_standing s = standing(t, v, level);
    if (!s.meant || s.why == NULL || strcmp(s.why, why) != 0) continue;
    add(out, size, any ? ", " : out[0] == '\0' || strcmp(out + strlen(out) - 2, "; ") == 0 ? "" : " and ");
    add(out, size, sotto_adjacency_name((sotto_adjacency)level));
    any = true;
  }
  if (any && v->key != NULL) {
    add(out, size, " with ");
    add(out, size, v->key);
    add(out, size, " ");
    add(out, size, v->word);
  }
  if (any && v->accountings == SOTTO_I_PAPER) add(out, size, " as published");
}

/* Is a case before this one lacking the step for the same reason? */
static bool is_told(const tally *t, size_t variant, unsigned level, const char *why) {
  for (size_t i = 0; i <= variant; i++)
    for (unsigned k = 0; k < adjacencies; k++) {
      const sotto_i_variant *v = &t->method->variants[i];
      if (i == variant && k >= level) return false;
      if ((v->adjacencies & 1U << k) == 0) continue;
      const sotto_i_standing s = standing(t, v, k);
      if (s.meant && s.why != NULL && strcmp(s.why, why) == 0) return true;
    }
  return false;
}

/* "node: models at node level ...; none, edge as published: ...": each reason after its levels. */
static void list_reasons(char *out, size_t size, const tally *t) {
  for (size_t i = 0; i < t->method->variant_count; i++)
    for (unsigned level = 0; level < adjacencies; level++) {
      const sotto_i_variant *v = &t->method->variants[i];
      if ((v->adjacencies & 1U << level) == 0) continue;
      const sotto_i_standing s = standing(t, v, level);
      if (!s.meant || s.why == NULL || is_told(t, i, level, s.why)) continue;
      if (out[0] != '\0') add(out, size, "; ");
      for (size_t j = i; j < t->method->variant_count; j++)
        add_levels(out, size, t, &t->method->variants[j], s.why);
      add(out, size, ": ");
      add(out, size, s.why);
    }
}

static void decide(sotto_cell *out, sotto_there there) {
  static const char *const words[] = {"yes", "partly", "no", "not-meant"};
  out->there = there;
  out->word = words[there];
}

sotto_status sotto_method_cell(sotto_cell *out, const char *method, sotto_step step, sotto_place place,
                               sotto_error *err) {
  sotto_i_registry_use();
  tally t = {.method = sotto_i_method_named(method), .step = step, .place = place};
  *out = (sotto_cell){0};
  decide(out, SOTTO_THERE);
  if (t.method == NULL) return sotto_i_fail(err, SOTTO_NOT_FOUND, "there is no method %.60s", method);
  if ((unsigned)step >= SOTTO_STEPS || (unsigned)place >= SOTTO_PLACES)
    return sotto_i_fail(err, SOTTO_RANGE, "there is no step %d, or no place %d", (int)step, (int)place);
  count(&t);
  if (t.lacking == 0 && t.there > 0) return SOTTO_OK;
  decide(out, t.lacking == 0 ? SOTTO_NOT_MEANT : t.there > 0 ? SOTTO_THERE_PARTLY : SOTTO_NOT_THERE);
  if (t.lacking == 0 || (t.there == 0 && t.one_reason))
    add(out->reason, sizeof out->reason, t.first);
  else
    list_reasons(out->reason, sizeof out->reason, &t);
  return SOTTO_OK;
}

const char *sotto_step_name(sotto_step step) {
  static const char *const names[] = {"train", "resume", "predict-own", "predict-new",
                                      "serve", "audit",  "report"};
  return (unsigned)step < SOTTO_STEPS ? names[step] : NULL;
}

const char *sotto_place_name(sotto_place place) {
  static const char *const names[] = {"one-process", "parties", "ranks"};
  return (unsigned)place < SOTTO_PLACES ? names[place] : NULL;
}
