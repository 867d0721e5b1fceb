/* sotto align --role: one party over a network. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "align.h"
#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/text.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/print.h"
#include "report/report.h"

/* The run of one party. Two files mark its progress in the folder. `kept` names the list and parties of the
 * result, and exists once the result is complete. `finished` exists once the other parties have theirs too.
 */
typedef struct place {
  const align_request *request;
  const char *file;
  sotto_align_peer peers[ALIGN_MOST_PEERS];
  char names[ALIGN_MOST_PEERS][128], addresses[ALIGN_MOST_PEERS][300];
  sotto_align_party_options options;
  sotto_ids *ids;
  char *kept, *finished, *statement;
  char mark[ALIGN_MOST_PEERS * 128 + 256]; /* content of `kept` */
  sotto_alignment result;                  /* without its rows */
} place;

/* Parses NAME=HOST:PORT, a peer to connect to. */
static bool add_address(place *p, const char *text) {
  size_t i = p->options.peer_count;
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text)
    return cli_usage("'%s': --connect takes NAME=HOST:PORT, the name as its certificate has it", text), false;
  (void)snprintf(p->names[i], sizeof p->names[i], "%.*s", (int)(equals - text), text);
  (void)snprintf(p->addresses[i], sizeof p->addresses[i], "%s", equals + 1);
  p->options.peer_count++;
  return true;
}

/* Parses NAME, a peer that connects to --listen. */
static bool add_name(place *p, const char *text) {
  size_t i = p->options.peer_count;
  (void)snprintf(p->names[i], sizeof p->names[i], "%s", text);
  (void)snprintf(p->addresses[i], sizeof p->addresses[i], "%s", p->request->listen);
  p->options.peer_count++;
  return true;
}

static bool same_peer_twice(const place *p) {
  for (size_t i = 0; i < p->options.peer_count; i++)
    for (size_t j = 0; j < i; j++)
      if (strcmp(p->names[i], p->names[j]) == 0)
        return cli_usage("'%s' is named twice; each party once", p->names[i]), true;
  return false;
}

/* The first word is the file of ids. The other words are peers, after the one that the option took. */
static bool set_peers(place *p) {
  const align_request *r = p->request;
  if ((r->listen == NULL) == (r->connect == NULL) || (r->listen == NULL) != (r->peer == NULL))
    return cli_usage("one party listens (--listen HOST:PORT --peer NAME), the other connects (--connect "
                     "NAME=HOST:PORT)"),
           false;
  bool (*take)(place *, const char *) = r->listen != NULL ? add_name : add_address;
  p->options.listen = r->listen != NULL;
  if (!take(p, r->listen != NULL ? r->peer : r->connect)) return false;
  for (size_t i = 1; i < r->word_count; i++)
    if (!take(p, r->words[i])) return false;
  for (size_t i = 0; i < p->options.peer_count; i++)
    p->peers[i] = (sotto_align_peer){p->names[i], p->addresses[i]};
  p->options.peers = p->peers;
  if (!p->options.hub && p->options.peer_count > 1) return cli_usage("a leaf has one peer, the hub"), false;
  return !same_peer_twice(p);
}

static bool set_limit(double *out, double usual, const char *text, const char *name) {
  *out = usual;
  if (!cli_real(out, text, name)) return false;
  if (*out > 0 && *out <= 1e6) return true;
  return cli_usage("--%s: seconds, more than 0 and at most 1000000", name), false;
}

static bool set_options(place *p) {
  const align_request *r = p->request;
  p->options.hub = strcmp(r->role, "hub") == 0;
  if (!p->options.hub && strcmp(r->role, "leaf") != 0) return cli_usage("--role is hub or leaf"), false;
  if (r->ids != NULL || r->peer_ids != NULL)
    return cli_usage(
               "--ids and --peer-ids are for all parties in one process; with --role, the file of ids is "
               "the first word"),
           false;
  if (r->word_count == 0) return cli_usage("give the file of ids, as the first word"), false;
  p->file = r->words[0];
  p->options.folder = r->folder;
  p->options.proxy = r->proxy;
  p->options.insecure_loopback = r->insecure_loopback;
  p->options.context = p;
  return set_peers(p) && set_limit(&p->options.connect_limit, 10, r->connect_limit, "connect-limit") &&
         set_limit(&p->options.idle_limit, 30, r->idle_limit, "idle-limit") &&
         set_limit(&p->options.grace, 600, r->grace, "grace");
}

