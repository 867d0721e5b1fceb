/* Runs: a method is set up, trained on a dataset, and asked for its results.
 *
 * Life of a run:
 *   1. sotto_run_new makes it; sotto_run_free ends it, in any state.
 *   2. Options are set and read in any order until sotto_run_train is called. An option that was not set has
 *      the default of the method.
 *   3. sotto_run_train may be called again after a failure. A run that was refused before any work (by a
 *      check, or by the budget) is as before, and its options may be changed. A run that was interrupted, or
 *      failed later, goes on where it was stopped, with the same options and the same data; what it released
 *      is not charged again. After success, the run is done: it is trained no more.
 *   4. Without the option `out`, the run works in a private folder of its own: under $TMPDIR (else /tmp), for
 *      this user alone, removed by sotto_run_free. A process that is killed leaves it behind. With `out`, the
 *      run folder stays, as the program leaves it: run.yaml, metrics.jsonl, statement.json, result.json,
 *      model.safetensors, and a folder for each seed.
 *   5. Texts and folders that a run returns belong to the run: they are good until sotto_run_train or
 *      sotto_run_free is called. The dataset is borrowed: it must outlive the run and its models. Models must
 *      be freed before their run.
 *   6. One thread at a time may use a run, but sotto_run_cancel may be called from any. Different runs may be
 *      used in different threads at once; the results are those of one after the other.
 *   7. Releases are charged to a ledger as in the program: the option `ledger`, or the user's own. */
#ifndef SOTTO_RUN_H
#define SOTTO_RUN_H

#include "sotto/model.h"
#include "sotto/nn.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_run sotto_run;

/* A run with no option set. Free it with sotto_run_free, which takes NULL too. Errors: NOMEM. */
SOTTO_API sotto_status sotto_run_new(sotto_run **out, sotto_error *err);
SOTTO_API void sotto_run_free(sotto_run *run);

/* Sets one option from text, in the form of a run file ("method", "gap"; "epsilon", "4").
 * sotto_method_options lists the options of a method. `threads` is kept for the run file alone:
 * sotto_threads_set sets the threads of the process. Errors: NOT_FOUND (no such option; the nearest is
 * named), PARSE, RANGE, INVALID (not one of the choices; training has begun). */
SOTTO_API sotto_status sotto_run_set(sotto_run *run, const char *key, const char *value, sotto_error *err);
/* Sets every option of a run file (YAML) that was not set before. Errors name file and line: NOT_FOUND, IO,
 * PARSE, RANGE, INVALID. On failure no option is changed. */
SOTTO_API sotto_status sotto_run_read(sotto_run *run, const char *path, sotto_error *err);
/* The value of an option as text, with the method's defaults; after sotto_run_train, the value of the
 * training (delta is settled by the number of nodes). At most `size` bytes with the final zero. Errors:
 * NOT_FOUND, RANGE (`size` is too small; 1024 bytes hold every value). */
SOTTO_API sotto_status sotto_run_get(sotto_run *run, char *out, size_t size, const char *key,
                                     sotto_error *err);
/* The same values as a struct, borrowed until the run is changed or freed. */
SOTTO_API const sotto_options *sotto_run_options(sotto_run *run);
/* Checks the options against each other and the method, before there is any data. With `resume`, the options
 * of the run in `out` are read first. sotto_run_train does it, too. Errors: INVALID (also an option that the
 * method does not have, with the methods that have it), RANGE, UNSUPPORTED, naming the options; those of
 * sotto_run_read. */
SOTTO_API sotto_status sotto_run_check(sotto_run *run, sotto_error *err);

/* Trains on `data`, all parties in this process. delta becomes what the data's size asks for, unless it was
 * set (sotto_options_settle). Before any work the ledger is asked whether all releases fit. `observer` may be
 * NULL; its `progress` may call sotto_run_cancel. Errors: those of sotto_run_check; REFUSED (the budget);
 * INTERRUPTED (sotto_run_cancel, the observer or sotto_interrupt); INVALID (the run is done; `out` holds
 * another run and `resume` is not set; other data than in the call before; data that the method cannot
 * use); IO, NOMEM, and those of the method. Time and memory are the method's. */
SOTTO_API sotto_status sotto_run_train(sotto_run *run, const sotto_dataset *data,
                                       const sotto_observer *observer, sotto_error *err);
/* Makes sotto_run_train return SOTTO_INTERRUPTED soon, from any thread; the next call of it, where none is
 * at work. It stops one call: the one after that goes on. Does nothing to a run that is done. */
SOTTO_API void sotto_run_cancel(sotto_run *run);

/* Trained seeds (the option `seeds`); 0 unless the run is done. */
SOTTO_API size_t sotto_run_seeds(const sotto_run *run);
/* Quality of one seed's model, seed_index from 0, on the test or the validation part; with `baseline`, of the
 * same without edges (NAN where it was not trained). Errors: INVALID (the run is not done), RANGE (the index,
 * another part). */
SOTTO_API sotto_status sotto_run_quality(const sotto_run *run, sotto_quality *out, size_t seed_index,
                                         sotto_part part, bool baseline, sotto_error *err);
/* The privacy statement as JSON, and the result as one line of JSON: the texts of statement.json and of
 * result.json with the owner's memory.json. NULL unless the run is done. */
SOTTO_API const char *sotto_run_statement(const sotto_run *run);
SOTTO_API const char *sotto_run_result(const sotto_run *run);
/* The text of metrics.jsonl, a JSON object a line: {"seed", "stage", "epoch", "loss", "validation"} for each
 * epoch, {"seed", "test"} for each seed. Also there after a failure, with what was done until then; NULL
 * before the first epoch. */
SOTTO_API const char *sotto_run_metrics(const sotto_run *run);
/* The run folder: `out`, or the private one. NULL before sotto_run_train, and after it
 * refused. */
SOTTO_API const char *sotto_run_folder(const sotto_run *run);
/* Opens the model of one seed, seed_index from 0, on the data that it was trained on; free it with
 * sotto_model_free before the run. Errors: INVALID (the run is not done), RANGE, and those of
 * sotto_model_open. */
SOTTO_API sotto_status sotto_run_model(const sotto_run *run, sotto_model **out, size_t seed_index,
                                       sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
