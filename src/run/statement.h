/* The privacy statement as JSON, for both files that hold it. */
#ifndef SOTTO_SRC_RUN_STATEMENT_H
#define SOTTO_SRC_RUN_STATEMENT_H

#include <jansson.h>

#include "sotto/methods.h"

/* A finished run. All members are borrowed. */
typedef struct sotto_report {
  const sotto_options *options;
  const sotto_dataset *data;
  const sotto_result *result;
  double seconds;
} sotto_report;

/* The verdict on a run that a ledger does not bear out. */
#define SOTTO_I_MISSING_CHARGE                                                                               \
  "NOT PRIVATE as stated: the ledger has no charge for something that this run released"

/* NULL when memory is out. */
json_t *sotto_i_privacy_json(const sotto_report *report);
/* The payloads that went out raw. */
json_t *sotto_i_privacy_exposed(const sotto_result *result);
/* The same where one owner trains and publishes, and for vesper at node level: result->central. */
json_t *sotto_i_privacy_central_json(const sotto_report *report);
/* The same of clients and a server. */
json_t *sotto_i_privacy_federated_json(const sotto_report *report);

/* With --accounting paper: the claim, and every reason why it does not hold as stated. Else nothing. */
void sotto_i_privacy_add_claim(json_t *statement, const sotto_report *report);

/* The same for several holders and a server. */
json_t *sotto_i_privacy_vfgnn_json(const sotto_report *report);

/* What they have in common. Numbers that are not finite are null; `texts` ends with NULL. */
json_t *sotto_i_privacy_number(double value);
json_t *sotto_i_privacy_strings(const char *const *texts);
/* Of a party in a process of its own: its role, and the bytes that it sent and received, by kind; else null.
 */
json_t *sotto_i_privacy_party(const sotto_result *result);
json_t *sotto_i_privacy_ledger(const sotto_result *result);
/* Adds what was planned, and how many charges were made, beside the epsilon of these. */
void sotto_i_privacy_add_made(json_t *statement, const sotto_report *report);
const char *sotto_i_privacy_verdict(const sotto_report *report);

/* feddep: is anything said of prototypes; what noise they have; the noise-free claim, or null. */
bool sotto_i_states_prototypes(const sotto_options *options);
json_t *sotto_i_prototype_mechanisms(const sotto_options *options);
json_t *sotto_i_prototype_claim(const sotto_options *options);

#endif
