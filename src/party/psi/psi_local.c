/* An alignment with all parties in this process: the hub in the calling thread, a thread for each leaf. */
#include <pthread.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "inside/party.h"
#include "psi.h"

typedef struct leaf_run {
  pthread_t thread;
  bool running;
  sotto_link *mine, *hub; /* the two ends of one link */
  const sotto_ids *ids;
  sotto_alignment *out;
  sotto_status status;
  sotto_error err;
} leaf_run;

static void *run_leaf(void *context) {
  leaf_run *s = context;
  s->status = sotto_align_leaf(s->out, s->mine, s->ids, NULL, &s->err);
  return NULL;
}

static sotto_status start_leaves(leaf_run *leaves_run, sotto_alignment *out, const sotto_ids *const *ids,
                                 size_t leaves, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t m = 0; m < leaves; m++) {
    leaf_run *s = &leaves_run[m];
    s->ids = ids[m + 1];
    s->out = &out[m + 1];
    SOTTO_TRY(sotto_link_pair(&s->hub, &s->mine, err));
    if (!sotto_i_thread_start(&s->thread, run_leaf, s)) {
      status = sotto_i_fail(err, SOTTO_NOMEM, "the system refused to start a thread for leaf %zu", m + 1);
      goto done;
    }
    s->running = true;
  }
done:
  return status;
}

sotto_status sotto_align_local(sotto_alignment *out, const sotto_ids *const *ids, size_t count,
                               const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  leaf_run leaves_run[SOTTO_MOST_ALIGN_PARTIES] = {{.running = false}};
  sotto_link *links[SOTTO_MOST_ALIGN_PARTIES];
  sotto_error hub_err = {0};
  if (count < 2 || count > SOTTO_MOST_ALIGN_PARTIES)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu parties; an alignment takes 2 to %d", count,
                        SOTTO_MOST_ALIGN_PARTIES);
  for (size_t i = 0; i < count; i++) out[i] = (sotto_alignment){0};
  sotto_status status = start_leaves(leaves_run, out, ids, count - 1, &hub_err);
  for (size_t m = 0; m < count - 1; m++) links[m] = leaves_run[m].hub;
  if (status == SOTTO_OK) status = sotto_align_hub(&out[0], links, count - 1, ids[0], observer, &hub_err);
  const sotto_error *cause = status == SOTTO_OK ? NULL : &hub_err;
  for (size_t m = 0; m < count - 1; m++) {
    leaf_run *s = &leaves_run[m];
    if (status != SOTTO_OK && s->hub != NULL) sotto_link_close(s->hub, "the alignment was given up");
    if (s->running) pthread_join(s->thread, NULL);
    sotto_link_free(s->hub);
    sotto_link_free(s->mine);
    /* A failure that does not just follow from another party's is the cause. */
    if (s->status != SOTTO_OK && (cause == NULL || cause->status == SOTTO_PROTOCOL)) cause = &s->err;
  }
  if (cause == NULL) return SOTTO_OK;
  for (size_t i = 0; i < count; i++) sotto_alignment_free(&out[i]);
  return sotto_i_fail(err, cause->status, "%s", cause->text);
}
