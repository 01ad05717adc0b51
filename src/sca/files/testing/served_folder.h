#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "sca/files/file_system.h"

namespace orbweaver::sca::testing {

using FileSystemRef = IDL::traits<CF::FileSystem>::ref_type;
using FileRef = IDL::traits<CF::File>::ref_type;

/// A folder of a test, removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "orbweaver-files-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path path(const std::string& name = {}) const { return path_ / name; }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(path(name).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string content(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

/// An ORB of a test. Several can exist in one process; references pass between them by `use`.
class TestOrb {
 public:
  explicit TestOrb(std::vector<std::string> options = {}) {
    static std::atomic<int> count{0};
    options.insert(options.begin(), "test");
    std::vector<char*> argv;
    for (std::string& word : options) argv.push_back(word.data());
    argv.push_back(nullptr);
    int argc = static_cast<int>(options.size());
    orb = CORBA::ORB_init(argc, argv.data(), "files " + std::to_string(++count));
    poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
  }
  ~TestOrb() { orb->destroy(); }
  TestOrb(const TestOrb&) = delete;
  TestOrb& operator=(const TestOrb&) = delete;

  /// A reference of this ORB to the object of another one.
  template <class Interface>
  typename IDL::traits<Interface>::ref_type use(const CORBA::object_reference<Interface>& object) {
    return IDL::traits<Interface>::narrow(
        orb->string_to_object(object->_get_orb()->object_to_string(object)));
  }

  IDL::traits<CORBA::ORB>::ref_type orb;
  OpenFiles::PoaRef poa;
};

inline CF::OctetSequence octets(const std::string& text) { return {text.begin(), text.end()}; }
inline std::string text(const CF::OctetSequence& octets) { return {octets.begin(), octets.end()}; }
inline std::string read(const FileRef& file, std::uint32_t length) {
  CF::OctetSequence data;
  file->read(data, length);
  return text(data);
}

/// The exception that `call` raises: "FileException CF_ENOENT", and in `message` its msg.
template <class Call>
std::string raised_by(Call&& call, std::string* message = nullptr) {
  std::ostringstream text;
  const auto report = [&](const char* name, const auto& e) {
    text << name << ' ' << e.errorNumber();
    if (message != nullptr) *message = e.msg();
    return text.str();
  };
  try {
    call();
  } catch (const CF::FileException& e) {
    return report("FileException", e);
  } catch (const CF::InvalidFileName& e) {
    return report("InvalidFileName", e);
  } catch (const CF::File::IOException& e) {
    return report("IOException", e);
  } catch (const CORBA::Exception& e) {
    return e._name();
  }
  return "nothing";
}

/// The names and kinds of listed files, sorted: "dir/ file".
inline std::string listed(const FileSystemRef& files, const std::string& pattern) {
  std::vector<std::string> names;
  for (const auto& each : files->list(pattern)) {
    const auto kind = each.kind();
    names.push_back(each.name() + (kind == CF::FileSystem::FileType::DIRECTORY     ? "/"
                                   : kind == CF::FileSystem::FileType::FILE_SYSTEM ? "@"
                                                                                   : ""));
  }
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

}  // namespace orbweaver::sca::testing
