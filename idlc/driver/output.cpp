#include "idlc/driver/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace orbweaver::idl {

namespace fs = std::filesystem;

namespace {

// Writes a file; returns the reason of a failure, or an empty string.
std::string write_to(const std::string& path, const TextWriter& write) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return std::strerror(errno);
  std::setvbuf(file, nullptr, _IOFBF, 1 << 16);
  std::string why;
  write([&](std::string_view piece) {
    if (why.empty() && std::fwrite(piece.data(), 1, piece.size(), file) != piece.size())
      why = std::strerror(errno);
  });
  if (std::fflush(file) != 0 && why.empty()) why = std::strerror(errno);
  std::fclose(file);
  return why;
}

// Whether the file has exactly this text.
bool holds(const std::string& path, const TextWriter& write) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::ifstream in(path, std::ios::binary);
  bool is_equal = in.good();
  std::string present;
  write([&](std::string_view piece) {
    if (!is_equal) return;
    present.resize(piece.size());
    in.read(present.data(), static_cast<std::streamsize>(present.size()));
    is_equal = static_cast<std::size_t>(in.gcount()) == piece.size() && present == piece;
  });
  return is_equal && in.peek() == std::ifstream::traits_type::eof();
}

}  // namespace

std::string OutputFile::text() const {
  std::string all;
  write([&](std::string_view piece) { all += piece; });
  return all;
}

std::string write_file(const std::string& path, const std::string& text) {
  return write_file(path, [&](const TextSink& out) { out(text); });
}

std::string write_file(const std::string& path, const TextWriter& write) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const std::string failed = "'" + path + "' cannot be written: ";
  if (fs::is_directory(status)) return failed + "it is a directory";
  // Writes directly to a device or a pipe; only a regular file is replaced.
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    const std::string why = write_to(path, write);
    return why.empty() ? why : failed + why;
  }
  const std::string temporary = path + ".tmp";
  std::string why = write_to(temporary, write);
  if (why.empty()) {
    fs::rename(temporary, path, error);
    if (!error) return {};
    why = error.message();
  }
  fs::remove(temporary, error);
  return failed + why;
}

std::string write_files(const std::string& folder, const std::vector<OutputFile>& files) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return "the folder '" + folder + "' cannot be created: " + error.message();
  for (const OutputFile& file : files) {
    const std::string path = (fs::path(folder) / file.name).string();
    if (holds(path, file.write)) continue;
    if (std::string problem = write_file(path, file.write); !problem.empty()) return problem;
  }
  return {};
}

std::string print(const std::string& text) {
  const bool printed =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return printed ? "" : std::string("standard output cannot be written: ") + std::strerror(errno);
}

namespace {

std::string escaped(const std::string& path) {
  std::string out;
  for (char c : path) {
    if (c == ' ' || c == '#') out += '\\';
    if (c == '$') out += '$';
    out += c;
  }
  return out;
}

}  // namespace

std::string dependency_rule(const std::string& folder, const std::vector<OutputFile>& outputs,
                            const std::vector<std::string>& inputs) {
  std::string out;
  for (const OutputFile& file : outputs) out += escaped((fs::path(folder) / file.name).string()) + " ";
  out += ":";
  for (const std::string& input : inputs) {
    if (input != "-") out += " \\\n  " + escaped(fs::absolute(input).lexically_normal().string());
  }
  return out + "\n";
}

}  // namespace orbweaver::idl
