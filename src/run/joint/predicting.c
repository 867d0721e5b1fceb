/* A party of a joint prediction before it connects: its checks, its files, the terms. Nothing is sent
 * before all checks of this side have passed. */
#include "predicting.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/text.h"
#include "inside/party.h"
#include "joint.h"
#include "run/files/job_file.h"
#include "run/files/kept_check.h"
#include "run/method/matrix.h"
#include "run/parties/party_roles.h"
#include "run/storage/accounts_file.h"
#include "run/storage/data_file.h"
#include "run/storage/facts_file.h"
#include "run/storage/schema_file.h"
#include "run/storage/seed_file.h"
#include "tensor/columns.h"

/* Do its answers follow from releases with noise? */
static bool is_noisy(const sotto_options *o) {
  return sotto_i_variant_has_noise(sotto_i_variant_of(o)) && sotto_i_job_wants_privacy(o);
}

/* Both sides must know whether the payloads have noise, so a run without noise states this too. */
static sotto_status check_epsilon(const sotto_i_predicting *p, sotto_error *err) {
  const double epsilon = p->asking.epsilon;
  if (!is_noisy(&p->options))
    return sotto_i_is_bare(p)
               ? SOTTO_OK
               : sotto_i_fail(err, SOTTO_INVALID,
                              "epsilon: this run has no noise, and neither have its answers about other "
                              "data; give inf in place of %g",
                              epsilon);
  if (epsilon > 0 && epsilon <= 1e3) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "epsilon: %g; it must be above 0, and 1000 at most", epsilon);
}

/* The label party's last network may have been fitted to true labels, which label-epsilon protects from the
 * other party. */
static sotto_status check_method(const sotto_i_predicting *p, sotto_error *err) {
  const sotto_options *o = &p->options;
  const sotto_i_variant *v = sotto_i_variant_of(o);
  sotto_status status = SOTTO_OK;
  const char *apart = sotto_i_unanswered_together(v);
  if (apart != NULL)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "method: %s at %s level: %s", o->method,
                        sotto_adjacency_name(o->adjacency), apart);
  const char *why = sotto_i_together_alone(v, is_noisy(o));
  if (sotto_i_is_other_data(p) && why != NULL)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "epsilon: %s: %s; train a new run with the tables of today",
                        o->method, why);
  if (sotto_i_is_other_data(p)) SOTTO_TRY(check_epsilon(p, err));
  if (sotto_i_is_other_data(p)) SOTTO_TRY(sotto_i_other_data_check_labels(o, err));
  if (o->label_edges > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "label-edges: the parties of a run that reads them do not answer together yet");
  if (o->label_epsilon > 0 && sotto_i_data_learns(p))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "learns: the data party may not learn the answers of this run; they follow from true "
                        "labels, which label-epsilon protects. Let the label party alone learn them");
  status = sotto_party_role_check(p->run.party, o, err);
done:
  return status;
}

static sotto_status check_nodes(const sotto_i_predicting *p, sotto_error *err) {
  const sotto_asking *a = &p->asking;
  const uint64_t all = p->run.data->graph.nodes;
  if (a->nodes != NULL && p->run.party->role == SOTTO_ROLE_SERVER)
    return sotto_i_fail(err, SOTTO_INVALID, "nodes: the server asks about none; let a holder name them");
  if (a->nodes != NULL && (a->count == 0 || a->count > all))
    return sotto_i_fail(err, SOTTO_RANGE, "nodes: %zu are asked for, and the data has %llu", a->count,
                        (unsigned long long)all);
  for (size_t i = 0; a->nodes != NULL && i < a->count; i++)
    if (a->nodes[i] >= all || (i > 0 && a->nodes[i] <= a->nodes[i - 1]))
      return sotto_i_fail(err, SOTTO_RANGE, "nodes: they have to ascend, below %llu",
                          (unsigned long long)all);
  return SOTTO_OK;
}

