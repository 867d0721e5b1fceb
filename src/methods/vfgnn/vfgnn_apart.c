/* A party of vfgnn that has labels alone. It takes no part in the first layer under shares and publishes
 * nothing: it has neither columns nor edges. It receives hidden rows, and with counts their sums, as a label
 * holder with columns does; rows of the first layer are not opened to it. */
#include "base/error.h"
#include "base/progress.h"
#include "inside/nn.h"
#include "run/parties/party_split.h"
#include "vfgnn.h"
#include "vfgnn_choice.h"
#include "vfgnn_memory.h"

/* Before it sends anything. */
static sotto_status check_fits(const sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  const sotto_i_vfgnn_size size = sotto_i_vfgnn_size_of(c->job->options, c->nodes, 0);
  return sotto_i_vfgnn_check_memory("the party with the labels", size.nodes, sotto_i_vfgnn_apart_bytes(&size),
                                    sotto_i_vfgnn_machine_bytes(), err);
}

static sotto_status begin_training(sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  sotto_split split = {0};
  size_t cols[SOTTO_MOST_HOLDERS] = {0};
  sotto_status status;
  SOTTO_TRY(check_fits(h, err));
  SOTTO_TRY(sotto_params_new(&h->local.params, err)); /* checkpoints and models of holders have networks */
  SOTTO_TRY(sotto_params_clone(&h->best, h->local.params, err));
  SOTTO_TRY(sotto_i_vfgnn_labels_begin(h, err));
  SOTTO_TRY(sotto_i_receive_split(&split, h->peers.dealer, c->nodes, err));
  SOTTO_TRY(sotto_i_vfgnn_batches(&h->batch, c, &split, err));
  if (c->counts) SOTTO_TRY(sotto_i_vfgnn_hear_columns(cols, h, err));
  if (c->counts) SOTTO_TRY(sotto_i_vfgnn_cells_draw(h, cols, &split, err));
  h->setup_bytes = sotto_i_vfgnn_sent_by_holder(h);
done:
  sotto_split_free(&split);
  return status;
}

static sotto_status run_epoch(sotto_i_vfgnn_holder *h, uint64_t epoch, bool *stop, sotto_error *err) {
  sotto_i_decision decision = {.better = false};
  sotto_status status;
  SOTTO_TRY(sotto_i_vfgnn_epoch_check(h->shared, epoch, err));
  for (size_t step = 0; step < h->batch.steps; step++) {
    sotto_i_vfgnn_batch_go(&h->batch, epoch, step);
    SOTTO_TRY(sotto_i_vfgnn_labels_step(h, epoch, err));
  }
  SOTTO_TRY(sotto_i_vfgnn_receive_decision(&decision, h->peers.dealer, err));
  *stop = decision.stop;
  h->epochs++;
  SOTTO_TRY(sotto_i_vfgnn_holder_save(h, epoch + 1, *stop, err));
done:
  return status;
}

/* For a start without an epoch left to train: adds what earlier starts exposed. */
static sotto_status note_exposed(sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_status status = sotto_i_vfgnn_note_gradient(h->peers.dealer, err);
  return status == SOTTO_OK ? sotto_i_vfgnn_note_decision(h->peers.dealer, err) : status;
}

sotto_status sotto_i_vfgnn_apart_protocol(sotto_i_vfgnn_holder *h, sotto_error *err) {
  bool stop = false;
  uint64_t first;
  sotto_status status;
  SOTTO_TRY(begin_training(h, err));
  SOTTO_TRY(sotto_i_vfgnn_holder_load(&first, &stop, h, err));
  if (stop) SOTTO_TRY(note_exposed(h, err));
  const double start = sotto_i_seconds();
  for (uint64_t epoch = first; !stop; epoch++) SOTTO_TRY(run_epoch(h, epoch, &stop, err));
  h->seconds = sotto_i_seconds() - start;
  h->trained_bytes = sotto_i_vfgnn_sent_by_holder(h);
  SOTTO_TRY(sotto_i_vfgnn_labels_end(h, err));
done:
  return status;
}
