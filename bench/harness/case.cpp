#include "case.h"

#include <array>
#include <charconv>
#include <utility>

namespace orbweaver::bench {
namespace {

template <class Enum>
using Spelling = std::pair<Enum, std::string_view>;

template <class Enum>
constexpr auto kSpellings = nullptr;
template <>
constexpr auto kSpellings<Experiment> = std::to_array<Spelling<Experiment>>({{Experiment::twoway, "twoway"},
                                                                             {Experiment::oneway, "oneway"},
                                                                             {Experiment::hops, "hops"},
                                                                             {Experiment::fanout, "fanout"}});
template <>
constexpr auto kSpellings<PayloadType> =
    std::to_array<Spelling<PayloadType>>({{PayloadType::empty, "empty"},
                                          {PayloadType::octet, "octet"},
                                          {PayloadType::shorts, "short"},
                                          {PayloadType::longs, "long"},
                                          {PayloadType::long_longs, "longlong"},
                                          {PayloadType::floats, "float"},
                                          {PayloadType::doubles, "double"},
                                          {PayloadType::string, "string"},
                                          {PayloadType::structs, "struct"},
                                          {PayloadType::any, "any"},
                                          {PayloadType::block, "block"},
                                          {PayloadType::mix, "mix"}});
template <>
constexpr auto kSpellings<Wait> = std::to_array<Spelling<Wait>>({{Wait::spin, "spin"},
                                                                 {Wait::adaptive, "adaptive"},
                                                                 {Wait::block, "block"},
                                                                 {Wait::as_usual, "default"}});
template <>
constexpr auto kSpellings<Pin> =
    std::to_array<Spelling<Pin>>({{Pin::one, "one"}, {Pin::two, "two"}, {Pin::none, "none"}});

template <class Enum>
std::string_view spelled(Enum value) {
  for (const auto& [candidate, text] : kSpellings<Enum>)
    if (candidate == value) return text;
  return "?";
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T, class Parsed>
bool store(T& field, std::optional<Parsed> value) {
  if (value) field = static_cast<T>(*value);
  return value.has_value();
}

}  // namespace

std::string_view name(Experiment v) { return spelled(v); }
std::string_view name(PayloadType v) { return spelled(v); }
std::string_view name(Wait v) { return spelled(v); }
std::string_view name(Pin v) { return spelled(v); }

template <class Enum>
std::optional<Enum> named(std::string_view text) {
  for (const auto& [value, spelling] : kSpellings<Enum>)
    if (spelling == text) return value;
  return std::nullopt;
}
template std::optional<Experiment> named(std::string_view);
template std::optional<PayloadType> named(std::string_view);
template std::optional<Wait> named(std::string_view);
template std::optional<Pin> named(std::string_view);

template <class Enum>
std::string names() {
  std::string all;
  for (const auto& [value, spelling] : kSpellings<Enum>) {
    if (!all.empty()) all += ", ";
    all += spelling;
  }
  return all;
}
template std::string names<Experiment>();
template std::string names<PayloadType>();
template std::string names<Wait>();
template std::string names<Pin>();

Pin default_pin(Wait wait) {
  if (wait == Wait::as_usual) return Pin::none;
  return wait == Wait::block ? Pin::one : Pin::two;
}

Wait default_wait(std::string_view transport) {
  return transport == "shm" || transport == "inproc" ? Wait::spin : Wait::block;
}

std::size_t element_bytes(PayloadType type) {
  switch (type) {
    case PayloadType::empty: return 0;
    case PayloadType::octet:
    case PayloadType::mix: return 1;
    case PayloadType::shorts: return 2;
    case PayloadType::longs:
    case PayloadType::floats: return 4;
    case PayloadType::long_longs:
    case PayloadType::doubles:
    case PayloadType::any:
    case PayloadType::block: return 8;
    case PayloadType::string: return 16;
    case PayloadType::structs: return 4;
  }
  return 0;
}

std::vector<std::string> to_args(const Case& c) {
  return {"--experiment", std::string(name(c.experiment)), "--transport", c.transport,
          "--type",       std::string(name(c.type)),       "--bytes",     std::to_string(c.bytes),
          "--calls",      std::to_string(c.calls),         "--wait",      std::string(name(c.wait)),
          "--pin",        std::string(name(c.pin)),        "--receivers", std::to_string(c.receivers)};
}

std::optional<Case> from_args(const std::vector<std::string>& args) {
  Case c;
  if (args.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < args.size(); i += 2) {
    const std::string& key = args[i];
    const std::string& value = args[i + 1];
    bool known = true;
    if (key == "--experiment")
      known = store(c.experiment, named<Experiment>(value));
    else if (key == "--transport")
      c.transport = value;
    else if (key == "--type")
      known = store(c.type, named<PayloadType>(value));
    else if (key == "--bytes")
      known = store(c.bytes, number(value));
    else if (key == "--calls")
      known = store(c.calls, number(value));
    else if (key == "--wait")
      known = store(c.wait, named<Wait>(value));
    else if (key == "--pin")
      known = store(c.pin, named<Pin>(value));
    else if (key == "--receivers")
      known = store(c.receivers, number(value));
    else
      known = false;
    if (!known) return std::nullopt;
  }
  return c;
}

}  // namespace orbweaver::bench
