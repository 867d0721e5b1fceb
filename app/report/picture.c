/* Pictures as files. rsvg-convert runs without a shell, with unnamed files as its input and output. */
#include "picture.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "common/file.h"
#include "common/memory.h"

extern char **environ;

static const char out_svg[] = "-.svg", out_png[] = "-.png"; /* standard output */

static bool ends_with(const char *path, const char *ending) {
  const size_t length = strlen(path), size = strlen(ending);
  return length > size && strcmp(path + length - size, ending) == 0;
}

sotto_status app_picture_format(const char *format, sotto_error *err) {
  if (format == NULL || strcmp(format, "svg") == 0 || strcmp(format, "png") == 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "format: '%.40s' is not svg or png", format);
}

sotto_status app_picture_path(char out[APP_PICTURE_PATH], const char *path, const char *format,
                              sotto_error *err) {
  sotto_status status = app_picture_format(format, err);
  if (status != SOTTO_OK) return status;
  const bool to_stdout = strcmp(path, "-") == 0, png = ends_with(path, ".png");
  if (!to_stdout && !png && !ends_with(path, ".svg"))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: a picture's name ends in .svg or .png", path);
  if (!to_stdout && format != NULL && png != (format[0] == 'p'))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: its ending does not agree with --format %s", path, format);
  if (strlen(path) + 3 > APP_PICTURE_PATH)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: the path is too long", path);
  if (to_stdout)
    (void)snprintf(out, APP_PICTURE_PATH, "%s", format != NULL && format[0] == 'p' ? out_png : out_svg);
  else /* a file can have such a name too */
    (void)snprintf(out, APP_PICTURE_PATH, "%s%s", path[0] == '-' ? "./" : "", path);
  return SOTTO_OK;
}

typedef struct pipes {
  FILE *in, *out, *said; /* unnamed, and removed when they are closed */
} pipes;

static sotto_status open_pipes(pipes *p, const char *svg, size_t size, sotto_error *err) {
  *p = (pipes){tmpfile(), tmpfile(), tmpfile()};
  if (p->in != NULL && p->out != NULL && p->said != NULL && fwrite(svg, 1, size, p->in) == size &&
      fflush(p->in) == 0 && fseek(p->in, 0, SEEK_SET) == 0)
    return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_IO, "a file for rsvg-convert in /tmp: %s", strerror(errno));
}

static void close_pipes(const pipes *p) {
  if (p->in != NULL) (void)fclose(p->in);
  if (p->out != NULL) (void)fclose(p->out);
  if (p->said != NULL) (void)fclose(p->said);
}

static char program[] = "rsvg-convert", all[] = "--unlimited";

/* The exit status of the program; -1 and errno: it could not be started. */
static int convert(const pipes *p, char *const *argv) {
  posix_spawn_file_actions_t actions;
  pid_t child = 0;
  int state = 0;
  errno = posix_spawn_file_actions_init(&actions);
  if (errno != 0) return -1;
  int failed = posix_spawn_file_actions_adddup2(&actions, fileno(p->in), STDIN_FILENO);
  if (failed == 0) failed = posix_spawn_file_actions_adddup2(&actions, fileno(p->out), STDOUT_FILENO);
  if (failed == 0) failed = posix_spawn_file_actions_adddup2(&actions, fileno(p->said), STDERR_FILENO);
  if (failed == 0) failed = posix_spawnp(&child, program, &actions, NULL, argv, environ);
  (void)posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    errno = failed;
    return -1;
  }
  while (waitpid(child, &state, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128;
}

static sotto_status read_made(char **out, size_t *size, FILE *from, const char *path, sotto_error *err) {
  const long length = fseek(from, 0, SEEK_END) == 0 ? ftell(from) : -1;
  if (length <= 0) return sotto_i_fail(err, SOTTO_IO, "%s: rsvg-convert wrote nothing", path);
  rewind(from);
  sotto_status status = app_new(out, (size_t)length, 1, err);
  if (status != SOTTO_OK) return status;
  *size = fread(*out, 1, (size_t)length, from);
  return *size == (size_t)length ? SOTTO_OK
                                 : sotto_i_fail(err, SOTTO_IO, "%s: could not read the image", path);
}

static sotto_status fail_convert(int code, FILE *from, const char *path, sotto_error *err) {
  char line[200] = "";
  if (code < 0 && (errno == ENOENT || errno == EACCES))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "%s: a PNG needs the program rsvg-convert; install librsvg2-bin, or write an .svg",
                        path);
  if (code < 0) return sotto_i_fail(err, SOTTO_IO, "%s: rsvg-convert: %s", path, strerror(errno));
  rewind(from);
  if (fgets(line, sizeof line, from) != NULL) line[strcspn(line, "\n")] = '\0';
  return sotto_i_fail(err, SOTTO_IO, "%s: rsvg-convert ended with status %d: %s", path, code, line);
}

