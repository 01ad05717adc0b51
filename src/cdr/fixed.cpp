// Decimal arithmetic of IDL::Fixed (CORBA 3.3 part 1, 7.11.3.4; part 2, 9.3.2.8). Operands have at most 31
// digits, so the exact result of every operation has less than 100, and is computed digit by digit.
#include <orbweaver/exception.h>
#include <orbweaver/fixed.h>

#include <charconv>
#include <cmath>
#include <istream>
#include <limits>
#include <ostream>

namespace orbweaver::fixed {
namespace {

constexpr std::uint32_t kDoesNotFit = 0x4f570120;
constexpr std::uint32_t kNotANumber = 0x4f570121;
constexpr std::uint32_t kDivisionByZero = 0x4f570122;

[[noreturn]] void raise(std::uint32_t code, std::string text) {
  throw CORBA::DATA_CONVERSION(code, CORBA::CompletionStatus::COMPLETED_NO, std::move(text));
}

/// A decimal number with a sign: the digits have the values 10^-scale, 10^(1 - scale), …
class Decimal {
 public:
  Decimal() = default;
  explicit Decimal(Packed value) : scale_(value.scale) {
    const std::size_t octets = octets_of(value.digits);
    negative_ = (value.octets[octets - 1] & 0x0f) == 0x0d;
    for (std::size_t place = 0; place < value.digits; ++place) {
      const std::uint8_t octet = value.octets[octets - 1 - (place + 1) / 2];
      push(place % 2 == 0 ? octet >> 4 : octet & 0x0f);
    }
    trim();
  }
  Decimal(std::uint64_t value, bool negative) : negative_(negative) {
    for (; value != 0; value /= 10) push(static_cast<std::uint8_t>(value % 10));
  }

  bool negative() const { return negative_; }
  void negate() { negative_ = !negative_; }
  int scale() const { return scale_; }
  std::size_t size() const { return size_; }
  bool is_zero() const { return size_ == 0; }
  std::uint8_t digit(std::size_t place) const { return place < size_ ? digits_[place] : 0; }

  /// Changes the scale: appends zeros, or drops digits.
  void rescale(int scale) {
    if (scale < scale_) {
      const auto dropped = std::min(size_, static_cast<std::size_t>(scale_ - scale));
      std::copy(digits_.begin() + static_cast<std::ptrdiff_t>(dropped),
                digits_.begin() + static_cast<std::ptrdiff_t>(size_), digits_.begin());
      size_ -= dropped;
    } else if (size_ != 0) {
      const auto added = static_cast<std::size_t>(scale - scale_);
      std::copy_backward(digits_.begin(), digits_.begin() + static_cast<std::ptrdiff_t>(size_),
                         digits_.begin() + static_cast<std::ptrdiff_t>(size_ + added));
      std::fill_n(digits_.begin(), added, std::uint8_t{0});
      size_ += added;
    }
    scale_ = scale;
  }

  /// Compares the digits only. Both have the same scale.
  static int compare_magnitudes(const Decimal& a, const Decimal& b) {
    if (a.size_ != b.size_) return a.size_ < b.size_ ? -1 : 1;
    for (std::size_t place = a.size_; place-- > 0;) {
      if (a.digits_[place] != b.digits_[place]) return a.digits_[place] < b.digits_[place] ? -1 : 1;
    }
    return 0;
  }
  /// Adds the digits of `other`, which has the same scale.
  void add_magnitude(const Decimal& other) {
    const std::size_t count = std::max(size_, other.size_);
    unsigned carry = 0;
    for (std::size_t place = 0; place < count; ++place) {
      const unsigned sum = carry + digit(place) + other.digit(place);
      digits_[place] = static_cast<std::uint8_t>(sum % 10);
      carry = sum / 10;
    }
    size_ = count;
    if (carry != 0) push(1);
  }
  /// Adds 1 to the last digit.
  void increment_magnitude() {
    std::size_t place = 0;
    for (; place < size_ && digits_[place] == 9; ++place) digits_[place] = 0;
    if (place == size_)
      push(1);
    else
      ++digits_[place];
  }
  /// Subtracts the digits of `other`, which has the same scale and is not larger.
  void subtract_magnitude(const Decimal& other) {
    int borrow = 0;
    for (std::size_t place = 0; place < size_; ++place) {
      const int difference = digits_[place] - other.digit(place) - borrow;
      borrow = difference < 0;
      digits_[place] = static_cast<std::uint8_t>(difference + 10 * borrow);
    }
    trim();
  }
  /// Multiplies by 10 and adds `digit`.
  void append(std::uint8_t digit) {
    const int scale = scale_;
    rescale(scale_ + 1);
    scale_ = scale;
    if (size_ == 0) {
      if (digit != 0) push(digit);
    } else {
      digits_[0] = digit;
    }
  }

