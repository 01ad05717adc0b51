#pragma once

#include <cstdint>
#include <type_traits>

namespace CORBA {
template <class T>
class object_reference;
/// For an interface: `base_type`, what its servants derive from, and `ref_type`, a reference to one.
template <class Interface>
struct servant_traits;
}  // namespace CORBA

namespace IDL {

/// How a type is passed (IDL to C++11, 6.27). Generated code specialises it for interfaces, which have
/// `ref_type` and `narrow`; for everything else the primary template says it all.
template <class T, class Enable = void>
struct traits {
  using value_type = T;
  using in_type = std::conditional_t<std::is_arithmetic_v<T> || std::is_enum_v<T>, T, const T&>;
  using out_type = T&;
  using inout_type = T&;
};

}  // namespace IDL
