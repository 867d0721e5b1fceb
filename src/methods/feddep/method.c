/* Clients that each have a part of one graph: FedDEP, FedSage and FedSage+, and their baselines: one owner
 * of the whole graph, and each client alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/canary.h"
#include "base/error.h"
#include "feddep.h"
#include "fedsage_plus.h"
#include "inside/dp.h"
#include "methods/federated/linked.h"
#include "methods/federated/options.h"
#include "methods/federated/protocol.h"
#include "noisy_prototypes.h"
#include "options.h"
#include "protocols/options.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"
#include "run/statement/statement.h"
#include "sotto/claims.h"

static bool shows_prototypes(const sotto_options *o) {
  const sotto_i_shown_prototypes shown = sotto_i_prototypes_of(o);
  return shown.classes || shown.centres > 0;
}

static json_t *claim_json(double epsilon, double delta) {
  return json_pack("{s:f,s:f,s:b}", "epsilon", epsilon, "delta", delta, "vacuous",
                   delta > 1e-3 || epsilon > 50);
}

static json_t *noise_free_claim(const sotto_options *o) {
  const sotto_i_part_settings *own = sotto_i_part_settings_of(o);
  double printed_epsilon, printed_delta, epsilon, delta;
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_NOISE_FREE_SAMPLING);
  if (!shows_prototypes(o) || own->prototype_noise > 0) return json_null();
  if (sotto_i_prototypes_of(o).classes)
    return json_pack(
        "{s:s,s:s}", "claim", "none", "why",
        "theorem 1 of Zhang et al. 2024 is about clusters of embeddings; means by class and by the "
        "class of neighbours read labels and edges beyond the drawn sample");
  if (o->degree_floor == 0 || o->fan_out == 0 || own->embed_epochs == 0 || !(own->prototype_rate > 0))
    return json_pack(
        "{s:s,s:s}", "claim", "none", "why",
        "theorem 1 of Zhang et al. 2024 needs a declared least degree (degree-floor), drawn neighbours, at "
        "least one epoch and prototypes that are drawn");
  m.layers = own->embed_layers;
  m.epochs = own->embed_epochs;
  m.sample = o->fan_out;
  m.degree = o->degree_floor;
  m.rate = own->prototype_rate;
  if (sotto_paper_feddep(&printed_epsilon, &printed_delta, &m, false, NULL) != SOTTO_OK ||
      sotto_paper_feddep(&epsilon, &delta, &m, true, NULL) != SOTTO_OK)
    return json_null();
  return json_pack("{s:s,s:s,s:I,s:o,s:o,s:[s,s,s]}", "claim",
                   "noise-free edge-LDP, theorem 1 of Zhang et al. 2024", "declared",
                   "every node has at least least_degree neighbours; this is taken, not measured",
                   "least_degree", (json_int_t)o->degree_floor, "as_printed",
                   claim_json(printed_epsilon, printed_delta), "corrected", claim_json(epsilon, delta),
                   "why_not", "delta is printed as one minus the right value (lemma 3)",
                   "the sample stays secret only from those who see nothing but prototypes; the averaged "
                   "models are seen too",
                   "embeddings are read from all neighbours after training, without a sample");
}

/* Theorem 1 of Zhang et al. 2024, as printed, where it speaks of the run. */
static void claims(char out[SOTTO_I_CLAIM_TEXT], const sotto_options *o, const sotto_cost *cost) {
  json_t *claim = noise_free_claim(o), *printed = json_object_get(claim, "as_printed");
  (void)cost;
  if (printed != NULL)
    (void)snprintf(out, SOTTO_I_CLAIM_TEXT, "epsilon %.4g for edges at delta %.3g without noise (theorem 1)",
                   json_real_value(json_object_get(printed, "epsilon")),
                   json_real_value(json_object_get(printed, "delta")));
  else
    (void)snprintf(out, SOTTO_I_CLAIM_TEXT,
                   "privacy of edges without noise (theorem 1), in figures only with a declared least degree "
                   "(degree-floor)");
  json_decref(claim);
}

static const sotto_i_paper paper = {
    .claims = claims,
    .why = "delta of the claim is one minus the right value, and the averaged models show the sample that "
           "it takes as secret"};

