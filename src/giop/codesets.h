#pragma once

#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/detail/cdr/encoder.h>

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace orbweaver::giop {

/// Numbers of the OSF code set registry that ORBs use (some only in comparisons or not at all here).
namespace code_set {
inline constexpr std::uint32_t kNone = 0;
inline constexpr std::uint32_t kIso8859_1 = 0x00010001;
inline constexpr std::uint32_t kIso646 = 0x00010020;  ///< ASCII
inline constexpr std::uint32_t kUcs2Level1 = 0x00010100;
inline constexpr std::uint32_t kUcs4Level1 = 0x00010104;
inline constexpr std::uint32_t kUtf16 = 0x00010109;
inline constexpr std::uint32_t kUtf8 = 0x05010001;
}  // namespace code_set

/// Native and conversion code sets of one end, for one kind of characters (CORBA 3.3 part 2, 7.10.2.4).
struct CodeSetComponent {
  std::uint32_t native = code_set::kNone;
  std::vector<std::uint32_t> conversions;
  friend bool operator==(const CodeSetComponent&, const CodeSetComponent&) = default;
};
/// The code sets of one end for char and wchar (7.10.2.4).
struct CodeSetComponentInfo {
  CodeSetComponent for_char;
  CodeSetComponent for_wchar;
  friend bool operator==(const CodeSetComponentInfo&, const CodeSetComponentInfo&) = default;
};

/// The code sets of this ORB: UTF-8 for char, UTF-16 for wchar, no conversions.
const CodeSetComponentInfo& own_code_sets();

/// Encodes the data of the component component_tag::kCodeSets.
std::vector<std::uint8_t> encode_code_sets(const CodeSetComponentInfo& info);
/// Fails with ErrorKind::invalid if `data` is not such a component.
Result<CodeSetComponentInfo> decode_code_sets(Bytes data);

/// The negotiated code sets of one connection. kNone: none, such data cannot be sent.
struct TransmissionCodeSets {
  std::uint32_t for_char = code_set::kNone;
  std::uint32_t for_wchar = code_set::kNone;
  friend bool operator==(const TransmissionCodeSets&, const TransmissionCodeSets&) = default;
};

/// Selects the transmission code sets, on the client (7.10.2.6). `server` is the component in the reference;
/// null if it has none: the server then supports ISO 8859-1 and no wide characters. Fails with
/// ErrorKind::unavailable if the code sets are incompatible (CODESET_INCOMPATIBLE).
Result<TransmissionCodeSets> negotiate(const CodeSetComponentInfo& client,
                                       const CodeSetComponentInfo* server);

/// Encodes the data of the service context context_id::kCodeSets (7.10.2.5).
std::vector<std::uint8_t> encode_code_sets_context(const TransmissionCodeSets& sets);
/// Fails with ErrorKind::invalid if `data` is not such a context.
Result<TransmissionCodeSets> decode_code_sets_context(Bytes data);

}  // namespace orbweaver::giop
