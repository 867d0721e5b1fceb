/* The statement of two parties. */
#ifndef SOTTO_SRC_METHODS_VESPER_STATEMENT_H
#define SOTTO_SRC_METHODS_VESPER_STATEMENT_H

#include "options.h"
#include "run/statement/statement.h"

void sotto_i_describe_two_parties(sotto_i_description *out, const sotto_report *report);
void sotto_i_annotate_two_parties(json_t *statement, const sotto_report *report);

#endif
