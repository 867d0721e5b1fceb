/* Answers of securegnn about other data, between processes: its forward pass under shares, by the weights of
 * the best epoch. Holders share their new columns and edges, the server deals triples as in the training, and
 * the scores of the nodes that are asked for are opened to the label holder. Nothing is learnt. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "securegnn.h"
#include "vfgnn_others.h"

static const char scores_name[] = "scores";
static const char *const scores_reason = "scores of the nodes that are asked for, opened to the label "
                                         "holder; they depend on all features and edges";

/* The nodes that are asked for are the rows that are scored. */
static sotto_status begin(sotto_i_securegnn *n, const sotto_i_joint *joint, const size_t *cols,
                          sotto_error *err) {
  sotto_status status;
  n->count = joint->count;
  SOTTO_TRY(sotto_i_new_raw(&n->rows, n->count, sizeof *n->rows, err));
  memcpy(n->rows, joint->nodes, n->count * sizeof *n->rows);
  SOTTO_TRY(sotto_i_securegnn_share(n, cols, err));
  SOTTO_TRY(sotto_i_securegnn_load(n, err));
done:
  return status;
}

/* Features and edges without noise decide the scores, so a budget of this data is asked before anything of it
 * is sent. */
static sotto_status prepare(sotto_i_vfgnn_holder *h, const sotto_i_vfgnn_others *o, size_t *cols,
                            sotto_error *err) {
  const sotto_i_job *shown;
  sotto_status status;
  h->data = h->shared->job->data;
  SOTTO_TRY(sotto_i_vfgnn_holder_prepare(h, err));
  SOTTO_TRY(sotto_i_vfgnn_check_data(h, err));
  SOTTO_TRY(sotto_i_vfgnn_agree_on_columns(cols, h, err));
  SOTTO_TRY(o->joint->release(o->joint->context, &shown, 0, err));
done:
  return status;
}

static sotto_status open_scores(sotto_matrix *out, sotto_i_securegnn *n, const sotto_i_secret *scores,
                                sotto_error *err) {
  const sotto_i_vfgnn *c = n->c;
  sotto_status status = SOTTO_OK;
  if (n->h != NULL && n->h->index != c->label_holder)
    SOTTO_TRY(sotto_i_link_note(n->h->peers.holder[c->label_holder], scores_name, scores_reason, err));
  else if (n->h != NULL)
    SOTTO_TRY(sotto_matrix_new(out, scores->rows, scores->cols, err));
  SOTTO_TRY(sotto_i_secure_reveal(out, &n->s, scores, c->label_holder, scores_name, err));
done:
  return status;
}

static sotto_status answer_holder(sotto_matrix *out, sotto_i_vfgnn_others *o, sotto_error *err) {
  sotto_i_vfgnn_holder h = {.shared = &o->shared};
  sotto_i_securegnn n = {.c = &o->shared, .h = &h};
  sotto_i_secret scores = {0};
  size_t cols[SOTTO_MOST_HOLDERS] = {0};
  sotto_status status;
  sotto_i_vfgnn_join_links(&h, o->joint->number - 1, o->joint->links);
  SOTTO_TRY(prepare(&h, o, cols, err));
  SOTTO_TRY(begin(&n, o->joint, cols, err));
  SOTTO_TRY(sotto_i_securegnn_forward(&scores, &n, err));
  SOTTO_TRY(open_scores(out, &n, &scores, err));
done:
  sotto_i_secret_free(&scores);
  sotto_i_securegnn_free(&n);
  sotto_i_vfgnn_holder_free(&h);
  return status;
}

static sotto_status answer_server(sotto_i_vfgnn_others *o, sotto_error *err) {
  const sotto_i_vfgnn *c = &o->shared;
  sotto_i_vfgnn_server s = {.shared = c};
  sotto_i_securegnn n = {.c = c, .s = {.links = s.links}};
  sotto_i_secret scores = {0};
  size_t cols[SOTTO_MOST_HOLDERS] = {0};
  sotto_status status;
  memcpy(s.links, o->joint->links, sotto_i_vfgnn_members(c) * sizeof *s.links);
  SOTTO_TRY(sotto_i_vfgnn_tell_columns(&s, cols, s.shared->holders, err));
  SOTTO_TRY(begin(&n, o->joint, cols, err));
  SOTTO_TRY(sotto_i_securegnn_forward(&scores, &n, err));
  SOTTO_TRY(open_scores(NULL, &n, &scores, err));
done:
  sotto_i_secret_free(&scores);
  sotto_i_securegnn_free(&n);
  return status;
}

sotto_status sotto_i_securegnn_others_run(sotto_matrix *out, sotto_i_vfgnn_others *o, sotto_error *err) {
  return o->joint->role == SOTTO_ROLE_SERVER ? answer_server(o, err) : answer_holder(out, o, err);
}
