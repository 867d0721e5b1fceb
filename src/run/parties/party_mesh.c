/* One party's side of a run of several. All are connected to the server and agree through it: each sends its
 * state, and the server replies with what holds for all. */
#include "party_mesh.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "gathering.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "party_among.h"
#include "party_roles.h"
#include "run/files/folder_file.h"
#include "run/settings/suit.h"
#include "run/storage/checkpoints.h"
#include "run/storage/seed_file.h"

enum { most_words = 8 };

/* Merges one member's words into the common ones. `role` is for errors. */
typedef sotto_status (*joiner)(uint32_t *known, const uint32_t *said, const char *role, sotto_error *err);

/* words[count] are this party's, and become what all agree on. */
static sotto_status agree(uint32_t *words, const sotto_i_gathering *g, const char *name, size_t count,
                          joiner join, sotto_error *err) {
  uint32_t said[most_words];
  sotto_status status = SOTTO_OK;
  if (!g->server) {
    SOTTO_TRY(sotto_i_say(g->links[0], name, words, count, err));
    return sotto_i_hear(words, g->links[0], name, count, err);
  }
  for (size_t i = 0; i < g->count; i++) {
    sotto_error problem = {0};
    if (g->links[i] == NULL) continue;
    status = sotto_i_hear(said, g->links[i], name, count, &problem);
    if (status == SOTTO_OK)
      SOTTO_TRY(join(words, said, g->roles[i], err));
    else
      SOTTO_TRY(sotto_i_leave_out(g, i, status, &problem, err));
  }
  for (size_t i = 0; i < g->count; i++) {
    sotto_error problem = {0};
    if (g->links[i] == NULL) continue;
    status = sotto_i_say(g->links[i], name, words, count, &problem);
    SOTTO_TRY(sotto_i_leave_out(g, i, status, &problem, err));
  }
done:
  return status;
}

/* Facts of the data. 0 is unknown. All members that know a fact must agree. */
static sotto_status join_facts(uint32_t *known, const uint32_t *said, const char *role, sotto_error *err) {
  static const char *const names[SOTTO_I_FACTS] = {"nodes", "classes", "columns of features",
                                                   "kinds of examples (1: nodes, 2: graphs)"};
  for (size_t i = 0; i < SOTTO_I_FACTS; i++) {
    if (known[i] != 0 && said[i] != 0 && known[i] != said[i])
      return sotto_i_fail(err, SOTTO_INVALID, "%s has %u %s, and another party %u", role, (unsigned)said[i],
                          names[i], (unsigned)known[i]);
    if (known[i] == 0) known[i] = said[i];
  }
  return SOTTO_OK;
}

static sotto_status join_least(uint32_t *known, const uint32_t *said, const char *role, sotto_error *err) {
  (void)role;
  (void)err;
  if (*said < *known) *known = *said;
  return SOTTO_OK;
}

/* Only checkpoints that all have stay. */
static sotto_status join_checkpoints(uint32_t *known, const uint32_t *said, const char *role,
                                     sotto_error *err) {
  sotto_i_checkpoint_list own, theirs;
  (void)role;
  (void)err;
  memcpy(&own, known, sizeof own);
  memcpy(&theirs, said, sizeof theirs);
  sotto_i_checkpoints_join(&own, &theirs);
  memcpy(known, &own, sizeof own);
  return SOTTO_OK;
}

/* Takes the first value that is known. 0 is unknown. */
static sotto_status join_known(uint32_t *known, const uint32_t *said, const char *role, sotto_error *err) {
  (void)role;
  (void)err;
  if (*known == 0) *known = *said;
  return SOTTO_OK;
}

static sotto_status agree_on_scaling(const sotto_i_gathering *g, const sotto_i_naming *agreed,
                                     sotto_error *err) {
  const sotto_i_party_run *run = g->run;
  double *all = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_agree_on_statistics(&all, g, g->server ? NULL : run->arranged(run->context),
                                        agreed->columns, err));
  if (!g->server) status = run->suited(run->context, all, err);
done:
  sotto_i_free(all);
  return status;
}

/* Clients hold rows of one table: its columns and classes are agreed on by name, before anything else. */
static sotto_status agree_on_names(const sotto_i_gathering *g, sotto_error *err) {
  const sotto_i_party_run *run = g->run;
  sotto_i_naming own, agreed = {0};
  sotto_status status = SOTTO_OK;
  if (run->naming == NULL) return SOTTO_OK;
  SOTTO_TRY(run->naming(run->context, &own, err));
  SOTTO_TRY(sotto_i_agree_on_names(&agreed, g, g->server ? NULL : &own, err));
  SOTTO_TRY(run->named(run->context, &agreed, err));
  if (agreed.suited && sotto_i_shares_statistics(run->options)) SOTTO_TRY(agree_on_scaling(g, &agreed, err));
done:
  sotto_i_naming_free(&agreed);
  return status;
}

static sotto_status agree_on_facts(const sotto_i_gathering *g, sotto_error *err) {
  const sotto_i_party_run *run = g->run;
  sotto_i_facts own, facts;
  run->facts(run->context, &own);
  facts = own;
  sotto_status status = agree(facts.words, g, "run.facts", SOTTO_I_FACTS, join_facts, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < SOTTO_I_FACTS; i++)
    if (own.words[i] != 0 && own.words[i] != facts.words[i])
      return sotto_i_fail(err, SOTTO_PROTOCOL,
                          "what the server says of the data is not what this side knows");
  return run->learnt(run->context, &facts, err);
}

