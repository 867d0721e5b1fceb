/* Codes: terms, privacy cost, canary and statement. */
#include "code.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "audit/canary.h"
#include "base/error.h"
#include "base/memory.h"
#include "inside/audit.h"
#include "inside/dp.h"
#include "release/plan.h"
#include "run/train/run.h"

sotto_status sotto_i_code_open_anchors(sotto_i_gw_anchors *out, const sotto_options *options,
                                       sotto_error *err) {
  const char *anchors = sotto_i_gwldp_settings_of(options)->anchors;
  if (strcmp(anchors, "shape") == 0) return sotto_i_gw_anchors_by_shape(out, err);
  if (strcmp(anchors, "size") == 0) return sotto_i_gw_anchors_by_size(out, err);
  return sotto_i_gw_anchors_open(out, anchors, err);
}

/* A held-out graph reports one label: the server wants the single most probable one. */
static sotto_status plan_subsets(sotto_subset *labelled, sotto_subset *held, size_t anchors, size_t classes,
                                 double epsilon, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_subset_new(labelled, (uint32_t)(anchors * classes), 0, epsilon, err));
  SOTTO_TRY(sotto_subset_new(held, (uint32_t)classes, 1, epsilon, err));
done:
  return status;
}

sotto_status sotto_i_code_terms_new(sotto_i_code_terms *out, const sotto_options *options, size_t classes,
                                    sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_code_terms){.classes = classes, .exact = !isfinite(options->epsilon)};
  if (classes < 2 || classes > SOTTO_I_GW_MOST_CLASSES)
    return sotto_i_fail(err, SOTTO_RANGE, "publication code: %zu classes of graphs; 2 to %d are taken",
                        classes, SOTTO_I_GW_MOST_CLASSES);
  SOTTO_TRY(sotto_i_code_open_anchors(&out->anchors, options, err));
  if (!out->exact)
    SOTTO_TRY(plan_subsets(&out->labelled, &out->held, out->anchors.count, classes, options->epsilon, err));
done:
  return status;
}

void sotto_i_code_terms_free(sotto_i_code_terms *terms) {
  sotto_i_gw_anchors_free(&terms->anchors);
}

size_t sotto_i_code_members(const sotto_i_code_terms *terms) {
  return terms->exact ? 1 : terms->labelled.members;
}

void sotto_i_code_digest(uint8_t out[32], const sotto_i_code_terms *terms) {
  const sotto_i_gw_anchors *a = &terms->anchors;
  const uint64_t numbers[] = {a->count, terms->classes, a->by_size};
  crypto_generichash_state hash;
  (void)crypto_generichash_init(&hash, NULL, 0, 32);
  (void)crypto_generichash_update(&hash, (const uint8_t *)numbers, sizeof numbers);
  (void)crypto_generichash_update(&hash, a->data.digest, sizeof a->data.digest);
  (void)crypto_generichash_final(&hash, out, 32);
}

/* Graphs are disjoint, and each makes one report: together they cost as much as the costliest one. Among
 * all mechanisms of this epsilon, randomised response over two values is the worst case. It is stated for
 * reports of labelled and of held-out graphs. */
sotto_status sotto_i_code_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  const bool server = job->seat != NULL && job->seat->role == SOTTO_ROLE_SERVER;
  sotto_mechanism stated = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
  *out = (sotto_cost){.adjacency = "node"};
  if (!isfinite(o->epsilon)) return SOTTO_OK;
  if (!server && job->data->graph_count == 0)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "%s: publication code takes a collection of graphs; publication multibit takes one graph too",
        job->data->name);
  stated.epsilon = o->epsilon;
  sotto_i_cost_add(out, "one report of each graph, of its code and its label", &stated, 0, o->epsilon)
      ->times = 1;
  return SOTTO_OK;
}

/* Reports of graphs with these values, by the client's own code. */
static sotto_status report_values(sotto_matrix *out, const sotto_i_canary *c, const int32_t *values,
                                  size_t count, const sotto_key *key, sotto_error *err) {
  const sotto_i_federation federation = {.options = &c->options};
  const sotto_i_fed_client client = {.federation = &federation};
  sotto_i_code_reporting of = {.base = &client, .values = values, .count = count, .subset = &c->subset};
  *out = (sotto_matrix){0};
  return sotto_i_code_report(&of, NULL, out, key, err);
}

