/* Ids, draws and statements of runs, against their ledgers. */
#include "spending.h"

#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <sodium.h>
#include <sqlite3.h>

#include "base/file.h"
#include "check.h"
#include "release/draw.h"
#include "run/method/method.h"
#include "sotto/dp.h"

enum { run_digits = 32, most_rows = 1024 };

const char *check_draw_in(const char *id) {
  if (strlen(id) <= run_digits) return NULL;
  for (const char *at = id + run_digits; *at != '\0'; at++)
    if (strspn(at, "0123456789abcdef") >= CHECK_DRAW_DIGITS) return at;
  return NULL;
}

void check_charge_name(char *out, size_t size, const char *id) {
  const char *draw = check_draw_in(id);
  if (draw == NULL)
    (void)snprintf(out, size, "%s", id);
  else
    (void)snprintf(out, size, "%.*s%s", (int)(draw - id - run_digits), id + run_digits,
                   draw + CHECK_DRAW_DIGITS);
}

/* By itself: a draw is the digest, of 16 bytes, of nonce and digest. */
static void name_draw(char out[CHECK_DRAW_DIGITS + 1], const sotto_i_draw *draw) {
  uint8_t both[SOTTO_I_NONCE + sizeof draw->digest], token[CHECK_DRAW_DIGITS / 2];
  memcpy(both, draw->nonce, SOTTO_I_NONCE);
  memcpy(both + SOTTO_I_NONCE, draw->digest, sizeof draw->digest);
  crypto_generichash(token, sizeof token, both, sizeof both, NULL, 0);
  (void)sodium_bin2hex(out, CHECK_DRAW_DIGITS + 1, token, sizeof token);
}

/* The file beside an artifact. */
static bool read_beside(sotto_i_draw *out, const char *path) {
  char beside[1300], nonce[2 * SOTTO_I_NONCE + 1], digest[65];
  (void)snprintf(beside, sizeof beside, "%.1200s.made", path);
  FILE *file = fopen(beside, "r");
  if (file == NULL) return false;
  bool good = fscanf(file, "sotto artifact 1 nonce %32[0-9a-f] digest %64[0-9a-f]", nonce, digest) == 2 &&
              sodium_hex2bin(out->nonce, sizeof out->nonce, nonce, strlen(nonce), NULL, NULL, NULL) == 0 &&
              sodium_hex2bin(out->digest, sizeof out->digest, digest, strlen(digest), NULL, NULL, NULL) == 0;
  (void)fclose(file);
  return good;
}

bool check_draw_beside(char out[CHECK_DRAW_DIGITS + 1], const char *path) {
  sotto_i_draw draw;
  if (!read_beside(&draw, path)) return false;
  name_draw(out, &draw);
  return true;
}

const char *check_in(const sotto_options *o, const char *name) {
  static char paths[4][1200];
  static unsigned next;
  char *path = paths[next++ % 4];
  (void)snprintf(path, sizeof paths[0], "%.1000s/%.150s", o->out, name);
  return path;
}

const char *check_model_in(const sotto_options *o) {
  return check_in(o, sotto_i_model_has_labels(o) ? "owner-only/model.safetensors" : "model.safetensors");
}

/* A row of the ledger, or a draw of a part, which has no cost of its own. */
typedef struct row {
  char id[200], adjacency[16];
  uint8_t digest[32];
  double mu, epsilon;
  bool charge;
} row;

typedef struct rows {
  row of[most_rows];
  size_t count;
} rows;

/* By itself: the texts of the chain's entries. A row of a charge, or of a draw of a part. */
static void read_entry(rows *out, const char *text, bool draws) {
  json_t *entry = json_loads(text, 0, NULL);
  const char *kind = json_string_value(json_object_get(entry, "kind"));
  assert_non_null(kind);
  const bool charge = strcmp(kind, "charge") == 0;
  if (charge || (draws && strcmp(kind, "draw") == 0)) {
    assert_true(out->count < most_rows);
    row *r = &out->of[out->count++];
    *r = (row){.mu = json_number_value(json_object_get(entry, "mu")),
               .epsilon = json_number_value(json_object_get(entry, "epsilon")),
               .charge = charge};
    (void)snprintf(r->id, sizeof r->id, "%s", json_string_value(json_object_get(entry, "id")));
    (void)snprintf(r->adjacency, sizeof r->adjacency, "%s",
                   json_string_value(json_object_get(entry, "level")));
    const char *account = json_string_value(json_object_get(entry, "account"));
    assert_non_null(account);
    assert_int_equal(sodium_hex2bin(r->digest, sizeof r->digest, account, strlen(account), NULL, NULL, NULL),
                     0);
  }
  json_decref(entry);
}

