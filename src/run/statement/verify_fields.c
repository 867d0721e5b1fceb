/* Verification of a statement against itself: verdicts must follow from the figures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "verify.h"

double sotto_i_verify_number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

sotto_status sotto_i_verify_load(json_t **out, const char *path, sotto_error *err) {
  sotto_i_map map = {0};
  json_error_t where;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  *out = json_loadb((const char *)map.data, map.size, JSON_REJECT_DUPLICATES, &where);
  if (*out == NULL) {
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: line %d is not JSON: %.150s", path, where.line, where.text);
  } else if (!json_is_object(*out)) {
    json_decref(*out);
    *out = NULL;
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: is not a JSON object", path);
  }
done:
  sotto_i_map_close(&map);
  return status;
}

const char *sotto_i_verify_words(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text == NULL ? "" : text;
}

/* Numbers are written with ten digits. */
static bool close_to(double a, double b) {
  return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-8 * fmax(fabs(a), fabs(b));
}

static sotto_status fail_verdict(sotto_error *err, size_t number, const char *field, const char *what) {
  return sotto_i_fail(err, SOTTO_CORRUPT,
                      "statement.json: verdicts[%zu].%s does not follow from %s: the file was changed",
                      number, field, what);
}

/* Does the rest of the text name this class, with a reason if the class can have one? "strong)", "vacuous:
 * why)" */
static bool ends_with_class(const char *rest, sotto_guarantee class) {
  const char *name = sotto_guarantee_describe(class)->name;
  const size_t length = strlen(name), all = strlen(rest);
  if (strncmp(rest, name, length) != 0 || all <= length || rest[all - 1] != ')') return false;
  return rest[length] == ')' ? all == length + 1
                             : class == SOTTO_GUARANTEE_VACUOUS && strncmp(rest + length, ": ", 2) == 0;
}

/* Does the text have the form "epsilon 4, a guess is right at most 99 times of 100 (moderate)", or say that
 * nothing is protected? Rounding to ten digits may have moved a number across a step of these words. */
static bool text_says(const char *text, double epsilon, double delta, sotto_guarantee class) {
  static const double sides[] = {1 - 1e-8, 1, 1 + 1e-8};
  char guess[SOTTO_GUARANTEE_WORDS], number[SOTTO_EPSILON_WORDS], wanted[120];
  if (class == SOTTO_GUARANTEE_NONE) return strncmp(text, ": NOT protected", 15) == 0;
  if (epsilon == 0 && strcmp(text, ": no edge was used") == 0) return true;
  for (size_t i = 0; i < 9; i++) {
    sotto_epsilon_words(number, epsilon * sides[i / 3]);
    sotto_guarantee_guess_words(guess, sizeof guess, sotto_guarantee_guess(epsilon * sides[i % 3], delta));
    const int length = snprintf(wanted, sizeof wanted, ": epsilon %s, a guess is right %s (", number, guess);
    if (strncmp(text, wanted, (size_t)length) == 0 && ends_with_class(text + length, class)) return true;
  }
  return false;
}

static int class_of(const char *name) {
  for (int i = 0; i < SOTTO_GUARANTEES; i++)
    if (strcmp(sotto_guarantee_describe((sotto_guarantee)i)->name, name) == 0) return i;
  return -1;
}

/* A class may be worse than its epsilon allows, for a reason that the verdict gives, but never better. */
static sotto_status check_verdict(const json_t *v, size_t number, sotto_error *err) {
  const double epsilon = sotto_i_verify_number(v, "epsilon"), delta = sotto_i_verify_number(v, "delta"),
               guess = sotto_i_verify_number(v, "guess");
  const int class = class_of(sotto_i_verify_words(v, "class"));
  const bool none = class == SOTTO_GUARANTEE_NONE;
  if (class < 0 || (!none && class < (int)sotto_guarantee_of(epsilon, delta)) || (none && !isnan(epsilon)))
    return fail_verdict(err, number, "class", "its epsilon and delta");
  const sotto_guarantee_row *row = sotto_guarantee_describe((sotto_guarantee) class);
  if (strcmp(row->colour, sotto_i_verify_words(v, "colour")) != 0)
    return fail_verdict(err, number, "colour", "its class");
  if (!close_to(guess, none ? NAN : sotto_guarantee_guess(epsilon, delta)))
    return fail_verdict(err, number, "guess", "its epsilon and delta");
  const char *of = sotto_i_verify_words(v, "of"), *text = sotto_i_verify_words(v, "text");
  if (strncmp(text, of, strlen(of)) != 0) return fail_verdict(err, number, "text", "its of");
  if (!text_says(text + strlen(of), epsilon, delta, (sotto_guarantee) class))
    return fail_verdict(err, number, "text", "its epsilon and delta");
  return SOTTO_OK;
}

