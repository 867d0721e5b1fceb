/* Options of clients that each hold a part of one graph. */
#include "options.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "run/settings/options.h"

static const sotto_i_option part_rows[] = {
    {SOTTO_I_OPTION(sotto_i_part_settings, generator_epochs, "generator-epochs", COUNT, "100", 1, 1000000, "",
                    TRAINING, "epochs of the generator"),
     .adjacencies = SOTTO_I_NONE},
    {SOTTO_I_OPTION(
         sotto_i_part_settings, generator_weights, "generator-weights", TEXT, "1:1:0.001", 0, 0, "", TRAINING,
         "a:b:c, weights in the generator's loss of the number of missing neighbours, of the nearest "
         "hidden neighbour, and of the nearest row of each other client"),
     .adjacencies = SOTTO_I_NONE},
    {SOTTO_I_OPTION(
         sotto_i_part_settings, cross_fit, "cross-fit", COUNT, "2", 1, 100, "", TRAINING,
         "folds of training nodes; what is generated for one is made without its labels; 1: with them"),
     .adjacencies = SOTTO_I_NONE},
    {SOTTO_I_OPTION(sotto_i_part_settings, embed_layers, "embed-layers", COUNT, "2", 1, 64, "", NETWORK,
                    "hops that an embedding describes, L"),
     .adjacencies = SOTTO_I_NONE},
    {SOTTO_I_OPTION(sotto_i_part_settings, embed_epochs, "embed-epochs", COUNT, "0", 0, 1000000, "", TRAINING,
                    "epochs of the network of embeddings, N; 0: it stays as it began"),
     .adjacencies = SOTTO_I_NONE},
    {SOTTO_I_OPTION(
         sotto_i_part_settings, prototypes, "prototypes", TEXT, "10", 0, 0, "", NETWORK,
         "what a client shows of its embeddings: so many centres by k-means, C; classes: means of labelled "
         "nodes by class and by the class of most neighbours; 0: none"),
     .adjacencies = SOTTO_I_NONE},
    {SOTTO_I_OPTION(sotto_i_part_settings, prototype_rate, "prototype-rate", REAL, "0.5", 0, 1, "", PRIVACY,
                    "share of the others' prototypes that is drawn in each step, r"),
     .adjacencies = SOTTO_I_NONE},
    {SOTTO_I_OPTION(sotto_i_part_settings, prototype_noise, "prototype-noise", REAL, "0", 0, INFINITY, "",
                    PRIVACY, "epsilon of a client's prototypes at node level; 0: shown as they are"),
     .adjacencies = SOTTO_I_NONE},
    {SOTTO_I_OPTION(
         sotto_i_part_settings, generate, "generate", WORD, "embeddings", 0, 0,
         "embeddings embeddings-once features", NETWORK,
         "what is generated for missing neighbours: deep embeddings, which every layer reads, or the "
         "first one alone; or features of one hop"),
     .adjacencies = SOTTO_I_NONE},
};
const sotto_i_option_rows sotto_i_part_rows = SOTTO_I_OWN_ROWS(sotto_i_part_settings, part_rows);

const sotto_i_part_settings *sotto_i_part_settings_of(const sotto_options *options) {
  return SOTTO_I_OWN(sotto_i_part_settings, options, &sotto_i_part_rows);
}

sotto_status sotto_i_generator_weights(double weights[3], const sotto_options *options, sotto_error *err) {
  const char *text = sotto_i_part_settings_of(options)->generator_weights;
  sotto_status status = sotto_i_parse_doubles(weights, 3, text, "generator-weights", err);
  for (int i = 0; status == SOTTO_OK && i < 3; i++)
    if (!(weights[i] >= 0 && weights[i] <= 1e6))
      status = sotto_i_fail(err, SOTTO_RANGE, "generator-weights: %g is outside 0 to 1e6", weights[i]);
  if (status == SOTTO_OK && !(weights[0] + weights[1] + weights[2] > 0))
    status =
        sotto_i_fail(err, SOTTO_RANGE,
                     "generator-weights: all are 0, so the generator would learn nothing; give one above 0");
  return status;
}

sotto_status sotto_i_prototypes_read(sotto_i_shown_prototypes *out, const sotto_options *options,
                                     sotto_error *err) {
  const char *text = sotto_i_part_settings_of(options)->prototypes;
  *out = (sotto_i_shown_prototypes){.classes = strcmp(text, "classes") == 0};
  if (out->classes) return SOTTO_OK;
  sotto_status status = sotto_i_parse_u64(&out->centres, text, "prototypes", err);
  if (status == SOTTO_OK && out->centres > 100000)
    return sotto_i_fail(err, SOTTO_RANGE, "prototypes: %.20s is outside 0 to 100000", text);
  return status;
}

sotto_i_shown_prototypes sotto_i_prototypes_of(const sotto_options *options) {
  sotto_i_shown_prototypes out;
  SOTTO_I_CHECK(sotto_i_prototypes_read(&out, options, NULL) == SOTTO_OK);
  return out;
}
