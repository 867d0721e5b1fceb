/* A session's state, and the method's access to it. */
#include "session.h"

#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/wait.h"
#include "inside/party.h"

void sotto_i_item_free(sotto_i_item *item) {
  if (item == NULL) return;
  sotto_i_free(item->bytes);
  sotto_i_free(item);
}

sotto_status sotto_i_session_init(sotto_i_wire_session *s, sotto_error *err) {
  *s = (sotto_i_wire_session){.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .window = SOTTO_I_WINDOW};
  if (s->wake < 0) return sotto_i_fail(err, SOTTO_NOMEM, "the system refused an event descriptor");
  pthread_mutex_init(&s->lock, NULL);
  sotto_i_condition_init(&s->changed);
  return SOTTO_OK;
}

static void clear_items(sotto_i_items *items) {
  while (items->first != NULL) {
    sotto_i_item *item = items->first;
    items->first = item->next;
    sotto_i_item_free(item);
  }
  *items = (sotto_i_items){.cost = 0};
}

_Static_assert(sizeof(sotto_i_item) + 64 <= SOTTO_I_FRAME_COST, "a frame takes more than it is counted");

static size_t cost_of(const sotto_i_item *item) {
  return SOTTO_I_FRAME_COST + item->size;
}

void sotto_i_session_destroy(sotto_i_wire_session *s) {
  if (s->wake < 0) return;
  clear_items(&s->out);
  clear_items(&s->in);
  pthread_mutex_destroy(&s->lock);
  pthread_cond_destroy(&s->changed);
  (void)close(s->wake);
}

void sotto_i_session_wake(sotto_i_wire_session *s) {
  const uint64_t one = 1;
  ssize_t written = write(s->wake, &one, sizeof one); /* fails only when it is set already */
  (void)written;
}

void sotto_i_session_wait(sotto_i_wire_session *s) {
  sotto_i_condition_wait(&s->changed, &s->lock);
}

static void append(sotto_i_items *items, sotto_i_item *item) {
  item->next = NULL;
  if (items->last == NULL)
    items->first = item;
  else
    items->last->next = item;
  items->last = item;
  items->cost += cost_of(item);
}

static sotto_i_item *unlink_first(sotto_i_items *items) {
  sotto_i_item *item = items->first;
  items->first = item->next;
  if (items->first == NULL) items->last = NULL;
  items->cost -= cost_of(item);
  return item;
}

/* The lock is held. */
static void fail_session(sotto_i_wire_session *s, sotto_status status, const char *text) {
  if (s->failed) return;
  s->failed = true;
  (void)sotto_i_fail(&s->failure, status, "%s", text);
  pthread_cond_broadcast(&s->changed);
}

/* Waits for the other side, within the method's time. The lock is held. */
static void wait_for_other(sotto_i_wire_session *s) {
  if (s->until > 0 && sotto_i_seconds() > s->until)
    fail_session(s, SOTTO_PROTOCOL, SOTTO_I_LATE);
  else
    sotto_i_session_wait(s);
}

/* May the method go on? The lock is held. */
static sotto_status check_usable(const sotto_i_wire_session *s, uint64_t generation, bool *anew,
                                 sotto_error *err) {
  if (s->failed) {
    if (err != NULL && err->status == SOTTO_OK) *err = s->failure;
    return s->failure.status;
  }
  *anew = s->generation != generation || s->withdrawn;
  if (*anew) return sotto_i_fail(err, SOTTO_PROTOCOL, "the other party restarted");
  return sotto_i_check_interrupt(err);
}

sotto_status sotto_i_session_stands(sotto_i_wire_session *s, uint64_t generation, bool *anew,
                                    sotto_error *err) {
  pthread_mutex_lock(&s->lock);
  const sotto_status status = check_usable(s, generation, anew, err);
  pthread_mutex_unlock(&s->lock);
  return status;
}

