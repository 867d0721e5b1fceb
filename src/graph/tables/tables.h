/* Readers of text tables: nodes, edges, splits. */
#ifndef SOTTO_SRC_GRAPH_TABLES_TABLES_H
#define SOTTO_SRC_GRAPH_TABLES_TABLES_H

#include "columns.h"
#include "transfer_values.h"

/* A node table being read; its ids are valid until it is freed. */
typedef struct sotto_i_node_table {
  sotto_i_columns columns;
  sotto_i_csv first, second; /* each pass has its own copy, if any */
  sotto_i_ids ids;
  size_t id_column;
  uint64_t changed; /* ids and words that were not in the form in which they are compared */
} sotto_i_node_table;

/* First pass: header, ids, kinds of columns. Errors: PARSE, RANGE, NOT_FOUND, NOMEM, naming line and
 * column. */
sotto_status sotto_i_node_table_open(sotto_i_node_table *table, const sotto_i_source *file,
                                     const sotto_import_options *options, sotto_error *err);
/* The same in steps, for a text read in pieces: _begin reads the header, _row the current line of `first`. */
sotto_status sotto_i_node_table_begin(sotto_i_node_table *table, const sotto_i_source *file,
                                      const sotto_import_options *options, sotto_error *err);
sotto_status sotto_i_node_table_row(sotto_i_node_table *table, sotto_error *err);
/* Fails because the id in that column of the line occurred before. */
sotto_status sotto_i_node_table_twice(const sotto_i_csv *csv, size_t column, sotto_error *err);
/* Second pass: fills ids, features, labels and split of the parts, whose nodes are set. */
sotto_status sotto_i_node_table_fill(sotto_i_node_table *table, sotto_i_parts *parts, sotto_error *err);
void sotto_i_node_table_free(sotto_i_node_table *table);

/* id_forms.c. Fails where the id in that column of the line is what a spreadsheet leaves of a long number,
 * 1.23457E+12, a formula, or a text in the wrong encoding. Errors: PARSE. */
sotto_status sotto_i_id_check(const sotto_i_csv *csv, size_t column, sotto_error *err);
/* Is it a word for a sum, as the last line of a report has? */
bool sotto_i_id_is_total(const sotto_i_field *id);
/* Fails where two ids are one number, 1.0 and 1; counts those that differ in leading zeros alone, and, where
 * there are few, in capitals alone. Errors: PARSE, NOMEM. */
typedef struct sotto_i_id_forms {
  size_t count, capitals;
  sotto_i_field first, first_capitals;
} sotto_i_id_forms;
sotto_status sotto_i_ids_check_forms(sotto_i_id_forms *out, const sotto_i_ids *ids, const char *file,
                                     sotto_error *err);
/* An id of the same value as this one, which is none of them: 123 and 00123. */
bool sotto_i_ids_alike(sotto_i_field *out, uint8_t room[SOTTO_I_PLAIN_ROOM], const sotto_i_ids *ids,
                       const sotto_i_field *id);

/* An edge list being read. Its ids are valid as long as its text and `csv`. */
typedef struct sotto_i_edge_text {
  sotto_i_csv csv;
  size_t width, from, to; /* columns: how many, and which two are ids */
  bool known;             /* which two is said, by their names or the caller */
  bool header, listed; /* listed: new ids are those of a table elsewhere, and their texts are not checked */
  char names[2][84];   /* of the two columns of ids, by the header, cut; empty: there is none */
  uint64_t first_line; /* the header's, or that of the first edge */
  const sotto_import_options *options; /* may be NULL */
  uint64_t changed;                    /* ids that were not in the form in which they are compared */
  const sotto_i_ids *table;            /* NULL: ids are numbered as they come */
  sotto_i_ids own;
  sotto_i_edge_list pairs;
  bool plain;                              /* transfers are not kept, as over ranks */
  bool directed;                           /* transfers are kept */
  size_t columns[SOTTO_I_TRANSFER_VALUES]; /* of transfers; SIZE_MAX: none */
  sotto_i_time_form time_form;
  sotto_i_transfers transfers;
} sotto_i_edge_text;
/* edge_columns.c. Finds the columns of amounts, times and kinds; the table stands at the first row. Errors:
 * INVALID (two readings), NOT_FOUND. */
