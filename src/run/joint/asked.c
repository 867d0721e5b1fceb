/* The start of a joint prediction. The payload "asked" carries the name of the run and the number of nodes
 * that this side asks for; then the asking side sends "asked.nodes". With several parties all messages pass
 * through the server. */
#include "asked.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/party.h"

const char *sotto_i_learns_name(sotto_learns learns) {
  static const char *const names[] = {"label", "data", "both"};
  return names[learns];
}

/* The name that both folders have had since the end of the run (party_run.c). */
sotto_status sotto_i_run_name_read(sotto_i_run_name *out, const char *run, sotto_error *err) {
  char *path = NULL;
  sotto_i_map map = {0};
  sotto_status status;
  *out = (sotto_i_run_name){{0}};
  SOTTO_TRY(sotto_i_join(&path, run, "finished", err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  for (size_t i = 0; map.size == 2 * sizeof *out && i < map.size; i++) {
    const char digit = (char)map.data[i];
    const uint32_t value = (uint32_t)(digit >= 'a' ? digit - 'a' + 10 : digit - '0') & 15U;
    out->words[i / 8] = out->words[i / 8] << 4 | value;
  }
done:
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}

enum { first_words = SOTTO_I_RUN_WORDS + 1 };

static sotto_status send_request(sotto_link *link, const uint32_t *words, sotto_error *err) {
  const sotto_words payload = {"asked", SOTTO_WIRE_PUBLIC, NULL, words, 1, first_words};
  return sotto_link_send_words(link, &payload, err);
}

static sotto_status receive_request(uint32_t *words, sotto_link *link, sotto_error *err) {
  const sotto_expectation expected = {"asked", SOTTO_WIRE_PUBLIC, 1, first_words, 0};
  return sotto_link_receive_words(link, words, &expected, err);
}

static sotto_status check_name(const uint32_t *own, const uint32_t *theirs, sotto_error *err) {
  static const uint32_t unknown[SOTTO_I_RUN_WORDS];
  const size_t size = sizeof unknown;
  if (memcmp(own, unknown, size) == 0 || memcmp(theirs, unknown, size) == 0 || memcmp(own, theirs, size) == 0)
    return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "the other party's folder is of another run with the same options; both have to give the "
      "folders of one run");
}

static sotto_status receive_nodes(uint32_t *nodes, size_t count, sotto_link *link, uint64_t all,
                                  sotto_error *err) {
  const sotto_expectation expected = {SOTTO_I_ASKED_NODES, SOTTO_WIRE_EXPOSED, 1, count, 0};
  sotto_status status = sotto_link_receive_words(link, nodes, &expected, err);
  for (size_t i = 0; status == SOTTO_OK && i < count; i++)
    if (nodes[i] >= all || (i > 0 && nodes[i] <= nodes[i - 1]))
      return sotto_i_fail(err, SOTTO_PROTOCOL,
                          "the list of nodes that came is not in ascending order below %llu",
                          (unsigned long long)all);
  return status;
}

static sotto_status send_nodes(const uint32_t *nodes, size_t count, sotto_link *link, sotto_error *err) {
  const sotto_words words = {SOTTO_I_ASKED_NODES, SOTTO_WIRE_EXPOSED, SOTTO_I_ASKED_REASON, nodes, 1, count};
  return sotto_link_send_words(link, &words, err);
}

/* At most one side may give a list. */
static sotto_status check_asked(uint32_t mine, uint32_t other, uint64_t all, sotto_error *err) {
  if (mine > 0 && other > 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "both parties name nodes; let one side give them, the other none");
  if (other > all)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "%u nodes are asked for, and there are %llu", (unsigned)other,
                        (unsigned long long)all);
  return SOTTO_OK;
}

/* Allocates the nodes: the list of the asking side, or all nodes; *count of them. */
static sotto_status begin_list(uint32_t **nodes, size_t *count, const sotto_asking *asking, uint32_t other,
                               uint64_t all, sotto_error *err) {
  const size_t mine = asking->nodes == NULL ? 0 : asking->count;
  *count = mine > 0 ? mine : other > 0 ? other : all;
  const sotto_status status = sotto_i_new_raw(nodes, *count, sizeof **nodes, err);
  if (status != SOTTO_OK) return status;
  if (mine > 0)
    memcpy(*nodes, asking->nodes, *count * sizeof **nodes);
  else
    for (uint32_t v = 0; v < *count; v++) (*nodes)[v] = v;
  return SOTTO_OK;
}

static sotto_status agree_two(uint32_t **nodes, size_t *count, sotto_link *link, const sotto_asking *asking,
                              const uint32_t own[first_words], uint64_t all, sotto_error *err) {
  uint32_t theirs[first_words];
  sotto_status status;
  SOTTO_TRY(send_request(link, own, err));
  SOTTO_TRY(receive_request(theirs, link, err));
  SOTTO_TRY(check_name(own, theirs, err));
  const uint32_t mine = own[SOTTO_I_RUN_WORDS], other = theirs[SOTTO_I_RUN_WORDS];
  SOTTO_TRY(check_asked(mine, other, all, err));
  SOTTO_TRY(begin_list(nodes, count, asking, other, all, err));
  if (mine > 0)
    SOTTO_TRY(send_nodes(*nodes, *count, link, err));
  else if (other > 0)
    SOTTO_TRY(receive_nodes(*nodes, *count, link, all, err));
done:
  return status;
}