  static Decimal product(const Decimal& a, const Decimal& b) {
    Decimal out;
    out.scale_ = a.scale_ + b.scale_;
    out.negative_ = a.negative_ != b.negative_;
    out.size_ = a.size_ + b.size_;
    for (std::size_t i = 0; i < a.size_; ++i) {
      unsigned carry = 0;
      for (std::size_t j = 0; j < b.size_ || carry != 0; ++j) {
        const unsigned sum = out.digits_[i + j] + carry + unsigned{a.digits_[i]} * b.digit(j);
        out.digits_[i + j] = static_cast<std::uint8_t>(sum % 10);
        carry = sum / 10;
      }
    }
    out.trim();
    return out;
  }
  /// The quotient with `scale` digits after the point; further ones are truncated. `b` is not zero.
  static Decimal quotient(Decimal a, const Decimal& b, int scale) {
    Decimal out, rest;
    out.negative_ = a.negative_ != b.negative_;
    out.scale_ = scale;
    a.rescale(scale + b.scale_);
    Decimal divisor = b;
    divisor.negative_ = false;
    for (std::size_t place = a.size_; place-- > 0;) {
      rest.append(a.digits_[place]);
      std::uint8_t times = 0;
      while (compare_magnitudes(rest, divisor) >= 0) {
        rest.subtract_magnitude(divisor);
        ++times;
      }
      out.append(times);
    }
    return out;
  }

 private:
  void push(std::uint8_t digit) { digits_[size_++] = digit; }
  void trim() {
    while (size_ != 0 && digits_[size_ - 1] == 0) --size_;
  }

