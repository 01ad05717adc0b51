// part
#include "snippetsC.h"

namespace complete_example {
// snippet
}  // namespace complete_example

// part
namespace mapping {
// snippet
}  // namespace mapping

// part
namespace declared {
// snippet
}  // namespace declared
