/* LPGNet at edge and at node level, and the inputs of its predictions. */
#ifndef SOTTO_SRC_METHODS_LPGNET_LPGNET_H
#define SOTTO_SRC_METHODS_LPGNET_LPGNET_H

#include "protocols/counts.h"
#include "run/train/predict.h"

/* The canary of a node: the counts alone, without the networks. */
struct sotto_i_canary;
struct sotto_i_run;

#endif
