/* A server of vfgnn never holds a holder's features: neither its memory while it works nor what was sent to
 * it has any piece of a row, as it was, scaled, or in fixed point. The same search finds them in the holder's
 * memory, and in a traffic that they were put into. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "await.h"
#include "base/progress.h"
#include "check.h"
#include "inside/mpc.h"
#include "ledgers.h"
#include "loopback.h"
#include "run/method/method.h"

enum { piece = 16, table_bits = 18, table_size = 1 << table_bits, most_traffic = 64 << 20, parties = 3 };

/* Pieces of rows: any 16 bytes of four floats, or of two numbers in fixed point, one after the other. */
typedef struct pieces {
  uint8_t (*slots)[piece]; /* a hash table; zeros are free */
  size_t count;
} pieces;

static size_t place_of(const uint8_t *bytes) {
  uint64_t words[2];
  memcpy(words, bytes, sizeof words);
  return (size_t)((words[0] * 0x9E3779B97F4A7C15U ^ words[1]) * 0xD6E8FEB86659FD93U >> (64 - table_bits));
}

static bool known(const pieces *p, const uint8_t *bytes) {
  static const uint8_t none[piece];
  for (size_t at = place_of(bytes);; at = (at + 1) % table_size) {
    if (memcmp(p->slots[at], none, piece) == 0) return false;
    if (memcmp(p->slots[at], bytes, piece) == 0) return true;
  }
}

static void add(pieces *p, const void *bytes) {
  static const uint8_t none[piece];
  size_t at = place_of(bytes);
  if (known(p, bytes)) return;
  while (memcmp(p->slots[at], none, piece) != 0) at = (at + 1) % table_size;
  memcpy(p->slots[at], bytes, piece);
  assert_true(++p->count < table_size / 2);
}

static void add_rows(pieces *p, const sotto_matrix *x) {
  for (size_t i = 0; i < x->rows; i++)
    for (size_t j = 0; j + 4 <= x->cols; j++) add(p, x->data + i * x->cols + j);
}

static void add_holder(pieces *p, const char *path, const sotto_options *options) {
  sotto_dataset data;
  sotto_matrix scaled = {0};
  sotto_ring fixed = {0};
  CHECK_OK(sotto_dataset_open(&data, path, NULL, &err));
  CHECK_OK(sotto_i_scaled_features(&scaled, options, &data, &err));
  CHECK_OK(sotto_ring_new(&fixed, scaled.rows, scaled.cols, &err));
  CHECK_OK(sotto_fixed_encode(&fixed, &scaled, SOTTO_FIXED_BITS, 1, &err));
  add_rows(p, &data.features);
  add_rows(p, &scaled);
  for (size_t i = 0; i < fixed.rows; i++)
    for (size_t j = 0; j + 2 <= fixed.cols; j++) add(p, fixed.data + i * fixed.cols + j);
  sotto_ring_free(&fixed);
  sotto_matrix_free(&scaled);
  sotto_dataset_free(&data);
}

/* At every byte, since a payload may begin anywhere in a frame; pages of zeros are passed over. */
static size_t search(const pieces *p, const uint8_t *bytes, size_t size) {
  static const uint8_t nothing[4096 + piece];
  size_t found = 0;
  for (size_t at = 0; at + piece <= size; at++) {
    while (at + sizeof nothing <= size && memcmp(bytes + at, nothing, sizeof nothing) == 0) at += 4096;
    found += known(p, bytes + at);
  }
  return found;
}

/* All that the process has written to: private pages, stacks, heap. */
static size_t search_process(const pieces *p, pid_t process, size_t *searched) {
  char path[64], line[512];
  size_t found = 0;
  *searched = 0;
  (void)snprintf(path, sizeof path, "/proc/%d/mem", (int)process);
  int memory = open(path, O_RDONLY | O_CLOEXEC);
  (void)snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
  FILE *maps = fopen(path, "r");
  assert_true(memory >= 0 && maps != NULL);
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin, end;
    char mode[8];
    if (sscanf(line, "%lx-%lx %7s", &begin, &end, mode) != 3 || strncmp(mode, "rw", 2) != 0) continue;
    uint8_t *bytes = malloc(end - begin);
    assert_non_null(bytes);
    ssize_t got = pread(memory, bytes, end - begin, (off_t)begin);
    if (got > 0) {
      found += search(p, bytes, (size_t)got);
      *searched += (size_t)got;
    }
    free(bytes);
  }
  (void)fclose(maps);
  close(memory);
  return found;
}

