/* Alignment: which ids several parties have in common, found without revealing the other ids.
 *
 * Private set intersection by Diffie-Hellman over ristretto255. One party is the hub, the others are leaves;
 * with two parties, either may be the hub. Each leaf learns the ids common to all parties and the hub's size.
 * The hub learns these ids, every leaf's size and, with several leaves, the ids that it shares with each of
 * them. Parties are assumed to follow the protocol. docs/align.md has the protocol. */
#ifndef SOTTO_ALIGN_H
#define SOTTO_ALIGN_H

#include "sotto/party.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  SOTTO_MOST_ID_BYTES = 1024,   /* of one id */
  SOTTO_MOST_IDS = 1 << 28,     /* of one party */
  SOTTO_MOST_ALIGN_PARTIES = 17 /* the hub and 16 leaves */
};

/* Distinct, non-empty ids, numbered from 0 in the order of their file. Memory: about 3 bytes an id. The texts
 * stay in the file, which stays open and is read again when they are needed; it must not change. Texts are
 * held in memory when the file is not a regular one, or is packed or UTF-16, and those of a column whose
 * quoted fields contain doubled quotes. */
typedef struct sotto_ids sotto_ids;

/* Reads ids: one a line, or, when `column` is not NULL, the fields of that column of a CSV file; packed by
 * gzip or zstd, or in UTF-16 with a byte order mark, too. The first line names the columns. "#N" is the N-th
 * column, from 1, of a file without a line of names. "" goes by the file's name: the column `id` of a table
 * (.csv or .tsv, packed or not) with several columns, else one id a line. Line ends are LF or CRLF. Errors:
 * NOT_FOUND (file, column), IO, PARSE (an empty id, or an id twice, with the line numbers), RANGE (an id too
 * long, or too many ids), INVALID ("": a table without such a column). */
SOTTO_API sotto_status sotto_ids_open(sotto_ids **out, const char *path, const char *column,
                                      sotto_error *err);
SOTTO_API void sotto_ids_free(sotto_ids *ids);
/* Number of ids that were normalised before the comparison: surrounding blanks removed, characters composed
 * (Unicode NFC). */
SOTTO_API uint64_t sotto_ids_changed(const sotto_ids *ids);
/* The bytes of id `row` < count, copied to id[SOTTO_MOST_ID_BYTES]; not zero-terminated. Errors: CORRUPT (the
 * file's size or time of change differs), IO. */
SOTTO_API sotto_status sotto_ids_get(uint8_t *id, size_t *size, const sotto_ids *ids, size_t row,
                                     sotto_error *err);
/* BLAKE2b-256 of the ids, each ended by a line feed, as `sotto run --ids` compares it. With `rows`, of
 * those rows in that order; NULL: of all. Errors: as sotto_ids_get. */
SOTTO_API sotto_status sotto_ids_digest(uint8_t digest[32], const sotto_ids *ids, const uint32_t *rows,
                                        size_t count, sotto_error *err);

/* Writes to `path` the records of the table whose `column` had the ids, in the order of rows[count], below
 * its line of names: text in UTF-8, unpacked. Errors: CORRUPT (the table became shorter), IO, PARSE, NOMEM.
 */
SOTTO_API sotto_status sotto_ids_join(const char *path, const char *table, const char *column,
                                      const uint32_t *rows, size_t count, sotto_error *err);

/* The result of an alignment at one party, also for its statement. */
typedef struct sotto_alignment {
  uint32_t *rows; /* [count], own rows in the order that all parties share; owned */
  size_t count;
  bool hub;
  size_t own;                                /* ids of this party */
  size_t peers;                              /* leaves if this is the hub, else 1 */
  size_t peer_ids[SOTTO_MOST_ALIGN_PARTIES]; /* sizes this party received: each leaf's, or the hub's */
  size_t shared[SOTTO_MOST_ALIGN_PARTIES];   /* hub alone: ids it has in common with each leaf */
  uint64_t hashes, products;                 /* ids hashed to the group, scalar multiplications */
  sotto_traffic traffic;                     /* over all links of this party */
  sotto_exposure exposures[SOTTO_MOST_EXPOSURES];
  size_t exposure_count;
  double seconds;
} sotto_alignment;
SOTTO_API void sotto_alignment_free(sotto_alignment *alignment);

/* All parties in this process, one thread each: ids[0] is the hub's. Fills out[count], count >= 2. */
SOTTO_API sotto_status sotto_align_local(sotto_alignment *out, const sotto_ids *const *ids, size_t count,
                                         const sotto_observer *observer, sotto_error *err);

/* Another party of an alignment over a network. */
typedef struct sotto_align_peer {
  const char *name;    /* in its certificate */
  const char *address; /* HOST:PORT to connect to, or to listen on for this peer; several peers may share one,
                          since certificates identify them */
} sotto_align_peer;

/* One party of an alignment over mutual TLS (sotto_wire_open explains the fields without a comment). All is
 * borrowed. */
typedef struct sotto_align_party_options {
  bool hub;
  const sotto_align_peer *peers; /* a hub: 1 to 16 leaves; a leaf: the hub */
  size_t peer_count;
  bool listen;        /* on the peers' addresses, instead of connecting to them */
  const char *folder; /* identity; NULL: the usual one */
  const char *proxy;  /* HOST:PORT of an HTTP proxy to connect through; NULL: none */
  bool insecure_loopback;
  double connect_limit, idle_limit, grace; /* seconds */
  bool kept; /* the files that `keep` writes exist for these ids and peers: only report that to the others */
  /* A fresh exchange begins: results of an earlier one must no longer count as stored. */
  sotto_status (*begin)(void *context, sotto_error *err);
  /* Stores the result. When this returns OK the result must survive a crash. Called once for each
   * exchange. */
  sotto_status (*keep)(void *context, const sotto_alignment *alignment, sotto_error *err);
  void *context;
} sotto_align_party_options;

/* Meets the other parties, aligns, and returns once all of them have their results too. When a party's
 * program restarts, all parties begin a fresh exchange; when all have stored their results, they only end. A
 * hub that has stored its result, or a leaf that had stored it before this call, waits for the other for
 * `grace` and then ends with OK and a warning. Memory: as sotto_align_hub, and for each peer at most 16 MB in
 * each direction. Errors: those of sotto_wire_open and sotto_wire_meet, of the callbacks, and of
 * sotto_align_hub. */
SOTTO_API sotto_status sotto_align_party(const sotto_align_party_options *options, const sotto_ids *ids,
                                         const sotto_observer *observer, sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
