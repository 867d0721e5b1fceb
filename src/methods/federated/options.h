/* Options of clients and a server that averages their models. */
#ifndef SOTTO_SRC_METHODS_FEDERATED_OPTIONS_H
#define SOTTO_SRC_METHODS_FEDERATED_OPTIONS_H

#include "base/option.h"

/* With the server's Adam: the rate of clients' gradient steps. It cancels out if they take one step a
 * round. */
#define SOTTO_I_LOCAL_RATE 1.0

/* The settings of these options. */
typedef enum sotto_i_optimiser {
  SOTTO_I_OPTIMISER_ADAM,
  SOTTO_I_OPTIMISER_SGD,
  SOTTO_I_OPTIMISER_SERVER_ADAM
} sotto_i_optimiser;
typedef struct sotto_i_client_settings {
  char client_keys[1024];
  uint64_t rounds;
  double fraction;
  sotto_i_optimiser optimiser;
  double prox_mu;
  double local_momentum;
  bool secure_aggregation;
  uint64_t sum_neighbours;
  double update_bound;
} sotto_i_client_settings;
const sotto_i_client_settings *sotto_i_client_settings_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_client_rows;
/* All of them but update-bound: of a method whose clients send more than updates, which nothing would check.
 */
#define SOTTO_I_UNCHECKED_OPTIONS                                                                            \
  "rounds fraction optimiser prox-mu local-momentum secure-aggregation client-keys "                         \
  "sum-neighbours"

/* Settings of DP-SGD over clients: who adds the noise. */
typedef enum sotto_i_noise_by {
  SOTTO_I_NOISE_DISTRIBUTED,
  SOTTO_I_NOISE_CENTRAL,
  SOTTO_I_NOISE_LOCAL
} sotto_i_noise_by;
typedef struct sotto_i_noise_settings {
  sotto_i_noise_by noise;
  double leaving_share, colluding_share;
} sotto_i_noise_settings;
const sotto_i_noise_settings *sotto_i_noise_settings_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_noise_rows;
/* Does the noise hide a whole client? Otherwise it hides a training node or graph. */
bool sotto_i_fed_by_client(const sotto_options *options);

#endif
