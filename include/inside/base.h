/* Names of choices, and a stop taken back: what other rooms call, and no program outside does. */
#ifndef SOTTO_INSIDE_BASE_H
#define SOTTO_INSIDE_BASE_H

#include "sotto/base.h"
#include "sotto/choices.h"
#include "sotto/options.h"

void sotto_interrupt_clear(void);

const char *sotto_accounting_name(sotto_accounting accounting);

const char *sotto_layer_name(sotto_layer_kind kind);

const char *sotto_activation_name(sotto_activation activation);

const char *sotto_combination_name(sotto_combination combination);

const char *sotto_wire_format_name(sotto_wire_format format);

/* Is the size of a graph, and of all that a client has, private? So it is at graph and client level: no file
 * that may be handed on then has a number of nodes. */
bool sotto_options_hide_sizes(const sotto_options *options);

#endif