/* Only which input is in the answer distinguishes the two worlds. */
static sotto_status draw_report(void *context, double *values, bool second, const sotto_key *key,
                                sotto_error *err) {
  const sotto_i_canary *c = context;
  sotto_matrix answer = {0};
  const sotto_status status = report_values(&answer, c, &c->value[second ? 1 : 0], 1, key, err);
  *values = 0;
  for (size_t m = 0; m < answer.cols; m++)
    *values += ((int32_t)answer.data[m] == c->value[1]) - ((int32_t)answer.data[m] == c->value[0]);
  sotto_matrix_free(&answer);
  return status;
}

/* Which of 64 answers omit the true value. */
static sotto_status draw_noise(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err) {
  enum { answers = 64 };
  const sotto_i_canary *c = context;
  const int32_t values[answers] = {0};
  sotto_matrix answer = {0};
  double truth, other;
  sotto_status status;
  sotto_subset_chances(&truth, &other, &c->subset);
  *out = (sotto_noise_draw){.cols = 1, .flip = 1 - truth};
  SOTTO_TRY(report_values(&answer, c, values, answers, key, err));
  for (size_t i = 0; i < answer.rows; i++)
    out->values[out->rows++] = answer.data[i * answer.cols] != 0 ? 1 : 0;
done:
  sotto_matrix_free(&answer);
  return status;
}

/* A labelled graph at the first anchor with the first label, and another at the last with the last. If
 * held-out graphs reveal more, two of these with the two labels: fewer values reveal more. */
sotto_status sotto_i_code_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind, sotto_error *err) {
  sotto_i_code_terms terms = {.classes = 0};
  sotto_status status;
  (void)kind;
  SOTTO_TRY(sotto_i_code_terms_new(&terms, run->options, run->data->graph_classes, err));
  const bool held =
      sotto_subset_mechanism(&terms.held).choices < sotto_subset_mechanism(&terms.labelled).choices;
  c->subset = held ? terms.held : terms.labelled;
  c->value[0] = 0;
  c->value[1] = (int32_t)c->subset.choices - 1;
  c->releases = 1;
  c->stated.delta = 0; /* the release is pure */
  c->stated.context = c;
  c->stated.statistics = 1;
  c->stated.draw = draw_report;
  c->stated.noise = draw_noise;
done:
  sotto_i_code_terms_free(&terms);
  return status;
}

void sotto_i_code_describe(sotto_i_description *out, const sotto_report *report) {
  static const char *const assumed[] = {
      "how many clients there are, how many graphs each has, and how many of them are held out",
      "the anchors: made of no data, or graphs that were declared public",
      "hyper-parameters and the number of classes", NULL};
  static const char *const uncovered[] = {
      "choosing among several runs or anchors by their accuracy",
      "accuracies on held-out graphs, which each client measures locally, if it shares them",
      "side channels such as the time that a client takes", NULL};
  const bool none = !isfinite(report->options->epsilon);
  *out = (sotto_i_description){
      .adversary = "the server, which may deviate from the protocol, and anyone who sees what it learns",
      .means = "one graph of a client is any other graph, of any size, with any label",
      .assumed = assumed,
      .uncovered = uncovered,
      .first = "clients",
      .second = "server",
      .unprotected = none ? "the server receives codes of graphs without noise" : NULL};
  /* the number of graphs, of the run and of a question, which is assumed to be public */
  sotto_i_describe_bare(out, &(sotto_i_bare){.payloads = "graphs, question.graphs", .role = "clients"});
}

void sotto_i_code_annotate(json_t *statement, const sotto_report *report) {
  json_t *details = json_object_get(statement, "details");
  const sotto_i_gwldp_settings *own = sotto_i_gwldp_settings_of(report->options);
  json_object_set_new(details, "encoder", json_string("code"));
  json_object_set_new(details, "anchors", json_string(own->anchors));
}
