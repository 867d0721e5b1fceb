/* Transfer of answers to the data party, where both agreed that it receives them. */
#ifndef SOTTO_SRC_RUN_JOINT_ANSWERS_H
#define SOTTO_SRC_RUN_JOINT_ANSWERS_H

#include "sotto/party.h"

/* The number of classes, and then the rows. */
sotto_status sotto_i_answers_send(sotto_link *link, const sotto_matrix *rows, sotto_error *err);
/* Makes `rows`, of so many nodes. Errors: also PROTOCOL for what is no row of class probabilities. */
sotto_status sotto_i_answers_receive(sotto_matrix *rows, sotto_link *link, size_t count, sotto_error *err);

/* The two parts of these. */
sotto_status sotto_i_classes_send(sotto_link *link, uint32_t classes, sotto_error *err);
sotto_status sotto_i_classes_receive(uint32_t *classes, sotto_link *link, sotto_error *err);
sotto_status sotto_i_rows_send(sotto_link *link, const sotto_matrix *rows, sotto_error *err);
sotto_status sotto_i_rows_receive(sotto_matrix *rows, sotto_link *link, size_t count, size_t classes,
                                  sotto_error *err);

#endif
