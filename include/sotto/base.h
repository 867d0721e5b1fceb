/* Base of the library: status codes, errors, keys of random streams, threads, progress.
 *
 * Conventions of every header in include/sotto:
 * - A function that can fail returns a sotto_status and takes a `sotto_error *err` last. `err` may be
 *   NULL; otherwise it holds, after a failure, one sentence that says what was wrong, where, and what to
 *   do.
 * - Argument order: context, outputs, in/out, inputs, options, err. A length follows its array.
 * - Matrices are row-major float32. Sizes are size_t, node ids uint32_t, CSR offsets uint64_t.
 * - The library never prints; it reports through a sotto_observer that the caller lends.
 * - Unless a comment says otherwise, a function may be called from several threads on different objects. */
#ifndef SOTTO_BASE_H
#define SOTTO_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SOTTO_API                         __attribute__((visibility("default")))
#define SOTTO_MUST_USE                    __attribute__((warn_unused_result))
#define SOTTO_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define SOTTO_API
#define SOTTO_MUST_USE
#define SOTTO_PRINTF(format_index, first)
#endif

/* Version of these headers; sotto_version() returns that of the library. */
#define SOTTO_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the loaded library, "MAJOR.MINOR.PATCH", a static string. Compare it with SOTTO_VERSION to
 * detect headers that do not match the library. */
SOTTO_API const char *sotto_version(void);

/* Every status: name, meaning. Status texts and the manual's table are made from this list. */
#define SOTTO_STATUS_LIST(X)                                                                                 \
  X(OK, "done")                                                                                              \
  X(NOMEM, "out of memory")                                                                                  \
  X(INVALID, "an argument is not valid")                                                                     \
  X(RANGE, "a value is out of range")                                                                        \
  X(PARSE, "a file or message is malformed")                                                                 \
  X(CORRUPT, "a checksum or an invariant of stored data does not hold")                                      \
  X(IO, "reading or writing failed")                                                                         \
  X(NOT_FOUND, "nothing has that name")                                                                      \
  X(UNSUPPORTED, "known, but not offered here")                                                              \
  X(REFUSED, "a release would pass the privacy budget")                                                      \
  X(PROTOCOL, "a message breaks the protocol")                                                               \
  X(NUMERIC, "a value is not finite")                                                                        \
  X(INTERRUPTED, "stopped on request; the run can be resumed")

typedef enum sotto_status {
#define SOTTO_STATUS_ENUM(name, text) SOTTO_##name,
  SOTTO_STATUS_LIST(SOTTO_STATUS_ENUM)
#undef SOTTO_STATUS_ENUM
} sotto_status;

#define SOTTO_ERROR_TEXT 480

/* Details of the first failure. Zero-initialise it; it owns no memory. */
typedef struct sotto_error {
  sotto_status status;
  char text[SOTTO_ERROR_TEXT]; /* one sentence, UTF-8, truncated at a character, no control characters */
  /* Set when a budget refuses (REFUSED): the epsilon spent so far, the epsilon with the requested
   * releases, and the budget. Else 0. */
  double spent, asked, limit;
} sotto_error;

/* The meaning of a status, a static string; "unknown status" for other numbers. */
SOTTO_API const char *sotto_status_text(sotto_status status);

/* Makes foreign text safe for a terminal, in place. Control characters (which start escape sequences),
 * line separators, marks that change the direction of text, and bytes that are not UTF-8 become '?'. With
 * `lines`, line feeds and tabs stay. Texts of errors, log lines and dataset names are already clean. */
SOTTO_API void sotto_text_clean(char *text, bool lines);
/* Frees a text that a call made for the caller; NULL is allowed. */
SOTTO_API void sotto_text_free(char *text);

/* Origin of the key of a random stream; it decides what the stream may be used for. */
typedef enum sotto_key_origin {
  SOTTO_KEY_NONE = 0, /* a zeroed key; every use is refused */
  SOTTO_KEY_PUBLIC,   /* from a public seed: splits, initial weights, dropout; never noise */
  SOTTO_KEY_SYSTEM,   /* from the operating system's generator: noise, shares, masks */
  SOTTO_KEY_INSECURE, /* noise from a fixed seed: reproducible; the privacy statement says NOT PRIVATE */
} sotto_key_origin;

/* Key of a family of ChaCha20 streams. Wipe a SYSTEM key with sotto_key_wipe after use. */
typedef struct sotto_key {
  uint8_t bytes[32];
  sotto_key_origin origin;
} sotto_key;

