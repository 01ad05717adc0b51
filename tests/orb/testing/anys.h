#pragma once

#include <orbweaver/any.h>

#include <sstream>
#include <string>

/// Helpers for tests with anys.
namespace orbtest {

template <class T>
CORBA::Any any_of(const T& value) {
  CORBA::Any any;
  any <<= value;
  return any;
}
template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace orbtest
