/* A client of the program's HTTP servers, for tests. */
#include "http_client.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "loopback.h"

int http_dial(const char *address) {
  const struct sockaddr_in name = check_address(address);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(connect(fd, (const struct sockaddr *)&name, sizeof name), 0);
  return fd;
}

const char *http_talk(int fd, const char *text) {
  return http_talk_bytes(fd, text, strlen(text));
}

const char *http_talk_bytes(int fd, const char *text, size_t size) {
  static char answer[1 << 16];
  size_t used = 0;
  assert_int_equal(send(fd, text, size, MSG_NOSIGNAL), size);
  for (;;) {
    struct pollfd socket = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&socket, 1, 10000), 1);
    const ssize_t got = recv(fd, answer + used, sizeof answer - 1 - used, 0);
    if (got <= 0) break;
    used += (size_t)got;
  }
  answer[used] = '\0';
  (void)close(fd);
  return answer;
}

const char *http_ask(const char *address, const char *first, const char *more, const char *body) {
  char text[8192];
  const char *type = strncmp(first, "POST ", 5) == 0 ? "Content-Type: application/json\r\n" : "";
  (void)snprintf(text, sizeof text, "%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s%s\r\n%s",
                 first, type, more, body);
  return http_talk(http_dial(address), text);
}

void http_says(const char *answer, const char *status, const char *words) {
  if (strncmp(answer, "HTTP/1.1 ", 9) != 0 || strncmp(answer + 9, status, 3) != 0)
    fail_msg("not %s: %s", status, answer);
  if (strstr(answer, words) == NULL) fail_msg("'%s' is not in: %s", words, answer);
}

int http_follow(const char *address, const char *path) {
  char text[400];
  const int fd = http_dial(address);
  const int size = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
  assert_int_equal(send(fd, text, (size_t)size, MSG_NOSIGNAL), size);
  return fd;
}

const char *http_read_until(int fd, const char *words) {
  static char heard[1 << 20];
  size_t used = 0;
  heard[0] = '\0';
  while (words == NULL || strstr(heard, words) == NULL) {
    struct pollfd socket = {.fd = fd, .events = POLLIN};
    assert_true(used + 1 < sizeof heard);
    if (poll(&socket, 1, 15000) != 1) fail_msg("nothing came for 15 seconds; before: %s", heard);
    const ssize_t got = recv(fd, heard + used, sizeof heard - 1 - used, 0);
    if (got <= 0 && words == NULL) break;
    if (got <= 0) fail_msg("the answer ended without '%s': %s", words, heard);
    used += (size_t)got;
    heard[used] = '\0';
  }
  return heard;
}
