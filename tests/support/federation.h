/* A small federation to train, and what it wrote. */
#ifndef SOTTO_TESTS_FEDERATION_H
#define SOTTO_TESTS_FEDERATION_H

#include "made_run.h"
#include "methods/federated/federated.h"

typedef struct check_federation {
  sotto_dataset data; /* 90 nodes of 3 classes, 5 features; to be freed */
  sotto_options options;
} check_federation;

/* fedavg of four clients for six rounds of plain descent, writing to `folder` of the test. */
check_federation check_federation_new(const char *folder);
/* Losses of the rounds that a run wrote, which must be `count`; `bytes` (what the server got) may be NULL. */
void check_losses(double *losses, size_t count, const sotto_options *options, uint64_t *bytes);

#endif
