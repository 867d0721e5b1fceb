/* Which node trains, validates and tests: the label party decides, since it knows which nodes have labels,
 * and says so to the data party, as a public payload. */
#include "party_split.h"

#include "base/error.h"
#include "base/memory.h"
#include "inside/graph.h"

static const char payload[] = "split";

sotto_status sotto_i_send_split(sotto_link *link, const sotto_split *split, uint64_t nodes,
                                sotto_error *err) {
  sotto_matrix parts = {0};
  sotto_status status = sotto_matrix_new(&parts, nodes, 1, err);
  if (status != SOTTO_OK) return status;
  for (int part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    for (size_t i = 0; i < split->count[part]; i++) parts.data[split->rows[part][i]] = (float)part;
  status = sotto_link_send_public(link, payload, &parts, err);
  sotto_matrix_free(&parts);
  return status;
}

/* Every part except NONE must have a node: training needs all three. */
static sotto_status check_parts(const sotto_split *split, sotto_error *err) {
  for (int part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    if (split->count[part] == 0)
      return sotto_i_fail(err, SOTTO_PROTOCOL, "the split that came leaves part %d without a node", part);
  return SOTTO_OK;
}

sotto_status sotto_i_receive_split(sotto_split *out, sotto_link *link, uint64_t nodes, sotto_error *err) {
  sotto_status status;
  sotto_matrix parts = {0};
  uint8_t *bytes = NULL;
  const sotto_expectation expected = {payload, SOTTO_WIRE_PUBLIC, nodes, 1, 0};
  SOTTO_TRY(sotto_matrix_new(&parts, nodes, 1, err));
  SOTTO_TRY(sotto_i_new(&bytes, nodes, 1, err));
  SOTTO_TRY(sotto_link_receive(link, &parts, &expected, err));
  for (uint64_t i = 0; i < nodes; i++) {
    float part = parts.data[i];
    if (part != 0 && part != 1 && part != 2 && part != 3) {
      status = sotto_i_fail(err, SOTTO_PROTOCOL, "the split that came has a part %g", part);
      goto done;
    }
    bytes[i] = (uint8_t)part;
  }
  const sotto_dataset shown = {.graph = {.nodes = nodes}, .split = bytes};
  SOTTO_TRY(sotto_split_public(out, &shown, err));
  SOTTO_TRY(check_parts(out, err));
done:
  sotto_matrix_free(&parts);
  sotto_i_free(bytes);
  return status;
}