/* Added to the statement of all federated methods. Noise of prototypes does not cover the averaged models. */
static void annotate_prototypes(json_t *statement, const sotto_report *report) {
  sotto_i_annotate_clients(statement, report);
  if (shows_prototypes(report->options))
    json_object_set_new(json_object_get(statement, "details"), "noise_free_claim",
                        noise_free_claim(report->options));
}

static sotto_status check_generator(const sotto_options *o, sotto_error *err) {
  double weights[3];
  sotto_status status = sotto_i_generator_weights(weights, o, err);
  return status == SOTTO_OK ? sotto_i_fed_check(o, err) : status;
}

static sotto_status check_feddep(const sotto_options *o, sotto_error *err) {
  const sotto_i_part_settings *own = sotto_i_part_settings_of(o);
  sotto_i_shown_prototypes shown;
  sotto_status status = sotto_i_prototypes_read(&shown, o, err);
  if (status != SOTTO_OK) return status;
  if (own->prototype_noise > 0 && !shows_prototypes(o))
    return sotto_i_fail(err, SOTTO_INVALID, "prototype-noise: there are no prototypes (prototypes 0)");
  if (own->prototype_noise > 0 && (o->max_degree == 0 || own->generate == SOTTO_I_GENERATED_FEATURES))
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "prototype-noise: needs max-degree, the declared bound on the neighbours of a node, and "
        "generate embeddings");
  if (own->prototype_noise > 0 && !(o->delta > 0 && o->delta < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "delta: must be between 0 and 1");
  return check_generator(o, err);
}

/* Zhang et al. 2021, section 5, where it gives values; the rest chosen on validation nodes
 * (docs/feddep.md). */
#define SHARED_CHANGES                                                                                       \
  {.key = "aggregator", .fallback = "mean", .choices = "mean sage"},                                         \
      {.key = "feature-scale", .fallback = "suited", .choices = "suited l2 none"},                           \
      {.key = "partition", .fallback = "communities"},                                                       \
      {.key = "fan-out", .fallback = "5", .adjacencies = SOTTO_I_NONE}, SOTTO_I_CLIENT_EPOCHS(0),            \
      {.key = "batch-size", .help = "nodes a step; 0: all of a client's"}, {                                 \
    .key = "learning-rate", .fallback = "0.03"                                                               \
  }
#define SERVER_ADAM                                                                                          \
  { .key = "optimiser", .fallback = "server-adam" }
#define ALONE                                                                                                \
  {.key = "optimiser", .choices = "adam sgd", .help = "of clients"}, {.key = "rounds", .fallback = "50"}, {  \
    .key = "batch-size", .fallback = "64"                                                                    \
  }
#define NO_NOISE                                                                                             \
  {                                                                                                          \
    .key = "adjacency", .fallback = "none", .choices = "none",                                               \
    .help = "none: models are averaged without noise"                                                        \
  }
#define EDGE_LEVEL                                                                                           \
  {                                                                                                          \
    .key = "adjacency", .fallback = "none", .choices = "none edge",                                          \
    .help = "none: no noise is added; edge: clients read noisy counts of neighbours, and no edge"            \
  }
static const sotto_i_option_change changes[] = {NO_NOISE, SHARED_CHANGES, ALONE};
static const sotto_i_option_change sage_changes[] = {EDGE_LEVEL,
                                                     SOTTO_I_FED_ENCODER_EPOCHS,
                                                     SHARED_CHANGES,
                                                     SERVER_ADAM,
                                                     {.key = "epsilon", .adjacencies = SOTTO_I_EDGE}};
static const sotto_i_option_change feddep_changes[] = {
    EDGE_LEVEL,
    SOTTO_I_FED_ENCODER_EPOCHS,
    SHARED_CHANGES,
    SERVER_ADAM,
    {.key = "as-published", .adjacencies = SOTTO_I_NONE},
    {.key = "degree-floor",
     .fallback = "0",
     .help = "declared least number of neighbours, D of the noise-free claim; 0: none declared",
     .adjacencies = SOTTO_I_NONE},
    {.key = "generator-weights", .fallback = "1:10:0.001"}};
static const sotto_i_option_change plus_changes[] = {
    NO_NOISE, SHARED_CHANGES, SERVER_ADAM, {.key = "generator-epochs", .fallback = "20"}};

/* With client optimisers, the batches and rounds of Zhang et al. 2021. At edge level a partition by edges
 * is used only on request, since it makes the partition public. */
