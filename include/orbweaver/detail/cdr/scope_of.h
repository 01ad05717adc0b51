#pragma once

// Scopes of values, for generated code; not for users.

#include <type_traits>

#include <orbweaver/detail/cdr/codec.h>

namespace orbweaver::cdr {

/// `Scope` of the first of these types that holds values of value types; one of them does: see HoldsValues.
template <class T, class... More>
struct ScopeOfAny : std::conditional_t<HoldsValues<T>::value, HoldsValues<T>, ScopeOfAny<More...>> {};
template <class T>
struct ScopeOfAny<T> : HoldsValues<T> {};

/// Whether one of these types holds values of value types.
template <class... Types>
inline constexpr bool kHoldValues = (false || ... || HoldsValues<Types>::value);

}  // namespace orbweaver::cdr
