/* What an alignment's messages show, and what they must not be: scripted other sides. */
#include <sodium.h>

#include "check.h"
#include "chi_square.h"
#include "id_list.h"
#include "inside/party.h"
#include "party/psi/psi.h"
#include "scripted_link.h"

enum { most_lines = 8, most_bytes = 1024 };

typedef struct line {
  const char *name;
  sotto_wire_kind kind;
  size_t rows, cols;
  const void *data;
} line;

static void blake(uint8_t *out, size_t size, const uint8_t *in, size_t in_size, const uint8_t *key,
                  const char *name) {
  crypto_generichash_blake2b_salt_personal(out, size, in, in_size, key, key == NULL ? 0 : 32, NULL,
                                           (const uint8_t *)name);
}

/* The other side: lines in order, then it is gone. Keeps points, tags and the nonce that it was sent. */
typedef struct play {
  line lines[most_lines];
  size_t count, at;
  uint8_t points[most_bytes], tags[most_bytes], nonce[32], salt[32];
  size_t point_bytes, tag_bytes;
} play;

/* 16 ids, "id-0" to "id-15". */
enum { ids_count = 16 };
static const uint8_t hub_nonce[32] = {1, 2, 3};
static const uint32_t sixteen = ids_count, zero = 0;

/* H(id) of all sixteen, for the salt that the leaf's nonce makes. */
static void hash_ids(play *p, uint8_t *points) {
  uint8_t nonces[64], hash[64];
  char id[16];
  memcpy(nonces, hub_nonce, 32);
  memcpy(nonces + 32, p->nonce, 32);
  blake(p->salt, 32, nonces, 64, NULL, "sotto-align-salt");
  for (size_t i = 0; i < ids_count; i++) {
    int size = sprintf(id, "id-%zu", i);
    blake(hash, 64, (const uint8_t *)id, (size_t)size, p->salt, "sotto-align-id-1");
    crypto_core_ristretto255_from_hash(points + 32 * i, hash);
  }
}

static sotto_status next(void *context, script_payload *out, sotto_error *err) {
  play *p = context;
  *out = (script_payload){0};
  if (p->at == p->count) return sotto_i_fail(err, SOTTO_PROTOCOL, "the script is over");
  const line *l = &p->lines[p->at++];
  uint8_t points[32 * ids_count];
  if (l->data == NULL) {
    hash_ids(p, points);
    return script_words(out, l->kind, l->name, points, l->rows, l->cols, err);
  }
  return script_words(out, l->kind, l->name, l->data, l->rows, l->cols, err);
}

static void keep(uint8_t *to, size_t *used, const script_payload *payload) {
  size_t bytes = payload->size;
  assert_true(*used + bytes <= most_bytes);
  memcpy(to + *used, payload->bytes, bytes);
  *used += bytes;
}

static void sent(void *context, const script_payload *payload) {
  play *p = context;
  size_t none = 0;
  if (strcmp(payload->header.name, "align.points") == 0) keep(p->points, &p->point_bytes, payload);
  if (strcmp(payload->header.name, "align.tags") == 0) keep(p->tags, &p->tag_bytes, payload);
  if (strcmp(payload->header.name, "align.nonce") == 0) keep(p->nonce, &none, payload);
}

static sotto_status run(play *p, bool hub, const sotto_ids *ids, sotto_error *failure) {
  script s = {.next = next, .sent = sent, .context = p};
  sotto_link *link = NULL;
  sotto_alignment out;
  CHECK_OK(script_link(&link, &s, &err));
  p->at = p->point_bytes = p->tag_bytes = 0;
  sotto_status status = hub ? sotto_align_hub(&out, &link, 1, ids, NULL, failure)
                            : sotto_align_leaf(&out, link, ids, NULL, failure);
  sotto_alignment_free(&out);
  sotto_link_free(link);
  return status;
}

static sotto_ids *numbered(uint32_t first) {
  uint32_t numbers[ids_count];
  for (uint32_t i = 0; i < ids_count; i++) numbers[i] = first + i;
  return check_ids(numbers, ids_count);
}

static void greet(play *p, const uint32_t *size) {
  *p = (play){.count = 2};
  p->lines[0] = (line){"align.nonce", SOTTO_WIRE_PUBLIC, 1, 8, hub_nonce};
  p->lines[1] = (line){"align.size", SOTTO_WIRE_EXPOSED, 1, 1, size};
}

