/* Prototypes of other clients with which a generated row is compared. */
#include "candidates.h"

#include "base/memory.h"
#include "prototypes.h"

void sotto_i_candidates_free(sotto_i_candidates *c) {
  sotto_i_free(c->begin);
  sotto_i_free(c->members);
  sotto_i_free(c->group_of);
  *c = (sotto_i_candidates){.begin = NULL};
}

sotto_status sotto_i_candidates_by_client(sotto_i_candidates *out, size_t groups, size_t each,
                                          sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_candidates){.groups = groups};
  SOTTO_TRY(sotto_i_new(&out->begin, groups + 1, sizeof *out->begin, err));
  SOTTO_TRY(sotto_i_new(&out->members, groups * each, sizeof *out->members, err));
  for (size_t g = 0; g <= groups; g++) out->begin[g] = g * each;
  for (size_t i = 0; i < groups * each; i++) out->members[i] = (uint32_t)i;
done:
  if (status != SOTTO_OK) sotto_i_candidates_free(out);
  return status;
}

/* For each class the one of most labelled neighbours of its labelled nodes. Ties go to the class itself,
 * then to the lowest; without such neighbours it is the class itself. */
static sotto_status find_partners(uint32_t *partner, const sotto_i_labelled *of, sotto_error *err) {
  size_t classes = of->classes;
  uint64_t *pairs = NULL;
  bool *labelled = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&pairs, classes * classes, sizeof *pairs, err));
  SOTTO_TRY(sotto_i_labelled_flags(&labelled, of, err));
  for (size_t i = 0; i < of->count; i++) {
    uint32_t v = of->rows[i];
    for (uint64_t e = of->graph->offsets[v]; e < of->graph->offsets[v + 1]; e++) {
      uint32_t u = of->graph->targets[e];
      if (labelled[u]) pairs[(size_t)of->labels[v] * classes + (size_t)of->labels[u]]++;
    }
  }
  for (size_t y = 0; y < classes; y++) {
    partner[y] = (uint32_t)y;
    for (uint32_t c = 0; c < classes; c++)
      if (pairs[y * classes + c] > pairs[y * classes + partner[y]]) partner[y] = c;
  }
done:
  sotto_i_free(pairs);
  sotto_i_free(labelled);
  return status;
}

/* Collects the non-empty rows of class c and bucket b, or of every bucket (b = buckets); returns their
 * number. */
static size_t collect_rows(uint32_t *members, const sotto_matrix *others, size_t clients, size_t each,
                           size_t buckets, size_t c, size_t b) {
  size_t count = 0;
  for (size_t client = 0; client < clients; client++)
    for (size_t k = 0; k < buckets; k++) {
      size_t row = client * each + c * buckets + k;
      if ((b == buckets || k == b) && !sotto_i_is_empty_row(others, row)) members[count++] = (uint32_t)row;
    }
  return count;
}

sotto_status sotto_i_candidates_by_class(sotto_i_candidates *out, const sotto_matrix *others, size_t clients,
                                         size_t buckets, const sotto_i_labelled *of, sotto_error *err) {
  size_t classes = of->classes, each = classes * buckets;
  uint32_t *partner = NULL;
  sotto_status status;
  *out = (sotto_i_candidates){.groups = classes + 1}; /* the last group is empty */
  SOTTO_TRY(sotto_i_new(&partner, classes, sizeof *partner, err));
  SOTTO_TRY(sotto_i_new(&out->begin, classes + 2, sizeof *out->begin, err));
  SOTTO_TRY(sotto_i_new(&out->members, classes * clients * buckets, sizeof *out->members, err));
  SOTTO_TRY(sotto_i_new(&out->group_of, of->graph->nodes, sizeof *out->group_of, err));
  SOTTO_TRY(sotto_i_likely_classes(out->group_of, of, err));
  SOTTO_TRY(find_partners(partner, of, err));
  for (size_t y = 0; y < classes; y++) {
    uint32_t *members = out->members + out->begin[y];
    size_t found = buckets > 1 ? collect_rows(members, others, clients, each, buckets, partner[y], y) : 0;
    if (found == 0) found = collect_rows(members, others, clients, each, buckets, partner[y], buckets);
    out->begin[y + 1] = out->begin[y] + found;
  }
  out->begin[classes + 1] = out->begin[classes];
done:
  sotto_i_free(partner);
  if (status != SOTTO_OK) sotto_i_candidates_free(out);
  return status;
}
