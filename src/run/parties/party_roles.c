/* Which parties a run has, and who talks to whom. */
#include "party_roles.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "run/settings/options.h"

sotto_status sotto_i_party_supported(const sotto_options *options, sotto_error *err) {
  if (!sotto_i_is_of_two(options) && !sotto_i_has_holders(options) && !sotto_i_has_clients(options))
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "method: %s is of one owner, so it has no parties; `sotto methods` lists those that have",
        options->method);
  if (sotto_i_method_of(options)->apart)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "method: %s is a comparison in which nothing passes between clients; give it to sotto train",
        options->method);
  if (options->record_wire && !sotto_i_is_of_two(options))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "record-wire: among more than two parties, of all of them in one process; give it to "
                        "sotto train");
  return SOTTO_OK;
}

bool sotto_party_asks(const sotto_options *options) {
  const sotto_i_method *method = sotto_i_method_named(options->method);
  const sotto_i_variant *variant = method == NULL ? NULL : sotto_i_variant_find(method, options);
  return variant != NULL && variant->question != NULL;
}

bool sotto_i_party_of_several(const sotto_party *party, const sotto_options *options) {
  return party->role >= SOTTO_ROLE_SERVER || sotto_i_labels_join(options);
}

bool sotto_i_party_is_hub(const sotto_party *party, const sotto_options *options) {
  return party->role == (sotto_i_labels_join(options) ? SOTTO_ROLE_LABEL : SOTTO_ROLE_SERVER);
}

bool sotto_i_party_is_apart(const sotto_party *party, const sotto_options *options) {
  return party->role == SOTTO_ROLE_LABEL ||
         (party->role == SOTTO_ROLE_HOLDER && party->number > options->holders &&
          sotto_i_has_labels_apart(options));
}

bool sotto_i_party_has_data(const sotto_party *party) {
  return party->role != SOTTO_ROLE_SERVER && party->role != SOTTO_ROLE_HELPER;
}

size_t sotto_i_party_members(const sotto_options *options) {
  if (!sotto_i_has_holders(options)) return (size_t)options->clients;
  return (size_t)options->holders + sotto_i_has_labels_apart(options);
}

size_t sotto_i_party_peers(const sotto_party *party, const sotto_options *options) {
  const bool hub = sotto_i_party_is_hub(party, options);
  if (!sotto_i_party_of_several(party, options)) return 1;
  if (party->role == SOTTO_ROLE_CLIENT || party->role == SOTTO_ROLE_HELPER) return 1;
  if (sotto_i_labels_join(options) && !hub) return 1;
  const bool helper = party->role == SOTTO_ROLE_SERVER && sotto_i_has_helper(options);
  return sotto_i_party_members(options) + helper;
}

/* A member's peers: the server, then the other holders; or the label party. */
static void other_role(char out[SOTTO_ROLE_SIZE], const sotto_party *party, const sotto_options *options,
                       size_t i) {
  sotto_party peer = {.role = sotto_i_labels_join(options) ? SOTTO_ROLE_LABEL : SOTTO_ROLE_SERVER};
  if (party->role == SOTTO_ROLE_HOLDER && i > 0)
    peer = (sotto_party){.role = SOTTO_ROLE_HOLDER, .number = (uint32_t)(i + (i >= party->number))};
  sotto_party_role_name(out, &peer);
}

/* The peers of the server, or of the label party in its place: members, then the helper. */
static void member_role(char out[SOTTO_ROLE_SIZE], const sotto_options *options, size_t i) {
  sotto_party peer = {.role = sotto_i_has_holders(options) ? SOTTO_ROLE_HOLDER : SOTTO_ROLE_CLIENT,
                      .number = (uint32_t)i + 1};
  if (i == sotto_i_party_members(options)) peer = (sotto_party){.role = SOTTO_ROLE_HELPER};
  sotto_party_role_name(out, &peer);
}

