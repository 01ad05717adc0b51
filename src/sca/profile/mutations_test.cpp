// Each of our own profiles with one element or attribute deleted, renamed,
// doubled or given another value. Check must end, and must judge as the DTD
// does where that decides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <pugixml.hpp>
#include <sstream>

#include "sca/profile/check.h"
#include "sca/profile/profiles.h"
#include "sca/profile/validate.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

/// All profiles of the source tree.
std::vector<fs::path> own_profiles() {
  std::vector<fs::path> files;
  for (const char* const folder : {"src/sca", "waveforms", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(ORBWEAVER_SOURCE) / folder)) {
      if (entry.path().extension() == ".xml") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const pugi::xml_document& document) {
  std::ostringstream out;
  document.save(out);
  return out.str();
}

std::vector<pugi::xml_node> elements_of(const pugi::xml_document& document) {
  struct Collector : pugi::xml_tree_walker {
    bool for_each(pugi::xml_node& node) override {
      if (node.type() == pugi::node_element) found.push_back(node);
      return true;
    }
    std::vector<pugi::xml_node> found;
  } collector;
  const_cast<pugi::xml_document&>(document).traverse(collector);
  return collector.found;
}

/// The mistakes of structure in a changed file, and of all that it says.
struct Judgement {
  std::size_t structure = 0;
  std::size_t all = 0;
  std::string text;
};

class Mutations : public ::testing::Test {
 protected:
  /// Checks a changed profile beside its neighbours, in a copy of its folder.
  static Judgement judge(const fs::path& folder, const std::string& name, const std::string& text) {
    Judgement judgement;
    const std::string path = (folder / name).string();
    std::ofstream(path, std::ios::binary) << text;
    Findings structure, all;
    try {
      validate(XmlFile(path), structure);
      judgement.structure = structure.mistakes();
    } catch (const ProfileError&) {
      judgement.structure = 1;
    }
    Profiles profiles("", Profiles::CodeFiles::may_be_missing, all);
    profiles.check(path);
    check_whole_assemblies(profiles);
    judgement.all = all.mistakes();
    judgement.text = all.text(100);
    return judgement;
  }

  /// Calls `change` for each element of each profile, on a copy of the
  /// document, and then `expect`.
  template <class Change, class Expect>
  static void for_each_element(Change change, Expect expect) {
    const fs::path folder =
        fs::temp_directory_path() / (std::string("orbweaver-mutations.") +
                                     ::testing::UnitTest::GetInstance()->current_test_info()->name());
    for (const fs::path& file : own_profiles()) {
      fs::remove_all(folder);
      fs::create_directories(folder);
      for (const auto& neighbour : fs::directory_iterator(file.parent_path())) {
        if (neighbour.path().extension() == ".xml")
          fs::copy(neighbour.path(), folder / neighbour.path().filename());
      }
      pugi::xml_document original;
      ASSERT_TRUE(original.load_file(file.c_str(), pugi::parse_default | pugi::parse_doctype)) << file;
      const std::size_t count = elements_of(original).size();
      ASSERT_GT(count, 0u) << file;
      for (std::size_t i = 0; i < count; ++i) {
        pugi::xml_document changed;
        changed.reset(original);
        const std::string what = change(elements_of(changed)[i]);
        if (what.empty()) continue;
        const Judgement judgement = judge(folder, file.filename().string(), text_of(changed));
        // What the structure forbids, check reports as well.
        EXPECT_GE(judgement.all, judgement.structure) << file << ": " << what;
        expect(judgement, file.string() + ": " + what);
      }
    }
    fs::remove_all(folder);
  }
};

std::string tag_of(const pugi::xml_node& node) { return std::string("<") + node.name() + ">"; }

/// The rule of an element in the DTD of its document.
const ElementRule& rule_of(const pugi::xml_node& node) {
  for (pugi::xml_node root = node.root().first_child(); root; root = root.next_sibling()) {
    if (root.type() == pugi::node_element) return *grammar_of(*kind_of_root(root.name())).find(node.name());
  }
  throw std::logic_error("no root");
}

TEST_F(Mutations, NothingChangedIsStructurallyValid) {
  for_each_element(
      [](pugi::xml_node node) { return node.parent().type() == pugi::node_document ? tag_of(node) : ""; },
      [](const Judgement& judgement, const std::string& what) {
        EXPECT_EQ(judgement.structure, 0u) << what << "\n" << judgement.text;
      });
}

TEST_F(Mutations, ARenamedElementIsAMistake) {
  for_each_element(
      [](pugi::xml_node node) {
        const std::string what = "renamed " + tag_of(node);
        node.set_name((std::string(node.name()) + "s1").c_str());
        return what;
      },
      [](const Judgement& judgement, const std::string& what) { EXPECT_GT(judgement.all, 0u) << what; });
}

TEST_F(Mutations, ARenamedAttributeIsAMistake) {
  for_each_element(
      [](pugi::xml_node node) -> std::string {
        if (!node.first_attribute()) return {};
        const std::string what = tag_of(node) + " renamed " + node.first_attribute().name();
        node.first_attribute().set_name("unknown");
        return what;
      },
      [](const Judgement& judgement, const std::string& what) {
        EXPECT_GT(judgement.structure, 0u) << what;
      });
}

TEST_F(Mutations, ADoubledAttributeIsAMistake) {
  for_each_element(
      [](pugi::xml_node node) -> std::string {
        if (!node.first_attribute()) return {};
        node.append_copy(node.first_attribute());
        return tag_of(node) + " doubled " + node.first_attribute().name();
      },
      [](const Judgement& judgement, const std::string& what) {
        EXPECT_GT(judgement.structure, 0u) << what;
      });
}

TEST_F(Mutations, ADeletedAttributeIsAMistakeIfItIsRequired) {
  bool is_required = false;
  for_each_element(
      [&](pugi::xml_node node) -> std::string {
        if (!node.first_attribute()) return {};
        const std::string what = tag_of(node) + " without " + node.first_attribute().name();
        is_required = rule_of(node).find(node.first_attribute().name())->required;
        node.remove_attribute(node.first_attribute());
        return what;
      },
      [&](const Judgement& judgement, const std::string& what) {
        EXPECT_EQ(judgement.structure > 0, is_required) << what << "\n" << judgement.text;
      });
}

/// Whether the content model of the parent accepts its children.
bool accepts_children(const pugi::xml_node& parent) {
  const ContentModel& model = rule_of(parent).children;
  ContentModel::State state = ContentModel::kStart;
  for (const pugi::xml_node& child : parent.children()) {
    if (child.type() != pugi::node_element) continue;
    state = model.after(state, child.name());
    if (state == ContentModel::kNone) return false;
  }
  return model.accepts(state);
}

TEST_F(Mutations, ADeletedElementIsAMistakeIfItIsRequired) {
  bool is_valid = false;
  for_each_element(
      [&](pugi::xml_node node) -> std::string {
        pugi::xml_node parent = node.parent();
        if (parent.type() != pugi::node_element) return {};
        const std::string what = tag_of(parent) + " without " + tag_of(node);
        parent.remove_child(node);
        is_valid = accepts_children(parent);
        return what;
      },
      [&](const Judgement& judgement, const std::string& what) {
        EXPECT_EQ(judgement.structure == 0, is_valid) << what << "\n" << judgement.text;
      });
}

TEST_F(Mutations, ADoubledElementIsAMistakeIfThereIsOne) {
  bool is_valid = false;
  for_each_element(
      [&](pugi::xml_node node) -> std::string {
        pugi::xml_node parent = node.parent();
        if (parent.type() != pugi::node_element) return {};
        parent.insert_copy_after(node, node);
        is_valid = accepts_children(parent);
        return tag_of(parent) + " with two " + tag_of(node);
      },
      [&](const Judgement& judgement, const std::string& what) {
        EXPECT_TRUE(is_valid || judgement.structure > 0) << what;
      });
}

TEST_F(Mutations, AnotherValueOfAnEnumerationIsAMistake) {
  bool is_mistake = false;
  for_each_element(
      [&](pugi::xml_node node) -> std::string {
        is_mistake = false;
        for (pugi::xml_attribute attribute : node.attributes()) {
          is_mistake = is_mistake || rule_of(node).find(attribute.name())->kind == AttributeKind::enumeration;
          attribute.set_value("\xE2\x82\xAC wrong value");
        }
        return node.first_attribute() ? tag_of(node) + " with wrong values" : "";
      },
      [&](const Judgement& judgement, const std::string& what) {
        EXPECT_EQ(judgement.structure > 0, is_mistake) << what << "\n" << judgement.text;
      });
}

}  // namespace
}  // namespace orbweaver::sca
