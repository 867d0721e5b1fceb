/* Predictions for nodes of a finished run. Nothing is computed under shares again, and no feature or edge
 * is read, only rows from the end of the training. The server sends the label holder its hidden rows of the
 * requested nodes. With counts, and under shares, the label holder has all scores since the training. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "run/files/folder_file.h"
#include "run/files/job_file.h"
#include "run/joint/joint.h"
#include "run/train/predict.h"
#include "tensor/columns.h"
#include "vfgnn.h"
#include "vfgnn_choice.h"

/* The stored tables, by file. */
enum { kept_hidden, kept_scores };
static const char *const names[] = {[kept_hidden] = "hidden", [kept_scores] = "scores"};
static const char output_file[] = "output.safetensors", first_file[] = "first.safetensors";

static sotto_status store_table(const sotto_i_vfgnn *c, int what, const sotto_matrix *rows,
                                sotto_error *err) {
  return sotto_i_job_save_matrix(c->job, names[what], rows, err);
}

static sotto_status load_table(sotto_matrix *out, const sotto_i_vfgnn *c, int what, sotto_error *err) {
  const size_t cols = what == kept_hidden ? c->width : c->classes;
  return sotto_i_job_load_matrix(out, c->job, names[what], c->nodes, cols, err);
}

static sotto_status load_output(sotto_i_vfgnn_labels *l, const sotto_i_vfgnn *c, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_tape_new(&l->tape, err));
  SOTTO_TRY(sotto_params_new(&l->params, err));
  SOTTO_TRY(sotto_i_vfgnn_outputs_new(l, c, err));
  SOTTO_TRY(sotto_i_job_load_table(l->params, c->job, output_file, false, err));
done:
  return status;
}

sotto_status sotto_i_vfgnn_keep_server(const sotto_i_vfgnn_server *s, sotto_error *err) {
  if (s->shared->secure || s->shared->counts) return SOTTO_OK;
  return store_table(s->shared, kept_hidden, &s->tested, err);
}

/* A file of one process has the shares of all holders, by number; that of a holder alone has its own. */
static void name_share(char out[32], size_t holder, bool whole) {
  if (whole)
    (void)snprintf(out, 32, "first.share%zu", holder + 1);
  else
    (void)snprintf(out, 32, "first.share");
}

/* Shares of the first layer, by which other data is answered about: of one holder, or of all. */
static sotto_status store_first(const sotto_i_vfgnn_holder *holders, size_t count, bool whole,
                                sotto_error *err) {
  const sotto_i_vfgnn *c = holders->shared;
  char name[32];
  sotto_params *set = NULL;
  sotto_status status = SOTTO_OK;
  if (c->secure) return sotto_i_securegnn_store(holders, count, whole, err);
  if (!c->collaborative || c->clear != NULL) return SOTTO_OK;
  SOTTO_TRY(sotto_params_new(&set, err));
  for (size_t i = 0; i < count; i++) {
    name_share(name, i, whole);
    SOTTO_TRY(sotto_i_vfgnn_add_ring(set, name, &holders[i].best_first, err));
  }
  SOTTO_TRY(sotto_i_job_save_table(c->job, first_file, set, err));
done:
  sotto_params_free(set);
  return status;
}

sotto_status sotto_i_vfgnn_load_first(sotto_ring *share, const sotto_i_job *job, sotto_error *err) {
  char name[32];
  sotto_params *set = NULL;
  sotto_status status;
  name_share(name, 0, false);
  SOTTO_TRY(sotto_params_new(&set, err));
  SOTTO_TRY(sotto_i_vfgnn_add_ring(set, name, share, err));
  SOTTO_TRY(sotto_i_job_load_table(set, job, first_file, false, err));
  sotto_i_vfgnn_read_ring(share, set, 0);
done:
  sotto_params_free(set);
  return status;
}

sotto_status sotto_i_vfgnn_load_all_first(sotto_ring *whole, const sotto_i_job *job, sotto_error *err) {
  char name[32];
  sotto_ring share = {.data = NULL};
  sotto_params *set = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&set, err));
  SOTTO_TRY(sotto_ring_new(&share, whole->rows, whole->cols, err));
  for (size_t i = 0; i < job->options->holders; i++) {
    name_share(name, i, true);
    SOTTO_TRY(sotto_i_vfgnn_add_ring(set, name, &share, err));
  }
  SOTTO_TRY(sotto_i_job_load_table(set, job, first_file, false, err));
  for (size_t i = 0; i < job->options->holders; i++) {
    sotto_i_vfgnn_read_ring(&share, set, i);
    sotto_ring_add(whole, whole, &share);
  }
done:
  sotto_ring_free(&share);
  sotto_params_free(set);
  return status;
}

sotto_status sotto_i_vfgnn_keep_holder(const sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  if (sotto_i_vfgnn_has_columns(h)) {
    sotto_status status = store_first(h, 1, false, err);
    if (status == SOTTO_OK) status = sotto_i_vfgnn_cells_keep(h, 1, false, err);
    if (status != SOTTO_OK) return status;
  }
  if (h->labels == NULL) return SOTTO_OK;
  if (c->secure || c->counts) return store_table(c, kept_scores, &h->labels->scores, err);
  return sotto_i_job_save_table(c->job, output_file, h->labels->params, err);
}

