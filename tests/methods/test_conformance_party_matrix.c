/* Every method in every variant, as parties that are processes of their own: each step that the matrix has
 * works, and each that it lacks is refused with the reason that the matrix gives. */
#include <math.h>

#include "check.h"
#include "matrix_cells.h"
#include "placements.h"
#include "run/parties/party_roles.h"
#include "sotto/attack.h"
#include "sotto/model.h"

typedef struct walk {
  check_cells train, own, new, serve, audit;
  check_case_data data, other;
} walk;

static const sotto_place here = SOTTO_PLACE_PARTIES;

/* Who has what where there are clients: in turn. */
static uint32_t *owners(const sotto_dataset *data, uint64_t clients) {
  const uint64_t items = sotto_deal_items(data);
  uint32_t *out = calloc(items, sizeof *out);
  assert_non_null(out);
  for (uint64_t i = 0; i < items; i++) out[i] = (uint32_t)(i % clients);
  return out;
}

static void place(check_placement *out, const sotto_options *o, const sotto_dataset *data) {
  uint32_t *owner = owners(data, o->clients == 0 ? 1 : o->clients);
  check_placement_new(out, o, data, owner);
  free(owner);
}

static sotto_status open_model(const check_party *of, const check_party *asked, double epsilon,
                               sotto_error *refusal) {
  sotto_model *model = NULL;
  sotto_dataset data;
  CHECK_OK(sotto_dataset_open(&data, asked->options.data, NULL, &err));
  const sotto_model_options how = {
      .seed = SOTTO_UNSET, .epsilon = epsilon, .graphs = sotto_model_of_graphs(&of->options, &data)};
  const sotto_status status = sotto_model_open(&model, of->options.out, &data, &how, refusal);
  sotto_model_free(model);
  sotto_dataset_free(&data);
  return status;
}

/* A client answers by itself; `of` with its run, `asked` with the data. New edges of a run that protects
 * edges are counted in a release. */
static void ask_client(walk *w, const check_case *c, const check_placement *of, const check_placement *asked,
                       sotto_step step) {
  sotto_error err = {0};
  const bool counted = step == SOTTO_STEP_PREDICT_NEW && strcmp(c->adjacency, "edge") == 0;
  const sotto_status status = open_model(&of->of[1], &asked->of[1], counted ? 8 : 0, &err);
  check_cell(step == SOTTO_STEP_PREDICT_OWN ? &w->own : &w->new, c, step, here, status, err.text);
}

/* A service of a client's folder, for others than the owner of the data. */
static void serve_client(walk *w, const check_case *c, const check_placement *of) {
  const check_party *client = &of->of[1];
  const sotto_model_options asked = {.seed = SOTTO_UNSET, .served = true};
  sotto_model *model = NULL;
  sotto_dataset data;
  sotto_error refusal = {0};
  CHECK_OK(sotto_dataset_open(&data, client->options.data, NULL, &err));
  const sotto_status status = sotto_model_open(&model, client->options.out, &data, &asked, &refusal);
  check_cell(&w->serve, c, SOTTO_STEP_SERVE, here, status, refusal.text);
  sotto_model_free(model);
  sotto_dataset_free(&data);
}

/* Other parties answer together. */
static void ask_together(walk *w, const check_case *c, const check_placement *of,
                         const check_placement *asked, sotto_step step) {
  check_placement all = *of;
  char refusal[600] = "";
  for (size_t i = 0; i < all.count; i++) {
    (void)snprintf(all.of[i].options.data, sizeof all.of[i].options.data, "%s", asked->of[i].options.data);
  }
  const sotto_options *o = &all.of[0].options;
  const double other = sotto_i_variant_has_noise(c->variant) && sotto_i_job_wants_privacy(o) ? 8 : INFINITY;
  const bool fine = check_placement_answer(refusal, &all, step == SOTTO_STEP_PREDICT_NEW ? other : 0);
  check_cell(step == SOTTO_STEP_PREDICT_OWN ? &w->own : &w->new, c, step, here,
             fine ? SOTTO_OK : SOTTO_INVALID, refusal);
}

