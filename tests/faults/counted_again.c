/* A holder that forgets its pilots: after these were counted, all nodes count them as they count others, and
 * pilots count their neighbours once more. The linker puts this function in the place of the library's
 * (--wrap, tests/CMakeLists.txt); it is at work while sotto_i_counted_again is set. */
#include "counted_again.h"

#include "protocols/pilots.h"

bool sotto_i_counted_again = false;

void __real_sotto_i_pilots_spent(uint8_t *levels, size_t nodes, const sotto_i_pilots *pilots);
void __wrap_sotto_i_pilots_spent(uint8_t *levels, size_t nodes, const sotto_i_pilots *pilots);
void __wrap_sotto_i_pilots_spent(uint8_t *levels, size_t nodes, const sotto_i_pilots *pilots) {
  if (!sotto_i_counted_again) __real_sotto_i_pilots_spent(levels, nodes, pilots);
}
