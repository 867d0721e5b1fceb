/* An alignment over a network: meeting the peers, the exchange, storing the result, and the end. A peer's
 * restart repeats a part of it.
 *
 * The progress in greetings is 1 for a party that has stored its result, and else 0. A hub stores its own
 * only after all leaves have stored theirs, so no party stays without a result after the hub has one. A party
 * that enters a fresh exchange first forgets its stored result, so two parties with stored results have the
 * same order. */
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

/* Terms of an alignment. Any other terms are those of `sotto run`. */
static const char terms[] = "alignment: ristretto255 1\n";

/* The connection with one peer. `met`: a session is entered; `stored`: the lesser progress of both sides;
 * `parted`: nothing more to send. */
typedef struct connection {
  sotto_wire *wire;
  sotto_link *link;
  bool met, parted;
  uint64_t stored;
} connection;

typedef struct alignment_run {
  const sotto_align_party_options *options;
  const sotto_ids *ids;
  const sotto_observer *observer;
  bool stored;
  bool fresh; /* the result was stored by an exchange in this process */
  connection peers[SOTTO_MOST_ALIGN_PARTIES];
  sotto_i_lobby
      *lobbies[SOTTO_MOST_ALIGN_PARTIES]; /* of the first peer with its address; they stay open to the end */
} alignment_run;

/* The first peer that connects to the same address as this one. */
static size_t first_at_address(const sotto_align_party_options *o, size_t i) {
  size_t first = 0;
  while (strcmp(o->peers[first].address, o->peers[i].address) != 0) first++;
  return first;
}

static sotto_status open_wire(alignment_run *a, size_t i, sotto_error *err) {
  const sotto_align_party_options *o = a->options;
  sotto_i_lobby **lobby = &a->lobbies[first_at_address(o, i)];
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
                                   .progress = {.seed = a->stored ? 1 : 0},
                                   .observer = a->observer};
  if (o->listen && *lobby == NULL) {
    SOTTO_TRY(sotto_i_lobby_open(lobby, &wire, err));
    SOTTO_TRY(sotto_i_lobby_start(*lobby, err));
  }
  SOTTO_TRY(sotto_i_wire_open(&a->peers[i].wire, &wire, o->listen ? *lobby : NULL, NULL, 0, err));
done:
  return status;
}

/* Closes the connection without a message. A peer that does not know of the end waits for this party to
 * return. */
static void close_connection(connection *c) {
  sotto_link_free(c->link);
  sotto_wire_free(c->wire);
  *c = (connection){.wire = NULL};
}

/* Enters the present session with the peer. */
static sotto_status meet_peer(alignment_run *a, size_t i, sotto_error *err) {
  connection *c = &a->peers[i];
  sotto_progress common = {0, 0};
  sotto_status status = SOTTO_OK;
  sotto_link_free(c->link);
  c->link = NULL;
  if (c->wire == NULL) SOTTO_TRY(open_wire(a, i, err));
  SOTTO_TRY(sotto_wire_meet(c->wire, &common, err));
  SOTTO_TRY(sotto_wire_link(c->wire, &c->link, err));
  sotto_i_link_watch(c->link, a->observer);
  c->met = true;
  c->stored = common.seed;
done:
  return status;
}

/* Name of the peer whose restart caused the last failure; NULL: another cause. */
static const char *restarted_peer(const alignment_run *a) {
  for (size_t i = 0; i < a->options->peer_count; i++)
    if (a->peers[i].wire != NULL && sotto_wire_anew(a->peers[i].wire)) return a->options->peers[i].name;
  return NULL;
}

static const char stored_name[] = "align.kept";

static sotto_status send_stored(alignment_run *a, sotto_error *err) {
  static const uint32_t one = 1;
  const sotto_words words = {stored_name, SOTTO_WIRE_PUBLIC, NULL, &one, 1, 1};
  return sotto_link_send_words(a->peers[0].link, &words, err);
}

