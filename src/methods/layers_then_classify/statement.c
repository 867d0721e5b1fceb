/* The statement of CARIBOU with the published accounting. */
#include "run/statement/statement.h"
#include "caribou_paper.h"

static const char *const faults[] = {
    "least degree: theorem 4 takes it from the private graph, and a neighbouring graph has another; epsilon "
    "is what this noise gives on every graph",
    "least degree: how much noise there is follows from it, which epsilon does not cover",
    "public code: it aggregates once more after the last noise, which no epsilon covers; here the noise is "
    "last",
    NULL};

void sotto_i_annotate_contractive(json_t *statement, const sotto_report *report) {
  const sotto_options *o = report->options;
  const sotto_paper_claim *c = &report->result->cost.claim;
  if (!(c->epsilon > 0)) return;
  json_object_set_new(statement, "claim",
                      json_pack("{s:s,s:f,s:f,s:f,s:f,s:I,s:I,s:o}", "source",
                                "CARIBOU, theorem 4 and corollary 1", "epsilon", c->epsilon, "delta",
                                o->delta, "noise", c->noise, "sensitivity", c->sensitivity, "least_degree",
                                (json_int_t)c->least_degree, "layers", (json_int_t)o->layers,
                                "why_it_does_not_hold", sotto_i_json_strings(faults)));
}
