/* What lets some of Debian's archives be linked into a shared library.
 *
 * LAPACK, in OpenBLAS, calls one function of the Fortran runtime, whose own archive is not made for shared
 * libraries. libsvm, jansson and expat read stdin, stdout and stderr as only a program may; CMakeLists.txt
 * renames them to the variables below. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

extern FILE *sotto_py_stdin, *sotto_py_stdout, *sotto_py_stderr;
FILE *sotto_py_stdin, *sotto_py_stdout, *sotto_py_stderr;

__attribute__((constructor)) static void keep_streams(void) {
  sotto_py_stdin = stdin;
  sotto_py_stdout = stdout;
  sotto_py_stderr = stderr;
}

void _gfortran_concat_string(size_t length, char *out, size_t first_length, const char *first,
                             size_t second_length, const char *second);

/* Joins two Fortran texts, cut or padded with blanks to the length of the result. */
void _gfortran_concat_string(size_t length, char *out, size_t first_length, const char *first,
                             size_t second_length, const char *second) {
  const size_t from_first = first_length < length ? first_length : length;
  const size_t room = length - from_first;
  const size_t from_second = second_length < room ? second_length : room;
  memcpy(out, first, from_first);
  memcpy(out + from_first, second, from_second);
  memset(out + from_first + from_second, ' ', room - from_second);
}