/* Stands between the holders and the server, and keeps what goes to the server. */
typedef struct tap {
  int listener;
  char to[32]; /* the server */
  uint8_t *kept;
  size_t size;
  _Atomic bool quit;
} tap;

static int dial(const char *address) {
  const struct sockaddr_in name = check_address(address);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, (const struct sockaddr *)&name, sizeof name) == 0) return fd;
  close(fd);
  return -1;
}

/* From one socket to another; false at the end. */
static bool carry(tap *t, int from, int to, bool keep) {
  static uint8_t bytes[1 << 16];
  ssize_t got = recv(from, bytes, sizeof bytes, 0);
  if (got <= 0) return false;
  if (keep && t->size + (size_t)got <= most_traffic) {
    memcpy(t->kept + t->size, bytes, (size_t)got);
    t->size += (size_t)got;
  }
  for (ssize_t at = 0, sent; at < got; at += sent)
    if ((sent = send(to, bytes + at, (size_t)(got - at), MSG_NOSIGNAL)) <= 0) return false;
  return true;
}

static void *tap_main(void *context) {
  tap *t = context;
  struct pollfd ends[1 + 8] = {{.fd = t->listener, .events = POLLIN}};
  nfds_t count = 1;
  while (!atomic_load(&t->quit)) {
    if (poll(ends, count, 50) <= 0) continue;
    if (ends[0].revents != 0) {
      int holder = accept(t->listener, NULL, NULL), server = dial(t->to);
      if (holder >= 0 && server >= 0 && count + 2 <= 9) {
        ends[count++] = (struct pollfd){.fd = holder, .events = POLLIN};
        ends[count++] = (struct pollfd){.fd = server, .events = POLLIN};
      } else {
        if (holder >= 0) close(holder);
        if (server >= 0) close(server);
      }
    }
    for (nfds_t i = 1; i < count; i++) {
      nfds_t other = i % 2 == 1 ? i + 1 : i - 1;
      if (ends[i].fd < 0 || ends[i].revents == 0 || carry(t, ends[i].fd, ends[other].fd, i % 2 == 1))
        continue;
      close(ends[i].fd);
      close(ends[other].fd);
      ends[i].fd = ends[other].fd = -1;
    }
  }
  for (nfds_t i = 1; i < count; i++)
    if (ends[i].fd >= 0) close(ends[i].fd);
  return NULL;
}

static int listen_at(const char *address) {
  const struct sockaddr_in name = check_address(address);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(bind(fd, (const struct sockaddr *)&name, sizeof name), 0);
  assert_int_equal(listen(fd, 8), 0);
  return fd;
}

static const char *program(void) {
  const char *plain = getenv("SOTTO_PLAIN"), *sotto = getenv("SOTTO");
  return plain != NULL && access(plain, X_OK) == 0 ? plain : sotto; /* a sanitizer's shadow is not searched */
}

static pid_t start(const char *role, const char *address, const char *server, const char *other,
                   const char *data) {
  char peers[2][64], out[600], run[600], ledger[600];
  bool is_server = strcmp(role, "server") == 0;
  (void)snprintf(peers[0], 64, is_server ? "holder1" : "server=%s", server);
  (void)snprintf(peers[1], 64, "%s", other);
  (void)snprintf(out, sizeof out, "%s/%s", check_folder(), role);
  (void)snprintf(run, sizeof run, "%s/run.yaml", check_folder());
  (void)snprintf(ledger, sizeof ledger, "%s/ledger.db", check_folder());
  (void)check_new_ledger(ledger);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child > 0) return child;
  int nowhere = open("/dev/null", O_WRONLY);
  (void)dup2(nowhere, 1);
  (void)dup2(nowhere, 2);
  const char *arguments[28] = {program(),   "run",      run,    "--role",    role, "--out",
                               out,         "--ledger", ledger, "--threads", "1",  "--insecure-loopback",
                               "--epsilon", "inf"};
  size_t count = 14;
  const char *more[] = {"--peer", peers[0], "--peer", peers[1]};
  for (size_t i = 0; i < 4; i++) arguments[count++] = more[i];
  if (address != NULL) arguments[count++] = "--listen", arguments[count++] = address;
  if (data != NULL) arguments[count++] = "--data", arguments[count++] = data;
  execv(program(), (char *const *)(uintptr_t)arguments);
  _exit(127);
}

