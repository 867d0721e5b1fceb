/* A bad network between two network namespaces, for kernels without netem: two TUN devices, and this program
 * between them, which hands every packet on after a delay or loses it. TCP is the kernel's own, on both
 * sides.
 *
 *   bad_network NAMESPACE_A NAMESPACE_B [DELAY_MS [LOSS_PER_CENT [SEED]]]     default 50, 1, the time
 *
 * Makes device `bad` with 10.77.0.1 in A and 10.77.0.2 in B (made by `ip netns add`), prints a line when both
 * are up, and carries packets until it gets SIGTERM; then it prints what it carried. Delay and loss are those
 * of each direction. Exit status 77: namespaces or devices are not to be had here, and why. */
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

enum { most_bytes = 2048, places = 16384, unavailable = 77 };

typedef struct packet {
  double due; /* when it is to arrive */
  size_t size;
  uint8_t bytes[most_bytes];
} packet;

/* One direction: packets in the order in which they came, so the first is always the next one due. */
typedef struct direction {
  packet *queue;
  size_t first, count;
  uint64_t carried, lost, crowded, bytes;
} direction;

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
static int make_device(const char *namespace, const char *address) {
  char path[300];
  struct ifreq request = {.ifr_name = "bad"};
  (void)snprintf(path, sizeof path, "/run/netns/%s", namespace);
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

/* Takes all packets that wait at a device: some are lost, the rest become due. */
static void take(direction *d, int device, double delay, double loss, uint64_t *random) {
  static uint8_t spare[most_bytes];
  for (;;) {
    packet *to = &d->queue[(d->first + d->count) % places];
    bool room = d->count < places;
    ssize_t size = read(device, room ? to->bytes : spare, most_bytes);
    if (size <= 0) return;
    if (uniform(random) < loss) {
      d->lost++;
    } else if (!room) {
      d->crowded++;
    } else {
      to->size = (size_t)size;
      to->due = now() + delay;
      d->count++;
    }
  }
}

/* Hands on what is due; gives the time when the next one is, or `later`. */
static double hand_on(direction *d, int device, double later) {
  while (d->count > 0) {
    const packet *from = &d->queue[d->first];
    if (from->due > now()) return from->due < later ? from->due : later;
    if (write(device, from->bytes, from->size) == (ssize_t)from->size) {
      d->carried++;
      d->bytes += from->size;
    }
    d->first = (d->first + 1) % places;
    d->count--;
  }
  return later;
}

static void wait_until(double time, const int device[2]) {
  struct pollfd ends[2] = {{.fd = device[0], .events = POLLIN}, {.fd = device[1], .events = POLLIN}};
  double left = time - now();
  if (left < 0) left = 0;
  const struct timespec most = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
  (void)ppoll(ends, 2, &most, NULL);
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 6) {
    (void)fprintf(stderr, "usage: bad_network NAMESPACE_A NAMESPACE_B [DELAY_MS [LOSS_PER_CENT [SEED]]]\n");
    return 2;
  }
  double delay = (argc > 3 ? atof(argv[3]) : 50) / 1e3, loss = (argc > 4 ? atof(argv[4]) : 1) / 100;
  uint64_t seed = argc > 5 ? strtoull(argv[5], NULL, 10) : (uint64_t)time(NULL), random = seed;
  static packet queues[2][places];
  direction ways[2] = {{.queue = queues[0]}, {.queue = queues[1]}};
  const int device[2] = {make_device(argv[1], "10.77.0.1"), make_device(argv[2], "10.77.0.2")};
  const struct sigaction action = {.sa_handler = end};
  (void)sigaction(SIGTERM, &action, NULL);
  (void)sigaction(SIGINT, &action, NULL);
  (void)printf("up: %g ms, %g %% lost, each way, seed %llu\n", delay * 1e3, loss * 100,
               (unsigned long long)seed);
  (void)fflush(stdout);
  while (!ended) {
    double next = now() + 0.1;
    for (int i = 0; i < 2; i++) take(&ways[i], device[i], delay, loss, &random);
    for (int i = 0; i < 2; i++) next = hand_on(&ways[i], device[1 - i], next);
    wait_until(next, device);
  }
  for (int i = 0; i < 2; i++)
    (void)printf("from %s: %llu packets of %llu bytes carried, %llu lost, %llu more for want of room\n",
                 argv[1 + i], (unsigned long long)ways[i].carried, (unsigned long long)ways[i].bytes,
                 (unsigned long long)ways[i].lost, (unsigned long long)ways[i].crowded);
  return 0;
}
