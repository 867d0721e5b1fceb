/* How one dataset comes to several clients: the forms of a partition. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "inside/graph.h"
#include "sotto/split.h"

/* What follows the word; NULL: the text does not begin with it. */
static const char *after(const char *text, const char *word) {
  return strncmp(text, word, strlen(word)) == 0 ? text + strlen(word) : NULL;
}

static sotto_status read_concentration(double *out, const char *text, sotto_error *err) {
  sotto_status status = sotto_i_parse_double(out, text, "partition: dirichlet", err);
  if (status == SOTTO_OK && !(*out >= 1e-3 && *out <= 1e6))
    return sotto_i_fail(err, SOTTO_RANGE, "partition: a concentration of %.40s is outside 0.001 to 1e6",
                        text);
  return status;
}

static sotto_status read_kind(sotto_partition *out, const char *text, sotto_error *err) {
  static const char *const words[] = {"alike", "communities", "cut"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(text, words[i]) == 0) {
      *out = (sotto_partition){.kind = (sotto_partition_kind)i};
      return SOTTO_OK;
    }
  const char *concentration = after(text, "dirichlet:"), *path = after(text, "file:");
  *out = (sotto_partition){.kind = SOTTO_PARTITION_DIRICHLET};
  if (concentration != NULL) return read_concentration(&out->concentration, concentration, err);
  *out = (sotto_partition){.kind = SOTTO_PARTITION_FILE, .path = path};
  if (path != NULL && path[0] != '\0') return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "partition: '%.80s' is none of alike, communities, cut, dirichlet:A and file:PATH",
                      text);
}

sotto_status sotto_partition_read(sotto_partition *out, const char *text, sotto_error *err) {
  const char *rest = after(text, "linked:");
  const sotto_status status = read_kind(out, rest == NULL ? text : rest, err);
  out->linked = rest != NULL;
  return status;
}

sotto_status sotto_deal(uint32_t *owner, uint32_t *clients, const sotto_dataset *data,
                        const sotto_partition *partition, const sotto_key *key, sotto_error *err) {
  switch (partition->kind) {
  case SOTTO_PARTITION_ALIKE:
    return sotto_deal_iid(owner, data, *clients, key, err);
  case SOTTO_PARTITION_COMMUNITIES:
    return sotto_deal_communities(owner, data, *clients, key, err);
  case SOTTO_PARTITION_CUT:
    return sotto_deal_cut(owner, data, *clients, key, err);
  case SOTTO_PARTITION_DIRICHLET:
    return sotto_deal_dirichlet(owner, data, *clients, partition->concentration, key, err);
  case SOTTO_PARTITION_FILE:
    return sotto_deal_list(owner, clients, data, partition->path, err);
  }
  return sotto_i_fail(err, SOTTO_INVALID, "partition: there is no kind %d", (int)partition->kind);
}
