/* Pages of HTML, as tests look at them. */
#include "pages.h"

#include "check.h"

const char hostile[] = "</title><script>alert(\"1\")</script><img src=x onerror='x()'> & ]]> "
                       "\xe2\x80\xae\xc3\xa9\xe4\xb8\xad \x01";

void expect_words(const char *text, const char *words) {
  if (strstr(text, words) == NULL) fail_msg("the page lacks '%s'", words);
}

void refuse_words(const char *text, const char *words) {
  if (strstr(text, words) != NULL) fail_msg("the page has '%s'", words);
}

void expect_well_formed(const char *text) {
  enum { deepest = 64 };
  char open[deepest][32];
  size_t depth = 0;
  for (const char *at = strchr(text, '>') + 1; *at != '\0'; at++) {
    if (*at == '&' && strncmp(at, "&lt;", 4) != 0 && strncmp(at, "&gt;", 4) != 0 &&
        strncmp(at, "&amp;", 5) != 0 && strncmp(at, "&quot;", 6) != 0 && strncmp(at, "&#39;", 5) != 0)
      fail_msg("a loose '&' before: %.60s", at);
    assert_false((unsigned char)*at < ' ' && *at != '\n');
    if (*at != '<') continue;
    const char *end = strchr(at, '>');
    char name[32];
    assert_non_null(end);
    if (sscanf(at + 1 + (at[1] == '/'), "%31[a-zA-Z0-9]", name) != 1) fail_msg("no element: %.60s", at);
    if (at[1] == '/') {
      if (depth == 0 || strcmp(open[depth - 1], name) != 0) fail_msg("%s closed: %.80s", name, at);
      depth--;
    } else if (end[-1] != '/') {
      assert_true(depth < deepest);
      (void)snprintf(open[depth++], sizeof open[0], "%s", name);
    }
    at = end;
  }
  assert_int_equal(depth, 0);
}
