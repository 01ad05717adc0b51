#include "idlc/driver/output.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace orbweaver::idl {

namespace fs = std::filesystem;

std::string write_file(const std::string& path, const std::string& text) {
  std::string temporary = path + ".tmp";
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out << text;
    out.flush();
    if (!out) return "'" + temporary + "' cannot be written; does the folder exist, and is there room?";
  }
  std::error_code error;
  fs::rename(temporary, path, error);
  if (!error) return {};
  std::string why = error.message();
  fs::remove(temporary, error);
  return "'" + path + "' cannot be written: " + why;
}

std::string write_files(const std::string& folder, const std::vector<OutputFile>& files) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return "the folder '" + folder + "' cannot be made: " + error.message();
  for (const OutputFile& file : files) {
    std::string path = (fs::path(folder) / file.name).string();
    std::ifstream in(path, std::ios::binary);
    bool same = in && std::string(std::istreambuf_iterator<char>(in), {}) == file.text;
    if (same) continue;
    if (std::string problem = write_file(path, file.text); !problem.empty()) return problem;
  }
  return {};
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
