#pragma once

#include <string>

#include "idlc/ir/ir.h"

/// What IDL names and types are called in C++ (IDL to C++11, 6.1 to 6.13).
namespace orbweaver::idl::cpp {

/// An IDL name as a C++ identifier: C++ keywords, the C library's macros and `std` get the prefix _cxx_.
std::string identifier(std::string_view name);
/// The name of a declaration. Where it is taken in its scope the prefix is added: at global scope by the C
/// library or a namespace of the run time, in modules orbweaver and IDL by what the run time declares there,
/// everywhere by `swap`.
std::string identifier(const ir::Declaration& declaration);
/// Does the run time itself declare this name in its namespace `space` ("CORBA", "orbweaver")?
bool run_time_declares(std::string_view space, std::string_view name);
/// "::Test::Echo"
std::string qualified(const ir::Declaration& declaration);
/// "Test" for ::Test::Echo; empty at global scope. Interfaces count as part of the name, not as namespace.
std::string namespace_of(const ir::Declaration& declaration);
/// "Echo::Colour" for a type within an interface: its name as seen from its namespace.
std::string name_in_namespace(const ir::Declaration& declaration);
/// "::POA::Test::Echo"
std::string skeleton(const ir::Interface& interface);
/// "orbweaver::generated::Test::Echo": where an interface's operations are described.
std::string operations_namespace(const ir::Interface& interface);

/// The C++ type of a value: "std::vector<::Test::Sample>", "::Test::Doubles".
std::string type_name(const ir::Type& type);
/// Of a @view: "::orbweaver::span<const double>".
std::string view_name(const ir::Type& type);
/// How an `in` parameter is declared: "const std::string&", "std::int32_t".
std::string in_type(const ir::Type& type);
std::string parameter_type(const ir::Parameter& parameter);

/// Passed by value whatever the direction: numbers, booleans, characters, enums.
bool is_scalar(const ir::Type& type);
bool is_reference(const ir::Type& type);  // of an object
/// " = 0", " = ::Test::Colour::RED" or nothing: how a member is initialised.
std::string initialiser(const ir::Type& type);
/// A value written in C++.
std::string literal(const ir::Value& value, const ir::Type& type);
/// Text as a C++ string literal, with its quotes.
std::string quoted(std::string_view text);

}  // namespace orbweaver::idl::cpp
