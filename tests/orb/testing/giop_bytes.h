#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "giop/ior.h"
#include "giop/message.h"

/// GIOP written by hand, in either byte order, right or wrong.
namespace orbtest {

using Octets = std::vector<std::uint8_t>;

enum class Order : bool { big, little };

/// A message from its header on. The size is written by `bytes()`.
class Message {
 public:
  explicit Message(orbweaver::giop::MessageType type, Order order = Order::little, std::uint8_t minor_version = 2,
                   std::uint8_t flags = 0);
  Message& octet(std::uint8_t value);
  Message& ushort(std::uint16_t value) { return number(value); }
  Message& ulong(std::uint32_t value) { return number(value); }
  Message& real(double value);
  Message& text(std::string_view value);
  Message& octets(const Octets& value);
  Message& align(std::size_t alignment);
  Octets bytes() const;
  /// With a size that says something else.
  Octets bytes_announcing(std::uint32_t body_bytes) const;

 private:
  template <class T>
  Message& number(T value) {
    align(sizeof value);
    for (std::size_t i = 0; i < sizeof value; ++i) {
      const std::size_t shift = 8 * (order_ == Order::little ? i : sizeof value - 1 - i);
      bytes_.push_back(static_cast<std::uint8_t>(value >> shift));
    }
    return *this;
  }

  Order order_;
  Octets bytes_;
};

/// A GIOP 1.2 request header; encode the arguments behind it, aligned to 8.
Message request(std::uint32_t id, const Octets& key, std::string_view operation, Order order = Order::little,
                std::uint8_t response_flags = 3);
/// A GIOP 1.2 reply without contexts, its body to follow.
Message reply(std::uint32_t id, std::uint32_t status = 0);

/// Where a stringified reference leads.
struct Where {
  std::uint16_t port = 0;
  Octets key;
  std::string shm, mqueue;  ///< The rendezvous.
};
Where where(const std::string& reference);
/// A reference to the key at that TCP port, with this local road, of this host.
std::string reference_to(std::uint16_t port, const Octets& key, const std::string& rendezvous = {},
                         const std::string& road = "shm");

}  // namespace orbtest