static const rows *rows_of(const sotto_options *o, bool draws) {
  static rows out;
  sqlite3 *db;
  sqlite3_stmt *s = NULL;
  out.count = 0;
  if (!sotto_i_is_file(o->ledger)) return &out;
  assert_int_equal(sqlite3_open(o->ledger, &db), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, "SELECT text FROM entry ORDER BY number", -1, &s, NULL), SQLITE_OK);
  while (sqlite3_step(s) == SQLITE_ROW) read_entry(&out, (const char *)sqlite3_column_text(s, 0), draws);
  (void)sqlite3_finalize(s);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  return &out;
}

uint64_t check_charges_in(const sotto_options *o) {
  return rows_of(o, false)->count;
}

bool check_is_charged(const sotto_options *o, const char *name, const char *draw) {
  const rows *ledger = rows_of(o, true);
  for (size_t i = 0; i < ledger->count; i++) {
    char one[200];
    const char *of = check_draw_in(ledger->of[i].id);
    check_charge_name(one, sizeof one, ledger->of[i].id);
    if (of != NULL && strncmp(of, draw, CHECK_DRAW_DIGITS) == 0 && strcmp(one, name) == 0) return true;
  }
  return false;
}

/* Is the file at `path` of this draw, with the bytes that were drawn? */
static bool is_whole(const char *path, const char *draw) {
  char token[CHECK_DRAW_DIGITS + 1];
  uint8_t digest[32];
  sotto_i_draw beside;
  sotto_i_map map;
  if (!sotto_i_is_file(path) || !read_beside(&beside, path)) return false;
  name_draw(token, &beside);
  CHECK_OK(sotto_i_map_open(&map, path, &err));
  crypto_generichash(digest, sizeof digest, map.data, map.size, NULL, 0);
  sotto_i_map_close(&map);
  return strcmp(token, draw) == 0 && memcmp(digest, beside.digest, sizeof digest) == 0;
}

static bool lies_in(const char *folder, const char *draw) {
  bool found = false;
  DIR *open = opendir(folder);
  if (open == NULL) return false;
  for (struct dirent *entry = NULL; !found && (entry = readdir(open)) != NULL;) {
    char path[1400];
    (void)snprintf(path, sizeof path, "%.1100s/%.200s", folder, entry->d_name);
    found = is_whole(path, draw);
  }
  (void)closedir(open);
  return found;
}

bool check_is_saved(const sotto_options *o, const char *draw) {
  return lies_in(o->out, draw) || lies_in(check_in(o, "seed-1"), draw) ||
         lies_in(check_in(o, "seed-1/owner-only"), draw);
}

static uint64_t count_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_integer(value) ? (uint64_t)json_integer_value(value) : 0;
}

static double number_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : INFINITY;
}

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), other = strlen(end);
  return length >= other && strcmp(text + length - other, end) == 0;
}

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text == NULL ? "" : text;
}

/* Releases that were made, by the statement, of the data's account at a level, or of all other accounts. */
static uint64_t stated(const json_t *s, const char *adjacency) {
  const json_t *list = json_object_get(s, "mechanisms");
  uint64_t sum = 0;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *m = json_array_get(list, i);
    const bool data = strcmp(text_of(m, "account"), "data") == 0;
    if (adjacency == NULL ? !data : data && strcmp(text_of(m, "adjacency"), adjacency) == 0)
      sum += count_of(m, "releases_made");
  }
  return sum;
}

/* What belongs to the data's account, and to it alone: a part's own account pays under "-own", and what is
 * charged under a second level has "-edge". */
static bool is_of_data(const row *r, const uint8_t digest[32]) {
  return memcmp(r->digest, digest, 32) == 0 && !ends_with(r->id, "-own") && !ends_with(r->id, "-edge");
}

size_t check_accounts_of(check_account out[CHECK_MOST_ACCOUNTS], const sotto_options *o) {
  const rows *ledger = rows_of(o, false);
  size_t count = 0, at;
  for (size_t i = 0; i < ledger->count; i++) {
    const row *r = &ledger->of[i];
    const bool own = ends_with(r->id, "-own");
    for (at = 0; at < count; at++)
      if (memcmp(out[at].digest, r->digest, 32) == 0 && strcmp(out[at].adjacency, r->adjacency) == 0 &&
          out[at].own == own)
        break;
    if (at == count) {
      assert_true(count < CHECK_MOST_ACCOUNTS);
      out[count] = (check_account){.own = own};
      memcpy(out[count].digest, r->digest, 32);
      (void)snprintf(out[count++].adjacency, sizeof out[at].adjacency, "%s", r->adjacency);
    }
    out[at].charges++;
    out[at].mu = hypot(out[at].mu, r->mu);
    out[at].epsilon += r->epsilon;
  }
  return count;
}

