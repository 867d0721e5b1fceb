/* Histograms of a dataset's transfers, for `sotto data info`. */
#ifndef SOTTO_APP_CLI_DATA_TRANSFERS_H
#define SOTTO_APP_CLI_DATA_TRANSFERS_H

#include "cli/json.h"
#include "sotto/graph.h"

/* Nothing is printed, and JSON is null, where the dataset has none. */
void data_print_transfers(const sotto_dataset *data);
json_t *data_transfers_json(const sotto_dataset *data);

#endif
