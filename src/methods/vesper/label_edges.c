/* The label party's own release of its edges, charged to its own account. */
#include "label_edges.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "inside/graph.h"
#include "release/plan.h"

bool sotto_i_label_edges_asked(const sotto_options *options) {
  return options->label_edges > 0;
}

sotto_status sotto_i_label_edges_part(sotto_graph *data, sotto_graph *label, const sotto_graph *graph,
                                      double share, sotto_error *err) {
  sotto_key key;
  sotto_key_public(&key, 0); /* the holder of an edge is a fact of the data, not of a seed */
  return sotto_graph_part(data, label, graph, share, &key, err);
}

void sotto_i_label_edges_account(sotto_i_label_account *out, const sotto_dataset *data,
                                 const sotto_graph *label_graph) {
  static const char domain[] = "sotto edges of the label party";
  const sotto_graph *g = label_graph;
  crypto_generichash_state state;
  if (label_graph == &data->graph) {
    *out = (sotto_i_label_account){.data = *data};
    memcpy(out->data.digest, data->account, sizeof out->data.digest);
    (void)snprintf(out->name, sizeof out->name, "%.*s", sotto_i_fitting(data->name, 127), data->name);
    return;
  }
  *out = (sotto_i_label_account){.data = {.name = NULL}};
  (void)snprintf(out->name, sizeof out->name, "label party's edges of %.*s", sotto_i_fitting(data->name, 90),
                 data->name);
  crypto_generichash_init(&state, NULL, 0, 32);
  crypto_generichash_update(&state, (const uint8_t *)domain, sizeof domain);
  crypto_generichash_update(&state, (const uint8_t *)g->offsets, (g->nodes + 1) * sizeof *g->offsets);
  crypto_generichash_update(&state, (const uint8_t *)g->targets, g->entries * sizeof *g->targets);
  crypto_generichash_final(&state, out->data.digest, 32);
}

sotto_status sotto_i_label_edges_layers(sotto_matrix *layers, const sotto_i_job *job,
                                        const sotto_matrix *rows, uint64_t round, sotto_error *err) {
  const sotto_i_release_request request = {.inputs = rows,
                                           .round = round,
                                           .of_label = true,
                                           .item = sotto_i_cost_item_of(job->cost, SOTTO_ACCOUNT_LABEL_EDGES),
                                           .number = round};
  sotto_release *release = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_job_release(&release, job, &request, err));
  for (uint32_t k = 0; k < job->plan->options.layers; k++) {
    const sotto_matrix *from = sotto_release_layer(release, k + 1);
    memcpy(layers[k].data, from->data, from->rows * from->cols * sizeof(float));
  }
done:
  sotto_release_free(release);
  return status;
}
