// The size of compiled code, without symbols and debug information.
#pragma once

#include <cstdint>
#include <string>

namespace orbweaver::bench {

/// Returns the bytes that a program or shared library (ELF, 64 bits) loads from its file, or those of the
/// sections of an object file that would be loaded. Throws std::runtime_error that names the file if it
/// cannot be read or is none of them.
std::uint64_t loaded_bytes(const std::string& file);

}  // namespace orbweaver::bench
