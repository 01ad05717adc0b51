// Sequences and arrays of strings, most of which are short: positions are kept in registers, and strings of
// up to 32 bytes are copied without a call.
#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/detail/cdr/encoder.h>

#include <cstring>
#include <string>

namespace orbweaver::cdr {

#ifdef __OPTIMIZE_SIZE__  // the micro library

void Encoder::put_strings(const std::string* strings, std::size_t n) {
  for (std::size_t i = 0; i < n && ok_; ++i) put_string(strings[i]);
}

void Decoder::get_strings(std::string* strings, std::size_t n) {
  for (std::size_t i = 0; i < n && ok(); ++i) strings[i].assign(get_string_view());
}

#else

namespace {

/// Copies `n` bytes; inline for up to 32, by two blocks that may overlap.
[[gnu::always_inline]] inline void copy_short(void* to, const void* from, std::size_t n) noexcept {
  auto* const out = static_cast<char*>(to);
  const auto* const in = static_cast<const char*>(from);
  const auto copy_ends = [&](auto block) {
    decltype(block) last;
    std::memcpy(&block, in, sizeof(block));
    std::memcpy(&last, in + n - sizeof(block), sizeof(block));
    std::memcpy(out, &block, sizeof(block));
    std::memcpy(out + n - sizeof(block), &last, sizeof(block));
  };
  struct Block16 {
    std::uint64_t words[2];
  };
  if (n > 32) {
    std::memcpy(to, from, n);
  } else if (n >= 16) {
    copy_ends(Block16{});
  } else if (n >= 8) {
    copy_ends(std::uint64_t{});
  } else if (n >= 4) {
    copy_ends(std::uint32_t{});
  } else {
    for (std::size_t i = 0; i < n; ++i) out[i] = in[i];
  }
}

/// Assigns `n` characters. What a peer changes meanwhile is in the string, or not.
inline void assign(std::string& s, const char* from, std::size_t n) {
#ifdef __cpp_lib_string_resize_and_overwrite
  // Not with the size that it passes: in GCC 12 this may be the capacity.
  s.resize_and_overwrite(n, [from, n](char* to, std::size_t) noexcept {
    copy_short(to, from, n);
    return n;
  });
#else
  s.assign(from, n);
#endif
}

}  // namespace

// In both, the position of the next string depends on that of the present one by few operations, of which the
// processor executes one after another.

void Encoder::put_strings(const std::string* strings, std::size_t n) {
  for (std::size_t i = 0; i < n && ok_;) {
    align(4);
    std::uint8_t *const end = end_, *at = pos_, *last = pos_;
    for (; i < n; ++i) {
      const std::string& s = strings[i];
      const std::size_t bytes = s.size() + 1;
      // Length, characters and NUL, and padding, written as four bytes.
      if (static_cast<std::size_t>(end - at) < 4 + bytes + 4) break;
      const std::uint32_t length = static_cast<std::uint32_t>(bytes), padding = 0;
      std::memcpy(at, &length, 4);
      copy_short(at + 4, s.c_str(), bytes);
      last = at + 4 + bytes;
      std::memcpy(last, &padding, 4);
      at += 4 + (bytes + 3) / 4 * 4;
    }
    pos_ = last;
    if (i < n) put_string(strings[i++]);  // there is too little space, or nearly so
  }
}

void Decoder::get_strings(std::string* strings, std::size_t n) {
  std::size_t i = 0;
  // Reads up to the first string that is empty without a NUL, in several chunks, or malformed.
  const auto read_plain = [&](auto swap) {
    const std::uint8_t *const end = end_, *last = pos_;
    const std::uint8_t* at = last + ((0 - offset()) & 3);
    for (; i < n && end - at >= 4; ++i) {
      const std::uint32_t length = read_once(load<std::uint32_t>(at, swap));
      const std::uint8_t* const characters = at + 4;
      if (length == 0 || length > static_cast<std::size_t>(end - characters) || characters[length - 1] != 0)
        break;
      assign(strings[i], reinterpret_cast<const char*>(characters), length - 1);
      last = characters + length;
      at = characters + (std::size_t{length} + 3) / 4 * 4;
    }
    pos_ = last;
  };
  while (i < n && ok()) {
    swap_ ? read_plain(std::true_type{}) : read_plain(std::false_type{});
    if (i < n) strings[i++].assign(get_string_view());
  }
}

#endif

}  // namespace orbweaver::cdr
