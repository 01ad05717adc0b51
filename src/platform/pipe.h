#pragma once

#include "platform/fd.h"

/// Pipes, and the kinds of descriptors that a peer has passed.
namespace orbweaver::platform {

/// Both ends of a pipe. `error` is 0, or an errno value.
struct Pipe {
  Fd read, write;
  int error = 0;
};
Pipe make_pipe() noexcept;
/// As make_pipe, with the smallest buffer, for a pipe to which nobody writes. A usual buffer counts as 16
/// pages towards the user's limit (fs.pipe-user-pages-soft), beyond which all of its new pipes are small.
Pipe make_pipe_without_data() noexcept;

/// True if the descriptor can write to a pipe and cannot read from it. Does not block.
bool is_pipe_write_end(const Fd& fd) noexcept;

}  // namespace orbweaver::platform
