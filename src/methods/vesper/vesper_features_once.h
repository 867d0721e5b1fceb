/* Training of the encoders at the label party, where the data party may show it the features
 * (--share-features once).
 *
 * 1. The data party sends the scaled features of all nodes once, rounded to a byte a value.
 * 2. A thread of the label party plays the data party's side of split learning with these, over a link inside
 * the process. What would cross the network in every epoch stays there.
 * 3. The label party sends the trained weights, with which the data party answers later questions.
 *
 * Nothing is kept between starts: each start sends the features again. */
#ifndef SOTTO_SRC_METHODS_VESPER_VESPER_FEATURES_ONCE_H
#define SOTTO_SRC_METHODS_VESPER_VESPER_FEATURES_ONCE_H

#include "party/exchange.h"
#include "vesper_encoders.h"

/* Do the options ask for it? */
bool sotto_i_shares_features(const sotto_options *options);
/* Rows of features as both parties compute with them: rounded where they are shared. In place. Errors: NOMEM.
 */
sotto_status sotto_i_round_shared(sotto_matrix *rows, const sotto_options *options, sotto_error *err);
/* What it exchanges for all networks together. */
void sotto_i_exchange_add_features(sotto_i_exchanged *to, const sotto_options *options,
                                   const sotto_i_exchange_shape *shape, size_t networks);

/* At the data party: sends the features, then receives weights in the place of a training. */
sotto_status sotto_i_features_send(sotto_link *link, const sotto_i_row_source *rows, sotto_error *err);
sotto_status sotto_i_weights_receive(sotto_i_encoders *e, sotto_error *err);

/* At the label party: the received rows, and the thread that trains with them. */
typedef struct sotto_i_features_once sotto_i_features_once;
/* Receives the features of `job`'s nodes. *out is freed by sotto_i_features_once_free in any case. Errors:
 * those of links; PROTOCOL. */
sotto_status sotto_i_features_once_new(sotto_i_features_once **out, const sotto_i_job *job, sotto_link *link,
                                       sotto_error *err);
/* The received rows, of all nodes. */
const sotto_i_row_source *sotto_i_features_once_rows(const sotto_i_features_once *o);
/* Starts the thread; the split outlives it. *inner is the end of the link that this side uses from here on,
 * as it would use the one to the data party. */
sotto_status sotto_i_features_once_begin(sotto_i_features_once *o, sotto_link **inner,
                                         const sotto_split *split, sotto_error *err);
/* Waits for the thread, and sends the weights. `status` and `err` are of this side's own part: where both
 * failed, the cause is returned. */
sotto_status sotto_i_features_once_end(sotto_i_features_once *o, sotto_status status, sotto_error *err);
void sotto_i_features_once_free(sotto_i_features_once *o);

#endif
