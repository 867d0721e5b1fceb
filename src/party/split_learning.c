/* The exchange of split learning. One epoch: training embeddings up, their gradient down, validation
 * embeddings up, a validation decision down. At the end, test embeddings up. */
#include "split_learning.h"

#include <math.h>

#include "base/error.h"
#include "base/progress.h"
#include "party/wire/transport.h"

static const char *const embedding_names[4] = {NULL, "embeddings.train", "embeddings.validation",
                                               "embeddings.test"};
static const char *const embedding_reason =
    "functions of each node's own features, which the label party may know under edge-level adjacency";
static const char gradient_name[] = "gradients.train", decision_name[] = "decision";
static const char *const gradient_reason =
    "the encoder's training signal; it depends on labels and can reveal them to the data party";
static const char *const decision_reason = "picks the best epoch; it depends on validation labels";

enum { keep_going = 0, better_flag = 1, stop_flag = 2 };

static sotto_var encode(const sotto_i_feature_side *side, sotto_tape *tape, uint64_t step, sotto_part part,
                        bool training) {
  const sotto_pass pass = {.tape = tape, .key = side->key, .step = step, .training = training};
  return sotto_mlp_apply(side->encoder, side->params, &pass, sotto_tape_fixed(tape, &side->features[part]));
}

static sotto_status send_embeddings(const sotto_i_feature_side *side, sotto_tape *tape, sotto_var embeddings,
                                    sotto_part part, sotto_error *err) {
  sotto_status status = sotto_tape_check(tape, err);
  if (status != SOTTO_OK) return status;
  sotto_matrix value = sotto_tape_value(tape, embeddings);
  return sotto_link_send_exposed(side->link, embedding_names[part], embedding_reason, &value, err);
}

static sotto_status feature_epoch(const sotto_i_feature_side *side, sotto_tape *tape, sotto_matrix *gradient,
                                  uint64_t epoch, unsigned *decision, sotto_error *err) {
  sotto_status status;
  float flags = 0;
  sotto_matrix received = {&flags, 1, 1};
  const sotto_expectation want_gradient = {gradient_name, SOTTO_WIRE_EXPOSED, gradient->rows, gradient->cols,
                                           0};
  const sotto_expectation want_decision = {decision_name, SOTTO_WIRE_EXPOSED, 1, 1, 0};
  sotto_tape_reset(tape);
  sotto_params_zero_gradients(side->params);
  sotto_var embeddings = encode(side, tape, epoch, SOTTO_PART_TRAIN, true);
  SOTTO_TRY(send_embeddings(side, tape, embeddings, SOTTO_PART_TRAIN, err));
  SOTTO_TRY(sotto_link_receive(side->link, gradient, &want_gradient, err));
  SOTTO_TRY(sotto_tape_backward_from(tape, embeddings, gradient, err));
  SOTTO_TRY(sotto_adam_step(side->params, &side->adam, err));
  sotto_tape_reset(tape);
  embeddings = encode(side, tape, epoch, SOTTO_PART_VALIDATION, false);
  SOTTO_TRY(send_embeddings(side, tape, embeddings, SOTTO_PART_VALIDATION, err));
  SOTTO_TRY(sotto_link_receive(side->link, &received, &want_decision, err));
  if (!(flags >= keep_going && flags <= (better_flag | stop_flag)))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the validation decision %g is none that this protocol knows",
                        flags);
  *decision = (unsigned)flags;
done:
  return status;
}

sotto_status sotto_i_split_feature_exposed(sotto_link *link, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(sotto_i_link_note(link, embedding_names[part], embedding_reason, err));
done:
  return status;
}

sotto_status sotto_i_split_label_exposed(sotto_link *link, sotto_error *err) {
  sotto_status status = sotto_i_link_note(link, gradient_name, gradient_reason, err);
  return status == SOTTO_OK ? sotto_i_link_note(link, decision_name, decision_reason, err) : status;
}

sotto_status sotto_i_split_feature_side(const sotto_i_feature_side *side, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  sotto_params *best = NULL;
  sotto_matrix gradient = {0};
  sotto_i_watch watch = {0};
  unsigned decision = 0;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_params_clone(&best, side->params, err));
  const sotto_i_training_state state = {.params = side->params, .best = best, .watch = &watch};
  SOTTO_TRY(sotto_i_keep_load(side->keeper, &state, err));
  SOTTO_TRY(sotto_matrix_new(&gradient, side->features[SOTTO_PART_TRAIN].rows, side->width, err));
  while ((decision & stop_flag) == 0) {
    SOTTO_TRY(feature_epoch(side, tape, &gradient, watch.epoch, &decision, err));
    if ((decision & better_flag) != 0) SOTTO_TRY(sotto_params_copy(best, side->params, err));
    watch.epoch++;
    SOTTO_TRY(sotto_i_keep(side->keeper, &state, (decision & stop_flag) != 0, err));
  }
  SOTTO_TRY(sotto_params_copy(side->params, best, err));
  sotto_tape_reset(tape);
  SOTTO_TRY(send_embeddings(side, tape, encode(side, tape, 0, SOTTO_PART_TEST, false), SOTTO_PART_TEST, err));
done:
  sotto_matrix_free(&gradient);
  sotto_params_free(best);
  sotto_tape_free(tape);
  return status;
}

