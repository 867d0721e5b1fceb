/* Head, text, tables and figures of a page. */
#include "html.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/chart.h"
#include "report/colours.h"
#include "sotto/guarantee.h"

/* HTML that is well-formed XML too, so that any parser can check it. No element has an inline style, so
 * that a policy can forbid them. */
static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
    "<meta charset=\"utf-8\"/>\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
    "<meta name=\"color-scheme\" content=\"light dark\"/>\n<meta name=\"referrer\" "
    "content=\"no-referrer\"/>\n";

/* The policy of a page in a file. It forbids loading, even if a name in the page contained a request. */
static const char policy[] =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\"/>\n";

static const char style[] =
    "*{box-sizing:border-box}"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}"
    "main,header,footer,nav{max-width:60rem;margin:0 auto;padding:0 1rem}"
    "h1{font-size:1.7rem;line-height:1.25;margin:1.2rem 0 .3rem;overflow-wrap:anywhere}"
    "h2{font-size:1.3rem;margin:2.2rem 0 .5rem;padding-top:.6rem;border-top:2px solid var(--line)}"
    "h3{font-size:1.05rem;margin:1.2rem 0 .3rem}p,li{max-width:46rem;overflow-wrap:anywhere}"
    "a{color:var(--link)}a:focus-visible,summary:focus-visible,.scroll:focus-visible"
    "{outline:3px solid var(--link);outline-offset:2px}"
    ".skip{position:absolute;left:-9999px}.skip:focus{left:1rem;top:.5rem;background:var(--paper);padding:."
    "4rem}"
    "nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1rem;margin:.6rem 0;padding:0}"
    ".note{border-left:4px solid var(--warn);background:var(--card);padding:.5rem .8rem;font-weight:600}"
    ".verdict{border-left:6px solid currentColor;background:var(--card);padding:.45rem .8rem;margin:.5rem 0;"
    "max-width:none;font-size:1.08rem;font-weight:600}.verdict "
    "code{white-space:normal}.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}"
    ".scroll{overflow-x:auto;margin:.6rem 0;max-width:100%}"
    "table{border-collapse:collapse;font-size:.93rem;font-variant-numeric:tabular-nums}"
    "caption{text-align:left;color:var(--soft);padding:.2rem 0}"
    "th,td{text-align:left;vertical-align:top;padding:.28rem .7rem .28rem 0;border-bottom:1px solid "
    "var(--line);"
    "overflow-wrap:break-word;min-width:4.5rem;max-width:24rem}.long{overflow-wrap:anywhere}.wide{min-width:"
    "11rem}.when{white-space:nowrap}"
    "thead th{border-bottom:2px solid var(--frame)}tbody th{font-weight:600}"
    "figure{margin:.8rem 0;break-inside:avoid}figcaption{font-weight:600;margin-bottom:.3rem}"
    "svg{display:block;width:100%;max-width:30rem;height:auto}details{margin:.3rem 0}"
    ".glance{display:grid;gap:.6rem;margin:.6rem "
    "0;grid-template-columns:repeat(auto-fit,minmax(min(100%,21rem),"
    "1fr))}.glance>div{background:var(--card);border-radius:.5rem;padding:.5rem .7rem;min-width:0}"
    ".glance figure{margin:0}.glance p{margin:.2rem 0}"
    ".glance h2{font-size:1rem;border:0;margin:0;padding:0}.amount{font-size:1.25rem;font-weight:600}"
    "summary{cursor:pointer;color:var(--link)}.pair{display:grid;gap:0 2rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr))}"
    ".small,footer{color:var(--soft);font-size:.9rem}code{font-size:.9em;white-space:nowrap}"
    "footer{margin-top:2rem;padding-bottom:2rem}"
    "@media (min-width:46rem){.glance{grid-template-rows:auto 1fr}.glance>div:last-child{grid-row:1/span "
    "2;grid-column:2}}"
    "@media screen and (max-width:35rem){h1{font-size:1.3rem;margin:.6rem 0 .2rem}nav ul{flex-wrap:nowrap;"
    "overflow-x:auto;white-space:nowrap;margin:.3rem 0;padding:.2rem 0}.verdict{font-size:.95rem;"
    "line-height:1.35;padding:.3rem .6rem;margin:.35rem 0}}"
    "@page{size:A4;margin:16mm}@media print{body{font-size:10.5pt}nav,.skip{display:none}"
    "main,header,footer{max-width:none;padding:0}h1,h2,h3,figcaption,caption{break-after:avoid}"
    "tr,li,.verdict{break-inside:avoid}p:has(+ul){break-after:avoid}details:not([open]),section:has(>details:"
    "not([open])){display:none}.scroll{"
    "overflow:visible}"
    "h2{margin-top:1.4rem}.pair{grid-template-columns:1fr 1fr}a{color:inherit;text-decoration:none}}";