#define SAGE_DEFAULTS                                                                                        \
  {"batch-size", "64", .when = {SOTTO_I_WHEN("optimiser", "adam sgd")}},                                     \
      {"rounds", "50", .when = {SOTTO_I_WHEN("optimiser", "adam sgd")}}, {                                   \
    "partition", "alike", .adjacencies = SOTTO_I_EDGE                                                        \
  }
static const sotto_i_option_default sage_defaults[] = {SAGE_DEFAULTS};
/* Untrained embeddings depend on no label, and neither does what their clusters are compared with. */
#define PUBLISHED .when = {SOTTO_I_PUBLISHED}
static const sotto_i_option_default feddep_defaults[] = {
    /* Of Zhang et al. 2024 the appendix alone is public here, which names what there is and gives no number.
     * Numbers are those of Zhang et al. 2021, section 5, on which it builds, and else the middle of our
     * series (docs/feddep.md). */
    {"prototypes", "10", PUBLISHED},         /* theorem 1: prototype sets of embeddings */
    {"prototype-noise", "0", PUBLISHED},     /* theorem 1: without noise */
    {"prototype-rate", "0.5", PUBLISHED},    /* theorem 1: r of the Bernoulli sampler */
    {"embed-layers", "2", PUBLISHED},        /* lemma 3: L */
    {"embed-epochs", "20", PUBLISHED},       /* lemma 3: N epochs of mini-batches */
    {"generate", "embeddings", PUBLISHED},   /* statement 1: fused into every layer */
    {"fan-out", "5", PUBLISHED},             /* lemma 2: d, drawn without replacement; 5 in 2021 */
    {"aggregator", "mean", PUBLISHED},       /* statement 1 */
    {"layers", "2", PUBLISHED},              /* 2021 */
    {"optimiser", "adam", PUBLISHED},        /* 2021: of clients */
    {"batch-size", "64", PUBLISHED},         /* 2021 */
    {"rounds", "50", PUBLISHED},             /* 2021 */
    {"partition", "communities", PUBLISHED}, /* 2021: Louvain */
    {"train-share", "0.6", PUBLISHED},       /* 2021 */
    {"validation-share", "0.2", PUBLISHED},  /* 2021 */
    SAGE_DEFAULTS,
    {"cross-fit", "1", .when = {SOTTO_I_WHEN("embed-epochs", "0"), SOTTO_I_UNLESS("prototypes", "classes")}}};

#define VARIANT(kind, priced)                                                                                \
  {                                                                                                          \
    .adjacencies = SOTTO_I_NONE, .accountings = SOTTO_I_SOUND, .edges = true, .protocol = (kind),            \
    .run = sotto_i_fed_run, .price = (priced)                                                                \
  }
static sotto_i_fed_draws draw_settings(const sotto_options *o) {
  return (sotto_i_fed_draws){.fan_out = o->fan_out};
}

static sotto_i_fed_draws deep_draws(const sotto_options *o) {
  return (sotto_i_fed_draws){.fan_out = o->fan_out, .depth = sotto_i_part_settings_of(o)->embed_layers};
}

static bool by_products(const sotto_options *o) {
  (void)o;
  return true;
}

/* Prototypes of features, and noisy ones of single rows, read whole rows. */
static bool deep_by_products(const sotto_options *o) {
  return sotto_i_part_settings_of(o)->generate != SOTTO_I_GENERATED_FEATURES &&
         !sotto_i_prototypes_are_noisy(o);
}

static sotto_i_fed_fusion fusion_settings(const sotto_options *o, size_t inputs) {
  return (sotto_i_fed_fusion){.width = sotto_i_feddep_width(o, inputs),
                              .once =
                                  sotto_i_part_settings_of(o)->generate == SOTTO_I_GENERATED_EMBEDDINGS_ONCE};
}

static const sotto_i_fed_protocol feddep = {.parts = true,
                                            .prepare = sotto_i_feddep_prepare,
                                            .serve = sotto_i_feddep_exchange,
                                            .complete = sotto_i_feddep_complete,
                                            .by_products = deep_by_products,
                                            .draws = deep_draws,
                                            .fuses = fusion_settings};
static const sotto_i_fed_protocol plus = {.parts = true,
                                          .prepare = sotto_i_fedsage_plus_prepare,
                                          .serve = sotto_i_fedsage_plus_serve,
                                          .complete = sotto_i_fedsage_plus_complete,
                                          .draws = draw_settings};
