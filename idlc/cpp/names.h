#pragma once

#include <string>

#include "idlc/ir/ir.h"

/// C++ names of IDL names and types (IDL to C++11, 6.1 to 6.13).
namespace orbweaver::idl::cpp {

/// An IDL name as a C++ identifier: C++ keywords, the C library's macros and `std` get the prefix _cxx_.
std::string identifier(std::string_view name);
/// The C++ identifier of a declaration. It has the prefix _cxx_ if its name is in use: at global scope by the
/// C library or a namespace of the run time, in modules orbweaver and IDL by a declaration of the run time,
/// anywhere by `swap`.
std::string identifier(const ir::Declaration& declaration);
/// Whether the run time declares this name in its namespace `space` ("CORBA", "orbweaver").
bool run_time_declares(std::string_view space, std::string_view name);
/// Whether this is a native type for which the run time has a class: CORBA::ORB, CORBA::Context,
/// CORBA::AbstractBase, PortableServer::Servant.
bool is_run_time_native(const ir::Declaration& declaration);
/// Whether the run time has the class of this value box or abstract interface: CORBA::StringValue,
/// CORBA::WStringValue, CORBA::AbstractBase.
bool is_run_time_value(const ir::Declaration& declaration);
/// Whether <orbweaver/builtin_types.h> has the C++ of this data type of the built-in IDL.
bool is_run_time_data(const ir::Declaration& declaration);
/// The fully qualified C++ name: "::Test::Echo".
std::string qualified(const ir::Declaration& declaration);
/// The C++ namespace: "Test" for ::Test::Echo, empty at global scope. Enclosing interfaces are not part of
/// it.
std::string namespace_of(const ir::Declaration& declaration);
/// The name relative to its C++ namespace: "Echo::Colour" for a type within an interface.
std::string name_in_namespace(const ir::Declaration& declaration);
/// The fully qualified name of an interface's skeleton: "::POA::Test::Echo".
std::string skeleton(const ir::Interface& interface);
/// The namespace of an interface's operation descriptions: "orbweaver::generated::Test::Echo".
std::string operations_namespace(const ir::Interface& interface);

/// The C++ type of a value: "std::vector<::Test::Sample>", "::Test::Doubles".
std::string type_name(const ir::Type& type);
/// The C++ type of a constant. That of a `const fixed` has the digits and the scale of its value.
std::string type_name(const ir::Constant& constant);
/// The C++ type of a @view: "::orbweaver::span<const double>".
std::string view_name(const ir::Type& type);
/// The type of an `in` parameter: "const std::string&", "std::int32_t".
std::string in_type(const ir::Type& type);
std::string parameter_type(const ir::Parameter& parameter);

/// Whether the type is a number, boolean, character or enum: passed by value as an `in` parameter.
bool is_scalar(const ir::Type& type);
bool is_reference(const ir::Type& type);  // of an object or a value
/// The initialiser of a member: " = 0", " = ::Test::Colour::RED" or nothing.
std::string initialiser(const ir::Type& type);
/// A value as a C++ expression.
std::string literal(const ir::Value& value, const ir::Type& type);
/// Text as a C++ string literal, with its quotes.
std::string string_literal(std::string_view text);

}  // namespace orbweaver::idl::cpp
