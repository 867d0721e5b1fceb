/* Runs as published: what the paper claims, what is charged, why they differ, and what is not the paper's. */
#include "as_published.h"

#include <stdio.h>

#include "run/settings/options.h"

enum { most_unlike = 32 };

/* An option that has another value than the paper's, with both values. */
typedef struct unlike {
  const char *key, *published;
  char value[64]; /* cut where it is longer */
} unlike;

static size_t list_unlike(unlike out[most_unlike], const sotto_options *o) {
  sotto_i_unlike found[most_unlike];
  const size_t all = sotto_i_unpublished(found, most_unlike, o);
  const size_t count = all < most_unlike ? all : most_unlike;
  for (size_t i = 0; i < count; i++) {
    char value[1024];
    out[i] = (unlike){.key = found[i].key, .published = found[i].published};
    sotto_i_option_value(value, sizeof value, o, sotto_i_option_known(found[i].key, NULL));
    (void)snprintf(out[i].value, sizeof out[i].value, "%.60s", value);
  }
  return count;
}

static void write_claim(char out[SOTTO_I_CLAIM_TEXT], const sotto_options *o, const sotto_cost *cost) {
  const sotto_i_paper *paper = sotto_i_method_of(o)->paper;
  if (paper->claims != NULL)
    paper->claims(out, o, cost);
  else if (cost->claim.epsilon > 0)
    (void)snprintf(out, SOTTO_I_CLAIM_TEXT, "epsilon %.4g for edges at delta %g (%s)", cost->claim.epsilon,
                   o->delta, paper->theorem);
  else
    out[0] = '\0';
}

void sotto_i_as_published_text(char out[SOTTO_I_AS_PUBLISHED_TEXT], const sotto_options *o,
                               const sotto_cost *cost, double charged) {
  const sotto_i_method *method = sotto_i_method_of(o);
  const size_t size = SOTTO_I_AS_PUBLISHED_TEXT;
  char claim[SOTTO_I_CLAIM_TEXT], epsilon[40] = "nothing";
  unlike list[most_unlike];
  const size_t count = list_unlike(list, o);
  write_claim(claim, o, cost);
  if (charged > 0) (void)snprintf(epsilon, sizeof epsilon, "epsilon %.4g", charged);
  size_t used =
      (size_t)(claim[0] == '\0'
                   ? snprintf(out, size,
                              "as published: %s claims nothing of this run, which has %s; charged: %s",
                              method->source, sotto_i_job_wants_privacy(o) ? "sound accounting" : "no noise",
                              epsilon)
                   : snprintf(out, size, "as published: %s claims %s; charged for a seed: %s, since %s",
                              method->source, claim, epsilon, method->paper->why));
  for (size_t i = 0; i < count && used < size; i++)
    used += (size_t)snprintf(out + used, size - used, "%s%s %s (published: %s)",
                             i == 0 ? "; not the paper's: " : ", ", list[i].key, list[i].value,
                             list[i].published);
}

json_t *sotto_i_as_published_json(const sotto_options *o, const sotto_cost *cost) {
  const sotto_i_method *method = sotto_i_method_of(o);
  char claim[SOTTO_I_CLAIM_TEXT];
  unlike list[most_unlike];
  const size_t count = list_unlike(list, o);
  json_t *others = json_array();
  write_claim(claim, o, cost);
  for (size_t i = 0; i < count; i++)
    json_array_append_new(others, json_pack("{s:s,s:s,s:s}", "option", list[i].key, "value", list[i].value,
                                            "published", list[i].published));
  return json_pack("{s:s,s:s,s:s,s:o}", "paper", method->source, "claims", claim, "why_not_charged",
                   method->paper->why, "not_the_papers", others);
}
