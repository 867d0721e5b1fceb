/* sotto audit RUN: attacks on a finished run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attacks.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/ranks.h"
#include "cli/run.h"
#include "cli/table.h"
#include "common/folder.h"
#include "common/print.h"

typedef struct request {
  const char *words[1];
  size_t word_count;
  const char *attack, *data, *night_data, *seed, *sample, *degrees, *belief, *step, *pairs, *sample_seed,
      *trials, *shadows, *targets, *view, *threads, *confidence;
  cli_table table; /* how data is read */
  bool fresh, json, help;
} request;

static int print_help(void) {
  (void)puts(
      "usage: sotto audit RUN [--attack A,B] [--data PATH]\n\n"
      "Attacks a finished run, says what each attack sees, and compares what it finds with what the run\n"
      "states. The findings are in owner-only/audit.json of the run folder. After a stop the same command\n"
      "goes on from the cells that are finished, in owner-only/ too; mpirun shares them among processes.\n"
      "Exit status 1, and FAILED, when a lower bound is above the stated epsilon.\n\nattacks:\n"
      "  linkteller      edges by queries: which node's features change which answer\n"
      "  link-stealing   edges by posteriors: similar answers, by eight distances\n"
      "  received        edges by released layers, or by a party's received payloads: projections of rows\n"
      "  node-mia        training nodes, by a shadow model and a perceptron over posteriors\n"
      "  entropy         the same by entropy\n"
      "  lira            likelihood ratios against many shadow models, of nodes or edges\n"
      "  release         the run's releases, drawn again by the code that made them: noise, and one edge\n"
      "  canary          the run's release, repeated with a worst-case edge and without\n"
      "  one-run         one training with many canaries, each in or out by a coin, and guesses");
  (void)puts("\n  --attack LIST       [linkteller,link-stealing,release,canary, of these what the run\n"
             "                      allows]\n"
             "  --data PATH         the run's dataset, when it is not where run.yaml says\n"
             "  --night-data PATH   release, of a run with nights: the data of its latest night [the run's]\n"
             "  --seed N            which of the run's seeds [the first; of release: all]\n"
             "  --fresh             noise is drawn anew for every answer\n"
             "  --sample N          linkteller: nodes in the sample [500]\n"
             "  --degrees D         linkteller: all, low, high [all]\n"
             "  --belief K          linkteller: number of named pairs, as a multiple of the true one [1]\n"
             "  --step S            linkteller: features grow by this share in a query [0.001]\n"
             "  --pairs N           link-stealing: edges, and as many other pairs; one-run: canaries at\n"
             "                      most [5000]\n"
             "  --sample-seed N     of samples and shadow models [1]\n"
             "  --trials N          canary: runs with the edge, and without [20000]\n"
             "  --confidence C      that all bounds hold together, 0.5 to below 1 [0.95]\n"
             "  --shadows N         lira: models [16]\n"
             "  --targets T         lira: nodes, edges [nodes]\n"
             "  --view V            received: anyone, label, data, server, client; of a run trained with\n"
             "                      --record-wire [anyone]\n"
             "  --threads N         of each process [one a core]\n"
             "  --json              the findings as one line of JSON\n\n"
             "How --data is read, where it differs from the training:");
  cli_table_help(NULL);
  (void)puts("\nexample: sotto audit runs/20260301-120000 --attack linkteller,canary");
  return EXIT_DONE;
}

static bool parse(request *r, int argc, char **argv) {
  const cli_flag flags[] = {{"attack", &r->attack, NULL},
                            {"data", &r->data, NULL},
                            {"night-data", &r->night_data, NULL},
                            {"seed", &r->seed, NULL},
                            {"sample", &r->sample, NULL},
                            {"degrees", &r->degrees, NULL},
                            {"belief", &r->belief, NULL},
                            {"step", &r->step, NULL},
                            {"pairs", &r->pairs, NULL},
                            {"sample-seed", &r->sample_seed, NULL},
                            {"trials", &r->trials, NULL},
                            {"shadows", &r->shadows, NULL},
                            {"targets", &r->targets, NULL},
                            {"view", &r->view, NULL},
                            {"threads", &r->threads, NULL},
                            {"fresh", NULL, &r->fresh},
                            {"confidence", &r->confidence, NULL},
                            {"json", NULL, &r->json},
                            {"help", NULL, &r->help}};
  return cli_table_parse(&r->table, flags, sizeof flags / sizeof *flags, argc, argv, r->words, 1,
                         &r->word_count) &&
         cli_table_check(&r->table);
}

