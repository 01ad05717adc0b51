#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "giop/ior.h"
#include "giop/message.h"

/// References that people type: corbaloc: and corbaname: (CORBA 3.3 part 2, 7.6.10).
namespace orbweaver::giop {

inline constexpr std::uint16_t kDefaultPort = 2809;

struct ObjectUrl {
  struct Address {
    Version version = kGiop10;  ///< 1.0 unless the URL says more: what every ORB understands.
    std::string host;           ///< A name, or an address; IPv6 without its brackets.
    std::uint16_t port = kDefaultPort;
    friend bool operator==(const Address&, const Address&) = default;
  };
  enum class Kind { location, name };

  Kind kind = Kind::location;
  bool initial_reference = false;  ///< "rir:" — object_key is the name to resolve ("NameService").
  std::vector<Address> addresses;  ///< In the order in which they are to be tried; empty with rir.
  std::vector<std::uint8_t>
      object_key;    ///< Unescaped. Kind::name: the naming context, "NameService" by default.
  std::string name;  ///< Kind::name: the stringified name, unescaped; may be empty.
};

/// Whether `text` begins like one of them, whatever follows.
bool is_object_url(std::string_view text) noexcept;

/// Fails with Remedy::mend and the offset at which it went wrong.
Result<ObjectUrl> parse_object_url(std::string_view text);

/// The same addresses as a reference of unknown type, a profile each. Nil for "rir:".
Ior to_ior(const ObjectUrl& url);

}  // namespace orbweaver::giop
