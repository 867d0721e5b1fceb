/* What a party of vfgnn sent, received and exposed, for the statement. */
#include <string.h>

#include "vfgnn.h"

static void add_link(sotto_traffic *to, const sotto_link *link) {
  const sotto_traffic more = sotto_link_traffic(link);
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
    to->sent[kind] += more.sent[kind];
    to->received[kind] += more.received[kind];
  }
}

/* Adds what a link exposed, each name once from `first` on. */
static void add_exposures(sotto_i_outcome *out, size_t first, const sotto_exposure *list, size_t count) {
  const size_t most = sizeof out->exposures / sizeof *out->exposures;
  for (size_t i = 0; i < count; i++) {
    bool known = false;
    for (size_t j = first; j < out->exposure_count; j++)
      known = known || strcmp(out->exposures[j].name, list[i].name) == 0;
    if (!known && out->exposure_count < most) out->exposures[out->exposure_count++] = list[i];
  }
}

static void add_opened(sotto_i_outcome *out, const sotto_i_vfgnn *c) {
  static const sotto_exposure opened = {
      "initial.embeddings", "the first layer's rows X W are opened to all holders from shares; they "
                            "tell of the other holders' features"};
  static const sotto_exposure weights = {"weights", "the first layer's weights, opened to all holders by "
                                                    "--export-first"};
  static const sotto_exposure scores = {"scores",
                                        "scores of training, validation and test nodes, opened to the label "
                                        "holder in every epoch"};
  if (c->secure) add_exposures(out, 0, &scores, 1);
  if (c->secure) return;
  if (c->collaborative) add_exposures(out, 0, &opened, 1);
  if (c->collaborative && c->job->options->export_first) add_exposures(out, 0, &weights, 1);
}

void sotto_i_vfgnn_add_holder(sotto_i_outcome *out, const sotto_i_vfgnn_holder *holder) {
  const sotto_i_peers *peers = &holder->peers;
  sotto_exposure list[SOTTO_MOST_EXPOSURES] = {{.name = ""}};
  add_link(&out->data_party, peers->dealer);
  add_exposures(out, 0, list, sotto_link_exposures(peers->dealer, list));
  for (size_t j = 0; j < peers->count; j++)
    if (j != peers->self) add_link(&out->data_party, peers->holder[j]);
  add_opened(out, holder->shared);
  out->data_exposures = out->exposure_count;
}

void sotto_i_vfgnn_add_server(sotto_i_outcome *out, const sotto_i_vfgnn_server *server) {
  sotto_exposure list[SOTTO_MOST_EXPOSURES] = {{.name = ""}};
  for (size_t i = 0; i < server->shared->holders; i++) {
    add_link(&out->label_party, server->links[i]);
    add_exposures(out, out->data_exposures, list, sotto_link_exposures(server->links[i], list));
  }
}
