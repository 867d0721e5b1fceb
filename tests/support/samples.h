/* Small files of every form of data, made byte by byte, for tests of readers and as seeds of their fuzzers.
 */
#ifndef SOTTO_TESTS_SUPPORT_SAMPLES_H
#define SOTTO_TESTS_SUPPORT_SAMPLES_H

#include "graph/io/read.h"

/* Bytes that grow; from malloc, so that planted allocation faults do not meet them. Free with sample_free. */
typedef struct sample {
  uint8_t *data;
  size_t size;
} sample;

void sample_add(sample *to, const void *data, size_t size);
void sample_text(sample *to, const char *text);
void sample_free(sample *bytes);
/* Replaces the first place where `find` stands; aborts when there is none. */
void sample_replace(sample *bytes, const void *find, size_t find_size, const void *with, size_t with_size);
/* Bytes of one of several files that are replaced, and the error that this must give. */
typedef struct sample_damage {
  size_t file;
  const char *find, *with;
  size_t find_size, with_size;
  sotto_status status;
  const char *words;
} sample_damage;
#define SAMPLE_SWAP(find, with) find, with, sizeof(find) - 1, sizeof(with) - 1
void sample_inflict(sample *files, const sample_damage *damage);
void sample_free_all(sample *files, size_t count);
/* The same bytes, named "file 0", "file 1" and so on; at most nine. */
void sample_sources(sotto_i_source *sources, const sample *files, size_t count);

/* Writes the bytes into the scratch folder and gives the path. */
const char *sample_write(const sample *bytes, const char *name);

/* Seven nodes: 0 and 1 train, 2 and 3 validate, 6 and 4 test (in this order), 5 is a hole; 3 features,
 * 2 classes; edges 0-1, 1-2, 4-5, 5-6, with a loop at 3 and a repeat. */
void sample_planetoid(sample files[SOTTO_I_PLANETOID_FILES]);

/* Arrays of an .npz, by name. */
enum { SAMPLE_ARRAYS = 9 };
extern const char *const sample_array_names[SAMPLE_ARRAYS];
/* Four nodes, edges 0-1, 1-0, 1-2, 3-3 as stored and a stored zero at 0-2; 2 features; labels 0 1 1 0. */
void sample_npz_arrays(sample arrays[SAMPLE_ARRAYS]);
/* An archive of arrays with these names, stored or deflated; those without bytes are left out. */
void sample_archive(sample *out, const sample *arrays, const char *const *names, size_t count, bool deflated);
/* One of the arrays above. */
void sample_npz(sample *out, const sample arrays[SAMPLE_ARRAYS], bool deflated);

/* Five people, friendships 0-1, 0-2, 1-2, 3-4; years 2004 2005 2004 0 2006, genders 1 2 0 1 2, the rest 0
 * but the school. */
void sample_mat(sample *out, bool compressed);

/* Two graphs, a triangle and an edge; node labels 3, 5, 3, 9, 5; one attribute. */
void sample_tu(sample files[SOTTO_I_TU_FILES]);

/* Those two graphs in the native format with names of nodes (ann bob eva dan 5, eva with an accent), features
 * (kind=3 kind=5 kind=9 age) and classes of graphs (no yes), as they are saved now; "tiny.sotto" of the
 * scratch folder. */
sample sample_native(void);
/* Two nodes without an edge and sparse features of three columns: (0, 0), (0, 2), (1, 1). */
sample sample_native_sparse(void);
/* Three nodes, transfers 0-1 of 5 and 2-1 of 0.5, numbers to learn 1.5, unknown, -2. */
sample sample_native_numbers(void);
/* Two nodes of a client, 0 and 2, without an edge; 0 is linked to 1 and 3 of another one, 2 to 3. */
sample sample_native_foreign(void);
sample sample_native_kinds(void);

/* A node table of three nodes (labels "b", none, "a"; one feature), and an edge list with a header. */
void sample_edges(sample *edges, sample *nodes);

/* Makes the checksums of a native file right again, as someone would who changes it on purpose; the size in
 * the header too when `resize`. Nothing happens to bytes that are too few. */
void sample_seal(uint8_t *bytes, size_t size, bool resize);

/* Several files in one input: each with its length in two bytes before it. */
void sample_bundle(sample *out, const sample *files, size_t count);
/* Takes such an input apart without copying; files that are missing have data NULL. */
void sample_unbundle(sotto_i_source *files, size_t count, const uint8_t *data, size_t size);

#endif
