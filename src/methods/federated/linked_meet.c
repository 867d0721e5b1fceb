/* Which edges two clients in processes of their own have in common. Each knows an edge by the ids of both
 * ends. They compare these pairs by private set intersection (Meadows 1986; party/psi/), sealed through the
 * server, each list padded to a public length and in an order drawn at random:
 *
 *   points   x H(pair) of each own pair; padding is points of random hashes
 *   tags     of x y H(pair), for each point of the other client
 *   places   the own node of a pair that both have, for each point of the other client; else none
 *
 * So both learn which of their edges the other one has, and its number of the node at the other end. Edges
 * that one alone has are not counted. docs/privacy/federated.md, "Edges between clients of a federation". */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/secret.h"
#include "federated.h"
#include "inside/party.h"
#include "party/psi/group.h"
#include "party/psi/psi.h"
#include "sotto/align.h"

enum { nowhere = UINT32_MAX };
static const char points_name[] = "linked points", tags_name[] = "linked tags",
                  places_name[] = "linked places";

/* What a client has to do with one other client. */
typedef struct meeting {
  uint32_t other;
  size_t own, theirs; /* lengths of the padded lists */
  uint8_t salt[32], token[SOTTO_SUM_DIGEST];
  uint8_t *key;              /* a secret scalar */
  uint32_t *order;           /* the own edge at each place; from the number of edges on: padding */
  uint8_t *points, *answers; /* own points; theirs, then theirs times the key */
  uint8_t *tags, *known;     /* of their points; of own ones, from the other client */
  uint32_t *places, *found;  /* for their places, own nodes; for own places, their nodes */
  bool *both;                /* own places whose pair the other one has too */
} meeting;

/* The public bound on degrees, where one is declared, is one on edges to others. */
static uint64_t edges_each(const sotto_options *options) {
  enum { usual = 16 };
  return options->max_degree > 0 ? options->max_degree : usual;
}

static size_t list_length(const sotto_i_federation *f, uint32_t client) {
  return (size_t)edges_each(f->options) * f->sizes[client];
}

static size_t points_size(const sotto_i_federation *f, uint32_t from, uint32_t to) {
  (void)to;
  return list_length(f, from) * SOTTO_I_POINT_BYTES;
}
static size_t tags_size(const sotto_i_federation *f, uint32_t from, uint32_t to) {
  (void)from;
  return list_length(f, to) * SOTTO_I_TAG_BYTES;
}
static size_t places_size(const sotto_i_federation *f, uint32_t from, uint32_t to) {
  (void)from;
  return list_length(f, to) * sizeof(uint32_t);
}

sotto_status sotto_i_fed_linked_list_check(const sotto_options *options, const sotto_dataset *data,
                                           sotto_error *err) {
  const uint64_t each = edges_each(options), most = each * data->graph.nodes;
  if (data->foreign.nodes == NULL)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "partition: linked counts edges to other clients, and %s has no list of them; "
                        "files of clients that a split with partition linked:HOW writes have one",
                        data->name);
  if (data->foreign.ids.count <= most) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_RANGE,
      "max-degree: %s has more edges to other clients than %llu for each of its nodes, to "
      "which lists are padded; set max-degree to %llu or more at all parties",
      data->name, (unsigned long long)each,
      (unsigned long long)((data->foreign.ids.count + data->graph.nodes - 1) / data->graph.nodes));
}

static void meeting_free(meeting *m) {
  sotto_i_free_secret(m->key);
  sotto_i_free(m->order);
  sotto_i_free(m->points);
  sotto_i_free(m->answers);
  sotto_i_free(m->tags);
  sotto_i_free(m->known);
  sotto_i_free(m->places);
  sotto_i_free(m->found);
  sotto_i_free(m->both);
}

/* A digest that both clients compute, of the run, both numbers, and two more blocks, those of the lower one
 * first. */
static void digest_pair(uint8_t out[SOTTO_SUM_DIGEST], const sotto_i_fed_client *c, const meeting *m,
                        const uint8_t *own, const uint8_t *theirs) {
  const bool lower = c->number < m->other;
  const uint32_t both[2] = {lower ? c->number : m->other, lower ? m->other : c->number};
  const uint8_t *const blocks[2] = {lower ? own : theirs, lower ? theirs : own};
  const size_t sizes[2] = {lower ? m->own : m->theirs, lower ? m->theirs : m->own};
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, SOTTO_SUM_DIGEST);
  crypto_generichash_update(&state, c->federation->sums->run, SOTTO_SUM_DIGEST);
  crypto_generichash_update(&state, (const uint8_t *)both, sizeof both);
  for (int i = 0; own != NULL && i < 2; i++)
    crypto_generichash_update(&state, blocks[i], sizes[i] * SOTTO_I_POINT_BYTES);
  crypto_generichash_final(&state, out, SOTTO_SUM_DIGEST);
}

