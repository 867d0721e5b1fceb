/* Bins of amounts and times that tests of transfers count in. */
#ifndef SOTTO_TESTS_SUPPORT_TRANSFER_BINS_H
#define SOTTO_TESTS_SUPPORT_TRANSFER_BINS_H

#include "protocols/transfer_cells.h"

static const sotto_i_transfer_bins check_coarse_bins = {.amounts = SOTTO_I_AMOUNT_BINS,
                                                        .times = SOTTO_I_TIME_BINS,
                                                        .amount_from = {200, 500, 1100},
                                                        .time_from = {250}};

#endif
