/* Connecting through an HTTP proxy: the request, and its answer. */
#include "proxy.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/file.h"

void sotto_i_proxy_begin(sotto_i_proxy *out, const char *address) {
  *out = (sotto_i_proxy){.size = 0};
  out->size = (size_t)snprintf(out->request, sizeof out->request,
                               "CONNECT %.300s HTTP/1.1\r\nHost: %.300s\r\n\r\n", address, address);
}

bool sotto_i_proxy_asked(const sotto_i_proxy *proxy) {
  return proxy->sent == proxy->size;
}

static sotto_i_step fail_proxy(sotto_error *err, const char *why) {
  (void)sotto_i_fail(err, SOTTO_IO, "the proxy: %s", why);
  return SOTTO_I_BROKEN;
}

static sotto_i_step send_request(sotto_i_proxy *proxy, int fd, sotto_error *err) {
  while (!sotto_i_proxy_asked(proxy)) {
    ssize_t count = send(fd, proxy->request + proxy->sent, proxy->size - proxy->sent, MSG_NOSIGNAL);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return SOTTO_I_WAIT;
    if (count < 0) return fail_proxy(err, sotto_i_errno_text(errno));
    proxy->sent += (size_t)count;
  }
  return SOTTO_I_MOVED;
}

/* "HTTP/1.1 200 ..." */
static bool is_success(const char *line) {
  const char *space = strchr(line, ' ');
  return strncmp(line, "HTTP/1.", 7) == 0 && space != NULL && space[1] == '2' &&
         isdigit((unsigned char)space[2]) && isdigit((unsigned char)space[3]);
}

static void add_byte(sotto_i_proxy *proxy, char byte) {
  static const char end[] = "\r\n\r\n";
  if (byte == end[proxy->blank])
    proxy->blank++;
  else
    proxy->blank = byte == '\r' ? 1 : 0;
  if (byte == '\n' && proxy->line == 0) proxy->line = proxy->came;
  if (proxy->line == 0 && byte != '\r' && proxy->came < sizeof proxy->first - 1)
    proxy->first[proxy->came] = isprint((unsigned char)byte) ? byte : '?';
  proxy->came++;
}

/* Reads byte by byte, since everything after the answer belongs to the peer. */
static sotto_i_step read_answer(sotto_i_proxy *proxy, int fd, sotto_error *err) {
  while (proxy->blank < 4) {
    char byte, text[200];
    ssize_t count = recv(fd, &byte, 1, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return SOTTO_I_WAIT;
    if (count < 0) return fail_proxy(err, sotto_i_errno_text(errno));
    if (count == 0) {
      (void)snprintf(text, sizeof text, "it hung up%s%s", proxy->first[0] != '\0' ? " after " : "",
                     proxy->first);
      return fail_proxy(err, text);
    }
    if (proxy->came == SOTTO_I_MOST_PROXY_ANSWER)
      return fail_proxy(err, "its answer is longer than 4096 bytes");
    add_byte(proxy, byte);
  }
  if (is_success(proxy->first)) return SOTTO_I_MOVED;
  (void)sotto_i_fail(err, SOTTO_IO, "the proxy refuses: %s", proxy->first);
  return SOTTO_I_BROKEN;
}

sotto_i_step sotto_i_proxy_advance(sotto_i_proxy *proxy, int fd, sotto_error *err) {
  sotto_i_step step = send_request(proxy, fd, err);
  return step == SOTTO_I_MOVED ? read_answer(proxy, fd, err) : step;
}