static const sotto_i_fed_protocol sage = {.parts = true, .by_products = by_products, .draws = draw_settings};
static const sotto_i_fed_protocol local = {
    .parts = true, .alone = true, .by_products = by_products, .draws = draw_settings};
static const sotto_i_fed_protocol whole = {
    .parts = true, .alone = true, .whole = true, .by_products = by_products, .draws = draw_settings};
static const sotto_i_fed_protocol dep_counts = {.parts = true, .counts = true},
                                  sage_counts = {.parts = true, .counts = true};
#define LINKED(kind)                                                                                         \
  {                                                                                                          \
    .adjacencies = SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND, .edges = true, .covered = true,               \
    .chosen = sotto_i_fed_linked_asked, .key = "partition", .word = "linked:alike", .protocol = (kind),      \
    .canaries = 1U << SOTTO_I_CANARY_PAIR | 1U << SOTTO_I_CANARY_CLUSTER,                                    \
    .canary = sotto_i_fed_linked_canary, .run = sotto_i_fed_run, .price = sotto_i_fed_counts_price           \
  }
#define COUNTS(kind)                                                                                         \
  {                                                                                                          \
    .adjacencies = SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND, .edges = true, .covered = true,               \
    .protocol = (kind), .canaries = 1U << SOTTO_I_CANARY_PAIR | 1U << SOTTO_I_CANARY_PILOT,                  \
    .canary = sotto_i_fed_canary, .run = sotto_i_fed_run, .price = sotto_i_fed_counts_price                  \
  }
static const sotto_i_variant feddep_variants[] = {VARIANT(&feddep, sotto_i_prototypes_price),
                                                  LINKED(&dep_counts), COUNTS(&dep_counts)};
static const sotto_i_variant plus_variants[] = {VARIANT(&plus, sotto_i_price_nothing)};
static const sotto_i_variant sage_variants[] = {VARIANT(&sage, sotto_i_price_nothing), LINKED(&sage_counts),
                                                COUNTS(&sage_counts)};
static const sotto_i_variant local_variants[] = {
    {.adjacencies = SOTTO_I_NONE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .own_alone = "each client has a model of its own, and other data are of no client",
     .protocol = &local,
     .run = sotto_i_fed_run,
     .price = sotto_i_price_nothing}};
static const sotto_i_variant whole_variants[] = {VARIANT(&whole, sotto_i_price_nothing)};

static const char situation[] = "Branches each hold a part of one graph";
static const char network[] = "aggregator layers hidden dropout fan-out";
static const char training[] = "epochs learning-rate weight-decay batch-size";
static const char counting[] = "encoder-epochs epochs learning-rate weight-decay batch-size";
static const char parties[] = "idle-limit grace ids";
static const char generator[] = "generator-epochs generator-weights";
/* For clients that train their own models. */
static const char dealing[] = "rounds optimiser local-momentum";

const sotto_i_method sotto_i_method_feddep = {
    .name = "feddep",
    .summary = "models are averaged; missing neighbours are generated from shared prototypes",
    .situation = situation,
    .source = "Zhang et al. 2024",
    .protects = "it protects edges; prototype-noise is that of prototypes, at node level",
    .topology = SOTTO_CLIENTS_AND_SERVER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency epsilon delta max-degree degree-cut"},
                         {&sotto_i_published_rows, NULL},
                         {&sotto_i_network_rows, "aggregator layers degree-floor hidden dropout fan-out"},
                         {&sotto_i_training_rows, counting},
                         {&sotto_i_member_rows, "clients"},
                         {&sotto_i_partition_rows, NULL},
                         {&sotto_i_client_rows, SOTTO_I_UNCHECKED_OPTIONS},
                         {&sotto_i_part_rows, NULL},
                         {&sotto_i_party_rows, "idle-limit grace ids record-wire"}},
                SOTTO_I_CHANGES(feddep_changes),
                SOTTO_I_DEFAULTS(feddep_defaults)},
    .paper = &paper,
    .check = check_feddep,
    .accounts = sotto_i_fed_linked_accounts,
    .state = sotto_i_fed_linked_state,
    .attack_server = sotto_i_fed_attack,
    .attack_client = sotto_i_fed_attack,
    .inputs = sotto_i_fed_inputs,
    .open = sotto_i_fed_open,
    .narrow = sotto_i_fed_counts_narrow,
    .no_fresh = true,
    .describe = sotto_i_describe_clients,
    .annotate = annotate_prototypes,
    SOTTO_I_VARIANTS(feddep_variants),
};

