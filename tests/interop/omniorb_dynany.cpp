// interop-omniorb-dynany FILE: executes a script on omniORB's DynAnys, and prints the result of each line
// (dynany_test.cpp).
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <omniORB4/CORBA.h>

namespace {

using DynamicAny::DynAny;

std::string text_of(char* owned) {
  const CORBA::String_var text = owned;
  return text.in();
}

CORBA::Any any_from(const std::string& hex) {
  cdrMemoryStream stream;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    stream.marshalOctet(static_cast<CORBA::Octet>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  CORBA::Any any;
  any <<= stream;
  return any;
}

std::string hex_of(const CORBA::Any& any) {
  cdrMemoryStream stream;
  any >>= stream;
  std::string hex;
  const auto* const bytes = static_cast<const unsigned char*>(stream.bufPtr());
  for (CORBA::ULong i = 0; i < stream.bufSize(); ++i) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    hex += digits;
  }
  return hex;
}

class Interpreter {
 public:
  explicit Interpreter(DynamicAny::DynAnyFactory_ptr factory)
      : factory_(DynamicAny::DynAnyFactory::_duplicate(factory)) {}

  /// The result of a line, or the name of the exception that it raises.
  std::string execute(const std::string& line) {
    std::istringstream words(line);
    std::string operation, argument;
    words >> operation >> argument;
    try {
      return result_of(operation, argument);
    } catch (const CORBA::Exception& e) {
      return e._name();
    }
  }

 private:
  DynAny& at() const { return *path_.back().in(); }
  template <class T>
  typename T::_var_type as() const {
    return T::_narrow(path_.back().in());
  }

  std::string result_of(const std::string& operation, const std::string& argument) {
    if (operation == "any") {
      const CORBA::Any any = any_from(argument);
      path_.assign(1, DynamicAny::DynAny_var(factory_->create_dyn_any(any)));
    } else if (operation == "initial") {
      const CORBA::TypeCode_var type = path_.front()->type();
      path_.assign(1, DynamicAny::DynAny_var(factory_->create_dyn_any_from_type_code(type)));
    } else if (operation == "root") {
      path_.resize(1);
    } else if (operation == "down") {
      DynamicAny::DynAny_var component = at().current_component();
      if (CORBA::is_nil(component)) return "nil";
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
      at().insert_short(static_cast<CORBA::Short>(std::stoi(argument)));
    } else if (operation == "get_double") {
      return std::to_string(at().get_double());
    } else if (operation == "insert_double") {
      at().insert_double(std::stod(argument));
    } else if (operation == "get_string") {
      return text_of(at().get_string());
    } else if (operation == "insert_string") {
      at().insert_string(argument.c_str());
    } else if (operation == "name") {
      if (const DynamicAny::DynStruct_var members = as<DynamicAny::DynStruct>(); !CORBA::is_nil(members))
        return text_of(members->current_member_name());
    } else if (operation == "length") {
      if (const DynamicAny::DynSequence_var elements = as<DynamicAny::DynSequence>();
          !CORBA::is_nil(elements)) {
        if (!argument.empty()) elements->set_length(static_cast<CORBA::ULong>(std::stoul(argument)));
        return std::to_string(elements->get_length());
      }
    } else if (operation == "enum") {
      if (const DynamicAny::DynEnum_var value = as<DynamicAny::DynEnum>(); !CORBA::is_nil(value)) {
        if (!argument.empty()) value->set_as_ulong(static_cast<CORBA::ULong>(std::stoul(argument)));
        return text_of(value->get_as_string());
      }
    } else if (operation == "value") {
      const CORBA::Any_var any = at().to_any();
      return hex_of(any);
    } else {
      return union_result_of(operation);
    }
    return "";
  }

  std::string union_result_of(const std::string& operation) const {
    const DynamicAny::DynUnion_var either = as<DynamicAny::DynUnion>();
    if (CORBA::is_nil(either)) return "";
    if (operation == "default") either->set_to_default_member();
    if (operation == "none") either->set_to_no_active_member();
    if (operation == "has_none") return std::to_string(either->has_no_active_member());
    if (operation == "is_default") return std::to_string(either->is_set_to_default_member());
    if (operation == "member_name") return text_of(either->member_name());
    return "";
  }

  DynamicAny::DynAnyFactory_var factory_;
  std::vector<DynamicAny::DynAny_var> path_;  // the value, and the component of each one before
};

}  // namespace

int main(int argc, char** argv) {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  const CORBA::Object_var found = orb->resolve_initial_references("DynAnyFactory");
  const DynamicAny::DynAnyFactory_var factory = DynamicAny::DynAnyFactory::_narrow(found);
  Interpreter interpreter(factory);
  std::ifstream script(argv[1]);
  for (std::string line; std::getline(script, line);) std::cout << interpreter.execute(line) << '\n';
}
