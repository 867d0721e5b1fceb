/* The lobby: a thread that accepts connections, identifies their peers, and hands them over to wires.
 *
 * With TLS the certificate identifies the peer: it is checked against each wire's anchor and name. Without
 * TLS, which is for one machine alone, a single wire gets all connections. With several wires the role in the
 * Hello identifies the peer.
 *
 * Locking rule: `lock` guards the list of wires, which enter and leave at any time. A wire's own lock may be
 * taken under it, never the other way round. All other members belong to the thread once it has started. */
#include "lobby.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "door.h"
#include "inside/party.h"
#include "tls.h"
#include "wire.h"

/* `places`: 1 to SOTTO_I_MOST_KNOCKS. */
static void door_init(sotto_i_door *door, int listener, bool tls, double limit, size_t places) {
  *door = (sotto_i_door){.listener = listener, .tls = tls, .limit = limit, .starts = SOTTO_I_STARTS_AT_ONCE};
  door->crowd.size = places;
  door->counted = sotto_i_seconds();
}

static void reject_knock(sotto_i_door *door, size_t place, const char *why) {
  sotto_i_knock *knock = &door->knocks[place];
  if (why != NULL) door->refused(door->context, knock->with, why);
  sotto_i_address_reject(knock->fd);
  sotto_i_crowd_leave(&door->crowd, place);
}

/* The socket becomes readable only when so many bytes have arrived, so the knock is not inspected for each
 * byte. */
