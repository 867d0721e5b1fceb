/* Files of checked sums for an arbiter. One table of fields serves for writing and for reading. */
#include "dispute_file.h"

#include <jansson.h>
#include <math.h>
#include <sodium.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "run/files/folder_file.h"
#include "verify.h"

enum { form = 1, most_name = 64 };

static const sotto_i_folder_file refused_files = {
    "seed-*/refused-*.json", SOTTO_I_FOR_PARTY,
    "what a refused client and the helper signed of one round of checked sums"};
static const sotto_i_folder_file sent_files = {"seed-*/sent-*.json", SOTTO_I_FOR_OWNER,
                                               "random: the seed of a client's shares of one round"};

/* A field of fixed size in a record. */
typedef struct field {
  const char *name;
  size_t at, size;
} field;
#define OF_REFUSAL(name, member)                                                                             \
  { name, offsetof(sotto_i_check_refusal, member), sizeof((sotto_i_check_refusal *)NULL)->member }
#define OF_KEPT(name, member)                                                                                \
  { name, offsetof(sotto_i_check_kept, member), sizeof((sotto_i_check_kept *)NULL)->member }

static const field refused_fields[] = {
    OF_REFUSAL("run", of.run),          OF_REFUSAL("model", of.model),
    OF_REFUSAL("helper_key", key),      OF_REFUSAL("sealed_seed", box),
    OF_REFUSAL("challenge", challenge), OF_REFUSAL("coin", coin),
    OF_REFUSAL("evidence", evidence),   OF_REFUSAL("helper_signature", signature)};
static const field sent_fields[] = {OF_KEPT("run", of.run), OF_KEPT("model", of.model),
                                    OF_KEPT("sealed_seed", box), OF_KEPT("seed", seed),
                                    OF_KEPT("opening", opening)};
enum {
  refused_count = sizeof refused_fields / sizeof *refused_fields,
  sent_count = sizeof sent_fields / sizeof *sent_fields
};

static bool put_hex(json_t *root, const char *name, const void *bytes, size_t size) {
  char *text = NULL;
  if (sotto_i_new(&text, 2 * size + 1, 1, NULL) != SOTTO_OK) return false;
  sotto_i_hex(text, bytes, size);
  const bool good = json_object_set_new(root, name, json_string(text)) == 0;
  sodium_memzero(text, 2 * size);
  sotto_i_free(text);
  return good;
}

static bool put_fields(json_t *root, const field *fields, size_t count, const void *record) {
  bool good = true;
  for (size_t i = 0; i < count; i++)
    good &= put_hex(root, fields[i].name, (const uint8_t *)record + fields[i].at, fields[i].size);
  return good;
}

/* Takes ownership of root. */
static sotto_status save(json_t *root, bool good, const char *folder, const sotto_i_folder_file *file,
                         const char *name, sotto_error *err) {
  char *text = good ? json_dumps(root, JSON_INDENT(2)) : NULL;
  sotto_status status = text == NULL
                            ? sotto_i_fail(err, SOTTO_NOMEM, "%s/%s: no memory to write it", folder, name)
                            : sotto_i_folder_write(folder, file, name, NULL, text, strlen(text), err);
  json_decref(root);
  if (text != NULL) sodium_memzero(text, strlen(text));
  free(text);
  return status;
}

static void name_file(char out[most_name], const char *what, uint32_t client, uint64_t round,
                      const uint8_t *box) {
  char hex[9];
  sotto_i_hex(hex, box, 4);
  (void)snprintf(out, most_name, "%s-client%u-round%llu-%s.json", what, (unsigned)client + 1,
                 (unsigned long long)round, hex);
}

sotto_status sotto_i_dispute_keep_refused(const char *folder, const sotto_i_check_refusal *r,
                                          sotto_error *err) {
  const size_t points = sotto_i_check_message_sizes(&r->plan).points;
  char name[most_name];
  json_t *root = json_pack("{s:i,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "form", form, "record", "refused",
                           "client", (json_int_t)r->client + 1, "clients", (json_int_t)r->clients, "round",
                           (json_int_t)r->of.round, "place", (json_int_t)r->place + 1, "taking",
                           (json_int_t)r->plan.clients, "least", (json_int_t)r->plan.least, "values",
                           (json_int_t)r->plan.values, "bound", (json_int_t)r->plan.bound);
  const bool good = root != NULL && put_fields(root, refused_fields, refused_count, r) &&
                    put_hex(root, "points", r->points, points * sizeof *r->points) &&
                    put_hex(root, "helper_points", r->helper_points, points * sizeof *r->helper_points);
  name_file(name, "refused", r->client, r->of.round, r->box);
  return save(root, good, folder, &refused_files, name, err);
}

sotto_status sotto_i_dispute_keep_sent(const char *folder, const sotto_i_check_kept *kept, sotto_error *err) {
  char name[most_name];
  json_t *root = json_pack("{s:i,s:s,s:I,s:I}", "form", form, "record", "sent", "client",
                           (json_int_t)kept->client + 1, "round", (json_int_t)kept->of.round);
  const bool good = root != NULL && put_fields(root, sent_fields, sent_count, kept);
  name_file(name, "sent", kept->client, kept->of.round, kept->box);
  return save(root, good, folder, &sent_files, name, err);
}

/* A file that is being read. */
typedef struct reading {
  json_t *root;
  const char *path;
  sotto_error *err;
} reading;

