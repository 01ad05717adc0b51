// Random scripts on DynAnys, which this program and one of omniORB execute: positions, values and exceptions
// are the same.
#include <gtest/gtest.h>
#include <orbweaver/dynamic_any.h>
#include <orbweaver/orb.h>

#include <fstream>
#include <random>
#include <sstream>

#include "base/temporary_folder.h"
#include "interopC.h"
#include "server.h"

namespace interop {
namespace {

using CORBA::Any;
using DynamicAny::DynAny;
using Ref = IDL::traits<DynAny>::ref_type;

std::string hex_of(const Any& any) {
  std::vector<std::uint8_t> bytes;
  orbweaver::cdr::Encoder out(bytes);
  orbweaver::cdr::encode(out, any);
  out.finish();
  std::string hex;
  for (const std::uint8_t octet : bytes) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", octet);
    hex += digits;
  }
  return hex;
}

Any any_from(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  orbweaver::cdr::Decoder in(bytes.data(), bytes.size(), false);
  Any any;
  orbweaver::cdr::decode(in, any);
  EXPECT_TRUE(in.ok()) << hex;
  return any;
}

/// Executes a script on the DynAnys of this ORB; the same as the program of omniORB.
class Interpreter {
 public:
  std::string execute(const std::string& line) {
    std::istringstream words(line);
    std::string operation, argument;
    words >> operation >> argument;
    try {
      return result_of(operation, argument);
    } catch (const CORBA::Exception& e) {
      const std::string name = e._name();
      return name.substr(name.rfind(':') + 1);
    }
  }

  /// Whether two encoded anys have one type and value.
  bool same_value(const std::string& a, const std::string& b) {
    return factory_->create_dyn_any(any_from(a))->equal(factory_->create_dyn_any(any_from(b)));
  }

 private:
  DynAny& at() const { return *path_.back(); }
  template <class T>
  typename IDL::traits<T>::ref_type as() const {
    return IDL::traits<T>::narrow(path_.back());
  }

  std::string result_of(const std::string& operation, const std::string& argument) {
    if (operation == "any") {
      path_.assign(1, factory_->create_dyn_any(any_from(argument)));
    } else if (operation == "initial") {
      path_.assign(1, factory_->create_dyn_any_from_type_code(path_.front()->type()));
    } else if (operation == "root") {
      path_.resize(1);
    } else if (operation == "down") {
      const Ref component = at().current_component();
      if (component == nullptr) return "nil";
      path_.push_back(component);
    } else if (operation == "count") {
      return std::to_string(at().component_count());
    } else if (operation == "seek") {
      return std::to_string(at().seek(std::stoi(argument)));
    } else if (operation == "next") {
      return std::to_string(at().next());
    } else if (operation == "get_long") {
      return std::to_string(at().get_long());
    } else if (operation == "insert_long") {
      at().insert_long(std::stoi(argument));
    } else if (operation == "get_short") {
      return std::to_string(at().get_short());
    } else if (operation == "insert_short") {
      at().insert_short(static_cast<std::int16_t>(std::stoi(argument)));
    } else if (operation == "get_double") {
      return std::to_string(at().get_double());
    } else if (operation == "insert_double") {
      at().insert_double(std::stod(argument));
    } else if (operation == "get_string") {
      return at().get_string();
    } else if (operation == "insert_string") {
      at().insert_string(argument);
    } else if (operation == "name") {
      if (const auto members = as<DynamicAny::DynStruct>()) return members->current_member_name();
    } else if (operation == "length") {
      if (const auto elements = as<DynamicAny::DynSequence>()) {
        if (!argument.empty()) elements->set_length(static_cast<std::uint32_t>(std::stoul(argument)));
        return std::to_string(elements->get_length());
      }
    } else if (operation == "enum") {
      if (const auto value = as<DynamicAny::DynEnum>()) {
        if (!argument.empty()) value->set_as_ulong(static_cast<std::uint32_t>(std::stoul(argument)));
        return value->get_as_string();
      }
    } else if (operation == "value") {
      return hex_of(at().to_any());
    } else if (const auto either = as<DynamicAny::DynUnion>()) {
      if (operation == "default") either->set_to_default_member();
      if (operation == "none") either->set_to_no_active_member();
      if (operation == "has_none") return std::to_string(either->has_no_active_member());
      if (operation == "is_default") return std::to_string(either->is_set_to_default_member());
      if (operation == "member_name") return either->member_name();
    }
    return "";
  }

