/* The thread pool.
 *
 * Locking rule: `pool.lock` guards the list of open jobs, each job's `running` count and the number of
 * threads. A job's next range is claimed by an atomic add outside the lock. A job lives on its caller's
 * stack; the caller takes it off the list, then waits until no worker runs it, so no worker can touch it
 * afterwards. */
#include "threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cancel.h"
#include "error.h"

enum { max_threads = 256 };

typedef struct job {
  sotto_i_range_fn work;
  void *context;
  sotto_i_scope *scope; /* of the caller */
  size_t count, grain, ranges;
  _Atomic size_t next;
  unsigned running; /* workers inside this job */
  struct job *link;
} job;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t wake;     /* a job was listed, or the pool is closing */
  pthread_cond_t finished; /* a worker left a job */
  job *jobs;
  pthread_t threads[max_threads];
  unsigned workers; /* threads in addition to the callers */
  bool started, closing;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER,
          .finished = PTHREAD_COND_INITIALIZER};

static _Thread_local bool inside_work;

static void run_ranges(job *j) {
  sotto_i_scope *own = sotto_i_scope_swap(j->scope);
  inside_work = true;
  for (;;) {
    size_t range = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
    if (range >= j->ranges) break;
    size_t begin = range * j->grain;
    size_t end = j->count - begin < j->grain ? j->count : begin + j->grain;
    j->work(j->context, begin, end);
  }
  inside_work = false;
  (void)sotto_i_scope_swap(own);
}

/* The first listed job with a range left. Requires the lock. */
static job *next_open_job(void) {
  for (job *j = pool.jobs; j != NULL; j = j->link)
    if (atomic_load_explicit(&j->next, memory_order_relaxed) < j->ranges) return j;
  return NULL;
}

static void *worker_main(void *unused) {
  (void)unused;
  pthread_mutex_lock(&pool.lock);
  for (;;) {
    job *j = next_open_job();
    if (j == NULL) {
      if (pool.closing) break;
      pthread_cond_wait(&pool.wake, &pool.lock);
      continue;
    }
    j->running++;
    pthread_mutex_unlock(&pool.lock);
    run_ranges(j);
    pthread_mutex_lock(&pool.lock);
    j->running--;
    if (j->running == 0) pthread_cond_broadcast(&pool.finished);
  }
  pthread_mutex_unlock(&pool.lock);
  return NULL;
}

static unsigned count_cores(void) {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  if (online < 1) return 1;
  return online > max_threads ? max_threads : (unsigned)online;
}

/* Starts `workers` threads, or as many as the system allows; false when there are fewer. Requires the
 * lock. */
static bool start_workers(unsigned workers) {
  pool.started = true;
  pool.closing = false;
  for (pool.workers = 0; pool.workers < workers; pool.workers++)
    if (pthread_create(&pool.threads[pool.workers], NULL, worker_main, NULL) != 0) return false;
  return true;
}

static void stop_workers(void) {
  pthread_mutex_lock(&pool.lock);
  pool.closing = true;
  pthread_cond_broadcast(&pool.wake);
  unsigned workers = pool.workers;
  pthread_mutex_unlock(&pool.lock);
  for (unsigned i = 0; i < workers; i++) pthread_join(pool.threads[i], NULL);
  pthread_mutex_lock(&pool.lock);
  pool.workers = 0;
  pool.started = false;
  pthread_mutex_unlock(&pool.lock);
}

/* Stops the pool at exit, so that leak checkers see no thread left. */
__attribute__((destructor)) static void stop_at_exit(void) {
  if (pool.started && !inside_work) stop_workers();
}

sotto_status sotto_threads_set(unsigned threads, sotto_error *err) {
  if (threads > max_threads)
    return sotto_i_fail(err, SOTTO_RANGE, "%u threads were requested; at most %d are possible", threads,
                        max_threads);
  stop_workers();
  pthread_mutex_lock(&pool.lock);
  bool all = start_workers((threads == 0 ? count_cores() : threads) - 1);
  pthread_mutex_unlock(&pool.lock);
  if (!all) return sotto_i_fail(err, SOTTO_NOMEM, "the system refused to start %u threads", threads);
  return SOTTO_OK;
}

unsigned sotto_threads(void) {
  pthread_mutex_lock(&pool.lock);
  unsigned threads = pool.started ? pool.workers + 1 : count_cores();
  pthread_mutex_unlock(&pool.lock);
  return threads;
}

static void remove_job(const job *j) {
  job **slot = &pool.jobs;
  while (*slot != j) slot = &(*slot)->link;
  *slot = j->link;
}

void sotto_i_parallel(size_t count, size_t grain, sotto_i_range_fn work, void *context) {
  SOTTO_I_CHECK(grain > 0);
  if (count == 0) return;
  job j = {
      .work = work, .context = context, .scope = sotto_i_scope_current(), .count = count, .grain = grain};
  j.ranges = (count - 1) / grain + 1;
  if (inside_work || j.ranges == 1) {
    bool outer = inside_work;
    run_ranges(&j);
    inside_work = outer;
    return;
  }
  pthread_mutex_lock(&pool.lock);
  if (!pool.started) (void)start_workers(count_cores() - 1);
  if (pool.workers > 0) {
    j.link = pool.jobs;
    pool.jobs = &j;
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    run_ranges(&j);
    pthread_mutex_lock(&pool.lock);
    remove_job(&j);
    while (j.running > 0) pthread_cond_wait(&pool.finished, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    return;
  }
  pthread_mutex_unlock(&pool.lock);
  run_ranges(&j);
}
