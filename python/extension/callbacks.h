/* What the extension adds to the public headers: a stop flag that C alone reads, and the calls back into Python. */
typedef struct sotto_py_watch {
  int stop;     /* set by sotto_py_stop, read without the interpreter's lock */
  void *handle; /* of the Python object that hears the events */
} sotto_py_watch;

bool sotto_py_processor(void); /* is it new enough? */
void sotto_py_stop(sotto_py_watch *watch);
bool sotto_py_cancelled(void *context); /* a sotto_observer's `cancelled`, its context a sotto_py_watch */

int sotto_py_main(int argc, char **argv);
extern "Python" void sotto_py_progress(void *context, const char *stage, uint64_t done, uint64_t total,
                                       const char *note);
extern "Python" void sotto_py_event(void *context, const sotto_event *event);
extern "Python" void sotto_py_log(void *context, sotto_log_level level, const char *text);
extern "Python" int sotto_py_charge(void *context, const sotto_ledger_row *row);
extern "Python" int sotto_py_change(void *context, const sotto_ledger_change *change);
extern "Python" int sotto_py_account(void *context, const sotto_ledger_account *account);
extern "Python" sotto_status sotto_py_align_begin(void *context, sotto_error *err);
extern "Python" sotto_status sotto_py_align_keep(void *context, const sotto_alignment *alignment, sotto_error *err);
