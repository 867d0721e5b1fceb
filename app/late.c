/* OpenBLAS, libsvm and libmicrohttpd, loaded when the program first calls them: loading takes longer than
 * all other work of `sotto --help` or `sotto account`.
 *
 * The functions below have the names and arguments of the library functions that Sotto calls, and forward
 * each call. Only the program contains them: the library, tests and benches are linked with these
 * libraries. The Python package has the program too, with the first two inside and SOTTO_LATE_HTTP_ALONE. */
#include <dlfcn.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "common/print.h"

/* The function `name` of a library, which is never closed. Several threads may look it up at once and find
 * the same. */
static void *find_function(_Atomic(void *) *found, const char *library, const char *name) {
  void *function = atomic_load_explicit(found, memory_order_acquire);
  if (function != NULL) return function;
  void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle != NULL) function = dlsym(handle, name);
  if (function == NULL) {
    const char *why = dlerror();
    app_print(stderr, "sotto: %s; install the package with %s\n", why != NULL ? why : name, library);
    _exit(EXIT_FAILED);
  }
  atomic_store_explicit(found, function, memory_order_release);
  return function;
}

#define PASS_ON(library, result, name, arguments, given)                                                     \
  result name arguments {                                                                                    \
    static _Atomic(void *) found;                                                                            \
    return ((__typeof__(&name))find_function(&found, library, #name))given;                                  \
  }

#ifndef SOTTO_LATE_HTTP_ALONE
#include <cblas.h>
#include <libsvm/svm.h>

PASS_ON(SONAME_OPENBLAS, void, openblas_set_num_threads, (int count), (count))
PASS_ON(SONAME_OPENBLAS, char *, openblas_get_corename, (void), ())
PASS_ON(SONAME_OPENBLAS, void, cblas_sgemm,
        (enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE op_a, enum CBLAS_TRANSPOSE op_b, blasint m, blasint n,
         blasint k, float alpha, const float *a, blasint row_a, const float *b, blasint row_b, float beta,
         float *c, blasint row_c),
        (order, op_a, op_b, m, n, k, alpha, a, row_a, b, row_b, beta, c, row_c))

/* Lets OpenBLAS choose its kernels again: src/tensor/blas/begin.c. A build for a single processor type
 * lacks both functions. */
static void call_if_there(const char *name) {
  void *handle = dlopen(SONAME_OPENBLAS, RTLD_LAZY | RTLD_LOCAL);
  void *function = handle == NULL ? NULL : dlsym(handle, name);
  if (function != NULL) ((void (*)(void))function)();
}
void gotoblas_dynamic_quit(void);
void gotoblas_dynamic_init(void);
void gotoblas_dynamic_quit(void) {
  call_if_there("gotoblas_dynamic_quit");
}
void gotoblas_dynamic_init(void) {
  call_if_there("gotoblas_dynamic_init");
}

/* LAPACK has no header: src/tensor/blas/norm.c. */
void dgesvd_(const char *job_u, const char *job_v, const int *rows, const int *columns, double *a,
             const int *rows_stored, double *singular, double *u, const int *u_rows, double *v,
             const int *v_rows, double *work, const int *work_size, int *info, size_t job_u_size,
             size_t job_v_size);
PASS_ON(SONAME_OPENBLAS, void, dgesvd_,
        (const char *job_u, const char *job_v, const int *rows, const int *columns, double *a,
         const int *rows_stored, double *singular, double *u, const int *u_rows, double *v, const int *v_rows,
         double *work, const int *work_size, int *info, size_t job_u_size, size_t job_v_size),
        (job_u, job_v, rows, columns, a, rows_stored, singular, u, u_rows, v, v_rows, work, work_size, info,
         job_u_size, job_v_size))

PASS_ON(SONAME_SVM, void, svm_set_print_string_function, (void (*print)(const char *)), (print))
PASS_ON(SONAME_SVM, struct svm_model *, svm_train,
        (const struct svm_problem *problem, const struct svm_parameter *parameter), (problem, parameter))
PASS_ON(SONAME_SVM, double, svm_predict, (const struct svm_model *model, const struct svm_node *x),
        (model, x))
PASS_ON(SONAME_SVM, void, svm_free_and_destroy_model, (struct svm_model * *model), (model))

#endif

PASS_ON(SONAME_MICROHTTPD, struct MHD_Daemon *, MHD_start_daemon_va,
        (unsigned flags, uint16_t port, MHD_AcceptPolicyCallback accept, void *accept_context,
         MHD_AccessHandlerCallback handle, void *handle_context, va_list options),
        (flags, port, accept, accept_context, handle, handle_context, options))
PASS_ON(SONAME_MICROHTTPD, const char *, MHD_get_version, (void), ())
PASS_ON(SONAME_MICROHTTPD, MHD_socket, MHD_quiesce_daemon, (struct MHD_Daemon * daemon), (daemon))
PASS_ON(SONAME_MICROHTTPD, void, MHD_stop_daemon, (struct MHD_Daemon * daemon), (daemon))
PASS_ON(SONAME_MICROHTTPD, const char *, MHD_lookup_connection_value,
        (struct MHD_Connection * connection, enum MHD_ValueKind kind, const char *key),
        (connection, kind, key))
PASS_ON(SONAME_MICROHTTPD, int, MHD_get_connection_values_n,
        (struct MHD_Connection * connection, enum MHD_ValueKind kind, MHD_KeyValueIteratorN visit,
         void *context),
        (connection, kind, visit, context))
PASS_ON(SONAME_MICROHTTPD, void, MHD_suspend_connection, (struct MHD_Connection * connection), (connection))
PASS_ON(SONAME_MICROHTTPD, void, MHD_resume_connection, (struct MHD_Connection * connection), (connection))
PASS_ON(SONAME_MICROHTTPD, struct MHD_Response *, MHD_create_response_from_buffer,
        (size_t size, void *buffer, enum MHD_ResponseMemoryMode mode), (size, buffer, mode))
PASS_ON(SONAME_MICROHTTPD, struct MHD_Response *, MHD_create_response_from_callback,
        (uint64_t size, size_t block, MHD_ContentReaderCallback give, void *context,
         MHD_ContentReaderFreeCallback leave),
        (size, block, give, context, leave))
PASS_ON(SONAME_MICROHTTPD, enum MHD_Result, MHD_add_response_header,
        (struct MHD_Response * response, const char *name, const char *value), (response, name, value))
PASS_ON(SONAME_MICROHTTPD, enum MHD_Result, MHD_queue_response,
        (struct MHD_Connection * connection, unsigned status, struct MHD_Response *response),
        (connection, status, response))
PASS_ON(SONAME_MICROHTTPD, void, MHD_destroy_response, (struct MHD_Response * response), (response))

struct MHD_Daemon *MHD_start_daemon(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback accept,
                                    void *accept_context, MHD_AccessHandlerCallback handle,
                                    void *handle_context, ...) {
  va_list options;
  va_start(options, handle_context);
  struct MHD_Daemon *daemon =
      MHD_start_daemon_va(flags, port, accept, accept_context, handle, handle_context, options);
  va_end(options);
  return daemon;
}

/* The queries that Sotto makes have no further arguments. */
const union MHD_ConnectionInfo *MHD_get_connection_info(struct MHD_Connection *connection,
                                                        enum MHD_ConnectionInfoType type, ...) {
  static _Atomic(void *) found;
  return ((__typeof__(&MHD_get_connection_info))find_function(&found, SONAME_MICROHTTPD,
                                                              "MHD_get_connection_info"))(connection, type);
}
