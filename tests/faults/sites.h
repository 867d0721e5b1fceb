/* A fault at one call of a noise function. Files of src that call one are compiled with this header before
 * them (tests/CMakeLists.txt): each call then names its file and line, and the environment says which of them
 * is faulty (sites.c). The first lines of sites.py say which functions these are. */
#ifndef SOTTO_TESTS_FAULTS_SITES_H
#define SOTTO_TESTS_FAULTS_SITES_H

#include "dp/noise/noise.h"
#include "inside/dp.h"
#include "inside/pmp.h"
#include "sotto/pmp.h"

typedef struct check_site {
  const char *file;
  int line;
} check_site;

void check_site_steps(check_site site, int32_t *out, size_t count, double sigma_in_steps,
                      const sotto_key *key, uint32_t sub, uint64_t row);
void check_site_steps_rows(check_site site, int32_t *out, size_t rows, size_t cols, double sigma_in_steps,
                           const sotto_key *key, uint32_t sub, uint64_t first);
sotto_status check_site_grid(check_site site, sotto_matrix *x, const sotto_grid *grid, const sotto_key *key,
                             uint32_t sub, sotto_error *err);
sotto_status check_site_laplace(check_site site, sotto_matrix *x, const sotto_laplace_grid *grid,
                                const sotto_key *key, uint32_t sub, sotto_error *err);
sotto_status check_site_discrete(check_site site, int64_t *values, size_t count,
                                 const sotto_discrete_gaussian *noise, const sotto_key *key, uint32_t sub,
                                 sotto_error *err);
sotto_status check_site_response(check_site site, int32_t *values, size_t count,
                                 const sotto_response *response, const sotto_key *key, uint32_t sub,
                                 sotto_error *err);
sotto_status check_site_subset(check_site site, int32_t *answers, const int32_t *values, size_t count,
                               const sotto_subset *subset, const sotto_key *key, uint32_t sub,
                               sotto_error *err);
sotto_status check_site_multibit(check_site site, int8_t *codes, const sotto_matrix *x,
                                 const sotto_multibit *encoder, const sotto_key *key, uint32_t sub,
                                 sotto_error *err);
sotto_status check_site_edge_count(check_site site, uint64_t *edges, const sotto_graph *graph, double epsilon,
                                   const sotto_key *key, uint32_t sub, sotto_error *err);
sotto_status check_site_edges(check_site site, sotto_graph *out, const sotto_graph *graph,
                              const sotto_edge_response *response, const sotto_key *key, uint32_t sub,
                              sotto_error *err);
sotto_status check_site_lapgraph(check_site site, sotto_graph *out, const sotto_graph *graph, uint64_t edges,
                                 double epsilon, const sotto_key *key, uint32_t sub, sotto_error *err);

/* Around a call of a function that draws noise inside (callers.py): 1 before it, -1 after it. */
void check_call(check_site site, int enters);

#ifndef SOTTO_TESTS_FAULTS_SITES_INSIDE
#define CHECK_SITE                        ((check_site){__FILE__, __LINE__})
#define sotto_i_noise_steps(...)          check_site_steps(CHECK_SITE, __VA_ARGS__)
#define sotto_i_noise_steps_rows(...)     check_site_steps_rows(CHECK_SITE, __VA_ARGS__)
#define sotto_grid_add_noise(...)         check_site_grid(CHECK_SITE, __VA_ARGS__)
#define sotto_laplace_grid_add_noise(...) check_site_laplace(CHECK_SITE, __VA_ARGS__)
#define sotto_discrete_gaussian_add(...)  check_site_discrete(CHECK_SITE, __VA_ARGS__)
#define sotto_response_apply(...)         check_site_response(CHECK_SITE, __VA_ARGS__)
#define sotto_subset_apply(...)           check_site_subset(CHECK_SITE, __VA_ARGS__)
#define sotto_multibit_encode(...)        check_site_multibit(CHECK_SITE, __VA_ARGS__)
#define sotto_edge_count(...)             check_site_edge_count(CHECK_SITE, __VA_ARGS__)
#define sotto_edge_response_apply(...)    check_site_edges(CHECK_SITE, __VA_ARGS__)
#define sotto_lapgraph(...)               check_site_lapgraph(CHECK_SITE, __VA_ARGS__)
#endif

#endif