static sotto_status fail_different(const json_t *s, size_t number, const char *field, double value,
                                   const char *of, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_CORRUPT,
                      "statement.json: verdicts[%zu].%s is %.6g, %s is %.6g: the file was changed", number,
                      field, value, of, sotto_i_verify_number(s, of));
}

/* "edges of `bank`": any owner is allowed; the data must follow from the adjacency (verdict.c). */
static bool is_subject(const char *of, const char *adjacency) {
  static const struct {
    const char *adjacency, *subject;
  } subjects[] = {{"transfer", "transfers of `"},
                  {"edge", "edges of `"},
                  {"node", "nodes, with features and edges, of `"},
                  {"graph", "graphs of `"},
                  {"graph", "embeddings of graphs of `"},
                  {"client", "all data of `"}};
  unsigned long long several;
  int used = 0;
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
    if (strcmp(adjacency, subjects[i].adjacency) == 0 &&
        strncmp(of, subjects[i].subject, strlen(subjects[i].subject)) == 0)
      return true;
  return strcmp(adjacency, "k-neighbour") == 0 &&
         sscanf(of, "up to %llu edges of a node of `%n", &several, &used) == 1 && used > 0;
}

/* The verdict of the dataset's account: its figures must be those of the statement. */
static sotto_status check_data(const json_t *s, const json_t *v, size_t number, double epsilon, double delta,
                               sotto_error *err) {
  const double all = delta * sotto_i_verify_number(json_object_get(s, "dataset"), "nodes");
  if (!close_to(epsilon, sotto_i_verify_number(s, "total_epsilon")))
    return fail_different(s, number, "epsilon", epsilon, "total_epsilon", err);
  if (epsilon == 0) return SOTTO_OK;
  if (json_is_true(json_object_get(s, "insecure"))) return fail_verdict(err, number, "class", "insecure");
  if (!close_to(delta, sotto_i_verify_number(s, "delta")))
    return fail_different(s, number, "delta", delta, "delta", err);
  if (all >= 1 + 1e-8 && class_of(sotto_i_verify_words(v, "class")) < SOTTO_GUARANTEE_VACUOUS)
    return fail_verdict(err, number, "class", "delta times the number of nodes");
  if (!is_subject(sotto_i_verify_words(v, "of"), sotto_i_verify_words(s, "adjacency")))
    return fail_verdict(err, number, "of", "adjacency");
  return SOTTO_OK;
}

/* The label party's accounts have their own objects; account "none" promises nothing. */
static sotto_status check_figures(const json_t *s, const json_t *v, size_t number, sotto_error *err) {
  static const char *const objects[][3] = {{"labels", "labels", "epsilon"},
                                           {"label edges", "label_edges", "total_epsilon"}};
  const double epsilon = sotto_i_verify_number(v, "epsilon"), delta = sotto_i_verify_number(v, "delta");
  const char *account = sotto_i_verify_words(v, "account");
  if (isnan(epsilon)) return SOTTO_OK;
  if (strcmp(account, "data") == 0) return check_data(s, v, number, epsilon, delta, err);
  for (size_t i = 0; i < 2; i++) {
    const double stated = sotto_i_verify_number(json_object_get(s, objects[i][1]), objects[i][2]);
    if (strcmp(account, objects[i][0]) != 0) continue;
    if (epsilon >= stated * (1 - 1e-8) && !json_is_true(json_object_get(s, "insecure"))) return SOTTO_OK;
    return fail_verdict(err, number, "epsilon", objects[i][1]);
  }
  return fail_verdict(err, number, "epsilon", "its account");
}

