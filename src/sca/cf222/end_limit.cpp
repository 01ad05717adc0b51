#include "sca/cf222/end_limit.h"

#include <cstdlib>

#include "platform/last_message.h"
#include "platform/line_writer.h"

namespace orbweaver::sca {

void end_process(const std::string& program) noexcept {
  platform::write_last_message(
      platform::kStandardError,
      program + ": operations in progress have not ended within " + std::to_string(kEndLimit.count()) +
          " s; the next domain manager that is started with this state undoes or completes them\n");
  std::_Exit(1);
}

}  // namespace orbweaver::sca