sotto_status sotto_i_session_push(sotto_i_wire_session *s, uint64_t generation, sotto_i_item *item,
                                  bool *anew, sotto_error *err) {
  sotto_status status;
  pthread_mutex_lock(&s->lock);
  while ((status = check_usable(s, generation, anew, err)) == SOTTO_OK && s->out.first != NULL &&
         s->out.cost + cost_of(item) > s->window)
    wait_for_other(s);
  if (status == SOTTO_OK) {
    item->number = ++s->numbered;
    append(&s->out, item);
    if (s->unsent == NULL) s->unsent = item;
  } else {
    sotto_i_item_free(item);
  }
  pthread_mutex_unlock(&s->lock);
  sotto_i_session_wake(s);
  return status;
}

sotto_status sotto_i_session_get(sotto_i_wire_session *s, uint64_t generation, sotto_i_item **item,
                                 bool *anew, sotto_error *err) {
  sotto_status status;
  bool wake = false;
  *item = NULL;
  pthread_mutex_lock(&s->lock);
  while ((status = check_usable(s, generation, anew, err)) == SOTTO_OK && s->in.first == NULL)
    wait_for_other(s);
  if (status == SOTTO_OK) {
    *item = unlink_first(&s->in);
    s->consumed = (*item)->number;
    s->consumed_cost += cost_of(*item);
    wake = s->in.first == NULL || s->consumed_cost > s->window / 8;
  }
  pthread_mutex_unlock(&s->lock);
  if (wake) sotto_i_session_wake(s);
  return status;
}

void sotto_i_session_flush(sotto_i_wire_session *s, uint64_t generation, double seconds) {
  const double end = sotto_i_seconds() + seconds;
  pthread_mutex_lock(&s->lock);
  while (!s->failed && s->generation == generation && s->acked < s->numbered && sotto_i_seconds() < end &&
         !sotto_i_stopped())
    sotto_i_session_wait(s);
  pthread_mutex_unlock(&s->lock);
}

sotto_i_item *sotto_i_session_next(sotto_i_wire_session *s) {
  pthread_mutex_lock(&s->lock);
  sotto_i_item *item = s->unsent;
  pthread_mutex_unlock(&s->lock);
  return item;
}

void sotto_i_session_sent(sotto_i_wire_session *s) {
  pthread_mutex_lock(&s->lock);
  s->sent = s->unsent->number;
  s->unsent = s->unsent->next;
  pthread_mutex_unlock(&s->lock);
}

/* Is this frame allowed next? The lock is held. */
static sotto_status check_order(const sotto_i_wire_session *s, const sotto_i_frame *frame, size_t size,
                                sotto_error *err) {
  if (frame->number != s->received + 1)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "frame %llu came after frame %llu",
                        (unsigned long long)frame->number, (unsigned long long)s->received);
  if (s->peer_finished)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "a %s came after Finished, which is the last",
                        sotto_i_frame_rule_of(frame->kind)->name);
  bool chunk = frame->kind == SOTTO_I_FRAME_CHUNK;
  if (chunk != (s->left > 0) || (chunk ? size == 0 || size > s->left : size > 0))
    return sotto_i_fail(err, SOTTO_PROTOCOL,
                        "frame %llu, a %s, has %zu bytes where %llu of the payload are to come",
                        (unsigned long long)frame->number, sotto_i_frame_rule_of(frame->kind)->name, size,
                        (unsigned long long)s->left);
  if (s->in.cost + SOTTO_I_FRAME_COST + size > s->window)
    return sotto_i_fail(
        err, SOTTO_PROTOCOL,
        "frame %llu is more than the window of %zu bytes allows; a frame counts as its bulk and "
        "%d bytes",
        (unsigned long long)frame->number, s->window, SOTTO_I_FRAME_COST);
  return SOTTO_OK;
}

