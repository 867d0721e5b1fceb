/* A party's run: its checkpoints, connections, seeds and end. It starts over if the other party restarts. */
#include "party_run.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/text.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "party_among.h"
#include "party_mesh.h"
#include "party_roles.h"
#include "run/files/folder_file.h"
#include "run/storage/checkpoints.h"
#include "run/storage/choice_file.h"
#include "run/storage/seed_file.h"

sotto_status sotto_i_party_wire(sotto_wire **out, const sotto_options *options, const sotto_party *party,
                                const uint8_t nodes[32], const char *terms, sotto_progress progress,
                                bool check, const sotto_observer *observer, sotto_error *err) {
  char role[SOTTO_ROLE_SIZE];
  const sotto_peer *peer = party->peers;
  sotto_party_role_name(role, party);
  sotto_wire_options wire = {.folder = party->folder,
                             .peer = peer->name,
                             .address = peer->address == NULL ? party->listen : peer->address,
                             .listen = peer->address == NULL,
                             .proxy = party->proxy,
                             .insecure_loopback = party->insecure_loopback,
                             .connect_limit = sotto_i_attempt_limit(options),
                             .idle_limit = options->idle_limit,
                             .grace = check ? sotto_i_check_limit(options) : options->grace,
                             .role = role,
                             .terms = terms,
                             .progress = progress,
                             .check = check,
                             .observer = observer};
  memcpy(wire.nodes, nodes, sizeof wire.nodes);
  return sotto_wire_open(out, &wire, err);
}

/* How far the run folder's files reach. */
static sotto_status found(sotto_progress *out, const sotto_i_party_run *run, sotto_error *err) {
  char role[SOTTO_ROLE_SIZE];
  sotto_party_role_name(role, run->party);
  *out = (sotto_progress){0, 0};
  while (out->seed < run->options->seeds) {
    char *folder = NULL;
    sotto_status status = run->folder(run->context, &folder, out->seed, err);
    if (status != SOTTO_OK) return status;
    bool done = sotto_i_seed_file_exists(folder);
    if (!done) {
      sotto_i_checkpoint_list list;
      sotto_i_checkpoints_found(&list, folder, role);
      out->stage = sotto_i_checkpoints_latest(&list).number;
    }
    sotto_i_free(folder);
    if (!done) return SOTTO_OK;
    out->seed++;
  }
  return SOTTO_OK;
}

/* Measures the line, if traffic is planned for the remaining seeds, to say how long they take. */
static sotto_status measure_line(sotto_i_line *out, bool *measured, const sotto_i_party_run *run,
                                 sotto_wire *wire, sotto_progress common, sotto_error *err) {
  sotto_link *link = NULL;
  sotto_status status;
  *measured = false;
  if (sotto_i_variant_of(run->options)->exchange == NULL || common.seed == run->options->seeds)
    return SOTTO_OK;
  SOTTO_TRY(sotto_wire_link(wire, &link, err));
  sotto_i_link_limit(link, run->options->grace);
  status = sotto_i_line_measure(out, link, run->party->role == SOTTO_ROLE_DATA, err);
  sotto_i_link_limit(link, 0);
  *measured = status == SOTTO_OK;
done:
  sotto_link_free(link);
  return status;
}

/* All seeds, of which those before the common progress are taken over. */
static sotto_status do_seeds(const sotto_i_party_run *run, sotto_wire *wire, sotto_progress common,
                             sotto_error *err) {
  sotto_i_line line;
  bool measured;
  sotto_status status = measure_line(&line, &measured, run, wire, common, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t i = 0; i < run->options->seeds; i++) {
    const sotto_i_seat seat = {.role = run->party->role,
                               .wire = wire,
                               .index = i,
                               .stage = i == common.seed ? common.stage : 0,
                               .line = measured ? &line : NULL};
    sotto_i_progress(run->observer, "seed", i, run->options->seeds, NULL);
    status = run->seed(run->context, i, &seat, i < common.seed, err);
    if (status != SOTTO_OK) return status;
    if (i >= common.seed) sotto_wire_reached(wire, (sotto_progress){i + 1, 0});
  }
  return SOTTO_OK;
}

static sotto_status choose(const sotto_i_party_run *run, sotto_wire *wire, sotto_error *err) {
  sotto_link *link = NULL;
  sotto_status status;
  if (run->choose == NULL) return SOTTO_OK;
  SOTTO_TRY(sotto_wire_link(wire, &link, err));
  SOTTO_TRY(run->choose(run->context, link, err));
done:
  sotto_link_free(link);
  return status;
}

/* The other ranks are in the middle of a release, and do not hear of the other party. It waits until they are
 * started again. */
static sotto_status fail_anew(const sotto_i_party_run *run, sotto_error *err) {
  if (err != NULL) *err = (sotto_error){.status = SOTTO_OK};
  return sotto_i_fail(
      err, SOTTO_PROTOCOL,
      "%s began anew, and ranks do not go back with it; it waits: start this party again with "
      "the same command",
      run->party->peers->name);
}

