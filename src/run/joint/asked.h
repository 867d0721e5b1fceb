/* Which nodes the parties are asked about, and whether they hold the folders of one run. */
#ifndef SOTTO_SRC_RUN_JOINT_ASKED_H
#define SOTTO_SRC_RUN_JOINT_ASKED_H

#include "sotto/methods.h"

/* "label", "data", "both" */
const char *sotto_i_learns_name(sotto_learns learns);

/* The payload with numbers of nodes, and why it is shown. */
#define SOTTO_I_ASKED_NODES  "asked.nodes"
#define SOTTO_I_ASKED_REASON "which nodes this side asks about; the other one cannot answer without them"

enum { SOTTO_I_RUN_WORDS = 4 };
/* The name of a run of two parties that both folders have; zeros where it is not known. */
typedef struct sotto_i_run_name {
  uint32_t words[SOTTO_I_RUN_WORDS];
} sotto_i_run_name;
sotto_status sotto_i_run_name_read(sotto_i_run_name *out, const char *run, sotto_error *err);

/* Of two parties: one. Of several: those of sotto_i_among_links. */
typedef struct sotto_i_links {
  sotto_link **all;
  size_t count;
  bool several, server;
} sotto_i_links;

/* All parties call it. *nodes (fresh) are those of the side that asks (asking->nodes), or all of `all`.
 * Errors: INVALID (two ask; folders of two runs), PROTOCOL (no list of nodes). */
sotto_status sotto_i_asked_agree(uint32_t **nodes, size_t *count, const sotto_i_links *links,
                                 const sotto_asking *asking, const sotto_i_run_name *name, uint64_t all,
                                 sotto_error *err);
/* What both have to say alike before they talk: the terms of the run, what is asked, and whether they answer
 * once or stay up; for sotto_i_free. */
sotto_status sotto_i_asked_terms(char **out, const sotto_options *options, const sotto_asking *asking,
                                 uint64_t seed, bool stays, sotto_error *err);

#endif
