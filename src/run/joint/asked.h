/* Agreement of the parties on the nodes to predict, and a check that their folders are of one run. */
#ifndef SOTTO_SRC_RUN_JOINT_ASKED_H
#define SOTTO_SRC_RUN_JOINT_ASKED_H

#include "sotto/methods.h"

/* "label", "data", "both" */
const char *sotto_i_learns_name(sotto_learns learns);

/* The payload with node numbers, and the reason why it is exposed. */
#define SOTTO_I_ASKED_NODES  "asked.nodes"
#define SOTTO_I_ASKED_REASON "which nodes this side asks about; the other one cannot answer without them"

enum { SOTTO_I_RUN_WORDS = 4 };
/* The name of a run of two parties, which both folders have; zeros: not known. */
typedef struct sotto_i_run_name {
  uint32_t words[SOTTO_I_RUN_WORDS];
} sotto_i_run_name;
sotto_status sotto_i_run_name_read(sotto_i_run_name *out, const char *run, sotto_error *err);

/* Two parties: one link. Several: the links of sotto_i_among_links. */
typedef struct sotto_i_links {
  sotto_link **all;
  size_t count;
  bool several;
  bool server; /* this party hears all others: the server, or a label party in its place */
} sotto_i_links;

/* The label party's first link to one that may learn its answers. The server, which may not, is before. */
static inline size_t sotto_i_first_learner(const sotto_i_links *links) {
  return links->several && !links->server ? 1 : 0;
}

/* Of other data and several parties: the server receives the number of nodes that all holders have, into
 * *nodes; a holder sends its own. Errors: PROTOCOL. */
#define SOTTO_I_ASKED_COUNT "asked.count"
sotto_status sotto_i_asked_count(uint32_t *nodes, const sotto_i_links *links, sotto_error *err);
/* All parties call it. *nodes (fresh): the nodes of the asking side (asking->nodes), or all nodes below
 * `all`. Errors: INVALID (two sides ask; folders of two runs), PROTOCOL (no valid list). */
sotto_status sotto_i_asked_agree(uint32_t **nodes, size_t *count, const sotto_i_links *links,
                                 const sotto_asking *asking, const sotto_i_run_name *name, uint64_t all,
                                 sotto_error *err);
/* The terms that must be equal on both sides: those of the run, the request, and whether the parties stay
 * connected. Freed with sotto_i_free. */
sotto_status sotto_i_asked_terms(char **out, const sotto_options *options, const sotto_asking *asking,
                                 uint64_t seed, bool stays, sotto_error *err);

#endif
