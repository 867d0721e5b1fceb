/* Entries as text. An entry's text is never written anew, since hashes are over its bytes. */
#include "entry.h"

#include <jansson.h>
#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "inside/dp.h"

static const char *const kinds[SOTTO_I_ENTRY_KINDS] = {"ledger",      "account", "version", "budget",
                                                       "lock",        "close",   "charge",  "draw",
                                                       "not-private", "data",    "move"};

const char *sotto_i_entry_kind_name(sotto_i_entry_kind kind) {
  return kinds[kind];
}

/* A member of a struct, and its key. */
typedef struct field {
  const char *key;
  enum { TEXT, HEX, REAL, COUNT, FLAG } type;
  size_t offset;
} field;

#define FIELD(type, member)                                                                                  \
  { #member, type, offsetof(sotto_i_entry, member) }
static const field entry_fields[] = {FIELD(HEX, account),   FIELD(TEXT, among),   FIELD(HEX, data),
                                     FIELD(REAL, delta),    FIELD(REAL, epsilon), FIELD(TEXT, id),
                                     FIELD(FLAG, insecure), FIELD(TEXT, level),   FIELD(TEXT, mechanism),
                                     FIELD(REAL, mu),       FIELD(TEXT, name),    FIELD(TEXT, nodes),
                                     FIELD(HEX, owner),     FIELD(COUNT, part),   FIELD(TEXT, path),
                                     FIELD(TEXT, reason),   FIELD(TEXT, rows),    FIELD(TEXT, run),
                                     FIELD(FLAG, scratch),  FIELD(TEXT, time),    FIELD(TEXT, user)};
#undef FIELD
#define FIELD(type, member)                                                                                  \
  { #member, type, offsetof(sotto_mechanism, member) }
static const field release_fields[] = {
    FIELD(COUNT, count),      FIELD(REAL, noise),    FIELD(REAL, sensitivity), FIELD(REAL, rate),
    FIELD(COUNT, population), FIELD(COUNT, batch),   FIELD(COUNT, layers),     FIELD(REAL, lipschitz),
    FIELD(REAL, epsilon),     FIELD(COUNT, choices), FIELD(COUNT, sampled),    FIELD(COUNT, epochs),
    FIELD(COUNT, sample),     FIELD(COUNT, degree),  FIELD(REAL, slack)};
#undef FIELD
enum {
  entry_count = sizeof entry_fields / sizeof *entry_fields,
  release_count = sizeof release_fields / sizeof *release_fields
};

static json_t *text_value(const char *text) {
  json_t *value = json_string(text);
  char *ascii = value == NULL ? strdup(text) : NULL;
  if (ascii == NULL) return value;
  for (char *at = ascii; *at != '\0'; at++)
    if (((unsigned char)*at & 0x80U) != 0) *at = '?';
  value = json_string(ascii);
  free(ascii);
  return value;
}

/* The JSON value of a member. NULL with *absent: it has the same value as in `usual`. */
static json_t *json_value(const void *of, const void *usual, const field *f, bool *absent) {
  const void *at = (const char *)of + f->offset, *other = (const char *)usual + f->offset;
  char hex[65];
  *absent = false;
  switch (f->type) {
  case TEXT:
    *absent = *(const char *const *)at == NULL;
    return *absent ? NULL : text_value(*(const char *const *)at);
  case HEX:
    *absent = memcmp(at, other, 32) == 0;
    sotto_i_hex(hex, at, 32);
    return *absent ? NULL : json_string(hex);
  case REAL:
    *absent = *(const double *)at == *(const double *)other;
    return *absent ? NULL : json_real(*(const double *)at);
  case COUNT:
    *absent = *(const uint64_t *)at == *(const uint64_t *)other;
    return *absent ? NULL : json_integer((json_int_t) * (const uint64_t *)at);
  default:
    *absent = !*(const bool *)at;
    return *absent ? NULL : json_true();
  }
}

static bool put_fields(json_t *object, const void *of, const void *usual, const field *fields, size_t count) {
  for (size_t i = 0; i < count; i++) {
    bool absent;
    json_t *value = json_value(of, usual, &fields[i], &absent);
    if (!absent && json_object_set_new(object, fields[i].key, value) != 0) return false;
  }
  return true;
}

/* The pair of outputs of any mechanism with this epsilon and delta 0 is counted as that of randomised
 * response, which has the largest loss. Entries say which they are. */
static const char pure[] = "pure";

static const char *release_name(const sotto_i_entry *entry) {
  const char *name = sotto_mechanism_name(entry->release.kind);
  const bool other = entry->mechanism != NULL && strcmp(entry->mechanism, name) != 0;
  return entry->release.kind == SOTTO_MECHANISM_RANDOMIZED_RESPONSE && entry->release.epsilon > 0 && other
             ? pure
             : name;
}

static bool put_mechanism(json_t *object, const sotto_i_entry *entry) {
  const sotto_mechanism *release = &entry->release;
  const sotto_mechanism usual = sotto_mechanism_default(release->kind);
  json_t *inner = json_object();
  if (inner == NULL) return false;
  bool good = json_object_set_new(inner, "kind", json_string(release_name(entry))) == 0 &&
              put_fields(inner, release, &usual, release_fields, release_count);
  return json_object_set_new(object, "release", inner) == 0 && good;
}

sotto_status sotto_i_entry_write(char **out, const sotto_i_entry *entry, sotto_error *err) {
  static const sotto_i_entry usual;
  json_t *object = json_object();
  bool good = object != NULL && json_object_set_new(object, "kind", json_string(kinds[entry->kind])) == 0 &&
              put_fields(object, entry, &usual, entry_fields, entry_count) &&
              (!entry->has_release || put_mechanism(object, entry));
  *out = good ? json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENSURE_ASCII) : NULL;
  json_decref(object);
  return *out != NULL ? SOTTO_OK : sotto_i_fail(err, SOTTO_NOMEM, "no memory for an entry of the ledger");
}

static bool take_hex(uint8_t out[32], json_t *value) {
  size_t used = 0;
  const char *text = json_string_value(value);
  return text != NULL && strlen(text) == 64 && sodium_hex2bin(out, 32, text, 64, NULL, &used, NULL) == 0 &&
         used == 32;
}

static bool take_value(void *to, json_t *value, const field *f) {
  void *at = (char *)to + f->offset;
  switch (f->type) {
  case TEXT:
    *(const char **)at = json_string_value(value);
    return json_is_string(value);
  case HEX:
    return take_hex(at, value);
  case REAL:
    *(double *)at = json_number_value(value);
    return json_is_number(value) && isfinite(json_number_value(value));
  case COUNT:
    *(uint64_t *)at = (uint64_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0;
  default:
    *(bool *)at = true;
    return json_is_true(value);
  }
}

static const field *field_named(const field *fields, size_t count, const char *key) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(fields[i].key, key) == 0) return &fields[i];
  return NULL;
}