static bool choice_of(size_t *out, const char *text, const char *name, const char *const *words,
                      size_t count) {
  for (*out = 0; text != NULL && *out < count; ++*out)
    if (strcmp(text, words[*out]) == 0) return true;
  *out = 0;
  if (text == NULL) return true;
  char list[120] = "";
  for (size_t i = 0, used = 0; i < count && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ", words[i]);
  (void)cli_usage("--%s: '%s' is none of %s", name, text, list);
  return false;
}

static bool set_threads(const request *r) {
  uint64_t threads = 0;
  sotto_error err = {0};
  if (!cli_count(&threads, r->threads, "threads")) return false;
  if (r->threads == NULL || sotto_threads_set(threads > 1000 ? 1000 : (unsigned)threads, &err) == SOTTO_OK)
    return true;
  (void)cli_usage("%s", err.text);
  return false;
}

static bool fill_request(sotto_audit_ask *ask, const request *r) {
  static const char *const degrees[] = {"all", "low", "high"}, *const targets[] = {"nodes", "edges"},
                           *const views[] = {"anyone", "label", "data", "server", "client"};
  size_t degree, target, view;
  *ask = sotto_audit_ask_default();
  ask->model.fresh = r->fresh;
  if (!cli_count(&ask->model.seed, r->seed, "seed") || !cli_count(&ask->link.nodes, r->sample, "sample") ||
      !cli_count(&ask->link.pairs, r->pairs, "pairs") ||
      !cli_count(&ask->link.seed, r->sample_seed, "sample-seed") ||
      !cli_count(&ask->trials, r->trials, "trials") || !cli_count(&ask->shadows, r->shadows, "shadows") ||
      !cli_real(&ask->confidence, r->confidence, "confidence") ||
      !cli_real(&ask->link.belief, r->belief, "belief") || !cli_real(&ask->link.step, r->step, "step"))
    return false;
  if (!(ask->confidence >= 0.5 && ask->confidence < 1))
    return cli_usage("confidence: take 0.5 to below 1") == EXIT_DONE;
  if (!choice_of(&degree, r->degrees, "degrees", degrees, 3) ||
      !choice_of(&target, r->targets, "targets", targets, 2) || !choice_of(&view, r->view, "view", views, 5))
    return false;
  ask->link.degrees = (sotto_degrees)degree;
  ask->of_edges = target == 1;
  ask->view = (sotto_view)view;
  return true;
}

typedef struct work {
  sotto_findings findings;
  sotto_audit_ask ask;
  const char *run;
  sotto_dataset data, night_data;
  sotto_observer observer;
  sotto_ranks *ranks; /* NULL: one process */
} work;

static bool is_first(const work *w) {
  return w->ranks == NULL || sotto_ranks_number(w->ranks) == 0;
}

/* The attacks asked for, else the default ones, of which a run skips those that it does not allow. */
static bool choose_attacks(cli_attacks *out, const request *r) {
  const char *list = r->attack != NULL ? r->attack
                     : r->view != NULL ? "received"
                                       : "linkteller,link-stealing,release,canary";
  out->usual = r->attack == NULL && r->view == NULL;
  return cli_attacks_of(out, list);
}

/* Finished cells stay in the run folder, so that the same command resumes after a stop. */
static sotto_status run_attacks(work *w, const cli_attacks *list, sotto_error *err) {
  static sotto_error passed[CLI_MOST_ATTACKS];
  static const app_folder_file cells_files = {"audit-*.cells", APP_FOR_OWNER,
                                              "private data: scores, and keys of the canary's own releases"};
  char *state = NULL;
  memset(passed, 0, sizeof passed);
  const sotto_status made = app_folder_of(&state, w->run, &cells_files, err);
  if (made != SOTTO_OK) return made;
  sotto_audit_ask ask = w->ask;
  ask.state = state;
  const sotto_status status =
      sotto_attack_several(&w->findings, list->usual ? passed : NULL, w->run, &w->data, list->names,
                           list->count, &ask, &w->observer, err);
  cli_observer_end();
  for (size_t i = 0; status == SOTTO_OK && i < list->count; i++)
    if (passed[i].status != SOTTO_OK) cli_warn("%s passed over: %s", list->names[i], passed[i].text);
  if (status == SOTTO_INTERRUPTED) cli_advise("the same command goes on from what %s has", state);
  free(state);
  return status;
}

static int print_findings(const sotto_findings *findings, bool json, sotto_error *err) {
  char *text = NULL;
  sotto_status status =
      json ? sotto_report_findings(&text, findings, err) : sotto_report_findings_table(&text, findings, err);
  if (status != SOTTO_OK) return cli_error(err);
  app_print(stdout, json ? "%s\n" : "%s", text);
  sotto_report_free_text(text);
  return sotto_findings_hold(findings) && fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}

/* All ranks wait for the exit status of rank 0 and end with it. */
static int share_exit_status(int code, work *w, sotto_error *err) {
  char word[16];
  (void)snprintf(word, sizeof word, "%d", code);
  if (w->ranks == NULL) return code;
  if (sotto_ranks_text(w->ranks, word, sizeof word, err) != SOTTO_OK) return cli_error(err);
  sotto_ranks_end(w->ranks, EXIT_DONE);
  w->ranks = NULL;
  return (int)strtol(word, NULL, 10);
}

/* Prints and stores the findings on rank 0; returns the exit status of rank 0 on every rank. */
static int report_findings(work *w, const request *r, sotto_error *err) {
  if (!is_first(w)) return EXIT_DONE;
  if (sotto_report_findings_write(&w->findings, w->run, err) != SOTTO_OK) return cli_error(err);
  return print_findings(&w->findings, r->json, err);
}

static int run_audit(work *w, const request *r, sotto_error *err) {
  static sotto_options options;
  static cli_attacks list;
  w->run = r->words[0];
  if (!set_threads(r) || !fill_request(&w->ask, r)) return EXIT_USAGE;
  if (!choose_attacks(&list, r)) return cli_usage("--attack takes at most %d attacks", (int)CLI_MOST_ATTACKS);
  w->ask.ranks = w->ranks;
  if (!sotto_i_is_folder(w->run)) {
    static const char *const words[] = {"mechanism"};
    bool near = sotto_i_nearest(w->run, words, 1) != NULL;
    return cli_usage("%s: there is no such run folder; name the folder of a finished run%s", w->run,
                     near ? ", or did you mean 'mechanism'?" : "");
  }
  if (cli_open_run(&options, &w->data, w->run, r->data, &r->table, err) != SOTTO_OK) return cli_error(err);
  if (r->night_data != NULL) {
    if (sotto_dataset_open(&w->night_data, r->night_data, NULL, err) != SOTTO_OK) {
      sotto_dataset_free(&w->data);
      return cli_error(err);
    }
    w->ask.night_data = &w->night_data;
  }
  w->observer = cli_observer();
  const sotto_status status = run_attacks(w, &list, err);
  int code = status == SOTTO_OK          ? report_findings(w, r, err)
             : status == SOTTO_NOT_FOUND ? cli_usage("%s", err->text)
                                         : cli_error(err);
  if (err->status == SOTTO_OK) code = share_exit_status(code, w, err);
  sotto_dataset_free(&w->data);
  sotto_dataset_free(&w->night_data);
  return code;
}

int cli_audit_run(int argc, char **argv) {
  static request r;
  static work w;
  sotto_error err = {0};
  if (!parse(&r, argc, argv)) return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.word_count < 1)
    return cli_usage("name a run folder, or 'mechanism'; sotto audit --help shows both forms");
  if (cli_ranks_begin(&w.ranks, &err) != SOTTO_OK) return cli_ranks_end(w.ranks, cli_error(&err), &err);
  const int code = run_audit(&w, &r, &err);
  return cli_ranks_end(w.ranks, code, &err);
}
