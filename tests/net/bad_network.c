/* A bad network between network namespaces, for kernels without netem: a TUN device in each, and this program
 * between them, which hands every packet on late, out of order, or not at all. TCP is the kernel's own, at
 * every end.
 *
 *   bad_network SEED NAMESPACE... -- [FAULT]...
 *
 * Makes device `bad` with 10.77.0.1 in the first namespace (made by `ip netns add`), 10.77.0.2 in the second,
 * and so on; prints a line when all are up, and carries packets until it gets SIGTERM; then it prints what it
 * carried. A fault is LINK:WORD=VALUE[,WORD=VALUE]..., where LINK is `*` (all), A-B (both directions between
 * the namespaces of these numbers) or A>B (one direction), and the words are
 *   delay=MS       every packet takes so long
 *   jitter=MS      and up to so much longer, each for itself: packets overtake each other
 *   loss=PERCENT   so many are lost
 *   cut=FROM-TO    between these seconds after the start all are lost
 * Exit status 77: namespaces or devices are not to be had here, and why. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most_bytes = 2048, most_devices = 8, places = 16384, unavailable = 77 };

typedef struct packet {
  struct packet *next;
  double due; /* when it is to arrive */
  size_t size;
  uint8_t bytes[most_bytes];
} packet;

/* One direction between two namespaces. */
typedef struct direction {
  double delay, jitter, loss, cut_from, cut_to; /* seconds; loss of 1 */
} direction;

/* One namespace: its device, the packets that are on their way to it, the next one due first, and what became
 * of those that came from it. */
typedef struct place {
  const char *name;
  int device;
  packet *first, *last;
  uint64_t carried, lost, crowded, bytes;
} place;

static place ends[most_devices];
static int count;
static direction links[most_devices][most_devices]; /* from, to */
static packet pool[places], *spare;
static uint64_t seed;
static double start;
static volatile sig_atomic_t ended;

static void end(int signal) {
  (void)signal;
  ended = 1;
}

static void give_up(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)vprintf(format, arguments);
  va_end(arguments);
  (void)printf(": %s\n", strerror(errno));
  exit(unavailable);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* SplitMix64: a stream that a seed repeats. */
static double uniform(uint64_t *state) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15U);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void set_address(int control, struct ifreq *request, unsigned long what, const char *address) {
  struct sockaddr_in *to = (struct sockaddr_in *)(void *)&request->ifr_addr;
  *to = (struct sockaddr_in){.sin_family = AF_INET};
  (void)inet_pton(AF_INET, address, &to->sin_addr);
  if (ioctl(control, what, request) != 0) give_up("the device takes no address %s", address);
}

/* A TUN device in the namespace, up and with its address; this process holds its other end. */
static int make_device(const char *namespace, int number) {
  char path[300], address[32];
  struct ifreq request = {.ifr_name = "bad"};
  (void)snprintf(path, sizeof path, "/run/netns/%s", namespace);
  (void)snprintf(address, sizeof address, "10.77.0.%d", number);
  int space = open(path, O_RDONLY | O_CLOEXEC);
  if (space < 0 || setns(space, CLONE_NEWNET) != 0) give_up("could not enter the namespace %s", namespace);
  int device = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (device < 0) give_up("/dev/net/tun");
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (ioctl(device, TUNSETIFF, &request) != 0) give_up("no TUN device in %s", namespace);
  int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) give_up("no socket in %s", namespace);
  set_address(control, &request, SIOCSIFADDR, address);
  set_address(control, &request, SIOCSIFNETMASK, "255.255.255.0");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(control, SIOCSIFFLAGS, &request) != 0) give_up("the device in %s does not come up", namespace);
  (void)close(control);
  (void)close(space);
  return device;
}

static void misused(const char *what) {
  (void)fprintf(stderr, "bad_network: %s\nusage: bad_network SEED NAMESPACE... -- [FAULT]...\n", what);
  exit(2);
}

static void set_word(direction *l, const char *word) {
  double value, until;
  if (sscanf(word, "delay=%lf", &value) == 1)
    l->delay = value / 1e3;
  else if (sscanf(word, "jitter=%lf", &value) == 1)
    l->jitter = value / 1e3;
  else if (sscanf(word, "loss=%lf", &value) == 1)
    l->loss = value / 100;
  else if (sscanf(word, "cut=%lf-%lf", &value, &until) == 2) {
    l->cut_from = value;
    l->cut_to = until;
  } else
    misused(word);
}