static sotto_status meeting_new(meeting *m, const sotto_i_fed_client *c, uint32_t other, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  sotto_status status;
  m->other = other;
  m->own = list_length(f, c->number);
  m->theirs = list_length(f, other);
  SOTTO_TRY(sotto_i_new_secret(&m->key, 1, crypto_core_ristretto255_SCALARBYTES, err));
  crypto_core_ristretto255_scalar_random(m->key);
  SOTTO_TRY(sotto_i_new(&m->order, m->own, sizeof *m->order, err));
  SOTTO_TRY(sotto_i_new(&m->points, m->own, SOTTO_I_POINT_BYTES, err));
  SOTTO_TRY(sotto_i_new(&m->answers, m->theirs, SOTTO_I_POINT_BYTES, err));
  SOTTO_TRY(sotto_i_new(&m->tags, m->theirs, SOTTO_I_TAG_BYTES, err));
  SOTTO_TRY(sotto_i_new(&m->known, m->own, SOTTO_I_TAG_BYTES, err));
  SOTTO_TRY(sotto_i_new(&m->places, m->theirs, sizeof *m->places, err));
  SOTTO_TRY(sotto_i_new(&m->found, m->own, sizeof *m->found, err));
  SOTTO_TRY(sotto_i_new(&m->both, m->own, sizeof *m->both, err));
  digest_pair(m->salt, c, m, NULL, NULL);
done:
  return status;
}

/* Both ids, the smaller one first, each with its zero. */
static sotto_status hash_edge(uint8_t *out, char **room, size_t *capacity, const sotto_dataset *data,
                              uint64_t edge, const uint8_t salt[32], sotto_error *err) {
  const char *own = sotto_name(&data->node_ids, data->foreign.nodes[edge]),
             *theirs = sotto_name(&data->foreign.ids, edge);
  const char *first = strcmp(own, theirs) < 0 ? own : theirs, *second = first == own ? theirs : own;
  const size_t one = strlen(first) + 1, two = strlen(second) + 1;
  const sotto_status status = sotto_i_grow(room, capacity, one + two, 1, err);
  if (status != SOTTO_OK) return status;
  memcpy(*room, first, one);
  memcpy(*room + one, second, two);
  sotto_i_psi_hash(out, (const uint8_t *)*room, one + two, salt);
  return SOTTO_OK;
}

/* Own points, in an order of their own. */
static sotto_status mask_own(meeting *m, const sotto_dataset *data, sotto_error *err) {
  uint8_t *hashes = NULL;
  char *room = NULL;
  size_t capacity = 0;
  sotto_key key;
  sotto_i_random random;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&hashes, m->own, SOTTO_I_HASH_BYTES, err));
  for (size_t i = 0; i < m->own; i++) m->order[i] = (uint32_t)i;
  sotto_key_system(&key);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_ALIGN, 0, 0);
  sotto_i_random_shuffle(&random, m->order, m->own);
  sotto_key_wipe(&key);
  for (size_t i = 0; i < m->own; i++) {
    uint8_t *hash = hashes + i * SOTTO_I_HASH_BYTES;
    if (m->order[i] < data->foreign.ids.count)
      SOTTO_TRY(hash_edge(hash, &room, &capacity, data, m->order[i], m->salt, err));
    else
      randombytes_buf(hash, SOTTO_I_HASH_BYTES);
  }
  sotto_i_group_hash_multiply(m->points, hashes, m->own, m->key);
done:
  sotto_i_free(hashes);
  sotto_i_free(room);
  return status;
}

static sotto_status receive(const sotto_i_fed_client *c, const meeting *m, const char *name,
                            const uint8_t *token, void *text, size_t size, sotto_error *err) {
  return sotto_i_fed_box_receive(c, m->other, &(sotto_i_fed_box){name, token, text, size}, err);
}
static sotto_status send(const sotto_i_fed_client *c, const meeting *m, const char *name,
                         const uint8_t *token, void *text, size_t size, sotto_error *err) {
  return sotto_i_fed_box_send(c, m->other, &(sotto_i_fed_box){name, token, text, size}, err);
}

