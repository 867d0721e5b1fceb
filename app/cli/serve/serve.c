/* sotto serve: predictions of finished runs over HTTP, until SIGTERM. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "serve.h"
#include "sotto/options.h"
#include "sotto/party.h"

static _Atomic bool hung_up;

static void on_hangup(int signal_number) {
  (void)signal_number;
  atomic_store(&hung_up, true);
}

static int print_help(void) {
  (void)puts(
      "usage: sotto serve RUN [RUN ...] [--listen ADDRESS] [--token FILE] ...\n"
      "       sotto serve RUN --role ROLE --peer NAME[=HOST:PORT] ... [--listen-peer HOST:PORT]\n"
      "                   [--learns label|data|both] [--listen ADDRESS] [--token FILE] ...\n\n"
      "Answers for the models of finished runs over HTTP, until it is stopped. Probabilities of all nodes\n"
      "are computed at the start, so that a request is a look-up. RUN may be NAME=FOLDER; the folder may be\n"
      "a symbolic link. SIGHUP or POST /reload loads all runs anew, and the old ones answer meanwhile.\n"
      "SIGTERM finishes running requests, and ends.\n"
      "With --role it is one party of a run of two, or of holders and their server, and answers together\n"
      "with the services of the others.\n\n"
      "  POST /predict, /predict/NAME     {\"nodes\": [0, 5], \"top\": 3}; /predict asks the first run\n"
      "                                   {\"ids\": [...]} where nodes have ids; {\"rows\": [{\"age\": 40, "
      "...}]} of\n"
      "                                   new nodes, by column name\n"
      "  GET /statement, /statement/NAME  the run's privacy statement\n"
      "  GET /board, /board/NAME          with --board: the page of the run, as of `sotto report`\n"
      "  GET /health, /ready, /metrics    what it does; whether all is loaded; for Prometheus\n"
      "  POST /reload                     load all runs anew\n\n"
      "  --listen ADDRESS   HOST:PORT or unix:PATH [127.0.0.1:8080]\n"
      "  --token FILE       the token that requests have to show; needed where others can reach the address\n"
      "  --threads N        threads that answer [2]\n"
      "  --seed N           which of the runs' seeds [the first]\n"
      "  --not-private      also a run without privacy, on an address that others can reach\n"
      "  --board            show the pages of the runs: measures, privacy, who sent what\n"
      "  --dir FOLDER       key and certificate whose days the metrics show [$SOTTO_PARTY, else party]\n"
      "of one party:\n"
      "  --role ROLE        data or label; server, holder1, holder2, ...; RUN is the folder of its side\n"
      "  --peer NAME[=HOST:PORT], --proxy HOST:PORT, --insecure-loopback  as of `sotto run`\n"
      "  --listen-peer HOST:PORT  address for a peer without one\n"
      "  --learns WHO       who gets the answers: label, data or both; the same at all; data: the holders\n"
      "                     without labels [label]\n"
      "  --epsilon E        of other data, of which each gives its part with --data: one release with this\n"
      "                     epsilon is made when the first session begins; the same on both\n"
      "                     sides. inf: of a run without noise\n"
      "  --again N          of the data party: the release in RUN/predictions/N again; nothing is charged\n"
      "  --align            other data: find the common ids first; rows of others are left out\n"
      "  --KEY VALUE        options that are each party's own: data, ledger, threads, ...\n\n"
      "  --log text|json, --log-level error|warn|info|debug  lines on stderr [text, info]\n\n"
      "example:\n"
      "  sotto serve runs/20260301-120000 --listen 127.0.0.1:8080\n"
      "  curl --json '{\"nodes\": [0, 5], \"top\": 3}' 127.0.0.1:8080/predict\n"
      "  sotto serve runs/run-label --role label --peer bank=bank.example:7443");
  return EXIT_DONE;
}

static void log_ready(const sotto_observer *to, const char *name, const serve_run *run) {
  char answers[48] = ", a number each";
  if (!run->source.numbers) (void)snprintf(answers, sizeof answers, " with %zu classes", run->source.classes);
  sotto_i_log(to, SOTTO_LOG_INFO, "%s: ready, %s on %zu nodes%s, loaded in %.2f s; %s", name,
              run->facts.method, run->source.nodes, answers, run->seconds, run->verdict);
}

static void log_loaded(const sotto_observer *to, serve_service *service) {
  for (size_t i = 0; i < service->count; i++) {
    serve_slot *slot = &service->slots[i]; /* only this thread changes the slots */
    if (slot->problem[0] != '\0')
      sotto_i_log(to, SOTTO_LOG_WARNING, "%s: could not be loaded, and the one before goes on answering: %s",
                  slot->name, slot->problem);
    else if (slot->run != NULL && slot->run->source.look != NULL)
      sotto_i_log(to, SOTTO_LOG_INFO,
                  "%s: one party of %s on %zu nodes, which answers once all are there; %s", slot->name,
                  slot->run->facts.method, slot->run->source.nodes, slot->run->verdict);
    else if (slot->run != NULL)
      log_ready(to, slot->name, slot->run);
  }
}

