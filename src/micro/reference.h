#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "giop/message.h"

namespace orbweaver::micro {

class Core;

/// What a call needs of an IIOP profile: views into the reference.
struct Profile {
  std::string_view host;
  std::uint16_t port = 0;
  giop::Version version;
  Bytes key;
  bool has_code_sets = false;  ///< The server takes part in the negotiation of code sets.
};

}  // namespace orbweaver::micro

namespace orbweaver {

/// The state shared by the copies of an object reference: its IOR, whose profiles are kept as they were
/// received. Reference-counted; any thread.
class Reference {
 public:
  /// `profiles`: tagged profiles in this machine's byte order, each aligned to 4 from the first one.
  Reference(micro::Core& core, std::string_view type_id, std::string&& profiles, std::uint32_t count);
  Reference(const Reference&) = delete;

  void add_ref() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;

  micro::Core& core() const noexcept { return core_; }
  const std::string& type_id() const noexcept { return type_id_; }
  const std::string& profiles() const noexcept { return profiles_; }
  std::uint32_t profile_count() const noexcept { return profile_count_; }
  /// Whether the object is one of this process. Calls are then made without a connection, until a one-way
  /// call has been sent: later calls must not overtake it.
  bool is_local() const noexcept { return local_.load(std::memory_order_relaxed); }
  /// Whether the only profile has the address of this process, whatever calls have been made.
  bool is_of_this_process() const;
  void leave_process() noexcept { local_.store(false, std::memory_order_relaxed); }

  /// Reads the first well-formed IIOP profile. False if there is none.
  bool profile(micro::Profile& profile) const noexcept;
  /// The key of the first IIOP profile; empty if there is none.
  Bytes key() const noexcept;

  /// The reference to which a server has forwarded this one, or this one itself; with a count for the caller.
  Reference* current() noexcept;
  /// Sets the reference to which the object was forwarded; null: none. Takes over a count.
  void forward(Reference* to) noexcept;

 private:
  ~Reference();

  micro::Core& core_;
  const std::string type_id_;
  const std::string profiles_;
  const std::uint32_t profile_count_;
  std::atomic<std::uint32_t> count_{1};
  std::atomic<bool> local_;
  Reference* forward_ = nullptr;  // guarded by the mutex of core_
};

namespace micro {

/// Reads a reference, as in arguments; null for nil, and if it is malformed, with a fault in `in`.
Reference* read_reference(Core& core, cdr::Decoder& in);
/// Writes a reference; null: nil.
void write_reference(cdr::Encoder& out, const Reference* reference);
/// At least the number of bytes of write_reference.
std::size_t reference_bound(const Reference* reference) noexcept;
/// A reference to an object with one IIOP profile and these octets as its key. `components`: whether the
/// profile says that the object is Orbweaver's.
Reference* new_reference(Core& core, std::string_view type_id, giop::Version version, std::string_view host,
                         std::uint16_t port, std::string_view key, bool components);
/// Parses "IOR:…" and "corbaloc:…". Raises BAD_PARAM (0x4f57003d).
Reference* parse_reference(Core& core, std::string_view text);
/// The reference as "IOR:…".
std::string to_text(const Reference* reference);

}  // namespace micro
}  // namespace orbweaver
