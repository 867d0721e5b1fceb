/* sotto data generate. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/ranks.h"
#include "common/memory.h"
#include "data.h"
#include "sotto/generate.h"

typedef struct request {
  const char *words[2];
  size_t word_count;
  const char *out, *seed, *nodes, *edges, *classes, *chains, *length, *features, *inside, *outside, *signal,
      *exponent, *preset, *dial, *share, *pattern, *salaries, *kind_dial, *banks;
  bool json, help;
  sotto_ranks *ranks; /* NULL: one process makes it */
  sotto_figures figures;
  sotto_error err; /* of what failed */
} request;

static int print_help(void) {
  (void)puts(
      "usage: sotto data generate KIND --out OUT.sotto [--seed 1] ...\n\n"
      "  chains        --classes 2 --chains 20 (a class) --length 8 --features 100\n"
      "                --preset s, m, l, x, large: those of the literature, and 100 chains a class\n"
      "  sbm           --nodes 2000 --classes 4 --features 32 --inside 12 --outside 4 --signal 1\n"
      "                (expected neighbours in and out of the own block; distance of class means)\n"
      "  transactions  --nodes 20000 --share 0.08   sparse fraud graph, a share of risky users\n"
      "  mines         --nodes 10000   field of mines: neighbours' features tell the class\n"
      "  payments      --nodes 10000 --dial 1   transfers with amounts and times, which tell the class\n"
      "                at dial 1 and not at dial 0; --share 0.08   share of mules\n"
      "                --pattern limit, passing or cycles [limit]  --salaries 0   share of relations\n"
      "                --kind-dial D   payments have kinds too, which tell the class at 1 and not at 0\n"
      "  banks         --nodes 3000 --banks 3 --share 0.3 --classes 2 --features 8 --inside 6 --outside 1\n"
      "                --signal 1.5   payments within and between banks, a share of them between; writes\n"
      "                OUT.sotto.banks.txt, each account's bank, for --partition linked:file:PATH\n"
      "  powerlaw      --nodes 100000 --edges 1000000 --exponent 2.5 --features 64 --classes 8\n"
      "  like NAME     --nodes N   a stand-in with the size and mean degree of finance, products\n"
      "                (ogbn-products), pubmed or reddit; nothing else of it is the original's\n\n"
      "example: sotto data generate sbm --nodes 2000 --out sbm.sotto");
  return EXIT_DONE;
}

/* Parses a count that must fit `most`. */
static bool count(uint64_t *out, const char *text, const char *name, uint64_t most) {
  if (!cli_count(out, text, name)) return false;
  if (*out <= most) return true;
  (void)cli_usage("%s: %llu is above %llu", name, (unsigned long long)*out, (unsigned long long)most);
  return false;
}

/* Numbers that do not fit are a matter of usage; what fails otherwise, such as memory, is not. */
static int refuse(const sotto_error *err) {
  const bool usage = err->status == SOTTO_INVALID || err->status == SOTTO_RANGE;
  return usage ? cli_usage("%s", err->text) : cli_error(err);
}

static int chains(request *r, sotto_dataset *out, const sotto_key *key) {
  sotto_chains_options o = {.classes = 2, .chains_per_class = 20, .length = 8, .features = 100};
  if (r->preset != NULL && sotto_chains_preset(&o, r->preset, &r->err) != SOTTO_OK)
    return cli_usage("preset: %s", r->err.text);
  uint64_t classes = o.classes, each = o.chains_per_class, length = o.length, features = o.features;
  if (!count(&classes, r->classes, "classes", UINT32_MAX) || !count(&each, r->chains, "chains", UINT32_MAX) ||
      !count(&length, r->length, "length", UINT32_MAX) ||
      !count(&features, r->features, "features", UINT32_MAX))
    return EXIT_USAGE;
  const sotto_chains_options options = {(uint32_t)classes, (uint32_t)each, (uint32_t)length,
                                        (uint32_t)features};
  return sotto_generate_chains(out, &options, key, &r->err) == SOTTO_OK ? EXIT_DONE : refuse(&r->err);
}

static int sbm(request *r, sotto_dataset *out, const sotto_key *key) {
  sotto_sbm_options o = {.nodes = 2000, .degree_inside = 12, .degree_outside = 4, .feature_signal = 1};
  uint64_t classes = 4, features = 32;
  if (!cli_count(&o.nodes, r->nodes, "nodes") || !count(&classes, r->classes, "classes", UINT32_MAX) ||
      !count(&features, r->features, "features", UINT32_MAX) ||
      !cli_real(&o.degree_inside, r->inside, "inside") ||
      !cli_real(&o.degree_outside, r->outside, "outside") ||
      !cli_real(&o.feature_signal, r->signal, "signal"))
    return EXIT_USAGE;
  o.classes = (uint32_t)classes;
  o.features = (uint32_t)features;
  const sotto_status status =
      r->ranks == NULL ? sotto_generate_sbm(out, &o, key, &r->err)
                       : sotto_generate_sbm_ranks(out, &r->figures, r->ranks, &o, key, r->out, &r->err);
  return status == SOTTO_OK ? EXIT_DONE : refuse(&r->err);
}

