/* CARIBOU with the accounting of its paper, for comparison. */
#ifndef SOTTO_SRC_METHODS_LAYERS_THEN_CLASSIFY_CARIBOU_PAPER_H
#define SOTTO_SRC_METHODS_LAYERS_THEN_CLASSIFY_CARIBOU_PAPER_H

#include "central.h"
#include "run/method/method.h"
#include "run/statement/statement.h"

/* The published claim, for the statement. */
bool sotto_i_caribou_as_paper(const sotto_options *options);
/* The conditions of that form on resolved options. Errors: UNSUPPORTED, RANGE. */
sotto_status sotto_i_caribou_paper_check(const sotto_options *options, sotto_error *err);
/* The noise that the paper claims to be enough for the options' epsilon on this graph, as a plan whose mu
 * holds on every graph; and the claim. */
sotto_status sotto_i_caribou_paper_plan(sotto_contractive_plan *out, sotto_paper_claim *claim,
                                        const sotto_options *options, const sotto_graph *graph,
                                        sotto_error *err);

#endif
