/* Every method in every variant: a finished run opens and answers with the test accuracy that it reported, or
 * says by the method's name that it does not answer queries. */
#include "check.h"
#include "registry_cases.h"
#include "sotto/model.h"

/* Share of test nodes whose largest probability is that of their label. */
static double accuracy_of(sotto_model *model, const int32_t *labels) {
  const size_t classes = sotto_model_classes(model);
  size_t count, right = 0;
  const uint32_t *nodes = sotto_model_part(model, SOTTO_PART_TEST, &count);
  float *answers = calloc(count * classes, sizeof *answers);
  if (answers == NULL || count == 0) fail_msg("no test nodes");
  CHECK_OK(sotto_model_predict(model, answers, count * classes, nodes, count, &err));
  for (size_t i = 0; i < count; i++) {
    size_t best = 0;
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
      sum += (double)answers[i * classes + c];
      if (answers[i * classes + c] > answers[i * classes + best]) best = c;
    }
    CHECK_NEAR(sum, 1.0, 1e-5);
    right += (int32_t)best == labels[nodes[i]];
  }
  free(answers);
  return (double)right / (double)count;
}

/* Did it answer? */
static bool predict(const check_case *c, const check_case_data *data) {
  sotto_error err = {0};
  sotto_model *model = NULL;
  sotto_options o = check_case_options(c, data, c->name);
  check_set_own(&o, (const char *const[]){"encoder-epochs", "20", "epochs", "20", "rounds", "10", NULL});
  const sotto_dataset *of = check_data_of(c, data);
  sotto_result r = check_run(&o, of);
  sotto_status status = sotto_model_open(&model, o.out, of, NULL, &err);
  if (status == SOTTO_OK) {
    double found = accuracy_of(model, of->labels);
    (void)printf("  %-28s accuracy %.4f, by queries %.4f\n", c->name, r.seeds[0].test.accuracy, found);
    if (c->method->open == NULL) fail_msg("%s: opened by a method that opens none", c->name);
    if (found != r.seeds[0].test.accuracy) fail_msg("%s: answers with another accuracy", c->name);
  } else {
    (void)printf("  %-28s %s\n", c->name, err.text);
    if (status != SOTTO_UNSUPPORTED || strstr(err.text, c->method->name) == NULL)
      fail_msg("%s: '%s' (%s)", c->name, sotto_status_text(status), err.text);
  }
  sotto_model_free(model);
  sotto_result_free(&r);
  return status == SOTTO_OK;
}

static void finished_runs_answer_with_their_quality_or_say_that_they_do_not(void **state) {
  size_t count;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count;) {
    const sotto_i_method *method = cases[i].method;
    size_t answered = 0;
    for (; i < count && cases[i].method == method; i++) answered += predict(&cases[i], &data);
    if (method->open != NULL && answered == 0) fail_msg("%s opens models, and none answers", method->name);
  }
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finished_runs_answer_with_their_quality_or_say_that_they_do_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
