#pragma once

#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/detail/cdr/encoder.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace orbweaver::giop {

/// Service context ids (CORBA 3.3 part 2, 7.7.1). Some are listed for reference only.
namespace context_id {
inline constexpr std::uint32_t kCodeSets = 1;
inline constexpr std::uint32_t kBiDirIiop = 5;
inline constexpr std::uint32_t kSendingContextRunTime = 6;
inline constexpr std::uint32_t kInvocationPolicies = 7;
inline constexpr std::uint32_t kRtPriority = 10;
inline constexpr std::uint32_t kRtPriorityRange = 11;
inline constexpr std::uint32_t kFtGroupVersion = 12;
inline constexpr std::uint32_t kFtRequest = 13;
inline constexpr std::uint32_t kExceptionDetailMessage = 14;
inline constexpr std::uint32_t kPadding = 0x4F575044;  ///< "OWPD": of Orbweaver; without a meaning.
}  // namespace context_id

/// One service context. `data` is not owned: in a decoded context it is a view into the message.
struct ServiceContext {
  std::uint32_t id = 0;
  Bytes data;
};

/// A view of the contexts of a received message, decoded during iteration, without a copy. Valid as long as
/// the message. Every length is checked at each iteration, because the bytes may be in memory shared with the
/// peer.
class ServiceContexts {
 public:
  class Iterator {
   public:
    using value_type = ServiceContext;
    using difference_type = std::ptrdiff_t;
    const ServiceContext& operator*() const noexcept { return current_; }
    const ServiceContext* operator->() const noexcept { return &current_; }
    Iterator& operator++() noexcept {
      next();
      return *this;
    }
    void operator++(int) noexcept { next(); }
    bool operator==(std::default_sentinel_t) const noexcept { return done_; }

   private:
    friend class ServiceContexts;
    Iterator(cdr::Decoder in, std::uint32_t left) noexcept : in_(in), remaining_(left) { next(); }
    void next() noexcept;

    cdr::Decoder in_;
    ServiceContext current_;
    std::uint32_t remaining_;
    bool done_ = false;
  };

  ServiceContexts() = default;

  std::uint32_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  Iterator begin() const noexcept;
  std::default_sentinel_t end() const noexcept { return {}; }
  /// The data of the first context with this id.
  std::optional<Bytes> find(std::uint32_t id) const noexcept;

  /// Reads the contexts at `in`: keeps their position and leaves `in` after them. A fault is set in `in`.
  void decode(cdr::Decoder& in) noexcept {
    const std::uint32_t n = in.get_length(8);
    *this = {};
    if (n != 0) decode_nonempty(in, n);
  }

 private:
  void decode_nonempty(cdr::Decoder& in, std::uint32_t n) noexcept;

  const std::uint8_t* base_ = nullptr;  // what alignment counts from
  std::uint32_t first_ = 0;             // offset of the first context from base_
  std::uint32_t end_ = 0;
  std::uint32_t count_ = 0;
  bool swap_ = false;
};

/// At least the number of bytes that `encode_contexts` writes, at any offset.
std::size_t contexts_bound(std::span<const ServiceContext> contexts) noexcept;
/// Encodes a sequence of service contexts.
void encode_contexts(cdr::Encoder& out, std::span<const ServiceContext> contexts);
/// As encode_contexts, without the count.
void encode_context_list(cdr::Encoder& out, std::span<const ServiceContext> contexts);

/// Encodes the data of context 14, ExceptionDetailMessage: a text that describes an exception (CORBA 3.3 part
/// 2, 7.7.1), here in UTF-8.
std::vector<std::uint8_t> encode_exception_detail(std::string_view utf8);
/// Decodes such a context to UTF-8. Fails with ErrorKind::invalid if `data` is malformed.
Result<std::string> decode_exception_detail(Bytes data);

}  // namespace orbweaver::giop
