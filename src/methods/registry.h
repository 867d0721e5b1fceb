/* The list of all methods for the engine below, which names none of them. */
#ifndef SOTTO_SRC_METHODS_REGISTRY_H
#define SOTTO_SRC_METHODS_REGISTRY_H

/* Hands the list to the engine (sotto_i_methods_use). A second call changes nothing. Safe in any thread. */
void sotto_i_registry_use(void);

#endif
