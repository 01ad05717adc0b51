#pragma once

#include <cstdint>

namespace orbweaver {

/// What a stored change survives.
enum class Durability : std::uint8_t {
  process,  ///< The end of this process; that of the machine only after a later change with `machine`.
  machine,  ///< The end of this process and of this machine: it is flushed to the disk, with all before it.
};

}  // namespace orbweaver
