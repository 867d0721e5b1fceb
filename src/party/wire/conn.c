/* One connection: the steps of connecting, TLS, reading and writing. */
#include "conn.h"

#include <errno.h>
#include <openssl/err.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "tls.h"

sotto_status sotto_i_conn_new(sotto_i_conn **out, int fd, SSL_CTX *context, bool accepts, bool connecting,
                              const char *with, sotto_error *err) {
  sotto_i_conn *conn;
  *out = NULL;
  sotto_status status = sotto_i_new(&conn, 1, sizeof *conn, err);
  if (status != SOTTO_OK) {
    (void)close(fd);
    return status;
  }
  conn->fd = fd;
  conn->state = connecting ? SOTTO_I_CONN_CONNECTING : SOTTO_I_CONN_HANDSHAKE;
  conn->heard = conn->spoke = sotto_i_seconds();
  (void)snprintf(conn->with, sizeof conn->with, "%s", with);
  if (context != NULL) {
    conn->ssl = SSL_new(context);
    if (conn->ssl == NULL || SSL_set_fd(conn->ssl, fd) != 1) {
      sotto_i_conn_free(conn);
      return sotto_i_tls_fail(err, SOTTO_NOMEM, "could not begin TLS");
    }
    if (accepts)
      SSL_set_accept_state(conn->ssl);
    else
      SSL_set_connect_state(conn->ssl);
  }
  *out = conn;
  return SOTTO_OK;
}

sotto_status sotto_i_conn_by_proxy(sotto_i_conn *conn, const char *address, sotto_error *err) {
  sotto_status status = sotto_i_new(&conn->proxy, 1, sizeof *conn->proxy, err);
  if (status == SOTTO_OK) sotto_i_proxy_begin(conn->proxy, address);
  return status;
}

sotto_trouble sotto_i_conn_late(const sotto_i_conn *conn) {
  if (conn->proxy != NULL && conn->state <= SOTTO_I_CONN_PROXY) return SOTTO_TROUBLE_PROXY;
  return conn->state == SOTTO_I_CONN_CONNECTING ? SOTTO_TROUBLE_SILENT : SOTTO_TROUBLE_STRANGER;
}

sotto_trouble sotto_i_trouble_of_connect(int code) {
  return code == ECONNREFUSED || code == ECONNRESET ? SOTTO_TROUBLE_CLOSED : SOTTO_TROUBLE_SILENT;
}

void sotto_i_conn_free(sotto_i_conn *conn) {
  if (conn == NULL) return;
  if (conn->ssl != NULL) {
    if (SSL_is_init_finished(conn->ssl)) (void)SSL_shutdown(conn->ssl);
    SSL_free(conn->ssl);
    ERR_clear_error();
  }
  if (conn->fd >= 0) {
    (void)shutdown(conn->fd, SHUT_WR);
    (void)close(conn->fd);
  }
  sotto_i_cutter_next(&conn->cutter);
  sotto_i_free(conn->theirs.terms);
  sotto_i_free(conn->proxy);
  sotto_i_free(conn->head);
  sotto_i_free(conn);
}

bool sotto_i_conn_idle(const sotto_i_conn *conn) {
  return conn->head_size == 0;
}

short sotto_i_conn_events(const sotto_i_conn *conn, bool more_to_write) {
  if (conn->state == SOTTO_I_CONN_CONNECTING) return POLLOUT;
  if (conn->state == SOTTO_I_CONN_PROXY) return sotto_i_proxy_asked(conn->proxy) ? POLLIN : POLLOUT;
  bool write = conn->needs_write || !sotto_i_conn_idle(conn) || more_to_write;
  if (conn->state == SOTTO_I_CONN_HANDSHAKE) write = conn->needs_write;
  return (short)(POLLIN | (write ? POLLOUT : 0));
}

/* Meaning of a refused certificate. */
static sotto_trouble trouble_of_certificate(long verified) {
  return verified == X509_V_ERR_CERT_HAS_EXPIRED || verified == X509_V_ERR_CERT_NOT_YET_VALID
             ? SOTTO_TROUBLE_DATES
             : SOTTO_TROUBLE_OTHER_KEY;
}

/* Alerts about this side's certificate (RFC 8446, section 6.2: 42 to 49 and 116). OpenSSL sends the first one
 * of a certificate of later dates too. */
enum { bad_certificate = 42, ended = 45, access_denied = 49, required = 116 };

/* The alert in OpenSSL's last error. */
static int last_alert(void) {
  enum { offset = 1000 };
  return ERR_GET_REASON(ERR_peek_last_error()) - offset;
}

