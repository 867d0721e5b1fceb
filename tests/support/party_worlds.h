/* Two worlds of a placement, which differ in one private item of one party. */
#ifndef SOTTO_TESTS_SUPPORT_PARTY_WORLDS_H
#define SOTTO_TESTS_SUPPORT_PARTY_WORLDS_H

#include "placements.h"
#include "registry_cases.h"

/* What differs: of an edge, a node or a graph the party's first; of a party with edges to others the first of
 * these. At graph and client level sizes are private
 * too: a node is missing. */
typedef enum check_change {
  CHECK_NO_CHANGE,
  CHECK_AN_EDGE,
  CHECK_A_TRANSFER, /* between two nodes that have others */
  CHECK_A_NODE,
  CHECK_A_GRAPH,
  CHECK_A_GRAPH_ALIKE, /* of the same size, which the variant exposes */
  CHECK_A_CLIENT,
  CHECK_A_LABEL,
  CHECK_NO_FEATURE, /* no node has the first feature */
  CHECK_A_FEATURE   /* one node alone has it */
} check_change;

/* What is private of a party in a case. Clients but the first: nothing, since all are alike. */
check_change check_change_of(const check_case *c, const check_party *p);

typedef struct check_worlds {
  const check_case *c;
  check_placement parties;
  check_change change[CHECK_MOST_PARTIES];
  sotto_dataset data[CHECK_MOST_PARTIES][2];
  sotto_dataset had[CHECK_MOST_PARTIES]; /* of which they are made, and which edges to others are lent by */
} check_worlds;

/* `features`: where features are private, the worlds differ in them alone. Free with check_worlds_free. */
void check_worlds_new(check_worlds *out, const check_case *c, const sotto_options *options,
                      const check_case_data *data, bool features);
/* Writes all parties' data and ledgers: of the second world for the party at this place, of the first for all
 * others; parties.count: for all. */
void check_worlds_enter(const check_worlds *w, size_t changed);
void check_worlds_free(check_worlds *w);

#endif
