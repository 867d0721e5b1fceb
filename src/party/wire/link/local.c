/* Links between two threads of one process.
 *
 * Locking rule: `lock` of the shared channel guards everything in it. Each direction is a queue of at most
 * queue_length messages; a sender waits while it is full. `changed` is signalled whenever a queue, or
 * `closed`, changes. The second end to be freed frees the channel. A waiting thread checks for an interrupt
 * ten times a second. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/wait.h"
#include "transport.h"

enum { queue_length = 4 };

/* A payload in transfer: all of its bytes, of which `taken` were read. */
typedef struct payload {
  sotto_i_header header;
  uint8_t *bytes;
  size_t size, taken;
} payload;

typedef struct queue {
  payload items[queue_length];
  unsigned first, count;
} queue;

typedef struct channel {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  queue towards[2]; /* messages for end 0 and end 1 */
  bool closed;
  char reason[SOTTO_ERROR_TEXT];
  unsigned ends;
} channel;

typedef struct end {
  channel *shared;
  unsigned side;
  payload out, in; /* the one being filled, the one being read */
  double until;    /* 0: no limit */
} end;

static sotto_status fail_closed(const channel *c, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_PROTOCOL, "%s", c->reason);
}

/* The lock is held. */
static void close_channel(channel *c, const char *reason) {
  if (c->closed) return;
  c->closed = true;
  (void)snprintf(c->reason, sizeof c->reason, "%s", reason);
  pthread_cond_broadcast(&c->changed);
}

/* Waits for a change. After the limit of this end no change will come. The lock is held. */
static void wait_for_other(const end *e) {
  if (e->until > 0 && sotto_i_seconds() > e->until)
    close_channel(e->shared, SOTTO_I_LATE);
  else
    sotto_i_condition_wait(&e->shared->changed, &e->shared->lock);
}

/* Puts the filled payload into the other side's queue. */
static sotto_status local_push(end *e, sotto_error *err) {
  channel *c = e->shared;
  queue *q = &c->towards[1 - e->side];
  sotto_status status = SOTTO_OK;
  pthread_mutex_lock(&c->lock);
  while (!c->closed && q->count == queue_length && (status = sotto_i_check_interrupt(err)) == SOTTO_OK)
    wait_for_other(e);
  if (c->closed) status = fail_closed(c, err);
  if (status == SOTTO_OK) {
    q->items[(q->first + q->count) % queue_length] = e->out;
    q->count++;
    pthread_cond_broadcast(&c->changed);
  } else {
    sotto_i_free(e->out.bytes);
  }
  e->out = (payload){.bytes = NULL};
  pthread_mutex_unlock(&c->lock);
  return status;
}

static sotto_status local_send_header(void *state, const sotto_i_header *header, sotto_error *err) {
  end *e = state;
  uint64_t size;
  if (!sotto_i_payload_bytes(&size, header))
    return sotto_i_fail(err, SOTTO_RANGE, "%s: is too large to send", header->name);
  sotto_i_free(e->out.bytes);
  e->out = (payload){.header = *header, .size = size};
  sotto_status status = sotto_i_new_raw(&e->out.bytes, size, 1, err);
  return status == SOTTO_OK && size == 0 ? local_push(e, err) : status;
}

static sotto_status local_send_bytes(void *state, const void *bytes, size_t size, sotto_error *err) {
  end *e = state;
  SOTTO_I_CHECK(e->out.bytes != NULL && size <= e->out.size - e->out.taken);
  memcpy(e->out.bytes + e->out.taken, bytes, size);
  e->out.taken += size;
  if (e->out.taken < e->out.size) return SOTTO_OK;
  e->out.taken = 0;
  return local_push(e, err);
}

static sotto_status local_receive_header(void *state, sotto_i_header *out, sotto_error *err) {
  end *e = state;
  channel *c = e->shared;
  queue *q = &c->towards[e->side];
  sotto_status status = SOTTO_OK;
  pthread_mutex_lock(&c->lock);
  while (!c->closed && q->count == 0 && (status = sotto_i_check_interrupt(err)) == SOTTO_OK)
    wait_for_other(e);
  if (status == SOTTO_OK && q->count > 0) { /* payloads sent before the close still arrive */
    sotto_i_free(e->in.bytes);
    e->in = q->items[q->first];
    *out = e->in.header;
    q->first = (q->first + 1) % queue_length;
    q->count--;
    pthread_cond_broadcast(&c->changed);
  } else if (status == SOTTO_OK) {
    status = fail_closed(c, err);
  }
  pthread_mutex_unlock(&c->lock);
  return status;
}

static sotto_status local_receive_bytes(void *state, void *out, size_t size, sotto_error *err) {
  end *e = state;
  (void)err;
  SOTTO_I_CHECK(size <= e->in.size - e->in.taken);
  if (size == 0) return SOTTO_OK;
  memcpy(out, e->in.bytes + e->in.taken, size);
  e->in.taken += size;
  if (e->in.taken < e->in.size) return SOTTO_OK;
  sotto_i_free(e->in.bytes);
  e->in = (payload){.bytes = NULL};
  return SOTTO_OK;
}

static void local_close(void *state, const char *reason) {
  channel *c = ((end *)state)->shared;
  pthread_mutex_lock(&c->lock);
  close_channel(c, reason);
  pthread_mutex_unlock(&c->lock);
}

static void local_free(void *state) {
  end *e = state;
  channel *c = e->shared;
  local_close(state, "the other party ended");
  sotto_i_free(e->out.bytes);
  sotto_i_free(e->in.bytes);
  pthread_mutex_lock(&c->lock);
  bool last = --c->ends == 0;
  pthread_mutex_unlock(&c->lock);
  sotto_i_free(e);
  if (!last) return;
  for (int side = 0; side < 2; side++)
    for (unsigned i = 0; i < c->towards[side].count; i++)
      sotto_i_free(c->towards[side].items[(c->towards[side].first + i) % queue_length].bytes);
  pthread_mutex_destroy(&c->lock);
  pthread_cond_destroy(&c->changed);
  sotto_i_free(c);
}

static bool local_lost(void *state) {
  channel *c = ((end *)state)->shared;
  pthread_mutex_lock(&c->lock);
  bool closed = c->closed;
  pthread_mutex_unlock(&c->lock);
  return closed;
}

static void local_limit(void *state, double until) {
  ((end *)state)->until = until;
}

static const sotto_i_transport local_transport = {local_send_header,   local_send_bytes, local_receive_header,
                                                  local_receive_bytes, local_close,      local_free,
                                                  local_lost,          local_limit,      NULL};

sotto_status sotto_link_pair(sotto_link **a, sotto_link **b, sotto_error *err) {
  sotto_status status;
  channel *c = NULL;
  end *ends[2] = {NULL, NULL};
  *a = *b = NULL;
  SOTTO_TRY(sotto_i_new(&c, 1, sizeof *c, err));
  for (unsigned side = 0; side < 2; side++) {
    SOTTO_TRY(sotto_i_new(&ends[side], 1, sizeof **ends, err));
    *ends[side] = (end){.shared = c, .side = side};
  }
  SOTTO_TRY(sotto_i_link_new(a, &local_transport, ends[0], err));
  SOTTO_TRY(sotto_i_link_new(b, &local_transport, ends[1], err));
  pthread_mutex_init(&c->lock, NULL);
  sotto_i_condition_init(&c->changed);
  c->ends = 2;
  return SOTTO_OK;
done:
  sotto_i_free(*a);
  *a = NULL;
  sotto_i_free(ends[0]);
  sotto_i_free(ends[1]);
  sotto_i_free(c);
  return status;
}
