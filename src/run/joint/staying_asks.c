/* Questions during a session. An asking thread waits for the session's thread, which is the only one that
 * sends. The label party of several has a thread for each of the others, which alone uses the link to it. */
#include <string.h>

#include "answers.h"
#include "asked.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/wait.h"
#include "inside/party.h"
#include "inside/run.h"
#include "party/wire/link/transport.h"
#include "staying.h"

static const double longest_answer = 10, longest_wait = 20; /* seconds: for an answer; for a turn */
static const char count_name[] = "asked.again";

/* Copies rows of the label party's table. locking: lock held. */
static void look_up(float *out, const sotto_joint *j, const uint32_t *nodes, size_t count) {
  const size_t classes = j->table.cols;
  for (size_t i = 0; i < count; i++)
    memcpy(out + i * classes, j->table.data + (size_t)nodes[i] * classes, classes * sizeof *out);
}

static sotto_status receive_question(uint32_t *nodes, uint32_t *count, const sotto_joint *j, sotto_link *link,
                                     sotto_error *err) {
  const sotto_expectation number = {count_name, SOTTO_WIRE_PUBLIC, 1, 1, 0};
  sotto_status status = sotto_link_receive_words(link, count, &number, err);
  if (status != SOTTO_OK) return status;
  if (!sotto_i_data_learns(&j->p))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the data party asks for answers that are for the label party");
  if (*count == 0 || *count > SOTTO_MOST_ASKED)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "%u nodes are asked for; it is 1 to %d", (unsigned)*count,
                        SOTTO_MOST_ASKED);
  const sotto_expectation expected = {SOTTO_I_ASKED_NODES, SOTTO_WIRE_EXPOSED, 1, *count, 0};
  sotto_i_link_limit(link, longest_answer);
  status = sotto_link_receive_words(link, nodes, &expected, err);
  sotto_i_link_limit(link, 0);
  for (uint32_t i = 0; status == SOTTO_OK && i < *count; i++)
    if (nodes[i] >= j->table.rows)
      return sotto_i_fail(err, SOTTO_PROTOCOL, "the list of nodes that came has %u, and there are %zu",
                          (unsigned)nodes[i], j->table.rows);
  return status;
}

static sotto_status reply_to(sotto_joint *j, const sotto_i_links *links, size_t i, sotto_error *err) {
  sotto_link *link = links->all[i];
  sotto_matrix rows = {0};
  uint32_t *nodes = NULL, count = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&nodes, SOTTO_MOST_ASKED, sizeof *nodes, err));
  for (;;) {
    sotto_matrix_free(&rows);
    SOTTO_TRY(receive_question(nodes, &count, j, link, err));
    SOTTO_TRY(sotto_matrix_new(&rows, count, j->table.cols, err));
    look_up(rows.data, j, nodes, count); /* no lock is needed: the table changes only between sessions */
    SOTTO_TRY(sotto_i_rows_send(link, &rows, sotto_i_answer_kind_of(&j->p.options), err));
    sotto_i_staying_count(j, links, i);
  }
done:
  sotto_matrix_free(&rows);
  sotto_i_free(nodes);
  return status;
}

/* The threads of a session at the label party of several. The first that ends ends the others. */
typedef struct replies {
  sotto_joint *joint;
  const sotto_i_links *links;
  sotto_observer until; /* cancels the threads */
  _Atomic bool over;
  sotto_status status; /* of the first that ended; status and err are under the joint's lock */
  sotto_error err;
} replies;

typedef struct reply {
  replies *all;
  size_t link;
  pthread_t thread;
  bool running;
} reply;

static bool is_over(void *context) {
  return atomic_load(&((const replies *)context)->over);
}

static void end_replies(replies *all, sotto_status status, const sotto_error *problem) {
  pthread_mutex_lock(&all->joint->lock);
  if (!atomic_load(&all->over)) {
    all->status = status;
    all->err = *problem;
    atomic_store(&all->over, true);
  }
  pthread_mutex_unlock(&all->joint->lock);
}