  // A dividend has at most 31 digits, followed by 31 of the result's scale and 31 of the divisor's.
  std::array<std::uint8_t, 3 * kMaxDigits + 3> digits_{};  // least significant first
  std::size_t size_ = 0;                                   // without leading zeros
  int scale_ = 0;
  bool negative_ = false;
};

std::string text_of(const Decimal& value) {
  std::string out = value.negative() && !value.is_zero() ? "-" : "";
  const auto scale = static_cast<std::size_t>(value.scale());
  for (std::size_t place = std::max(value.size(), scale + 1); place-- > 0;) {
    out += static_cast<char>('0' + value.digit(place));
    if (place == scale && scale != 0) out += '.';
  }
  return out;
}

void store(Target to, Decimal value) {
  const Decimal exact = value;
  value.rescale(to.scale);
  if (value.size() > to.digits) raise_too_large(text_of(exact), to.digits, to.scale);
  std::fill_n(to.octets, octets_of(to.digits), std::uint8_t{0});
  for (std::size_t place = 0; place < value.size(); ++place) put_digit(to, place, value.digit(place));
  put_sign(to, value.negative());
}

Decimal sum(Decimal a, Decimal b) {
  const int scale = std::max(a.scale(), b.scale());
  a.rescale(scale);
  b.rescale(scale);
  if (a.negative() == b.negative()) {
    a.add_magnitude(b);
    return a;
  }
  if (Decimal::compare_magnitudes(a, b) < 0) std::swap(a, b);
  a.subtract_magnitude(b);
  return a;
}

}  // namespace

void raise_not_a_number(std::string_view text) {
  raise(kNotANumber, "'" + std::string(text) + "' is not a fixed-point number such as \"-12.50\"");
}

void raise_too_large(std::string_view text, std::uint16_t digits, std::uint16_t scale) {
  raise(kDoesNotFit, std::string(text) + " does not fit into fixed<" + std::to_string(digits) + ", " +
                         std::to_string(scale) + ">, which has " + std::to_string(digits - scale) +
                         " digits before the point");
}

void assign(Target to, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  store(to, Decimal(value < 0 ? 0 - bits : bits, value < 0));
}
void assign(Target to, std::uint64_t value) { store(to, Decimal(value, false)); }

void assign(Target to, long double value) {
  if (!std::isfinite(value)) raise(kNotANumber, "infinity or NaN is not a fixed-point number");
  // Sign, 31 digits, point, 31 digits. A larger number does not fit into any type.
  char text[2 * kMaxDigits + 3];
  const auto end = std::to_chars(std::begin(text), std::end(text), value, std::chars_format::fixed, to.scale);
  if (end.ec != std::errc()) raise_too_large("a number of at least 10^31", to.digits, to.scale);
  std::array<std::uint8_t, octets_of(kMaxDigits)> parsed{};
  parse({parsed.data(), to.digits, to.scale},
        std::string_view(text, static_cast<std::size_t>(end.ptr - text)));
  std::copy_n(parsed.begin(), octets_of(to.digits), to.octets);
}

void assign(Target to, Packed value) { store(to, Decimal(value)); }

void assign_sum(Target to, Packed a, Packed b, bool subtract) {
  Decimal second(b);
  if (subtract) second.negate();
  store(to, sum(Decimal(a), second));
}

void assign_product(Target to, Packed a, Packed b) { store(to, Decimal::product(Decimal(a), Decimal(b))); }

void assign_quotient(Target to, Packed a, Packed b) {
  const Decimal divisor(b);
  if (divisor.is_zero()) raise(kDivisionByZero, "division of " + to_string(a) + " by zero");
  store(to, Decimal::quotient(Decimal(a), divisor, to.scale));
}

void assign_rounded(Target to, Packed value, std::uint16_t scale, bool half_up) {
  Decimal number(value);
  if (scale < value.scale) {
    const bool up = half_up && number.digit(value.scale - scale - 1u) >= 5;
    number.rescale(scale);
    if (up) number.increment_magnitude();
  }
  store(to, number);
}

int compare(Packed a, Packed b) {
  Decimal difference(b);
  difference.negate();
  difference = sum(Decimal(a), difference);
  return difference.is_zero() ? 0 : difference.negative() ? -1 : 1;
}

std::int64_t to_int64(Packed value) {
  Decimal whole(value);
  whole.rescale(0);
  const auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + whole.negative();
  std::uint64_t magnitude = 0;
  for (std::size_t place = whole.size(); place-- > 0;) {
    if (magnitude > (limit - whole.digit(place)) / 10)
      raise(kDoesNotFit, to_string(value) + " does not fit into an integer of 64 bits");
    magnitude = 10 * magnitude + whole.digit(place);
  }
  return static_cast<std::int64_t>(whole.negative() ? 0 - magnitude : magnitude);
}

long double to_long_double(Packed value) {
  const std::string text = to_string(value);
  long double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string to_string(Packed value) { return text_of(Decimal(value)); }

void read(std::istream& is, Target to) {
  std::string word;
  if (!(is >> word)) return;
  std::array<std::uint8_t, octets_of(kMaxDigits)> parsed{};
  try {
    parse({parsed.data(), to.digits, to.scale}, word);
  } catch (const CORBA::DATA_CONVERSION&) {
    return is.setstate(std::ios_base::failbit);
  }
  std::copy_n(parsed.begin(), octets_of(to.digits), to.octets);
}

std::ostream& print(std::ostream& os, Packed value) { return os << to_string(value); }

bool is_valid(const std::uint8_t* octets, std::uint16_t digits) noexcept {
  const std::size_t last = octets_of(digits) - 1;
  for (std::size_t i = 0; i < last; ++i) {
    if (octets[i] >> 4 > 9 || (octets[i] & 0x0f) > 9) return false;
  }
  const unsigned sign = octets[last] & 0x0f;
  if (octets[last] >> 4 > 9 || (sign != 0x0c && sign != 0x0d)) return false;
  return digits % 2 != 0 || octets[0] >> 4 == 0;
}

void decode(cdr::Decoder& in, Target to) {
  const std::size_t n = octets_of(to.digits);
  const std::uint8_t* const at = in.get_bytes(n);
  if (at == nullptr) return;
  std::array<std::uint8_t, octets_of(kMaxDigits)> copy{};  // the peer may change the message meanwhile
  std::copy_n(at, n, copy.begin());
  if (!is_valid(copy.data(), to.digits)) return in.fail(kMalformed);
  std::copy_n(copy.begin(), n, to.octets);
  put_sign(to, (to.octets[n - 1] & 0x0f) == 0x0d);
}

std::string describe(const std::uint8_t* octets, std::uint16_t digits, std::int16_t scale) {
  std::string number;
  for (std::size_t half = 2 * octets_of(digits) - 1u; half-- > 0;) {  // without the sign, last half first
    const std::uint8_t octet = octets[half / 2];
    number += static_cast<char>('0' + (half % 2 == 0 ? octet >> 4 : octet & 0x0f));
  }
  const auto after = static_cast<std::size_t>(std::max<int>(scale, 0));
  while (number.size() > after + 1 && number.back() == '0') number.pop_back();
  if (number.size() < after + 1) number.append(after + 1 - number.size(), '0');
  if (after != 0) number.insert(after, 1, '.');
  const bool zero = number.find_first_not_of("0.") == std::string::npos;
  if ((octets[octets_of(digits) - 1] & 0x0f) == 0x0d && !zero) number += '-';
  std::reverse(number.begin(), number.end());
  return scale < 0 && !zero ? number + "e" + std::to_string(-scale) : number;
}

}  // namespace orbweaver::fixed
