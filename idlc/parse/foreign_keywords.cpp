#include "idlc/parse/foreign_keywords.h"

#include <utility>

namespace orbweaver::idl {
namespace {

using ForeignKeyword = std::pair<std::string_view, std::string_view>;

template <std::size_t N>
std::string_view find(const ForeignKeyword (&keywords)[N], std::string_view word) {
  for (const auto& [name, advice] : keywords) {
    if (name == word) return advice;
  }
  return {};
}

}  // namespace

std::string_view suggestion_for_foreign_type(std::string_view name) {
  static constexpr ForeignKeyword kTypes[] = {
      {"int", "use 'long' (32 bits) or 'long long' (64 bits)"},
      {"bool", "use 'boolean'"},
      {"byte", "use 'octet'"},
      {"signed", "integers are signed unless declared 'unsigned'; remove 'signed'"},
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
      {"array", "write the size after the name: 'typedef T Name[N];'"},
      {"set", "use 'sequence<T>'"},
      {"unordered_map", "use 'map<K, V>'"},
      {"optional", "write '@optional' before the member, or use 'sequence<T, 1>'"},
      {"variant", "use a union"},
      {"NULL", "IDL has no null value"},
      {"nullptr", "IDL has no null value"},
  };
  return find(kTypes, name);
}

std::string_view suggestion_for_foreign_modifier(std::string_view word) {
  static constexpr ForeignKeyword kModifiers[] = {
      {"static", "remove it: an operation is always called on an object"},
      {"virtual", "remove it: every operation can be overridden"},
      {"inline", "remove it: an operation has no body in IDL"},
      {"explicit", "remove it"},
      {"final", "remove it"},
      {"synchronized", "remove it: synchronization is up to the servant"},
      {"async", "remove it, or write 'oneway' if the caller needs no reply"},
      {"asynchronous", "remove it, or write 'oneway' if the caller needs no reply"},
  };
  return find(kModifiers, word);
}

}  // namespace orbweaver::idl