static void await_bytes(const sotto_i_knock *knock, int bytes) {
  (void)setsockopt(knock->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

/* Inspects a knock whose socket has events. */
static void door_look(sotto_i_door *door, size_t place) {
  sotto_i_knock *knock = &door->knocks[place];
  uint8_t first[SOTTO_I_FIRST_BYTES];
  int there = 0;
  ssize_t count = recv(knock->fd, first, sizeof first, MSG_PEEK | MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    reject_knock(door, place, "it hung up before it had said anything");
    return;
  }
  int needs = door->tls ? sotto_i_tls_first_flight(first, (size_t)count) : 1;
  if (needs < 0) {
    reject_knock(door, place, "its first bytes are not TLS");
    return;
  }
  if (ioctl(knock->fd, FIONREAD, &there) != 0) there = (int)count;
  if (needs > 0 && there >= needs)
    door->crowd.places[place].ready = true;
  else
    await_bytes(knock, needs > 0 ? needs : SOTTO_I_FIRST_BYTES);
}

/* Accepts pending connections, at most a table full. */
static void door_admit(sotto_i_door *door) {
  for (int n = 0; n < SOTTO_I_MOST_KNOCKS; n++) { /* the rest wait in the kernel */
    sotto_i_knock knock = {.came = sotto_i_seconds()};
    knock.fd = sotto_i_address_accept(door->listener, knock.with, &knock.source);
    bool full = knock.fd < 0 && (errno == EMFILE || errno == ENFILE);
    if (knock.fd < 0 && !full) return;
    size_t victim = sotto_i_crowd_victim(&door->crowd, full);
    if (victim != SOTTO_I_NO_PLACE)
      reject_knock(door, victim, "too many connections that did not greet, most of them from there");
    if (full) { /* out of descriptors: do not retry at once */
      (void)poll(NULL, 0, 1);
      return;
    }
    size_t place = sotto_i_crowd_enter(&door->crowd, &knock.source);
    door->knocks[place] = knock;
    if (door->tls) await_bytes(&door->knocks[place], SOTTO_I_FIRST_BYTES);
    door_look(door, place);
  }
}

/* Adds the sockets to wait for, at most SOTTO_I_MOST_KNOCKS, and their owners; returns their number. */
static size_t door_collect(const sotto_i_door *door, struct pollfd *sockets, size_t *owners) {
  size_t count = 0;
  for (size_t i = 0; i < door->crowd.size; i++) {
    if (!door->crowd.places[i].taken || door->crowd.places[i].ready) continue;
    owners[count] = i;
    sockets[count++] = (struct pollfd){.fd = door->knocks[i].fd, .events = POLLIN};
  }
  return count;
}

/* Rejects knocks whose time is over. */
static void door_sweep(sotto_i_door *door, double now) {
  for (size_t i = 0; i < door->crowd.size; i++)
    if (door->crowd.places[i].taken && !door->crowd.places[i].ready &&
        now - door->knocks[i].came > door->limit)
      reject_knock(door, i, "the limit of an attempt struck: its first flight took a quarter of it");
}

/* The next knock for TLS, owned by the caller. False: none, or not yet. */
static bool door_next(sotto_i_door *door, double now, sotto_i_knock *out) {
  const int any = 1;
  door->starts += (now - door->counted) * SOTTO_I_STARTS;
  if (door->starts > SOTTO_I_STARTS_AT_ONCE) door->starts = SOTTO_I_STARTS_AT_ONCE;
  door->counted = now;
  if (door->starts < 1) return false;
  size_t place = sotto_i_crowd_serve(&door->crowd);
  if (place == SOTTO_I_NO_PLACE) return false;
  door->starts -= 1;
  *out = door->knocks[place];
  (void)setsockopt(out->fd, SOL_SOCKET, SO_RCVLOWAT, &any, sizeof any);
  sotto_i_crowd_leave(&door->crowd, place);
  return true;
}

static bool door_waits(const sotto_i_door *door) {
  for (size_t i = 0; i < door->crowd.size; i++)
    if (door->crowd.places[i].taken && door->crowd.places[i].ready) return true;
  return false;
}

/* Is a ready knock waiting for its start? */
static void door_close(sotto_i_door *door) {
  for (size_t i = 0; i < door->crowd.size; i++)
    if (door->crowd.places[i].taken) reject_knock(door, i, NULL);
}

enum {
  most_shaking = 128, /* connections in a handshake */
  most_sockets = SOTTO_I_MOST_KNOCKS + most_shaking + 2,
  most_address = 300,
};

struct sotto_i_lobby {
  int listener, wake;
  SSL_CTX *context; /* NULL: no TLS */
  bool insecure;
  double connect_limit;
  char address[most_address];
  const sotto_observer *observer;
  pthread_mutex_t lock;
  sotto_wire *wires; /* by `next` */
  _Atomic bool quit;
  pthread_t thread;
  bool started;
  /* members of the thread */
  sotto_i_door door;
  sotto_i_crowd crowd; /* of the guests */
  sotto_i_conn *guests[most_shaking];
  sotto_i_origin sources[most_shaking];
  char names[most_shaking][SOTTO_I_NAME_SIZE]; /* of their peers, once known */
  uint64_t refused;
};

static void give_guest(sotto_wire *wire, sotto_i_conn *guest) {
  sotto_i_conn *none = NULL, **place = &none;
  pthread_mutex_lock(&wire->session.lock);
  for (size_t i = 0; i < SOTTO_I_MOST_GUESTS && place == &none; i++)
    if (wire->arrived[i] == NULL) place = &wire->arrived[i];
  *place = guest;
  pthread_mutex_unlock(&wire->session.lock);
  if (none != NULL) sotto_i_conn_free(none); /* the peer connects again */
  sotto_i_session_wake(&wire->session);
}

/* Is there a single wire? `name` (may be NULL) gets its peer's name, or else the address. */
static bool is_single_wire(sotto_i_lobby *l, char name[most_address]) {
  pthread_mutex_lock(&l->lock);
  bool one = l->wires != NULL && l->wires->next == NULL;
  if (name != NULL) (void)snprintf(name, most_address, "%s", one ? l->wires->options.peer : l->address);
  pthread_mutex_unlock(&l->lock);
  return one;
}

/* Verification errors that only mean that the certificate is another party's. */
static bool is_other_party(int verified) {
  return verified == X509_V_OK || verified == X509_V_ERR_CERT_UNTRUSTED ||
         verified == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY ||
         verified == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE;
}

/* Called by OpenSSL in a handshake: finds the wire whose peer has this certificate. */
static int find_peer(X509_STORE_CTX *shown, void *context) {
  sotto_i_lobby *l = context;
  const SSL *ssl = X509_STORE_CTX_get_ex_data(shown, SSL_get_ex_data_X509_STORE_CTX_idx());
  char *name = SSL_get_app_data(ssl);
  int problem = X509_V_ERR_CERT_UNTRUSTED;
  bool first = true;
  pthread_mutex_lock(&l->lock);
  for (const sotto_wire *wire = l->wires; wire != NULL; wire = wire->next, first = false) {
    int verified = sotto_i_trusted_judge(wire->trusted, shown, true);
    if (verified != X509_V_OK) {
      if (first || is_other_party(problem)) problem = verified;
      continue;
    }
    (void)snprintf(name, SOTTO_I_NAME_SIZE, "%s", wire->options.peer);
    problem = X509_V_OK;
    break;
  }
  pthread_mutex_unlock(&l->lock);
  X509_STORE_CTX_set_error(shown, problem);
  return problem == X509_V_OK;
}

static void note_refusal(sotto_i_lobby *l, const char *with, const char *why, sotto_trouble trouble) {
  char name[most_address];
  (void)is_single_wire(l, name);
  if (sotto_i_refusal_logged(&l->refused))
    sotto_i_log(l->observer, SOTTO_LOG_WARNING, "%s: refused a connection from %s: %s", name, with, why);
  pthread_mutex_lock(&l->lock);
  for (sotto_wire *wire = l->wires; wire != NULL; wire = wire->next) sotto_i_wire_problem(wire, why, trouble);
  pthread_mutex_unlock(&l->lock);
}

static void note_knock(void *context, const char *with, const char *why) {
  note_refusal(context, with, why, SOTTO_TROUBLE_STRANGER);
}

/* Frees the place; the connection is the caller's. */
static sotto_i_conn *take_out(sotto_i_lobby *l, size_t i) {
  sotto_i_conn *guest = l->guests[i];
  l->guests[i] = NULL;
  sotto_i_crowd_leave(&l->crowd, i);
  return guest;
}

static void drop_guest(sotto_i_lobby *l, size_t i, const char *why) {
  sotto_i_conn *guest = take_out(l, i);
  if (why != NULL) note_refusal(l, guest->with, why, guest->trouble);
  sotto_i_conn_free(guest);
}

/* Hands a guest to the wire of this peer, or, without a name, to the only wire. */
static void hand_over(sotto_i_lobby *l, size_t i, const char *name) {
  pthread_mutex_lock(&l->lock);
  sotto_wire *wire = l->wires;
  while (wire != NULL && name != NULL && strcmp(wire->options.peer, name) != 0) wire = wire->next;
  const bool found = wire != NULL;
  if (found) {
    sotto_i_conn *guest = take_out(l, i);
    if (guest->ssl != NULL) {
      SSL_set_app_data(guest->ssl, NULL);
      sotto_i_crowd_know(&l->crowd, &l->sources[i]);
      sotto_i_crowd_know(&l->door.crowd, &l->sources[i]);
    }
    give_guest(wire, guest);
  }
  pthread_mutex_unlock(&l->lock);
  if (!found) drop_guest(l, i, "no party of its name takes part, or not now");
}

/* Without TLS and with several wires: the first frame must be a Hello, whose role identifies the peer. */
static sotto_i_step name_by_role(sotto_i_lobby *l, size_t i, sotto_error *err) {
  sotto_i_conn *guest = l->guests[i];
  sotto_i_frame frame;
  sotto_i_step step = sotto_i_conn_read(guest, err);
  if (step != SOTTO_I_MOVED) return step;
  if (sotto_i_frame_decode(&frame, guest->cutter.body, guest->cutter.body_size, err) != SOTTO_OK)
    return SOTTO_I_BROKEN;
  if (frame.kind != SOTTO_I_FRAME_HELLO) {
    (void)sotto_i_fail(err, SOTTO_PROTOCOL, "a %s may not come before the greeting",
                       sotto_i_frame_rule_of(frame.kind)->name);
    sotto_i_frame_clear(&frame);
    return SOTTO_I_BROKEN;
  }
  (void)snprintf(l->names[i], SOTTO_I_NAME_SIZE, "%s", frame.hello.role);
  guest->came = true;
  sotto_i_frame_clear(&frame);
  return SOTTO_I_MOVED;
}

static void serve_guest(sotto_i_lobby *l, size_t i, short events) {
  sotto_i_conn *guest = l->guests[i];
  sotto_error problem = {0};
  sotto_i_step step = SOTTO_I_MOVED;
  if (sotto_i_seconds() > guest->deadline) {
    guest->trouble = sotto_i_conn_late(guest);
    drop_guest(l, i, "the limit of an attempt struck before it had greeted");
    return;
  }
  if (events == 0) return;
  if (guest->state != SOTTO_I_CONN_GREETING) step = sotto_i_conn_advance(guest, &problem);
  bool several = l->insecure && !is_single_wire(l, NULL);
  if (step == SOTTO_I_MOVED && several) step = name_by_role(l, i, &problem);
  if (step == SOTTO_I_BROKEN)
    drop_guest(l, i, problem.text);
  else if (step == SOTTO_I_MOVED)
    hand_over(l, i, l->insecure && !several ? NULL : l->names[i]);
}

static void begin_tls(sotto_i_lobby *l, const sotto_i_knock *knock) {
  sotto_error problem = {0};
  sotto_i_conn *guest;
  size_t i = sotto_i_crowd_victim(&l->crowd, false);
  if (i != SOTTO_I_NO_PLACE)
    drop_guest(l, i, "too many connections that did not greet, most of them from there");
  if (sotto_i_conn_new(&guest, knock->fd, l->context, true, false, knock->with, &problem) != SOTTO_OK) {
    sotto_i_log(l->observer, SOTTO_LOG_WARNING, "%s: %s", l->address, problem.text);
    return;
  }
  i = sotto_i_crowd_enter(&l->crowd, &knock->source);
  guest->deadline = knock->came + l->connect_limit;
  l->guests[i] = guest;
  l->sources[i] = knock->source;
  l->names[i][0] = '\0';
  if (guest->ssl != NULL) SSL_set_app_data(guest->ssl, l->names[i]);
  serve_guest(l, i, POLLIN);
}

/* One round: guests, then the door, then the knocks whose turn has come. */
static void serve(sotto_i_lobby *l) {
  struct pollfd sockets[most_sockets] = {{.fd = l->wake, .events = POLLIN},
                                         {.fd = l->listener, .events = POLLIN}};
  size_t owners[most_sockets] = {0};
  nfds_t count = 2;
  sotto_i_knock knock;
  for (size_t i = 0; i < most_shaking; i++) {
    if (l->guests[i] == NULL) continue;
    owners[count] = i;
    sockets[count++] =
        (struct pollfd){.fd = l->guests[i]->fd, .events = sotto_i_conn_events(l->guests[i], false)};
  }
  const nfds_t guests = count;
  count += door_collect(&l->door, sockets + count, owners + count);
  if (poll(sockets, count, door_waits(&l->door) ? 2 : 100) < 0) return;
  for (nfds_t i = 2; i < guests; i++) serve_guest(l, owners[i], sockets[i].revents);
  for (nfds_t i = guests; i < count; i++)
    if (sockets[i].revents != 0) door_look(&l->door, owners[i]);
  door_sweep(&l->door, sotto_i_seconds());
  if (sockets[1].revents != 0) door_admit(&l->door);
  for (int n = 0; n < SOTTO_I_STARTS_AT_ONCE && door_next(&l->door, sotto_i_seconds(), &knock); n++)
    begin_tls(l, &knock);
}

static void *lobby_main(void *context) {
  sotto_i_lobby *l = context;
  sigset_t all;
  sigfillset(&all);
  (void)pthread_sigmask(SIG_BLOCK, &all, NULL);
  while (!atomic_load(&l->quit)) serve(l);
  for (size_t i = 0; i < most_shaking; i++)
    if (l->guests[i] != NULL) drop_guest(l, i, NULL);
  door_close(&l->door);
  return NULL;
}

/* Number of places: a share 1 / `part` of the descriptors of this process, and at most `most`. */
static size_t place_count(size_t most, size_t part) {
  struct rlimit files = {0, 0};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur / part >= most) return most;
  return files.rlim_cur / part > 0 ? (size_t)(files.rlim_cur / part) : 1;
}

sotto_status sotto_i_lobby_open(sotto_i_lobby **out, const sotto_wire_options *o, sotto_error *err) {
  sotto_i_lobby *l;
  *out = NULL;
  sotto_status status = sotto_i_new(&l, 1, sizeof *l, err);
  if (status != SOTTO_OK) return status;
  l->listener = -1;
  pthread_mutex_init(&l->lock, NULL);
  l->insecure = o->insecure_loopback;
  l->connect_limit = o->connect_limit;
  l->observer = o->observer;
  (void)snprintf(l->address, sizeof l->address, "%s", o->address);
  l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (l->wake < 0) {
    status = sotto_i_fail(err, SOTTO_NOMEM, "the system refused an event descriptor");
    goto done;
  }
  SOTTO_TRY(sotto_i_address_check(o->address, o->insecure_loopback, err));
  if (!l->insecure) SOTTO_TRY(sotto_i_tls_lobby(&l->context, o->folder, find_peer, l, err));
  SOTTO_TRY(sotto_i_address_listen(&l->listener, o->address, o->insecure_loopback, err));
  door_init(&l->door, l->listener, !l->insecure, l->connect_limit / 4, place_count(SOTTO_I_MOST_KNOCKS, 4));
  l->door.refused = note_knock;
  l->door.context = l;
  l->crowd.size = place_count(most_shaking, 8);
done:
  if (status == SOTTO_OK)
    *out = l;
  else
    sotto_i_lobby_free(l);
  return status;
}

void sotto_i_lobby_enter(sotto_i_lobby *l, sotto_wire *wire) {
  pthread_mutex_lock(&l->lock);
  wire->next = l->wires;
  l->wires = wire;
  pthread_mutex_unlock(&l->lock);
}

void sotto_i_lobby_leave(sotto_i_lobby *l, sotto_wire *wire) {
  pthread_mutex_lock(&l->lock);
  sotto_wire **at = &l->wires;
  while (*at != NULL && *at != wire) at = &(*at)->next;
  if (*at != NULL) *at = wire->next;
  pthread_mutex_unlock(&l->lock);
}

sotto_status sotto_i_lobby_start(sotto_i_lobby *l, sotto_error *err) {
  char text[most_address + 16];
  l->started = pthread_create(&l->thread, NULL, lobby_main, l) == 0;
  if (!l->started)
    return sotto_i_fail(err, SOTTO_NOMEM, "the system refused to start a thread for the listener");
  (void)snprintf(text, sizeof text, "listening on %s", l->address);
  sotto_i_event(l->observer,
                &(sotto_event){.kind = SOTTO_EVENT_LISTENING, .text = text, .address = l->address});
  return SOTTO_OK;
}

void sotto_i_lobby_stop(sotto_i_lobby *l) {
  const uint64_t one = 1;
  if (l == NULL || !l->started) return;
  atomic_store(&l->quit, true);
  ssize_t written = write(l->wake, &one, sizeof one);
  (void)written;
  pthread_join(l->thread, NULL);
  l->started = false;
}

void sotto_i_lobby_free(sotto_i_lobby *l) {
  if (l == NULL) return;
  sotto_i_lobby_stop(l);
  if (l->listener >= 0) (void)close(l->listener);
  if (l->wake >= 0) (void)close(l->wake);
  SSL_CTX_free(l->context);
  pthread_mutex_destroy(&l->lock);
  sotto_i_free(l);
}

int sotto_i_lobby_socket(const sotto_i_lobby *l) {
  return l->listener;
}