static sotto_status fail_missing(const reading *r, const char *name, const char *what) {
  return sotto_i_fail(r->err, SOTTO_CORRUPT,
                      "%.300s: '%s' is not %s: the file is cut short or was changed; get it again", r->path,
                      name, what);
}

static sotto_status get_number(uint64_t *out, const reading *r, const char *name, uint64_t most) {
  const json_t *value = json_object_get(r->root, name);
  char what[48];
  if (json_is_integer(value) && json_integer_value(value) >= 1 &&
      (uint64_t)json_integer_value(value) <= most) {
    *out = (uint64_t)json_integer_value(value);
    return SOTTO_OK;
  }
  (void)snprintf(what, sizeof what, "a number from 1 to %llu", (unsigned long long)most);
  return fail_missing(r, name, what);
}

static sotto_status get_place(uint32_t *out, const reading *r, const char *name, uint64_t most) {
  uint64_t number = 1;
  const sotto_status status = get_number(&number, r, name, most);
  *out = (uint32_t)(number - 1);
  return status;
}

static sotto_status get_hex(void *out, const reading *r, const char *name, size_t size) {
  char what[48];
  if (sotto_i_verify_hex(out, size, sotto_i_verify_words(r->root, name))) return SOTTO_OK;
  (void)snprintf(what, sizeof what, "%zu hexadecimal digits", 2 * size);
  return fail_missing(r, name, what);
}

static sotto_status get_fields(void *record, const reading *r, const field *fields, size_t count) {
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; status == SOTTO_OK && i < count; i++)
    status = get_hex((uint8_t *)record + fields[i].at, r, fields[i].name, fields[i].size);
  return status;
}

static sotto_status open_record(reading *r, const char *what) {
  const json_t *version;
  sotto_status status;
  SOTTO_TRY(sotto_i_verify_load(&r->root, r->path, r->err));
  version = json_object_get(r->root, "form");
  if (strcmp(sotto_i_verify_words(r->root, "record"), what) != 0)
    status = sotto_i_fail(r->err, SOTTO_INVALID,
                          "%.300s: is no record '%s' of a checked sum; the server keeps 'refused', and each "
                          "client 'sent', in seed-N/owner-only/ of its run folder",
                          r->path, what);
  else if (!json_is_integer(version) || json_integer_value(version) != form)
    status = sotto_i_fail(r->err, SOTTO_UNSUPPORTED,
                          "%.300s: has another form than %d: read it with the version of sotto that wrote it",
                          r->path, form);
done:
  return status;
}

static sotto_status get_plan(sotto_i_check_refusal *out, const reading *r) {
  uint64_t number = 0;
  sotto_status status;
  SOTTO_TRY(get_number(&number, r, "clients", SOTTO_I_CHECK_MOST_CLIENTS));
  out->clients = (uint32_t)number;
  SOTTO_TRY(get_place(&out->client, r, "client", out->clients));
  SOTTO_TRY(get_number(&out->of.round, r, "round", INT64_MAX));
  SOTTO_TRY(get_number(&number, r, "taking", out->clients));
  out->plan.clients = (uint32_t)number;
  SOTTO_TRY(get_place(&out->place, r, "place", out->plan.clients));
  SOTTO_TRY(get_number(&number, r, "least", out->plan.clients));
  out->plan.least = (uint32_t)number;
  SOTTO_TRY(get_number(&number, r, "values", SOTTO_I_CHECK_MOST_VALUES));
  out->plan.values = (size_t)number;
  SOTTO_TRY(get_number(&out->plan.bound, r, "bound", (uint64_t)1 << SOTTO_I_CHECK_BOUND_BITS));
done:
  return status;
}

sotto_status sotto_i_dispute_read_refused(sotto_i_check_refusal *out, const char *path, sotto_error *err) {
  reading r = {.path = path, .err = err};
  size_t points;
  sotto_status status;
  SOTTO_TRY(open_record(&r, "refused"));
  SOTTO_TRY(get_plan(out, &r));
  SOTTO_TRY(get_fields(out, &r, refused_fields, refused_count));
  points = sotto_i_check_message_sizes(&out->plan).points;
  SOTTO_TRY(sotto_i_new(&out->points, points, sizeof *out->points, err));
  SOTTO_TRY(sotto_i_new(&out->helper_points, points, sizeof *out->helper_points, err));
  SOTTO_TRY(get_hex(out->points, &r, "points", points * sizeof *out->points));
  SOTTO_TRY(get_hex(out->helper_points, &r, "helper_points", points * sizeof *out->helper_points));
done:
  json_decref(r.root);
  return status;
}

void sotto_i_dispute_free_refused(sotto_i_check_refusal *refusal) {
  sotto_i_free(refusal->points);
  sotto_i_free(refusal->helper_points);
}

sotto_status sotto_i_dispute_read_sent(sotto_i_check_kept *out, const char *path, sotto_error *err) {
  reading r = {.path = path, .err = err};
  sotto_status status;
  SOTTO_TRY(open_record(&r, "sent"));
  SOTTO_TRY(get_place(&out->client, &r, "client", SOTTO_I_CHECK_MOST_CLIENTS));
  SOTTO_TRY(get_number(&out->of.round, &r, "round", INT64_MAX));
  SOTTO_TRY(get_fields(out, &r, sent_fields, sent_count));
done:
  json_decref(r.root);
  return status;
}
