#pragma once

#include <cstdint>
#include <string>

namespace orbweaver::state {

/// Space on the disk of a state file for changes on a full disk that free something: a file beside it,
/// FILE-reserve, whose space is allocated. Without it, an application could not be released to get space,
/// because its removal from the state needs some. Not thread-safe.
class SpaceReserve {
 public:
  /// Of the reserve, and of its part that becomes space of the write-ahead log; the rest is for the database.
  static constexpr std::uint64_t kBytes = 2u << 20u, kLogBytes = 3 * kBytes / 4;

  explicit SpaceReserve(const std::string& state_file)
      : path_(state_file + "-reserve"), log_(state_file + "-wal") {}

  /// Makes the reserve if there is none. False if there is no space for it. True, too, where the file system
  /// cannot allocate space: then there is no reserve.
  bool ensure() noexcept;
  /// Passes its space to the write-ahead log, so that no other program can take it. False if there is none.
  bool give_up() noexcept;

 private:
  const std::string path_;
  const std::string log_;
  bool is_checked_ = false;  ///< Nothing is to be made.
};

}  // namespace orbweaver::state
