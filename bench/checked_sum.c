/* What proofs add: one checked sum of two servers with all clients in this process, and one secure sum of one
 * server, without any check, of the same size. Seconds of each side on all
 * threads.
 *
 *   bench_checked_sum [CLIENTS VALUES]      default 50 1000000 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "party/checked_sum/checked_sum.h"
#include "record.h"
#include "secure_round.h"

typedef struct work {
  sotto_i_check_plan plan;
  sotto_i_check_sizes sizes;
  sotto_i_check_server *leader, *helper;
  int64_t *values, *sums;
  uint64_t *shares, *proof;
  uint8_t (*seeds)[SOTTO_I_CHECK_KEY], *states, *verdicts;
  sotto_i_check_question question;
  sotto_i_check_answer answer;
  double share[2], prove[2], leader_time[2], helper_time[2]; /* seconds; of processors */
} work;

static sotto_status work_new(work *w, uint32_t clients, size_t values, sotto_error *err) {
  sotto_status status;
  *w = (work){.plan = {.clients = clients, .least = clients, .values = values, .bound = UINT64_C(1) << 48}};
  w->sizes = sotto_i_check_message_sizes(&w->plan);
  SOTTO_TRY(sotto_i_check_server_new(&w->leader, SOTTO_I_CHECK_LEADER, &w->plan, err));
  SOTTO_TRY(sotto_i_check_server_new(&w->helper, SOTTO_I_CHECK_HELPER, &w->plan, err));
  SOTTO_TRY(sotto_i_new(&w->values, values, sizeof *w->values, err));
  SOTTO_TRY(sotto_i_new(&w->sums, values, sizeof *w->sums, err));
  SOTTO_TRY(sotto_i_new(&w->shares, values, sizeof *w->shares, err));
  SOTTO_TRY(sotto_i_new(&w->proof, w->sizes.proof, sizeof *w->proof, err));
  SOTTO_TRY(sotto_i_new(&w->seeds, clients, SOTTO_I_CHECK_KEY, err));
  SOTTO_TRY(sotto_i_new(&w->states, clients, 1, err));
  SOTTO_TRY(sotto_i_new(&w->verdicts, clients, 1, err));
  SOTTO_TRY(sotto_i_new(&w->question.in, clients, 1, err));
  SOTTO_TRY(sotto_i_new(&w->question.points, clients, w->sizes.points * 8, err));
  SOTTO_TRY(sotto_i_new(&w->answer.verdicts, clients, 1, err));
  SOTTO_TRY(sotto_i_new(&w->answer.points, clients, w->sizes.points * 8, err));
  SOTTO_TRY(sotto_i_new(&w->answer.sums, values, 8, err));
  for (size_t i = 0; i < values; i++) w->values[i] = (int64_t)(i * 7919 % 20001) - 10000;
done:
  return status;
}

static void work_free(work *w) {
  sotto_i_check_server_free(w->leader);
  sotto_i_check_server_free(w->helper);
  sotto_i_free(w->values);
  sotto_i_free(w->sums);
  sotto_i_free(w->shares);
  sotto_i_free(w->proof);
  sotto_i_free(w->seeds);
  sotto_i_free(w->states);
  sotto_i_free(w->verdicts);
  sotto_i_free(w->question.in);
  sotto_i_free(w->question.points);
  sotto_i_free(w->answer.verdicts);
  sotto_i_free(w->answer.points);
  sotto_i_free(w->answer.sums);
}

typedef struct moment {
  double time, work;
} moment;

static moment now(void) {
  return (moment){sotto_i_seconds(), (double)clock() / CLOCKS_PER_SEC};
}

/* Adds what passed since `*mark`, and moves the mark. */
static void lap(double sums[2], moment *mark) {
  const moment then = *mark;
  *mark = now();
  sums[0] += mark->time - then.time;
  sums[1] += mark->work - then.work;
}

