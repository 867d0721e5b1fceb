/* Attacks on releases, or on the payloads that one party received in a recorded run. */
#include <stdio.h>
#include <string.h>

#include "attack.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/audit.h"
#include "inside/pmp.h"
#include "pmp/release.h"
#include "run/parties/wire_log.h"
#include "run/settings/options.h"

enum { most_layers = 65 };

static const char sees_release[] = "the released layers, whose first one is of features alone";
static const char sees_noisy[] = "the released layers, all with noise";
static const char sees_label[] =
    "every payload that the label party received: embeddings of features, released layers";

typedef struct layers {
  sotto_matrix rows[most_layers];
  size_t count;
  bool noisy; /* all layers have noise; the first is not of features alone */
} layers;

static sotto_status add_layer(layers *l, const sotto_matrix *rows, sotto_error *err) {
  if (l->count == most_layers) return sotto_i_fail(err, SOTTO_RANGE, "more than %d layers", most_layers);
  sotto_status status = sotto_matrix_new(&l->rows[l->count], rows->rows, rows->cols, err);
  if (status != SOTTO_OK) return status;
  memcpy(l->rows[l->count++].data, rows->data, rows->rows * rows->cols * sizeof(float));
  return SOTTO_OK;
}

static void free_layers(layers *l) {
  while (l->count > 0) sotto_matrix_free(&l->rows[--l->count]);
}

static sotto_status read_release(layers *l, const sotto_options *o, const char *folder, sotto_error *err) {
  char file[40], *path = NULL;
  sotto_release *release = NULL;
  sotto_status status;
  sotto_i_release_file(file, o, sotto_i_job_releases(o) - 1, false);
  SOTTO_TRY(sotto_i_join(&path, folder, file, err));
  SOTTO_TRY(sotto_release_load(&release, path, err));
  l->noisy = !sotto_i_release_shows_inputs(sotto_release_plan(release));
  for (uint32_t k = l->noisy ? 1 : 0; k <= sotto_release_plan(release)->options.layers; k++)
    SOTTO_TRY(add_layer(l, sotto_release_layer(release, k), err));
done:
  sotto_release_free(release);
  sotto_i_free(path);
  return status;
}

/* The last release of a seed: embeddings, and the layers after them. */
static sotto_status read_wire(layers *l, const char *folder, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  bool found = true;
  for (uint64_t number = 1; found; number++) {
    sotto_dataset payload = {0};
    status =
        sotto_i_wire_log_read(&payload, &found, folder, (sotto_i_wire_end){SOTTO_ROLE_LABEL, 0}, number, err);
    const char *name = found && status == SOTTO_OK ? strchr(payload.name, ' ') : NULL;
    if (name != NULL && strcmp(name, " embeddings.all") == 0) free_layers(l);
    if (name != NULL && (strcmp(name, " embeddings.all") == 0 || strcmp(name, " layer") == 0))
      status = add_layer(l, &payload.features, err);
    sotto_dataset_free(&payload);
    if (status != SOTTO_OK) return status;
    if (!found && number == 1)
      return sotto_i_fail(err, SOTTO_INVALID, "%s: has no recorded wire; train it with record-wire", folder);
  }
  return SOTTO_OK;
}

/* Attacks the layers; if the first has no edges in it, also that one alone, as a control: what features
 * reveal. */
static sotto_status attack_and_control(sotto_i_attacked *a, const layers *l, const char *variant,
                                       const char *sees, sotto_error *err) {
  for (int control = 0; control < (l->noisy ? 1 : 2); control++) {
    sotto_finding *f =
        sotto_i_finding(a, "received", control == 1 ? "of it, features alone" : variant, sees, err);
    if (f == NULL) return SOTTO_RANGE;
    const sotto_received from = {
        .layers = l->rows, .count = control == 1 ? 1 : l->count, .graph = &a->data->graph};
    sotto_status status = sotto_attack_received(&f->attacked, &from, 1, &a->ask.link, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static sotto_status attack_layers(sotto_i_attacked *a, const char *folder, sotto_error *err) {
  const bool label = a->ask.view == SOTTO_VIEW_LABEL;
  layers l = {.count = 0};
  sotto_status status;
  SOTTO_TRY(label ? read_wire(&l, folder, err) : read_release(&l, a->options, folder, err));
  SOTTO_TRY(attack_and_control(a, &l, label ? "the label party's view" : "the kept release",
                               label ? sees_label : (l.noisy ? sees_noisy : sees_release), err));
done:
  free_layers(&l);
  return status;
}

/* Is there an attack from this view on runs of the method? */
static bool has_view(const sotto_options *o, sotto_view view) {
  const sotto_i_method *method = sotto_i_method_of(o);
  return view == SOTTO_VIEW_ANYONE || (view == SOTTO_VIEW_LABEL && sotto_i_is_of_two(o)) ||
         (view == SOTTO_VIEW_SERVER && method->attack_server != NULL) ||
         (view == SOTTO_VIEW_CLIENT && method->attack_client != NULL);
}

sotto_status sotto_i_attack_received(sotto_i_attacked *a, sotto_error *err) {
  static const char *const parties[] = {"", "label", "data", "server", "client"};
  const sotto_view view = a->ask.view;
  const sotto_i_method *method = sotto_i_method_of(a->options);
  sotto_status status;
  char name[40], *folder = NULL;
  if (view == SOTTO_VIEW_DATA && sotto_i_is_of_two(a->options))
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "view: the data party has the edges; what it receives depends on labels, and no attack "
        "on labels is here yet");
  if (!has_view(a->options, view))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "view: a run of %s has no attack from the view of the %s",
                        a->options->method, parties[view]);
  (void)snprintf(name, sizeof name, "seed-%llu", (unsigned long long)a->out->seed);
  SOTTO_TRY(sotto_i_join(&folder, a->run, name, err));
  if (view == SOTTO_VIEW_SERVER)
    SOTTO_TRY(method->attack_server(a, folder, err));
  else if (view == SOTTO_VIEW_CLIENT)
    SOTTO_TRY(method->attack_client(a, folder, err));
  else
    SOTTO_TRY(attack_layers(a, folder, err));
done:
  sotto_i_free(folder);
  return status;
}
