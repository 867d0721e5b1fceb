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
/* The clients of a federation as they begin, with keys of their own, for runs whose sums have noise. */
typedef struct check_clients {
  sotto_i_job job;
  sotto_i_fed_assembly *all;
  sotto_i_fed_client *of;
  uint32_t count;
} check_clients;
/* `options` (which are resolved) and `data` live longer. */
void check_clients_new(check_clients *out, sotto_options *options, const sotto_dataset *data);
void check_clients_free(check_clients *clients);
/* What all of them know, to be changed. */
sotto_i_federation *check_clients_shared(const check_clients *clients);

/* Losses of the rounds that a run wrote, which must be `count`; `bytes` (what the server got) may be NULL. */
void check_losses(double *losses, size_t count, const sotto_options *options, uint64_t *bytes);

#endif