/* Rows of a table as cards. */
static const struct {
  const char *what, *look;
} cards[] = {
    {"table", "display:block;width:100%"},
    {"tbody", "display:block"},
    {"caption", "display:block"},
    {"thead", "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"},
    {"tr", "display:block;background:var(--card);border-radius:.5rem;padding:.4rem .7rem;margin:.5rem 0"},
    {":is(th,td)", "display:block;max-width:none;min-width:0;border:0;padding:.12rem 0;white-space:normal"},
    {"td", "display:grid;grid-template-columns:minmax(6rem,2fr) 5fr;gap:.7rem;overflow-wrap:anywhere"},
    {"td::before", "content:attr(data-of);color:var(--soft);overflow-wrap:normal"}};

static void put_cards(FILE *out, const char *which, const char *widest) {
  (void)fprintf(out, "@media screen and (max-width:%s){", widest);
  for (size_t i = 0; i < PAGE_COUNT(cards); i++)
    (void)fprintf(out, ".%s %s{%s}", which, cards[i].what, cards[i].look);
  (void)fputs("}\n", out);
}

void page_style(FILE *out) {
  (void)fputs(":root{color-scheme:light dark;", out);
  app_colours_write(out, false);
  (void)fputs("}\n@media screen and (prefers-color-scheme:dark){:root{", out);
  app_colours_write(out, true);
  (void)fputs("}}\n", out);
  (void)fputs(style, out);
  (void)fputc('\n', out);
  put_cards(out, "cards", "35rem");
  put_cards(out, "many", "60rem");
  put_cards(out, "glance .cards", "999rem"); /* a tile is narrow on every screen */
  app_svg_style(out);
}

void page_begin(page *p, const char *title, const char *note, const page_link *sections) {
  page_put(p, head);
  page_put(p, "<title>");
  page_say(p, "%s", title);
  page_put(p, "</title>\n");
  if (p->files != NULL) {
    page_put(p, p->files);
  } else {
    page_put(p, policy);
    page_put(p, "<style>\n");
    page_style(p->out);
    page_put(p, "\n</style>\n");
  }
  page_put(p, "</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header>\n<h1>");
  page_say(p, "%s", title);
  page_put(p, "</h1>\n");
  if (note != NULL) {
    page_put(p, "<p class=\"note\">");
    page_say(p, "%s", note);
    page_put(p, "</p>\n");
  }
  page_put(p, "</header>\n<nav aria-label=\"Sections\"><ul>\n");
  for (; sections->id != NULL; sections++) {
    (void)fprintf(p->out, "<li><a href=\"#%s\">", sections->id);
    page_say(p, "%s", sections->name);
    page_put(p, "</a></li>\n");
  }
  page_put(p, "</ul></nav>\n<main id=\"main\">\n");
}

void page_end(page *p) {
  page_put(p, "</main>\n<footer><p>");
  page_say(p, "Made by sotto %s. This page loads nothing%s.", SOTTO_VERSION,
           p->files == NULL ? " and runs no program" : " from elsewhere");
  page_put(p, "</p></footer>\n</body>\n</html>\n");
}

void page_put(page *p, const char *html) {
  (void)fputs(html, p->out);
}

static void put_text(page *p, const char *format, va_list arguments) {
  char text[4096];
  (void)vsnprintf(text, sizeof text, format, arguments);
  app_svg_text(p->out, text);
}

void page_say(page *p, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  put_text(p, format, arguments);
  va_end(arguments);
}

void page_paragraph(page *p, const char *format, ...) {
  va_list arguments;
  page_put(p, "<p>");
  va_start(arguments, format);
  put_text(p, format, arguments);
  va_end(arguments);
  page_put(p, "</p>\n");
}

void page_item(page *p, const char *format, ...) {
  va_list arguments;
  page_put(p, "<li>");
  va_start(arguments, format);
  put_text(p, format, arguments);
  va_end(arguments);
  page_put(p, "</li>\n");
}