static int transactions(request *r, sotto_dataset *out, const sotto_key *key) {
  sotto_transactions_options o = {.nodes = 20000};
  if (!cli_count(&o.nodes, r->nodes, "nodes") || !cli_real(&o.share, r->share, "share")) return EXIT_USAGE;
  return sotto_generate_transactions(out, &o, key, &r->err) == SOTTO_OK ? EXIT_DONE : refuse(&r->err);
}

static int mines(request *r, sotto_dataset *out, const sotto_key *key) {
  sotto_mines_options o = {.nodes = 10000};
  if (!cli_count(&o.nodes, r->nodes, "nodes")) return EXIT_USAGE;
  return sotto_generate_mines(out, &o, key, &r->err) == SOTTO_OK ? EXIT_DONE : refuse(&r->err);
}

static int payments(request *r, sotto_dataset *out, const sotto_key *key) {
  static const char *const patterns[] = {"limit", "passing", "cycles"}; /* as sotto_payments_pattern */
  sotto_payments_options o = {.nodes = 10000, .dial = 1};
  if (!cli_count(&o.nodes, r->nodes, "nodes") || !cli_real(&o.dial, r->dial, "dial") ||
      !cli_real(&o.salaries, r->salaries, "salaries") || !cli_real(&o.share, r->share, "share") ||
      !cli_real(&o.kind_dial, r->kind_dial, "kind-dial"))
    return EXIT_USAGE;
  o.kinds = r->kind_dial != NULL;
  size_t pattern = 0;
  while (r->pattern != NULL && pattern < 3 && strcmp(r->pattern, patterns[pattern]) != 0) pattern++;
  if (pattern == 3) return cli_usage("pattern: '%s' is none; take limit, passing or cycles", r->pattern);
  o.pattern = (sotto_payments_pattern)pattern;
  return sotto_generate_payments(out, &o, key, &r->err) == SOTTO_OK ? EXIT_DONE : refuse(&r->err);
}

/* The bank of each account, a line each. */
static sotto_status write_banks(const char *stem, const sotto_banks_options *o, sotto_error *err) {
  enum { digits = 8 };
  char path[1100], *text = NULL;
  size_t used = 0;
  sotto_status status;
  SOTTO_TRY(app_new(&text, o->nodes, digits, err));
  for (uint64_t v = 0; v < o->nodes; v++)
    used += (size_t)snprintf(text + used, digits, "%u\n", (unsigned)sotto_bank_of(o, v) + 1);
  (void)snprintf(path, sizeof path, "%.1000s.banks.txt", stem);
  SOTTO_TRY(sotto_i_write_file(path, text, used, err));
done:
  free(text);
  return status;
}

static int banks(request *r, sotto_dataset *out, const sotto_key *key) {
  sotto_banks_options o = {
      .nodes = 3000, .share = 0.3, .degree_inside = 6, .degree_outside = 1, .feature_signal = 1.5};
  uint64_t banks = 3, classes = 2, features = 8;
  if (!cli_count(&o.nodes, r->nodes, "nodes") || !count(&banks, r->banks, "banks", UINT32_MAX) ||
      !count(&classes, r->classes, "classes", UINT32_MAX) ||
      !count(&features, r->features, "features", UINT32_MAX) || !cli_real(&o.share, r->share, "share") ||
      !cli_real(&o.degree_inside, r->inside, "inside") ||
      !cli_real(&o.degree_outside, r->outside, "outside") ||
      !cli_real(&o.feature_signal, r->signal, "signal"))
    return EXIT_USAGE;
  o.banks = (uint32_t)banks;
  o.classes = (uint32_t)classes;
  o.features = (uint32_t)features;
  if (sotto_generate_banks(out, &o, key, &r->err) != SOTTO_OK) return refuse(&r->err);
  return write_banks(r->out, &o, &r->err) == SOTTO_OK ? EXIT_DONE : cli_error(&r->err);
}

static int powerlaw(request *r, sotto_dataset *out, const sotto_key *key) {
  sotto_powerlaw_options o = {.nodes = 100000, .edges = 1000000, .exponent = 2.5};
  uint64_t features = 64, classes = 8;
  if (!cli_count(&o.nodes, r->nodes, "nodes") || !cli_count(&o.edges, r->edges, "edges") ||
      !cli_real(&o.exponent, r->exponent, "exponent") ||
      !count(&features, r->features, "features", UINT32_MAX) ||
      !count(&classes, r->classes, "classes", UINT32_MAX))
    return EXIT_USAGE;
  o.features = (uint32_t)features;
  o.classes = (uint32_t)classes;
  const sotto_status status =
      r->ranks == NULL ? sotto_generate_powerlaw(out, &o, key, &r->err)
                       : sotto_generate_powerlaw_ranks(out, &r->figures, r->ranks, &o, key, r->out, &r->err);
  return status == SOTTO_OK ? EXIT_DONE : refuse(&r->err);
}