static sotto_status receive_stored(alignment_run *a, sotto_error *err) {
  static const sotto_expectation expected = {stored_name, SOTTO_WIRE_PUBLIC, 1, 1, 0};
  for (size_t i = 0; i < a->options->peer_count; i++) {
    uint32_t word;
    sotto_status status = sotto_link_receive_words(a->peers[i].link, &word, &expected, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

/* The exchange, until this party has stored its result; a hub does so after all leaves. */
static sotto_status exchange(alignment_run *a, sotto_error *err) {
  const sotto_align_party_options *o = a->options;
  sotto_alignment alignment = {.rows = NULL};
  sotto_link *links[SOTTO_MOST_ALIGN_PARTIES];
  sotto_status status;
  for (size_t i = 0; i < o->peer_count; i++) links[i] = a->peers[i].link;
  SOTTO_TRY(o->begin(o->context, err));
  if (o->hub) {
    SOTTO_TRY(sotto_i_align_hub(&alignment, links, o->peer_count, a->ids, a->observer, err));
    SOTTO_TRY(receive_stored(a, err));
  } else {
    SOTTO_TRY(sotto_i_align_leaf(&alignment, links[0], a->ids, a->observer, err));
  }
  SOTTO_TRY(o->keep(o->context, &alignment, err));
  a->stored = a->fresh = true;
  for (size_t i = 0; i < o->peer_count; i++) {
    sotto_wire_reached(a->peers[i].wire, (sotto_progress){.seed = 1});
    a->peers[i].stored = 1;
  }
  if (!o->hub) status = send_stored(a, err);
done:
  sotto_alignment_free(&alignment);
  return status;
}

/* Ends the connection; nothing more is sent to the peer. */
static void end_connection(connection *c) {
  close_connection(c);
  *c = (connection){.met = true, .parted = true, .stored = 1};
}

/* May this party end without the peer's confirmation? All leaves of a hub with a stored result have stored
 * theirs. A leaf cannot know its hub's state. But a leaf that was restarted after storing its result is most
 * likely late. */
static bool may_end_unconfirmed(const alignment_run *a, sotto_status status) {
  return status == SOTTO_PROTOCOL && a->stored && (a->options->hub || !a->fresh);
}

static void end_unconfirmed(alignment_run *a, size_t i, sotto_error *err) {
  sotto_i_log(
      a->observer, SOTTO_LOG_WARNING,
      "this side has stored its result, but %s did not confirm its own: %s. If it has none, start all "
      "parties again, each with another folder",
      a->options->peers[i].name, err->text);
  *err = (sotto_error){.status = SOTTO_OK};
  end_connection(&a->peers[i]);
}

/* Meets all peers that are not met yet. */
static sotto_status meet_all(alignment_run *a, sotto_error *err) {
  for (size_t i = 0; i < a->options->peer_count; i++) {
    if (a->peers[i].met) continue;
    sotto_status status = meet_peer(a, i, err);
    if (may_end_unconfirmed(a, status))
      end_unconfirmed(a, i, err);
    else if (status != SOTTO_OK)
      return status;
  }
  return SOTTO_OK;
}

/* Not all parties have stored their results, so no stored result counts. Those peers that have one begin a
 * new session. */
static void forget_results(alignment_run *a) {
  a->stored = false;
  for (size_t i = 0; i < a->options->peer_count; i++) {
    connection *c = &a->peers[i];
    if (c->stored == 1)
      close_connection(c);
    else
      sotto_wire_reached(c->wire, (sotto_progress){.seed = 0});
  }
}

static sotto_status end_all(alignment_run *a, sotto_error *err) {
  for (size_t i = 0; i < a->options->peer_count; i++) {
    connection *c = &a->peers[i];
    if (c->parted) continue;
    sotto_status status = sotto_wire_finish(c->wire, err);
    if (status == SOTTO_OK)
      end_connection(c);
    else if (may_end_unconfirmed(a, status) && !sotto_wire_anew(c->wire))
      end_unconfirmed(a, i, err);
    else if (status != SOTTO_OK)
      return status;
  }
  return SOTTO_OK;
}

/* Meets the peers, and does the outstanding steps; *again: a part must be repeated. */
static sotto_status run_steps(alignment_run *a, bool *again, sotto_error *err) {
  size_t missing = 0;
  sotto_status status = meet_all(a, err);
  *again = false;
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < a->options->peer_count; i++) missing += a->peers[i].stored == 0;
  *again = missing > 0 && a->stored;
  if (*again) {
    forget_results(a);
    return SOTTO_OK;
  }
  if (missing > 0) status = exchange(a, err);
  return status == SOTTO_OK ? end_all(a, err) : status;
}

/* Prepares for meeting a restarted peer. A hub that was in an exchange also ends its connections with the
 * other peers, which begin a new session; a leaf has no other peers. */
static void prepare_restart(alignment_run *a) {
  for (size_t i = 0; i < a->options->peer_count; i++) {
    connection *c = &a->peers[i];
    if (c->wire == NULL || c->parted) continue;
    if (sotto_wire_anew(c->wire))
      c->met = false;
    else if (!a->stored && c->met)
      close_connection(c);
  }
}

static sotto_status check_options(const sotto_align_party_options *o, sotto_error *err) {
  size_t most = o->hub ? SOTTO_MOST_ALIGN_PARTIES - 1 : 1;
  if (o->peer_count < 1 || o->peer_count > most)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu peers; a hub has 1 to %d leaves, and a leaf one hub",
                        o->peer_count, SOTTO_MOST_ALIGN_PARTIES - 1);
  for (size_t i = 0; o->listen && o->insecure_loopback && i < o->peer_count; i++)
    if (first_at_address(o, i) != i)
      return sotto_i_fail(err, SOTTO_INVALID,
                          "%s: without TLS nothing identifies a leaf, so each needs an address of its own",
                          o->peers[i].address);
  return SOTTO_OK;
}

static sotto_status run_alignment(alignment_run *a, sotto_error *err) {
  for (;;) {
    bool again = false;
    sotto_error problem = {0};
    sotto_status status = run_steps(a, &again, &problem);
    const char *who = status == SOTTO_OK ? NULL : restarted_peer(a);
    if (status == SOTTO_OK && !again) return SOTTO_OK;
    if (status != SOTTO_OK && who == NULL) {
      if (err != NULL) *err = problem;
      return status;
    }
    if (who != NULL) {
      sotto_i_log(a->observer, SOTTO_LOG_WARNING, "%s restarted: resuming from the results that all have",
                  who);
      prepare_restart(a);
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
  alignment_run a = {.options = options, .ids = ids, .observer = &guarded, .stored = options->kept};
  status = run_alignment(&a, err);
  for (size_t i = 0; i < options->peer_count; i++) {
    if (status != SOTTO_OK && a.peers[i].wire != NULL) sotto_wire_give_up(a.peers[i].wire, status);
    close_connection(&a.peers[i]);
  }
  for (size_t i = 0; i < options->peer_count; i++) sotto_i_lobby_free(a.lobbies[i]);
  sotto_i_guard_end(&guard);
  return status;
}
