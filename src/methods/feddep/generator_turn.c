/* One epoch of the generator: its hidden nodes, and the lists for its losses. */
#include <string.h>

#include "base/memory.h"
#include "generator.h"

/* Sub-streams of (key, batch). */
enum { stream_hide = 7, stream_others = 8 };

void sotto_i_generator_turn_free(sotto_i_generator_turn *t) {
  sotto_graph_free(&t->visible);
  sotto_i_hops_free(&t->hops);
  sotto_i_free(t->hidden);
  sotto_i_free(t->wanted);
  sotto_i_free(t->made);
  sotto_i_free(t->predicted);
  sotto_i_free(t->seen);
  sotto_i_free(t->completed);
  sotto_i_free(t->learnt);
  sotto_i_free(t->begin);
  sotto_i_free(t->group_begin);
  sotto_i_free(t->list);
  sotto_i_free(t->group_list);
  sotto_i_free(t->nearest);
  sotto_i_free(t->group_nearest);
  *t = (sotto_i_generator_turn){.hidden = NULL};
}

sotto_status sotto_i_generator_turn_new(sotto_i_generator_turn *out, const sotto_i_generator *generator,
                                        const sotto_i_generator_data *data, sotto_error *err) {
  uint64_t nodes = data->graph->nodes;
  const sotto_i_candidates none = {.groups = 0}, *c = data->candidates != NULL ? data->candidates : &none;
  size_t places = nodes * generator->options.most, others = c->groups > 0 ? c->begin[c->groups] : 0;
  sotto_status status;
  *out = (sotto_i_generator_turn){.hidden = NULL};
  SOTTO_TRY(sotto_i_new(&out->hidden, nodes, sizeof(bool), err));
  SOTTO_TRY(sotto_i_new(&out->wanted, nodes, sizeof(float), err));
  SOTTO_TRY(sotto_i_new(&out->made, nodes, sizeof(uint32_t), err));
  SOTTO_TRY(sotto_i_new(&out->predicted, nodes, sizeof(uint32_t), err));
  SOTTO_TRY(sotto_i_new(&out->seen, nodes, sizeof(uint32_t), err));
  SOTTO_TRY(sotto_i_new(&out->completed, nodes, sizeof(uint32_t), err));
  SOTTO_TRY(sotto_i_new(&out->learnt, data->training_count, sizeof(uint32_t), err));
  SOTTO_TRY(sotto_i_new(&out->begin, nodes + 1, sizeof(size_t), err));
  SOTTO_TRY(sotto_i_new(&out->list, data->graph->entries, sizeof(uint32_t), err));
  SOTTO_TRY(sotto_i_new(&out->group_begin, c->groups + 1, sizeof(size_t), err));
  SOTTO_TRY(sotto_i_new(&out->group_list, others, sizeof(uint32_t), err));
  SOTTO_TRY(sotto_i_new(&out->nearest, places, sizeof(uint32_t), err));
  SOTTO_TRY(sotto_i_new(&out->group_nearest, places * (c->group_of != NULL ? 1 : c->groups), sizeof(uint32_t),
                        err));
done:
  if (status != SOTTO_OK) sotto_i_generator_turn_free(out);
  return status;
}

static void draw_hidden(sotto_i_generator_turn *t, uint64_t nodes, double share, const sotto_key *key,
                        uint64_t epoch) {
  sotto_i_random random;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_BATCH, stream_hide, epoch);
  for (uint64_t v = 0; v < nodes; v++) t->hidden[v] = sotto_i_random_double(&random) < share;
}

/* Each prototype of each other client is used with probability `rate`. */
static void draw_others(sotto_i_generator_turn *t, const sotto_i_candidates *c, double rate,
                        const sotto_key *key, uint64_t epoch) {
  sotto_i_random random;
  size_t kept = 0;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_BATCH, stream_others, epoch);
  for (size_t g = 0; g < c->groups; g++) {
    t->group_begin[g] = kept;
    for (size_t i = c->begin[g]; i < c->begin[g + 1]; i++)
      if (sotto_i_random_double(&random) < rate) t->group_list[kept++] = c->members[i];
  }
  t->group_begin[c->groups] = kept;
}

static void list_missing(sotto_i_generator_turn *t, const sotto_graph *graph, size_t most) {
  size_t listed = 0;
  t->seen_count = t->completed_count = 0;
  for (uint64_t v = 0; v < graph->nodes; v++) {
    t->wanted[v] = 0;
    t->made[v] = 0;
    if (t->hidden[v]) continue;
    size_t first = listed;
    t->seen[t->seen_count++] = (uint32_t)v;
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
      if (t->hidden[graph->targets[e]]) t->list[listed++] = graph->targets[e];
    if (listed == first) continue;
    t->wanted[v] = (float)(listed - first);
    t->made[v] = (uint32_t)(listed - first < most ? listed - first : most);
    t->begin[t->completed_count] = first;
    t->completed[t->completed_count++] = (uint32_t)v;
  }
  t->begin[t->completed_count] = listed;
}

static void set_losses(sotto_i_generator_turn *t, const sotto_i_generator *generator,
                       const sotto_i_generator_data *data) {
  const sotto_i_generator_options *o = &generator->options;
  t->count_loss = (sotto_i_smooth_l1){.wanted = t->wanted, .rows = t->seen, .count = t->seen_count};
  t->hidden_loss = (sotto_i_nearest_row){.rows = t->completed,
                                         .made = t->made,
                                         .count = t->completed_count,
                                         .most = o->most,
                                         .width = o->width,
                                         .begin = t->begin,
                                         .list = t->list,
                                         .candidates = data->targets,
                                         .nearest = t->nearest};
  t->mean = (sotto_i_made_mean){.made = t->predicted, .most = o->most, .width = o->width};
  if (data->candidates == NULL) return;
  t->other_loss = t->hidden_loss;
  t->other_loss.shared = data->candidates->group_of == NULL;
  t->other_loss.group_of = data->candidates->group_of;
  t->other_loss.groups = data->candidates->groups;
  t->other_loss.begin = t->group_begin;
  t->other_loss.list = t->group_list;
  t->other_loss.candidates = data->others;
  t->other_loss.nearest = t->group_nearest;
}

sotto_status sotto_i_generator_turn_draw(sotto_i_generator_turn *t, const sotto_i_generator *generator,
                                         const sotto_i_generator_data *data, const sotto_key *key,
                                         uint64_t epoch, sotto_error *err) {
  const sotto_i_generator_options *o = &generator->options;
  sotto_status status;
  draw_hidden(t, data->graph->nodes, o->hide, key, epoch);
  if (data->candidates != NULL) draw_others(t, data->candidates, o->rate, key, epoch);
  list_missing(t, data->graph, o->most);
  t->learnt_count = 0;
  for (size_t i = 0; i < data->training_count; i++)
    if (!t->hidden[data->training[i]]) t->learnt[t->learnt_count++] = data->training[i];
  sotto_graph_free(&t->visible);
  SOTTO_TRY(sotto_i_graph_hide(&t->visible, data->graph, t->hidden, err));
  if (t->hops.count == 0) SOTTO_TRY(sotto_i_hops_new(&t->hops, o->layers, o->fan_out, &t->visible, err));
  sotto_i_hops_draw(&t->hops, key, epoch);
  set_losses(t, generator, data);
done:
  return status;
}