static const char *const levels[] = {"transfer", "edge", "node"};
enum { level_count = sizeof levels / sizeof *levels };

static void check_counts(const json_t *s, const rows *ledger, const uint8_t digest[32]) {
  uint64_t others = 0;
  for (size_t l = 0; l < level_count; l++) {
    uint64_t found = 0;
    for (size_t i = 0; i < ledger->count; i++)
      found += is_of_data(&ledger->of[i], digest) && strcmp(ledger->of[i].adjacency, levels[l]) == 0;
    if (found != stated(s, levels[l]))
      fail_msg("%s level: the ledger has %llu charges, and the statement %llu", levels[l],
               (unsigned long long)found, (unsigned long long)stated(s, levels[l]));
  }
  for (size_t i = 0; i < ledger->count; i++)
    others += memcmp(ledger->of[i].digest, digest, 32) != 0 && !ends_with(ledger->of[i].id, "-own");
  if (others != stated(s, NULL))
    fail_msg("the ledger has %llu charges of other accounts, and the statement %llu",
             (unsigned long long)others, (unsigned long long)stated(s, NULL));
}

/* Epsilon of the rows of the data's account: exact where all are pure or all Gaussian; else an upper bound,
 * by which the statement's may be below. */
static void check_epsilon(const json_t *s, const rows *ledger, const uint8_t digest[32]) {
  double pure = 0, mu = 0, gaussian = 0, delta = number_of(s, "delta"), told = number_of(s, "total_epsilon");
  for (size_t i = 0; i < ledger->count; i++) {
    if (!is_of_data(&ledger->of[i], digest)) continue;
    pure += ledger->of[i].epsilon;
    mu = hypot(mu, ledger->of[i].mu);
  }
  if (mu > 0) CHECK_OK(sotto_gdp_epsilon(&gaussian, mu, delta, &err));
  const char *accountant = text_of(s, "accountant");
  if (isinf(told)) return; /* the run shows more than these charges cover */
  if (strcmp(accountant, "pld") != 0)
    CHECK_NEAR(told, pure + gaussian, 1e-6);
  else if (told > (pure + gaussian) * (1 + 1e-3) + 1e-3) /* what pld may be too high by */
    fail_msg("the ledger's charges compose to epsilon %g, and the statement says %g", pure + gaussian, told);
}

static bool read_account(uint8_t out[32], const sotto_options *o) {
  const char *path = check_in(o, "owner-only/account.key");
  sotto_i_map map;
  if (!sotto_i_is_file(path)) return false;
  CHECK_OK(sotto_i_map_open(&map, path, &err));
  assert_int_equal(sodium_hex2bin(out, 32, (const char *)map.data, map.size, NULL, NULL, NULL), 0);
  sotto_i_map_close(&map);
  return true;
}

check_spending check_spending_of(const sotto_options *o) {
  json_error_t problem;
  uint8_t digest[32] = {0};
  const rows *ledger = rows_of(o, false);
  json_t *s = json_load_file(check_in(o, "statement.json"), 0, &problem);
  if (s == NULL) fail_msg("%s: %s", o->out, problem.text);
  const json_t *list = json_object_get(s, "mechanisms");
  check_spending out = {.charges = ledger->count,
                        .epsilon = number_of(s, "epsilon"),
                        .total = number_of(s, "total_epsilon"),
                        .total_planned = number_of(s, "total_epsilon_planned")};
  const bool has_account = read_account(digest, o);
  check_counts(s, ledger, digest);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *m = json_array_get(list, i);
    if (json_is_null(json_object_get(m, "releases_made"))) continue; /* another party's account */
    out.planned += count_of(m, "releases_planned");
    out.made += count_of(m, "releases_made");
  }
  for (size_t l = 0; l < level_count; l++) out.data += stated(s, levels[l]);
  if (has_account && out.data > 0) {
    check_epsilon(s, ledger, digest);
    assert_int_equal(count_of(s, "charges_made"), out.data);
  }
  out.others = stated(s, NULL);
  json_decref(s);
  return out;
}
