/* An alignment over a network: meeting, the exchange, keeping the result, parting; and again when another
 * party began anew.
 *
 * The progress that greetings compare is 1 for a party that has kept its result, and else 0. A hub keeps its
 * own only when all leaves have kept theirs, so a hub that has kept leaves nobody without a result; and
 * whoever enters a fresh exchange first forgets what it had kept, so two parties that have kept hold the same
 * order. */
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "party/wire/lobby.h"
#include "party/wire/wire.h"
#include "psi.h"

/* What both sides agree on; another line than this, or more of them, are those of `sotto party`. */
static const char terms[] = "alignment: ristretto255 1\n";

/* With one other party: `met` in a session; `kept` of both sides, the lesser; `parted`: nothing more to say.
 */
typedef struct conversation {
  sotto_wire *wire;
  sotto_link *link;
  bool met, parted;
  uint64_t kept;
} conversation;

typedef struct assembly {
  const sotto_align_party_options *options;
  const sotto_ids *ids;
  const sotto_observer *observer;
  bool kept;
  bool fresh; /* what is kept comes of an exchange in this process */
  conversation peers[SOTTO_MOST_ALIGN_PARTIES];
  sotto_i_lobby *lobbies[SOTTO_MOST_ALIGN_PARTIES]; /* of the first peer with its address; stand to the end */
} assembly;

/* The first peer that comes to the address of this one. */
static size_t first_there(const sotto_align_party_options *o, size_t i) {
  size_t first = 0;
  while (strcmp(o->peers[first].address, o->peers[i].address) != 0) first++;
  return first;
}

static sotto_status open_wire(assembly *a, size_t i, sotto_error *err) {
  const sotto_align_party_options *o = a->options;
  sotto_i_lobby **lobby = &a->lobbies[first_there(o, i)];
  sotto_status status = SOTTO_OK;
  const sotto_wire_options wire = {.folder = o->folder,
                                   .peer = o->peers[i].name,
                                   .address = o->peers[i].address,
                                   .listen = o->listen,
                                   .proxy = o->proxy,
                                   .insecure_loopback = o->insecure_loopback,
                                   .connect_limit = o->connect_limit,
                                   .idle_limit = o->idle_limit,
                                   .grace = o->grace,
                                   .role = o->hub ? "hub" : "leaf",
                                   .terms = terms,
                                   .progress = {.seed = a->kept ? 1 : 0},
                                   .observer = a->observer};
  if (o->listen && *lobby == NULL) {
    SOTTO_TRY(sotto_i_lobby_open(lobby, &wire, err));
    SOTTO_TRY(sotto_i_lobby_start(*lobby, err));
  }
  SOTTO_TRY(sotto_i_wire_open(&a->peers[i].wire, &wire, o->listen ? *lobby : NULL, NULL, 0, err));
done:
  return status;
}

/* Hangs up without a word: a peer that does not know that all is over waits for this party to come back. */
static void hang_up(conversation *c) {
  sotto_link_free(c->link);
  sotto_wire_free(c->wire);
  *c = (conversation){.wire = NULL};
}

/* Meets the peer in its present session. */
static sotto_status meet(assembly *a, size_t i, sotto_error *err) {
  conversation *c = &a->peers[i];
  sotto_progress common = {0, 0};
  sotto_status status = SOTTO_OK;
  sotto_link_free(c->link);
  c->link = NULL;
  if (c->wire == NULL) SOTTO_TRY(open_wire(a, i, err));
  SOTTO_TRY(sotto_wire_meet(c->wire, &common, err));
  SOTTO_TRY(sotto_wire_link(c->wire, &c->link, err));
  sotto_i_link_watch(c->link, a->observer);
  c->met = true;
  c->kept = common.seed;
done:
  return status;
}

