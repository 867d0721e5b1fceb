/* The statement of an alignment: what each party learns, under which assumptions. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "report.h"

static const char *const assumed[] = {
    "every party follows the protocol (semi-honest); one that does not can name ids of its choice as its own",
    "decisional Diffie-Hellman in ristretto255, with BLAKE2b and the map to the group as random oracles",
    "two different ids have the same 16-byte tag with probability 2^-128 a pair", NULL};
static const char *const uncovered[] = {
    "what the ids in common say of the parties once they are known; repeated runs with changed lists",
    "a hub that tells a leaf a wrong result; leaves that add their results together",
    "side channels such as the time that reading the ids takes", NULL};

static json_t *strings(const char *const *texts) {
  json_t *list = json_array();
  for (size_t i = 0; texts[i] != NULL; i++) json_array_append_new(list, json_string(texts[i]));
  return list;
}

static json_t *sizes(const size_t *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_integer((json_int_t)values[i]));
  return list;
}

static json_t *learned(const sotto_alignment *a) {
  json_t *list = json_array();
  json_array_append_new(list, json_string("which of its own ids all parties have, in the common order"));
  json_array_append_new(list,
                        json_string(a->hub ? "how many ids each leaf has" : "how many ids the hub has"));
  if (a->hub && a->peers > 1)
    json_array_append_new(list, json_string("which of its own ids each single leaf has"));
  return list;
}

static json_t *exposed(const sotto_alignment *a) {
  json_t *list = json_array();
  for (size_t i = 0; i < a->exposure_count; i++)
    json_array_append_new(
        list, json_pack("{s:s,s:s}", "name", a->exposures[i].name, "reason", a->exposures[i].reason));
  return list;
}

static json_t *bytes(const uint64_t *values) {
  json_t *object = json_object();
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++)
    json_object_set_new(object, sotto_wire_kind_name((sotto_wire_kind)kind),
                        json_integer((json_int_t)values[kind]));
  return object;
}

sotto_status sotto_report_alignment(char **out, const sotto_alignment *a, sotto_error *err) {
  json_t *shared = a->hub ? sizes(a->shared, a->peers) : json_null();
  json_t *root = json_pack("{s:s,s:s,s:I,s:I,s:o,s:o,s:s,s:o,s:o,s:o,s:o,s:s,s:{s:o,s:o},s:I,s:I,s:f}",
                           "protocol", "private set intersection by Diffie-Hellman over ristretto255", "role",
                           a->hub ? "hub" : "leaf", "ids", (json_int_t)a->own, "common", (json_int_t)a->count,
                           a->hub ? "leaf_ids" : "hub_ids", sizes(a->peer_ids, a->peers), "common_with_each",
                           shared, "adversary", "the other parties, which follow the protocol",
                           "learned_by_this_party", learned(a), "exposed", exposed(a), "assumed",
                           strings(assumed), "not_covered", strings(uncovered), "differential_privacy",
                           "none: the result is exact", "wire", "sent", bytes(a->traffic.sent), "received",
                           bytes(a->traffic.received), "ids_hashed", (json_int_t)a->hashes,
                           "scalar_multiplications", (json_int_t)a->products, "seconds", a->seconds);
  *out = root == NULL ? NULL : json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
  json_decref(root);
  return *out != NULL ? SOTTO_OK : sotto_i_fail(err, SOTTO_NOMEM, "no memory for the statement");
}
