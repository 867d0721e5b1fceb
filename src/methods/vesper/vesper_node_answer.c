/* Predictions of a run at node level by its two parties, each with its own process, about the nodes of the
 * run. The data party sends the rows of its two stored releases again, for the nodes that are asked for. The
 * label party received them of all nodes in the training, so nothing is released or charged
 * (docs/privacy.md). */
#include "base/error.h"
#include "inside/party.h"
#include "vesper.h"
#include "vesper_answer.h"

/* One of the training's two releases, of its file; release 0 is that of rows. */
static sotto_status load_release(sotto_release **out, const sotto_i_job *job, const sotto_pmp_plan *plan,
                                 uint64_t number, sotto_error *err) {
  const sotto_matrix shape = {NULL, 0, sotto_i_released_width(job->options)};
  const sotto_i_release_request request = {.inputs = &shape, .round = number, .item = number, .kept = true};
  sotto_i_job planned = *job;
  planned.plan = plan;
  return sotto_i_job_release(out, &planned, &request, err);
}

static sotto_status answer_data(const sotto_i_joint *joint, const sotto_pmp_plan *rows,
                                const sotto_pmp_plan *layers, sotto_error *err) {
  sotto_release *own = NULL, *summed = NULL;
  sotto_status status;
  SOTTO_TRY(load_release(&own, joint->job, rows, 0, err));
  SOTTO_TRY(load_release(&summed, joint->job, layers, 1, err));
  SOTTO_TRY(sotto_i_vesper_send_released(joint, SOTTO_I_VESPER_ROWS_ASKED, own, 1, err));
  for (uint32_t k = 1; k <= layers->options.layers; k++)
    SOTTO_TRY(sotto_i_vesper_send_released(joint, SOTTO_I_VESPER_LAYER_ASKED, summed, k, err));
done:
  sotto_release_free(own);
  sotto_release_free(summed);
  return status;
}

sotto_status sotto_i_vesper_node_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err) {
  sotto_pmp_plan rows, layers;
  sotto_i_job planned = *joint->job;
  sotto_i_joint of_layers = *joint;
  const sotto_status status = sotto_i_vesper_node_releases(&rows, &layers, joint->job, err);
  if (status != SOTTO_OK) return status;
  if (joint->role == SOTTO_ROLE_DATA) return answer_data(joint, &rows, &layers, err);
  planned.plan = &layers;
  of_layers.job = &planned;
  return sotto_i_vesper_layers_read(out, &of_layers, true, err);
}
