#include "vesper_paper_answer.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/dp.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "tensor/columns.h"
#include "vesper_paper_roles.h"
#include "vesper_paper_rows.h"

typedef struct answering {
  sotto_i_paper_network net;
  sotto_i_paper_plan plan; /* noise 0, unless each answer has fresh noise */
  sotto_dataset kept;      /* the release of the training; without rows: answers compute their own */
  bool fresh;
} answering;

static bool has_kept(const answering *a) {
  return a->kept.features.rows > 0;
}

/* A node's features are read through the release alone. */
static sotto_status rows_of(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                            sotto_error *err) {
  answering *a = self;
  const sotto_matrix *kept = &a->kept.features;
  if (!has_kept(a)) return sotto_i_paper_encode_all(out, &a->net, x, err);
  if (nodes == NULL) return sotto_i_take_columns(out, kept, 0, kept->cols, err);
  return sotto_i_take_rows(out, kept, nodes, x->rows, err);
}

static sotto_status compute_rows(sotto_matrix *out, answering *a, const sotto_matrix *encoded,
                                 sotto_error *err) {
  const sotto_i_paper_rows rows = {.network = &a->net, .plan = &a->plan, .encoded = encoded};
  const uint32_t layers = (uint32_t)a->net.job->options->layers;
  sotto_key key;
  if (!a->fresh) return sotto_i_paper_rows_compute(out, &rows, layers, NULL, err);
  sotto_key_system(&key);
  const sotto_status status = sotto_i_paper_rows_compute(out, &rows, layers, &key, err);
  sotto_key_wipe(&key);
  return status;
}

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  answering *a = self;
  sotto_matrix computed = {0};
  sotto_status status;
  if (has_kept(a)) return sotto_i_paper_logits(out, &a->net, rows, nodes, count, err);
  SOTTO_TRY(compute_rows(&computed, a, rows, err));
  SOTTO_TRY(sotto_i_paper_logits(out, &a->net, &computed, nodes, count, err));
done:
  sotto_matrix_free(&computed);
  return status;
}

static void free_answering(void *self) {
  answering *a = self;
  sotto_i_paper_network_free(&a->net);
  sotto_dataset_free(&a->kept);
  sotto_i_free(a);
}

static sotto_status load_kept(answering *a, sotto_error *err) {
  const sotto_i_job *job = a->net.job;
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&path, job->folder, SOTTO_I_PAPER_ROWS_FILE, err));
  SOTTO_TRY(sotto_dataset_open(&a->kept, path, NULL, err));
  if (a->kept.features.rows != job->data->graph.nodes ||
      a->kept.features.cols != job->options->layers * job->options->hidden)
    status = sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: has %zu rows of %zu numbers, and the run %llu nodes with %llu each; give the "
                          "folder as the training left it",
                          path, a->kept.features.rows, a->kept.features.cols,
                          (unsigned long long)job->data->graph.nodes,
                          (unsigned long long)(job->options->layers * job->options->hidden));
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_vesper_paper_open(sotto_i_predictor *out, const sotto_i_opening *from,
                                       sotto_error *err) {
  const sotto_i_job *job = from->job;
  const bool noisy = job->cost->count > 0;
  answering *a = NULL;
  sotto_status status;
  if (from->alone) SOTTO_TRY(sotto_i_opening_check(from, err));
  if (noisy && !from->own && !from->fresh)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "%s: is not the data of this run, as far as can be seen; as published no release of "
                        "other data has a sound charge, since the weights between its layers follow from "
                        "the run's edges without noise; train a new run with it",
                        job->data->name);
  SOTTO_TRY(sotto_i_new(&a, 1, sizeof *a, err));
  *out = (sotto_i_predictor){.self = a, .rows = rows_of, .scores = scores_of, .free = free_answering};
  a->net.job = job;
  a->fresh = noisy && from->fresh;
  SOTTO_TRY(sotto_i_paper_network_new(&a->net, err));
  sotto_params *const sets[] = {a->net.params, a->net.reader};
  SOTTO_TRY(sotto_params_load(sets, 2, from->file, err));
  sotto_i_paper_settle(&a->net);
  if (a->fresh) SOTTO_TRY(sotto_i_paper_plan_new(&a->plan, job, err));
  if (noisy && !a->fresh) SOTTO_TRY(load_kept(a, err));
  out->fixed = has_kept(a);