/* The attacks of `sotto audit RUN` on the folder of one party, with its own data. Returns how many findings.
 */
static size_t attack(const check_case *c, const check_party *p) {
  static const char *const attacks[] = {"link-stealing", "release", "canary"};
  sotto_findings found = {.count = 0};
  sotto_error passed[3] = {{0}}, problem = {0};
  sotto_dataset data;
  sotto_audit_ask ask = sotto_audit_ask_default();
  ask.trials = 200;
  CHECK_OK(sotto_dataset_open(&data, p->options.data, NULL, &err));
  if (sotto_attack_several(&found, passed, p->options.out, &data, attacks, 3, &ask, NULL, &problem) !=
      SOTTO_OK)
    (void)printf("  %s, %s: %s\n", c->name, p->role, problem.text);
  sotto_dataset_free(&data);
  return found.count;
}

static void audit(walk *w, const check_case *c, const check_placement *of) {
  const char *why = check_standing(c, SOTTO_STEP_AUDIT, here).why;
  size_t found = 0;
  for (size_t i = 0; i < of->count; i++)
    if (sotto_i_party_has_data(&of->of[i].party)) found += attack(c, &of->of[i]);
  if ((found > 0) != (why == NULL))
    fail_msg("%s: %zu findings in the folders of its parties, and the matrix says %s", c->name, found,
             why == NULL ? "yes" : why);
  *(why == NULL ? &w->audit.there : &w->audit.lacking) += 1;
}

static void walk_case(walk *w, const check_case *c, const sotto_options *o) {
  static check_placement run, new;
  char folder[100];
  (void)snprintf(folder, sizeof folder, "%s-new", c->name);
  const sotto_options other = check_case_options(c, &w->other, folder);
  place(&run, o, check_data_of(c, &w->data));
  place(&new, &other, check_data_of(c, &w->other));
  check_placement_run(&run);
  check_cell(&w->train, c, SOTTO_STEP_TRAIN, here, SOTTO_OK, "");
  void (*ask)(walk *, const check_case *, const check_placement *, const check_placement *, sotto_step) =
      sotto_i_has_clients(o) ? ask_client : ask_together;
  ask(w, c, &run, &run, SOTTO_STEP_PREDICT_OWN);
  ask(w, c, &run, &new, SOTTO_STEP_PREDICT_NEW);
  if (sotto_i_has_clients(o)) serve_client(w, c, &run);
  audit(w, c, &run);
}

static void each_cell_of_parties_is_true(void **state) {
  static walk w;
  size_t count;
  const check_case *cases = check_cases(&count);
  (void)state;
  w = (walk){.data = check_case_data_new(), .other = check_other_data_new()};
  for (size_t i = 0; i < count; i++) {
    const sotto_options o = check_case_options(&cases[i], &w.data, cases[i].name);
    const sotto_i_standing s = check_standing(&cases[i], SOTTO_STEP_TRAIN, here);
    if (check_has_parties(&o) != (s.meant && s.why == NULL))
      fail_msg("%s: has %sparties, and the matrix says '%s'", cases[i].name,
               check_has_parties(&o) ? "" : "no ", s.why == NULL ? "yes" : s.why);
    if (check_has_parties(&o)) walk_case(&w, &cases[i], &o);
  }
  (void)printf("  %zu cases train; own data: %zu answer, %zu refuse; other data: %zu, %zu\n", w.train.there,
               w.own.there, w.own.lacking, w.new.there, w.new.lacking);
  /* Of the run's own data the cases of embeddings alone refuse: one for each of their levels. */
  check_seen(w.train.there > 30 && w.own.there > 30 && w.own.lacking == 2 && w.new.there > 30 &&
             w.new.lacking > 2);
  check_seen(w.serve.there > 8 && w.serve.lacking > 2);
  check_seen(w.audit.there > 8 && w.audit.lacking > 4);
  check_case_data_free(&w.data);
  check_case_data_free(&w.other);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_cell_of_parties_is_true)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