/* Receives their points, and makes their tags. */
static sotto_status answer(meeting *m, const sotto_i_fed_client *c, sotto_error *err) {
  const size_t size = m->theirs * SOTTO_I_POINT_BYTES;
  const sotto_status status = receive(c, m, points_name, NULL, m->answers, size, err);
  if (status != SOTTO_OK) return status;
  digest_pair(m->token, c, m, m->points, m->answers);
  const size_t bad = sotto_i_group_multiply(m->answers, m->answers, m->theirs, m->key);
  if (bad != SIZE_MAX)
    return sotto_i_fail(err, SOTTO_PROTOCOL,
                        "%s: point %zu of client %u is not a canonical encoding of an element of "
                        "ristretto255 other than the identity",
                        points_name, bad, (unsigned)m->other + 1);
  sotto_i_psi_tags(m->tags, m->answers, m->theirs, m->salt);
  return SOTTO_OK;
}

/* A tag of an own point, and its place. */
typedef struct tagged {
  uint8_t tag[SOTTO_I_TAG_BYTES];
  uint32_t place;
} tagged;

static int by_tag(const void *a, const void *b) {
  return memcmp(a, b, SOTTO_I_TAG_BYTES);
}

/* Notes which pairs both have. A pair counts once, whatever the other client sends. */
static sotto_status match(meeting *m, const sotto_i_fed_client *c, sotto_error *err) {
  const sotto_foreign *list = &c->data.foreign;
  tagged *sorted = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&sorted, m->own, sizeof *sorted, err));
  for (size_t i = 0; i < m->own; i++) {
    memcpy(sorted[i].tag, m->known + i * SOTTO_I_TAG_BYTES, SOTTO_I_TAG_BYTES);
    sorted[i].place = (uint32_t)i;
  }
  if (m->own > 1) qsort(sorted, m->own, sizeof *sorted, by_tag);
  for (size_t i = 0; i < m->theirs; i++) {
    const tagged *same = bsearch(m->tags + i * SOTTO_I_TAG_BYTES, sorted, m->own, sizeof *sorted, by_tag);
    m->places[i] = nowhere;
    if (same == NULL || m->both[same->place] || m->order[same->place] >= list->ids.count) continue;
    m->both[same->place] = true;
    m->places[i] = list->nodes[m->order[same->place]];
  }
done:
  sotto_i_free(sorted);
  return status;
}

/* Adds the edges that both have. An edge that an earlier client has already counts no second time. */
static void keep(sotto_i_fed_linked *out, bool *taken, const meeting *m, const sotto_i_fed_client *c) {
  const sotto_foreign *list = &c->data.foreign;
  for (size_t i = 0; i < m->own; i++) {
    const uint32_t edge = m->order[i];
    if (!m->both[i] || m->found[i] >= c->federation->sizes[m->other] || taken[edge]) continue;
    taken[edge] = true;
    out->own[out->count] = list->nodes[edge];
    out->client[out->count] = m->other;
    out->theirs[out->count++] = m->found[i];
  }
}

static sotto_status keep_all(sotto_i_fed_client *c, const meeting *all, uint32_t count, sotto_error *err) {
  const size_t most = (size_t)c->data.foreign.ids.count;
  bool *taken = NULL;
  sotto_status status;
  sotto_i_fed_linked_free(&c->linked);
  SOTTO_TRY(sotto_i_new(&c->linked.own, most, sizeof *c->linked.own, err));
  SOTTO_TRY(sotto_i_new(&c->linked.client, most, sizeof *c->linked.client, err));
  SOTTO_TRY(sotto_i_new(&c->linked.theirs, most, sizeof *c->linked.theirs, err));
  SOTTO_TRY(sotto_i_new(&taken, most, sizeof *taken, err));
  for (uint32_t i = 0; i < count; i++) keep(&c->linked, taken, &all[i], c);
done:
  sotto_i_free(taken);
  return status;
}

