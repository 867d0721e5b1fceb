/* One party of joint predictions, from its checks to the exchange. With several parties, the holder with
 * labels has the label party's role and the other holders that of the data party; a server learns nothing. */
#ifndef SOTTO_SRC_RUN_JOINT_PREDICTING_H
#define SOTTO_SRC_RUN_JOINT_PREDICTING_H

#include <math.h>

#include "asked.h"
#include "run/parties/party_roles.h"
#include "run/storage/run_folder.h"
#include "run/train/matched.h"
#include "run/train/other_data.h"

typedef struct sotto_i_predicting {
  sotto_options options;
  sotto_i_run run;
  sotto_i_run_folder folder;
  sotto_i_run_name name;
  sotto_asking asking;
  bool stays; /* stays connected and answers repeatedly (staying.c), instead of once */
  uint64_t seed;
  char *seed_folder, *model, *terms;
  sotto_i_matched matched; /* the data in the order of the training data */
  sotto_i_parted parted;   /* of the run's own data */
  sotto_dataset paid;      /* this party's data with the accounts of the training */
  sotto_dataset edgeless;  /* at the data party: other data whose release is sent again */
  sotto_dataset labelled; /* at the label party: other data with the run's number of classes; at a client that
                             asks: without labels */
  sotto_i_other_data release; /* at the data party: the release of other data; without noise its job alone */
} sotto_i_predicting;

static inline bool sotto_i_is_label_party(const sotto_i_predicting *p) {
  const sotto_party *party = p->run.party;
  return party->role == SOTTO_ROLE_LABEL ||
         (party->role == SOTTO_ROLE_HOLDER && party->number == p->options.label_holder &&
          !sotto_i_labels_join(&p->options));
}
static inline bool sotto_i_is_question(const sotto_i_predicting *p) {
  return p->run.party->question;
}
static inline bool sotto_i_is_among_several(const sotto_i_predicting *p) {
  return sotto_i_party_of_several(p->run.party, &p->options) && !sotto_i_is_question(p);
}
static inline bool sotto_i_is_other_data(const sotto_i_predicting *p) {
  return p->asking.epsilon != 0;
}
/* Other data of a run without noise: epsilon is infinite, and no release is made. */
static inline bool sotto_i_is_bare(const sotto_i_predicting *p) {
  return isinf(p->asking.epsilon);
}
static inline bool sotto_i_data_learns(const sotto_i_predicting *p) {
  return p->asking.learns != SOTTO_LEARNS_LABEL;
}
/* Which link goes to the label party; of that party itself, of a server, and where the label party has the
 * server's place, the first one. */
static inline size_t sotto_i_label_link(const sotto_i_predicting *p, const sotto_i_links *links) {
  const uint64_t label = p->options.label_holder, own = p->run.party->number;
  if (!links->several || links->server || label == own || sotto_i_labels_join(&p->options)) return 0;
  return (size_t)(label < own ? label : label - 1);
}
static inline bool sotto_i_party_learns(const sotto_i_predicting *p) {
  if (p->run.party->role == SOTTO_ROLE_SERVER) return false;
  return sotto_i_is_label_party(p) ? p->asking.learns != SOTTO_LEARNS_DATA : sotto_i_data_learns(p);
}

/* Sets who asks what; `p` is zero but for `stays`. All is borrowed except options and asking. Call
 * sotto_i_predicting_end in any case. */
void sotto_i_predicting_begin(sotto_i_predicting *p, const sotto_options *options, const sotto_dataset *data,
                              const uint8_t nodes[32], const sotto_party *party, const sotto_asking *asking,
                              const sotto_observer *observer);
/* Makes all checks before anything is sent, and reports what will be sent. Errors: those of
 * sotto_predict_party but PROTOCOL. */
sotto_status sotto_i_predicting_prepare(sotto_i_predicting *p, sotto_error *err);
void sotto_i_predicting_end(sotto_i_predicting *p);

/* The exchange over the links: agrees on the nodes (fresh) and runs the method's protocol. `rows` (fresh):
 * class probabilities of these nodes, only at the label party. */
sotto_status sotto_i_predicting_answer(sotto_matrix *rows, uint32_t **nodes, size_t *count,
                                       sotto_i_predicting *p, const sotto_i_links *links, sotto_error *err);

/* The same for a question of a client to the server: both get the answers, a row of probabilities a graph. */
sotto_status sotto_i_predicting_question(sotto_matrix *rows, sotto_i_predicting *p,
                                         const sotto_i_links *links, sotto_error *err);

#endif