  IDL::traits<DynamicAny::DynAnyFactory>::ref_type factory_ = IDL::traits<DynamicAny::DynAnyFactory>::narrow(
      CORBA::ORB_init()->resolve_initial_references("DynAnyFactory"));
  std::vector<Ref> path_;
};

template <class T>
Any any_of(const T& value) {
  Any any;
  any <<= value;
  return any;
}

std::vector<Any> values() {
  Interop::Record record;
  record.label("label");
  record.aliases({"one", "", "seventeen letters"});
  record.path({{1.5, -2.5}, {3, 4}});
  record.cells()[1][2] = 7;
  record.few({1, 2, 3});
  Interop::Shape shape;
  shape.labels({"a", "b"});
  const Interop::Tree leaf("leaf", any_of(2.5), {});
  return {any_of(record), any_of(shape), any_of(Interop::Tree("root", any_of(leaf), {leaf, leaf}))};
}

std::vector<std::string> random_script(std::mt19937& random) {
  static const std::vector<Any> all = values();
  const auto below = [&](std::size_t n) { return random() % n; };
  const auto number = [&](std::size_t n) { return std::to_string(below(n)); };
  std::vector<std::string> script{"any " + hex_of(all[below(all.size())])};
  if (below(3) == 0) script.push_back("initial");
  for (int i = 0; i < 60; ++i) {
    switch (below(22)) {
      case 0: script.push_back("seek " + std::to_string(static_cast<int>(below(8)) - 1)); break;
      case 1:
      case 2: script.push_back("next"); break;
      case 3:
      case 4:
      // omniORB's sequences within others begin without a current component.
      case 5: script.insert(script.end(), {"down", "seek 0"}); break;
      case 6: script.push_back("root"); break;
      case 7: script.push_back("get_long"); break;
      case 8: script.push_back("insert_long " + number(1000)); break;
      case 9: script.push_back("get_short"); break;
      case 10: script.push_back("insert_short " + number(1000)); break;
      case 11: script.push_back("get_double"); break;
      case 12: script.push_back("insert_double " + number(1000)); break;
      case 13: script.push_back("get_string"); break;
      case 14: script.push_back("insert_string text" + number(1000)); break;
      case 15: script.push_back("name"); break;
      // Components that no longer exist are not used: omniORB keeps some of them.
      case 16: script.insert(script.end(), {"length " + number(6), "count", "get_long", "root"}); break;
      case 17: script.insert(script.end(), {"enum " + number(3), "root"}); break;
      case 18: script.insert(script.end(), {"default", "get_long", "is_default", "root"}); break;
      case 19: script.insert(script.end(), {"none", "has_none", "member_name", "root"}); break;
      case 20: script.insert(script.end(), {"has_none", "is_default", "member_name"}); break;
      default: script.push_back("count"); break;
    }
  }
  script.insert(script.end(), {"root", "value"});
  return script;
}

TEST(DynAnysOfOmniOrb, BehaveTheSame) {
  const orbweaver::TemporaryFolder folder("interop-dynany");
  std::mt19937 random(1);
  for (int i = 0; i < 8; ++i) {
    std::vector<std::string> script;
    for (int k = 0; k < 25; ++k) {
      const auto more = random_script(random);
      script.insert(script.end(), more.begin(), more.end());
    }
    const std::string file = (folder.path() / "script").string();
    {
      std::ofstream out(file);
      for (const std::string& line : script) out << line << '\n';
    }
    const ProgramResult theirs = run_program(sibling_program("interop-omniorb-dynany"), {file});
    ASSERT_EQ(theirs.status, 0) << theirs.output;
    std::istringstream results(theirs.output);
    Interpreter interpreter;
    std::string context;
    for (const std::string& line : script) {
      if (line.compare(0, 4, "any ") == 0) context.clear();
      std::string expected;
      std::getline(results, expected);
      const std::string found = interpreter.execute(line);
      context += "\n" + line.substr(0, 40) + " -> " + found.substr(0, 60);
      if (line != "value") {
        // omniORB inserts into the discriminator of a union by no function of DynAny, whatever its type.
        const bool into_discriminator =
            line.rfind("insert_", 0) == 0 && found == "TypeMismatch" && expected == "InvalidValue";
        if (!into_discriminator) {
          ASSERT_EQ(found, expected) << context;
        }
        continue;
      }
      // TypeCodes, also those of anys within the value, may be encoded in several ways.
      EXPECT_TRUE(interpreter.same_value(found, expected)) << context << "\nexpected " << any_from(expected);
    }
  }
}

}  // namespace
}  // namespace interop
