/* Sealed payloads from client to client, which the server carries. */
#include "base/error.h"
#include "base/memory.h"
#include "federated.h"
#include "inside/party.h"

static sotto_i_fed_seal seal_of(const sotto_i_fed_client *c, uint32_t from, uint32_t to,
                                const sotto_i_fed_box *box) {
  const sotto_i_fed_sums *sums = c->federation->sums;
  const size_t own = sums->secret_count > 1 ? c->number : 0, other = from == c->number ? to : from;
  return (sotto_i_fed_seal){.own = sums->secrets + own * SOTTO_SUM_SECRET,
                            .theirs = sums->signers + other * SOTTO_SUM_PUBLIC,
                            .run = sums->run,
                            .from = from,
                            .to = to,
                            .name = box->name,
                            .token = box->token};
}

sotto_status sotto_i_fed_box_send(const sotto_i_fed_client *c, uint32_t to, const sotto_i_fed_box *box,
                                  sotto_error *err) {
  const sotto_i_fed_seal seal = seal_of(c, c->number, to, box);
  const size_t size = SOTTO_I_FED_SEAL + box->size;
  uint8_t *closed = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&closed, size, 1, err));
  SOTTO_TRY(sotto_i_fed_seal_close(closed, box->text, box->size, &seal, err));
  const sotto_words words = {.name = box->name,
                             .kind = SOTTO_WIRE_SEALED,
                             .data = closed,
                             .rows = 1,
                             .cols = size / sizeof(uint32_t)};
  SOTTO_TRY(sotto_link_send_words(c->link, &words, err));
done:
  sotto_i_free(closed);
  return status;
}

static sotto_status receive(uint8_t *closed, sotto_link *link, const char *name, size_t size,
                            sotto_error *err) {
  const sotto_expectation expected = {
      .name = name, .kind = SOTTO_WIRE_SEALED, .rows = 1, .cols = size / sizeof(uint32_t)};
  return sotto_link_receive_words(link, closed, &expected, err);
}

sotto_status sotto_i_fed_box_receive(const sotto_i_fed_client *c, uint32_t from, const sotto_i_fed_box *box,
                                     sotto_error *err) {
  const sotto_i_fed_seal seal = seal_of(c, from, c->number, box);
  const size_t size = SOTTO_I_FED_SEAL + box->size;
  uint8_t *closed = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&closed, size, 1, err));
  SOTTO_TRY(receive(closed, c->link, box->name, size, err));
  SOTTO_TRY(sotto_i_fed_seal_open(box->text, closed, box->size, &seal, err));
done:
  sotto_i_free(closed);
  return status;
}

/* All boxes arrive before one is passed on: clients send all before they receive. */
sotto_status sotto_i_fed_boxes_relay(sotto_i_fed_server *s, const char *name,
                                     size_t (*size_of)(const sotto_i_federation *federation, uint32_t from,
                                                       uint32_t to),
                                     sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  uint8_t *boxes = NULL;
  size_t all = 0, at = 0;
  sotto_status status;
  for (uint32_t from = 0; from < f->clients; from++)
    for (uint32_t to = 0; to < f->clients; to++)
      if (to != from) all += SOTTO_I_FED_SEAL + size_of(f, from, to);
  SOTTO_TRY(sotto_i_new(&boxes, all, 1, err));
  for (uint32_t from = 0; from < f->clients; from++)
    for (uint32_t to = 0; to < f->clients; to++) {
      if (to == from) continue;
      const size_t size = SOTTO_I_FED_SEAL + size_of(f, from, to);
      SOTTO_TRY(receive(boxes + at, s->links[from], name, size, err));
      at += size;
    }
  at = 0;
  for (uint32_t from = 0; from < f->clients; from++)
    for (uint32_t to = 0; to < f->clients; to++) {
      if (to == from) continue;
      const size_t size = SOTTO_I_FED_SEAL + size_of(f, from, to);
      const sotto_words words = {.name = name,
                                 .kind = SOTTO_WIRE_SEALED,
                                 .data = boxes + at,
                                 .rows = 1,
                                 .cols = size / sizeof(uint32_t)};
      SOTTO_TRY(sotto_link_send_words(s->links[to], &words, err));
      at += size;
    }
done:
  sotto_i_free(boxes);
  return status;
}
