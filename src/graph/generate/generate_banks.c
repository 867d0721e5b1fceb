/* Accounts of several banks and their payments. Classes are drawn for each account, and every payment joins
 * one class more often than two; a share of all payments crosses from bank to bank, whatever the classes. So
 * a bank alone misses that share of what its customers' partners tell. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "generate.h"
#include "sotto/generate.h"

enum { most_banks = 1024, members_each = 2 };

/* Accounts by bank and class: those of crowd c are members[first[c]] to members[first[c + 1] - 1]. */
typedef struct crowds {
  uint32_t banks, classes;
  uint64_t nodes, *first;
  uint32_t *members;
} crowds;

static sotto_status draw_crowds(crowds *out, int32_t *labels, const sotto_banks_options *o,
                                sotto_i_random *random, sotto_error *err) {
  uint64_t *next = NULL;
  const size_t count = (size_t)o->banks * o->classes;
  sotto_status status;
  *out = (crowds){.banks = o->banks, .classes = o->classes, .nodes = o->nodes};
  SOTTO_TRY(sotto_i_new(&out->first, count + 1, sizeof *out->first, err));
  SOTTO_TRY(sotto_i_new(&out->members, o->nodes, sizeof *out->members, err));
  SOTTO_TRY(sotto_i_new(&next, count, sizeof *next, err));
  for (uint64_t v = 0; v < o->nodes; v++) {
    labels[v] = (int32_t)sotto_i_random_below(random, o->classes);
    out->first[sotto_bank_of(o, v) * o->classes + (uint32_t)labels[v] + 1]++;
  }
  for (size_t c = 0; c < count; c++) out->first[c + 1] += next[c] = out->first[c];
  for (uint64_t v = 0; v < o->nodes; v++)
    out->members[next[sotto_bank_of(o, v) * o->classes + (uint32_t)labels[v]]++] = (uint32_t)v;
  for (size_t c = 0; c < count; c++)
    if (out->first[c + 1] - out->first[c] < members_each)
      status = sotto_i_fail(err, SOTTO_RANGE, "banks: a class has no customers at one bank; use more nodes");
done:
  sotto_i_free(next);
  return status;
}

/* One of `count` but this one. */
static uint32_t draw_other(sotto_i_random *random, uint32_t count, uint32_t own) {
  const uint32_t other = (uint32_t)sotto_i_random_below(random, count - 1);
  return other + (other >= own);
}

static void draw_payments(sotto_i_edge_arrays *pairs, const crowds *c, const int32_t *labels,
                          const sotto_banks_options *o, sotto_i_random *random) {
  const double alike = o->degree_inside / (o->degree_inside + o->degree_outside);
  for (uint64_t i = 0; i < pairs->count; i++) {
    const uint32_t v = (uint32_t)sotto_i_random_below(random, c->nodes), own = sotto_bank_of(o, v);
    const uint32_t class = (uint32_t)labels[v];
    const uint32_t kind =
        sotto_i_random_double(random) < alike ? class : draw_other(random, c->classes, class);
    const uint32_t bank = sotto_i_random_double(random) < o->share ? draw_other(random, c->banks, own) : own;
    const size_t crowd = (size_t)bank * c->classes + kind;
    pairs->sources[i] = v;
    pairs->targets[i] =
        c->members[c->first[crowd] + sotto_i_random_below(random, c->first[crowd + 1] - c->first[crowd])];
  }
}

static sotto_status check_options(const sotto_banks_options *o, sotto_error *err) {
  if (o->banks < 2 || o->banks > most_banks)
    return sotto_i_fail(err, SOTTO_RANGE, "banks: %u banks; there can be 2 to %d", (unsigned)o->banks,
                        most_banks);
  if (o->classes < 2 || o->nodes < (uint64_t)o->banks * o->classes)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "banks: %llu nodes of %u classes; at least 2 classes, and a customer of each at each "
                        "of the %u banks",
                        (unsigned long long)o->nodes, (unsigned)o->classes, (unsigned)o->banks);
  if (!(o->share >= 0 && o->share <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "banks: share %g; it must be 0 to 1", o->share);
  const double degree = o->degree_inside + o->degree_outside;
  if (!(o->degree_inside >= 0 && o->degree_outside >= 0 && degree > 0 &&
        degree <= (double)o->nodes / o->banks))
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "banks: %g neighbours inside a class and %g outside; together above 0 and at most the "
        "customers of a bank",
        o->degree_inside, o->degree_outside);
  if (!(o->feature_signal >= 0 && o->feature_signal <= 1e6) ||
      (o->feature_signal > 0 && o->features < o->classes))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "banks: signal %g in %u features; it must be 0 to 1e6, with a feature for each class",
                        o->feature_signal, (unsigned)o->features);
  return SOTTO_OK;
}

sotto_status sotto_generate_banks(sotto_dataset *out, const sotto_banks_options *options,
                                  const sotto_key *key, sotto_error *err) {
  sotto_i_parts parts = {0};
  sotto_i_edge_arrays pairs = {0};
  crowds all = {0};
  sotto_i_random random;
  sotto_status status;
  *out = (sotto_dataset){0};
  SOTTO_TRY(check_options(options, err));
  SOTTO_TRY(
      sotto_i_generate_begin(&parts, "banks", options->nodes, options->features, options->classes, key, err));
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_BANK_ACCOUNTS, 0);
  SOTTO_TRY(draw_crowds(&all, parts.labels, options, &random, err));
  for (uint64_t v = 0; options->feature_signal > 0 && v < parts.nodes; v++)
    parts.features[v * options->features + (size_t)parts.labels[v]] =
        (float)(options->feature_signal * sqrt(0.5));
  sotto_i_generate_noise(&parts, key);
  const double degree = options->degree_inside + options->degree_outside;
  SOTTO_TRY(sotto_i_edge_arrays_new(&pairs, (uint64_t)(degree * (double)parts.nodes / 2), err));
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_BANK_PAYMENTS, 0);
  draw_payments(&pairs, &all, parts.labels, options, &random);
  SOTTO_TRY(sotto_i_generate_finish(out, &parts, &pairs, err));
done:
  sotto_i_free(all.first);
  sotto_i_free(all.members);
  sotto_i_edge_arrays_free(&pairs);
  sotto_i_parts_free(&parts);
  return status;
}
