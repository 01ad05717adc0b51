#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>

#include "sca/profile/assembly.h"

namespace orbweaver::sca::testing {

/// A copy of the assembly in testdata/ that a test may modify. The destructor removes it.
class TestProfiles {
 public:
  TestProfiles() {
    folder_ = make_folder();
    for (const auto& file : std::filesystem::directory_iterator(ORBWEAVER_SCA_TESTDATA)) {
      if (file.path().extension() == ".xml")
        std::filesystem::copy(file.path(), folder_ / file.path().filename());
    }
  }
  ~TestProfiles() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TestProfiles(const TestProfiles&) = delete;
  TestProfiles& operator=(const TestProfiles&) = delete;

  /// Replaces the first occurrence of `old_text`; throws if there is none.
  TestProfiles& replace(const std::string& file, const std::string& old_text, const std::string& new_text) {
    std::string text = read(file);
    const auto found = text.find(old_text);
    if (found == std::string::npos) throw std::logic_error("'" + old_text + "' is not in " + file);
    return write(file, text.replace(found, old_text.size(), new_text));
  }
  /// Adds a child element to an instantiation, as its first one.
  TestProfiles& add_to(const std::string& id, const std::string& child) {
    const std::string begin = "<componentinstantiation id=\"" + id + "\"";
    if (read("chain.sad.xml").find(begin + ">") != std::string::npos)
      return replace("chain.sad.xml", begin + ">", begin + ">" + child);
    return replace("chain.sad.xml", begin + "/>", begin + ">" + child + "</componentinstantiation>");
  }
  /// Sets DIRECT_INPUTS, a list of ports, of a component.
  TestProfiles& set_direct_inputs(const std::string& id, const std::string& ports) {
    return add_to(id, "<componentproperties><simpleref refid=\"DIRECT_INPUTS\" value=\"" + ports +
                          "\"/></componentproperties>");
  }
  /// The child of an instantiation that `factory_1` creates, with these qualifiers.
  static std::string created_by_factory(const std::string& qualifiers = "") {
    const std::string reference = "<findcomponent><componentresourcefactoryref refid=\"factory_1\"";
    if (qualifiers.empty()) return reference + "/></findcomponent>";
    return reference + "><resourcefactoryproperties>" + qualifiers +
           "</resourcefactoryproperties></componentresourcefactoryref></findcomponent>";
  }
  /// Adds Orbweaver's resource factory to the assembly as `factory_1`, which creates these components.
  TestProfiles& add_resource_factory(std::initializer_list<const char*> created = {}) {
    for (const char* const id : created) add_to(id, created_by_factory());
    for (const char* kind : {"spd", "scd", "prf"}) {
      const std::string file = std::string("resource-factory.") + kind + ".xml";
      std::filesystem::copy(std::filesystem::path(ORBWEAVER_SCA_TESTDATA) / "../main" / file, folder_ / file);
    }
    replace("chain.sad.xml", "<componentfiles>",
            "<componentfiles><componentfile id=\"factory_spd\" type=\"SPD\"><localfile "
            "name=\"resource-factory.spd.xml\"/></componentfile>");
    return replace("chain.sad.xml", "<partitioning>",
                   "<partitioning><componentplacement><componentfileref refid=\"factory_spd\"/>"
                   "<componentinstantiation id=\"factory_1\"/></componentplacement>");
  }
  TestProfiles& write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file, std::ios::binary) << text;
    return *this;
  }
  /// Writes an executable file.
  TestProfiles& write_program(const std::string& file) {
    write(file, "");
    std::filesystem::permissions(folder_ / file, std::filesystem::perms::owner_exec,
                                 std::filesystem::perm_options::add);
    return *this;
  }
  TestProfiles& remove(const std::string& file) {
    std::filesystem::remove(folder_ / file);
    return *this;
  }
  std::string read(const std::string& file) const {
    std::ifstream in(folder_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string path(const std::string& file) const { return (folder_ / file).string(); }

  Result<Assembly> load() const { return load_assembly(path("chain.sad.xml")); }
  /// The error of load(), without the folder name; "nothing" if it succeeds.
  std::string problem() const {
    const auto loaded = load();
    if (loaded) return "nothing";
    std::string text = loaded.error().message;
    const std::string prefix = folder_.string() + "/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }

 private:
  static std::filesystem::path make_folder() {
    static int count = 0;
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    const auto name =
        std::string("orbweaver-") + (test ? std::string(test->test_suite_name()) + "." + test->name() : "x");
    // ctest runs different tests of one program in parallel, but no test twice at the same time.
    auto folder = std::filesystem::temp_directory_path() / (name + "." + std::to_string(++count));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    return folder;
  }

  std::filesystem::path folder_;
};

}  // namespace orbweaver::sca::testing
