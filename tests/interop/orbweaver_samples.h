// Values of types.idl; `n` varies them, and the alignment of what follows strings.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "typesC.h"

namespace interop::samples {

using namespace InteropTypes;
using Operand = Term::Operand;

template <class T>
constexpr T kLowest = std::numeric_limits<T>::lowest();
template <class T>
constexpr T kHighest = std::numeric_limits<T>::max();
template <class T>
constexpr T kNoNumber = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();

inline std::string text(int length, char letter) {
  return std::string(static_cast<std::size_t>(length), letter);
}

inline Basics basics(int n) {
  Basics b;
  b.truth(n % 2 == 0);
  b.d(n / 7.0);
  b.letter(static_cast<char>('a' + n % 26));
  b.ll(kLowest<std::int64_t> + n);
  b.o(static_cast<std::uint8_t>(255 - n));
  b.ull(kHighest<std::uint64_t> - static_cast<unsigned>(n));
  b.s(static_cast<std::int16_t>(kLowest<std::int16_t> + n));
  b.f(std::numeric_limits<float>::denorm_min() * static_cast<float>(n));
  b.us(static_cast<std::uint16_t>(-n));
  b.l(kLowest<std::int32_t> + n);
  b.text(text(n % 9, 't'));
  b.ul(kHighest<std::uint32_t> - static_cast<unsigned>(n));
  b.colour(static_cast<Suit>(n % 4));
  return b;
}

inline ManyBasics many_basics(int count) {
  ManyBasics all;
  for (int i = 0; i < count; ++i) all.push_back(basics(i));
  return all;
}

inline ManyWides wides(const std::wstring& text, wchar_t letter) {
  ManyWides all;
  for (int i = 0; i < 8; ++i)
    all.emplace_back(static_cast<std::uint8_t>(i), letter, static_cast<std::uint8_t>(-i),
                     text + std::wstring(static_cast<std::size_t>(i), L'w'), i / 3.0);
  return all;
}

inline Sequences sequences() {
  Sequences s;
  s.booleans_({true, false, true});
  s.chars_({'a', '\0', '~'});
  s.octets_({0, 1, 255, 128, 127});
  s.shorts_({0, -1, kLowest<std::int16_t>, kHighest<std::int16_t>, 1});
  s.ushorts_({65535, 0, 1});
  s.longs_({0, -1, kLowest<std::int32_t>, kHighest<std::int32_t>});
  s.ulongs_({kHighest<std::uint32_t>});
  s.longlongs_({0, -1, kLowest<std::int64_t>, kHighest<std::int64_t>});
  s.ulonglongs_({kHighest<std::uint64_t>});
  s.floats_({0, -0.0F, kNoNumber<float>, -kInfinity<float>, kHighest<float>});
  s.doubles_({0, -0.0, kNoNumber<double>, kInfinity<double>, std::numeric_limits<double>::denorm_min()});
  s.strings_({"", "a", "two", "\u00fc"});
  s.suits_({Suit::spades, Suit::clubs});
  s.rows({{}, {1}, {2, 3, 4}});
  s.few({"", "1", "12345678"});
  return s;
}

inline Matrix matrix(int n) {
  const double x = n;
  return {{{x, -x, 0.5}, {kHighest<double>, kNoNumber<double>, -kInfinity<double>}}};
}

inline Arrays arrays(int n) {
  Arrays a;
  a.before(static_cast<std::uint8_t>(n));
  a.bigs({kLowest<std::int64_t>, n});
  a.letters({{{'a', 'b'}, {'c', '\0'}}});
  a.truths({true, false, true});
  a.words_({text(n, 'w'), "", "word"});
  a.shorts({kLowest<std::int16_t>, 0, static_cast<std::int16_t>(n)});
  a.numbers(matrix(n));
  a.suits({Suit::diamonds, Suit::hearts});
  a.rows({Longs{n}, Longs{}});
  a.after({1, 2, 3, 252, 251});
  return a;
}

inline Inner inner(int n) {
  return {static_cast<std::uint8_t>(n), n / 3.0, n % 2 == 0 ? Strings{} : Strings{text(n, 'i'), ""}};
}
inline Middle middle(int n) { return {n % 2 == 0, inner(n), {inner(n + 1), inner(n + 2)}}; }
inline Outer outer(int n) { return {'o', middle(n), static_cast<std::uint8_t>(-n), middle(n + 1)}; }

inline Branch branch(int depth) {
  Branches kids;
  for (int i = 0; depth > 0 && i < 2; ++i) kids.push_back(branch(depth - 1 - i % depth));
  return {static_cast<std::int16_t>(-depth), kids, text(depth, 'b')};
}
/// A chain of branches.
inline Branch chain(int length) {
  Branch last(0, {}, "end");
  for (int i = 1; i < length; ++i) last = Branch(static_cast<std::int16_t>(i), {last}, text(i % 5, 'x'));
  return last;
}

/// A union on which `set` has been called.
template <class Union, class Set>
Union made(Set set) {
  Union u;
  set(u);
  return u;
}

inline Term number(double value) {
  return {1, made<Operand>([&](Operand& o) { o.number(value); })};
}
inline Term name(const std::string& value) {
  return {1, made<Operand>([&](Operand& o) { o.name(value); })};
}
inline Term operands(const Terms& value) {
  return {1, made<Operand>([&](Operand& o) { o.operands(value); })};
}
inline Term term() {
  return operands({number(1), operands({name("x"), operands({}), number(kNoNumber<double>)}), name("y")});
}

/// `made`, with this discriminator of the active member.
template <class Union, class Set, class Discriminator>
Union made(Set set, Discriminator discriminator) {
  Union u = made<Union>(set);
  u._d(discriminator);
  return u;
}

inline std::vector<ByBoolean> by_boolean() {
  return {made<ByBoolean>([](auto& u) { u.yes("yes"); }), made<ByBoolean>([](auto& u) { u.no(-0.5); })};
}
inline std::vector<ByOneBoolean> by_one_boolean() {
  return {made<ByOneBoolean>([](auto& u) { u.yes("yes"); }),
          made<ByOneBoolean>([](auto& u) { u._default(); })};
}
inline std::vector<ByChar> by_char() {
  const auto letter = [](ByChar& u) { u.letter(kHighest<std::int32_t>); };
  return {made<ByChar>(letter, 'a'), made<ByChar>(letter, 'z'), made<ByChar>([](auto& u) { u.digit(9); }),
          made<ByChar>([](auto& u) { u.other("other"); }, '\0')};
}
inline std::vector<ByShort> by_short() {
  const auto near = [](ByShort& u) { u.near("near"); };
  return {made<ByShort>([](auto& u) { u.lowest(0.5); }), made<ByShort>(near, std::int16_t{-1}),
          made<ByShort>(near, std::int16_t{0}), made<ByShort>([](auto& u) { u.highest(255); })};
}
inline std::vector<ByUShort> by_ushort(std::uint16_t other = 1) {
  return {made<ByUShort>([](auto& u) { u.lowest(0.5); }), made<ByUShort>([](auto& u) { u.high("high"); }),
          made<ByUShort>([](auto& u) { u.other(7); }, other)};
}
inline std::vector<ByLong> by_long(std::int32_t other = 0) {
  return {made<ByLong>([](auto& u) { u.low(0.5); }), made<ByLong>([](auto& u) { u.highest("highest"); }),
          made<ByLong>([](auto& u) { u.other(7); }, other)};
}
inline std::vector<ByULong> by_ulong() {
  return {made<ByULong>([](auto& u) { u.lowest(0.5); }), made<ByULong>([](auto& u) { u.high("high"); })};
}
inline std::vector<ByLongLong> by_longlong() {
  return {made<ByLongLong>([](auto& u) { u.low(0.5); }), made<ByLongLong>([](auto& u) { u.high("high"); })};
}
inline std::vector<ByULongLong> by_ulonglong(std::uint64_t other = 0) {
  return {made<ByULongLong>([](auto& u) { u.one(0.5); }), made<ByULongLong>([](auto& u) { u.high("high"); }),
          made<ByULongLong>([](auto& u) { u.other(7); }, other)};
}
inline std::vector<BySuit> by_suit() {
  const auto names = [](BySuit& u) { u.names({"one", ""}); };
  return {made<BySuit>([](auto& u) { u.all(basics(5)); }), made<BySuit>(names, Suit::hearts),
          made<BySuit>(names, Suit::spades),
          made<BySuit>([](auto& u) { u.other(kLowest<std::int32_t>); }, Suit::diamonds)};
}
/// Unions without an active member.
inline ByShort no_short() {
  return made<ByShort>([](auto& u) { u._default(); }, std::int16_t{1});
}
inline ByULong no_ulong() {
  return made<ByULong>([](auto& u) { u._default(); }, kHighest<std::uint32_t>);
}
inline ByLongLong no_longlong() {
  return made<ByLongLong>([](auto& u) { u._default(); }, kLowest<std::int64_t>);
}
inline Unions unions(std::size_t n, std::size_t m) {
  return {1, by_boolean()[m], 2, by_short()[n], 3, by_ulong()[m], 4, by_longlong()[m], 5, by_suit()[n]};
}

}  // namespace interop::samples
