#pragma once

#include <cstdint>
#include <string_view>

#include "platform/fd.h"

/// Standard output of a program that prints until it is stopped.
namespace orbweaver::platform {

enum class OutputWait : std::uint8_t {
  timed_out,
  stopped,  ///< `stop` is readable.
  closed,   ///< The reader of the pipe has closed it.
};

/// Waits at most `timeout_ms` until `stop` is readable or nobody reads standard output any more.
OutputWait wait_while_output_is_read(const Fd& stop, int timeout_ms);

/// Writes all of `text` to standard output, beside stdio. Waits for a slow reader, until `stop` is readable.
/// 0, or an errno value: EPIPE (SIGPIPE is not raised), ENOSPC; ECANCELED if `stop` has become readable.
int write_standard_output(std::string_view text, const Fd& stop);

}  // namespace orbweaver::platform