static void set_fault(char *fault) {
  int from = 0, to = 0;
  char way = '*', *words = strchr(fault, ':'), *rest = NULL;
  if (words == NULL) misused(fault);
  *words++ = '\0';
  if (strcmp(fault, "*") != 0 &&
      (sscanf(fault, "%d%c%d", &from, &way, &to) != 3 || (way != '-' && way != '>') || from < 1 ||
       from > count || to < 1 || to > count))
    misused(fault);
  for (char *word = strtok_r(words, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest))
    for (int a = 1; a <= count; a++)
      for (int b = 1; b <= count; b++)
        if (way == '*' || (a == from && b == to) || (way == '-' && a == to && b == from))
          set_word(&links[a - 1][b - 1], word);
}

/* Into the queue of its receiver, behind all that are due before it. */
static void queue_up(place *to, packet *p) {
  packet **at = &to->first;
  if (to->last != NULL && to->last->due <= p->due) at = &to->last->next;
  while (*at != NULL && (*at)->due <= p->due) at = &(*at)->next;
  p->next = *at;
  *at = p;
  if (p->next == NULL) to->last = p;
}

/* For whom the packet is, or -1: IPv4 alone, by the last number of its address. */
static int receiver(const uint8_t *bytes, size_t size, int from) {
  static const uint8_t net[3] = {10, 77, 0};
  if (size < 20 || bytes[0] >> 4 != 4 || memcmp(bytes + 16, net, sizeof net) != 0) return -1;
  int to = bytes[19] - 1;
  return to < 0 || to >= count || to == from ? -1 : to;
}

/* Takes all packets that wait at a device: some are lost, the rest become due. */
static void take(int from) {
  static packet last_place;
  place *own = &ends[from];
  for (;;) {
    packet *p = spare != NULL ? spare : &last_place;
    ssize_t size = read(own->device, p->bytes, most_bytes);
    if (size <= 0) return;
    int to = receiver(p->bytes, (size_t)size, from);
    if (to < 0) continue;
    const direction *l = &links[from][to];
    double time = now(), since = time - start;
    if ((since >= l->cut_from && since < l->cut_to) || uniform(&seed) < l->loss) {
      own->lost++;
    } else if (p == &last_place) {
      own->crowded++;
    } else {
      spare = p->next;
      p->size = (size_t)size;
      p->due = time + l->delay + (l->jitter > 0 ? l->jitter * uniform(&seed) : 0);
      own->carried++;
      own->bytes += p->size;
      queue_up(&ends[to], p);
    }
  }
}

/* Hands on what is due; gives the time when the next one is, or `later`. */
static double hand_on(place *to, double later) {
  while (to->first != NULL) {
    packet *p = to->first;
    if (p->due > now()) return p->due < later ? p->due : later;
    ssize_t written = write(to->device, p->bytes, p->size); /* a packet that is refused is one more lost */
    (void)written;
    to->first = p->next;
    if (to->first == NULL) to->last = NULL;
    p->next = spare;
    spare = p;
  }
  return later;
}

static void wait_until(double time) {
  struct pollfd sockets[most_devices];
  double left = time - now();
  for (int i = 0; i < count; i++) sockets[i] = (struct pollfd){.fd = ends[i].device, .events = POLLIN};
  if (left < 0) left = 0;
  const struct timespec most = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
  (void)ppoll(sockets, (nfds_t)count, &most, NULL);
}

int main(int argc, char **argv) {
  int next = 2;
  if (argc < 4) misused("too few arguments");
  seed = strtoull(argv[1], NULL, 10);
  for (; next < argc && strcmp(argv[next], "--") != 0; next++) {
    if (count == most_devices) misused("too many namespaces");
    ends[count++].name = argv[next];
  }
  for (next++; next < argc; next++) set_fault(argv[next]);
  for (int i = 0; i < places - 1; i++) pool[i].next = &pool[i + 1];
  spare = pool;
  for (int i = 0; i < count; i++) ends[i].device = make_device(ends[i].name, i + 1);
  const struct sigaction action = {.sa_handler = end};
  (void)sigaction(SIGTERM, &action, NULL);
  (void)sigaction(SIGINT, &action, NULL);
  (void)printf("up: %d namespaces, seed %llu\n", count, (unsigned long long)seed);
  (void)fflush(stdout);
  start = now();
  while (!ended) {
    double later = now() + 0.1;
    for (int i = 0; i < count; i++) take(i);
    for (int i = 0; i < count; i++) later = hand_on(&ends[i], later);
    wait_until(later);
  }
  for (int i = 0; i < count; i++)
    (void)printf("from %s: %llu packets of %llu bytes carried, %llu lost, %llu more for want of room\n",
                 ends[i].name, (unsigned long long)ends[i].carried, (unsigned long long)ends[i].bytes,
                 (unsigned long long)ends[i].lost, (unsigned long long)ends[i].crowded);
  return 0;
}
