#pragma once

#include <orbweaver/cdr/decoder.h>
#include <orbweaver/cdr/encoder.h>

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

/// Service context ids (CORBA 3.3 part 2, 7.7.1).
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
}  // namespace context_id

/// One context as it travels. `data` belongs to whoever made it: to the message where it was decoded.
struct ServiceContext {
  std::uint32_t id = 0;
  Bytes data;
};

/// The contexts of a received message, left where they lie: nothing is copied, and they are read only by
/// who asks. Valid as long as the message. Every length is checked again at each reading, because the
/// bytes may belong to a peer's memory.
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
    Iterator(cdr::Decoder in, std::uint32_t left) noexcept : in_(in), left_(left) { next(); }
    void next() noexcept;

    cdr::Decoder in_;
    ServiceContext current_;
    std::uint32_t left_;
    bool done_ = false;
  };

  ServiceContexts() = default;

  std::uint32_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  Iterator begin() const noexcept;
  std::default_sentinel_t end() const noexcept { return {}; }
  /// The data of the first context with this id.
  std::optional<Bytes> find(std::uint32_t id) const noexcept;

  /// Steps over the contexts at `in` and remembers where they are. A fault stays in `in`.
  void decode(cdr::Decoder& in) noexcept {
    const std::uint32_t n = in.get_length(8);
    *this = {};
    if (n != 0) decode_some(in, n);
  }

 private:
  void decode_some(cdr::Decoder& in, std::uint32_t n) noexcept;

  const std::uint8_t* base_ = nullptr;  // what alignment counts from
  std::uint32_t first_ = 0;             // offset of the first context from base_
  std::uint32_t end_ = 0;
  std::uint32_t count_ = 0;
  bool swap_ = false;
};

/// No fewer bytes than `encode_contexts` writes, wherever it starts.
std::size_t contexts_bound(std::span<const ServiceContext> contexts) noexcept;
void encode_contexts(cdr::Encoder& out, std::span<const ServiceContext> contexts);
/// The same without the count before them.
void encode_each(cdr::Encoder& out, std::span<const ServiceContext> contexts);

/// The data of context 14: a message for people about an exception (CORBA 3.3 part 2, 7.7.1), UTF-8 here.
std::vector<std::uint8_t> encode_exception_detail(std::string_view utf8);
/// Fails with Remedy::mend if `data` is not such a context.
Result<std::string> decode_exception_detail(Bytes data);

}  // namespace orbweaver::giop
