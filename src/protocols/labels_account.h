/* The account of a dataset's labels in the ledger, for releases that protect labels and no edge. */
#ifndef SOTTO_SRC_PROTOCOLS_LABELS_ACCOUNT_H
#define SOTTO_SRC_PROTOCOLS_LABELS_ACCOUNT_H

#include "sotto/graph.h"

/* The key of the account, from labels and number of classes, and its name, "labels of NAME". The data has
 * labels of nodes. */
void sotto_i_labels_account(uint8_t digest[32], char name[128], const sotto_dataset *data);

#endif
