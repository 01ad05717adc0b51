#pragma once

#include <cstddef>

namespace orbweaver::idl::limits {

// Limits for hostile or generated input, far above those of real IDL files.
inline constexpr std::size_t kIncludeDepth = 200;
inline constexpr std::size_t kIncludes = 20'000;
inline constexpr std::size_t kConditionalDepth = 500;
inline constexpr std::size_t kMacroDepth = 200;
inline constexpr std::size_t kMacroArguments = 1'000;
inline constexpr std::size_t kExpandedTokens = 2'000'000;
inline constexpr std::size_t kConditionDepth = 200;
inline constexpr std::size_t kPastedBytes = 64u << 20;
inline constexpr std::size_t kCopiedTextBytes = 64u << 20;  // copied by constants that name string constants
inline constexpr std::size_t kReadTokens = 200'000'000;     // of all files, counted at each inclusion
inline constexpr std::size_t kMarkerPath = 4096;
inline constexpr std::size_t kTokens = 30'000'000;

}  // namespace orbweaver::idl::limits
