// Uses an interface whose definition is not included: only the code generated from user.idl is visible here.
#include "user_only.h"

#include <utility>

namespace user_only {

bool is_nil(IDL::traits<Forward::Far>::ref_type far) { return far == nullptr; }

IDL::traits<Forward::Far>::ref_type passed_on(IDL::traits<Forward::User>::ref_type user,
                                              IDL::traits<Forward::Far>::ref_type far) {
  return user->same(std::move(far));
}

IDL::traits<Forward::Far>::ref_type nil_from(IDL::traits<Forward::User>::ref_type user) {
  return user->same(nullptr);
}

Forward::Holder held(IDL::traits<Forward::Far>::ref_type far) {
  return Forward::Holder("held", std::move(far));
}

}  // namespace user_only
