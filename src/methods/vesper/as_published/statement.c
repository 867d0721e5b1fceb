/* What a paper claims of a training, beside what can be shown, and why the claim does not hold as stated. */
#include <string.h>

#include "methods/layers_then_classify/caribou_paper.h"
#include "run/statement.h"

static const char *const always[] = {
    "batches: theorem 2.1 counts on a secret sample of roots; the label party, which is the adversary, knows "
    "the "
    "batch, since it looks up its labels",
    "edges of a batch: the theorem's proof replaces a batch by edges drawn uniformly and independently; "
    "those of "
    "a batch come together",
    "gradients: they go back through the private layers, so one edge moves the weights and with them every "
    "row "
    "of every later step; steps do not add up as the theorem has them",
    "neighbour cap: where a node has more neighbours than are sampled, another takes the place of one that "
    "is "
    "removed: 2 at each end, where 1 is counted",
    "weights: one step of power iteration gives a norm that is not an upper bound",
    "measuring: rows of validation and test nodes are released once more, which the claim leaves out"};
static const char *const truncated[] = {"truncation: a node whose degree crosses the least degree changes "
                                        "branch, which moves its row by more than "
                                        "proposition 2 says (2.22 against 0.205 at least degree 10)",
                                        "truncation: neighbours may still have low degrees, and the rows of "
                                        "the ends' other neighbours change too "
                                        "(0.3025 against 0.205 for a star of 11)"};

static json_t *vesper_reasons(const sotto_options *o) {
  json_t *list = json_array();
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    json_array_append_new(list, json_string(always[i]));
  for (size_t i = 0; strcmp(o->aggregator, "gcn") == 0 && i < sizeof truncated / sizeof *truncated; i++)
    json_array_append_new(list, json_string(truncated[i]));
  return list;
}

static json_t *vesper_claim(const sotto_options *o, const sotto_paper_claim *c) {
  return json_pack("{s:s,s:f,s:f,s:f,s:f,s:f,s:I,s:I,s:I,s:I,s:I}", "by", "VESPER, theorem 2.1", "epsilon",
                   c->epsilon, "delta", o->delta, "noise", c->noise, "sensitivity", c->sensitivity, "gamma",
                   c->gamma, "steps", (json_int_t)c->steps, "roots", (json_int_t)c->roots, "batch",
                   (json_int_t)c->batch, "neighbour_cap", (json_int_t)o->neighbour_cap, "layers",
                   (json_int_t)o->layers);
}

static const char *const caribou_reasons[] = {
    "least degree: theorem 4 takes it from the private graph, and a neighbouring graph has another; epsilon "
    "is what this noise gives on every graph",
    "least degree: how much noise there is follows from it, which epsilon does not cover",
    "public code: it aggregates once more after the last noise, which no epsilon covers; here the noise is "
    "last",
    NULL};

static json_t *caribou_claim(const sotto_options *o, const sotto_paper_claim *c) {
  return json_pack("{s:s,s:f,s:f,s:f,s:f,s:I,s:I}", "by", "CARIBOU, theorem 4 and corollary 1", "epsilon",
                   c->epsilon, "delta", o->delta, "noise", c->noise, "sensitivity", c->sensitivity,
                   "least_degree", (json_int_t)c->least_degree, "layers", (json_int_t)o->layers);
}

void sotto_i_privacy_add_claim(json_t *statement, const sotto_report *report) {
  const sotto_options *o = report->options;
  const sotto_paper_claim *c = &report->result->cost.claim;
  bool caribou = sotto_i_caribou_as_paper(o);
  if (statement == NULL || !(c->epsilon > 0)) return;
  json_object_set_new(statement, "accounting", json_string("paper"));
  json_object_set_new(statement, "claimed", caribou ? caribou_claim(o, c) : vesper_claim(o, c));
  json_object_set_new(statement, "claim_does_not_hold",
                      caribou ? sotto_i_privacy_strings(caribou_reasons) : vesper_reasons(o));
}