sotto_status sotto_i_session_take(sotto_i_wire_session *s, const sotto_i_frame *frame, uint8_t **bulk,
                                  size_t size, sotto_error *err) {
  sotto_i_item *item = NULL;
  sotto_status status = SOTTO_OK;
  pthread_mutex_lock(&s->lock);
  if (frame->number > 0 && frame->number <= s->repeated_to)
    goto done; /* received over the previous connection */
  SOTTO_TRY(check_order(s, frame, size, err));
  SOTTO_TRY(sotto_i_new(&item, 1, sizeof *item, err));
  *item = (sotto_i_item){
      .kind = frame->kind, .number = frame->number, .header = frame->header, .bytes = *bulk, .size = size};
  *bulk = NULL;
  s->received = frame->number;
  s->repeated_to = 0;
  if (frame->kind == SOTTO_I_FRAME_PAYLOAD)
    SOTTO_I_CHECK(sotto_i_payload_bytes(&s->left, &frame->header)); /* checked by the decoder */
  else
    s->left -= size;
  s->peer_finished = frame->kind == SOTTO_I_FRAME_FINISHED;
  append(&s->in, item);
  pthread_cond_broadcast(&s->changed);
done:
  pthread_mutex_unlock(&s->lock);
  return status;
}

/* Drops outgoing frames that the other side has. The lock is held. */
static void drop_acked(sotto_i_wire_session *s, uint64_t number) {
  while (s->out.first != NULL && s->out.first->number <= number) sotto_i_item_free(unlink_first(&s->out));
  s->acked = number;
  pthread_cond_broadcast(&s->changed);
}

sotto_status sotto_i_session_acked(sotto_i_wire_session *s, uint64_t number, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  pthread_mutex_lock(&s->lock);
  if (number < s->acked || number > s->sent)
    status = sotto_i_fail(err, SOTTO_PROTOCOL, "the peer acknowledges frame %llu, and %llu were sent",
                          (unsigned long long)number, (unsigned long long)s->sent);
  else
    drop_acked(s, number);
  pthread_mutex_unlock(&s->lock);
  return status;
}

bool sotto_i_session_ack_due(sotto_i_wire_session *s, uint64_t *number) {
  pthread_mutex_lock(&s->lock);
  bool due = s->consumed > s->ack_sent && (s->in.first == NULL || s->consumed_cost > s->window / 8);
  if (due) {
    *number = s->ack_sent = s->consumed;
    s->consumed_cost = 0;
  }
  pthread_mutex_unlock(&s->lock);
  return due;
}

sotto_status sotto_i_session_resume(sotto_i_wire_session *s, uint64_t received, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  pthread_mutex_lock(&s->lock);
  if (received < s->acked || received > s->sent) {
    status = sotto_i_fail(err, SOTTO_PROTOCOL, "the peer claims to have frame %llu, and %llu were sent",
                          (unsigned long long)received, (unsigned long long)s->sent);
  } else {
    s->unsent = s->out.first;
    while (s->unsent != NULL && s->unsent->number <= received) s->unsent = s->unsent->next;
    s->sent = received;
    s->ack_sent = 0; /* an Ack may have been lost: repeat it */
    s->repeated_to = s->received;
  }
  pthread_mutex_unlock(&s->lock);
  return status;
}

void sotto_i_session_begin(sotto_i_wire_session *s, uint64_t attempt, sotto_progress common) {
  pthread_mutex_lock(&s->lock);
  clear_items(&s->out);
  clear_items(&s->in);
  s->unsent = NULL;
  s->numbered = s->sent = s->acked = 0;
  s->received = s->consumed = s->ack_sent = s->repeated_to = s->left = 0;
  s->consumed_cost = 0;
  s->peer_finished = false;
  s->common = common;
  s->attempt = attempt;
  s->withdrawn = false;
  s->generation++;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

void sotto_i_session_withdraw(sotto_i_wire_session *s) {
  pthread_mutex_lock(&s->lock);
  s->withdrawn = true;
  s->peer_finished = false; /* it is needed again, within `grace` */
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

void sotto_i_session_fail(sotto_i_wire_session *s, sotto_status status, const char *text) {
  pthread_mutex_lock(&s->lock);
  fail_session(s, status, text);
  pthread_mutex_unlock(&s->lock);
}

bool sotto_i_session_failed(sotto_i_wire_session *s) {
  pthread_mutex_lock(&s->lock);
  bool failed = s->failed;
  pthread_mutex_unlock(&s->lock);
  return failed;
}