/* All clients send a payload to all others before they receive one. */
static sotto_status compare(meeting *all, uint32_t count, sotto_i_fed_client *c, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 0; i < count; i++) {
    meeting *m = &all[i];
    SOTTO_TRY(mask_own(m, &c->data, err));
    SOTTO_TRY(send(c, m, points_name, NULL, m->points, m->own * SOTTO_I_POINT_BYTES, err));
  }
  for (uint32_t i = 0; i < count; i++) SOTTO_TRY(answer(&all[i], c, err));
  for (uint32_t i = 0; i < count; i++) {
    meeting *m = &all[i];
    SOTTO_TRY(send(c, m, tags_name, m->token, m->tags, m->theirs * SOTTO_I_TAG_BYTES, err));
  }
  for (uint32_t i = 0; i < count; i++) {
    meeting *m = &all[i];
    SOTTO_TRY(receive(c, m, tags_name, m->token, m->known, m->own * SOTTO_I_TAG_BYTES, err));
    SOTTO_TRY(match(m, c, err));
  }
  for (uint32_t i = 0; i < count; i++) {
    meeting *m = &all[i];
    SOTTO_TRY(send(c, m, places_name, m->token, m->places, m->theirs * sizeof *m->places, err));
  }
  for (uint32_t i = 0; i < count; i++) {
    meeting *m = &all[i];
    SOTTO_TRY(receive(c, m, places_name, m->token, m->found, m->own * sizeof *m->found, err));
  }
  status = keep_all(c, all, count, err);
done:
  return status;
}

static sotto_status check_size(const sotto_i_federation *f, uint32_t size, uint32_t client,
                               sotto_error *err) {
  const uint64_t most = SOTTO_MOST_IDS / edges_each(f->options);
  if (size > 0 && size <= most) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PROTOCOL, "linked sizes: client %u has %u nodes; 1 to %llu can be",
                      (unsigned)client + 1, (unsigned)size, (unsigned long long)most);
}

/* How many nodes each client has, which is public. */
static sotto_status learn_sizes(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  const uint32_t own = (uint32_t)c->data.graph.nodes;
  const sotto_words words = {
      .name = "linked size", .kind = SOTTO_WIRE_PUBLIC, .data = &own, .rows = 1, .cols = 1};
  const sotto_expectation expected = {
      .name = "linked sizes", .kind = SOTTO_WIRE_PUBLIC, .rows = 1, .cols = f->clients};
  sotto_status status;
  SOTTO_TRY(check_size(f, own, c->number, err));
  SOTTO_TRY(sotto_link_send_words(c->link, &words, err));
  SOTTO_TRY(sotto_link_receive_words(c->link, f->sizes, &expected, err));
  for (uint32_t i = 0; i < f->clients; i++) SOTTO_TRY(check_size(f, f->sizes[i], i, err));
  if (f->sizes[c->number] != own)
    status = sotto_i_fail(err, SOTTO_PROTOCOL, "linked sizes: the server gives this client another size");
done:
  return status;
}

sotto_status sotto_i_fed_linked_meet(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  meeting *all = NULL;
  uint32_t count = 0;
  sotto_status status;
  SOTTO_I_CHECK(sodium_init() >= 0);
  SOTTO_TRY(learn_sizes(c, err));
  SOTTO_TRY(sotto_i_new(&all, f->clients, sizeof *all, err));
  for (uint32_t other = 0; other < f->clients; other++)
    if (other != c->number) SOTTO_TRY(meeting_new(&all[count++], c, other, err));
  SOTTO_TRY(compare(all, count, c, err));
done:
  for (uint32_t i = 0; i < count; i++) meeting_free(&all[i]);
  sotto_i_free(all);
  return status;
}

sotto_status sotto_i_fed_linked_introduce(sotto_i_fed_server *s, sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  const sotto_expectation expected = {.name = "linked size", .kind = SOTTO_WIRE_PUBLIC, .rows = 1, .cols = 1};
  const sotto_words words = {
      .name = "linked sizes", .kind = SOTTO_WIRE_PUBLIC, .data = f->sizes, .rows = 1, .cols = f->clients};
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 0; i < f->clients; i++) {
    SOTTO_TRY(sotto_link_receive_words(s->links[i], &f->sizes[i], &expected, err));
    SOTTO_TRY(check_size(f, f->sizes[i], i, err));
  }
  for (uint32_t i = 0; i < f->clients; i++) SOTTO_TRY(sotto_link_send_words(s->links[i], &words, err));
  SOTTO_TRY(sotto_i_fed_boxes_relay(s, points_name, points_size, err));
  SOTTO_TRY(sotto_i_fed_boxes_relay(s, tags_name, tags_size, err));
  SOTTO_TRY(sotto_i_fed_boxes_relay(s, places_name, places_size, err));
done:
  return status;
}
