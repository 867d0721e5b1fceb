/* A matrix of 1 GB from one process to another over TLS on loopback: how fast, in how much memory, in how
 * many bytes. usage: bench_wire [megabytes] */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/progress.h"
#include "inside/party.h"
#include "party/wire/wire.h"
#include "record.h"

enum { cols = 64 };

static void must(sotto_status status, const sotto_error *err) {
  if (status == SOTTO_OK) return;
  (void)fprintf(stderr, "%s\n", err->text);
  _exit(1);
}

static void trust(const char *folder, const char *who, const char *whom) {
  char own[600], path[600], name[64];
  sotto_error err = {0};
  (void)snprintf(own, sizeof own, "%s/%s", folder, who);
  (void)snprintf(path, sizeof path, "%s/%s/own.crt", folder, whom);
  must(sotto_identity_trust(name, own, path, NULL, false, &err), &err);
}

static sotto_wire *enter(const char *folder, const char *who, const char *whom, bool listens,
                         const char *address, sotto_link **link) {
  char own[600];
  sotto_error err = {0};
  sotto_wire *wire;
  sotto_progress common;
  (void)snprintf(own, sizeof own, "%s/%s", folder, who);
  const sotto_wire_options options = {.folder = own,
                                      .peer = whom,
                                      .address = address,
                                      .listen = listens,
                                      .connect_limit = 10,
                                      .idle_limit = 30,
                                      .grace = 30,
                                      .role = listens ? "data" : "label",
                                      .terms = ""};
  must(sotto_wire_open(&wire, &options, &err), &err);
  must(sotto_wire_meet(wire, &common, &err), &err);
  must(sotto_wire_link(wire, link, &err), &err);
  return wire;
}

/* One side, in a process of its own. */
static int run_side(const char *folder, bool sends, const char *address, size_t rows) {
  sotto_link *link;
  sotto_matrix x = {0};
  sotto_error err = {0};
  uint64_t sent, received;
  const sotto_expectation expected = {"x", SOTTO_WIRE_PUBLIC, rows, cols, 1};
  must(sotto_matrix_new(&x, rows, cols, &err), &err);
  for (size_t i = 0; i < rows * cols; i++) x.data[i] = 0.125F;
  uint64_t before = sotto_i_peak_rss();
  sotto_wire *wire =
      enter(folder, sends ? "bank" : "partner", sends ? "partner" : "bank", sends, address, &link);
  double begin = sotto_i_seconds();
  if (sends)
    must(sotto_link_send_public(link, "x", &x, &err), &err);
  else
    must(sotto_link_receive(link, &x, &expected, &err), &err);
  must(sotto_wire_finish(wire, &err), &err);
  double seconds = sotto_i_seconds() - begin, payload = (double)(rows * cols * sizeof(float));
  sotto_wire_bytes(wire, &sent, &received);
  bench_record(sends ? "TLS, sends" : "TLS, receives", payload / seconds / 1e6, "MB/s", (bench_bound){0});
  (void)printf("%-9s %6.0f MB/s, %5.1f MB above the matrix, %+.3f%% bytes\n", sends ? "sends" : "receives",
               payload / seconds / 1e6, (double)(sotto_i_peak_rss() - before) / 1e6,
               100 * ((double)(sends ? sent : received) / payload - 1));
  (void)fflush(stdout);
  sotto_link_free(link);
  sotto_wire_free(wire);
  sotto_matrix_free(&x);
  return 0;
}

int main(int argc, char **argv) {
  char folder[] = "/tmp/sotto-bench-XXXXXX", path[600], address[32];
  sotto_error err = {0};
  size_t rows = (argc > 1 ? (size_t)atoi(argv[1]) : 1000) * 1000000 / (cols * sizeof(float));
  if (mkdtemp(folder) == NULL) return 1;
  static const char *const parties[2] = {"bank", "partner"};
  for (int i = 0; i < 2; i++) {
    (void)snprintf(path, sizeof path, "%s/%s", folder, parties[i]);
    must(sotto_identity_init(path, parties[i], 2, false, &err), &err);
  }
  trust(folder, "bank", "partner");
  trust(folder, "partner", "bank");
  (void)snprintf(address, sizeof address, "127.0.0.1:%d", 10000 + (int)getpid() % 20000);
  pid_t child = fork();
  if (child == 0) return run_side(folder, true, address, rows);
  int code = run_side(folder, false, address, rows), status = 0;
  (void)waitpid(child, &status, 0);
  (void)snprintf(path, sizeof path, "rm -r %s", folder);
  return system(path) != 0 || code != 0 || status != 0;
}
