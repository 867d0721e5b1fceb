/* Options of clients and a server that averages their models. */
#ifndef SOTTO_SRC_METHODS_FEDERATED_OPTIONS_H
#define SOTTO_SRC_METHODS_FEDERATED_OPTIONS_H

#include "base/option.h"

extern const sotto_i_option_rows sotto_i_client_rows;

#endif