static void *reply_main(void *context) {
  const reply *r = context;
  SOTTO_I_CANCELLED_BY(&r->all->until);
  sotto_error problem = {0};
  const sotto_status status = reply_to(r->all->joint, r->all->links, r->link, &problem);
  end_replies(r->all, status, &problem);
  return NULL;
}

/* A server, which is before the first learner, asks nothing. */
static sotto_status reply_to_all(sotto_joint *j, const sotto_i_links *links, sotto_error *err) {
  replies all = {.joint = j, .links = links, .until = {.context = &all, .cancelled = is_over}};
  const sotto_error no_thread = {.status = SOTTO_NOMEM, .text = "the system refused a thread"};
  reply *each = NULL;
  sotto_status status = sotto_i_new(&each, links->count, sizeof *each, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = sotto_i_first_learner(links); i < links->count; i++) {
    each[i] = (reply){.all = &all, .link = i};
    each[i].running = sotto_i_thread_start(&each[i].thread, reply_main, &each[i]);
    if (!each[i].running) end_replies(&all, SOTTO_NOMEM, &no_thread);
  }
  for (size_t i = sotto_i_first_learner(links); i < links->count; i++)
    if (each[i].running) (void)pthread_join(each[i].thread, NULL);
  sotto_i_free(each);
  if (err != NULL) *err = all.err;
  return all.status;
}

sotto_status sotto_i_staying_reply(sotto_joint *j, const sotto_i_links *links, sotto_error *err) {
  return links->several ? reply_to_all(j, links, err) : reply_to(j, links, 0, err);
}

/* The next question; *out is NULL if there is none. */
static sotto_status next_question(sotto_i_staying_question **out, sotto_joint *j, sotto_link *link,
                                  sotto_error *err) {
  const sotto_status status = sotto_i_link_stands(link, err);
  *out = NULL;
  if (status != SOTTO_OK) return status;
  pthread_mutex_lock(&j->lock);
  if (j->first == NULL) sotto_i_condition_wait(&j->changed, &j->lock);
  if (j->first != NULL) {
    *out = j->first;
    j->first = (*out)->next;
    (*out)->taken = true;
  }
  pthread_mutex_unlock(&j->lock);
  return SOTTO_OK;
}

static sotto_status forward_question(const sotto_i_staying_question *q, sotto_link *link,
                                     sotto_i_answer_kind kind, sotto_error *err) {
  const uint32_t count = (uint32_t)q->count;
  const sotto_words number = {count_name, SOTTO_WIRE_PUBLIC, NULL, &count, 1, 1};
  const sotto_words nodes = {
      SOTTO_I_ASKED_NODES, SOTTO_WIRE_EXPOSED, SOTTO_I_ASKED_REASON, q->nodes, 1, q->count};
  sotto_matrix rows = {0};
  sotto_status status;
  sotto_i_link_limit(link, longest_answer);
  SOTTO_TRY(sotto_link_send_words(link, &number, err));
  SOTTO_TRY(sotto_link_send_words(link, &nodes, err));
  SOTTO_TRY(sotto_i_rows_receive(&rows, link, q->count, q->classes, kind, err));
  memcpy(q->out, rows.data, q->count * q->classes * sizeof *q->out);
  sotto_i_link_limit(link, 0);
done:
  sotto_matrix_free(&rows);
  return status;
}

static void finish_question(sotto_joint *j, sotto_i_staying_question *q, sotto_status status,
                            const char *why) {
  pthread_mutex_lock(&j->lock);
  q->status = status;
  if (status != SOTTO_OK) (void)sotto_i_fail(&q->err, status, "%s", why);
  q->done = true;
  pthread_cond_broadcast(&j->changed);
  pthread_mutex_unlock(&j->lock);
}

