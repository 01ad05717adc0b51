#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "giop/message.h"

namespace orbweaver::orb {

/// Tells whether a message received over a bidirectional connection is one of a client or of a server, also
/// for fragments. Used by one thread at a time.
///
/// Requests of the side that has opened the connection have even ids, those of the other side odd ones (CORBA
/// 3.3 part 2, 9.8). A message of the wrong parity is accepted if its type tells whose it is.
class MessageRouting {
 public:
  enum class Role : std::uint8_t {
    caller,  ///< Replies, for the end that sends requests.
    server,  ///< Requests.
  };
  enum class Side : std::uint8_t { initiator, acceptor };

  explicit MessageRouting(Side side) noexcept : side_(side) {}

  Side side() const noexcept { return side_; }
  /// The end has been created. Messages for one that has not are given to the other.
  void open(Role role) noexcept { open_[static_cast<std::size_t>(role)] = true; }
  bool is_open(Role role) const noexcept { return open_[static_cast<std::size_t>(role)]; }

  struct Destination {
    bool caller = false, server = false;
  };
  /// Where to pass a received frame; CloseConnection and MessageError concern both.
  Destination route(Bytes frame);

 private:
  Role role_of(Bytes frame, const giop::MessageHeader& header);
  Role role_of_fragment(Bytes frame, const giop::MessageHeader& header);
  Role role_of_id(std::uint32_t id) const noexcept;
  void begin(Role role, Bytes frame, const giop::MessageHeader& header);
  bool end(Role role, std::uint32_t id, bool more) noexcept;

  const Side side_;
  std::array<bool, 2> open_{};
  std::array<std::vector<std::uint32_t>, 2> incomplete_;  // ids of messages whose fragments follow
  Role last_incomplete_ = Role::server;                   // of GIOP 1.1, whose fragments have no id
};

}  // namespace orbweaver::orb
