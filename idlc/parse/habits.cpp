#include "idlc/parse/habits.h"

#include <utility>

namespace orbweaver::idl {
namespace {

using Habit = std::pair<std::string_view, std::string_view>;

template <std::size_t N>
std::string_view find(const Habit (&habits)[N], std::string_view word) {
  for (const auto& [name, advice] : habits) {
    if (name == word) return advice;
  }
  return {};
}

}  // namespace

std::string_view instead_of_type(std::string_view name) {
  static constexpr Habit kTypes[] = {
      {"int", "use 'long' (32 bits) or 'long long' (64 bits)"},
      {"bool", "use 'boolean'"},
      {"byte", "use 'octet'"},
      {"signed", "IDL's integers are signed unless they say 'unsigned'; remove 'signed'"},
      {"int8_t", "use 'int8'"},
      {"uint8_t", "use 'octet' or 'uint8'"},
      {"int16_t", "use 'short'"},
      {"uint16_t", "use 'unsigned short'"},
      {"int32_t", "use 'long'"},
      {"uint32_t", "use 'unsigned long'"},
      {"int64_t", "use 'long long'"},
      {"uint64_t", "use 'unsigned long long'"},
      {"size_t", "use 'unsigned long' or 'unsigned long long'"},
      {"wchar_t", "use 'wchar'"},
      {"float32", "use 'float'"},
      {"float64", "use 'double'"},
      {"std", "IDL has types of its own: string, sequence<T>, map<K, V>, T name[N]"},
      {"vector", "use 'sequence<T>'"},
      {"list", "use 'sequence<T>'"},
      {"array", "write the size behind the name: 'typedef T Name[N];'"},
      {"set", "use 'sequence<T>'"},
      {"unordered_map", "use 'map<K, V>'"},
      {"optional", "write '@optional' before the member, or use 'sequence<T, 1>'"},
      {"variant", "use a union"},
      {"NULL", "nothing is null in IDL"},
      {"nullptr", "nothing is null in IDL"},
  };
  return find(kTypes, name);
}

std::string_view instead_of_modifier(std::string_view word) {
  static constexpr Habit kModifiers[] = {
      {"static", "remove it: an operation is always called on an object"},
      {"virtual", "remove it: every operation can be implemented anew"},
      {"inline", "remove it: an operation has no body in IDL"},
      {"explicit", "remove it"},
      {"final", "remove it"},
      {"synchronized", "remove it: threads are the servant's business"},
      {"async", "remove it, or write 'oneway' if nobody waits for an answer"},
      {"asynchronous", "remove it, or write 'oneway' if nobody waits for an answer"},
  };
  return find(kModifiers, word);
}

}  // namespace orbweaver::idl
