#include "snippetsC.h"

void anys() {
  // snippet
}
