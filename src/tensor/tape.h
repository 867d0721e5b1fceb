/* The tape inside: nodes, their memory, and what the files with operations share.
 *
 * Rules of an operation: check shapes, push a node (which fails when the tape has failed), take memory for
 * what backward needs, compute. Backward runs in descending order of nodes, so a node's gradient is final
 * when its own turn comes. Pointers to nodes are good until the next push only. */
#ifndef SOTTO_SRC_TENSOR_TAPE_H
#define SOTTO_SRC_TENSOR_TAPE_H

#include "arena.h"
#include "sotto/tensor.h"
#include "sparse.h"

enum { SOTTO_I_INPUTS = 3 };

/* Turns the gradient of node `self` into those of its inputs. */
typedef void (*sotto_i_backward_fn)(sotto_tape *tape, uint32_t self);

typedef struct sotto_i_node {
  sotto_matrix value;           /* in the arena; borrowed for a leaf */
  sotto_matrix gradient;        /* data NULL until something was written to it */
  sotto_i_backward_fn backward; /* NULL for leaves and for nodes that nothing trained stands behind */
  void *saved;                  /* what backward needs; in the arena, or borrowed from the caller */
  uint32_t inputs[SOTTO_I_INPUTS];
  sotto_i_sparse_view sparse; /* of a fixed leaf that is mostly 0, or of its dropout; the tape's */
  bool wanted;                /* a parameter or an input stands behind it */
  bool shared;                /* the gradient's memory is another's, to be copied before it is written to */
} sotto_i_node;

/* Memory of a gradient, and how many nodes have it as theirs; none: the next gradient may take it. */
typedef struct sotto_i_gradient_block {
  float *data;
  size_t room, users;
} sotto_i_gradient_block;

struct sotto_tape {
  sotto_i_node *nodes;
  size_t count, capacity;
  sotto_i_arena arena;
  sotto_i_sparse **fixed; /* what was looked at, kept by a reset */
  size_t fixed_count, fixed_capacity;
  sotto_error error;
  size_t first_row;
  bool ran_backward;
  bool lean; /* gradients of computed variables are given up once their inputs have theirs */
  sotto_i_gradient_block *blocks; /* memory of gradients, in the arena; kept while the tape is lean */
  size_t block_count, block_capacity;
};

/* Remembers the first failure, and gives the void variable. */
sotto_var sotto_i_tape_fail(sotto_tape *tape, sotto_status status, const char *format, ...)
    SOTTO_PRINTF(3, 4);
bool sotto_i_tape_failed(const sotto_tape *tape);

/* A new node of rows x cols values (not initialised), with `count` inputs. Fails, and gives the void
 * variable, when the tape has failed, an input does not stand on it, or memory is short. */
sotto_var sotto_i_tape_push(sotto_tape *tape, const sotto_var *inputs, size_t count, size_t rows, size_t cols,
                            sotto_i_backward_fn backward);
/* The same of a product, whose first factor may be entries alone. */
sotto_var sotto_i_tape_push_product(sotto_tape *tape, const sotto_var *inputs, size_t count, size_t rows,
                                    size_t cols, sotto_i_backward_fn backward);
/* A constant that is its entries alone: its value has a shape and no data. Products take it as their first
 * factor, and dropout; all else fails (INVALID). Borrowed until the next reset. */
sotto_var sotto_i_tape_entries(sotto_tape *tape, const sotto_i_sparse_view *entries);
bool sotto_i_tape_is_entries(sotto_tape *tape, sotto_var x);
bool sotto_i_var_void(sotto_var x);
sotto_var sotto_i_tape_void(void);

sotto_i_node *sotto_i_tape_node(sotto_tape *tape, uint32_t index);
static inline sotto_matrix sotto_i_tape_input_value(sotto_tape *tape, uint32_t self, int which) {
  return sotto_i_tape_node(tape, sotto_i_tape_node(tape, self)->inputs[which])->value;
}

/* `count` items of `size` bytes until the next reset, 64-byte aligned, not initialised; NULL, with the tape
 * failed, when memory is short. */
void *sotto_i_tape_memory(sotto_tape *tape, size_t count, size_t size);

/* Where backward of `self` writes the gradient of its input: false when none is wanted or memory is short.
 * *add says whether to add to what is there or to overwrite it. */
bool sotto_i_tape_sink(sotto_tape *tape, uint32_t self, int which, sotto_matrix *out, bool *add);
/* Until the next reset, rows of the tape are those of a larger table from row `first` on, a multiple of
 * SOTTO_I_DROPOUT_ROWS: dropout draws for them what it draws for these rows of the whole table. */
enum { SOTTO_I_DROPOUT_ROWS = 64 };
void sotto_i_tape_begin_at(sotto_tape *tape, size_t first);
size_t sotto_i_tape_first_row(const sotto_tape *tape);
/* Forgets what was seen of a fixed matrix with these values, which are about to change. */
void sotto_i_tape_forget(sotto_tape *tape, const float *values);

/* From now on gradients of computed variables are given up in the run backwards as soon as those of their
 * inputs are final, and their memory is used again: sotto_tape_gradient has data for inputs and parameters
 * alone. What training that steps on parameters alone asks for. */
void sotto_i_tape_lean(sotto_tape *tape);

/* Adds dy, the final gradient of `self`, to the gradient of an input of the same shape; copies nothing when
 * it is the first to come. */
void sotto_i_tape_pass(sotto_tape *tape, uint32_t self, int which);

#endif