sotto_status sotto_i_edge_columns(sotto_i_edge_text *edges, const sotto_i_field *header, sotto_error *err);
sotto_column_kind sotto_i_edge_column_kind(const sotto_i_edge_text *edges, size_t column);
/* Adds the transfer of a row. Errors: PARSE, RANGE, NOMEM. */
sotto_status sotto_i_edge_transfer(sotto_i_edge_text *edges, const sotto_i_csv *csv, uint32_t from,
                                   uint32_t to, sotto_error *err);
/* edge_header.c. Opens the text and chooses the separator; close its csv in any case. Errors: NOMEM. */
sotto_status sotto_i_edge_text_open(sotto_i_edge_text *edges, const sotto_i_source *file, sotto_error *err);
/* _begin finds columns and header from the first two lines, names further columns in the parts, and stops
 * at the second line (no fields: there is none). _rest reads all edges from there on. Errors: PARSE,
 * RANGE, NOMEM. */
sotto_status sotto_i_edge_text_begin(sotto_i_edge_text *edges, sotto_i_parts *parts, sotto_error *err);
/* The first part of that: `first` has the fields of the first line, and the table stands at the second. Sets
 * header, from and to. Errors: INVALID, where two readings are possible. */
sotto_status sotto_i_edge_header(sotto_i_edge_text *edges, const sotto_i_field *first, sotto_error *err);
/* Fails: the file has neither edges nor nodes. */
sotto_status sotto_i_edges_none(const char *file, sotto_error *err);
sotto_status sotto_i_edge_text_rest(sotto_i_edge_text *edges, sotto_error *err);
/* Fails because the id in that column of the line is not in the node table. */
sotto_status sotto_i_edge_text_unknown(const sotto_i_csv *csv, size_t column, sotto_error *err);
/* Records the format in the report; `nodes`: the node table, or NULL. Errors: NOMEM. */
sotto_status sotto_i_edge_text_form(const sotto_i_edge_text *edges, sotto_i_parts *parts,
                                    const sotto_i_node_table *nodes, sotto_error *err);

/* Fast path: reads lines of two numbers from the current position of the table of edges, whose first two
 * of `width` columns are ids. Stops before the first line that needs the general reader, and whenever
 * progress is to be reported. Ids are those of `table`; with NULL those of `own`, where new ones are
 * added. Errors: NOMEM, RANGE. */
sotto_status sotto_i_edge_lines(sotto_i_csv *csv, size_t width, const sotto_i_ids *table, sotto_i_ids *own,
                                sotto_i_edge_list *pairs, sotto_error *err);

/* Reads an edge list (`edges`, data NULL: none) and a node table (`nodes`, data NULL: none), with any
 * separator. Records the format in the report. */
sotto_status sotto_i_read_edges(sotto_i_parts *parts, const sotto_i_source *edges,
                                const sotto_i_source *nodes, const sotto_import_options *options,
                                sotto_error *err);

/* The same for a list read in pieces; `window` is the initial size of its window in bytes. */
enum { SOTTO_I_EDGES_WINDOW = 1 << 20 };
sotto_status sotto_i_read_edges_in_pieces(sotto_i_parts *parts, const sotto_i_reader *edges, size_t window,
                                          const sotto_i_source *nodes, const sotto_import_options *options,
                                          sotto_error *err);

/* Reads a split from its own file into parts that are already read. Errors: PARSE, RANGE, naming the line;
 * NOMEM. */
sotto_status sotto_i_read_split(sotto_i_parts *parts, const sotto_i_source *file, sotto_error *err);

/* Reads the list of edges to nodes of other owners (sotto_foreign) into parts that are already read. Own
 * nodes without ids get their numbers as ids. Errors: PARSE (no header; both ends are own nodes), RANGE (no
 * end is), naming line and id; UNSUPPORTED (a collection of graphs); NOMEM. */
sotto_status sotto_i_read_others(sotto_i_parts *parts, const sotto_i_source *file,
                                 const sotto_import_options *options, sotto_error *err);

#endif
