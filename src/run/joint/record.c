/* The record of a joint prediction. Its only numbers that depend on data are counts of nodes and bytes. */
#include "record.h"

#include <string.h>

#include "inside/party.h"
#include "run/files/folder_file.h"

static const sotto_i_folder_file record_file = {"predictions.json", SOTTO_I_FOR_ANYONE,
                                                "options; how many nodes were asked; bytes"};

static json_t *bytes_json(const uint64_t bytes[SOTTO_WIRE_KINDS]) {
  json_t *out = json_object();
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++)
    (void)json_object_set_new(out, sotto_wire_kind_name((sotto_wire_kind)kind),
                              json_integer((json_int_t)bytes[kind]));
  return out;
}

/* Each name occurs once. */
static json_t *exposures_json(const sotto_i_links *links) {
  sotto_exposure exposures[SOTTO_MOST_EXPOSURES];
  json_t *out = json_array();
  for (size_t k = 0; k < links->count; k++) {
    const size_t count = sotto_link_exposures(links->all[k], exposures);
    for (size_t i = 0; i < count; i++) {
      bool known = false;
      for (size_t j = 0; j < json_array_size(out); j++) {
        const char *name = json_string_value(json_object_get(json_array_get(out, j), "name"));
        known = known || (name != NULL && strcmp(name, exposures[i].name) == 0);
      }
      if (!known)
        (void)json_array_append_new(
            out, json_pack("{s:s,s:s}", "name", exposures[i].name, "reason", exposures[i].reason));
    }
  }
  return out;
}

static sotto_traffic all_traffic(const sotto_i_links *links) {
  sotto_traffic out = {{0}, {0}};
  for (size_t k = 0; k < links->count; k++) sotto_traffic_add(&out, sotto_link_traffic(links->all[k]));
  return out;
}

sotto_status sotto_i_joint_record(const sotto_i_predicting *p, size_t nodes, const sotto_i_links *links,
                                  sotto_error *err) {
  const sotto_traffic traffic = all_traffic(links);
  char role[SOTTO_ROLE_SIZE];
  sotto_party_role_name(role, p->run.party);
  json_t *root =
      json_pack("{s:s,s:I,s:s,s:I,s:b,s:o,s:o,s:o}", "role", role, "seed", (json_int_t)p->seed, "learns",
                sotto_i_learns_name(p->asking.learns), "nodes", (json_int_t)nodes, "other_data",
                sotto_i_is_other_data(p), "exposed", exposures_json(links), "sent_bytes",
                bytes_json(traffic.sent), "received_bytes", bytes_json(traffic.received));
  return sotto_i_folder_save_json(root, p->options.out, &record_file, &p->options, JSON_INDENT(2), err);
}
