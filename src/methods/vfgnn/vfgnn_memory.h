/* Memory of a run of vfgnn, by public numbers alone. */
#ifndef SOTTO_SRC_METHODS_VFGNN_VFGNN_MEMORY_H
#define SOTTO_SRC_METHODS_VFGNN_VFGNN_MEMORY_H

#include "vfgnn.h"

/* Shares of the nodes that train and validate; `degree` entries of the graph for each node. */
typedef struct sotto_i_vfgnn_size {
  double nodes, degree, holders, width, hops, train, validation;
  bool counts, shared; /* shared: the first layer is */
  bool apart;          /* labels are at a party of their own */
} sotto_i_vfgnn_size;

/* Of these options. A split other than a random one counts as if all nodes trained and validated. */
sotto_i_vfgnn_size sotto_i_vfgnn_size_of(const sotto_options *options, size_t nodes, double degree);

/* Peak bytes of the process of a holder with `own` of `all` columns, of the server, and of a party that has
 * labels alone; and of one process with all of them. They are meant to be high: docs/vfgnn.md compares them
 * with runs. The reader of the first layer has labels, or reads it where labels are apart. */
double sotto_i_vfgnn_holder_bytes(const sotto_i_vfgnn_size *size, double own, double all, bool reader);
double sotto_i_vfgnn_server_bytes(const sotto_i_vfgnn_size *size);
double sotto_i_vfgnn_apart_bytes(const sotto_i_vfgnn_size *size);
double sotto_i_vfgnn_all_bytes(const sotto_i_vfgnn_size *size, double columns);

/* The machine's memory in bytes; a number beyond all needs if it is not known, or if the run has a limit of
 * its own, under which tables lie on the disk. */
double sotto_i_vfgnn_machine_bytes(void);
/* Errors: NOMEM, which names `who`, when `need` is beyond `machine`. */
sotto_status sotto_i_vfgnn_check_memory(const char *who, double nodes, double need, double machine,
                                        sotto_error *err);

#endif
