/* A client's answers about a received model: its quality on the client's items. */
#include <math.h>

#include "federated.h"

#include "base/error.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "numbers.h"

sotto_status sotto_i_fed_receive_model(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_expectation expected = {.name = "model",
                                      .kind = c->federation->noisy ? SOTTO_WIRE_RELEASE : SOTTO_WIRE_EXPOSED,
                                      .rows = 1,
                                      .cols = c->model.size};
  sotto_status status = sotto_link_receive(c->link, &c->global, &expected, err);
  if (status == SOTTO_OK) sotto_i_fed_model_unpack(&c->model, c->global.data);
  return status;
}

static const int32_t *labels_of(const sotto_i_fed_client *c) {
  return c->federation->graphs ? c->data.graph_labels : c->data.labels;
}

static sotto_status count_right(float *right, sotto_i_fed_client *c, sotto_error *err) {
  const size_t count = c->count[SOTTO_PART_VALIDATION];
  sotto_matrix scores;
  sotto_error problem = {0};
  const sotto_status status = sotto_i_fed_scores(&scores, c, &problem);
  if (status == SOTTO_NUMERIC && sotto_i_fed_hides_failures(c->federation))
    return SOTTO_OK; /* none is right */
  if (status != SOTTO_OK) return sotto_i_fail(err, status, "%s", problem.text);
  if (c->federation->numbers) {
    *right = sotto_i_fed_numbers_off(c, &scores);
    return SOTTO_OK;
  }
  double share = sotto_accuracy(&scores, labels_of(c), c->rows[SOTTO_PART_VALIDATION], count);
  *right = (float)rint(share * (double)count);
  return SOTTO_OK;
}

sotto_status sotto_i_fed_validate(sotto_i_fed_client *c, float *extras, sotto_error *err) {
  const size_t count = c->count[SOTTO_PART_VALIDATION];
  extras[SOTTO_I_FED_RIGHT] = extras[SOTTO_I_FED_ASKED] = 0;
  if (count == 0) return SOTTO_OK;
  extras[SOTTO_I_FED_ASKED] = (float)count;
  const uint32_t turn = sotto_i_turn_begin(c->federation->turns, c->tape);
  const sotto_status status = count_right(&extras[SOTTO_I_FED_RIGHT], c, err);
  sotto_i_turn_end(c->federation->turns, turn, c->tape);
  return status;
}

size_t sotto_i_fed_answers_width(const sotto_i_federation *f) {
  return f->numbers ? SOTTO_I_FED_NUMBER_ANSWER : (size_t)f->classes * f->classes + 1;
}

static sotto_status answer_part(float *row, sotto_i_fed_client *c, const sotto_matrix *scores,
                                sotto_part part, sotto_error *err) {
  size_t classes = c->federation->classes;
  sotto_quality quality;
  const int32_t *labels = labels_of(c);
  if (c->federation->numbers) return sotto_i_fed_numbers_answer(row, c, scores, part, err);
  sotto_status status = sotto_quality_measure(&quality, scores, labels, c->rows[part], c->count[part], err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < c->count[part]; i++) {
    const float *score = scores->data + (size_t)c->rows[part][i] * classes;
    size_t best = 0;
    for (size_t j = 1; j < classes; j++)
      if (score[j] > score[best]) best = j;
    row[(size_t)labels[c->rows[part][i]] * classes + best]++;
  }
  row[classes * classes] = isnan(quality.of[SOTTO_MEASURE_AUC]) ? -1 : (float)quality.of[SOTTO_MEASURE_AUC];
  return SOTTO_OK;
}

sotto_status sotto_i_fed_judge(sotto_matrix *answers, sotto_i_fed_client *c, sotto_error *err) {
  const uint32_t turn = sotto_i_turn_begin(c->federation->turns, c->tape);
  sotto_matrix scores;
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_scores(&scores, c, err));
  SOTTO_TRY(answer_part(answers->data, c, &scores, SOTTO_PART_VALIDATION, err));
  SOTTO_TRY(answer_part(answers->data + answers->cols, c, &scores, SOTTO_PART_TEST, err));
done:
  sotto_i_turn_end(c->federation->turns, turn, c->tape);
  return status;
}

static const char class_answers[] =
    "how many of the client's validation and test items of each class got which answer: an experiment's "
    "measure";
static const char number_answers[] =
    "how many validation and test items the client has, mean and deviation of their numbers, and mean "
    "errors: an experiment's measure";

sotto_status sotto_i_fed_answer(sotto_i_fed_client *c, sotto_error *err) {
  sotto_matrix answers = {0};
  sotto_error problem = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&answers, 2, sotto_i_fed_answers_width(c->federation), err));
  status = sotto_i_fed_judge(&answers, c, &problem);
  if (status == SOTTO_NUMERIC && sotto_i_fed_hides_failures(c->federation))
    answers.data[answers.cols - 1] = answers.data[2 * answers.cols - 1] = -1; /* no item was answered */
  else if (status != SOTTO_OK)
    SOTTO_TRY(sotto_i_fail(err, status, "%s", problem.text));
  SOTTO_TRY(sotto_link_send_exposed(c->link, "answers",
                                    c->federation->numbers ? number_answers : class_answers, &answers, err));
done:
  sotto_matrix_free(&answers);
  return status;
}