static sotto_status find_seed(sotto_i_predicting *p, sotto_error *err) {
  const sotto_options *o = &p->options;
  sotto_status status;
  p->seed = p->asking.seed == SOTTO_UNSET ? o->seed : p->asking.seed;
  if (p->seed < o->seed || p->seed >= o->seed + o->seeds)
    return sotto_i_fail(err, SOTTO_RANGE, "seed: %llu is none of the run's, %llu to %llu",
                        (unsigned long long)p->seed, (unsigned long long)o->seed,
                        (unsigned long long)(o->seed + o->seeds - 1));
  SOTTO_TRY(sotto_i_kept_check_model(o->out, p->seed, err));
  SOTTO_TRY(sotto_i_seed_path(&p->seed_folder, o->out, p->seed, err));
  SOTTO_TRY(sotto_i_job_find_model(&p->model, p->seed_folder, o, err));
  status = sotto_i_seed_file_check(NULL, p->seed_folder, err);
done:
  return status;
}

/* For other data the label party takes the number of classes from the run. */
static sotto_status set_classes(sotto_i_predicting *p, sotto_error *err) {
  sotto_i_facts facts;
  sotto_status status = sotto_i_facts_load(&facts, p->options.out, err);
  if (status != SOTTO_OK) return status;
  const uint32_t classes = facts.words[SOTTO_I_FACT_CLASSES];
  p->labelled = *p->run.data;
  if (p->labelled.classes > classes)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has labels of %u classes, and the model %u",
                        p->labelled.name, (unsigned)p->labelled.classes, (unsigned)classes);
  p->labelled.classes = classes;
  p->run.data = &p->labelled;
  return SOTTO_OK;
}

/* With epsilon, a release is made of the data, whatever it is. Without, the release of the training is sent
 * again. */
static sotto_status check_data(sotto_i_predicting *p, sotto_error *err) {
  sotto_i_run *r = &p->run;
  bool own = false;
  sotto_status status;
  if (!sotto_i_party_has_data(r->party)) return SOTTO_OK;
  status = sotto_i_matched_open(&p->matched, r->data, p->options.out, &p->options, false, r->observer, err);
  if (status == SOTTO_INVALID) r->declines = SOTTO_DECLINE_TABLE;
  SOTTO_TRY(status);
  r->data = p->matched.data;
  if (sotto_i_is_other_data(p)) {
    r->facts.words[SOTTO_I_FACT_NODES] = (uint32_t)r->data->graph.nodes;
    return sotto_i_is_label_party(p) ? set_classes(p, err) : SOTTO_OK;
  }
  SOTTO_TRY(sotto_i_matched_is_own(&own, &p->matched, p->options.out, &p->options, err));
  p->paid = *r->data; /* an existing charge belongs to the account that the training paid from */
  r->data = &p->paid;
  if (own) return sotto_i_accounts_take_data(&p->paid, p->options.out, err);
  r->declines = SOTTO_DECLINE_TABLE; /* by what is public of it */
  const sotto_i_variant *v = sotto_i_variant_of(&p->options);
  const bool never = sotto_i_together_alone(v, is_noisy(&p->options)) != NULL;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: the run in %s was trained on other data, as its nodes, features or labels show; %s", r->data->name,
      p->options.out,
      never                   ? "its parties answer about its own data alone: train a new run with this"
      : is_noisy(&p->options) ? "give epsilon for a release of this"
                              : "give epsilon inf for answers about this, without noise");
done:
  return status;
}

/* Does this party release something of its data: the data party, a holder of edges, a client that asks? */
static bool makes_release(const sotto_i_predicting *p) {
  const sotto_role role = p->run.party->role;
  if (sotto_i_party_is_apart(p->run.party, &p->options)) return false;
  return role == SOTTO_ROLE_DATA || role == SOTTO_ROLE_HOLDER || role == SOTTO_ROLE_CLIENT;
}