static sotto_status check_totals(const json_t *s, sotto_error *err) {
  const double epsilon = sotto_i_verify_number(s, "epsilon"),
               total = sotto_i_verify_number(s, "total_epsilon"),
               repeats = sotto_i_verify_number(s, "repeats");
  if ((repeats == 1 && !close_to(epsilon, total)) || epsilon > total * (1 + 1e-8))
    return sotto_i_fail(
        err, SOTTO_CORRUPT,
        "statement.json: epsilon is %.6g, total_epsilon of %.0f trainings is %.6g: the file was "
        "changed",
        epsilon, repeats, total);
  if (json_is_null(json_object_get(s, "ledger")) && sotto_i_verify_number(s, "charges_made") > 0)
    return sotto_i_fail(err, SOTTO_CORRUPT,
                        "statement.json: charges_made is %.0f, and ledger is null: the file was changed",
                        sotto_i_verify_number(s, "charges_made"));
  return SOTTO_OK;
}

sotto_status sotto_i_verify_fields(const json_t *s, sotto_error *err) {
  const json_t *list = json_object_get(s, "verdicts"), *v;
  const char *joined = sotto_i_verify_words(s, "verdict");
  size_t i;
  int worst = -1;
  sotto_status status = SOTTO_OK;
  if (json_array_size(list) == 0)
    return sotto_i_fail(err, SOTTO_CORRUPT, "statement.json: verdicts is empty: the file was changed");
  json_array_foreach(list, i, v) {
    const char *text = sotto_i_verify_words(v, "text");
    const size_t length = strlen(text);
    SOTTO_TRY(check_verdict(v, i, err));
    SOTTO_TRY(check_figures(s, v, i, err));
    if (json_is_true(json_object_get(v, "own"))) {
      const int class = class_of(sotto_i_verify_words(v, "class"));
      worst = class > worst ? class : worst;
    }
    if (strncmp(joined, text, length) != 0 ||
        strncmp(joined + length, i + 1 < json_array_size(list) ? "; " : "", 2) != 0)
      return fail_verdict(err, i, "text", "verdict");
    joined += length + (i + 1 < json_array_size(list) ? 2 : 0);
  }
  if (worst < 0 || worst != class_of(sotto_i_verify_words(s, "verdict_class")))
    return sotto_i_fail(err, SOTTO_CORRUPT,
                        "statement.json: verdict_class does not follow from verdicts: the file was changed");
  SOTTO_TRY(check_totals(s, err));
done:
  return status;
}

static sotto_status fail_unequal(const json_t *a, const json_t *b, const char *field, sotto_error *err) {
  enum { flags = JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6) };
  char *here = a == NULL ? NULL : json_dumps(a, flags), *there = b == NULL ? NULL : json_dumps(b, flags);
  const sotto_status status = sotto_i_fail(
      err, SOTTO_CORRUPT, "statement.json: %s is %.80s, result.json has %.80s: a file was changed", field,
      here == NULL ? "missing" : here, there == NULL ? "none" : there);
  free(here);
  free(there);
  return status;
}

static sotto_status same_members(json_t *a, json_t *b, const char *field, sotto_error *err) {
  char name[160];
  const char *key;
  json_t *value;
  sotto_status status = SOTTO_OK;
  json_object_foreach(b, key, value) {
    if (field[0] == '\0' && strcmp(key, "date") == 0) continue; /* each file has its own date */
    (void)snprintf(name, sizeof name, "%.100s%s%.50s", field, field[0] == '\0' ? "" : ".", key);
    SOTTO_TRY(sotto_i_verify_same(json_object_get(a, key), value, name, err));
  }
  json_object_foreach(a, key, value) {
    (void)snprintf(name, sizeof name, "%.100s%s%.50s", field, field[0] == '\0' ? "" : ".", key);
    if (json_object_get(b, key) == NULL) SOTTO_TRY(fail_unequal(value, NULL, name, err));
  }
done:
  return status;
}

/* Errors name the first field that differs, such as mechanisms[0].noise. */
sotto_status sotto_i_verify_same(json_t *a, json_t *b, const char *field, sotto_error *err) {
  char name[160];
  json_t *value;
  size_t i;
  sotto_status status = SOTTO_OK;
  if (json_equal(a, b)) return SOTTO_OK;
  if (json_is_object(a) && json_is_object(b)) return same_members(a, b, field, err);
  if (!json_is_array(a) || !json_is_array(b) || json_array_size(a) != json_array_size(b))
    return fail_unequal(a, b, field, err);
  json_array_foreach(b, i, value) {
    (void)snprintf(name, sizeof name, "%.100s[%zu]", field, i);
    SOTTO_TRY(sotto_i_verify_same(json_array_get(a, i), value, name, err));
  }
done:
  return status;
}
