// Writes new files, all or none.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/printable.h"
#include "sca/project/new_project.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

/// Creates the missing folders of `folder`, and notes them. Returns why it cannot.
std::string create_folders(const fs::path& folder, std::vector<fs::path>& created) {
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return {};
  if (std::string why = create_folders(folder.parent_path(), created); !why.empty()) return why;
  if (!fs::create_directory(folder, error)) {
    return printable(folder.string()) +
           ": the folder cannot be created: " + (error ? error.message() : "a file has this name");
  }
  created.push_back(folder);
  return {};
}

/// Creates a file, which must not exist. Returns why it cannot.
std::string create_file(const fs::path& path, const std::string& text, std::vector<fs::path>& created) {
  std::FILE* const file = std::fopen(path.c_str(), "wx");
  int error = file == nullptr ? errno : 0;
  if (file != nullptr) {
    created.push_back(path);
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) error = errno;
    if (std::fclose(file) != 0 && error == 0) error = errno;
  }
  return error == 0 ? "" : printable(path.string()) + ": the file cannot be created: " + std::strerror(error);
}

}  // namespace

std::vector<std::string> write_new_files(const std::string& folder, const std::vector<NewFile>& files) {
  std::vector<std::string> problems;
  const fs::path root = fs::path(folder).lexically_normal();
  for (const NewFile& file : files) {
    std::error_code ignored;
    if (fs::symlink_status(root / file.name, ignored).type() != fs::file_type::not_found && !ignored)
      problems.push_back(printable((root / file.name).string()) +
                         ": the file exists, and is not overwritten; remove it, or choose another folder");
  }
  if (!problems.empty()) return problems;

  std::vector<fs::path> created;
  for (const NewFile& file : files) {
    std::string why = create_folders((root / file.name).parent_path(), created);
    if (why.empty()) why = create_file(root / file.name, file.text, created);
    if (why.empty()) continue;
    std::error_code ignored;
    for (auto path = created.rbegin(); path != created.rend(); ++path) fs::remove(*path, ignored);
    return {why};
  }
  return {};
}

}  // namespace orbweaver::sca