/* A repeated release has its epsilon, which the other party must also state; its data is used without
 * edges. */
static sotto_status open_again(sotto_i_predicting *p, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (p->asking.again == 0) return SOTTO_OK;
  if (!makes_release(p))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "again: the party with the edges has the releases, and names the one that it sends "
                        "again; this party gives the epsilon of that");
  if (p->asking.epsilon != 0)
    return sotto_i_fail(err, SOTTO_INVALID, "again: release %llu has its epsilon; leave epsilon out",
                        (unsigned long long)p->asking.again);
  SOTTO_TRY(sotto_i_other_data_epsilon(&p->asking.epsilon, p->options.out, p->asking.again, err));
  SOTTO_TRY(sotto_i_edgeless_new(&p->edgeless, p->run.data, err));
  p->run.data = &p->edgeless;
done:
  return status;
}

static sotto_i_other_request request_of(const sotto_i_predicting *p, uint64_t layers) {
  return (sotto_i_other_request){.options = &p->options,
                                 .run = p->options.out,
                                 .file = p->model,
                                 .data = p->run.data,
                                 .seed = p->seed,
                                 .epsilon = p->asking.epsilon,
                                 .again = p->asking.again,
                                 .layers = layers,
                                 .party = p->run.party};
}

/* Before anything is sent: would the ledger accept the charge? */
static sotto_status ask_ledger(sotto_i_predicting *p, sotto_error *err) {
  sotto_i_other_data asked;
  const bool narrowed = sotto_i_is_question(p) || sotto_i_variant_of(&p->options)->other_once;
  sotto_i_other_request request = request_of(p, narrowed ? 0 : p->options.layers);
  request.ask = true;
  request.observer = p->run.observer;
  sotto_status status = sotto_i_other_data_open(&asked, &request, err);
  sotto_i_other_data_free(&asked);
  return status;
}

/* Without noise: the run's own job, over the other data. Where a budget stands for the data, the ledger
 * records that they were shown, once for each prediction and before anything is sent. */
static sotto_status open_bare(sotto_i_predicting *p, sotto_error *err) {
  sotto_i_run shown = p->run;
  sotto_key nonce;
  if (p->release.job.options != NULL) return SOTTO_OK;
  sotto_key_system(&nonce);
  sotto_i_hex(shown.id, nonce.bytes, 16);
  p->release.job = sotto_i_run_job(&p->run, p->seed_folder, p->seed);
  return sotto_i_run_record_unprotected(&shown, err);
}

/* A repeated exchange finds the same release. */
static sotto_status open_release(void *context, const sotto_i_job **out, uint64_t layers, sotto_error *err) {
  sotto_i_predicting *p = context;
  const sotto_i_other_request request = request_of(p, layers);
  sotto_status status = SOTTO_OK;
  if (sotto_i_is_bare(p))
    status = open_bare(p, err);
  else if (!p->release.has_job)
    status = sotto_i_other_data_open(&p->release, &request, err);
  *out = &p->release.job;
  return status;
}

/* Reads the public numbers of the other parties' data, which are all that a server knows. */
static sotto_status load_facts(sotto_i_predicting *p, sotto_error *err) {
  sotto_i_run *r = &p->run;
  sotto_status status = sotto_i_facts_load(&r->facts, p->options.out, err);
  if (status != SOTTO_OK || sotto_i_party_has_data(r->party)) return status;
  r->told = (sotto_dataset){.name = r->data->name, .classes = r->facts.words[SOTTO_I_FACT_CLASSES]};
  r->told.graph.nodes = r->facts.words[SOTTO_I_FACT_NODES];
  r->data = &r->told;
  return SOTTO_OK;
}

/* The account without a release: other data counts as a later version of the run's, unless its owner decides
 * otherwise. */