static sotto_status write_png(const char *path, const char *said, const char *svg, size_t size,
                              sotto_error *err) {
  pipes p;
  char *png = NULL;
  size_t length = 0;
  sotto_status status;
  SOTTO_TRY(open_pipes(&p, svg, size, err));
  static char format[] = "--format=png", zoom[] = "--zoom=2";
  char *const argv[] = {program, format, zoom, all, NULL};
  const int code = convert(&p, argv);
  if (code != 0)
    status = fail_convert(code, p.said, said, err);
  else
    status = read_made(&png, &length, p.out, said, err);
  if (status == SOTTO_OK) status = app_write_file(path, png, length, err);
done:
  close_pipes(&p);
  free(png);
  return status;
}

sotto_status app_picture_write(const char *path, const char *svg, size_t size, sotto_error *err) {
  if (strcmp(path, out_svg) == 0) return app_write_file("-", svg, size, err);
  if (strcmp(path, out_png) == 0) return write_png("-", "standard output", svg, size, err);
  return ends_with(path, ".png") ? write_png(path, path, svg, size, err)
                                 : app_write_file(path, svg, size, err);
}

/* The program gets each sheet as an unnamed file, by the number of its descriptor. */
static sotto_status open_sheets(FILE **files, char names[][32], char **argv, const char *const *svg,
                                const size_t *size, size_t count, sotto_error *err) {
  for (size_t i = 0; i < count; i++) {
    files[i] = tmpfile();
    if (files[i] == NULL || fwrite(svg[i], 1, size[i], files[i]) != size[i] || fflush(files[i]) != 0)
      return sotto_i_fail(err, SOTTO_IO, "a file for rsvg-convert in /tmp: %s", strerror(errno));
    (void)snprintf(names[i], sizeof names[i], "/proc/self/fd/%d", fileno(files[i]));
    argv[i] = names[i];
  }
  return SOTTO_OK;
}

sotto_status app_sheets_write(bool *made, const char *path, const char *const *svg, const size_t *size,
                              size_t count, sotto_error *err) {
  static char format[] = "--format=pdf";
  FILE *files[APP_MOST_SHEETS] = {NULL};
  char names[APP_MOST_SHEETS][32], *argv[APP_MOST_SHEETS + 4] = {program, format, all}, *pdf = NULL;
  size_t length = 0;
  pipes p = {NULL, NULL, NULL};
  sotto_status status;
  *made = false;
  SOTTO_I_CHECK(count <= APP_MOST_SHEETS);
  SOTTO_TRY(open_pipes(&p, "", 0, err));
  SOTTO_TRY(open_sheets(files, names, argv + 3, svg, size, count, err));
  const int code = convert(&p, argv);
  if (code < 0 && (errno == ENOENT || errno == EACCES)) goto done; /* not there */
  SOTTO_TRY(code == 0 ? read_made(&pdf, &length, p.out, path, err) : fail_convert(code, p.said, path, err));
  SOTTO_TRY(app_write_file(path, pdf, length, err));
  *made = true;
done:
  for (size_t i = 0; i < count; i++)
    if (files[i] != NULL) (void)fclose(files[i]);
  close_pipes(&p);
  free(pdf);
  return status;
}
