/* The submodel of a stage: base networks, a combiner of their results, and a head. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "progap.h"

/* Keys of initial weights: of base network i, then of the head of stage s. Dropout streams: of the base
 * networks of a stage, then of its head. */
enum { base_key = 2000, head_key = 2100, first_streams = 4096, streams_of_stage = 2048, streams_each = 16 };

static uint32_t streams_of(uint32_t stage, uint32_t network) {
  return first_streams + stage * streams_of_stage + network * streams_each;
}

static sotto_status base_new(sotto_mlp *out, sotto_params *params, const char *name, const sotto_i_job *job,
                             uint32_t stage, uint32_t i, sotto_error *err) {
  const sotto_options *o = job->options;
  const sotto_mlp_options options = {.widths = {i == 0 ? job->features->cols : o->hidden, o->hidden},
                                     .layers = 1,
                                     .activation = o->activation,
                                     .activate_last = true};
  sotto_key seed_key, key;
  sotto_i_job_key(&seed_key, job);
  sotto_i_key_derive(&key, &seed_key, base_key + i);
  return sotto_mlp_new(out, params, name, &options, streams_of(stage, i), &key, err);
}

sotto_status sotto_i_progap_net_new(sotto_i_progap_net *out, const sotto_i_job *job, uint32_t stage,
                                    sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_status status;
  sotto_key seed_key, key;
  *out = (sotto_i_progap_net){.stage = stage};
  SOTTO_I_CHECK(stage <= SOTTO_I_PROGAP_MOST_STAGES);
  sotto_i_job_key(&seed_key, job);
  sotto_i_key_derive(&key, &seed_key, head_key + stage);
  SOTTO_TRY(sotto_params_new(&out->params, err));
  for (uint32_t i = 0; i <= stage; i++) {
    char name[32];
    (void)snprintf(name, sizeof name, "base%u", i);
    SOTTO_TRY(base_new(&out->base[i], out->params, name, job, stage, i, err));
  }
  SOTTO_TRY(sotto_i_combiner_new(&out->combiner, out->params, sotto_i_combination_named(o->combine),
                                 stage + 1, o->hidden, o->activation, &key, err));
  const sotto_mlp_options head = {.widths = {sotto_i_combiner_width(&out->combiner), job->data->classes},
                                  .layers = 1,
                                  .input_dropout = (float)o->dropout};
  SOTTO_TRY(sotto_mlp_new(&out->head, out->params, "head", &head,
                          streams_of(stage, SOTTO_I_PROGAP_MOST_STAGES + 1), &key, err));
done:
  return status;
}

void sotto_i_progap_net_free(sotto_i_progap_net *net) {
  sotto_i_combiner_free(&net->combiner);
  sotto_params_free(net->params);
  *net = (sotto_i_progap_net){.params = NULL};
}

static void copy_base(sotto_params *to, const sotto_mlp *to_base, sotto_params *from,
                      const sotto_mlp *from_base) {
  const sotto_linear *a = &to_base->linear[0], *b = &from_base->linear[0];
  const size_t pairs[2][2] = {{a->weight, b->weight}, {a->bias, b->bias}};
  for (int i = 0; i < 2; i++) {
    const sotto_matrix *value = sotto_params_value(from, pairs[i][1]);
    memcpy(sotto_params_value(to, pairs[i][0])->data, value->data, value->rows * value->cols * sizeof(float));
  }
}

void sotto_i_progap_net_inherit(sotto_i_progap_net *to, const sotto_i_progap_net *from) {
  SOTTO_I_CHECK(to->stage > from->stage);
  for (uint32_t i = 0; i <= from->stage; i++)
    copy_base(to->params, &to->base[i], from->params, &from->base[i]);
}

sotto_var sotto_i_progap_net_join(const sotto_i_progap_net *net, const sotto_pass *pass, sotto_var joined,
                                  uint32_t i, sotto_var input) {
  const sotto_var made = sotto_mlp_apply(&net->base[i], net->params, pass, input);
  return i == 0 ? made : sotto_tape_concat(pass->tape, joined, made);
}

sotto_var sotto_i_progap_net_logits(const sotto_i_progap_net *net, const sotto_pass *pass, sotto_var joined) {
  return sotto_mlp_apply(&net->head, net->params, pass,
                         sotto_i_combiner_apply(&net->combiner, net->params, pass->tape, joined));
}

sotto_status sotto_i_progap_embedder_new(sotto_i_progap_embedder *out, const sotto_i_job *job, uint32_t stage,
                                         const sotto_i_progap_net *from, sotto_error *err) {
  char name[32];
  sotto_status status;
  (void)snprintf(name, sizeof name, "embedder%u", stage);
  SOTTO_TRY(sotto_params_new(&out->params, err));
  SOTTO_TRY(base_new(&out->base, out->params, name, job, stage, stage, err));
  if (from != NULL) copy_base(out->params, &out->base, from->params, &from->base[stage]);
done:
  return status;
}
