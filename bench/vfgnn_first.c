/* The first layer of vfgnn under shares against the same layer in the clear, on a dataset: largest difference
 * of its weights, relative to the largest weight, and test accuracy of both.
 *   bench_vfgnn_first planetoid:cora [EPOCHS [--KEY VALUE ...]]   1 when they differ too much, 77 without
 * data */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "methods/vfgnn/vfgnn.h"

static sotto_error err;

static void need(sotto_status status) {
  if (status == SOTTO_OK) return;
  (void)fprintf(stderr, "bench_vfgnn_first: %s\n", err.text);
  exit(status == SOTTO_NOT_FOUND ? 77 : 1);
}

static void set(sotto_options *o, const char *key, const char *value) {
  need(sotto_options_set(o, key, value, &err));
}

typedef struct outcome {
  float *weight;
  size_t count;
  double test, seconds;
} outcome;

/* The weight stands in the model file as `first.weight`, in a list of many: found by its name. */
static void read_weight(outcome *out, const char *path) {
  sotto_i_map map;
  unsigned long long begin, end;
  uint64_t header;
  need(sotto_i_map_open(&map, path, &err));
  memcpy(&header, map.data, 8);
  char *text = calloc(header + 1, 1);
  memcpy(text, map.data + 8, header);
  char *at = strstr(text, "\"first.weight\"");
  at = at == NULL ? NULL : strstr(at, "\"data_offsets\":[");
  if (at == NULL || sscanf(at, "\"data_offsets\":[%llu,%llu]", &begin, &end) != 2) exit(1);
  out->count = (end - begin) / sizeof(float);
  out->weight = malloc(end - begin);
  memcpy(out->weight, map.data + 8 + header + begin, end - begin);
  free(text);
  sotto_i_map_close(&map);
}

static outcome train(const sotto_dataset *data, const char *folder, bool clear, int argc, char **argv) {
  sotto_options o;
  sotto_result result;
  outcome out;
  char path[512];
  sotto_options_default(&o);
  (void)snprintf(path, sizeof path, "%s/%s", folder, clear ? "clear" : "shares");
  set(&o, "method", "vfgnn");
  set(&o, "data", argv[1]);
  set(&o, "epochs", argc > 2 ? argv[2] : "100");
  set(&o, "patience", "0");
  set(&o, "combine", "mean");
  set(&o, "epsilon", "inf");
  set(&o, "split", "planetoid");
  set(&o, "insecure-seed", "1");
  set(&o, "initial", "opened");
  set(&o, "out", path);
  for (int i = 3; i + 1 < argc; i += 2) set(&o, argv[i] + 2, argv[i + 1]);
  need(sotto_i_make_folder(path, &err));
  sotto_i_plant_clear_first(clear);
  need(sotto_train(&result, &o, data, NULL, NULL, &err));
  sotto_i_plant_clear_first(false);
  out.test = result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY];
  out.seconds = result.round_seconds;
  read_weight(&out, result.model);
  sotto_result_free(&result);
  return out;
}

int main(int argc, char **argv) {
  char folder[] = "/tmp/vfgnn-first-XXXXXX";
  sotto_dataset data;
  double largest = 0, gap = 0;
  if (argc < 2 || mkdtemp(folder) == NULL) {
    (void)fprintf(stderr, "usage: bench_vfgnn_first DATA [EPOCHS [--KEY VALUE ...]]\n");
    return 2;
  }
  need(sotto_dataset_open(&data, argv[1], NULL, &err));
  outcome clear = train(&data, folder, true, argc, argv), shares = train(&data, folder, false, argc, argv);
  for (size_t i = 0; i < shares.count; i++) {
    largest = fmax(largest, fabs((double)clear.weight[i]));
    gap = fmax(gap, fabs((double)clear.weight[i] - shares.weight[i]));
  }
  (void)printf("under shares: accuracy %.4f, %.3f s an epoch; in the clear: %.4f, %.3f s\n", shares.test,
               shares.seconds, clear.test, clear.seconds);
  (void)printf("%zu weights up to %.6g, apart by %.3g: %.3g relative\n", shares.count, largest, gap,
               gap / largest);
  free(clear.weight);
  free(shares.weight);
  sotto_dataset_free(&data);
  (void)printf("runs are in %s\n", folder);
  return gap < 1e-3 * largest && fabs(shares.test - clear.test) <= 0.005 ? 0 : 1;
}
