/* The payloads "answers.classes" and "answers". */
#include "answers.h"

#include <math.h>

#include "base/error.h"
#include "inside/party.h"
#include "run/method/method.h"

enum { most_classes = 1 << 16 };
static const char answers_name[] = "answers";
static const char *const answers_reason[] = {
    [SOTTO_I_ANSWER_CLASSES] =
        "class probabilities of the nodes that were asked for, which both agreed that the data party learns",
    [SOTTO_I_ANSWER_NUMBER] =
        "predicted numbers of the nodes that were asked for, which both agreed that the data party learns"};

sotto_i_answer_kind sotto_i_answer_kind_of(const sotto_options *options) {
  return sotto_i_learns_numbers(options) ? SOTTO_I_ANSWER_NUMBER : SOTTO_I_ANSWER_CLASSES;
}

sotto_status sotto_i_classes_send(sotto_link *link, uint32_t classes, sotto_error *err) {
  const sotto_words words = {"answers.classes", SOTTO_WIRE_PUBLIC, NULL, &classes, 1, 1};
  return sotto_link_send_words(link, &words, err);
}

sotto_status sotto_i_rows_send(sotto_link *link, const sotto_matrix *rows, sotto_i_answer_kind kind,
                               sotto_error *err) {
  return sotto_link_send_exposed(link, answers_name, answers_reason[kind], rows, err);
}

sotto_status sotto_i_answers_send(sotto_link *link, const sotto_matrix *rows, sotto_i_answer_kind kind,
                                  sotto_error *err) {
  const sotto_status status = sotto_i_classes_send(link, (uint32_t)rows->cols, err);
  return status == SOTTO_OK ? sotto_i_rows_send(link, rows, kind, err) : status;
}

/* A predicted number needs no check of its own: the link accepts finite values only. */
static sotto_status check_probabilities(const sotto_matrix *rows, sotto_error *err) {
  for (size_t i = 0; i < rows->rows; i++) {
    double sum = 0;
    bool inside = true;
    for (size_t j = 0; j < rows->cols; j++) {
      const float value = rows->data[i * rows->cols + j];
      inside = inside && value >= 0 && value <= 1;
      sum += value;
    }
    if (!inside || fabs(sum - 1) > 1e-3)
      return sotto_i_fail(err, SOTTO_PROTOCOL, "answer %zu that came is no row of class probabilities", i);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_classes_receive(uint32_t *classes, sotto_link *link, sotto_i_answer_kind kind,
                                     sotto_error *err) {
  const sotto_expectation number = {"answers.classes", SOTTO_WIRE_PUBLIC, 1, 1, 0};
  const sotto_status status = sotto_link_receive_words(link, classes, &number, err);
  if (status != SOTTO_OK) return status;
  if (kind == SOTTO_I_ANSWER_NUMBER && *classes != 1)
    return sotto_i_fail(err, SOTTO_PROTOCOL,
                        "the label party says that an answer has %u columns, and a predicted number has one",
                        (unsigned)*classes);
  if (kind == SOTTO_I_ANSWER_NUMBER) return SOTTO_OK;
  if (*classes < 2 || *classes > most_classes)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the label party says that there are %u classes",
                        (unsigned)*classes);
  return SOTTO_OK;
}

sotto_status sotto_i_rows_receive(sotto_matrix *rows, sotto_link *link, size_t count, size_t classes,
                                  sotto_i_answer_kind kind, sotto_error *err) {
  const sotto_expectation expected = {answers_name, SOTTO_WIRE_EXPOSED, count, classes, 0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(rows, count, classes, err));
  SOTTO_TRY(sotto_link_receive(link, rows, &expected, err));
  if (kind == SOTTO_I_ANSWER_CLASSES) SOTTO_TRY(check_probabilities(rows, err));
done:
  return status;
}

sotto_status sotto_i_answers_receive(sotto_matrix *rows, sotto_link *link, size_t count,
                                     sotto_i_answer_kind kind, sotto_error *err) {
  uint32_t classes = 0;
  const sotto_status status = sotto_i_classes_receive(&classes, link, kind, err);
  return status == SOTTO_OK ? sotto_i_rows_receive(rows, link, count, classes, kind, err) : status;
}
