/* What parties of a run that meet over the server say to each other: public words, and who left. */
#include "gathering.h"

#include "base/error.h"
#include "base/progress.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"

sotto_status sotto_i_say(sotto_link *link, const char *name, const uint32_t *words, size_t count,
                         sotto_error *err) {
  const sotto_words payload = {name, SOTTO_WIRE_PUBLIC, NULL, words, 1, count};
  return sotto_link_send_words(link, &payload, err);
}

sotto_status sotto_i_hear(uint32_t *out, sotto_link *link, const char *name, size_t count, sotto_error *err) {
  const sotto_expectation expected = {name, SOTTO_WIRE_PUBLIC, 1, count, 0};
  return sotto_link_receive_words(link, out, &expected, err);
}

sotto_status sotto_i_leave_out(const sotto_i_gathering *g, size_t i, sotto_status status,
                               const sotto_error *problem, sotto_error *err) {
  if (status == SOTTO_OK) return SOTTO_OK;
  if (status == SOTTO_INTERRUPTED || !sotto_i_link_lost(g->links[i])) {
    if (err != NULL) *err = *problem;
    return status;
  }
  sotto_i_log(g->run->observer, SOTTO_LOG_WARNING, "%s left: %s", g->roles[i], problem->text);
  sotto_link_free(g->links[i]);
  g->links[i] = NULL;
  return SOTTO_OK;
}