static sotto_status open_account(sotto_i_predicting *p, sotto_error *err) {
  bool known = false;
  sotto_status status;
  if (sotto_i_is_bare(p) && makes_release(p)) {
    SOTTO_TRY(sotto_i_accounts_data_key(p->release.kin, &known, p->options.out, err));
    if (known) p->run.kin = p->release.kin;
  }
  status = sotto_i_run_open_account(&p->run, err);
done:
  return status;
}

/* The plan and the ledger, once the data are known to be within their bounds. */
static sotto_status plan_and_ask(sotto_i_predicting *p, sotto_error *err) {
  sotto_i_run *r = &p->run;
  sotto_status status;
  SOTTO_TRY(sotto_i_run_plan(r, err));
  if (!sotto_i_is_other_data(p)) SOTTO_TRY(sotto_i_accounts_take(&r->cost, p->options.out, err));
  const bool releases = sotto_i_is_other_data(p) && makes_release(p);
  if (releases && !sotto_i_is_bare(p))
    SOTTO_TRY(ask_ledger(p, err));
  else if (releases || !sotto_i_is_among_several(p))
    SOTTO_TRY(open_account(p, err));
done:
  if (status == SOTTO_REFUSED) r->declines = SOTTO_DECLINE_LEDGER;
  return status;
}

static sotto_status check_question_asked(const sotto_i_predicting *p, sotto_error *err) {
  const sotto_options *o = &p->options;
  const sotto_i_variant *v = sotto_i_variant_of(o);
  const sotto_asking *a = &p->asking;
  if (v->question == NULL || !sotto_i_job_wants_privacy(o))
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "method: the server of this run of %s answers no questions: a client that asks needs a "
        "report with noise",
        o->method);
  if (a->nodes != NULL || a->learns != SOTTO_LEARNS_LABEL)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "nodes, learns: a client asks about all graphs of its data, and both sides learn the "
                        "answers; leave them out");
  if (!(a->epsilon > 0 && a->epsilon <= 1e3))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "epsilon: %g; give that of the client's report, above 0 and 1000 at most",
                        a->epsilon);
  return sotto_party_role_check(p->run.party, o, err);
}

/* A question uses the graphs only. Their labels are not read and may be missing. */
static void forget_labels(sotto_i_predicting *p) {
  p->labelled = *p->run.data;
  p->labelled.graph_labels = NULL;
  p->labelled.graph_class_names = (sotto_names){0};
  p->labelled.graph_classes = p->run.facts.words[SOTTO_I_FACT_CLASSES];
  p->labelled.graph_classes_from = SOTTO_CLASSES_DECLARED;
  p->run.data = &p->labelled;
}

/* A client needs a collection, and sends only its report of it. The server has only the public numbers. */
static sotto_status check_question(sotto_i_predicting *p, sotto_error *err) {
  sotto_i_run *r = &p->run;
  sotto_status status;
  SOTTO_TRY(open_again(p, err));
  SOTTO_TRY(check_question_asked(p, err));
  SOTTO_TRY(find_seed(p, err));
  SOTTO_TRY(sotto_i_run_folder_open(&p->folder, p->options.out, err));
  SOTTO_TRY(load_facts(p, err));
  SOTTO_TRY(sotto_i_run_folder_id(r->id, p->options.out, err));
  r->variant = sotto_i_variant_of(&p->options);
  if (!sotto_i_party_has_data(r->party)) goto done;
  SOTTO_TRY(sotto_i_schema_load(&p->matched.schema, p->options.out, err));
  forget_labels(p);
  if (r->data->graph_count == 0)
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "%s: is one graph; the question is about a collection of graphs", r->data->name);
  else
    status = ask_ledger(p, err);
  if (status == SOTTO_REFUSED) r->declines = SOTTO_DECLINE_LEDGER;
done:
  return status;
}

