/* Base functions that other rooms call and the public headers do not offer: names of choices, clearing an
 * interrupt. */
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

/* Whether the size of a graph, or of a client's data, is private, as at graph and client level. No file
 * that may be shared then contains a number of nodes. */
bool sotto_options_hide_sizes(const sotto_options *options);

#endif
