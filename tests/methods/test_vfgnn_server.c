/* What the server of vfgnn comes to hold: a process of its own, searched for the holders' features while it
 * still has everything, and all that was sent to it too. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "inside/mpc.h"
#include "made_run.h"
#include "methods/vfgnn/vfgnn.h"
#include "socket_link.h"
#include "sotto/generate.h"

enum { nodes = 60, holders = 2, columns = 7 };

static sotto_options make_options(void) {
  sotto_options o;
  sotto_options_default(&o);
  check_set(&o, "method", "vfgnn");
  check_set(&o, "data", "made");
  check_set(&o, "hidden", "6");
  check_set(&o, "epochs", "5");
  check_set(&o, "epsilon", "inf");
  sotto_options_resolve(&o);
  return o;
}

/* What all parties know, without any data. */
typedef struct world {
  sotto_options options;
  sotto_dataset shape;
  sotto_pmp_plan plan;
  sotto_i_job job;
  sotto_i_vfgnn shared;
} world;

static void make_world(world *w) {
  *w = (world){.options = make_options(), .shape = {.graph = {.nodes = nodes}, .classes = 3}};
  w->job = (sotto_i_job){.options = &w->options, .data = &w->shape, .plan = &w->plan};
  w->shared = (sotto_i_vfgnn){.job = &w->job,
                              .holders = holders,
                              .nodes = nodes,
                              .width = w->options.hidden,
                              .classes = 3,
                              .collaborative = true};
  sotto_key_public(&w->shared.key, 4);
  sotto_key_system(&w->shared.first_key);
}

/* The server's process: the protocol, then it waits; what comes on `control` is put into its memory. */
static void be_the_server(const int *sockets, int control) {
  world w;
  sotto_i_vfgnn_server server = {.shared = &w.shared};
  socket_end ends[holders];
  uint8_t *planted = malloc(8);
  make_world(&w);
  for (size_t i = 0; i < holders; i++) {
    ends[i] = (socket_end){.socket = sockets[i]};
    if (socket_link(&server.links[i], &ends[i], NULL) != SOTTO_OK) _exit(2);
  }
  sotto_error err = {0};
  uint8_t done = sotto_i_vfgnn_server_protocol(&server, &err) == SOTTO_OK;
  if (done == 0) {
    (void)fprintf(stderr, "the server: %s\n", err.text);
    _exit(6);
  }
  if (write(control, &done, 1) != 1) _exit(3);
  if (read(control, planted, 8) != 8) _exit(4);
  if (write(control, &done, 1) != 1) _exit(5);
  (void)pause();
  _exit(planted[0]);
}

/* 8 bytes that must not be found: two neighbouring features as they are, or one in fixed point. */
typedef struct patterns {
  uint64_t *items;
  size_t count;
  uint8_t seen[8192]; /* a bit for the low 16 bits of each */
} patterns;

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void add_pattern(patterns *p, const void *bytes) {
  uint64_t item;
  memcpy(&item, bytes, 8);
  p->items[p->count++] = item;
  p->seen[(item & 0xFFFF) / 8] |= (uint8_t)(1U << (item & 7));
}

static void add_features(patterns *p, const sotto_matrix *x) {
  for (size_t i = 0; i < x->rows; i++)
    for (size_t j = 0; j + 1 < x->cols; j++) add_pattern(p, x->data + i * x->cols + j);
}

/* Small whole numbers stand in any memory, so two fixed-point features in a row are looked for: the first as
 * the pattern; it has 20 bits of fraction and is unlikely enough only when it is negative (its high bytes are
 * then ones), so those alone are taken. */
static void add_fixed(patterns *p, const sotto_matrix *x) {
  for (size_t i = 0; i < x->rows * x->cols; i++) {
    int64_t fixed = llrint(ldexp(x->data[i], SOTTO_FIXED_BITS));
    if (fixed < -(1 << 16)) add_pattern(p, &fixed);
  }
}

static size_t find(const patterns *p, const uint8_t *bytes, size_t size) {
  size_t found = 0;
  for (size_t at = 0; at + 8 <= size; at += 4) {
    uint64_t item;
    memcpy(&item, bytes + at, 8);
    if ((p->seen[(item & 0xFFFF) / 8] >> (item & 7) & 1) == 0) continue;
    found += bsearch(&item, p->items, p->count, sizeof item, by_value) != NULL;
  }
  return found;
}

/* Every readable page of a process, but for the sanitizer's terabytes of shadow. */
static size_t search_process(pid_t process, const patterns *p, size_t *searched) {
  char path[64], line[512];
  size_t found = 0;
  uint8_t *block = malloc(1 << 20);
  (void)snprintf(path, sizeof path, "/proc/%d/mem", (int)process);
  int memory = open(path, O_RDONLY | O_CLOEXEC);
  (void)snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
  FILE *maps = fopen(path, "r");
  *searched = 0;
  if (memory < 0 || maps == NULL) {
    print_message("skipped: the memory of another process cannot be read here\n");
    exit(77);
  }
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin, end;
    char rights[8];
    if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3 || rights[0] != 'r') continue;
    if (end - begin > (1UL << 32)) continue;
    for (unsigned long at = begin; at < end; at += (1 << 20) - 8) {
      size_t size = end - at < (1 << 20) ? end - at : 1 << 20;
      ssize_t got = pread(memory, block, size, (off_t)at);
      if (got <= 0) continue;
      *searched += (size_t)got;
      found += find(p, block, (size_t)got);
    }
  }
  (void)fclose(maps);
  (void)close(memory);
  free(block);
  return found;
}

