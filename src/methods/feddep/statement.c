/* feddep's part of the statement: noise of prototypes, or the noise-free claim as printed, as corrected, and
 * whether it is vacuous. */
#include <math.h>
#include <string.h>

#include "dp/inside/dp.h"
#include "feddep.h"
#include "run/statement/statement.h"
#include "sotto/claims.h"

static bool states(const sotto_options *o) {
  return sotto_i_part_settings_of(o)->prototypes > 0;
}

static json_t *form(double epsilon, double delta) {
  return json_pack("{s:f,s:f,s:b}", "epsilon", epsilon, "delta", delta, "vacuous",
                   delta > 1e-3 || epsilon > 50);
}

static json_t *noise_free(const sotto_options *o) {
  const sotto_i_part_settings *own = sotto_i_part_settings_of(o);
  double printed_epsilon, printed_delta, epsilon, delta;
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_NOISE_FREE_SAMPLING);
  if (!states(o) || own->prototype_noise > 0) return json_null();
  if (own->prototype_kind == SOTTO_I_PROTOTYPES_CLASSES)
    return json_pack(
        "{s:s,s:s}", "claim", "none", "why",
        "theorem 1 of Zhang et al. 2024 is about clusters of embeddings; means by class and by the "
        "class of neighbours read labels and edges beyond the drawn sample");
  if (own->least_degree == 0 || o->fan_out == 0 || own->embed_epochs == 0 || !(own->prototype_rate > 0))
    return json_pack(
        "{s:s,s:s}", "claim", "none", "why",
        "theorem 1 of Zhang et al. 2024 needs a declared least degree (least-degree), drawn neighbours, at "
        "least one epoch and prototypes that are drawn");
  m.layers = own->embed_layers;
  m.epochs = own->embed_epochs;
  m.sample = o->fan_out;
  m.degree = own->least_degree;
  m.rate = own->prototype_rate;
  if (sotto_paper_feddep(&printed_epsilon, &printed_delta, &m, false, NULL) != SOTTO_OK ||
      sotto_paper_feddep(&epsilon, &delta, &m, true, NULL) != SOTTO_OK)
    return json_null();
  return json_pack(
      "{s:s,s:s,s:I,s:o,s:o,s:[s,s,s]}", "claim", "noise-free edge-LDP, theorem 1 of Zhang et al. 2024",
      "declared", "every node has at least least_degree neighbours; this is taken, not measured",
      "least_degree", (json_int_t)own->least_degree, "as_printed", form(printed_epsilon, printed_delta),
      "corrected", form(epsilon, delta), "why_not", "delta is printed as one minus the right value (lemma 3)",
      "the sample stays secret only from those who see nothing but prototypes; the averaged "
      "models are seen too",
      "embeddings are read from all neighbours after training, without a sample");
}

/* Beside what all federated methods say. Noise of prototypes does not cover the averaged models. */
void sotto_i_annotate_prototypes(json_t *statement, const sotto_report *report) {
  sotto_i_annotate_clients(statement, report);
  if (states(report->options))
    json_object_set_new(json_object_get(statement, "details"), "noise_free_claim",
                        noise_free(report->options));
}