SOTTO_API void sotto_key_system(sotto_key *key);
SOTTO_API void sotto_key_public(sotto_key *key, uint64_t seed);
SOTTO_API void sotto_key_insecure(sotto_key *key, uint64_t seed);
SOTTO_API void sotto_key_wipe(sotto_key *key);

/* Number of threads for all parallel work of this process: 1 to 256; 0: one per core. Results never depend
 * on it. Do not call it while another sotto function runs. Errors: RANGE, NOMEM (threads could not be
 * made). */
SOTTO_API sotto_status sotto_threads_set(unsigned threads, sotto_error *err);
SOTTO_API unsigned sotto_threads(void);

/* Memory limit of this process in bytes; 0: the machine's memory. A file above a quarter of the limit is
 * memory-mapped and must not change while in use. Training arrays above a sixteenth lie in nameless files
 * in the run folder. Results never depend on it. Do not call it while another sotto function runs. */
SOTTO_API void sotto_memory_set(uint64_t bytes);

typedef enum sotto_log_level { SOTTO_LOG_INFO, SOTTO_LOG_WARNING } sotto_log_level;

/* Events during a call, for programs that watch it: name, word, meaning. */
#define SOTTO_EVENT_LIST(X)                                                                                  \
  X(LISTENING, "listening", "connections are taken at `address`")                                            \
  X(WAITING, "waiting", "no connection with `peer` at `address` since `seconds`; reported once a second")    \
  X(CONNECTED, "connected", "`peer`, which runs sotto `version`, greeted, and all terms agree")              \
  X(LOST, "lost", "the connection with `peer` broke")                                                        \
  X(LEFT, "left", "the run goes on without `peer`")                                                          \
  X(EPOCH, "epoch", "`stage` finished epoch `done` of `total` with `loss` and `validation`")                 \
  X(PAYLOAD, "payload",                                                                                      \
    "a link moved `sent`, `received` bytes of kind `payload`, the `done`th of `total` planned")              \
  X(SPENT, "spent", "an account has spent `epsilon` at `delta`, of `budget`")                                \
  X(PLANNED, "planned",                                                                                      \
    "all trainings of the run together spend at most `epsilon` at `delta`, INFINITY: without a bound")

typedef enum sotto_event_kind {
#define SOTTO_EVENT_ENUM(name, word, meaning) SOTTO_EVENT_##name,
  SOTTO_EVENT_LIST(SOTTO_EVENT_ENUM)
#undef SOTTO_EVENT_ENUM
      SOTTO_EVENTS
} sotto_event_kind;

/* "listening", "waiting", ... a static string. */
SOTTO_API const char *sotto_event_name(sotto_event_kind kind);

/* Members that the meaning of the kind does not name are NULL or 0. Texts are valid during the call only. */
typedef struct sotto_event {
  sotto_event_kind kind;
  const char *text; /* one sentence for people; NULL: nothing to report, or already reported */
  const char *peer, *address, *version;
  double seconds;
  const char *stage;
  uint64_t done, total;
  double loss, validation; /* NAN: not known */
  const char *payload;     /* kind of payload: "public", "release", ... (sotto/party.h) */
  uint64_t sent, received;
  double epsilon, delta, budget; /* budget 0: there is none */
} sotto_event;

/* Receives the library's reports during work, and answers whether to stop. Zero-initialise it; any member
 * may be NULL.
 *
 * - `progress`, `log`, `event`: called from any thread, one call at a time per observer; they should
 *   return soon.
 * - The note of `progress` is NULL, or the seconds left in the stage where the library knows them better
 *   than the rate so far.
 * - Without `event`, `log` receives the texts of events.
 * - `cancelled` is called often, by several threads at once: it should only read an atomic flag. Once
 *   true, it stays true. The call that got this observer then stops soon with SOTTO_INTERRUPTED; calls
 *   with other observers go on. */
typedef struct sotto_observer {
  void *context;
  void (*progress)(void *context, const char *stage, uint64_t done, uint64_t total, const char *note);
  void (*log)(void *context, sotto_log_level level, const char *text);
  bool (*cancelled)(void *context);
  void (*event)(void *context, const sotto_event *event);
} sotto_observer;

/* Makes every long-running call of this process stop soon with SOTTO_INTERRUPTED, as if all observers were
 * cancelled. Async-signal-safe. */
SOTTO_API void sotto_interrupt(void);
SOTTO_API bool sotto_interrupted(void);

#ifdef __cplusplus
}
#endif

#endif
