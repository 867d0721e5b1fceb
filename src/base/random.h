/* Random streams: ChaCha20 (RFC 8439) keyed by (key, purpose, index). A stream does not depend on the
 * thread that draws it, so work split by index gives the same numbers for any number of threads. */
#ifndef SOTTO_SRC_BASE_RANDOM_H
#define SOTTO_SRC_BASE_RANDOM_H

#include "sotto/base.h"

/* Purpose of a stream. Streams of different purposes never overlap. Append only: the number is part of the
 * stream, so changing it changes every reproducible run. */
typedef enum sotto_i_purpose {
  SOTTO_I_PURPOSE_TEST = 0,
  SOTTO_I_PURPOSE_SPLIT = 1,
  SOTTO_I_PURPOSE_INIT = 2,
  SOTTO_I_PURPOSE_DROPOUT = 3,
  SOTTO_I_PURPOSE_BATCH = 4,
  SOTTO_I_PURPOSE_GENERATE = 5,
  SOTTO_I_PURPOSE_NOISE = 6,     /* noise of releases: sub = layer within the charge, index = row */
  SOTTO_I_PURPOSE_HISTOGRAM = 7, /* noise of a degree histogram */
  SOTTO_I_PURPOSE_DERIVE = 8,    /* sotto_i_key_derive */
  SOTTO_I_PURPOSE_NEGATIVE = 9,  /* negative pairs and other randomness of evaluation */
  SOTTO_I_PURPOSE_DISCRETE_GAUSSIAN = 16,
  SOTTO_I_PURPOSE_LAPLACE = 17,   /* index = row */
  SOTTO_I_PURPOSE_RESPONSE = 18,  /* answers of randomised response */
  SOTTO_I_PURPOSE_MULTIBIT = 19,  /* index = row */
  SOTTO_I_PURPOSE_SAMPLING = 20,  /* secret batches */
  SOTTO_I_PURPOSE_ADJACENCY = 21, /* perturbed adjacency: index 0 edges, 1 pairs without one */
  SOTTO_I_PURPOSE_NEIGHBOUR = 22, /* secret choice of neighbours: index = node, or its position in a list */
  SOTTO_I_PURPOSE_SUBSET = 23,    /* answers of subset selection: index = value */
  SOTTO_I_PURPOSE_ALIGN = 40,     /* order of ids in an alignment: index 0 masked ids, 1 the common ones */
  SOTTO_I_PURPOSE_SHARE = 41,     /* additive shares, triples and their masks */
  SOTTO_I_PURPOSE_SUM = 42,       /* mask partners of clients in a secure sum: index = round */
  SOTTO_I_PURPOSE_TURN = 43,      /* clients that take part: index = round */
} sotto_i_purpose;

enum { SOTTO_I_RANDOM_BUFFER = 512 };

/* State of one stream. A plain value: copy it to fork it. Holds key material. */
typedef struct sotto_i_random {
  uint8_t key[32];
  uint8_t nonce[12];
  uint32_t block;    /* next ChaCha20 block to make */
  uint32_t position; /* next unread byte of the buffer */
  uint8_t buffer[SOTTO_I_RANDOM_BUFFER];
} sotto_i_random;

/* Starts the stream (key, purpose, sub, index). sub < 2^24. A zeroed key (origin NONE) aborts. */
void sotto_i_random_init(sotto_i_random *random, const sotto_key *key, sotto_i_purpose purpose, uint32_t sub,
                         uint64_t index);

/* The next `count` bytes. At most 256 GiB a stream. */
void sotto_i_random_bytes(sotto_i_random *random, void *out, size_t count);

uint32_t sotto_i_random_u32(sotto_i_random *random);
uint64_t sotto_i_random_u64(sotto_i_random *random);

/* Uniform on {0, ..., bound - 1}, without bias; bound > 0. */
uint64_t sotto_i_random_below(sotto_i_random *random, uint64_t bound);

/* Uniform on [0, 1), a multiple of 2^-53. */
double sotto_i_random_double(sotto_i_random *random);

/* Standard normal for weights and synthetic data (Box-Muller in double precision). Noise of releases is
 * drawn in src/dp. */
double sotto_i_random_normal(sotto_i_random *random);

/* Fisher-Yates. */
void sotto_i_random_shuffle(sotto_i_random *random, uint32_t *items, size_t count);

/* Derives a key of the same origin for one part of a run, such as one repetition. Keys of different
 * indices are independent. */
void sotto_i_key_derive(sotto_key *out, const sotto_key *key, uint64_t index);

#endif
