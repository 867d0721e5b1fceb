/* What fills missing cells at several owners: a column is filled alike by all that fill it. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "graph/io/csv.h"
#include "naming.h"

static sotto_status index_filled(sotto_i_ids *ids, const sotto_names *names, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint64_t i = 0; status == SOTTO_OK && i < names->count; i++) {
    const char *name = sotto_name(names, i);
    const sotto_i_field field = {(const uint8_t *)name, strlen(name)};
    status = sotto_i_ids_add(ids, &field, err);
  }
  return status;
}

/* "zero", "its own mean" or the value, for people. */
static const char *told(const char *rule) {
  if (strcmp(rule, "mean") == 0) return "its own mean";
  return strncmp(rule, "value ", 6) == 0 ? rule + 6 : rule;
}

static sotto_status add_fill(sotto_i_names_maker *filled, sotto_i_names_maker *fills,
                             const sotto_i_naming *of, uint64_t i, sotto_error *err) {
  const char *name = sotto_name(&of->filled, i), *rule = sotto_name(&of->fills, i);
  const sotto_status status = sotto_i_names_add(filled, name, strlen(name), err);
  return status == SOTTO_OK ? sotto_i_names_add(fills, rule, strlen(rule), err) : status;
}

sotto_status sotto_i_naming_join_fills(sotto_i_naming *known, const sotto_i_naming *said, const char *who,
                                       sotto_error *err) {
  sotto_i_ids ids;
  sotto_i_names_maker filled = {0}, fills = {0};
  sotto_status status;
  sotto_i_ids_init(&ids);
  SOTTO_TRY(index_filled(&ids, &known->filled, err));
  for (uint64_t i = 0; i < known->filled.count; i++) SOTTO_TRY(add_fill(&filled, &fills, known, i, err));
  for (uint64_t i = 0; i < said->filled.count; i++) {
    const char *name = sotto_name(&said->filled, i), *rule = sotto_name(&said->fills, i);
    const uint32_t at = sotto_i_ids_find(&ids, &(sotto_i_field){(const uint8_t *)name, strlen(name)});
    if (at == UINT32_MAX) {
      SOTTO_TRY(add_fill(&filled, &fills, said, i, err));
    } else if (strcmp(sotto_name(&known->fills, at), rule) != 0) {
      status = sotto_i_fail(err, SOTTO_INVALID,
                            "missing: cells of '%.60s' without a value are filled with %.60s at %s, and with "
                            "%.60s at another client. Fill a "
                            "column alike at all clients: declare one value in a schema that all give "
                            "(missing: value, fill: 40), "
                            "or fill with zero",
                            name, told(rule), who, told(sotto_name(&known->fills, at)));
      goto done;
    }
  }
  sotto_i_names_free(&known->filled);
  sotto_i_names_free(&known->fills);
  if (filled.count == 0) goto done;
  SOTTO_TRY(sotto_i_names_finish(&known->filled, &filled, err));
  SOTTO_TRY(sotto_i_names_finish(&known->fills, &fills, err));
done:
  sotto_i_names_maker_free(&filled);
  sotto_i_names_maker_free(&fills);
  sotto_i_ids_free(&ids);
  return status;
}
