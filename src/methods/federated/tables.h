/* Tables of counts of a client at edge level: released, kept and read. */
#ifndef SOTTO_SRC_METHODS_FEDERATED_TABLES_H
#define SOTTO_SRC_METHODS_FEDERATED_TABLES_H

#include "federated.h"

/* The noise of a training, in `grid`; *out NULL: none. Errors: RANGE. */
sotto_status sotto_i_fed_counts_noise(const sotto_laplace_grid **out, sotto_laplace_grid *grid,
                                      const sotto_options *options, sotto_error *err);
/* Levels of a release (protocols/unsure.h; fresh): of one group, or of all that are no pilots. *out stays
 * NULL where nobody is a pilot: all count alike. */
sotto_status sotto_i_fed_counts_levels(uint8_t **out, const sotto_i_fed_client *client,
                                       sotto_i_pilot_stage stage, sotto_error *err);
/* Counts under the plan of `job`: that of the training, of which the client's data is one part, or that of a
 * release of other data. They are charged. */
SOTTO_MUST_USE sotto_status sotto_i_fed_counts_use(sotto_dataset *out, const sotto_i_fed_client *client,
                                                   const sotto_i_job *job, sotto_i_fed_counting *context,
                                                   sotto_error *err);
/* Features from counts of some nodes (fresh), in units of their noise (NULL: none). */
sotto_status sotto_i_fed_counts_table(sotto_matrix *read, const sotto_matrix *counts,
                                      const sotto_laplace_grid *noise, sotto_i_cluster_kind kind,
                                      sotto_error *err);
/* The counts of one group of pilots by these clusters: released, and read (fresh, a row a pilot) for the
 * training and for the choice. */
sotto_status sotto_i_fed_counts_of_pilots(sotto_matrix *read, sotto_matrix *told, sotto_i_fed_client *client,
                                          sotto_i_pilot_stage stage, const sotto_i_clusters *known,
                                          sotto_error *err);
/* A table that the folder keeps, without a charge; stage 0: of all that are no pilots. Errors: INVALID (of
 * other data). */
sotto_status sotto_i_fed_counts_open(sotto_dataset *out, const sotto_i_fed_client *client, const char *folder,
                                     uint32_t stage, size_t rows, sotto_i_cluster_kind kind,
                                     sotto_error *err);

#endif
