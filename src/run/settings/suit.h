/* The scaling that suits a table, where the options leave it open. */
#ifndef SOTTO_SRC_RUN_SETTINGS_SUIT_H
#define SOTTO_SRC_RUN_SETTINGS_SUIT_H

#include "sotto/options.h"
#include "sotto/schema.h"

/* Where no scaling was asked for: columns are standardised, and the observer hears why, if one of numbers or
 * dates is much larger than another and features are public; tables of counts stay as they are, and so does
 * data of several holders or clients. Without a schema a column of 0 and 1 alone is a flag, and any other is
 * of numbers. Errors: IO, NOMEM. */
sotto_status sotto_i_suit_scaling(sotto_options *options, const sotto_dataset *data,
                                  const sotto_observer *observer, sotto_error *err);
/* The same with feature-scale suited, which parties agree on: *out becomes a copy of the data's schema with
 * the statistics of its columns, or stays NULL. Holders and two parties go by their own columns. Clients need
 * one scaling: those of one process have that of all rows; of those that are `apart` it is agreed on later;
 * and without a schema theirs stays as it is, since columns are agreed on by name.
 * The observer is warned where statistics may not be used, and what was declared stays. Errors: NOMEM. */
sotto_status sotto_i_suit_columns(sotto_schema **out, const sotto_options *options, const sotto_dataset *data,
                                  bool apart, const sotto_observer *observer, sotto_error *err);
/* May clients send the server statistics of their columns: are features public, and does the server see each
 * client's update, too? And does this client have statistics to send? */
bool sotto_i_shares_statistics(const sotto_options *options);
bool sotto_i_offers_statistics(const sotto_options *options, const sotto_dataset *data);
/* Statistics of so many columns, as they are sent: rows, zeros among numbers, means, variances. */
size_t sotto_i_statistics_count(size_t columns);
sotto_status sotto_i_statistics_of(double *out, const sotto_dataset *data, sotto_error *err);
/* Adds those of other rows; known[] is 0 at first. Errors: PROTOCOL (no such numbers). */
sotto_status sotto_i_statistics_add(double *known, const double *said, size_t columns, sotto_error *err);
/* As sotto_i_suit_columns, by statistics over all clients: the same decision at each. */
sotto_status sotto_i_suit_together(sotto_schema **out, const double *all, const sotto_dataset *data,
                                   const sotto_observer *observer, sotto_error *err);

#endif
