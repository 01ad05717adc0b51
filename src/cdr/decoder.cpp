#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/fixed.h>

#include <algorithm>

namespace orbweaver::cdr {

const char* describe(Fault fault) noexcept {
  switch (fault) {
    case Fault::none: return "no fault";
    case Fault::truncated: return "truncated";
    case Fault::bad_length: return "length exceeds the message";
    case Fault::bad_string: return "string without terminating NUL";
    case Fault::bound_exceeded: return "IDL bound exceeded";
    case Fault::bad_enum: return "enumerator out of range";
    case Fault::bad_boolean: return "invalid boolean";
    case Fault::too_deep: return "nested too deeply";
    case Fault::bad_reference: return "invalid object reference";
    case Fault::bad_union: return "invalid union discriminator";
    case Fault::bad_typecode: return "invalid TypeCode";
    case Fault::unsupported_type: return "any of an unsupported type";
    case Fault::too_many_steps: return "TypeCode with too many values for the size of the message";
    case Fault::wchar_in_giop_1_0: return "wide character in GIOP 1.0";
    case Fault::bad_value: return "malformed value of a value type";
    case Fault::no_value_factory: return "value without a registered factory";
  }
  return fault == fixed::kMalformed ? "malformed fixed-point number" : "unknown fault";
}

bool Decoder::align_at_end(std::size_t alignment) noexcept {
  const std::size_t gap = (0 - offset()) & (alignment - 1);
  if (chunks_ != nullptr && ok()) {  // what follows is in the next chunk, which begins with its own padding
    pos_ = end_;
    if (!chunks_->next_chunk(*this)) return false;
    const std::size_t rest = (0 - offset()) & (alignment - 1);
    if (remaining() < rest) return fail(Fault::truncated), false;
    pos_ += rest;
    return true;
  }
  if (remaining() < gap) return fail(Fault::truncated), false;
  pos_ += gap;
  return true;
}

/// Positions the decoder at a primitive of `bytes` bytes, which is not split between chunks.
bool Decoder::begin_next_chunk(std::size_t bytes) noexcept {
  if (chunks_ == nullptr || remaining() != 0 || !ok()) return fail(Fault::truncated), false;
  if (!chunks_->next_chunk(*this) || !align(bytes)) return false;
  if (remaining() < bytes) return fail(Fault::truncated), false;
  return true;
}

bool Decoder::has_later(std::size_t n, std::size_t element_bytes) const noexcept {
  return chunks_ != nullptr && n <= (remaining() + chunks_->later_bytes(*this)) / element_bytes;
}

const std::uint8_t* Decoder::gather_bytes(std::size_t n, Fault if_missing) noexcept {
  if (!has_later(n, 1)) return fail(if_missing), nullptr;
  if (remaining() == 0 && !chunks_->next_chunk(*this)) return nullptr;
  if (n <= remaining()) return get_bytes(n);
  std::uint8_t* const whole = chunks_->storage(n);
  if (whole == nullptr) return fail(if_missing), nullptr;
  for (std::size_t done = 0;;) {
    const std::size_t now = std::min(n - done, remaining());
    std::memcpy(whole + done, pos_, now);
    pos_ += now;
    done += now;
    if (done == n) return whole;
    if (!chunks_->next_chunk(*this)) return nullptr;
  }
}

std::string_view Decoder::get_string_of_chunks(std::uint32_t n, std::uint32_t bound) noexcept {
  if (!has_later(n, 1)) return fail(Fault::bad_length), std::string_view();
  if (bound != 0 && n - 1 > bound) return fail(Fault::bound_exceeded), std::string_view();
  const std::uint8_t* const at = gather_bytes(n, Fault::bad_length);
  if (at == nullptr) return {};
  if (at[n - 1] != 0) return fail(Fault::bad_string), std::string_view();
  return {reinterpret_cast<const char*>(at), n - 1};
}

bool Decoder::allows_steps_of_chunks() noexcept {
  const std::size_t later = chunks_ == nullptr ? 0 : chunks_->later_bytes(*this);
  const auto bytes = static_cast<std::uint64_t>(end_ - base_) + later;
  if (chunks_ != nullptr && steps_ <= limits::kFreeSteps + limits::kStepsPerByte * bytes) return true;
  return fail(Fault::too_many_steps), false;
}

std::uint32_t minor_code(const Decoder& in) noexcept {
  if (in.fault() == Fault::no_value_factory) return 0x4f4d0001;
  if (in.fault() != Fault::wchar_in_giop_1_0) return 0x4f570000 + static_cast<std::uint32_t>(in.fault());
  return in.wchar_encoding() == WcharEncoding::none_in_reply ? 0x4f4d0006 : 0x4f4d0005;
}

}  // namespace orbweaver::cdr
