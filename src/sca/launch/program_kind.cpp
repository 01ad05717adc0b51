#include "sca/launch/program_kind.h"

#include <algorithm>
#include <fstream>
#include <string_view>

namespace orbweaver::sca {
namespace {

constexpr std::string_view kElf =
    "\x7f"
    "ELF";
constexpr std::string_view kLibrary = "liborbweaver";
constexpr std::size_t kPieceBytes = std::size_t{1} << 16;

}  // namespace

bool is_orbweaver_program(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string piece(kPieceBytes, '\0');
  std::string text;  // the present piece after the end of the one before, in which the name may begin
  for (bool first = true; file; first = false) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece, 0, static_cast<std::size_t>(file.gcount()));
    if (first && !text.starts_with(kElf)) return false;
    if (text.find(kLibrary) != std::string::npos) return true;
    text.erase(0, text.size() - std::min(text.size(), kLibrary.size()));
  }
  return false;
}

}  // namespace orbweaver::sca