static void peer_role(char out[SOTTO_ROLE_SIZE], const sotto_party *party, const sotto_options *options,
                      size_t i) {
  if (sotto_i_party_is_hub(party, options))
    member_role(out, options, i);
  else
    other_role(out, party, options, i);
}

size_t sotto_party_peer_roles(char (*out)[SOTTO_ROLE_SIZE], size_t room, const sotto_party *party,
                              const sotto_options *options) {
  size_t count = sotto_i_party_peers(party, options);
  const sotto_party other = {.role = party->role == SOTTO_ROLE_DATA ? SOTTO_ROLE_LABEL : SOTTO_ROLE_DATA};
  for (size_t i = 0; i < count && i < room; i++)
    if (!sotto_i_party_of_several(party, options))
      sotto_party_role_name(out[i], &other);
    else
      peer_role(out[i], party, options, i);
  return count;
}

/* Does the run have this role? Errors: INVALID. */
static sotto_status check_role(const sotto_party *party, const sotto_options *options, sotto_error *err) {
  const size_t members = sotto_i_party_members(options);
  const bool two = sotto_i_is_of_two(options), holders = sotto_i_has_holders(options);
  const sotto_role member = holders ? SOTTO_ROLE_HOLDER : SOTTO_ROLE_CLIENT;
  char name[SOTTO_ROLE_SIZE];
  sotto_i_option row;
  sotto_party_role_name(name, party);
  if (two && sotto_i_party_of_several(party, options))
    return sotto_i_fail(
        err, SOTTO_INVALID, "role: %s, and %s has a data and a label party%s", name, options->method,
        sotto_i_option_has(&row, options, "holders") ? "; for several holders set holders to their number"
                                                     : "");
  const bool helper = party->role == SOTTO_ROLE_HELPER && sotto_i_has_helper(options);
  if (party->role == SOTTO_ROLE_HELPER && !helper)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "role: %s, and this run has none; clients and a server that have "
                        "updates checked do (update-bound)",
                        name);
  if (two || helper || sotto_i_party_is_hub(party, options) ||
      (party->role == member && party->number <= members))
    return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "role: %s, and %s has a %s and %ss 1 to %zu", name, options->method,
                      sotto_i_labels_join(options) ? "label party" : "server", holders ? "holder" : "client",
                      members);
}

/* Ranks share the data party's role, where the variant says so. */
static sotto_status check_ranks(const sotto_party *party, const sotto_options *options, sotto_error *err) {
  char name[SOTTO_ROLE_SIZE];
  if (party->ranks == NULL) return SOTTO_OK;
  sotto_party_role_name(name, party);
  if (party->role != SOTTO_ROLE_DATA)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "role: %s is one process, since ranks share the role of a data party alone; start it "
                        "without mpirun",
                        name);
  if (sotto_i_variant_of(options)->data_ranks) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                      "role: the data party of %s with these options is one process; start it without mpirun",
                      options->method);
}

sotto_status sotto_party_role_check(const sotto_party *party, const sotto_options *options,
                                    sotto_error *err) {
  char name[SOTTO_ROLE_SIZE];
  sotto_status status = sotto_i_check_method(options, err);
  if (status == SOTTO_OK) status = sotto_i_party_supported(options, err);
  if (status != SOTTO_OK) return status;
  status = check_role(party, options, err);
  if (status == SOTTO_OK) status = check_ranks(party, options, err);
  if (status != SOTTO_OK) return status;
  const size_t peers = party->question ? 1 : sotto_i_party_peers(party, options);
  const bool meet = sotto_i_has_holders(options) && !sotto_i_labels_join(options);
  sotto_party_role_name(name, party);
  if (party->peer_count != peers)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s talks to %zu, and %zu are named; name each that it talks to, and nobody else%s",
                        name, peers, party->peer_count, meet ? ": the server and all holders" : "");
  return SOTTO_OK;
}
