/* Lists of ids made of numbers. */
#ifndef SOTTO_TESTS_SUPPORT_ID_LIST_H
#define SOTTO_TESTS_SUPPORT_ID_LIST_H

#include "sotto/align.h"

/* Ids "id-N" of the numbers, in their order. */
sotto_ids *check_ids(const uint32_t *numbers, size_t count);
/* Ids of a text; NULL after a failure, which *status and *err tell. */
sotto_ids *check_ids_of_text(const char *text, const char *column, sotto_status *status, sotto_error *err);

#endif