static bool take_mechanism(sotto_i_entry *out, json_t *object) {
  const char *key, *kind = json_string_value(json_object_get(object, "kind"));
  json_t *value;
  if (kind == NULL) return false;
  if (strcmp(kind, pure) == 0) kind = sotto_mechanism_name(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
  if (sotto_mechanism_from_name(&out->release.kind, kind, NULL) != SOTTO_OK) return false;
  out->release = sotto_mechanism_default(out->release.kind);
  out->has_release = true;
  json_object_foreach(object, key, value) {
    const field *f = field_named(release_fields, release_count, key);
    if (f == NULL ? strcmp(key, "kind") != 0 : !take_value(&out->release, value, f)) return false;
  }
  return sotto_mechanism_check(&out->release, NULL) == SOTTO_OK;
}

static bool take_kind(sotto_i_entry *out, const char *kind) {
  for (int i = 0; kind != NULL && i < SOTTO_I_ENTRY_KINDS; i++)
    if (strcmp(kind, kinds[i]) == 0) {
      out->kind = (sotto_i_entry_kind)i;
      return true;
    }
  return false;
}

static bool take_members(sotto_i_entry *out, json_t *object) {
  const char *key;
  json_t *value;
  if (!take_kind(out, json_string_value(json_object_get(object, "kind")))) return false;
  json_object_foreach(object, key, value) {
    const field *f = field_named(entry_fields, entry_count, key);
    if (f != NULL ? take_value(out, value, f) : strcmp(key, "kind") == 0) continue;
    if (f != NULL || strcmp(key, "release") != 0 || !take_mechanism(out, value)) return false;
  }
  return out->time != NULL;
}

sotto_status sotto_i_entry_read(sotto_i_entry *out, const char *text, sotto_error *err) {
  json_error_t where;
  *out = (sotto_i_entry){.storage = json_loads(text, JSON_REJECT_DUPLICATES, &where)};
  if (out->storage == NULL && json_error_code(&where) == json_error_out_of_memory)
    return sotto_i_fail(err, SOTTO_NOMEM, "no memory for an entry of the ledger");
  if (out->storage != NULL && take_members(out, out->storage)) return SOTTO_OK;
  sotto_i_entry_free(out);
  return sotto_i_fail(err, SOTTO_CORRUPT, "an entry has a form that this program does not write");
}

void sotto_i_entry_free(sotto_i_entry *entry) {
  json_decref(entry->storage);
  *entry = (sotto_i_entry){0};
}

void sotto_i_entry_hash(uint8_t out[32], const uint8_t previous[32], const char *text) {
  crypto_hash_sha256_state state;
  char hex[65];
  sotto_i_hex(hex, previous, 32);
  crypto_hash_sha256_init(&state);
  crypto_hash_sha256_update(&state, (const uint8_t *)hex, 64);
  crypto_hash_sha256_update(&state, (const uint8_t *)text, strlen(text));
  crypto_hash_sha256_final(&state, out);
}
