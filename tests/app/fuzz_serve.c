/* Any bytes as the body of a request for predictions: the answer is JSON with one of the documented statuses.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "serve/service.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static sotto_status answer(void *context, float *out, const uint32_t *nodes, size_t count, size_t classes,
                           sotto_error *err) {
  (void)context;
  if (classes != 4) abort();
  (void)err;
  for (size_t i = 0; i < count; i++) {
    if (nodes[i] >= 1000) abort();
    for (size_t c = 0; c < 4; c++) out[4 * i + c] = 0.25F;
  }
  return SOTTO_OK;
}

static serve_service *service_of_four_classes(void) {
  static serve_service service;
  static serve_run run = {.source = {.nodes = 1000, .classes = 4, .answer = answer}, .users = 1};
  static const char *const words[] = {"run"};
  if (service.count > 0) return &service;
  if (serve_service_begin(&service, words, 1, 0, NULL) != SOTTO_OK) abort();
  service.slots[0].run = &run;
  return &service;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  http_reply reply = {0};
  char *body = malloc(size + 1);
  if (body == NULL) return 0;
  if (size > 0) memcpy(body, data, size);
  body[size] = '\0';
  const http_request request = {"POST", "/predict", body, size};
  serve_predict(service_of_four_classes(), NULL, &request, &reply);
  const unsigned status = reply.status;
  if (status != 200 && status != 400 && status != 403 && status != 413) abort();
  json_t *whole = reply.body == NULL ? NULL : json_loadb(reply.body, reply.size, 0, NULL);
  const json_t *part = json_object_get(whole, status == 200 ? "answers" : "error");
  if (status == 200 ? !json_is_array(part) : !json_is_object(part)) abort();
  json_decref(whole);
  free(reply.body);
  free(body);
  return 0;
}
