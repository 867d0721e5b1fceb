/* Randomness of a test in place of the system's: the same for the same number, and other bytes for each draw,
 * so that a release that is made again has other noise, as with the system's. */
#ifndef SOTTO_TESTS_NOISE_STREAM_H
#define SOTTO_TESTS_NOISE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

/* For the whole process, before anything is drawn. False: libsodium refuses it. */
bool check_stream_install(void);
/* Begins the stream of this number. Any thread may draw, but none while it begins. */
void check_stream_begin(uint64_t number);

#endif
