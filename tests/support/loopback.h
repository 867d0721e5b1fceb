/* Addresses of this machine alone that no other test and no outgoing connection can take in the meantime:
 * those of 127.0.0.0/8 that belong to this process. */
#ifndef SOTTO_TESTS_SUPPORT_LOOPBACK_H
#define SOTTO_TESTS_SUPPORT_LOOPBACK_H

#include <netinet/in.h>

/* Writes HOST:PORT, another one with every call. */
void check_loopback(char out[32]);

/* HOST:PORT, where HOST is four numbers, as the socket calls want it. */
struct sockaddr_in check_address(const char *text);

#endif
