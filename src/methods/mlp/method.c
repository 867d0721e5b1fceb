/* A perceptron on features: the baseline without edges. Between two parties, or with one owner by DP-SGD at
 * node level. */
#include <math.h>
#include <string.h>

#include "audit/canary.h"
#include "methods/vesper/options.h"
#include "methods/vesper/statement.h"
#include "methods/vesper/vesper.h"
#include "methods/vesper/vesper_answer.h"
#include "party/split_sample.h"
#include "protocols/answers/predict_private.h"
#include "protocols/answers/predict_stages.h"
#include "protocols/networks/work.h"
#include "protocols/node_budget.h"
#include "protocols/options.h"
#include "protocols/private_mlp.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

static bool mlp_work(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape) {
  const double rows = (double)shape->nodes, width = (double)sotto_i_embedding_width(options);
  const double most = SOTTO_I_SAMPLE_ROWS, train = fmin(options->train_share * rows, most);
  sotto_i_work_encoder(out, options, shape, most);
  /* Embeddings are sent to the label party, gradients back. */
  out->phases[0].copied += (2 * train + fmin(options->validation_share * rows, most)) * width;
  /* The data in transit, and the tape of the second party. */
  out->node_values += 1.2 * width;
  out->batch_values += 2.5 * width * fmin(train, (double)sotto_i_batch_rows());
  return true;
}

enum { plain = SOTTO_I_NONE | SOTTO_I_EDGE };
static const sotto_i_option_change changes[] = {
    {.key = "feature-scale", .fallback = "suited"},
    {.key = "adjacency", .choices = "none edge node"},
    {.key = "record-wire", .adjacencies = plain},
    {.key = "release-width",
     .help = "columns of the embeddings that the label party gets; 0: hidden",
     .adjacencies = plain},
    {.key = "dropout", .adjacencies = plain},
    {.key = "encoder-epochs", .adjacencies = plain}, /* between two parties the network is the encoder */
    {.key = "epochs", .adjacencies = SOTTO_I_NODE},
    {.key = "patience", .adjacencies = plain},
    {.key = "select-by", .adjacencies = plain},
    {.key = "epsilon", .adjacencies = SOTTO_I_NODE},
    {.key = "delta", .adjacencies = SOTTO_I_NODE},
};

static const sotto_i_option_default defaults[] = {SOTTO_I_NUMBER_DEFAULTS};

static sotto_status open_run(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  if (sotto_i_answers_privately_fitted(from->job->options)) return sotto_i_predict_private(out, from, err);
  return sotto_i_predict_stages(out, from, err);
}

static const sotto_i_private_mlp network = {.name = "mlp"};
static const sotto_i_variant variants[] = {
    {.adjacencies = plain,
     .accountings = SOTTO_I_SOUND,
     .chosen = sotto_i_learns_numbers,
     .key = "task",
     .word = "regression",
     .without = SOTTO_I_WITHOUT_CLASSES " label-epsilon",
     .numbers = true,
     .answer = sotto_i_vesper_layers_answer,
     .answer_sends = SOTTO_I_TWO_PARTIES_SENDS,
     .other_sends = {SOTTO_I_TWO_PARTIES_SENDS, "numbers of nodes"},
     .other_bare = true,
     .by_rows = true,
     .exchange = sotto_i_vesper_first_exchange,
     .run = sotto_i_two_parties_first_stage},
    {.adjacencies = plain,
     .accountings = SOTTO_I_SOUND,
     .answer = sotto_i_vesper_layers_answer,
     .answer_sends = SOTTO_I_TWO_PARTIES_SENDS,
     .other_sends = {SOTTO_I_TWO_PARTIES_SENDS, "numbers of nodes"},
     .other_bare = true,
     .ranks = true,
     .by_rows = true,
     .exchange = sotto_i_vesper_first_exchange,
     .run = sotto_i_two_parties_first_stage,
     .work = mlp_work},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .answers_moved = sotto_i_moves_own_answer,
     .one_owner = true,
     .own_rows = true,
     .protocol = &network,
     .canaries = SOTTO_I_CANARIES_OF_STEPS,
     .run = sotto_i_private_mlp_run,
     .price = sotto_i_private_mlp_price},
};

const sotto_i_method sotto_i_method_mlp = {
    .name = "mlp",
    .summary = "a perceptron on features: no edge at all; DP-SGD at node level",
    .situation = "I have the graph and features, a partner has the labels",
    .source = "Abadi et al. 2016",
    .protects = "it uses no edge, and protects nodes",
    .topology = SOTTO_TWO_PARTIES,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency epsilon delta publish-accuracy"},
                         {&sotto_i_network_rows, "hidden activation dropout"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_node_rows, "batch-rate clip steps"},
                         {&sotto_i_vesper_rows, "release-width"},
                         {&sotto_i_label_rows, NULL},
                         {&sotto_i_party_rows, NULL}},
                SOTTO_I_CHANGES(changes),
                SOTTO_I_DEFAULTS(defaults)},
    .accounts = sotto_i_two_parties_accounts,
    .state = sotto_i_two_parties_state,
    .describe = sotto_i_describe_two_parties,
    .annotate = sotto_i_annotate_two_parties,
    .open = open_run,
    SOTTO_I_VARIANTS(variants),
};