static sotto_status checked(work *w, sotto_error *err) {
  uint8_t challenge[SOTTO_I_CHECK_KEY];
  moment mark = now();
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 0; i < w->plan.clients; i++) {
    SOTTO_TRY(sotto_i_check_share(w->shares, w->seeds[i], &w->plan, i, w->values, err));
    lap(w->share, &mark);
    SOTTO_TRY(sotto_i_check_take_shares(w->leader, i, w->shares, err));
    lap(w->leader_time, &mark);
    SOTTO_TRY(sotto_i_check_take_seed(w->helper, i, w->seeds[i], err));
  }
  SOTTO_TRY(sotto_i_check_arrived(w->states, w->helper, err));
  SOTTO_TRY(sotto_i_check_challenge(challenge, w->leader, w->states, err));
  for (uint32_t i = 0; i < w->plan.clients; i++) {
    mark = now();
    SOTTO_TRY(sotto_i_check_prove(w->proof, &w->plan, i, w->values, w->seeds[i], challenge, err));
    lap(w->prove, &mark);
    SOTTO_TRY(sotto_i_check_take_proof(w->leader, i, w->proof, err));
    lap(w->leader_time, &mark);
  }
  SOTTO_TRY(sotto_i_check_ask(&w->question, w->leader, err));
  lap(w->leader_time, &mark);
  SOTTO_TRY(sotto_i_check_reply(&w->answer, w->helper, &w->question, err));
  lap(w->helper_time, &mark);
  SOTTO_TRY(sotto_i_check_finish(w->sums, w->verdicts, w->leader, &w->answer, err));
  lap(w->leader_time, &mark);
  for (size_t i = 0; i < w->plan.values; i++)
    if (w->sums[i] != w->values[i] * (int64_t)w->plan.clients)
      return sotto_i_fail(err, SOTTO_CORRUPT, "a wrong sum");
done:
  return status;
}

static void show(const char *who, const double seconds[2], double count) {
  printf("  %-18s %7.3f s (%.3f s of processors)\n", who, seconds[0] / count, seconds[1] / count);
}

static sotto_status unchecked(uint32_t clients, size_t values, sotto_error *err) {
  round r;
  double spent[2] = {0};
  sotto_status status;
  SOTTO_TRY(round_new(&r, clients, 0, 0, values, err));
  moment mark = now();
  SOTTO_TRY(round_run(&r, err));
  lap(spent, &mark);
  const sotto_sum_sizes s = sotto_sum_message_sizes(&r.plan);
  printf("secure sum without checks, one server, %u neighbours\n", (unsigned)r.plan.neighbours);
  show("all of them", spent, 1);
  printf("  a client sends %zu bytes and gets %zu\n", s.keys + s.boxes + s.masked + s.signature + s.reveal,
         s.neighbour_keys + s.neighbour_boxes + s.states + s.signatures);
done:
  round_free(&r);
  return status;
}

int main(int argc, char **argv) {
  const uint32_t clients = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 50;
  const size_t values = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
  sotto_error err = {0};
  work w;
  sotto_status status = work_new(&w, clients, values, &err);
  if (status == SOTTO_OK) status = checked(&w, &err);
  if (status == SOTTO_OK) {
    printf("checked sum, %u clients, %zu values, %u threads\n", (unsigned)clients, values, sotto_threads());
    show("a client's shares", w.share, clients);
    show("a client's proof", w.prove, clients);
    show("the leader", w.leader_time, 1);
    show("the helper", w.helper_time, 1);
    const double all[] = {w.share[0] + w.prove[0] + w.leader_time[0] + w.helper_time[0],
                          w.share[1] + w.prove[1] + w.leader_time[1] + w.helper_time[1]};
    show("all of them", all, 1);
    bench_record("checked sum", all[1], "s", (bench_bound){0});
    printf(
        "  a client sends %zu bytes, of them proof %zu, and gets %d; between the servers %zu bytes, of them "
        "%zu for the check\n",
        8 * (values + w.sizes.proof) + SOTTO_I_CHECK_KEY, 8 * w.sizes.proof, SOTTO_I_CHECK_KEY,
        8 * (2 * clients * w.sizes.points + values) + 3 * clients, 16 * clients * w.sizes.points);
    status = unchecked(clients, values, &err);
  }
  if (status != SOTTO_OK) {
    (void)fprintf(stderr, "bench_checked_sum: %s\n", err.text);
  }
  work_free(&w);
  return status == SOTTO_OK ? 0 : 1;
}