/* The server collects the requests, and sends the agreed one to all. */
static sotto_status agree_as_server(uint32_t **nodes, size_t *count, const sotto_i_links *links,
                                    const sotto_asking *asking, uint32_t own[first_words], uint64_t all,
                                    sotto_error *err) {
  uint32_t theirs[first_words], *asked = &own[SOTTO_I_RUN_WORDS];
  sotto_link *asker = NULL;
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < links->count; i++) {
    SOTTO_TRY(receive_request(theirs, links->all[i], err));
    SOTTO_TRY(check_asked(*asked, theirs[SOTTO_I_RUN_WORDS], all, err));
    if (theirs[SOTTO_I_RUN_WORDS] == 0) continue;
    *asked = theirs[SOTTO_I_RUN_WORDS];
    asker = links->all[i];
  }
  SOTTO_TRY(begin_list(nodes, count, asking, *asked, all, err));
  if (asker != NULL) SOTTO_TRY(receive_nodes(*nodes, *count, asker, all, err));
  for (size_t i = 0; i < links->count; i++) {
    SOTTO_TRY(send_request(links->all[i], own, err));
    if (*asked > 0 && links->all[i] != asker) SOTTO_TRY(send_nodes(*nodes, *count, links->all[i], err));
  }
done:
  return status;
}

static sotto_status agree_as_member(uint32_t **nodes, size_t *count, sotto_link *server,
                                    const sotto_asking *asking, const uint32_t own[first_words], uint64_t all,
                                    sotto_error *err) {
  const uint32_t mine = own[SOTTO_I_RUN_WORDS];
  uint32_t said[first_words];
  sotto_status status;
  SOTTO_TRY(send_request(server, own, err));
  if (mine > 0) SOTTO_TRY(send_nodes(asking->nodes, mine, server, err));
  SOTTO_TRY(receive_request(said, server, err));
  const uint32_t asked = said[SOTTO_I_RUN_WORDS];
  if (mine > 0 && asked != mine)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the server says that %u nodes are asked for, and it was %u",
                        (unsigned)asked, (unsigned)mine);
  SOTTO_TRY(check_asked(0, asked, all, err));
  SOTTO_TRY(begin_list(nodes, count, asking, asked, all, err));
  if (mine == 0 && asked > 0) SOTTO_TRY(receive_nodes(*nodes, *count, server, all, err));
done:
  return status;
}

sotto_status sotto_i_asked_agree(uint32_t **nodes, size_t *count, const sotto_i_links *links,
                                 const sotto_asking *asking, const sotto_i_run_name *name, uint64_t all,
                                 sotto_error *err) {
  uint32_t own[first_words] = {0};
  memcpy(own, name->words, sizeof name->words);
  own[SOTTO_I_RUN_WORDS] = asking->nodes == NULL ? 0 : (uint32_t)asking->count;
  if (!links->several) return agree_two(nodes, count, links->all[0], asking, own, all, err);
  if (links->server) return agree_as_server(nodes, count, links, asking, own, all, err);
  return agree_as_member(nodes, count, links->all[0], asking, own, all, err);
}

sotto_status sotto_i_asked_count(uint32_t *nodes, const sotto_i_links *links, sotto_error *err) {
  const sotto_words words = {SOTTO_I_ASKED_COUNT, SOTTO_WIRE_PUBLIC, NULL, nodes, 1, 1};
  const sotto_expectation expected = {SOTTO_I_ASKED_COUNT, SOTTO_WIRE_PUBLIC, 1, 1, 0};
  uint32_t said = 0, first = 0;
  if (!links->server) return sotto_link_send_words(links->all[0], &words, err);
  for (size_t i = 0; i < links->count; i++) {
    const sotto_status status = sotto_link_receive_words(links->all[i], &said, &expected, err);
    if (status != SOTTO_OK) return status;
    if (i == 0) first = said;
    if (said == 0 || said != first)
      return sotto_i_fail(err, SOTTO_PROTOCOL,
                          "one holder says that its data has %u nodes, and another one %u; all need the same "
                          "nodes in one order: find the common ones first (align)",
                          (unsigned)first, (unsigned)said);
  }
  *nodes = first;
  return SOTTO_OK;
}

/* Terms are in ascending order of keys, and these keys are neighbours. */
sotto_status sotto_i_asked_terms(char **out, const sotto_options *options, const sotto_asking *asking,
                                 uint64_t seed, bool stays, sotto_error *err) {
  char own[140], other[48] = "", *terms = NULL;
  const char *rest;
  sotto_status status;
  if (asking->epsilon > 0) (void)snprintf(other, sizeof other, "predict.epsilon: %.17g\n", asking->epsilon);
  (void)snprintf(own, sizeof own, "%spredict.learns: %s\npredict.seed: %llu\n%s", other,
                 sotto_i_learns_name(asking->learns), (unsigned long long)seed,
                 stays ? "predict.stays: true\n" : "");
  SOTTO_TRY(sotto_options_terms(&terms, options, err));
  for (rest = terms; *rest != '\0' && strcmp(rest, own) < 0;) rest = strchr(rest, '\n') + 1;
  const size_t size = strlen(terms) + strlen(own) + 1;
  SOTTO_TRY(sotto_i_new(out, size, 1, err));
  (void)snprintf(*out, size, "%.*s%s%s", (int)(rest - terms), terms, own, rest);
done:
  sotto_text_free(terms);
  return status;
}
