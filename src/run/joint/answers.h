/* Transfer of predictions to the data party, if both parties agreed that it learns them. */
#ifndef SOTTO_SRC_RUN_JOINT_ANSWERS_H
#define SOTTO_SRC_RUN_JOINT_ANSWERS_H

#include "sotto/party.h"

/* Sends the number of classes, then the rows. */
sotto_status sotto_i_answers_send(sotto_link *link, const sotto_matrix *rows, sotto_error *err);
/* Allocates `rows` for `count` nodes. Errors: also PROTOCOL for a row that is no class probabilities. */
sotto_status sotto_i_answers_receive(sotto_matrix *rows, sotto_link *link, size_t count, sotto_error *err);

/* The two steps of these. */
sotto_status sotto_i_classes_send(sotto_link *link, uint32_t classes, sotto_error *err);
sotto_status sotto_i_classes_receive(uint32_t *classes, sotto_link *link, sotto_error *err);
sotto_status sotto_i_rows_send(sotto_link *link, const sotto_matrix *rows, sotto_error *err);
sotto_status sotto_i_rows_receive(sotto_matrix *rows, sotto_link *link, size_t count, size_t classes,
                                  sotto_error *err);

#endif