static int like(request *r, sotto_dataset *out, const sotto_key *key) {
  sotto_like_options o = {.name = r->words[1]};
  if (!cli_count(&o.nodes, r->nodes, "nodes")) return EXIT_USAGE;
  if (r->nodes != NULL && o.nodes == 0) return cli_usage("nodes: 0; at least 1");
  const sotto_status status = sotto_generate_like(out, &o, key, &r->err);
  if (status == SOTTO_NOT_FOUND) return cli_usage("%s", r->err.text);
  return status == SOTTO_OK ? EXIT_DONE : refuse(&r->err);
}

static int generate(request *r, const char *kind, sotto_dataset *out) {
  static const char *const names[] = {"chains",   "sbm",   "transactions", "mines",
                                      "payments", "banks", "powerlaw",     "like"};
  uint64_t seed = 1;
  sotto_key key;
  if (r->preset != NULL && strcmp(kind, "chains") != 0)
    return cli_usage("preset: there are presets of chains alone");
  if (r->word_count > 1 && strcmp(kind, "like") != 0)
    return cli_usage("'%s' is one word too many: of all kinds like alone takes a name", r->words[1]);
  if (!cli_count(&seed, r->seed, "seed")) return EXIT_USAGE;
  sotto_key_public(&key, seed);
  if (r->ranks != NULL && strcmp(kind, "sbm") != 0 && strcmp(kind, "powerlaw") != 0) {
    (void)sotto_i_fail(
        &r->err, SOTTO_UNSUPPORTED,
        "%.40s: one process makes such a graph; start it without mpirun (sbm and powerlaw are made over "
        "ranks)",
        kind);
    return cli_error(&r->err);
  }
  if (strcmp(kind, "chains") == 0) return chains(r, out, &key);
  if (strcmp(kind, "sbm") == 0) return sbm(r, out, &key);
  if (strcmp(kind, "transactions") == 0) return transactions(r, out, &key);
  if (strcmp(kind, "mines") == 0) return mines(r, out, &key);
  if (strcmp(kind, "payments") == 0) return payments(r, out, &key);
  if (strcmp(kind, "banks") == 0) return banks(r, out, &key);
  if (strcmp(kind, "powerlaw") == 0) return powerlaw(r, out, &key);
  if (strcmp(kind, "like") == 0) return like(r, out, &key);
  const char *nearest = sotto_i_nearest(kind, names, sizeof names / sizeof *names);
  return cli_usage(
      "unknown kind '%s'; there are chains, sbm, transactions, mines, payments, banks, powerlaw, like%s%s%s",
      kind, nearest == NULL ? "" : " (did you mean ", nearest == NULL ? "" : nearest,
      nearest == NULL ? "" : "?)");
}

static int made(request *r) {
  sotto_dataset data = {0};
  int code = generate(r, r->words[0], &data);
  if (cli_data_stopped(&code)) sotto_dataset_free(&data);
  if (code != EXIT_DONE) return code;
  if (r->ranks == NULL && sotto_dataset_save(&data, r->out, &r->err) != SOTTO_OK)
    code = cli_error(&r->err);
  else
    cli_print_one(&data, r->ranks == NULL ? NULL : &r->figures, r->json);
  sotto_dataset_free(&data);
  return code;
}

static int checked(request *r, int argc, char **argv) {
  const cli_flag flags[] = {{"out", &r->out, NULL},         {"seed", &r->seed, NULL},
                            {"nodes", &r->nodes, NULL},     {"edges", &r->edges, NULL},
                            {"classes", &r->classes, NULL}, {"chains", &r->chains, NULL},
                            {"length", &r->length, NULL},   {"features", &r->features, NULL},
                            {"inside", &r->inside, NULL},   {"outside", &r->outside, NULL},
                            {"signal", &r->signal, NULL},   {"exponent", &r->exponent, NULL},
                            {"pattern", &r->pattern, NULL}, {"salaries", &r->salaries, NULL},
                            {"dial", &r->dial, NULL},       {"kind-dial", &r->kind_dial, NULL},
                            {"share", &r->share, NULL},     {"banks", &r->banks, NULL},
                            {"preset", &r->preset, NULL},   {"json", NULL, &r->json},
                            {"help", NULL, &r->help}};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r->words, 2, &r->word_count))
    return EXIT_USAGE;
  if (r->help) return print_help();
  if (r->word_count == 0)
    return cli_usage("name a kind: chains, sbm, transactions, mines, payments, banks, powerlaw, like");
  if (r->out == NULL) return cli_usage("generate needs --out, the file to write");
  if (!cli_named(r->out, "--out", data_file) || !cli_data_may_write(r->out, "--out", NULL)) return EXIT_USAGE;
  return made(r);
}

int cli_generate(int argc, char **argv) {
  request r = {.words = {NULL}};
  sotto_ranks *ranks = NULL;
  if (cli_ranks_begin(&ranks, &r.err) != SOTTO_OK) return cli_error(&r.err);
  if (ranks != NULL && sotto_ranks_count(ranks) > 1) r.ranks = ranks;
  return cli_ranks_end(ranks, checked(&r, argc, argv), &r.err);
}