static void add(play *p, const char *name, sotto_wire_kind kind, size_t rows, size_t cols, const void *data) {
  p->lines[p->count++] = (line){name, kind, rows, cols, data};
}

/* The hub that sends `points`, or the ids' own when NULL, and says that nothing is common. */
static void hub_script(play *p, const uint8_t *points) {
  greet(p, &sixteen);
  add(p, "align.points", SOTTO_WIRE_SEALED, ids_count, 8, points);
  add(p, "align.common", SOTTO_WIRE_EXPOSED, 1, 1, &zero);
}

static void points_of(uint8_t *points, uint8_t first) {
  uint8_t hash[64] = {[1] = 1}; /* a hash of zeros gives the identity */
  for (uint8_t i = 0; i < ids_count; i++) {
    hash[0] = (uint8_t)(first + i);
    crypto_core_ristretto255_from_hash(points + 32 * i, hash);
  }
}

/* Every run has a key of its own: the same ids under the same nonce of the hub never look the same again. */
static void the_same_ids_are_masked_anew_each_time(void **state) {
  (void)state;
  static play p, q;
  uint8_t points[32 * ids_count];
  sotto_ids *ids = numbered(0);
  points_of(points, 0);
  hub_script(&p, points);
  hub_script(&q, points);
  CHECK_OK(run(&p, false, ids, &err));
  CHECK_OK(run(&q, false, ids, &err));
  assert_int_equal(p.point_bytes, sizeof points);
  assert_int_equal(p.tag_bytes, 16 * ids_count);
  for (size_t i = 0; i < ids_count; i++)
    for (size_t j = 0; j < ids_count; j++) {
      assert_memory_not_equal(p.points + 32 * i, q.points + 32 * j, 32);
      assert_memory_not_equal(p.tags + 16 * i, q.tags + 16 * j, 16);
    }
  sotto_ids_free(ids);
}

/* The bytes of the points (but the first and last, where the encoding keeps two bits) and of the tags are
 * uniform, whichever ids they stand for. */
static void points_and_tags_look_uniform_for_any_ids(void **state) {
  (void)state;
  static play p;
  uint8_t points[32 * ids_count];
  for (uint32_t set = 0; set < 2; set++) {
    uint64_t seen[2][256] = {{0}};
    double expected[2][256];
    sotto_ids *ids = numbered(1000 * set);
    points_of(points, 0);
    hub_script(&p, points);
    enum { runs = 60 };
    for (int r = 0; r < runs; r++) {
      CHECK_OK(run(&p, false, ids, &err));
      for (size_t i = 0; i < sizeof points; i++)
        if (i % 32 != 0 && i % 32 != 31) seen[0][p.points[i]]++;
      for (size_t i = 0; i < 16 * ids_count; i++) seen[1][p.tags[i]]++;
    }
    for (int b = 0; b < 256; b++) {
      expected[0][b] = runs * ids_count * 30 / 256.0;
      expected[1][b] = runs * ids_count * 16 / 256.0;
    }
    for (int kind = 0; kind < 2; kind++)
      assert_true(chi_square_z(seen[kind], expected[kind], 256) < CHI_SQUARE_LIMIT);
    sotto_ids_free(ids);
  }
}

/* A hub that multiplies by 1 follows docs/align.md with code of its own: it sends H(id) for the salt of both
 * nonces, and finds the tag of each point that it gets among those that came back. So it sees at which place
 * each id stood. Over many runs the place of the first id of the file is uniform. */
static void the_order_of_the_file_is_not_shown(void **state) {
  (void)state;
  enum { runs = 320 };
  static play p;
  uint64_t seen[ids_count] = {0};
  double expected[ids_count];
  uint8_t tag[16];
  sotto_ids *ids = numbered(0);
  for (int r = 0; r < runs; r++) {
    size_t found = 0;
    hub_script(&p, NULL);
    CHECK_OK(run(&p, false, ids, &err));
    for (size_t place = 0; place < ids_count; place++) {
      blake(tag, 16, p.points + 32 * place, 32, p.salt, "sotto-align-tag1");
      for (size_t id = 0; id < ids_count; id++) {
        if (memcmp(tag, p.tags + 16 * id, 16) != 0) continue;
        found++;
        if (id == 0) seen[place]++;
      }
    }
    assert_int_equal(found, ids_count);
  }
  for (int i = 0; i < ids_count; i++) expected[i] = (double)runs / ids_count;
  assert_true(chi_square_z(seen, expected, ids_count) < CHI_SQUARE_LIMIT);
  sotto_ids_free(ids);
}

