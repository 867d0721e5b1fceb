/* Every method in every variant, in one process: each step that the matrix has works, and each that it lacks
 * is refused with the reason that the matrix gives. methods.conformance_resume has the cells of resuming. */
#include "check.h"
#include "matrix_cells.h"
#include "sotto/attack.h"
#include "sotto/model.h"

typedef struct walk {
  check_cells own, new, serve, audit;
  check_case_data data, other;
} walk;

static sotto_status open_model(const char *run, const sotto_dataset *data, bool graphs,
                               const sotto_model_options *asked, sotto_error *err) {
  sotto_model *model = NULL;
  sotto_model_options how = asked == NULL ? (sotto_model_options){.seed = SOTTO_UNSET} : *asked;
  how.graphs = graphs;
  const sotto_status status = sotto_model_open(&model, run, data, &how, err);
  sotto_model_free(model);
  return status;
}

/* A service opens a model for answers that others than the owner of the data receive. */
static void serve(walk *w, const check_case *c, const sotto_options *o) {
  const sotto_model_options asked = {.seed = SOTTO_UNSET, .served = true};
  sotto_error err = {0};
  const sotto_status status = open_model(o->out, check_data_of(c, &w->data), false, &asked, &err);
  check_cell(&w->serve, c, SOTTO_STEP_SERVE, SOTTO_PLACE_ONE_PROCESS, status, err.text);
}

/* About other data a run that protects something is asked with epsilon, as `sotto predict RUN DATA --epsilon`
 * does, and without where that is refused. */
static void ask_about_new(walk *w, const check_case *c, const sotto_options *o) {
  sotto_error err = {0};
  sotto_options resolved = *o;
  sotto_options_resolve(&resolved);
  const bool graphs = sotto_model_of_graphs(o, check_data_of(c, &w->other));
  const bool noisy = sotto_i_variant_has_noise(c->variant) && sotto_i_job_wants_privacy(&resolved);
  const sotto_model_options asked = {.seed = SOTTO_UNSET, .epsilon = noisy && !graphs ? 8 : 0};
  sotto_status status = open_model(o->out, check_data_of(c, &w->other), graphs, &asked, &err);
  if (status != SOTTO_OK && noisy) {
    sotto_error plain = {0};
    char refusals[2 * sizeof err.text + 2];
    status = open_model(o->out, check_data_of(c, &w->other), graphs, NULL, &plain);
    (void)snprintf(refusals, sizeof refusals, "%s; %s", err.text, plain.text);
    check_cell(&w->new, c, SOTTO_STEP_PREDICT_NEW, SOTTO_PLACE_ONE_PROCESS, status, refusals);
    return;
  }
  check_cell(&w->new, c, SOTTO_STEP_PREDICT_NEW, SOTTO_PLACE_ONE_PROCESS, status, err.text);
}

/* The attacks of `sotto audit RUN`, of which a run passes over those that it does not allow. */
static void audit(walk *w, const check_case *c, const sotto_options *o) {
  static const char *const attacks[] = {"link-stealing", "release", "canary"};
  sotto_findings found = {.count = 0};
  sotto_error passed[3] = {{0}};
  sotto_audit_ask ask = sotto_audit_ask_default();
  ask.trials = 200;
  CHECK_OK(
      sotto_attack_several(&found, passed, o->out, check_data_of(c, &w->data), attacks, 3, &ask, NULL, &err));
  const sotto_i_standing s = check_standing(c, SOTTO_STEP_AUDIT, SOTTO_PLACE_ONE_PROCESS);
  if ((found.count > 0) != (s.why == NULL))
    fail_msg("%s: %zu findings, and the matrix says %s; link-stealing: %s; release: %s; canary: %s", c->name,
             found.count, s.why == NULL ? "yes" : s.why, passed[0].text, passed[1].text, passed[2].text);
  *(s.why == NULL ? &w->audit.there : &w->audit.lacking) += 1;
}

static void each_cell_of_one_process_is_true(void **state) {
  static walk w;
  size_t count;
  const check_case *cases = check_cases(&count);
  (void)state;
  w = (walk){.data = check_case_data_new(), .other = check_other_data_new()};
  for (size_t i = 0; i < count; i++) {
    const check_case *c = &cases[i];
    sotto_error err = {0};
    const sotto_options o = check_case_options(c, &w.data, c->name);
    sotto_result r = check_run(&o, check_data_of(c, &w.data));
    const sotto_status own = open_model(o.out, check_data_of(c, &w.data),
                                        sotto_model_of_graphs(&o, check_data_of(c, &w.data)), NULL, &err);
    check_cell(&w.own, c, SOTTO_STEP_PREDICT_OWN, SOTTO_PLACE_ONE_PROCESS, own, err.text);
    ask_about_new(&w, c, &o);
    serve(&w, c, &o);
    audit(&w, c, &o);
    sotto_result_free(&r);
  }
  (void)printf("  own data: %zu cases answer, %zu refuse; other data: %zu, %zu; services: %zu, %zu; audits: "
               "%zu, %zu\n",
               w.own.there, w.own.lacking, w.new.there, w.new.lacking, w.serve.there, w.serve.lacking,
               w.audit.there, w.audit.lacking);
  check_seen(w.own.there >= 78 && w.own.lacking >= 3 && w.new.there > 15 && w.new.lacking > 10);
  check_seen(w.serve.there > 40 && w.serve.lacking > 10);
  check_seen(w.audit.there > 40 && w.audit.lacking > 2);
  check_case_data_free(&w.data);
  check_case_data_free(&w.other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_cell_of_one_process_is_true),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