static void *holder_thread(void *context) {
  sotto_i_vfgnn_holder *h = context;
  sotto_error err = {0};
  if (sotto_i_vfgnn_holder_protocol(h, &err) != SOTTO_OK) { /* the others wait for it */
    (void)fprintf(stderr, "holder %zu: %s\n", h->index + 1, err.text);
    abort();
  }
  return NULL;
}

static void run_holders(const world *w, const sotto_dataset *data, sotto_matrix *features, socket_end *ends,
                        sotto_i_vfgnn_labels *labels) {
  sotto_i_vfgnn_holder h[holders] = {{0}};
  pthread_t threads[holders];
  sotto_key_system(&((world *)(uintptr_t)w)->shared.first_key);
  for (size_t i = 0; i < holders; i++) {
    h[i] = (sotto_i_vfgnn_holder){.shared = &w->shared,
                                  .index = i,
                                  .data = data,
                                  .peers = {.self = i, .count = holders},
                                  .features = features[i],
                                  .labels = i == 0 ? labels : NULL};
    CHECK_OK(socket_link(&h[i].peers.dealer, &ends[i], &err));
  }
  CHECK_OK(sotto_link_pair(&h[0].peers.holder[1], &h[1].peers.holder[0], &err));
  for (size_t i = 0; i < holders; i++) pthread_create(&threads[i], NULL, holder_thread, &h[i]);
  for (size_t i = 0; i < holders; i++) pthread_join(threads[i], NULL);
  for (size_t i = 0; i < holders; i++) {
    sotto_link_free(h[i].peers.dealer);
    sotto_link_free(h[i].peers.holder[1 - i]);
    sotto_i_vfgnn_holder_free(&h[i]);
  }
}

static void the_server_never_holds_a_feature(void **state) {
  (void)state;
  int pairs[holders][2], control[2], inner[holders];
  socket_end ends[holders];
  uint8_t done = 0;
  for (size_t i = 0; i < holders; i++) {
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]), 0);
    inner[i] = pairs[i][1];
    ends[i] = (socket_end){.socket = pairs[i][0], .keep = true};
  }
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, control), 0);
  pid_t child = fork(); /* before there is any feature, and before there are threads */
  if (child == 0) be_the_server(inner, control[1]);
  assert_true(child > 0);

  sotto_i_random random = check_random();
  world w;
  make_world(&w);
  sotto_dataset data;
  sotto_key key;
  sotto_key_public(&key, 2);
  const sotto_sbm_options sbm = {
      .nodes = nodes, .classes = 3, .degree_inside = 5, .degree_outside = 2, .features = 4};
  CHECK_OK(sotto_generate_sbm(&data, &sbm, &key, &err));
  sotto_matrix features[holders];
  patterns p = {.items = calloc(2 * holders * nodes * columns + 1, sizeof(uint64_t))};
  for (size_t i = 0; i < holders; i++) {
    CHECK_OK(sotto_matrix_new(&features[i], nodes, columns, &err));
    for (size_t j = 0; j < nodes * columns; j++)
      features[i].data[j] = (float)(2 * sotto_i_random_double(&random) - 1);
    add_features(&p, &features[i]);
    add_fixed(&p, &features[i]);
  }
  uint64_t planted = p.items[0];
  qsort(p.items, p.count, sizeof *p.items, by_value);

  sotto_i_vfgnn_labels labels = {.watch = {0}};
  const sotto_i_job whole = {.options = &w.options, .data = &data, .seed = 4};
  CHECK_OK(sotto_i_parted_new(&labels.parted, &whole, &err));
  run_holders(&w, &data, features, ends, &labels);
  assert_int_equal(read(control[0], &done, 1), 1);
  assert_int_equal(done, 1);

  size_t searched;
  assert_int_equal(search_process(child, &p, &searched), 0);
  print_message("%zu patterns, not in %zu bytes of the server's memory", p.count, searched);
  for (size_t i = 0; i < holders; i++) {
    assert_true(ends[i].size > 5 * nodes * 6 * sizeof(float)); /* the rows of five epochs at least */
    assert_int_equal(find(&p, ends[i].sent, ends[i].size), 0);
    print_message(", nor in %zu that holder %zu sent", ends[i].size, i + 1);
  }
  print_message("\n");

  /* The search can find: one of the patterns is put into the server's memory. */
  assert_int_equal(write(control[0], &planted, 8), 8);
  assert_int_equal(read(control[0], &done, 1), 1);
  assert_true(search_process(child, &p, &searched) > 0);

  (void)kill(child, SIGKILL);
  (void)waitpid(child, NULL, 0);
  for (size_t i = 0; i < holders; i++) {
    free(ends[i].sent);
    (void)close(pairs[i][0]);
    (void)close(pairs[i][1]);
  }
  free(p.items);
  sotto_i_vfgnn_labels_free(&labels);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_server_never_holds_a_feature),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