/* The checks of a training (train.c) without the ledger: what is sent was already charged. */
static sotto_status check_all(sotto_i_predicting *p, sotto_error *err) {
  sotto_i_run *r = &p->run;
  sotto_status status;
  SOTTO_TRY(sotto_options_check(&p->options, err));
  if (sotto_i_is_question(p)) return check_question(p, err);
  SOTTO_TRY(open_again(p, err));
  SOTTO_TRY(check_method(p, err));
  SOTTO_TRY(check_nodes(p, err));
  SOTTO_TRY(find_seed(p, err));
  SOTTO_TRY(sotto_i_run_folder_open(&p->folder, p->options.out, err));
  if (sotto_i_is_among_several(p)) SOTTO_TRY(load_facts(p, err));
  SOTTO_TRY(check_data(p, err));
  SOTTO_TRY(sotto_i_run_name_read(&p->name, p->options.out, err));
  r->variant = sotto_i_variant_of(&p->options);
  r->releases = sotto_i_job_releases(&p->options);
  SOTTO_TRY(sotto_i_run_check_domain(r, err));
  SOTTO_TRY(sotto_i_run_folder_id(r->id, p->options.out, err));
  SOTTO_TRY(plan_and_ask(p, err));
  if (r->data->features.cols > 0) SOTTO_TRY(sotto_i_scaled_features(&r->features, &p->options, r->data, err));
  const sotto_i_job job = sotto_i_run_job(r, p->seed_folder, p->seed);
  if (sotto_i_is_label_party(p) && !sotto_i_is_other_data(p))
    SOTTO_TRY(sotto_i_parted_new(&p->parted, &job, err));
done:
  return status;
}

/* Tells the user what will be sent. */
static void log_payloads(const sotto_i_predicting *p) {
  const sotto_i_variant *v = p->run.variant;
  if (sotto_i_is_question(p)) {
    sotto_i_log(p->run.observer, SOTTO_LOG_INFO, "this party sends: %s",
                v->question_sends[p->run.party->role == SOTTO_ROLE_SERVER]);
    return;
  }
  const bool numbers = sotto_i_learns_numbers(&p->options);
  const char *also = !(sotto_i_is_label_party(p) && sotto_i_data_learns(p)) ? ""
                     : numbers                                              ? ", and their predicted numbers"
                               : ", and their class probabilities";
  const bool asks = sotto_i_is_label_party(p) || p->run.party->role == SOTTO_ROLE_HOLDER;
  const bool server = p->run.party->role == SOTTO_ROLE_SERVER;
  const bool alone = sotto_i_has_labels_apart(&p->options) && sotto_i_is_label_party(p);
  const char *what = sotto_i_is_other_data(p) ? v->other_sends[server  ? 2
                                                               : alone ? 3
                                                                       : sotto_i_is_label_party(p)]
                                              : v->answer_sends;
  sotto_i_log(p->run.observer, SOTTO_LOG_INFO, "this party sends: %s%s%s. The answers are for: %s",
              asks && !sotto_i_is_other_data(p) ? "numbers of nodes" : what, also,
              !p->stays                  ? ""
              : sotto_i_is_other_data(p) ? ", of all nodes of these data, in each session"
                                         : ", of all nodes of the run, in each session",
              sotto_i_learns_name(p->asking.learns));
}

void sotto_i_predicting_begin(sotto_i_predicting *p, const sotto_options *options, const sotto_dataset *data,
                              const uint8_t nodes[32], const sotto_party *party, const sotto_asking *asking,
                              const sotto_observer *observer) {
  p->options = *options;
  p->asking = *asking;
  p->folder.lock = p->release.folder.lock = -1;
  sotto_options_resolve(&p->options);
  p->run = (sotto_i_run){
      .options = &p->options, .data = data, .nodes = nodes, .party = party, .observer = observer};
}

sotto_status sotto_i_predicting_prepare(sotto_i_predicting *p, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(check_all(p, err));
  SOTTO_TRY(sotto_i_asked_terms(&p->terms, &p->options, &p->asking, p->seed, p->stays, err));
  log_payloads(p);
done:
  return status;
}

