/* Ids of nodes distributed over ranks: every id belongs to one rank, whichever rank reads it. Small
 * integers go to their value modulo the number of ranks, other ids by a keyed hash. */
#ifndef SOTTO_SRC_GRAPH_IMPORT_SHARED_IDS_H
#define SOTTO_SRC_GRAPH_IMPORT_SHARED_IDS_H

#include "graph/io/csv.h"
#include "graph/spread/exchange.h"

/* Message about an id, or a question; `size` bytes of text follow. */
typedef struct sotto_i_id_note {
  uint64_t seen;   /* where the id first occurs, or its line; the rank is above bit SOTTO_I_SEEN_RANK */
  uint32_t count;  /* number of occurrences */
  uint32_t number; /* number of its node, if known */
  uint32_t size;   /* 0: the id is the number `value` */
  uint32_t value;
} sotto_i_id_note;
enum { SOTTO_I_SEEN_RANK = 44 };

typedef struct sotto_i_shared_ids {
  sotto_i_exchange mail, answers;
  uint64_t small_below; /* smaller numbers are small integers */
  uint8_t key[16];      /* key of the hash, equal in all ranks */
  /* Ids of this rank, in order of arrival. */
  sotto_i_id_note *items;
  size_t count, room;
  uint32_t *small; /* item + 1 by value / ranks; 0: none */
  size_t small_room;
  sotto_i_ids texts;
  uint32_t *text_items; /* item of each text */
  size_t text_room;
  char **blocks; /* memory of the texts */
  size_t block_count, block_rooms, block_used;
} sotto_i_shared_ids;

/* `bytes`: size of the text that contains the ids. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_shared_ids_new(sotto_i_shared_ids *out, sotto_ranks *ranks, uint64_t bytes,
                                    sotto_error *err);
void sotto_i_shared_ids_free(sotto_i_shared_ids *ids);
/* Queues a note about an id for the rank that holds it; sets the note's size and value. Errors: NOMEM. */
sotto_status sotto_i_shared_ids_put(sotto_i_shared_ids *ids, const sotto_i_field *id, sotto_i_id_note note,
                                    sotto_error *err);
/* A round that registers ids. _name: new ids are added; the first position and the sum of counts are
 * stored. _list: each id may come once; for a repeated id, *twice is the later note and *text its text.
 * Errors: NOMEM, RANGE, those of another rank. */
sotto_status sotto_i_shared_ids_name(sotto_i_shared_ids *ids, bool *more, sotto_error *err);
sotto_status sotto_i_shared_ids_list(sotto_i_shared_ids *ids, bool *more, sotto_i_id_note *twice,
                                     sotto_i_field *text, sotto_error *err);
/* A round that adds counts to known ids. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_shared_ids_count(sotto_i_shared_ids *ids, bool *more, sotto_error *err);
/* A round that looks up numbers. `answers` has them from each rank in the order of the questions;
 * UINT32_MAX for unknown ids. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_shared_ids_ask(sotto_i_shared_ids *ids, bool *more, sotto_error *err);
/* The rank that holds an id. */
uint32_t sotto_i_shared_ids_owner(const sotto_i_shared_ids *ids, const sotto_i_field *id);
/* The text of an own item: borrowed, or the number in `digits`. */
sotto_i_field sotto_i_shared_ids_text(const sotto_i_shared_ids *ids, size_t item, char digits[12]);

/* numbering.c: numbers all ids in the order of their first occurrence, rank after rank. `places` is the
 * number of occurrences of ids that this rank read; *nodes is the number of ids. Errors: RANGE, NOMEM,
 * those of another rank. */
sotto_status sotto_i_shared_ids_number(sotto_i_shared_ids *ids, uint64_t places, uint64_t *nodes,
                                       sotto_error *err);
/* first[ranks + 1]: rows of nodes for each rank, so that edges and nodes take nearly equal memory at each.
 * Errors: as above. */
sotto_status sotto_i_shared_ids_rows(const sotto_i_shared_ids *ids, uint64_t nodes, uint64_t *first,
                                     sotto_error *err);

#endif
