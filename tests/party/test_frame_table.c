/* The table of frames in docs/protocol.md, walked against the code: each row is the rule of its kind, and a
 * frame out of its turn or over its size is refused by name, by the rule and by a party that listens. */
#include <signal.h>
#include <unistd.h>

#include "base/file.h"
#include "inside/party.h"
#include "rogue.h"

/* | `Hello` | first | no | 32768 | 0 | ... */
typedef struct row {
  char name[32], when[32], counted[16];
  unsigned body, bulk;
} row;

/* The rows under the heading "Table of frames". */
static size_t read_table(row rows[SOTTO_I_FRAME_KINDS]) {
  char path[600];
  const char *source = getenv("SOTTO_SOURCE");
  size_t count = 0;
  sotto_i_map map;
  (void)snprintf(path, sizeof path, "%s/docs/protocol.md", source == NULL ? "../.." : source);
  CHECK_OK(sotto_i_map_open(&map, path, &err));
  char *text = malloc(map.size + 1), *rest = NULL;
  memcpy(text, map.data, map.size);
  text[map.size] = '\0';
  sotto_i_map_close(&map);
  char *at = strstr(text, "## Table of frames");
  assert_non_null(at);
  for (char *line = strtok_r(at, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    row r;
    if (strncmp(line, "## ", 3) == 0 && line != at) break;
    if (sscanf(line, "| `%31[A-Za-z]` | %31[a-z] | %15[a-z] | %u | %u |", r.name, r.when, r.counted, &r.body,
               &r.bulk) != 5)
      continue;
    assert_true(count < SOTTO_I_FRAME_KINDS);
    rows[count++] = r;
  }
  free(text);
  return count;
}

static void the_document_has_the_rules_of_the_code(void **state) {
  (void)state;
  row rows[SOTTO_I_FRAME_KINDS];
  assert_int_equal(read_table(rows), SOTTO_I_FRAME_KINDS);
  for (size_t i = 0; i < SOTTO_I_FRAME_KINDS; i++) {
    const sotto_i_frame_rule *rule = sotto_i_frame_rule_of((sotto_i_frame_kind)i);
    assert_string_equal(rows[i].name, rule->name);
    assert_string_equal(rows[i].when, rule->first && rule->later ? "always"
                                      : rule->first              ? "first"
                                                                 : "later");
    assert_string_equal(rows[i].counted, rule->counted ? "yes" : "no");
    assert_int_equal(rows[i].body, rule->most_body);
    assert_int_equal(rows[i].bulk, rule->most_bulk);
  }
}

static char longest_name[SOTTO_I_NAME_SIZE], longest_terms[SOTTO_I_MOST_TERMS + 1];

/* A frame with the largest values that its fields may have. */
static sotto_i_frame largest(sotto_i_frame_kind kind) {
  sotto_i_frame frame = {.kind = kind, .number = UINT64_MAX};
  memset(longest_name, 'n', sizeof longest_name - 1);
  memset(longest_terms, 't', sizeof longest_terms - 1);
  memset(frame.reason, 'r', sizeof frame.reason - 1);
  frame.header =
      (sotto_i_header){.kind = SOTTO_WIRE_KINDS - 1, .format = SOTTO_FORMATS - 1, .rows = UINT64_MAX};
  memcpy(frame.header.name, longest_name, sizeof longest_name);
  frame.hello = (sotto_i_hello){.protocol = UINT32_MAX, .terms = longest_terms, .self = {1}, .session = {1}};
  memset(frame.hello.version, 'v', sizeof frame.hello.version - 1);
  memset(frame.hello.role, 'o', sizeof frame.hello.role - 1);
  return frame;
}

static void what_a_party_may_say_fits(void **state) {
  (void)state;
  static uint8_t out[SOTTO_I_PREFIX + SOTTO_I_MOST_BODY];
  for (size_t i = 0; i < SOTTO_I_FRAME_KINDS; i++) {
    const sotto_i_frame frame = largest((sotto_i_frame_kind)i);
    const sotto_i_frame_rule *rule = sotto_i_frame_rule_of(frame.kind);
    size_t body = sotto_i_frame_encode(out, &frame, 0) - SOTTO_I_PREFIX;
    CHECK_OK(sotto_i_frame_may_come(&frame, rule->first, body, rule->most_bulk, &err));
  }
}

/* A frame whose body has `padding` bytes more, in a field that the schema does not know, and which protobuf
 * skips. */
static size_t encode(uint8_t *out, sotto_i_frame_kind kind, size_t padding, size_t bulk) {
  char terms[] = "x: 1\n";
  sotto_i_frame frame = {.kind = kind, .number = 1, .header = {.name = "x", .rows = 0, .cols = 4}};
  frame.hello = (sotto_i_hello){.role = "label", .terms = terms, .self = {1}};
  size_t size = sotto_i_frame_encode(out, &frame, bulk);
  if (padding > 0) {
    const uint8_t field[4] = {0xA2, 0x06, (uint8_t)((padding & 127) | 128), (uint8_t)(padding >> 7)};
    memcpy(out + size, field, sizeof field);
    memset(out + size + sizeof field, 'p', padding);
    size += sizeof field + padding;
    uint32_t body = (uint32_t)(size - SOTTO_I_PREFIX);
    memcpy(out, &body, 4);
  }
  return size;
}

typedef struct attempt {
  bool first; /* before the greeting */
  size_t padding, bulk;
  const char *words; /* after "a NAME "; NULL: it is not refused for turn or size */
} attempt;

/* What a listening party logs of one frame. */
static void send_one(sotto_i_frame_kind kind, const attempt *a) {
  static uint8_t out[SOTTO_I_PREFIX + SOTTO_I_MOST_BODY + 8], bulk[16];
  rogue_log log;
  char address[32], words[100];
  sotto_wire *wire = rogue_listen(&log, address);
  const char *partner = rogue_folder("partner");
  SSL *ssl =
      a->first ? rogue_tls(rogue_dial(address), partner, partner, TLS1_3_VERSION) : rogue_partner(address);
  assert_non_null(ssl);
  rogue_send(ssl, out, encode(out, kind, a->padding, a->bulk));
  if (a->bulk > 0) rogue_send(ssl, bulk, a->bulk);
  (void)snprintf(words, sizeof words, "a %s %s", sotto_i_frame_rule_of(kind)->name, a->words);
  assert_true(rogue_logged(&log, words));
  rogue_close(ssl);
  sotto_wire_free(wire);
}

static void a_frame_out_of_its_turn_is_refused_by_name(void **state) {
  (void)state;
  size_t tried = 0;
  for (size_t i = 0; i < SOTTO_I_FRAME_KINDS; i++) {
    const sotto_i_frame_rule *rule = sotto_i_frame_rule_of((sotto_i_frame_kind)i);
    const attempt early = {.first = true, .words = "may not come before the greeting"};
    const attempt late = {.words = "may not come after the greeting"};
    if (!rule->first) send_one((sotto_i_frame_kind)i, &early);
    if (!rule->later) send_one((sotto_i_frame_kind)i, &late);
    tried += (size_t)!rule->first + (size_t)!rule->later;
  }
  assert_int_equal(tried, 6);
}

static void a_frame_over_its_size_is_refused_by_name(void **state) {
  (void)state;
  for (size_t i = 0; i < SOTTO_I_FRAME_KINDS; i++) {
    const sotto_i_frame_rule *rule = sotto_i_frame_rule_of((sotto_i_frame_kind)i);
    const attempt body = {.padding = rule->most_body, .words = "has a body of"};
    const attempt bulk = {.bulk = 8, .words = "has a bulk of 8 bytes; at most 0 are allowed"};
    if (rule->later) send_one((sotto_i_frame_kind)i, &body); /* a Hello meets the limit of all frames */
    if (rule->later && rule->most_bulk == 0) send_one((sotto_i_frame_kind)i, &bulk);
  }
}

static void nothing_comes_after_finished(void **state) {
  (void)state;
  rogue_log log;
  char address[32];
  sotto_wire *wire = rogue_listen(&log, address);
  SSL *ssl = rogue_partner(address);
  sotto_i_frame frame = {.kind = SOTTO_I_FRAME_FINISHED, .number = 1, .header = {.name = "x", .cols = 4}};
  rogue_send_frame(ssl, &frame, NULL, 0);
  frame.kind = SOTTO_I_FRAME_PAYLOAD;
  frame.number = 2;
  rogue_send_frame(ssl, &frame, NULL, 0);
  assert_true(rogue_logged(&log, "a Payload came after Finished"));
  rogue_close(ssl);
  sotto_wire_free(wire);
}

int main(void) {
  (void)signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_document_has_the_rules_of_the_code),
      cmocka_unit_test(what_a_party_may_say_fits),
      cmocka_unit_test(a_frame_out_of_its_turn_is_refused_by_name),
      cmocka_unit_test(a_frame_over_its_size_is_refused_by_name),
      cmocka_unit_test(nothing_comes_after_finished),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
