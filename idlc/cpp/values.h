#pragma once

#include <string>
#include <vector>

#include "idlc/ir/ir.h"

/// Generates the C++ of value types and value boxes (IDL to C++11, 6.18): the class of a type, its class with
/// the state in namespace OBV, and the base of its factories.
namespace orbweaver::idl::cpp {

/// The fully qualified name of the class that has the state of a value type: "::OBV::Test::Node".
std::string state_class(const ir::Value_& value);
/// The namespace of that class: "OBV::Test".
std::string state_namespace(const ir::Declaration& value);
/// Whether values of the type are marshalled by the program: custom itself, or derived from a custom type.
bool is_custom(const ir::Value_& value);

// fooC.h
std::string value_forward(const ir::Declaration& decl);        // "class Node;"
std::string value_state_forward(const ir::Declaration& decl);  // for state_namespace
std::string value_traits(const ir::Declaration& decl);         // for namespace IDL
/// `types`: the declarations nested in the value type.
std::string value_class(const ir::Value_& decl, const std::string& types);
std::string value_state(const ir::Value_& decl);  // for state_namespace
std::string value_box(const ir::ValueBox& decl, const std::string& types);
std::string value_codec(const ir::Declaration& decl);  // for namespace orbweaver::cdr

// fooC.cpp
std::string value_body(const ir::Declaration& decl);
std::string value_state_body(const ir::Value_& decl);  // for state_namespace

}  // namespace orbweaver::idl::cpp
