/* Inputs of fuzzers as files, for readers that take a path. */
#ifndef SOTTO_TESTS_INPUT_FILE_H
#define SOTTO_TESTS_INPUT_FILE_H

#include <stddef.h>
#include <stdint.h>

/* A folder of this process, in memory where there is one; a fixed path in it. Static. */
const char *fuzz_folder(void);
/* Writes FOLDER/NAME anew and gives its path, in a static buffer. Aborts when it cannot. */
const char *fuzz_put(const char *name, const uint8_t *data, size_t size);

#endif