sotto_status sotto_i_vfgnn_keep_all(sotto_i_vfgnn_parties *p, sotto_error *err) {
  const sotto_i_vfgnn *c = &p->shared;
  sotto_i_vfgnn_labels *l = &p->labels;
  sotto_status status;
  SOTTO_TRY(store_first(p->holders, c->holders, true, err));
  SOTTO_TRY(sotto_i_vfgnn_cells_keep(p->holders, c->holders, true, err));
  if (!c->secure && !c->counts)
    SOTTO_TRY(
        sotto_i_vfgnn_labels_score(&l->scores, &p->holders[c->label_holder], &p->server.tested, NULL, err));
  SOTTO_TRY(store_table(c, kept_scores, &l->scores, err));
done:
  return status;
}

static const char asked_name[] = "hidden.asked";
static const char *const asked_reason =
    "the last hidden layer of the nodes that are asked for, a function of what holders published";

sotto_status sotto_i_vfgnn_check_opened(const sotto_i_vfgnn *c, const sotto_i_parted *parted,
                                        const uint32_t *nodes, size_t count, sotto_error *err) {
  bool *opened = NULL;
  sotto_status status;
  if (!c->secure) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new(&opened, c->nodes, sizeof *opened, err));
  for (int part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    for (size_t i = 0; i < parted->split.count[part]; i++) opened[parted->split.rows[part][i]] = true;
  for (size_t i = 0; status == SOTTO_OK && i < count; i++)
    if (!opened[nodes[i]])
      status =
          sotto_i_fail(err, SOTTO_UNSUPPORTED,
                       "node %u is in no part of the split, and scores were opened of training, validation "
                       "and test nodes alone; name other nodes",
                       (unsigned)nodes[i]);
done:
  sotto_i_free(opened);
  return status;
}

sotto_status sotto_i_vfgnn_send_asked(const sotto_i_vfgnn *c, const sotto_i_joint *joint,
                                      const sotto_matrix *hidden, sotto_error *err) {
  sotto_matrix asked = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_take_rows(&asked, hidden, joint->nodes, joint->count, err));
  SOTTO_TRY(sotto_link_send_exposed(joint->links[c->label_holder], asked_name, asked_reason, &asked, err));
done:
  sotto_matrix_free(&asked);
  return status;
}

static sotto_status send_hidden(const sotto_i_vfgnn *c, const sotto_i_joint *joint, sotto_error *err) {
  sotto_matrix hidden = {0};
  sotto_status status;
  SOTTO_TRY(load_table(&hidden, c, kept_hidden, err));
  SOTTO_TRY(sotto_i_vfgnn_send_asked(c, joint, &hidden, err));
done:
  sotto_matrix_free(&hidden);
  return status;
}

sotto_status sotto_i_vfgnn_score_asked(sotto_matrix *out, sotto_i_vfgnn_holder *h, const sotto_i_joint *joint,
                                       sotto_error *err) {
  const sotto_expectation expected = {asked_name, SOTTO_WIRE_EXPOSED, joint->count, h->shared->width, 0};
  sotto_matrix hidden = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&hidden, expected.rows, expected.cols, err));
  SOTTO_TRY(sotto_link_receive(joint->links[0], &hidden, &expected, err));
  SOTTO_TRY(sotto_i_vfgnn_labels_score(out, h, &hidden, joint->nodes, err));
done:
  sotto_tape_reset(h->labels->tape); /* it borrows the rows */
  sotto_matrix_free(&hidden);
  return status;
}

static sotto_status score_hidden(sotto_matrix *out, const sotto_i_vfgnn *c, const sotto_i_joint *joint,
                                 sotto_error *err) {
  sotto_i_vfgnn_labels labels = {.params = NULL};
  sotto_i_vfgnn_holder holder = {.shared = c, .labels = &labels};
  sotto_status status;
  SOTTO_TRY(load_output(&labels, c, err));
  SOTTO_TRY(sotto_i_vfgnn_score_asked(out, &holder, joint, err));
done:
  sotto_i_vfgnn_labels_free(&labels);
  return status;
}

sotto_status sotto_i_vfgnn_load_scores(sotto_matrix *out, const sotto_i_vfgnn *c, sotto_error *err) {
  return load_table(out, c, kept_scores, err);
}

static sotto_status copy_scores(sotto_matrix *out, const sotto_i_vfgnn *c, const sotto_i_joint *joint,
                                sotto_error *err) {
  sotto_matrix scores = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_vfgnn_check_opened(c, joint->parted, joint->nodes, joint->count, err));
  SOTTO_TRY(load_table(&scores, c, kept_scores, err));
  SOTTO_TRY(sotto_i_take_rows(out, &scores, joint->nodes, joint->count, err));
done:
  sotto_matrix_free(&scores);
  return status;
}

sotto_status sotto_i_vfgnn_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err) {
  sotto_i_vfgnn c;
  sotto_i_vfgnn_settle(&c, joint->job);
  sotto_key_wipe(&c.first_key);
  const bool ready = c.secure || c.counts;
  if (joint->role == SOTTO_ROLE_SERVER) return ready ? SOTTO_OK : send_hidden(&c, joint, err);
  if (joint->number != c.label_holder + 1) return SOTTO_OK;
  return ready ? copy_scores(out, &c, joint, err) : score_hidden(out, &c, joint, err);
}