static sotto_status converse(const sotto_i_party_run *run, sotto_wire *wire, sotto_error *err) {
  for (;;) {
    sotto_progress common;
    sotto_status status = sotto_wire_meet(wire, &common, err);
    if (status != SOTTO_OK) return status;
    status = do_seeds(run, wire, common, err);
    if (status == SOTTO_OK) status = choose(run, wire, err);
    if (status == SOTTO_OK) status = sotto_wire_finish(wire, err);
    if (status == SOTTO_OK || !sotto_wire_anew(wire)) return status;
    if (run->party->ranks != NULL) return fail_anew(run, err);
    sotto_i_log(run->observer, SOTTO_LOG_WARNING, "%s began anew: going on from what both have",
                run->party->peers->name);
    if (err != NULL) *err = (sotto_error){.status = SOTTO_OK};
  }
}

/* Is this party told which training is kept? */
static bool asks(const sotto_i_party_run *run) {
  return sotto_i_party_of_several(run->party, run->options) ? run->options->seeds > 1 : run->choose != NULL;
}

/* Did the link fail only after this party had everything, before the other one confirmed the end? */
static bool only_courtesy(const sotto_i_party_run *run, sotto_status status) {
  sotto_progress progress;
  return status == SOTTO_PROTOCOL && found(&progress, run, NULL) == SOTTO_OK &&
         progress.seed == run->options->seeds && (!asks(run) || sotto_i_choice_known(run->options));
}

/* `name` gets the session in which the run ended, in hexadecimal digits: both folders have the same. */
static sotto_status with_wire(char name[2 * SOTTO_I_SESSION_ID + 1], const sotto_i_party_run *run,
                              sotto_progress progress, sotto_error *err) {
  uint8_t session[SOTTO_I_SESSION_ID];
  sotto_status status;
  sotto_wire *wire = NULL;
  char *terms = NULL;
  SOTTO_TRY(sotto_options_terms(&terms, run->options, err));
  if (sotto_i_party_of_several(run->party, run->options)) {
    status = sotto_i_party_mesh(run, terms, err);
    goto done;
  }
  SOTTO_TRY(sotto_i_party_wire(&wire, run->options, run->party, run->nodes, terms, progress, false,
                               run->observer, err));
  status = converse(run, wire, err);
  sotto_i_wire_session_id(wire, session);
  sotto_i_hex(name, session, sizeof session);
  const bool awaited = run->party->ranks != NULL && sotto_wire_anew(wire);
  if (status != SOTTO_OK && !awaited) sotto_wire_give_up(wire, status);
done:
  sotto_wire_free(wire);
  sotto_text_free(terms);
  return status;
}

static sotto_status take_all_over(const sotto_i_party_run *run, sotto_error *err) {
  for (uint64_t i = 0; i < run->options->seeds; i++) {
    sotto_status status = run->seed(run->context, i, NULL, true, err);
    if (status != SOTTO_OK) return status;
  }
  return asks(run) ? run->chosen(run->context, err) : SOTTO_OK;
}

/* A finished run is not continued from them. */
static void forget_checkpoints(const sotto_i_party_run *run) {
  for (uint64_t i = 0; i < run->options->seeds; i++) {
    char *folder = NULL;
    if (run->folder(run->context, &folder, i, NULL) != SOTTO_OK) return;
    sotto_i_checkpoints_forget(folder);
    sotto_i_free(folder);
  }
}

static const sotto_i_folder_file finished_file = {"finished", SOTTO_I_FOR_ANYONE,
                                                  "random: the id of the session that ended the run"};

sotto_status sotto_i_party_seeds(const sotto_i_party_run *run, sotto_error *err) {
  sotto_status status;
  sotto_progress progress;
  char *finished = NULL, name[2 * SOTTO_I_SESSION_ID + 1] = "";
  sotto_error problem = {0};
  SOTTO_TRY(sotto_i_join(&finished, run->options->out, "finished", err));
  SOTTO_TRY(found(&progress, run, err));
  if (progress.seed == run->options->seeds && sotto_i_is_file(finished)) {
    forget_checkpoints(run); /* a process may have been killed before it removed them */
    SOTTO_TRY(take_all_over(run, err));
    goto done;
  }
  status = with_wire(name, run, progress, &problem);
  if (status == SOTTO_OK) {
    status =
        sotto_i_folder_write(run->options->out, &finished_file, NULL, run->options, name, strlen(name), err);
    forget_checkpoints(run);
  } else if (only_courtesy(run, status)) {
    sotto_i_log(run->observer, SOTTO_LOG_WARNING,
                "this side is done, but %s did not say that it is: %s. If it is not, start all again",
                sotto_i_party_of_several(run->party, run->options) ? "another party"
                                                                   : run->party->peers->name,
                problem.text);
    SOTTO_TRY(take_all_over(run, err));
  } else if (err != NULL) {
    *err = problem;
  }
done:
  sotto_i_free(finished);
  return status;
}
