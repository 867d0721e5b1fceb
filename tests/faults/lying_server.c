/* A server of secure sums that lies to the first client, as $SOTTO_LIE says. The linker puts these functions
 * in the place of the library's (--wrap, tests/CMakeLists.txt). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "party/secure_sum/secure_sum_server.h"

sotto_status __real_sotto_sum_server_give(const sotto_sum_server *server, uint32_t client, void *message,
                                          sotto_error *err);
sotto_status __wrap_sotto_sum_server_give(const sotto_sum_server *server, uint32_t client, void *message,
                                          sotto_error *err);
sotto_status __real_sotto_sum_server_take(sotto_sum_server *server, uint32_t client, const void *message,
                                          sotto_error *err);
sotto_status __wrap_sotto_sum_server_take(sotto_sum_server *server, uint32_t client, const void *message,
                                          sotto_error *err);

static bool lies(const char *how) {
  const char *asked = getenv("SOTTO_LIE");
  return asked != NULL && strcmp(asked, how) == 0;
}

/* The keys of the round before, once more. */
static void replay(uint8_t *message, size_t size) {
  static uint8_t kept[1 << 16];
  static bool known;
  if (known) memcpy(message, kept, size);
  memcpy(kept, message, size);
  known = true;
}

sotto_status __wrap_sotto_sum_server_give(const sotto_sum_server *server, uint32_t client, void *message,
                                          sotto_error *err) {
  const sotto_sum_sizes sizes = sotto_sum_message_sizes(&server->plan);
  const uint32_t n = server->plan.clients, other = server->graph[0]; /* the first neighbour of client 0 */
  uint8_t *out = message;
  sotto_status status = __real_sotto_sum_server_give(server, client, message, err);
  if (status != SOTTO_OK || client != 0) return status;
  if (server->step == 1 && lies("keys")) {
    memset(out + (size_t)other * SOTTO_I_SUM_KEY, 0, SOTTO_I_SUM_KEY);
    memset(out + (size_t)n * SOTTO_I_SUM_KEY, 0, SOTTO_I_SUM_SIGNED);
  }
  if (server->step == 1 && lies("other-keys")) out[(size_t)n * SOTTO_I_SUM_KEY] ^= 1;
  if (server->step == 1 && lies("replay")) replay(out, sizes.neighbour_keys);
  if (server->step == 2 && lies("withheld")) memset(out, 0, SOTTO_I_SUM_BOX);
  if (server->step == 3 && lies("sets")) out[other] = SOTTO_I_SUM_DROPPED;
  if (server->step == 3 && lies("survivors")) out[0] = SOTTO_I_SUM_DROPPED;
  if (server->step == 4 && lies("signatures")) memset(out + SOTTO_SUM_SIGNATURE, 0, SOTTO_SUM_SIGNATURE);
  if (server->step == 4 && lies("signatures"))
    memset(out + (size_t)2 * SOTTO_SUM_SIGNATURE, 0, SOTTO_SUM_SIGNATURE);
  return status;
}

sotto_status __wrap_sotto_sum_server_take(sotto_sum_server *server, uint32_t client, const void *message,
                                          sotto_error *err) {
  if (server->step == 2 && client + 1 == server->plan.clients && lies("without"))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the last client is left out of this sum");
  if (server->step == 3 && lies("sets")) { /* the library's server would find the other signature out */
    memcpy(server->signatures + (size_t)client * SOTTO_SUM_SIGNATURE, message, SOTTO_SUM_SIGNATURE);
    server->reached[client]++;
    return SOTTO_OK;
  }
  return __real_sotto_sum_server_take(server, client, message, err);
}
