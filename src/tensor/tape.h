/* Inside of the tape: nodes, their memory, and helpers of the operations.
 *
 * Rules of an operation: check shapes, push a node (which fails when the tape has failed), take memory for
 * backward, compute. Backward runs in descending order of nodes, so a node's gradient is final at its
 * turn. Pointers to nodes are valid until the next push only. */
#ifndef SOTTO_SRC_TENSOR_TAPE_H
#define SOTTO_SRC_TENSOR_TAPE_H

#include "arena.h"
#include "sotto/tensor.h"
#include "sparse.h"

enum { SOTTO_I_INPUTS = 3 };

/* Computes the gradients of the inputs of node `self` from its gradient. */
typedef void (*sotto_i_backward_fn)(sotto_tape *tape, uint32_t self);

typedef struct sotto_i_node {
  sotto_matrix value;           /* in the arena; borrowed for a leaf */
  sotto_matrix gradient;        /* data NULL until the first write */
  sotto_i_backward_fn backward; /* NULL for leaves, and for nodes that depend on no parameter or input */
  void *saved;                  /* values kept for backward; in the arena, or borrowed from the caller */
  uint32_t inputs[SOTTO_I_INPUTS];
  /* view of a fixed leaf that is mostly 0, or of its dropout; owned by the tape */
  sotto_i_sparse_view sparse;
  bool wanted; /* depends on a parameter or an input */
  bool shared; /* the gradient's memory belongs to another node; copy before writing */
} sotto_i_node;

/* Memory of a gradient, and the number of nodes that use it; at 0 the next gradient may take it. */
typedef struct sotto_i_gradient_block {
  float *data;
  size_t room, users;
} sotto_i_gradient_block;

struct sotto_tape {
  sotto_i_node *nodes;
  size_t count, capacity;
  sotto_i_arena arena;
  sotto_i_sparse **fixed; /* entries of fixed matrices; a reset keeps them */
  size_t fixed_count, fixed_capacity;
  sotto_error error;
  size_t first_row;
  bool ran_backward;
  bool lean; /* gradients of computed variables are released once their inputs have theirs */
  sotto_i_gradient_block *blocks; /* memory of gradients in the arena, while the tape is lean */
  size_t block_count, block_capacity;
};

/* Exchanges the tape's memory with `room`, and resets the tape. Several tapes that are used in turn share one
 * memory in this way. */
void sotto_i_tape_swap(sotto_tape *tape, sotto_i_arena *room);

/* Records the first failure; returns the void variable. */
sotto_var sotto_i_tape_fail(sotto_tape *tape, sotto_status status, const char *format, ...)
    SOTTO_PRINTF(3, 4);
bool sotto_i_tape_failed(const sotto_tape *tape);

/* Pushes a node of rows x cols uninitialised values with `count` inputs. Fails, and returns the void
 * variable, when the tape has failed, an input is not on it, or memory is short. */
sotto_var sotto_i_tape_push(sotto_tape *tape, const sotto_var *inputs, size_t count, size_t rows, size_t cols,
                            sotto_i_backward_fn backward);
/* The same for a product, whose first factor may be sparse. */
sotto_var sotto_i_tape_push_product(sotto_tape *tape, const sotto_var *inputs, size_t count, size_t rows,
                                    size_t cols, sotto_i_backward_fn backward);
/* A sparse constant: its value has a shape and no data. Only products (as first factor) and dropout accept
 * it; other operations fail (INVALID). Borrowed until the next reset. */
sotto_var sotto_i_tape_entries(sotto_tape *tape, const sotto_i_sparse_view *entries);
bool sotto_i_tape_is_entries(sotto_tape *tape, sotto_var x);
bool sotto_i_var_void(sotto_var x);
sotto_var sotto_i_tape_void(void);

sotto_i_node *sotto_i_tape_node(sotto_tape *tape, uint32_t index);
static inline sotto_matrix sotto_i_tape_input_value(sotto_tape *tape, uint32_t self, int which) {
  return sotto_i_tape_node(tape, sotto_i_tape_node(tape, self)->inputs[which])->value;
}

/* `count` items of `size` bytes until the next reset, 64-byte aligned, not initialised. NULL, with the
 * tape failed, when memory is short. */
void *sotto_i_tape_memory(sotto_tape *tape, size_t count, size_t size);

/* Where backward of `self` writes the gradient of an input; false when none is wanted or memory is short.
 * *add: add to the contents instead of overwriting. */
bool sotto_i_tape_sink(sotto_tape *tape, uint32_t self, int which, sotto_matrix *out, bool *add);
/* Until the next reset, row 0 of the tape is row `first` of a larger table, a multiple of
 * SOTTO_I_DROPOUT_ROWS. Dropout then draws the same masks as for the whole table. */
enum { SOTTO_I_DROPOUT_ROWS = 64 };
void sotto_i_tape_begin_at(sotto_tape *tape, size_t first);
size_t sotto_i_tape_first_row(const sotto_tape *tape);
/* Forgets the entries of a fixed matrix whose values are about to change. */
void sotto_i_tape_forget(sotto_tape *tape, const float *values);

/* From now on, backward releases gradients of computed variables as soon as those of their inputs are
 * final, and reuses their memory. sotto_tape_gradient then has data only for inputs and parameters. For
 * training that updates parameters only. */
void sotto_i_tape_lean(sotto_tape *tape);

/* Adds dy, the final gradient of `self`, to the gradient of an input of the same shape. Copies nothing
 * when it is the first contribution. */
void sotto_i_tape_pass(sotto_tape *tape, uint32_t self, int which);

#endif
