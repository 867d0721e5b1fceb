/* Cells of the matrix, compared with how steps end. */
#include "matrix_cells.h"

#include "check.h"
#include "sotto/generate.h"

sotto_i_standing check_standing(const check_case *c, sotto_step step, sotto_place place) {
  unsigned adjacency = 0;
  sotto_options o;
  sotto_options_default(&o);
  check_set(&o, "method", c->method->name);
  check_set(&o, "adjacency", c->adjacency);
  adjacency = sotto_i_adjacency_bit(&o);
  return sotto_i_standing_of(&(sotto_i_case){c->method, c->variant, adjacency}, step, place);
}

void check_cell(check_cells *seen, const check_case *c, sotto_step step, sotto_place place,
                sotto_status status, const char *refusal) {
  const sotto_i_standing s = check_standing(c, step, place);
  const char *what = sotto_step_name(step), *where = sotto_place_name(place);
  if (!s.meant) fail_msg("%s, %s, %s: the matrix has no such thing, and it was tried", c->name, what, where);
  if (s.why == NULL && status != SOTTO_OK)
    fail_msg("%s, %s, %s: the matrix says yes, and: %s", c->name, what, where, refusal);
  if (s.why != NULL && status == SOTTO_OK)
    fail_msg("%s, %s, %s: the matrix says '%s', and it works", c->name, what, where, s.why);
  if (s.why != NULL && strstr(refusal, s.why) == NULL)
    fail_msg("%s, %s, %s: the matrix says '%s', and the refusal '%s'", c->name, what, where, s.why, refusal);
  *(s.why == NULL ? &seen->there : &seen->lacking) += 1;
}

check_case_data check_other_data_new(void) {
  const sotto_sbm_options sbm = {.nodes = 150,
                                 .classes = 3,
                                 .features = 5,
                                 .degree_inside = 5,
                                 .degree_outside = 1,
                                 .feature_signal = 2};
  check_case_data out = {.graph = check_communities(&sbm), .max_degree = "149"};
  sotto_key key;
  sotto_key_public(&key, 3);
  CHECK_OK(sotto_split_ego(&out.collection, &out.graph, 1, 20, &key, &err));
  out.transfers = check_with_transfers(&out.graph, false);
  return out;
}
