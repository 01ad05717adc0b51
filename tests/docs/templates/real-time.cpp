#include "snippetsC.h"

namespace complete_example {
// snippet
}  // namespace complete_example

namespace mapping {
// snippet
}  // namespace mapping

namespace declared {
// snippet
}  // namespace declared
