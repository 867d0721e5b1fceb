/* Split learning of a network cut in two (Gupta and Raskar 2018). The feature side has the lower half and the
 * features, the label side the upper half and the labels. It uses no edge, so it has no privacy cost for
 * edges. Payloads are raw and counted as exposed. Both sides run at the same time, each with its end of a
 * link. A step goes by a sample of the training rows, and the decision about an epoch by one of the
 * validation rows (split_sample.h); embeddings and gradients of steps are rounded (SOTTO_I_ROUNDED). */
#ifndef SOTTO_SRC_PARTY_SPLIT_LEARNING_H
#define SOTTO_SRC_PARTY_SPLIT_LEARNING_H

#include "inside/nn.h"
#include "nn/fit.h"
#include "sotto/party.h"

typedef struct sotto_i_feature_side {
  sotto_link *link;
  const sotto_mlp *encoder;
  sotto_params *params;
  sotto_i_split_rows *features; /* by part */
  size_t width;                 /* of the embeddings */
  uint64_t epochs;              /* at most, as of the label side's training */
  sotto_adam adam;
  const sotto_key *key;
  const sotto_i_keeper
      *keeper; /* may be NULL; both sides save the same epochs, and resume from the same one */
  const sotto_i_epoch_hook *hook; /* may be NULL; this side knows neither loss nor quality: NAN */
  bool unmeasured;                /* as of the label side */
} sotto_i_feature_side;

typedef struct sotto_i_label_side {
  sotto_link *const *links; /* one to each feature side; their embeddings are concatenated in this order */
  size_t link_count;
  const sotto_mlp *head;
  sotto_params *params;
  size_t width;                 /* of the embeddings of one feature side */
  const sotto_i_targets *shown; /* [4], of each part; the feature side's view depends on these */
  const sotto_i_targets *truth; /* [4], of the same rows; for the quality, which only this side sees */
  const sotto_matrix *own;      /* [4], features of this side, concatenated with the embeddings; NULL: none */
  sotto_i_training training;
  const sotto_key *key;
  const sotto_i_epoch_hook *hook;
  bool unmeasured; /* the joint network's quality is not wanted, and both sides say so */
} sotto_i_label_side;

/* Records on a link the payloads that the feature or label side exposes. Use it when an exchange began over
 * another link and continues over this one, or is finished, so that the statement lists what was sent
 * then. `unmeasured` as of the side. */
sotto_status sotto_i_split_feature_exposed(sotto_link *link, bool unmeasured, sotto_error *err);
sotto_status sotto_i_split_label_exposed(sotto_link *link, sotto_error *err);

/* Trains until the label side's decision to stop; ends with the parameters of the epoch that the label side
 * found best. */
sotto_status sotto_i_split_feature_side(const sotto_i_feature_side *side, sotto_error *err);
/* The same, and the quality of the joint network on all rows of the validation and test parts, from
 * embeddings in float32. Where that is not wanted nothing is sent for it, and *validation and *test are of
 * the best epoch's sample, and unset. */
sotto_status sotto_i_split_label_side(sotto_quality *validation, sotto_quality *test,
                                      const sotto_i_label_side *side, sotto_error *err);

#endif
