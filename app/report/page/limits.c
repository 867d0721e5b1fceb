/* Section of a page: assumptions and limits of the guarantee, and published claims. */
#include <math.h>

#include "parts.h"
#include "sotto/guarantee.h"

static void put_list(page *p, const json_t *list) {
  const json_t *item;
  size_t i;
  page_put(p, "<ul>\n");
  json_array_foreach(list, i, item) {
    if (page_full(p)) break;
    if (json_is_string(item)) page_item(p, "%s", json_string_value(item));
  }
  page_put(p, "</ul>\n");
  page_cut(p, i, json_array_size(list));
}

static void put_claim(page *p, const json_t *c) {
  char delta[SOTTO_DELTA_WORDS];
  if (!json_is_object(c)) return;
  sotto_delta_words(delta, page_number(c, "delta"));
  page_put(p, "<h3>A published claim that does not hold</h3>\n");
  page_paragraph(p, "%s states epsilon %.4g at delta %s for this training. That does not hold, because:",
                 page_words(c, "source"), page_number(c, "epsilon"), delta);
  put_list(p, json_object_get(c, "why_it_does_not_hold"));
}

void page_limits(page *p, const page_run *run) {
  const json_t *assumed = json_object_get(run->statement, "assumed_public");
  page_section(p, "limits", "What is not covered");
  page_paragraph(p, "The guarantee says nothing about:");
  put_list(p, json_object_get(run->statement, "not_covered"));
  if (json_array_size(assumed) > 0) {
    page_put(p, "<h3>What is taken as public</h3>\n");
    put_list(p, assumed);
  }
  put_claim(p, json_object_get(run->statement, "claim"));
  if (!p->owner) {
    page_put(p, "<h3>What is not on this page</h3>\n");
    page_paragraph(p,
                   "This page may be handed on. So it leaves out what follows from true labels or true edges "
                   "beyond the measures above, and what other runs charged:");
    page_put(p, "<ul>\n");
    page_item(p, "the confusion matrix, calibration, and accuracy by class and by degree;");
    page_item(p, "attacks and audits of this run;");
    page_item(p, "the ledger's account over time.");
    page_put(p, "</ul>\n");
    page_put(p,
             "<p>The owner makes a page with these by <code>sotto report RUN --owner</code>. It lies in the "
             "run's folder <code>owner-only</code> and stays there.</p>\n");
  }
  page_section_end(p);
}