/* The seed with which all continue. It and later ones are repeated, also by parties that had begun them. */
static sotto_status agree_on_seed(sotto_i_gathering *g, sotto_error *err) {
  const sotto_options *o = g->run->options;
  uint32_t done = 0;
  sotto_status status;
  char *folder = NULL, *path = NULL;
  for (; done < o->seeds; done++) {
    SOTTO_TRY(g->run->folder(g->run->context, &folder, done, err));
    bool exists = sotto_i_seed_file_exists(folder);
    sotto_i_free(folder);
    folder = NULL;
    if (!exists) break;
  }
  SOTTO_TRY(agree(&done, g, "run.seeds", 1, join_least, err));
  g->done = done;
  for (uint64_t i = done; i < o->seeds; i++) {
    sotto_i_free(folder);
    sotto_i_free(path);
    folder = path = NULL;
    SOTTO_TRY(g->run->folder(g->run->context, &folder, i, err));
    SOTTO_TRY(sotto_i_folder_find(&path, folder, "result.json", err));
    if (sotto_i_is_file(path) && unlink(path) != 0) {
      status = sotto_i_fail(err, SOTTO_IO, "%s: could not remove it", path);
      goto done;
    }
  }
done:
  sotto_i_free(folder);
  sotto_i_free(path);
  return status;
}

/* The last checkpoint that all have of this seed, and the token of the session that begins. */
static sotto_status agree_on_checkpoint(sotto_i_seat *seat, const sotto_i_gathering *g, sotto_error *err) {
  enum { last = 2 * SOTTO_I_KEPT_CHECKPOINTS };
  uint32_t words[last + 1] = {0};
  sotto_i_checkpoint_list list = {{{0, 0}}};
  char *folder = NULL, role[SOTTO_ROLE_SIZE];
  sotto_status status;
  sotto_party_role_name(role, g->run->party);
  SOTTO_TRY(g->run->folder(g->run->context, &folder, seat->index, err));
  if (seat->index == g->done) sotto_i_checkpoints_found(&list, folder, role);
  memcpy(words, &list, sizeof list);
  if (g->server) words[last] = randombytes_random();
  SOTTO_TRY(agree(words, g, "run.points", last + 1, join_checkpoints, err));
  seat->token = words[last];
  memcpy(&list, words, sizeof list);
  seat->at = sotto_i_checkpoints_latest(&list);
  sotto_i_checkpoints_cut(folder, role, seat->at);
done:
  sotto_i_free(folder);
  return status;
}

static sotto_status do_seeds(const sotto_i_gathering *g, sotto_error *err) {
  const sotto_i_party_run *run = g->run;
  for (uint64_t i = 0; i < run->options->seeds; i++) {
    sotto_i_seat seat = {
        .role = run->party->role,
        .number = run->party->number,
        .links = g->links,
        .link_count = g->count,
        .index = i,
        .identity = run->party->insecure_loopback ? NULL : sotto_identity_folder(run->party->folder)};
    bool taken_over = i < g->done;
    sotto_status status = SOTTO_OK;
    sotto_i_progress(run->observer, "seed", i, run->options->seeds, NULL);
    if (!taken_over) status = agree_on_checkpoint(&seat, g, err);
    if (status == SOTTO_OK) status = run->seed(run->context, i, &seat, taken_over, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

/* The training whose model is kept, chosen by the party that measured. If no party has a validation example,
 * it is the first, as in one process. */
static sotto_status choose(const sotto_i_gathering *g, sotto_error *err) {
  const sotto_i_party_run *run = g->run;
  uint32_t number = 0;
  if (run->options->seeds == 1) return SOTTO_OK;
  if (run->best != NULL) number = run->best(run->context);
  sotto_status status = agree(&number, g, "run.chosen", 1, join_known, err);
  return status == SOTTO_OK ? run->keep(run->context, number == 0 ? 1 : number, err) : status;
}

static sotto_status converse(void *context, const sotto_i_among_links *links, sotto_error *err) {
  const sotto_i_party_run *run = context;
  sotto_i_gathering g = {.run = run,
                         .roles = links->roles,
                         .links = links->links,
                         .count = links->count,
                         .server = sotto_i_party_is_hub(run->party, run->options)};
  sotto_status status;
  SOTTO_TRY(agree_on_names(&g, err));
  SOTTO_TRY(agree_on_facts(&g, err));
  SOTTO_TRY(agree_on_seed(&g, err));
  SOTTO_TRY(do_seeds(&g, err));
  SOTTO_TRY(choose(&g, err));
done:
  return status;
}

sotto_status sotto_i_party_mesh(const sotto_i_party_run *run, const char *terms, sotto_error *err) {
  sotto_i_party_run own = *run;
  const sotto_i_among among = {.options = run->options,
                               .party = run->party,
                               .nodes = run->nodes,
                               .terms = terms,
                               .observer = run->observer,
                               .context = &own,
                               .converse = converse};
  return sotto_i_party_among(&among, err);
}
