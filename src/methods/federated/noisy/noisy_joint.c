/* Two mechanisms together: noise of which each client adds a part, and a secure sum that reveals no single
 * part.
 *
 * The charged noise is that of `counted` clients. So every sum that the server may learn together with the
 * colluding clients must have the noise of that many honest ones. The theorem of secure sums
 * (docs/protocol.md, "What holds") says when the server learns only one sum, over all honest survivors:
 * against `withstands` colluding clients, whichever they are. The survivors are at least n minus those that
 * may leave, since clients sign no smaller set (`least`). Then counted = n - leaving - colluding. All
 * colluding clients may be in one round. Outside the theorem there may be sums over a few clients with less
 * noise than charged: such settings are refused. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "methods/federated/federated.h"
#include "party/secure_sum/secure_sum.h"

uint32_t sotto_i_fed_share(double share, uint32_t clients) {
  return (uint32_t)floor(share * clients + 1e-9);
}

/* Suggests other settings: more neighbours, or fewer colluding clients. */
static void suggest_settings(char *out, size_t room, const sotto_i_fed_joint *joint, uint32_t clients) {
  const int64_t most = sotto_i_sum_withstands(&joint->plan);
  sotto_sum_plan all;
  bool of_all =
      joint->plan.neighbours < joint->plan.clients - 1 &&
      sotto_sum_plan_new(&all, joint->plan.clients, joint->plan.clients - 1, 0, 1, NULL) == SOTTO_OK;
  if (of_all) {
    all.least = joint->plan.least;
    of_all = sotto_i_sum_withstands(&all) >= (int64_t)joint->colluding;
  }
  (void)snprintf(out, room, "%scolluding-share %.4g", of_all ? "sum-neighbours 0 (all others), or " : "",
                 most < 0 ? 0 : floor(1e4 * (double)most / clients) / 1e4);
}

/* The share is of all clients, not of a round's clients: all colluding ones may be in one round. */
static uint32_t colluding_in_a_round(double share, uint32_t clients, uint32_t taking) {
  const uint32_t all = sotto_i_fed_share(share, clients);
  return all < taking ? all : taking;
}

sotto_status sotto_i_fed_joint_new(sotto_i_fed_joint *out, const sotto_options *o, uint32_t taking,
                                   sotto_error *err) {
  const sotto_i_noise_settings *own = sotto_i_noise_settings_of(o);
  const uint32_t clients = o->clients > taking ? (uint32_t)o->clients : taking;
  char way_out[160] = "";
  *out = (sotto_i_fed_joint){.leaving = sotto_i_fed_share(own->leaving_share, taking),
                             .colluding = colluding_in_a_round(own->colluding_share, clients, taking)};
  if (out->leaving + out->colluding >= taking)
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "leaving-share, colluding-share: of %u clients %u may leave and %u collude, which leaves "
        "nobody whose noise counts",
        (unsigned)taking, (unsigned)out->leaving, (unsigned)out->colluding);
  const sotto_status status = sotto_i_fed_sum_plan(&out->plan, o, taking, 1, err);
  if (status != SOTTO_OK) return status;
  out->plan.least = taking - out->leaving;
  const int64_t withstands = sotto_i_sum_withstands(&out->plan);
  out->counted = taking - out->leaving - out->colluding;
  out->withstands = withstands < 0 ? 0 : (uint32_t)withstands;
  if (withstands >= (int64_t)out->colluding) return SOTTO_OK;
  suggest_settings(way_out, sizeof way_out, out, clients);
  return sotto_i_fail(err, SOTTO_RANGE,
                      "colluding-share: %u of a round's %u clients may collude with the server. A secure sum "
                      "with %u neighbours of each client and a threshold of %u withstands %u, whichever they "
                      "are: more of them may see sums with less noise than is charged. Take %s",
                      (unsigned)out->colluding, (unsigned)taking, (unsigned)out->plan.neighbours,
                      (unsigned)out->plan.threshold, (unsigned)out->withstands, way_out);
}
