/* The cost model: work counts times measured constants, and traffic between ranks.
 *
 * Each rank has 1/P of the nodes, with their rows and edges. Its border is the set of other ranks' nodes at
 * the ends of its edges. Before a sparse product it receives the border's rows. After a step all ranks add
 * up their gradients (Thakur et al. 2005: 2 (P-1)/P of the bytes, 2 log2 P messages). */
#include <math.h>

#include "plan.h"

static const double process_bytes = 14e6; /* bytes of a process that trains nothing */
static const double entry_bytes = 4, offset_bytes = 8;
static const double mpi_bytes = 20e6; /* further bytes of a process with MPI */
static const double everywhere_bytes =
    18; /* bytes of each node of the graph, in every rank: label, part, batches */

/* Cost between that in the cache and that in memory, linear in the logarithm of the bytes. */
static double cost_at(const double cost[2], const plan_machine *m, double bytes) {
  const double share = (log(bytes) - log(m->places[0])) / (log(m->places[1]) - log(m->places[0]));
  return cost[0] + (cost[1] - cost[0]) * fmin(fmax(share, 0), 1);
}

static double compute_seconds(const sotto_plan_phase *p, const plan_machine *m, double ranks) {
  const double bytes = fmax(p->rows / ranks * p->width * sizeof(float), 1);
  const double work = p->multiply_adds * cost_at(m->multiply_add, m, bytes) + p->operands * m->operand +
                      p->passes * cost_at(m->pass, m, bytes) + p->curves * m->curve + p->scaled * m->scaled +
                      p->normed * m->normed + p->copied * m->copied + p->draws * m->draw +
                      p->gathers * cost_at(m->gather, m, bytes) + p->sums * cost_at(m->sum, m, bytes) +
                      p->normals * m->normal + p->scores * m->score;
  return (double)p->times * work / ranks;
}

/* Expected number of distinct nodes of other ranks at the ends of a rank's edges, if cut edges end at
 * uniform random nodes. */
static double border_rows(const sotto_plan_shape *shape, const plan_ranks *r) {
  const double ranks = (double)r->ranks, others = (double)shape->nodes * (1 - 1 / ranks);
  const double cut = r->cut < 0 ? 1 - 1 / ranks : r->cut;
  if (r->ranks == 1) return 0;
  return others * -expm1(-2 * (double)shape->edges / ranks * cut / others);
}

static void add_traffic(plan_phase_time *out, const sotto_plan_phase *p, const plan_ranks *r, double border) {
  const double ranks = (double)r->ranks;
  if (r->ranks == 1) return;
  const double rows = border * p->exchanged * sizeof(float);
  const double gradients = p->reduced > 0 ? 2 * (ranks - 1) / ranks * p->reduced * sizeof(float) : 0;
  const double messages = p->exchanges * (ranks - 1) + (p->reduced > 0 ? 2 * ceil(log2(ranks)) : 0);
  const double dealt = p->dealt / ranks * (1 - 1 / ranks) * sizeof(float);
  const double gathered = p->gathered / ranks * sizeof(float); /* rank 0 receives the rows of all others */
  const double slowest = rows + dealt + gathered * (ranks - 1) + gradients;
  out->sent = (double)p->times * (rows + dealt + gathered + gradients);
  out->traffic = (double)p->times * (slowest / r->bandwidth + messages * r->latency);
}

/* Bytes of a rank (docs/mpi.md), more than a share of the graph. Border rows are stored on receipt, and own
 * rows once more when they are sent. Batches of a training come before and after, not at the same time. */
static double own_memory(const sotto_plan_work *work, double nodes, double ranks, double border,
                         double at_once) {
  const double rows = (2 * border + nodes) * at_once + border + work->rank_values * nodes;
  return mpi_bytes + everywhere_bytes * nodes * ranks + sizeof(float) * fmax(rows, work->batch_values);
}

void plan_predict(plan_result *out, const sotto_plan_work *work, const sotto_plan_shape *shape,
                  const plan_machine *machine, const plan_ranks *r) {
  const double ranks = (double)r->ranks, nodes = (double)shape->nodes / ranks;
  double widest = 0, at_once = 0;
  *out = (plan_result){.border = border_rows(shape, r)};
  for (size_t i = 0; i < work->count; i++) {
    const sotto_plan_phase *p = &work->phases[i];
    plan_phase_time *t = &out->phases[i];
    t->compute = compute_seconds(p, machine, ranks);
    add_traffic(t, p, r, out->border);
    out->all.compute += t->compute;
    out->all.traffic += t->traffic;
    out->all.sent += t->sent;
    if (p->exchanges > 0) widest = fmax(widest, p->width);
    at_once = fmax(at_once, p->at_once);
  }
  const double graph = 2 * (double)shape->edges / ranks * entry_bytes + nodes * offset_bytes;
  out->memory = process_bytes + graph;
  if (work->all_bytes > 0)
    out->memory = work->all_bytes;
  else if (r->ranks > 1 && work->rank_values > 0)
    out->memory += own_memory(work, nodes, ranks, out->border, at_once);
  else
    out->memory += out->border * (widest * sizeof(float) + offset_bytes) +
                   sizeof(float) * (work->node_values * nodes + work->batch_values);
}