done:
  return status;
}

/* Rows of all nodes that the training classified from: those of the release, or without noise computed. */
static sotto_status trained_rows(sotto_dataset *released, sotto_matrix *computed, sotto_i_receipt *receipt,
                                 const sotto_i_paper_plan *plan, const sotto_i_joint *joint,
                                 sotto_error *err) {
  sotto_i_paper_network net = {.job = joint->job};
  sotto_matrix encoded = {0};
  const sotto_i_paper_rows rows = {.network = &net, .plan = plan, .encoded = &encoded};
  sotto_status status;
  if (plan->grid.sigma > 0) return sotto_i_paper_rows_kept(released, receipt, joint->job, plan, err);
  SOTTO_TRY(sotto_i_paper_extractor_new(&net, err));
  SOTTO_TRY(sotto_params_load(&net.params, 1, joint->file, err));
  sotto_i_paper_settle(&net);
  SOTTO_TRY(sotto_i_paper_encode_all(&encoded, &net, joint->job->features, err));
  SOTTO_TRY(sotto_i_paper_rows_compute(computed, &rows, (uint32_t)joint->job->options->layers, NULL, err));
done:
  sotto_matrix_free(&encoded);
  sotto_i_paper_network_free(&net);
  return status;
}

static sotto_status answer_data(const sotto_i_joint *joint, const sotto_i_paper_plan *plan,
                                sotto_error *err) {
  const bool noisy = plan->grid.sigma > 0;
  sotto_dataset released = {0};
  sotto_matrix computed = {0}, asked = {0};
  sotto_i_receipt receipt = {{0}};
  sotto_status status;
  SOTTO_TRY(trained_rows(&released, &computed, &receipt, plan, joint, err));
  SOTTO_TRY(
      sotto_i_take_rows(&asked, noisy ? &released.features : &computed, joint->nodes, joint->count, err));
  status = noisy ? sotto_i_link_send_charged(joint->link, SOTTO_I_PAPER_ASKED_NAME, &asked, &receipt, err)
                 : sotto_link_send_exposed(joint->link, SOTTO_I_PAPER_ASKED_NAME, sotto_i_paper_no_noise,
                                           &asked, err);
done:
  sotto_dataset_free(&released);
  sotto_matrix_free(&computed);
  sotto_matrix_free(&asked);
  return status;
}

static sotto_status answer_label(sotto_matrix *out, const sotto_i_joint *joint,
                                 const sotto_i_paper_plan *plan, sotto_error *err) {
  const sotto_options *o = joint->job->options;
  const sotto_expectation expected = {.name = SOTTO_I_PAPER_ASKED_NAME,
                                      .kind = plan->grid.sigma > 0 ? SOTTO_WIRE_RELEASE : SOTTO_WIRE_EXPOSED,
                                      .rows = joint->count,
                                      .cols = o->layers * o->hidden};
  sotto_i_paper_network net = {.job = joint->job};
  sotto_matrix rows = {0};
  uint32_t *place = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&rows, expected.rows, expected.cols, err));
  SOTTO_TRY(sotto_i_new(&place, joint->count, sizeof *place, err));
  for (size_t i = 0; i < joint->count; i++) place[i] = (uint32_t)i;
  SOTTO_TRY(sotto_i_paper_reader_new(&net, err));
  SOTTO_TRY(sotto_params_load(&net.reader, 1, joint->file, err));
  SOTTO_TRY(sotto_link_receive(joint->link, &rows, &expected, err));
  SOTTO_TRY(sotto_i_paper_logits(out, &net, &rows, place, joint->count, err));
done:
  sotto_matrix_free(&rows);
  sotto_i_free(place);
  sotto_i_paper_network_free(&net);
  return status;
}

sotto_status sotto_i_vesper_paper_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err) {
  const sotto_i_seat seat = {.role = joint->role};
  sotto_i_job job = *joint->job;
  sotto_i_paper_plan plan;
  job.seat = &seat;
  const sotto_status status = sotto_i_paper_plan_new(&plan, &job, err);
  if (status != SOTTO_OK) return status;
  return joint->role == SOTTO_ROLE_DATA ? answer_data(joint, &plan, err)
                                        : answer_label(out, joint, &plan, err);
}