/* Serves until it is told to stop. */
static void run_until_stopped(serve_service *service, bool only_private, const sotto_observer *to) {
  const double interval = 60; /* seconds between checks of the ledger */
  double refreshed = sotto_i_seconds();
  while (!sotto_interrupted()) {
    const bool asked = serve_service_wait(service, 0.1);
    const bool hangup = atomic_exchange(&hung_up, false);
    if (hangup && service->joint != NULL)
      sotto_i_log(to, SOTTO_LOG_WARNING, "a run of several parties is not loaded anew while it is served");
    if ((hangup || asked) && service->joint == NULL) {
      sotto_error ignored = {0}; /* the slot holds the error */
      sotto_i_log(to, SOTTO_LOG_INFO, "loading all runs anew");
      (void)serve_service_load(service, only_private, &ignored);
      if (sotto_interrupted()) return;
      log_loaded(to, service);
    } else if (sotto_i_seconds() - refreshed < interval) {
      continue;
    }
    serve_service_refresh(service);
    refreshed = sotto_i_seconds();
  }
}

/* Said once all runs are loaded; before that, the port answers that they are not. */
static void say_listening(const sotto_observer *to, const char *address) {
  char text[400];
  (void)snprintf(text, sizeof text, "listening on %.300s", address);
  to->event(to->context, &(sotto_event){.kind = SOTTO_EVENT_LISTENING, .text = text, .address = address});
}

static sotto_status serve(const serve_request *r, serve_service *service, unsigned threads,
                          sotto_error *err) {
  http_server *server = NULL;
  const sotto_observer observer = cli_observer();
  const http_options options = {.address = r->listen,
                                .token_file = r->token,
                                .flag = "--token",
                                .routes = serve_routes,
                                .route_count = serve_route_count,
                                .context = service,
                                .note = serve_note,
                                .most_body = SERVE_MOST_BODY,
                                .threads = threads,
                                .connections = 256,
                                .idle_limit = 30,
                                .request_limit = 60};
  sotto_status status;
  SOTTO_TRY(http_open(&server, &options, err));
  const bool only_private = !http_is_local(server) && !r->not_private;
  status = serve_service_load(service, only_private, err);
  if (status == SOTTO_OK) {
    say_listening(&observer, r->listen);
    log_loaded(&observer, service);
    serve_service_refresh(service);
    run_until_stopped(service, only_private, &observer);
    sotto_i_log(&observer, SOTTO_LOG_INFO, "stopping; requests that are being answered are finished");
  } else if (sotto_interrupted()) {
    status = SOTTO_OK;
  }
done:
  http_close(server, 10);
  return status;
}

/* Reads the numbers of the command line and checks their ranges. */
static bool read_numbers(const serve_request *r, uint64_t *threads, uint64_t *seed) {
  if (!cli_count(threads, r->threads, "threads") || !cli_count(seed, r->seed, "seed")) return false;
  if (*threads < 1 || *threads > 64) return cli_usage("--threads: 1 to 64"), false;
  return true;
}

static bool parse(serve_request *r, int argc, char **argv) {
  const cli_flag flags[] = {{"listen", &r->listen, NULL},   {"token", &r->token, NULL},
                            {"threads", &r->threads, NULL}, {"seed", &r->seed, NULL},
                            {"dir", &r->folder, NULL},      {"not-private", NULL, &r->not_private},
                            {"board", NULL, &r->board},     {"help", NULL, &r->help}};
  for (int i = 0; i < argc; i++)
    if (strcmp(argv[i], "--role") == 0 || strncmp(argv[i], "--role=", 7) == 0)
      return serve_party_parse(r, argc, argv);
  return cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r->words, SERVE_MOST_RUNS,
                   &r->word_count);
}

int cli_serve(int argc, char **argv) {
  static serve_request r;
  static serve_service service;
  sotto_error err = {0};
  sotto_identity_info own;
  uint64_t threads = 2, seed = SOTTO_UNSET;
  r = (serve_request){.listen = "127.0.0.1:8080"};
  if (!parse(&r, argc, argv)) return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.word_count == 0) return cli_usage("name a run folder; sotto serve --help shows the form");
  if (!read_numbers(&r, &threads, &seed)) return EXIT_USAGE;
  if (serve_service_begin(&service, r.words, r.word_count, seed, &err) != SOTTO_OK)
    return cli_usage("%s", err.text);
  service.board = r.board;
  sotto_status status = r.joined ? serve_party_open(&service, seed, &err) : SOTTO_OK;
  service.certificate = sotto_identity_check(&own, r.folder, NULL) == SOTTO_OK;
  if (service.certificate) service.certificate_days = (double)own.days;
  (void)signal(SIGHUP, on_hangup);
  if (status == SOTTO_OK) status = serve(&r, &service, (unsigned)threads, &err);
  serve_service_end(&service);
  serve_party_close();
  return status == SOTTO_OK ? EXIT_DONE : cli_error(&err);
}
