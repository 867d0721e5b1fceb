/* The number of columns of each holder, which all parties know. */
#include <math.h>

#include "base/error.h"
#include "inside/party.h"
#include "vfgnn.h"

sotto_status sotto_i_vfgnn_hear_columns(size_t *cols, const sotto_i_vfgnn_holder *h, sotto_error *err) {
  float all[SOTTO_MOST_HOLDERS] = {0};
  sotto_matrix received = {all, 1, h->shared->holders};
  const sotto_expectation expected = {"columns.all", SOTTO_WIRE_PUBLIC, 1, received.cols, 0};
  sotto_status status;
  SOTTO_TRY(sotto_link_receive(h->peers.dealer, &received, &expected, err));
  for (size_t i = 0; i < received.cols; i++) {
    if (!(all[i] >= 1 && all[i] <= 16777216 && all[i] == floorf(all[i])))
      return sotto_i_fail(err, SOTTO_PROTOCOL, "holder %zu is said to have %g columns", i + 1, all[i]);
    cols[i] = (size_t)all[i];
  }
done:
  return status;
}

sotto_status sotto_i_vfgnn_agree_on_columns(size_t *cols, const sotto_i_vfgnn_holder *h, sotto_error *err) {
  float own = (float)h->features.cols;
  const sotto_matrix sent = {&own, 1, 1};
  sotto_status status;
  SOTTO_TRY(sotto_link_send_public(h->peers.dealer, "columns", &sent, err));
  SOTTO_TRY(sotto_i_vfgnn_hear_columns(cols, h, err));
  if (cols[h->index] != h->features.cols)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the server gives another number of columns for holder %zu",
                        h->index + 1);
done:
  return status;
}

sotto_status sotto_i_vfgnn_tell_columns(const sotto_i_vfgnn_server *s, size_t *cols, size_t parties,
                                        sotto_error *err) {
  float all[SOTTO_MOST_HOLDERS] = {0};
  const sotto_matrix told = {all, 1, s->shared->holders};
  const sotto_expectation expected = {"columns", SOTTO_WIRE_PUBLIC, 1, 1, 0};
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < s->shared->holders; i++) {
    sotto_matrix one = {&all[i], 1, 1};
    SOTTO_TRY(sotto_link_receive(s->links[i], &one, &expected, err));
    if (!(all[i] >= 1 && all[i] <= 16777216))
      return sotto_i_fail(err, SOTTO_PROTOCOL, "holder %zu says it has %g columns", i + 1, all[i]);
    cols[i] = (size_t)all[i];
  }
  for (size_t i = 0; i < parties; i++)
    SOTTO_TRY(sotto_link_send_public(s->links[i], "columns.all", &told, err));
done:
  return status;
}