/* Meaning of OpenSSL's last error: an alert about this side's certificate, or no TLS. */
static sotto_trouble trouble_of_tls(void) {
  const int alert = last_alert();
  if (alert == ended) return SOTTO_TROUBLE_DATES;
  bool refused = (alert >= bad_certificate && alert <= access_denied) || alert == required;
  return refused ? SOTTO_TROUBLE_REFUSED : SOTTO_TROUBLE_STRANGER;
}

/* The peer's certificate does not hold here. Where its dates decide, the clock is named. */
static void fail_certificate(sotto_i_conn *conn, long verified, sotto_error *err) {
  char day[16];
  conn->trouble = trouble_of_certificate(verified);
  sotto_i_clock_day(day);
  if (conn->trouble == SOTTO_TROUBLE_DATES)
    (void)sotto_i_fail(
        err, SOTTO_PROTOCOL,
        "its certificate is refused: %s, as this machine's clock says %s: correct the clock, or "
        "have it renewed",
        X509_verify_cert_error_string(verified), day);
  else
    (void)sotto_i_fail(err, SOTTO_PROTOCOL, "its certificate is refused: %s",
                       X509_verify_cert_error_string(verified));
}

/* An alert, or no TLS. Dates may decide at the other side. */
static void fail_tls(sotto_i_conn *conn, sotto_error *err) {
  const int alert = last_alert();
  char day[16];
  conn->trouble = trouble_of_tls();
  sotto_i_clock_day(day);
  if (alert != ended && alert != bad_certificate) {
    (void)sotto_i_tls_fail(err, SOTTO_IO, "TLS");
    return;
  }
  ERR_clear_error();
  (void)sotto_i_fail(
      err, SOTTO_IO,
      "it refuses this party's certificate, %s; this machine's clock says %s: look at both clocks",
      alert == ended ? "which has expired there" : "for its name or its dates", day);
}

/* Meaning of the other side's closing. With TLS a server verifies a client's certificate after the client's
 * handshake. */
static sotto_trouble trouble_of_end(const sotto_i_conn *conn) {
  bool judged = conn->ssl != NULL && conn->state == SOTTO_I_CONN_GREETING && !SSL_is_server(conn->ssl);
  return judged ? SOTTO_TROUBLE_REFUSED : SOTTO_TROUBLE_STRANGER;
}

/* Result of an OpenSSL call that did not succeed. */
static sotto_i_step judge_tls_result(sotto_i_conn *conn, int result, sotto_error *err) {
  int saved = errno;
  switch (SSL_get_error(conn->ssl, result)) {
  case SSL_ERROR_WANT_READ:
    conn->needs_write = false;
    return SOTTO_I_WAIT;
  case SSL_ERROR_WANT_WRITE:
    conn->needs_write = true;
    return SOTTO_I_WAIT;
  case SSL_ERROR_SYSCALL:
    if (ERR_peek_error() == 0) {
      conn->trouble = trouble_of_end(conn);
      (void)sotto_i_fail(err, SOTTO_IO, "%s", saved == 0 ? "the connection was closed" : strerror(saved));
      return SOTTO_I_BROKEN;
    }
    break;
  case SSL_ERROR_ZERO_RETURN:
    conn->trouble = trouble_of_end(conn);
    conn->ended = true;
    (void)sotto_i_fail(err, SOTTO_IO, "the other side hung up");
    return SOTTO_I_BROKEN;
  default:
    break;
  }
  long verified = SSL_get_verify_result(conn->ssl);
  if (!SSL_is_init_finished(conn->ssl) && verified != X509_V_OK) {
    ERR_clear_error();
    conn->judged = true;
    fail_certificate(conn, verified, err);
  } else {
    fail_tls(conn, err);
    conn->judged = conn->trouble != SOTTO_TROUBLE_STRANGER;
  }
  return SOTTO_I_BROKEN;
}

static sotto_i_step check_connected(sotto_i_conn *conn, sotto_error *err) {
  int problem = 0;
  socklen_t size = sizeof problem;
  struct pollfd ready = {.fd = conn->fd, .events = POLLOUT};
  if (poll(&ready, 1, 0) == 0) return SOTTO_I_WAIT;
  if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &problem, &size) != 0) problem = errno;
  if (problem != 0) {
    conn->trouble = conn->proxy != NULL ? SOTTO_TROUBLE_PROXY : sotto_i_trouble_of_connect(problem);
    (void)sotto_i_fail(err, SOTTO_IO, "%s%s", conn->proxy != NULL ? "the proxy: " : "",
                       sotto_i_errno_text(problem));
    return SOTTO_I_BROKEN;
  }
  conn->state = conn->proxy != NULL ? SOTTO_I_CONN_PROXY : SOTTO_I_CONN_HANDSHAKE;
  return SOTTO_I_MOVED;
}

