/* A client of the program's HTTP servers, for tests. */
#ifndef SOTTO_TESTS_SUPPORT_HTTP_CLIENT_H
#define SOTTO_TESTS_SUPPORT_HTTP_CLIENT_H

#include <stddef.h>

/* A connection to HOST:PORT. */
int http_dial(const char *address);
/* Sends the text and reads until the other side closes, or nothing comes for ten seconds. Closes. */
const char *http_talk(int fd, const char *text);
/* The same for a text with zero bytes inside. */
const char *http_talk_bytes(int fd, const char *text, size_t size);
/* One request that asks for the connection to be closed; `more` are header lines. A POST
 * says that it is JSON. */
const char *http_ask(const char *address, const char *first, const char *more, const char *body);
/* Fails unless the answer has this status and these words. */
void http_says(const char *answer, const char *status, const char *words);

/* Asks for an answer that goes on, and reads nothing of it yet. */
int http_follow(const char *address, const char *path);
/* What comes until these words have come, with them; NULL: until the other side ends. In a static buffer. */
const char *http_read_until(int fd, const char *words);

#endif
