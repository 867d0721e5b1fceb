/* Load for `sotto serve`: connections that stay open, one request at a time on each, for nodes drawn at
 * random.
 *
 *   bench_serve_load HOST:PORT NODES [--requests N] [--connections C] [--batch B] [--path P] [--pid PID]
 *
 * Prints one line of JSON: requests a second, percentiles of latency in milliseconds, answers that were not
 * 200, and with --pid the resident memory of the server before and after. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/text.h"

enum { most_connections = 1024, room = 1 << 16 };

typedef struct line {
  int socket;
  double asked;
  size_t used;
  char answer[room];
} line;

typedef struct load {
  const char *address, *path;
  uint64_t nodes, requests, connections, batch, process;
  uint64_t sent, answered, failed;
  uint64_t drawn; /* state of splitmix64 */
  float *latency; /* milliseconds */
} load;

static uint64_t draw(load *l) {
  uint64_t z = (l->drawn += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void fail(const char *what) {
  (void)fprintf(stderr, "serve_load: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int dial(const char *address) {
  struct sockaddr_in name = {.sin_family = AF_INET};
  char host[64];
  const int one = 1;
  const char *colon = strrchr(address, ':');
  if (colon == NULL || colon - address > 63) fail(address);
  (void)snprintf(host, sizeof host, "%.*s", (int)(colon - address), address);
  if (inet_pton(AF_INET, host, &name.sin_addr) != 1) fail(address);
  name.sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (const struct sockaddr *)&name, sizeof name) != 0) fail(address);
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  (void)fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

static void ask(load *l, line *at) {
  char body[1 << 14], head[1 << 15];
  size_t used = (size_t)snprintf(body, sizeof body, "{\"nodes\":[");
  for (uint64_t i = 0; i < l->batch; i++)
    used += (size_t)snprintf(body + used, sizeof body - used, "%s%llu", i > 0 ? "," : "",
                             (unsigned long long)(draw(l) % l->nodes));
  used += (size_t)snprintf(body + used, sizeof body - used, "]}");
  const int size =
      snprintf(head, sizeof head, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
               l->path, used, body);
  at->used = 0;
  at->asked = sotto_i_seconds();
  l->sent++;
  if (send(at->socket, head, (size_t)size, MSG_NOSIGNAL) != size) fail("send");
}

/* Is the answer whole? */
static bool is_whole(const line *at) {
  const char *end = strstr(at->answer, "\r\n\r\n"), *length = strstr(at->answer, "Content-Length: ");
  if (end == NULL || length == NULL || length > end) return false;
  return at->used >= (size_t)(end + 4 - at->answer) + strtoul(length + 16, NULL, 10);
}

static void hear(load *l, line *at) {
  const ssize_t got = recv(at->socket, at->answer + at->used, room - 1 - at->used, 0);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) fail("the server hung up");
  at->used += (size_t)got;
  at->answer[at->used] = '\0';
  if (!is_whole(at)) return;
  if (strncmp(at->answer, "HTTP/1.1 200", 12) != 0) l->failed++;
  l->latency[l->answered++] = (float)((sotto_i_seconds() - at->asked) * 1000);
  if (l->sent < l->requests) ask(l, at);
}

static void run(load *l) {
  struct epoll_event events[64];
  static line lines[most_connections];
  const int poll = epoll_create1(0);
  for (uint64_t i = 0; i < l->connections; i++) {
    lines[i].socket = dial(l->address);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &lines[i]};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, lines[i].socket, &event) != 0) fail("epoll");
    if (l->sent < l->requests) ask(l, &lines[i]);
  }
  while (l->answered < l->requests) {
    const int ready = epoll_wait(poll, events, 64, 10000);
    if (ready == 0) fail("no answer for ten seconds");
    for (int i = 0; i < ready; i++) hear(l, events[i].data.ptr);
  }
  for (uint64_t i = 0; i < l->connections; i++) (void)close(lines[i].socket);
  (void)close(poll);
}

/* Resident kilobytes of a process; 0: not known. */
static unsigned long resident(uint64_t process) {
  char path[64], text[256];
  unsigned long out = 0;
  (void)snprintf(path, sizeof path, "/proc/%llu/status", (unsigned long long)process);
  FILE *file = process == 0 ? NULL : fopen(path, "r");
  while (file != NULL && fgets(text, sizeof text, file) != NULL)
    if (strncmp(text, "VmRSS:", 6) == 0) out = strtoul(text + 6, NULL, 10);
  if (file != NULL) (void)fclose(file);
  return out;
}

static int by_size(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static void print(const load *l, double seconds, unsigned long before) {
  const unsigned long after = resident(l->process);
  qsort(l->latency, l->answered, sizeof *l->latency, by_size);
  const float *at = l->latency;
  (void)printf("{\"requests\": %llu, \"connections\": %llu, \"batch\": %llu, \"seconds\": %.2f, "
               "\"requests_per_second\": %.0f, \"p50_ms\": %.3f, \"p99_ms\": %.3f, \"p999_ms\": %.3f, "
               "\"most_ms\": %.3f, \"failed\": %llu, \"rss_kb_before\": %lu, \"rss_kb_after\": %lu}\n",
               (unsigned long long)l->answered, (unsigned long long)l->connections,
               (unsigned long long)l->batch, seconds, (double)l->answered / seconds,
               (double)at[l->answered / 2], (double)at[l->answered * 99 / 100],
               (double)at[l->answered * 999 / 1000], (double)at[l->answered - 1],
               (unsigned long long)l->failed, before, after);
}

int main(int argc, char **argv) {
  load l = {.path = "/predict", .requests = 100000, .connections = 32, .batch = 1, .drawn = 1};
  const struct {
    const char *name;
    uint64_t *value;
  } numbers[] = {{"--requests", &l.requests},
                 {"--connections", &l.connections},
                 {"--batch", &l.batch},
                 {"--pid", &l.process}};
  if (argc < 3 || sotto_i_parse_u64(&l.nodes, argv[2], "NODES", NULL) != SOTTO_OK || l.nodes == 0) {
    (void)fprintf(stderr, "usage: bench_serve_load HOST:PORT NODES [--requests N] [--connections C] "
                          "[--batch B] [--path P] [--pid PID]\n");
    return 2;
  }
  l.address = argv[1];
  for (int i = 3; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--path") == 0) l.path = argv[i + 1];
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
      if (strcmp(argv[i], numbers[k].name) == 0)
        (void)sotto_i_parse_u64(numbers[k].value, argv[i + 1], argv[i], NULL);
  }
  if (l.connections < 1 || l.connections > most_connections || l.batch < 1 || l.batch > 1000) return 2;
  l.latency = calloc(l.requests + 1, sizeof *l.latency);
  if (l.latency == NULL || l.requests == 0) return 2;
  const unsigned long before = resident(l.process);
  const double begin = sotto_i_seconds();
  run(&l);
  print(&l, sotto_i_seconds() - begin, before);
  free(l.latency);
  return l.failed == 0 ? 0 : 1;
}