sotto_i_step sotto_i_conn_advance(sotto_i_conn *conn, sotto_error *err) {
  if (conn->state == SOTTO_I_CONN_CONNECTING) {
    sotto_i_step step = check_connected(conn, err);
    if (step != SOTTO_I_MOVED) return step;
  }
  if (conn->state == SOTTO_I_CONN_PROXY) {
    sotto_i_step step = sotto_i_proxy_advance(conn->proxy, conn->fd, err);
    if (step == SOTTO_I_BROKEN) conn->trouble = SOTTO_TROUBLE_PROXY;
    if (step != SOTTO_I_MOVED) return step;
    conn->state = SOTTO_I_CONN_HANDSHAKE;
  }
  if (conn->ssl != NULL) {
    errno = 0;
    int result = SSL_do_handshake(conn->ssl);
    if (result != 1) return judge_tls_result(conn, result, err);
  }
  conn->needs_write = false;
  if (sotto_i_new_raw(&conn->head, SOTTO_I_PREFIX + SOTTO_I_MOST_BODY, 1, err) != SOTTO_OK)
    return SOTTO_I_BROKEN;
  conn->state = SOTTO_I_CONN_GREETING;
  return SOTTO_I_MOVED;
}

void sotto_i_conn_begin(sotto_i_conn *conn, const sotto_i_frame *frame, const uint8_t *bulk,
                        size_t bulk_size) {
  SOTTO_I_CHECK(sotto_i_conn_idle(conn));
  conn->head_size = sotto_i_frame_encode(conn->head, frame, bulk_size);
  conn->head_at = 0;
  conn->bulk = bulk;
  conn->bulk_size = bulk_size;
  conn->bulk_at = 0;
}

static sotto_i_step write_some(sotto_i_conn *conn, const uint8_t *bytes, size_t size, size_t *moved,
                               sotto_error *err) {
  errno = 0;
  if (conn->ssl != NULL) {
    int result = SSL_write_ex(conn->ssl, bytes, size, moved);
    if (result != 1) return judge_tls_result(conn, result, err);
    conn->needs_write = false;
  } else {
    ssize_t count = send(conn->fd, bytes, size, MSG_NOSIGNAL);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return SOTTO_I_WAIT;
    if (count < 0) {
      (void)sotto_i_fail(err, SOTTO_IO, "%s", strerror(errno));
      return SOTTO_I_BROKEN;
    }
    *moved = (size_t)count;
  }
  if (conn->sent != NULL) *conn->sent += *moved;
  return SOTTO_I_MOVED;
}

sotto_i_step sotto_i_conn_write(sotto_i_conn *conn, sotto_error *err) {
  size_t moved = 0;
  while (conn->head_at < conn->head_size) {
    sotto_i_step step =
        write_some(conn, conn->head + conn->head_at, conn->head_size - conn->head_at, &moved, err);
    if (step != SOTTO_I_MOVED) return step;
    conn->head_at += moved;
  }
  while (conn->bulk_at < conn->bulk_size) {
    sotto_i_step step =
        write_some(conn, conn->bulk + conn->bulk_at, conn->bulk_size - conn->bulk_at, &moved, err);
    if (step != SOTTO_I_MOVED) return step;
    conn->bulk_at += moved;
  }
  conn->head_size = 0;
  conn->spoke = sotto_i_seconds();
  return SOTTO_I_MOVED;
}

static sotto_i_step read_some(sotto_i_conn *conn, uint8_t *place, size_t room, size_t *moved,
                              sotto_error *err) {
  errno = 0;
  if (conn->ssl != NULL) {
    int result = SSL_read_ex(conn->ssl, place, room, moved);
    return result == 1 ? SOTTO_I_MOVED : judge_tls_result(conn, result, err);
  }
  ssize_t count = recv(conn->fd, place, room, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return SOTTO_I_WAIT;
  if (count <= 0) {
    conn->ended = count == 0;
    (void)sotto_i_fail(err, SOTTO_IO, "%s", count == 0 ? "the other side hung up" : strerror(errno));
    return SOTTO_I_BROKEN;
  }
  *moved = (size_t)count;
  return SOTTO_I_MOVED;
}

sotto_i_step sotto_i_conn_read(sotto_i_conn *conn, sotto_error *err) {
  for (;;) {
    size_t room, moved = 0;
    bool whole;
    uint8_t *place = sotto_i_cutter_place(&conn->cutter, &room);
    sotto_i_step step = read_some(conn, place, room, &moved, err);
    if (step != SOTTO_I_MOVED) return step;
    if (conn->received != NULL) *conn->received += moved;
    if (sotto_i_cutter_got(&conn->cutter, moved, &whole, err) != SOTTO_OK) return SOTTO_I_BROKEN;
    if (!whole) continue;
    conn->heard = sotto_i_seconds();
    return SOTTO_I_MOVED;
  }
}
