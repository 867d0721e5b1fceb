/* Transfer of predictions to the data party, if both parties agreed that it learns them. */
#ifndef SOTTO_SRC_RUN_JOINT_ANSWERS_H
#define SOTTO_SRC_RUN_JOINT_ANSWERS_H

#include "sotto/options.h"
#include "sotto/party.h"

/* What a row of answers has. */
typedef enum sotto_i_answer_kind {
  SOTTO_I_ANSWER_CLASSES, /* a probability of each class */
  SOTTO_I_ANSWER_NUMBER   /* task regression: one column, the predicted number */
} sotto_i_answer_kind;
sotto_i_answer_kind sotto_i_answer_kind_of(const sotto_options *options);

/* Sends the number of columns, then the rows. */
sotto_status sotto_i_answers_send(sotto_link *link, const sotto_matrix *rows, sotto_i_answer_kind kind,
                                  sotto_error *err);
/* Allocates `rows` for `count` nodes. Errors: also PROTOCOL for a row that is no class probabilities. */
sotto_status sotto_i_answers_receive(sotto_matrix *rows, sotto_link *link, size_t count,
                                     sotto_i_answer_kind kind, sotto_error *err);

/* The two steps of these. The number of columns is that of classes, or 1. */
sotto_status sotto_i_classes_send(sotto_link *link, uint32_t classes, sotto_error *err);
sotto_status sotto_i_classes_receive(uint32_t *classes, sotto_link *link, sotto_i_answer_kind kind,
                                     sotto_error *err);
sotto_status sotto_i_rows_send(sotto_link *link, const sotto_matrix *rows, sotto_i_answer_kind kind,
                               sotto_error *err);
/* A row of `classes` columns for each of `count` nodes. */
sotto_status sotto_i_rows_receive(sotto_matrix *rows, sotto_link *link, size_t count, size_t classes,
                                  sotto_i_answer_kind kind, sotto_error *err);

#endif
