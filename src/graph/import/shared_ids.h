/* The ids of nodes, shared out among ranks: each has some of them, whichever rank reads them. Small whole
 * numbers go by their value modulo the number of ranks, other ids by a keyed hash. */
#ifndef SOTTO_SRC_GRAPH_IMPORT_SHARED_IDS_H
#define SOTTO_SRC_GRAPH_IMPORT_SHARED_IDS_H

#include "graph/io/csv.h"
#include "graph/spread/exchange.h"

/* What is said of an id, or asked, in a message: then `size` bytes of text. */
typedef struct sotto_i_id_note {
  uint64_t seen;   /* where the id stands first, or its line: the rank above bit SOTTO_I_SEEN_RANK */
  uint32_t count;  /* how often it stands */
  uint32_t number; /* of its node, where that is known */
  uint32_t size;   /* 0: the id is the number `value` */
  uint32_t value;
} sotto_i_id_note;
enum { SOTTO_I_SEEN_RANK = 44 };

typedef struct sotto_i_shared_ids {
  sotto_i_exchange mail, answers;
  uint64_t small_below; /* numbers below it are small */
  uint8_t key[16];      /* of the hash, the same in all ranks */
  /* Ids of this rank, in the order in which they came. */
  sotto_i_id_note *items;
  size_t count, room;
  uint32_t *small; /* item + 1 by value / ranks; 0: none */
  size_t small_room;
  sotto_i_ids texts;
  uint32_t *text_items; /* item of each text */
  size_t text_room;
  char **blocks; /* which have the texts */
  size_t block_count, block_rooms, block_used;
} sotto_i_shared_ids;

/* `bytes`: of the text that ids come from. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_shared_ids_new(sotto_i_shared_ids *out, sotto_ranks *ranks, uint64_t bytes,
                                    sotto_error *err);
void sotto_i_shared_ids_free(sotto_i_shared_ids *ids);
/* Puts a note about an id for the rank that has it. The note's size and value are set here. Errors: NOMEM. */
sotto_status sotto_i_shared_ids_put(sotto_i_shared_ids *ids, const sotto_i_field *id, sotto_i_id_note note,
                                    sotto_error *err);
/* A round in which ids are named. New ones are added: `twice` is NULL, and the first place and the sum of
 * counts are kept; or each may come once, and *twice becomes the later note of one that came again, whose
 * text is its field. Errors: NOMEM, RANGE, those of another rank. */
sotto_status sotto_i_shared_ids_name(sotto_i_shared_ids *ids, bool *more, sotto_error *err);
sotto_status sotto_i_shared_ids_list(sotto_i_shared_ids *ids, bool *more, sotto_i_id_note *twice,
                                     sotto_i_field *text, sotto_error *err);
/* A round in which counts are added to ids that are there. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_shared_ids_count(sotto_i_shared_ids *ids, bool *more, sotto_error *err);
/* A round in which numbers are asked for; `answers` has them from each rank, in the order of the questions,
 * and UINT32_MAX for what is no id. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_shared_ids_ask(sotto_i_shared_ids *ids, bool *more, sotto_error *err);
/* Which rank has an id. */
uint32_t sotto_i_shared_ids_owner(const sotto_i_shared_ids *ids, const sotto_i_field *id);
/* The text of an own item: borrowed, or the number in `digits`. */
sotto_i_field sotto_i_shared_ids_text(const sotto_i_shared_ids *ids, size_t item, char digits[12]);

/* numbering.c: numbers all ids in the order in which they stand first, rank after rank; `places`: of ids that
 * this rank read in its part, ids counted as often as they stand. *nodes: how many there are. Errors: RANGE,
 * NOMEM, those of another rank. */
sotto_status sotto_i_shared_ids_number(sotto_i_shared_ids *ids, uint64_t places, uint64_t *nodes,
                                       sotto_error *err);
/* first[ranks + 1]: rows of nodes for each rank so that edges, and nodes, take nearly as much memory at each.
 * Errors: as above. */
sotto_status sotto_i_shared_ids_rows(const sotto_i_shared_ids *ids, uint64_t nodes, uint64_t *first,
                                     sotto_error *err);

#endif
