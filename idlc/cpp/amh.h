#pragma once

#include <string>

#include "idlc/ir/ir.h"

/// Text generators for servants that answer later (--amh): as those of constructs.h.
namespace orbweaver::idl::cpp {

/// Whether an interface has such a skeleton: it is not local, abstract or built in.
bool has_amh(const ir::Interface& decl);
std::string amh_skeleton(const ir::Interface& decl);         // fooS.h, in namespace POA
std::string amh_traits(const ir::Interface& decl);           // fooS.h, in namespace CORBA
std::string amh_declared(const ir::Interface& decl);         // fooS.h
std::string amh_serve_functions(const ir::Interface& decl);  // fooS.cpp
std::string amh_dispatch(const ir::Interface& decl);         // fooS.cpp, in namespace POA

}  // namespace orbweaver::idl::cpp