static sotto_status receive_embeddings(const sotto_i_label_side *side, sotto_matrix *out, sotto_part part,
                                       sotto_error *err) {
  const sotto_expectation expected = {embedding_names[part], SOTTO_WIRE_EXPOSED, out->rows, out->cols, 0};
  return sotto_link_receive(side->link, out, &expected, err);
}

static sotto_var head_logits(const sotto_i_label_side *side, const sotto_pass *pass, sotto_var embeddings,
                             sotto_part part) {
  if (side->own != NULL)
    embeddings = sotto_tape_concat(pass->tape, embeddings, sotto_tape_constant(pass->tape, &side->own[part]));
  return sotto_mlp_apply(side->head, side->params, pass, embeddings);
}

static sotto_status label_step(const sotto_i_label_side *side, sotto_tape *tape,
                               const sotto_matrix *embeddings, uint64_t epoch, double *loss,
                               sotto_error *err) {
  sotto_status status;
  const sotto_pass pass = {.tape = tape, .key = side->key, .step = epoch, .training = true};
  sotto_tape_reset(tape);
  sotto_params_zero_gradients(side->params);
  sotto_var input = sotto_tape_input(tape, embeddings);
  sotto_var logits = head_logits(side, &pass, input, SOTTO_PART_TRAIN);
  const sotto_i_reported reported = {side->labels[SOTTO_PART_TRAIN], embeddings->rows, side->flip};
  sotto_var total = sotto_i_reported_cross_entropy(tape, logits, &reported);
  SOTTO_TRY(sotto_tape_backward(tape, total, err));
  *loss = sotto_tape_value(tape, total).data[0];
  sotto_matrix gradient = sotto_tape_gradient(tape, input);
  SOTTO_TRY(sotto_link_send_exposed(side->link, gradient_name, gradient_reason, &gradient, err));
  SOTTO_TRY(sotto_adam_step(side->params, &side->training.adam, err));
done:
  return status;
}

/* `shown` by the labels that what the feature side sees may follow from, `kept` by the true ones. */
static sotto_status label_quality(const sotto_i_label_side *side, sotto_quality *shown, sotto_quality *kept,
                                  double *loss, sotto_tape *tape, sotto_matrix *embeddings, sotto_part part,
                                  sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(receive_embeddings(side, embeddings, part, err));
  const sotto_pass pass = {.tape = tape, .key = side->key};
  sotto_tape_reset(tape);
  sotto_var logits = head_logits(side, &pass, sotto_tape_constant(tape, embeddings), part);
  SOTTO_TRY(sotto_tape_check(tape, err));
  sotto_matrix scores = sotto_tape_value(tape, logits);
  *loss = sotto_i_mean_loss(&scores, side->labels[part]);
  SOTTO_TRY(sotto_quality_measure(shown, &scores, side->labels[part], NULL, side->count[part], err));
  SOTTO_TRY(sotto_quality_measure(kept, &scores, side->truth[part], NULL, side->count[part], err));
done:
  return status;
}

sotto_status sotto_i_split_label_side(sotto_quality *validation, sotto_quality *test,
                                      const sotto_i_label_side *side, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  sotto_params *best = NULL;
  sotto_matrix embeddings[4] = {{0}};
  sotto_i_watch watch = {0};
  sotto_i_decision decision = {0};
  sotto_quality unused;
  double test_loss;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_params_clone(&best, side->params, err));
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(sotto_matrix_new(&embeddings[part], side->count[part], side->width, err));
  const sotto_i_training_state state = {
      .params = side->params, .best = best, .watch = &watch, .quality = validation};
  SOTTO_TRY(sotto_i_keep_load(side->training.keeper, &state, err));
  while (!decision.stop) {
    double loss, validation_loss;
    sotto_quality quality, kept;
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(receive_embeddings(side, &embeddings[SOTTO_PART_TRAIN], SOTTO_PART_TRAIN, err));
    SOTTO_TRY(label_step(side, tape, &embeddings[SOTTO_PART_TRAIN], watch.epoch, &loss, err));
    SOTTO_TRY(label_quality(side, &quality, &kept, &validation_loss, tape, &embeddings[SOTTO_PART_VALIDATION],
                            SOTTO_PART_VALIDATION, err));
    double value = sotto_i_quality_value(&quality, side->training.select_by);
    decision = sotto_i_watch_next(&watch, value, validation_loss, &side->training);
    if (decision.better) {
      *validation = kept;
      SOTTO_TRY(sotto_params_copy(best, side->params, err));
    }
    if (side->hook != NULL && side->hook->call != NULL)
      side->hook->call(side->hook->context, watch.epoch, loss, value);
    /* Saved before the decision is sent, so that this side is never behind by more than one kept epoch. */
    SOTTO_TRY(sotto_i_keep(side->training.keeper, &state, decision.stop, err));
    float flags = (float)((decision.better ? better_flag : 0) | (decision.stop ? stop_flag : 0));
    const sotto_matrix reply = {&flags, 1, 1};
    SOTTO_TRY(sotto_link_send_exposed(side->link, decision_name, decision_reason, &reply, err));
  }
  SOTTO_TRY(sotto_params_copy(side->params, best, err));
  SOTTO_TRY(label_quality(side, &unused, test, &test_loss, tape, &embeddings[SOTTO_PART_TEST],
                          SOTTO_PART_TEST, err));
done:
  for (int part = 0; part < 4; part++) sotto_matrix_free(&embeddings[part]);
  sotto_params_free(best);
  sotto_tape_free(tape);
  return status;
}