void sotto_i_predicting_end(sotto_i_predicting *p) {
  sotto_i_parted_free(&p->parted);
  sotto_i_other_data_free(&p->release);
  sotto_i_run_end(&p->run);
  sotto_i_edgeless_free(&p->edgeless);
  sotto_i_matched_free(&p->matched);
  sotto_i_run_folder_close(&p->folder, false);
  sotto_i_free(p->seed_folder);
  sotto_i_free(p->model);
  sotto_i_free(p->terms);
}

/* The peer's numbers can make scores of the label party overflow, and whether they do follows from its
 * labels. Such a row counts as zero: all classes are equally likely, or the predicted number is 0, and the
 * exchange goes on. */
static void finish_scores(sotto_matrix *scores, const sotto_i_predicting *p) {
  const bool numbers = sotto_i_learns_numbers(&p->options);
  const size_t found = sotto_i_rows_to_finite(scores);
  if (!numbers) sotto_i_rows_to_softmax(scores);
  if (found > 0)
    sotto_i_log(p->run.observer, SOTTO_LOG_WARNING,
                "%zu of %zu answers overflow, and %s: the numbers that this party received are too large. "
                "Ask the other party for its reason",
                found, scores->rows, numbers ? "are 0" : "give all classes the same probability");
}

/* A server has no data: of other data the holders say how many nodes it has. A label party has its own table.
 */
static sotto_status count_nodes(sotto_i_predicting *p, const sotto_i_links *links, sotto_error *err) {
  uint32_t *nodes = &p->run.facts.words[SOTTO_I_FACT_NODES];
  const sotto_status status = sotto_i_asked_count(nodes, links, err);
  if (links->server) p->run.told.graph.nodes = *nodes;
  return status;
}

sotto_status sotto_i_predicting_answer(sotto_matrix *rows, uint32_t **nodes, size_t *count,
                                       sotto_i_predicting *p, const sotto_i_links *links, sotto_error *err) {
  sotto_i_job job = sotto_i_run_job(&p->run, p->seed_folder, p->seed);
  sotto_status status = SOTTO_OK;
  if (links->several) job.facts = &p->run.facts;
  for (size_t i = 0; i < links->count; i++) sotto_link_set_format(links->all[i], p->options.wire);
  if (links->several && sotto_i_is_other_data(p) && !sotto_i_labels_join(&p->options))
    SOTTO_TRY(count_nodes(p, links, err));
  const uint64_t all = p->run.data->graph.nodes;
  SOTTO_TRY(sotto_i_asked_agree(nodes, count, links, &p->asking, &p->name, all, err));
  const sotto_i_joint joint = {.job = &job,
                               .parted = sotto_i_is_label_party(p) ? &p->parted : NULL,
                               .role = p->run.party->role,
                               .number = p->run.party->number,
                               .link = links->all[0],
                               .links = links->all,
                               .file = p->model,
                               .nodes = *nodes,
                               .count = *count,
                               .release = sotto_i_is_other_data(p) ? open_release : NULL,
                               .context = p,
                               .epsilon = p->asking.epsilon};
  SOTTO_TRY(p->run.variant->answer(rows, &joint, err));
  if (sotto_i_is_label_party(p)) finish_scores(rows, p);
done:
  return status;
}

sotto_status sotto_i_predicting_question(sotto_matrix *rows, sotto_i_predicting *p,
                                         const sotto_i_links *links, sotto_error *err) {
  sotto_i_job job = sotto_i_run_job(&p->run, p->seed_folder, p->seed);
  job.facts = &p->run.facts;
  const sotto_i_joint joint = {.job = &job,
                               .role = p->run.party->role,
                               .number = p->run.party->number,
                               .link = links->all[0],
                               .links = links->all,
                               .file = p->model,
                               .release = open_release,
                               .context = p,
                               .epsilon = p->asking.epsilon};
  return p->run.variant->question(rows, &joint, err);
}
