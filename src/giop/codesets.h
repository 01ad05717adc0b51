#pragma once

#include <orbweaver/cdr/decoder.h>
#include <orbweaver/cdr/encoder.h>

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace orbweaver::giop {

/// Numbers of the OSF code set registry that ORBs use.
namespace code_set {
inline constexpr std::uint32_t kNone = 0;
inline constexpr std::uint32_t kIso8859_1 = 0x00010001;
inline constexpr std::uint32_t kIso646 = 0x00010020;  ///< ASCII
inline constexpr std::uint32_t kUcs2Level1 = 0x00010100;
inline constexpr std::uint32_t kUcs4Level1 = 0x00010104;
inline constexpr std::uint32_t kUtf16 = 0x00010109;
inline constexpr std::uint32_t kUtf8 = 0x05010001;
}  // namespace code_set

/// What one side speaks natively and what it can convert to and from (CORBA 3.3 part 2, 7.10.2.4).
struct CodeSetComponent {
  std::uint32_t native = code_set::kNone;
  std::vector<std::uint32_t> conversions;
  friend bool operator==(const CodeSetComponent&, const CodeSetComponent&) = default;
};
struct CodeSetComponentInfo {
  CodeSetComponent for_char;
  CodeSetComponent for_wchar;
  friend bool operator==(const CodeSetComponentInfo&, const CodeSetComponentInfo&) = default;
};

/// What this ORB declares: UTF-8 for char, UTF-16 for wchar, no conversions.
const CodeSetComponentInfo& own_code_sets();

/// The content of the component component_tag::kCodeSets.
std::vector<std::uint8_t> encode_code_sets(const CodeSetComponentInfo& info);
/// Fails with Remedy::mend if `data` is not such a component.
Result<CodeSetComponentInfo> decode_code_sets(Bytes data);

/// What both sides agreed on for one connection. kNone: nothing, such data cannot be sent.
struct TransmissionCodeSets {
  std::uint32_t for_char = code_set::kNone;
  std::uint32_t for_wchar = code_set::kNone;
  friend bool operator==(const TransmissionCodeSets&, const TransmissionCodeSets&) = default;
};

/// The client's choice (7.10.2.6). `server`: the component in the reference; null where it has none: the
/// server then knows ISO 8859-1 and no wide characters.
/// Fails with Remedy::give_up where the two share no characters (CODESET_INCOMPATIBLE).
Result<TransmissionCodeSets> negotiate(const CodeSetComponentInfo& client,
                                       const CodeSetComponentInfo* server);

/// The data of the service context context_id::kCodeSets (7.10.2.5).
std::vector<std::uint8_t> encode_code_sets_context(const TransmissionCodeSets& sets);
/// Fails with Remedy::mend if `data` is not such a context.
Result<TransmissionCodeSets> decode_code_sets_context(Bytes data);

}  // namespace orbweaver::giop
