/* The constants of the cost model as JSON. */
#include <math.h>
#include <stddef.h>

#include "base/error.h"
#include "plan.h"

static const struct {
  const char *name;
  size_t offset;
  size_t count;
} members[] = {{"threads", offsetof(plan_machine, threads), 1},
               {"places_bytes", offsetof(plan_machine, places), 2},
               {"multiply_add", offsetof(plan_machine, multiply_add), 2},
               {"operand", offsetof(plan_machine, operand), 1},
               {"pass", offsetof(plan_machine, pass), 2},
               {"gather", offsetof(plan_machine, gather), 2},
               {"sum", offsetof(plan_machine, sum), 2},
               {"curve", offsetof(plan_machine, curve), 1},
               {"scaled", offsetof(plan_machine, scaled), 1},
               {"normed", offsetof(plan_machine, normed), 1},
               {"copied", offsetof(plan_machine, copied), 1},
               {"draw", offsetof(plan_machine, draw), 1},
               {"normal", offsetof(plan_machine, normal), 1},
               {"score", offsetof(plan_machine, score), 1}};
enum { member_count = sizeof members / sizeof *members };

json_t *plan_machine_json(const plan_machine *machine) {
  json_t *out = json_object();
  for (size_t i = 0; i < member_count; i++) {
    const double *value = (const double *)(const void *)((const char *)machine + members[i].offset);
    json_t *item = members[i].count == 1 ? json_real(value[0]) : json_pack("[f, f]", value[0], value[1]);
    if (json_object_set_new(out, members[i].name, item) != 0) {
      json_decref(out);
      return NULL;
    }
  }
  return out;
}

static sotto_status read_number(double *value, const json_t *item, const char *name, const char *path,
                                sotto_error *err) {
  if (!json_is_number(item))
    return sotto_i_fail(err, SOTTO_PARSE, "%s: %s is not what `--measure` writes; measure again", path, name);
  *value = json_number_value(item);
  if (!(*value >= 0) || !isfinite(*value))
    return sotto_i_fail(err, SOTTO_RANGE, "%s: %s must be a number of at least 0", path, name);
  return SOTTO_OK;
}

sotto_status plan_machine_read(plan_machine *out, const char *path, sotto_error *err) {
  json_error_t wrong;
  sotto_status status = SOTTO_OK;
  json_t *document = json_load_file(path, 0, &wrong);
  if (document == NULL) return sotto_i_fail(err, SOTTO_PARSE, "%s: %s", path, wrong.text);
  const json_t *from = json_object_get(document, "machine");
  for (size_t i = 0; i < member_count && status == SOTTO_OK; i++) {
    double *value = (double *)(void *)((char *)out + members[i].offset);
    const json_t *item = json_object_get(from, members[i].name);
    for (size_t k = 0; k < members[i].count && status == SOTTO_OK; k++)
      status = read_number(&value[k], members[i].count == 1 ? item : json_array_get(item, k), members[i].name,
                           path, err);
  }
  if (status == SOTTO_OK && !(out->places[0] > 0 && out->places[1] > out->places[0]))
    status = sotto_i_fail(err, SOTTO_RANGE, "%s: places_bytes must ascend from above 0", path);
  json_decref(document);
  return status;
}
