/* A session under any order of sending, taking, breaking and resuming: an honest sender is never refused and
 * all comes once, in order; whatever a sender does, no more is kept than the window. */
#include "check.h"
#include "inside/party.h"
#include "party/wire/session.h"

enum { window = 5000, most_rows = 200 };

/* One direction: `from` sends, `to` takes, and `read` frames were handed to the method. */
typedef struct pipe_state {
  sotto_i_wire_session from, to;
  sotto_i_random random;
  uint64_t rows_due; /* of the payload whose chunk has to be pushed next */
  uint64_t pushed, read, read_bytes, pushed_bytes;
} pipe_state;

static void begin(pipe_state *p, sotto_i_random random) {
  *p = (pipe_state){.random = random};
  CHECK_OK(sotto_i_session_init(&p->from, &err));
  CHECK_OK(sotto_i_session_init(&p->to, &err));
  p->from.window = p->to.window = window;
  sotto_i_session_begin(&p->from, 0, (sotto_progress){0, 0});
  sotto_i_session_begin(&p->to, 0, (sotto_progress){0, 0});
}

static void end(pipe_state *p) {
  sotto_i_session_destroy(&p->from);
  sotto_i_session_destroy(&p->to);
}

static size_t kept(const sotto_i_items *items, size_t *count) {
  size_t cost = 0;
  *count = 0;
  for (const sotto_i_item *item = items->first; item != NULL; item = item->next, ++*count)
    cost += SOTTO_I_FRAME_COST + item->size;
  return cost;
}

static void check_bounds(const pipe_state *p) {
  const sotto_i_items *both[2] = {&p->from.out, &p->to.in};
  for (int i = 0; i < 2; i++) {
    size_t count, cost = kept(both[i], &count);
    assert_int_equal(cost, both[i]->cost);
    assert_true(cost <= window && count <= window / SOTTO_I_FRAME_COST);
  }
}

/* The method pushes the next frame, if it would not wait. */
static void push(pipe_state *p) {
  sotto_i_item *item;
  bool anew;
  size_t size = 4 * p->rows_due;
  if (p->from.out.first != NULL && p->from.out.cost + SOTTO_I_FRAME_COST + size > window) return;
  CHECK_OK(sotto_i_new(&item, 1, sizeof *item, &err));
  item->kind = size > 0 ? SOTTO_I_FRAME_CHUNK : SOTTO_I_FRAME_PAYLOAD;
  item->size = size;
  if (size > 0) CHECK_OK(sotto_i_new(&item->bytes, size, 1, &err));
  p->rows_due =
      size > 0 ? 0 : sotto_i_random_below(&p->random, most_rows) * sotto_i_random_below(&p->random, 2);
  if (size == 0) item->header = (sotto_i_header){.name = "x", .rows = p->rows_due, .cols = 1};
  p->pushed++;
  p->pushed_bytes += size;
  CHECK_OK(sotto_i_session_push(&p->from, p->from.generation, item, &anew, &err));
}

/* The connection carries one frame. */
static void carry(pipe_state *p) {
  const sotto_i_item *item = sotto_i_session_next(&p->from);
  if (item == NULL) return;
  const sotto_i_frame frame = {.kind = item->kind, .number = item->number, .header = item->header};
  uint8_t *bulk = NULL;
  if (item->size > 0) CHECK_OK(sotto_i_new(&bulk, item->size, 1, &err));
  CHECK_OK(sotto_i_session_take(&p->to, &frame, &bulk, item->size, &err));
  sotto_i_free(bulk);
  sotto_i_session_sent(&p->from);
}

static void read_one(pipe_state *p) {
  sotto_i_item *item;
  bool anew;
  if (p->to.in.first == NULL) return;
  CHECK_OK(sotto_i_session_get(&p->to, p->to.generation, &item, &anew, &err));
  assert_int_equal(item->number, ++p->read);
  p->read_bytes += item->size;
  sotto_i_item_free(item);
}

static void acknowledge(pipe_state *p) {
  uint64_t number;
  if (sotto_i_session_ack_due(&p->to, &number)) CHECK_OK(sotto_i_session_acked(&p->from, number, &err));
}

/* The connection broke; both sides greet with what they have. */
static void resume(pipe_state *p) {
  CHECK_OK(sotto_i_session_resume(&p->from, p->to.received, &err));
  CHECK_OK(sotto_i_session_resume(&p->to, p->from.received, &err));
}

static void an_honest_sender_is_never_refused(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 20; round++) {
    pipe_state p;
    begin(&p, random);
    for (int i = 0; i < 4000; i++) {
      switch (sotto_i_random_below(&p.random, 9)) {
      case 0:
      case 1:
        push(&p);
        break;
      case 2:
      case 3:
        carry(&p);
        break;
      case 4:
      case 5:
        read_one(&p);
        break;
      case 6:
        acknowledge(&p);
        break;
      default:
        if (sotto_i_random_below(&p.random, 50) == 0) resume(&p);
        for (int k = 0; k < 30 && round % 2 == 0; k++) push(&p); /* as fast as the window lets it */
        for (int k = 0; k < 30 && round % 2 == 0; k++) carry(&p);
      }
      check_bounds(&p);
    }
    resume(&p);
    while (p.read < p.pushed) {
      carry(&p);
      read_one(&p);
      acknowledge(&p);
    }
    assert_int_equal(p.read_bytes, p.pushed_bytes);
    assert_true(p.pushed > 200);
    random = p.random;
    end(&p);
  }
}

/* No Ack comes, and the sender does not care. */
static void a_sender_without_regard_meets_the_window(void **state) {
  (void)state;
  pipe_state p;
  uint8_t *bulk = NULL;
  begin(&p, check_random());
  sotto_i_frame frame = {.kind = SOTTO_I_FRAME_PAYLOAD, .header = {.name = "x", .rows = 0, .cols = 1}};
  for (frame.number = 1; frame.number <= window / SOTTO_I_FRAME_COST; frame.number++)
    CHECK_OK(sotto_i_session_take(&p.to, &frame, &bulk, 0, &err));
  CHECK_FAILS(SOTTO_PROTOCOL, "frame 20 is more than the window of 5000 bytes allows",
              sotto_i_session_take(&p.to, &frame, &bulk, 0, &err));
  check_bounds(&p);
  end(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_honest_sender_is_never_refused),
      cmocka_unit_test(a_sender_without_regard_meets_the_window),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