/* Which peer's program began anew, if that is what the last failure was; NULL: it was not. */
static const char *begun_anew(const assembly *a) {
  for (size_t i = 0; i < a->options->peer_count; i++)
    if (a->peers[i].wire != NULL && sotto_wire_anew(a->peers[i].wire)) return a->options->peers[i].name;
  return NULL;
}

static const char kept_name[] = "align.kept";

static sotto_status say_kept(assembly *a, sotto_error *err) {
  static const uint32_t one = 1;
  const sotto_words words = {kept_name, SOTTO_WIRE_PUBLIC, NULL, &one, 1, 1};
  return sotto_link_send_words(a->peers[0].link, &words, err);
}

static sotto_status hear_kept(assembly *a, sotto_error *err) {
  static const sotto_expectation expected = {kept_name, SOTTO_WIRE_PUBLIC, 1, 1, 0};
  for (size_t i = 0; i < a->options->peer_count; i++) {
    uint32_t word;
    sotto_status status = sotto_link_receive_words(a->peers[i].link, &word, &expected, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

/* The exchange, to where this party's result is kept; a hub's after all leaves'. */
static sotto_status exchange(assembly *a, sotto_error *err) {
  const sotto_align_party_options *o = a->options;
  sotto_alignment alignment = {.rows = NULL};
  sotto_link *links[SOTTO_MOST_ALIGN_PARTIES];
  sotto_status status;
  for (size_t i = 0; i < o->peer_count; i++) links[i] = a->peers[i].link;
  SOTTO_TRY(o->begin(o->context, err));
  if (o->hub) {
    SOTTO_TRY(sotto_i_align_hub(&alignment, links, o->peer_count, a->ids, a->observer, err));
    SOTTO_TRY(hear_kept(a, err));
  } else {
    SOTTO_TRY(sotto_i_align_leaf(&alignment, links[0], a->ids, a->observer, err));
  }
  SOTTO_TRY(o->keep(o->context, &alignment, err));
  a->kept = a->fresh = true;
  for (size_t i = 0; i < o->peer_count; i++) {
    sotto_wire_reached(a->peers[i].wire, (sotto_progress){.seed = 1});
    a->peers[i].kept = 1;
  }
  if (!o->hub) status = say_kept(a, err);
done:
  sotto_alignment_free(&alignment);
  return status;
}

/* Nothing more is to be said to the peer. */
static void leave(conversation *c) {
  hang_up(c);
  *c = (conversation){.met = true, .parted = true, .kept = 1};
}

/* Is it no more than a lack of courtesy when the peer does not come, or does not part? All leaves of a hub
 * that has kept have kept too. A leaf cannot know that of its hub; but one that was started again after it
 * had kept most likely comes late. */
static bool only_courtesy(const assembly *a, sotto_status status) {
  return status == SOTTO_PROTOCOL && a->kept && (a->options->hub || !a->fresh);
}

static void part_without_word(assembly *a, size_t i, sotto_error *err) {
  sotto_i_log(a->observer, SOTTO_LOG_WARNING,
              "this side has kept its result, but %s did not say that it has: %s. If it has not, start all "
              "parties again, each with another folder",
              a->options->peers[i].name, err->text);
  *err = (sotto_error){.status = SOTTO_OK};
  leave(&a->peers[i]);
}

/* Meets whoever is not met. */
static sotto_status gather(assembly *a, sotto_error *err) {
  for (size_t i = 0; i < a->options->peer_count; i++) {
    if (a->peers[i].met) continue;
    sotto_status status = meet(a, i, err);
    if (only_courtesy(a, status))
      part_without_word(a, i, err);
    else if (status != SOTTO_OK)
      return status;
  }
  return SOTTO_OK;
}

/* Not all have kept: nothing that was kept counts. Those that think so begin a new session. */
static void forget(assembly *a) {
  a->kept = false;
  for (size_t i = 0; i < a->options->peer_count; i++) {
    conversation *c = &a->peers[i];
    if (c->kept == 1)
      hang_up(c);
    else
      sotto_wire_reached(c->wire, (sotto_progress){.seed = 0});
  }
}

static sotto_status part_all(assembly *a, sotto_error *err) {
  for (size_t i = 0; i < a->options->peer_count; i++) {
    conversation *c = &a->peers[i];
    if (c->parted) continue;
    sotto_status status = sotto_wire_finish(c->wire, err);
    if (status == SOTTO_OK)
      leave(c);
    else if (only_courtesy(a, status) && !sotto_wire_anew(c->wire))
      part_without_word(a, i, err);
    else if (status != SOTTO_OK)
      return status;
  }
  return SOTTO_OK;
}

/* Meets, and does what is left to do; *again: part of it is to be done once more. */
static sotto_status go_on(assembly *a, bool *again, sotto_error *err) {
  size_t bare = 0;
  sotto_status status = gather(a, err);
  *again = false;
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < a->options->peer_count; i++) bare += a->peers[i].kept == 0;
  *again = bare > 0 && a->kept;
  if (*again) {
    forget(a);
    return SOTTO_OK;
  }
  if (bare > 0) status = exchange(a, err);
  return status == SOTTO_OK ? part_all(a, err) : status;
}

/* A peer began anew, and is to be met again. A hub that was in an exchange has begun it with others too, who
 * learn of it by a new session; a leaf has nobody else. */
static void prepare_again(assembly *a) {
  for (size_t i = 0; i < a->options->peer_count; i++) {
    conversation *c = &a->peers[i];
    if (c->wire == NULL || c->parted) continue;
    if (sotto_wire_anew(c->wire))
      c->met = false;
    else if (!a->kept && c->met)
      hang_up(c);
  }
}

static sotto_status check_options(const sotto_align_party_options *o, sotto_error *err) {
  size_t most = o->hub ? SOTTO_MOST_ALIGN_PARTIES - 1 : 1;
  if (o->peer_count < 1 || o->peer_count > most)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu peers; a hub has 1 to %d leaves, and a leaf one hub",
                        o->peer_count, SOTTO_MOST_ALIGN_PARTIES - 1);
  for (size_t i = 0; o->listen && o->insecure_loopback && i < o->peer_count; i++)
    if (first_there(o, i) != i)
      return sotto_i_fail(
          err, SOTTO_INVALID,
          "%s: without TLS nothing says which leaf comes, so each needs an address of its own",
          o->peers[i].address);
  return SOTTO_OK;
}

static sotto_status assemble(assembly *a, sotto_error *err) {
  for (;;) {
    bool again = false;
    sotto_error problem = {0};
    sotto_status status = go_on(a, &again, &problem);
    const char *who = status == SOTTO_OK ? NULL : begun_anew(a);
    if (status == SOTTO_OK && !again) return SOTTO_OK;
    if (status != SOTTO_OK && who == NULL) {
      if (err != NULL) *err = problem;
      return status;
    }
    if (who != NULL) {
      sotto_i_log(a->observer, SOTTO_LOG_WARNING, "%s began anew: going on from what all have kept", who);
      prepare_again(a);
    }
  }
}

sotto_status sotto_align_party(const sotto_align_party_options *options, const sotto_ids *ids,
                               const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_i_guard guard;
  sotto_status status = check_options(options, err);
  if (status != SOTTO_OK) return status;
  const sotto_observer guarded = sotto_i_guard_begin(&guard, observer);
  assembly a = {.options = options, .ids = ids, .observer = &guarded, .kept = options->kept};
  status = assemble(&a, err);
  for (size_t i = 0; i < options->peer_count; i++) {
    if (status != SOTTO_OK && a.peers[i].wire != NULL) sotto_wire_give_up(a.peers[i].wire, status);
    hang_up(&a.peers[i]);
  }
  for (size_t i = 0; i < options->peer_count; i++) sotto_i_lobby_free(a.lobbies[i]);
  sotto_i_guard_end(&guard);
  return status;
}