void page_section(page *p, const char *id, const char *heading) {
  (void)fprintf(p->out, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">", id, id);
  page_say(p, "%s", heading);
  page_put(p, "</h2>\n");
}

void page_section_end(page *p) {
  page_put(p, "</section>\n");
}

void page_table(page *p, const char *caption, const char *const *heads, size_t count) {
  enum { cards_from = 3, many_from = 5 };
  p->columns = count;
  p->column = 0;
  p->heads = count < cards_from ? NULL : heads;
  (void)fprintf(p->out, "<div class=\"scroll%s\" tabindex=\"0\" role=\"region\" aria-label=\"",
                count < cards_from  ? ""
                : count < many_from ? " cards"
                                    : " cards many");
  page_say(p, "%s", caption);
  page_put(p, "\"><table><caption>");
  page_say(p, "%s", caption);
  page_put(p, "</caption><thead><tr>");
  for (size_t i = 0; i < count; i++) {
    page_put(p, "<th scope=\"col\">");
    page_say(p, "%s", heads[i]);
    page_put(p, "</th>");
  }
  page_put(p, "</tr></thead>\n<tbody>\n");
}

/* Class of a cell, which decides its line breaks. A word wider than a column, such as a digest, breaks
 * anywhere; a time never; a sentence gets a minimal width, and the table scrolls on a narrow screen. */
static const char *look_of(const char *text) {
  enum { longest_word = 28, sentence = 32, time_length = 20 };
  size_t longest = 0;
  const size_t all = strlen(text);
  for (const char *at = text; *at != '\0';) {
    const size_t length = strcspn(at, " ");
    if (length > longest) longest = length;
    at += length + (at[length] != '\0');
  }
  if (longest > longest_word) return " class=\"long\"";
  if (all == time_length && text[10] == 'T' && text[19] == 'Z') return " class=\"when\"";
  return all > sentence ? " class=\"wide\"" : "";
}

void page_cell(page *p, const char *format, ...) {
  char text[4096];
  va_list arguments;
  const bool first = p->column == 0;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  page_put(p, first ? "<tr><th scope=\"row\"" : "<td");
  page_put(p, look_of(text));
  if (!first && p->heads != NULL) {
    page_put(p, " data-of=\"");
    app_svg_text(p->out, p->heads[p->column]);
    page_put(p, "\"");
  }
  page_put(p, ">");
  app_svg_text(p->out, text);
  page_put(p, first ? "</th>" : "</td>");
  p->column = (p->column + 1) % p->columns;
  if (p->column == 0) page_put(p, "</tr>\n");
}

void page_row(page *p, const char *name, const char *value) {
  if (value[0] == '\0') return;
  page_cell(p, "%s", name);
  page_cell(p, "%s", value);
}

void page_cell_number(page *p, double value, const char *missing) {
  if (isfinite(value))
    page_cell(p, "%.4g", value);
  else
    page_cell(p, "%s", missing);
}

void page_cell_epsilon(page *p, double epsilon, const char *missing) {
  char words[SOTTO_EPSILON_WORDS];
  sotto_epsilon_words(words, epsilon);
  page_cell(p, "%s", isfinite(epsilon) ? words : missing);
}

void page_cell_delta(page *p, double delta) {
  char words[SOTTO_DELTA_WORDS];
  sotto_delta_words(words, delta);
  page_cell(p, "%s", words);
}

void page_table_end(page *p) {
  page_put(p, "</tbody></table></div>\n");
}

bool page_full(const page *p) {
  enum { full = 300000 };
  return ftell(p->out) > full;
}

void page_cut(page *p, size_t shown, size_t all) {
  if (shown < all)
    page_paragraph(p, "%zu of %zu are shown; the page would be too large with all.", shown, all);
}

void page_figure(page *p, const char *title) {
  (void)snprintf(p->id, sizeof p->id, "d%u", ++p->drawings);
  page_put(p, "<figure><figcaption>");
  page_say(p, "%s", title);
  page_put(p, "</figcaption>\n");
}

void page_figure_table(page *p, const char *caption, const char *const *heads, size_t count) {
  page_put(p, "<details><summary>");
  page_say(p, "As a table: %s", caption);
  page_put(p, "</summary>\n");
  page_table(p, caption, heads, count);
}

void page_figure_end(page *p) {
  page_table_end(p);
  page_put(p, "</details></figure>\n");
}
