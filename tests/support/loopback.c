/* An address that is this process's own. */
#include "loopback.h"

#include <arpa/inet.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { per_byte = 250, first_port = 20000, ports = 40000 };

void check_loopback(char out[32]) {
  static _Atomic unsigned next;
  const unsigned pid = (unsigned)getpid();
  const unsigned port = first_port + atomic_fetch_add(&next, 1) % ports;
  (void)snprintf(out, 32, "127.%u.%u.%u:%u", 1 + pid / (per_byte * per_byte) % 126, pid / per_byte % per_byte,
                 1 + pid % per_byte, port);
}

struct sockaddr_in check_address(const char *text) {
  struct sockaddr_in name = {.sin_family = AF_INET};
  char host[32];
  (void)snprintf(host, sizeof host, "%.*s", (int)strcspn(text, ":"), text);
  assert_int_equal(inet_pton(AF_INET, host, &name.sin_addr), 1);
  name.sin_port = htons((uint16_t)atoi(strchr(text, ':') + 1));
  return name;
}
