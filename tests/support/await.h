/* Waits of tests: for an event, with a deadline of minutes. No test concludes from how long something took.
 */
#ifndef SOTTO_TESTS_SUPPORT_AWAIT_H
#define SOTTO_TESTS_SUPPORT_AWAIT_H

#include <stdbool.h>

/* Does it hold by now? */
typedef bool (*check_event)(void *context);

/* Waits until the event holds; after five minutes the test fails with `what`. */
void check_await(const char *what, check_event event, void *context);
/* The same; false in place of a failure. */
bool check_awaited(check_event event, void *context);

/* Lets time pass, in seconds: at most so long does a test wait before a kill or a message that must be
 * survived at any moment. Nothing follows from its length. */
void check_moment(double seconds);

#endif
