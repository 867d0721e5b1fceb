/* Clients that leave a federation. With --least-clients the server continues without them permanently, so
 * that no answer of an earlier round can be taken for one of a later round. */
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "federated.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"

bool sotto_i_fed_may_leave(const sotto_i_federation *federation) {
  return federation->apart && federation->options->least_clients > 0;
}

bool sotto_i_fed_is_here(const sotto_i_fed_server *s, uint32_t client) {
  return s->left == NULL || s->left[client] == 0;
}

static sotto_status check_count(const sotto_i_fed_server *s, const char *why, sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  uint32_t here = 0;
  for (uint32_t i = 0; i < f->clients; i++) here += sotto_i_fed_is_here(s, i);
  if (here >= f->options->least_clients) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PROTOCOL, "%u clients are left, fewer than least-clients (%llu)%s%s",
                      (unsigned)here, (unsigned long long)f->options->least_clients,
                      why[0] == '\0' ? "" : "; the last one to leave: ", why);
}

sotto_status sotto_i_fed_left_new(sotto_i_fed_server *s, sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  sotto_status status;
  if (!sotto_i_fed_may_leave(f)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new(&s->left, f->clients, sizeof *s->left, err));
  SOTTO_TRY(sotto_i_new(&s->missing, f->rounds * f->clients, sizeof *s->missing, err));
  for (uint32_t i = 0; i < f->clients; i++) s->left[i] = s->links[i] == NULL;
  status = check_count(s, "", err);
done:
  return status;
}

void sotto_i_fed_give_time(const sotto_i_fed_server *s, uint32_t client) {
  if (s->left != NULL) sotto_i_link_limit(s->links[client], s->federation->options->grace);
}

void sotto_i_fed_give_all_time(const sotto_i_fed_server *s) {
  for (uint32_t i = 0; s->left != NULL && i < s->federation->clients; i++)
    if (s->links[i] != NULL) sotto_i_link_limit(s->links[i], 0);
}

sotto_status sotto_i_fed_left(sotto_i_fed_server *s, uint32_t client, uint64_t round, sotto_status status,
                              const sotto_error *problem, sotto_error *err) {
  if (status == SOTTO_OK) return SOTTO_OK;
  if (s->left == NULL || status == SOTTO_INTERRUPTED || !sotto_i_link_lost(s->links[client])) {
    if (err != NULL) *err = *problem;
    return status;
  }
  s->left[client] = (uint32_t)round;
  sotto_link_close(s->links[client], "the run goes on without this client");
  sotto_i_log(s->job->observer, SOTTO_LOG_WARNING, "client %u is left out from round %llu on: %s",
              (unsigned)client + 1, (unsigned long long)round, problem->text);
  return check_count(s, problem->text, err);
}

uint32_t sotto_i_fed_note_missing(sotto_i_fed_server *s, const uint32_t *taking, uint64_t round) {
  const sotto_i_federation *f = s->federation;
  uint32_t answered = 0;
  for (uint32_t i = 0; i < f->taking; i++) {
    const bool here = sotto_i_fed_is_here(s, taking[i]);
    answered += here;
    if (!here) s->missing[(round - 1) * f->clients + taking[i]] = 1;
  }
  return answered;
}

sotto_traffic sotto_i_fed_traffic(const sotto_i_fed_server *s, uint32_t client) {
  return s->links[client] == NULL ? (sotto_traffic){{0}, {0}} : sotto_link_traffic(s->links[client]);
}