static void refused(play *p, bool hub, sotto_status wanted, const char *words) {
  sotto_ids *ids = numbered(0);
  CHECK_FAILS(wanted, words, run(p, hub, ids, &err));
  sotto_ids_free(ids);
}

static void a_size_beyond_the_limit_is_refused(void **state) {
  (void)state;
  static play p;
  static const uint32_t size = SOTTO_MOST_IDS + 1U;
  greet(&p, &size);
  refused(&p, false, SOTTO_PROTOCOL, "align.size");
  refused(&p, true, SOTTO_PROTOCOL, "align.size");
}

static void chunks_of_another_length_are_refused(void **state) {
  (void)state;
  static play p;
  uint8_t points[32 * (ids_count + 1)] = {0}, tags[16 * ids_count] = {0};
  points_of(points, 0);
  for (size_t rows = ids_count - 1; rows <= ids_count + 1; rows += 2) {
    greet(&p, &sixteen);
    add(&p, "align.points", SOTTO_WIRE_SEALED, rows, 8, points);
    refused(&p, false, SOTTO_RANGE, "align.points: got");
  }
  greet(&p, &sixteen);
  add(&p, "align.tags", SOTTO_WIRE_SEALED, ids_count, 3, tags);
  refused(&p, true, SOTTO_RANGE, "align.tags: got");
  greet(&p, &sixteen);
  add(&p, "align.points", SOTTO_WIRE_EXPOSED, ids_count, 8, points);
  refused(&p, false, SOTTO_PROTOCOL, "expected the sealed payload 'align.points'");
}

static void a_point_that_is_none_is_named(void **state) {
  (void)state;
  static play p;
  static const uint8_t fill[] = {0x00, 0xFF, 0x01};
  for (size_t f = 0; f < sizeof fill; f++) {
    uint8_t points[32 * ids_count], tags[16 * ids_count];
    points_of(points, 0);
    randombytes_buf(tags, sizeof tags);
    memset(points + 32 * 5, fill[f], 32);
    hub_script(&p, points);
    refused(&p, false, SOTTO_PROTOCOL, "point 5 is not a canonical encoding");
    assert_int_equal(p.tag_bytes, 0);
    greet(&p, &sixteen);
    add(&p, "align.tags", SOTTO_WIRE_SEALED, ids_count, 4, tags);
    add(&p, "align.points", SOTTO_WIRE_SEALED, ids_count, 8, points);
    refused(&p, true, SOTTO_PROTOCOL, "point 5 is not a canonical encoding");
  }
}

static void tags_that_come_twice_are_refused(void **state) {
  (void)state;
  static play p;
  uint8_t tags[16 * ids_count] = {0};
  for (uint8_t i = 0; i < ids_count; i++) tags[16 * i] = i % 9;
  greet(&p, &sixteen);
  add(&p, "align.tags", SOTTO_WIRE_SEALED, ids_count, 4, tags);
  refused(&p, true, SOTTO_PROTOCOL, "tags 0 and 9 are the same");
}

static void results_that_cannot_be_are_refused(void **state) {
  (void)state;
  static play p;
  uint8_t points[32 * ids_count];
  static const uint32_t seventeen = 17, two = 2, beyond[2] = {3, 16}, twice[2] = {3, 3};
  points_of(points, 0);
  hub_script(&p, points);
  p.lines[3].data = &seventeen;
  refused(&p, false, SOTTO_PROTOCOL, "17 ids are said to be common");
  p.lines[3].data = &two;
  add(&p, "align.places", SOTTO_WIRE_EXPOSED, 1, 2, beyond);
  refused(&p, false, SOTTO_PROTOCOL, "place 16 is none of those sent");
  p.lines[4].data = twice;
  refused(&p, false, SOTTO_PROTOCOL, "place 3 is there twice");
  p.count = 4;
  refused(&p, false, SOTTO_PROTOCOL, "the script is over");
}

int main(void) {
  if (sodium_init() < 0) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_ids_are_masked_anew_each_time),
      cmocka_unit_test(points_and_tags_look_uniform_for_any_ids),
      cmocka_unit_test(the_order_of_the_file_is_not_shown),
      cmocka_unit_test(a_size_beyond_the_limit_is_refused),
      cmocka_unit_test(chunks_of_another_length_are_refused),
      cmocka_unit_test(a_point_that_is_none_is_named),
      cmocka_unit_test(tags_that_come_twice_are_refused),
      cmocka_unit_test(results_that_cannot_be_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