const sotto_i_method sotto_i_method_fedsage_plus = {
    .name = "fedsage+",
    .summary = "models are averaged; missing neighbours are generated from other clients' rows",
    .situation = situation,
    .source = "Zhang et al. 2021",
    .protects = "it adds no noise; secure-aggregation hides each client's updates",
    .topology = SOTTO_CLIENTS_AND_SERVER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency max-degree degree-cut"},
                         {&sotto_i_network_rows, network},
                         {&sotto_i_training_rows, training},
                         {&sotto_i_member_rows, "clients"},
                         {&sotto_i_partition_rows, NULL},
                         {&sotto_i_client_rows, SOTTO_I_UNCHECKED_OPTIONS},
                         {&sotto_i_part_rows, generator},
                         {&sotto_i_party_rows, parties}},
                SOTTO_I_CHANGES(plus_changes),
                SOTTO_I_DEFAULTS(sage_defaults)},
    .check = check_generator,
    .inputs = sotto_i_fed_inputs,
    .open = sotto_i_fed_open,
    .no_fresh = true,
    .describe = sotto_i_describe_clients,
    .annotate = sotto_i_annotate_clients,
    .variants = plus_variants,
    .variant_count = 1,
};

const sotto_i_method sotto_i_method_fedsage = {
    .name = "fedsage",
    .summary = "models are averaged, at edge level of noisy counts; edges between clients can be counted",
    .situation = situation,
    .source = "Zhang et al. 2021",
    .protects = "it protects edges; secure-aggregation hides each client among the others",
    .topology = SOTTO_CLIENTS_AND_SERVER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency epsilon delta max-degree degree-cut"},
                         {&sotto_i_network_rows, network},
                         {&sotto_i_training_rows, counting},
                         {&sotto_i_member_rows, "clients least-clients"},
                         {&sotto_i_partition_rows, NULL},
                         {&sotto_i_client_rows, SOTTO_I_UNCHECKED_OPTIONS},
                         {&sotto_i_party_rows, "idle-limit grace ids record-wire"}},
                SOTTO_I_CHANGES(sage_changes),
                SOTTO_I_DEFAULTS(sage_defaults)},
    .check = sotto_i_fed_check,
    .accounts = sotto_i_fed_linked_accounts,
    .state = sotto_i_fed_linked_state,
    .attack_server = sotto_i_fed_attack,
    .attack_client = sotto_i_fed_attack,
    .inputs = sotto_i_fed_inputs,
    .open = sotto_i_fed_open,
    .narrow = sotto_i_fed_counts_narrow,
    .no_fresh = true,
    .describe = sotto_i_describe_clients,
    .annotate = sotto_i_annotate_clients,
    SOTTO_I_VARIANTS(sage_variants),
};

/* A baseline without a federation: the clients apart, or one owner of the whole graph. */
#define BASELINE(list)                                                                                       \
  .situation = situation, .source = "Zhang et al. 2021", .topology = SOTTO_CLIENTS_AND_SERVER,               \
  .apart = true,                                                                                             \
  .options = {.uses = {{&sotto_i_run_rows, NULL},                                                            \
                       {&sotto_i_privacy_rows, "adjacency max-degree degree-cut"},                           \
                       {&sotto_i_network_rows, network},                                                     \
                       {&sotto_i_training_rows, training},                                                   \
                       {&sotto_i_member_rows, "clients"},                                                    \
                       {&sotto_i_partition_rows, NULL},                                                      \
                       {&sotto_i_client_rows, dealing}},                                                     \
              SOTTO_I_CHANGES(changes)},                                                                     \
  .check = sotto_i_fed_check, .inputs = sotto_i_fed_inputs, .open = sotto_i_fed_open, .no_fresh = true,      \
  .describe = sotto_i_describe_clients, .annotate = sotto_i_annotate_clients, .variants = (list),            \
  .variant_count = 1

const sotto_i_method sotto_i_method_locsage = {
    .name = "locsage",
    .summary = "each client trains locally: the baseline of a federation",
    .protects = "each client trains locally without noise",
    BASELINE(local_variants),
};

const sotto_i_method sotto_i_method_globsage = {
    .name = "globsage",
    .summary = "one owner trains on the whole graph: the upper baseline of a federation",
    .protects = "one owner trains it without noise",
    BASELINE(whole_variants),
};
