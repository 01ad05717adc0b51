// Uses an interface whose definition is not included: only the code generated from user.idl is visible here.
#include "user_only.h"

#include <utility>

namespace ahead {

bool is_nil(IDL::traits<Ahead::Far>::ref_type far) { return far == nullptr; }

IDL::traits<Ahead::Far>::ref_type passed_on(IDL::traits<Ahead::User>::ref_type user,
                                            IDL::traits<Ahead::Far>::ref_type far) {
  return user->same(std::move(far));
}

IDL::traits<Ahead::Far>::ref_type nil_from(IDL::traits<Ahead::User>::ref_type user) {
  return user->same(nullptr);
}

Ahead::Holder held(IDL::traits<Ahead::Far>::ref_type far) { return Ahead::Holder("held", std::move(far)); }

}  // namespace ahead
