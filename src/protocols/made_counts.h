/* Counts on a made graph: what a run would count if its edges were as assumed. No edge of the data is read.
 */
#ifndef SOTTO_SRC_PROTOCOLS_MADE_COUNTS_H
#define SOTTO_SRC_PROTOCOLS_MADE_COUNTS_H

#include "inside/dp.h"
#include "rounds.h"

/* What is assumed of a graph that nobody may look at. */
typedef struct sotto_i_made_graph {
  double degree;    /* mean number of neighbours; it has a geometric law */
  double homophily; /* share of neighbours that are of the node's own class whatever its size; the others are
                       of any class by its share */
} sotto_i_made_graph;
/* The usual assumption for classes with these shares: eight neighbours a node. Among the neighbours of a
 * class's members the class has four times its odds. The class is the rarer one of two, and of more one of
 * even share. */
sotto_i_made_graph sotto_i_made_usual(size_t classes, double rarest);

/* Labelled nodes on which is estimated: those of training and validation that are no pilots. */
typedef struct sotto_i_made_nodes {
  const sotto_i_rounds *rounds; /* borrowed */
  sotto_i_clusters clusters;    /* owned: by class, as the first round asks for them */
  uint8_t *plain;               /* owned: levels by features alone, of training nodes too */
  uint32_t *nodes;              /* owned: `count` of them, in a random order */
  int32_t *labels;              /* owned: by their order */
  uint32_t *members;            /* owned: of each class, training nodes before those of validation */
  size_t *from, *middle; /* owned: where these begin; classes + 1 numbers, and where validation begins */
  uint8_t *alike;        /* owned: levels of a release of sums of weights, by node */
  double times;          /* how often a test node counts one neighbour there, on the average */
  double rarest;         /* share of the class with the fewest members, which is `rare` */
  size_t rare;
  size_t count, all; /* in `nodes`, at most a number that bounds the cost; and in `members` */
  double trained;    /* share of all nodes that train */
} sotto_i_made_nodes;
/* The rounds have begun, with noise. Nodes and classes are drawn by the seed's key. Errors: NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_made_nodes_new(sotto_i_made_nodes *out, const sotto_i_rounds *rounds,
                                                   sotto_error *err);
void sotto_i_made_nodes_free(sotto_i_made_nodes *nodes);

/* One draw of counts. */
typedef struct sotto_i_made_draw {
  sotto_i_made_graph graph;
  const sotto_laplace_grid *noise; /* NULL: none */
  size_t cells; /* 0: counts are by class. Else in so many cells, of which a class's own has the neighbours
                   that would be of its class, and the others are in any */
  double apart; /* above 0: such a share of the relations with the rarest class is in two cells of their own
                   in place of that, one a direction, as made payments are; all others are in any */
  size_t count; /* of the first nodes */
  bool pilots;  /* they count every neighbour once */
  bool raw;     /* as counts are released, and not as corrections read them */
  const sotto_matrix *weights; /* of cells (transfer_weights.h): one sum of test nodes in place of counts */
  uint32_t number;             /* separates draws */
} sotto_i_made_draw;
/* x (fresh, draw->count x cells, classes or 1): what corrections read of such counts. Errors: NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_made_counts(sotto_matrix *x, const sotto_i_made_nodes *nodes,
                                                const sotto_i_made_draw *draw, sotto_error *err);
/* Has the made node at this place counts in such a draw? */
bool sotto_i_made_hears(const sotto_i_made_nodes *nodes, const sotto_i_made_draw *draw, size_t place);
/* weights (fresh: sotto_i_transfer_weights_new): of the draw's cells, as two groups of so many pilots learn
 * them, by class and by cell. Errors: NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_made_weights(sotto_params **weights, const sotto_i_made_nodes *nodes,
                                                 const sotto_i_made_draw *draw, size_t pilots,
                                                 sotto_error *err);

#endif
