/* Clients of a federation find one scaling: statistics of all clients' columns, which the server adds up. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gathering.h"
#include "party/wire/link/transport.h"
#include "run/settings/suit.h"

static const char own_name[] = "statistics", all_name[] = "all statistics";
static const char own_reason[] =
    "mean and variance of each column over this client's rows, how many rows and zeros there are";
static const char all_reason[] = "mean and variance of each column over the rows of all clients";

static sotto_status send_statistics(sotto_link *link, const char *name, const char *reason,
                                    const double *values, size_t count, sotto_error *err) {
  const sotto_words words = {name, SOTTO_WIRE_EXPOSED, reason, values, 1, 2 * count};
  return sotto_link_send_words(link, &words, err);
}

static sotto_status receive_statistics(double *values, sotto_link *link, const char *name, size_t count,
                                       sotto_error *err) {
  const sotto_expectation expected = {name, SOTTO_WIRE_EXPOSED, 1, 2 * count, 0};
  return sotto_link_receive_words(link, values, &expected, err);
}

static sotto_status serve(double *known, double *said, const sotto_i_gathering *g, size_t columns,
                          sotto_error *err) {
  const size_t count = sotto_i_statistics_count(columns);
  sotto_status status = SOTTO_OK;
  memset(known, 0, count * sizeof *known);
  for (size_t i = 0; i < g->count; i++) {
    sotto_error problem = {0};
    if (g->links[i] == NULL) continue;
    status = receive_statistics(said, g->links[i], own_name, count, &problem);
    if (status == SOTTO_OK)
      SOTTO_TRY(sotto_i_statistics_add(known, said, columns, err));
    else
      SOTTO_TRY(sotto_i_leave_out(g, i, status, &problem, err));
  }
  for (size_t i = 0; i < g->count; i++) {
    sotto_error problem = {0};
    if (g->links[i] == NULL) continue;
    status = send_statistics(g->links[i], all_name, all_reason, known, count, &problem);
    SOTTO_TRY(sotto_i_leave_out(g, i, status, &problem, err));
  }
done:
  return status;
}

sotto_status sotto_i_agree_on_statistics(double **values, const sotto_i_gathering *g,
                                         const sotto_dataset *own, size_t columns, sotto_error *err) {
  const size_t count = sotto_i_statistics_count(columns);
  double *said = NULL, *checked = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(values, count, sizeof **values, err));
  SOTTO_TRY(sotto_i_new(&said, count, sizeof *said, err));
  if (g->server) {
    status = serve(*values, said, g, columns, err);
    goto done;
  }
  SOTTO_TRY(sotto_i_statistics_of(said, own, err));
  SOTTO_TRY(send_statistics(g->links[0], own_name, own_reason, said, count, err));
  SOTTO_TRY(receive_statistics(*values, g->links[0], all_name, count, err));
  SOTTO_TRY(sotto_i_new(&checked, count, sizeof *checked, err));
  SOTTO_TRY(sotto_i_statistics_add(checked, *values, columns, err)); /* a check of the server's sums */
done:
  sotto_i_free(said);
  sotto_i_free(checked);
  return status;
}
