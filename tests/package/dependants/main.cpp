#include "otherC.h"
#include "userS.h"

int main() {
  return Base::kLeast == 3 && Base::Point(1, 2).y() == 2 && Other::Colour::green != Other::Colour::red ? 0
                                                                                                       : 1;
}
