#include <orbweaver/any.h>

#include <iostream>

#include "snippetsC.h"

void anys() {
  // snippet
}