sotto_status sotto_i_staying_ask(sotto_joint *j, const sotto_i_links *links, sotto_error *err) {
  const size_t label = sotto_i_label_link(&j->p, links);
  sotto_link *link = links->all[label];
  for (;;) {
    sotto_i_staying_question *q = NULL;
    sotto_error problem = {0};
    sotto_status status = next_question(&q, j, link, err);
    if (status != SOTTO_OK) return status;
    if (q == NULL) continue;
    status = forward_question(q, link, sotto_i_answer_kind_of(&j->p.options), &problem);
    sotto_i_staying_count(j, links, label);
    finish_question(j, q, status, problem.text);
    if (status == SOTTO_OK) continue;
    if (err != NULL) *err = problem;
    return status;
  }
}

void sotto_i_staying_refuse(sotto_joint *j, const char *why) {
  for (;;) {
    pthread_mutex_lock(&j->lock);
    sotto_i_staying_question *q = j->first;
    if (q != NULL) j->first = q->next;
    pthread_mutex_unlock(&j->lock);
    if (q == NULL) return;
    finish_question(j, q, SOTTO_PROTOCOL, why);
  }
}

/* Withdraws a question that waited too long, or whose session ends. locking: lock held. */
static void withdraw_question(sotto_joint *j, sotto_i_staying_question *q, sotto_status status,
                              const char *why) {
  sotto_i_staying_question **at = &j->first;
  while (*at != q) at = &(*at)->next;
  *at = q->next;
  q->status = sotto_i_fail(&q->err, status, "%s", why);
  q->done = true;
}

/* locking: lock held. */
static sotto_status wait_for_answer(sotto_joint *j, sotto_i_staying_question *q, sotto_error *err) {
  const double end = sotto_i_seconds() + longest_wait;
  sotto_i_staying_question **last = &j->first;
  while (*last != NULL) last = &(*last)->next;
  *last = q;
  pthread_cond_broadcast(&j->changed);
  while (!q->done) {
    sotto_i_condition_wait(&j->changed, &j->lock);
    if (q->done || q->taken) continue;
    if (atomic_load(&j->closing) || sotto_interrupted())
      withdraw_question(j, q, SOTTO_INTERRUPTED, "the service is stopping");
    else if (sotto_i_seconds() > end)
      withdraw_question(j, q, SOTTO_PROTOCOL, "too many questions are waiting for the other party");
  }
  if (q->status != SOTTO_OK && err != NULL) *err = q->err;
  return q->status;
}

/* locking: lock held. */
static sotto_status answer_question(sotto_joint *j, sotto_i_staying_question *q, sotto_error *err) {
  const bool is_label = sotto_i_is_label_party(&j->p);
  if (is_label ? j->table.rows == 0 : !(j->entered && j->state.connected))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "no session with %.127s: %.300s", sotto_i_staying_absent(j),
                        j->state.problem[0] == '\0' ? "its part is being fetched" : j->state.problem);
  if (q->classes != j->state.classes)
    return sotto_i_fail(err, SOTTO_RANGE, "classes: %zu, and the run has %zu", q->classes, j->state.classes);
  if (!is_label) return wait_for_answer(j, q, err);
  look_up(q->out, j, q->nodes, q->count);
  return SOTTO_OK;
}

sotto_status sotto_joint_answer(sotto_joint *j, float *out, const uint32_t *nodes, size_t count,
                                size_t classes, sotto_error *err) {
  sotto_i_staying_question q = {.nodes = nodes, .count = count, .classes = classes, .out = out};
  if (!sotto_i_party_learns(&j->p))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "the answers are for the %s party alone",
                        sotto_i_learns_name(j->p.asking.learns));
  if (count == 0 || count > SOTTO_MOST_ASKED)
    return sotto_i_fail(err, SOTTO_RANGE, "nodes: %zu are asked for; it is 1 to %d", count, SOTTO_MOST_ASKED);
  for (size_t i = 0; i < count; i++)
    if (nodes[i] >= j->p.run.data->graph.nodes)
      return sotto_i_fail(err, SOTTO_RANGE, "nodes: there is no node %u", (unsigned)nodes[i]);
  pthread_mutex_lock(&j->lock);
  const sotto_status status = answer_question(j, &q, err);
  pthread_mutex_unlock(&j->lock);
  return status;
}