static void make_data(void) {
  char command[2400];
  (void)snprintf(
      command, sizeof command,
      "cd %s && '%s' data generate sbm --nodes 200 --features 24 --out g.sotto > generated && '%s' "
      "data split g.sotto --vertical --holders 2 --features --edges --out part > split && printf "
      "'method: vfgnn\\nhidden: 8\\nepochs: 1000000\\ncheckpoint-every: 5\\n' > run.yaml",
      check_folder(), program(), program());
  assert_int_equal(system(command), 0);
}

typedef struct epochs_of {
  const char *command; /* succeeds when they are there */
  const pid_t *children;
} epochs_of;

static bool are_made(void *context) {
  const epochs_of *at = context;
  for (int k = 0; k < parties; k++)
    if (waitpid(at->children[k], NULL, WNOHANG) != 0) fail_msg("party %d ended", k);
  return system(at->command) == 0;
}

/* Waits until ten epochs are done. */
static void wait_for_epochs(const pid_t *children) {
  char command[700];
  (void)snprintf(command, sizeof command,
                 "ls %s/holder1/seed-1/owner-only/stages/holder1-[1-9][0-9]* > %s/listed 2> %s/unlisted",
                 check_folder(), check_folder(), check_folder());
  epochs_of at = {command, children};
  check_await("no epochs were made", are_made, &at);
}

static void the_server_never_has_features(void **state) {
  (void)state;
  sotto_options options;
  pieces all = {.slots = NULL};
  char server[32], tapped[32], holder[32];
  size_t searched;
  pthread_t thread;
  tap t = {.listener = -1};
  pid_t children[parties];
  if (program() == NULL || access("/proc/self/mem", R_OK) != 0) {
    (void)printf("SKIPPED: no program under test, or no /proc\n");
    skip();
  }
  make_data();
  sotto_options_default(&options);
  CHECK_OK(sotto_options_set(&options, "method", "vfgnn", &err));
  sotto_options_resolve(&options);
  all.slots = calloc(table_size, piece);
  t.kept = malloc(most_traffic);
  assert_true(all.slots != NULL && t.kept != NULL);
  add_holder(&all, check_path("part-1.sotto"), &options);
  add_holder(&all, check_path("part-2.sotto"), &options);
  check_loopback(server);
  check_loopback(tapped);
  check_loopback(holder);
  t.listener = listen_at(tapped);
  memcpy(t.to, server, sizeof t.to);
  assert_int_equal(pthread_create(&thread, NULL, tap_main, &t), 0);
  children[0] = start("server", server, NULL, "holder2", NULL);
  children[1] = start("holder1", holder, tapped, "holder2", check_path("part-1.sotto"));
  char other[64];
  (void)snprintf(other, sizeof other, "holder1=%s", holder);
  children[2] = start("holder2", NULL, tapped, other, check_path("part-2.sotto"));
  wait_for_epochs(children);
  for (int k = 0; k < parties; k++) kill(children[k], SIGSTOP);
  size_t at_server = search_process(&all, children[0], &searched);
  assert_true(searched > 1 << 20);
  size_t at_holders[2] = {search_process(&all, children[1], &searched),
                          search_process(&all, children[2], &searched)};
  for (int k = 0; k < parties; k++) {
    kill(children[k], SIGKILL);
    assert_int_equal(waitpid(children[k], NULL, 0), children[k]);
  }
  atomic_store(&t.quit, true);
  pthread_join(thread, NULL);
  close(t.listener);
  assert_int_equal(at_server, 0);
  assert_true(at_holders[0] > 1000 && at_holders[1] > 1000); /* the search is not blind */
  assert_true(t.size > 100000);
  assert_int_equal(search(&all, t.kept, t.size), 0);
  size_t planted = 0;
  static const uint8_t none[piece];
  while (memcmp(all.slots[planted], none, piece) == 0) planted++;
  memcpy(t.kept + t.size / 2 + 3, all.slots[planted], piece);
  assert_int_equal(search(&all, t.kept, t.size), 1);
  free(t.kept);
  free(all.slots);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_server_never_has_features)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