/* Builds the content of `kept`: the list and the parties that the result in the folder belongs to. */
static sotto_status write_mark(place *p, sotto_error *err) {
  uint8_t digest[32];
  char hex[65];
  sotto_status status = sotto_ids_digest(digest, p->ids, NULL, 0, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < sizeof digest; i++) (void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
  size_t used = (size_t)snprintf(p->mark, sizeof p->mark, "role: %s\nids: %s\n", p->request->role, hex);
  for (size_t i = 0; i < p->options.peer_count; i++)
    used += (size_t)snprintf(p->mark + used, sizeof p->mark - used, "peer: %s\n", p->names[i]);
  return SOTTO_OK;
}

/* Looks for a finished result of this list with these parties in the folder. A result of another list or
 * other parties is an error, so that it is not overwritten. */
static sotto_status look_for_kept(place *p, sotto_error *err) {
  char *text;
  size_t size;
  if (!sotto_i_is_file(p->kept)) return SOTTO_OK;
  sotto_status status = app_read_file(&text, &size, p->kept, err);
  if (status != SOTTO_OK) return status;
  p->options.kept = size == strlen(p->mark) && memcmp(text, p->mark, size) == 0;
  free(text);
  if (p->options.kept) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: holds an alignment of another list, or with other parties; give another --out",
                      p->request->out);
}

static sotto_status remove_old_result(void *context, sotto_error *err) {
  const place *p = context;
  if (unlink(p->kept) == 0 || !sotto_i_is_file(p->kept)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_IO, "%s: could not remove it", p->kept);
}

static sotto_status store_result(void *context, const sotto_alignment *alignment, sotto_error *err) {
  place *p = context;
  p->result = *alignment;
  p->result.rows = NULL;
  sotto_status status = align_write(p->request->out, p->request, p->file, alignment, p->ids, err);
  return status == SOTTO_OK ? app_write_file(p->kept, p->mark, strlen(p->mark), err) : status;
}

static sotto_status prepare(place *p, sotto_error *err) {
  sotto_status status;
  p->options.begin = remove_old_result;
  p->options.keep = store_result;
  SOTTO_TRY(align_open_ids(&p->ids, p->file, p->request->column, err));
  SOTTO_TRY(sotto_i_make_folder(p->request->out, err));
  SOTTO_TRY(sotto_i_remove_partials(p->request->out, err));
  SOTTO_TRY(app_join(&p->kept, p->request->out, "kept", err));
  SOTTO_TRY(app_join(&p->finished, p->request->out, "finished", err));
  SOTTO_TRY(app_join(&p->statement, p->request->out, "statement.json", err));
  SOTTO_TRY(write_mark(p, err));
  SOTTO_TRY(look_for_kept(p, err));
done:
  return status;
}

static sotto_status print_statement(const place *p, sotto_error *err) {
  char *text;
  size_t size;
  sotto_status status = app_read_file(&text, &size, p->statement, err);
  if (status != SOTTO_OK) return status;
  (void)fwrite(text, 1, size, stdout);
  (void)putchar('\n');
  free(text);
  return SOTTO_OK;
}

static sotto_status print_result(const place *p, sotto_error *err) {
  const sotto_alignment *a = &p->result;
  if (p->request->json) return print_statement(p, err);
  if (a->peers == 0) { /* this process exchanged nothing: the result was there before */
    app_print(stdout, "  written   %s, by an exchange that was over before\n", p->request->out);
    return SOTTO_OK;
  }
  app_print(stdout, "  common    %zu of %zu ids\n", a->count, a->own);
  for (size_t i = 0; i < a->peers; i++)
    if (a->hub)
      app_print(stdout, "  leaf      %s: %zu ids, %zu in common\n", p->names[i], a->peer_ids[i],
                a->shared[i]);
    else
      app_print(stdout, "  hub       %s: %zu ids\n", p->names[i], a->peer_ids[i]);
  app_print(stdout,
            "  speed     %.0f ids a second (%.1f s, %u threads), peak memory %.0f MB\n  written   %s\n",
            (double)a->products / a->seconds, a->seconds, sotto_threads(), (double)sotto_i_peak_rss() / 1e6,
            p->request->out);
  return SOTTO_OK;
}

static sotto_status run(place *p, sotto_error *err) {
  const sotto_observer observer = cli_observer();
  sotto_status status;
  SOTTO_TRY(prepare(p, err));
  if (!p->options.insecure_loopback) cli_watch_certificate(p->options.folder);
  if (!p->options.kept || !sotto_i_is_file(p->finished)) {
    status = sotto_align_party(&p->options, p->ids, &observer, err);
    cli_observer_end();
    if (status != SOTTO_OK) goto done;
    SOTTO_TRY(app_write_file(p->finished, "", 0, err));
  }
  SOTTO_TRY(print_result(p, err));
done:
  sotto_ids_free(p->ids);
  free(p->kept);
  free(p->finished);
  free(p->statement);
  return status;
}

int align_party(const align_request *r) {
  static place p;
  sotto_error err = {0};
  p = (place){.request = r};
  if (!set_options(&p)) return EXIT_USAGE;
  if (run(&p, &err) == SOTTO_OK) return EXIT_DONE;
  int code = cli_error(&err);
  if (err.status == SOTTO_INTERRUPTED) cli_advise("go on with the same command");
  return code;
}
