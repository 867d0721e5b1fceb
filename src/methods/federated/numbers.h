/* Federated averaging where clients learn a number of each node (task regression).
 *
 * All networks have one output, in standard deviations of the training numbers of all clients. For this each
 * client sends how many it has, their mean and their deviation; the server pools these and puts mean and
 * deviation into the model, which is sent anyway. No noise covers either. */
#ifndef SOTTO_SRC_METHODS_FEDERATED_NUMBERS_H
#define SOTTO_SRC_METHODS_FEDERATED_NUMBERS_H

#include "federated.h"

/* An answer about a part: items, mean and deviation of their numbers, and RMSE and MAE of the predictions, in
 * the unit of the numbers. */
enum { SOTTO_I_FED_NUMBER_ANSWER = 5 };

/* Before the first round: what a client sends, and what the server makes of it, in its `values` and `best`.
 * Errors: PROTOCOL (no such figures), INVALID (no client has a number), RANGE (the deviation is no float),
 * and those of links. */
sotto_status sotto_i_fed_numbers_say(sotto_i_fed_client *client, sotto_error *err);
sotto_status sotto_i_fed_numbers_pool(sotto_i_fed_server *server, sotto_error *err);

/* The loss of a step on rows[0..count) of the client's nodes, count up to those of its training part: their
 * mean squared error in deviations, 1 x 1. Lasts until the client's next one. */
sotto_var sotto_i_fed_numbers_loss(sotto_i_fed_client *client, sotto_var outputs, const uint32_t *rows,
                                   size_t count);
/* Sum over the validation part of squared errors in deviations, at most 2^24. */
float sotto_i_fed_numbers_off(const sotto_i_fed_client *client, const sotto_matrix *outputs);
/* The validation of a round, where sums of errors and of items came from its clients: 1 less the mean squared
 * error in deviations. That is R2, up to the deviation of validation items. */
double sotto_i_fed_numbers_validation(double off, double items);

/* row[SOTTO_I_FED_NUMBER_ANSWER]. Errors: NUMERIC (an error that no float holds). */
sotto_status sotto_i_fed_numbers_answer(float *row, const sotto_i_fed_client *client,
                                        const sotto_matrix *outputs, sotto_part part, sotto_error *err);
/* The measures over all items of these clients' answers, as of sotto_i_fed_quality. */
sotto_quality sotto_i_fed_numbers_quality(const sotto_i_fed_server *server, uint32_t first, uint32_t count,
                                          int part);

#endif
