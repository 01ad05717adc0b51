#pragma once

#include "userC.h"

namespace ahead {

bool is_nil(IDL::traits<Ahead::Far>::ref_type far);
IDL::traits<Ahead::Far>::ref_type passed_on(IDL::traits<Ahead::User>::ref_type user,
                                            IDL::traits<Ahead::Far>::ref_type far);
IDL::traits<Ahead::Far>::ref_type nil_from(IDL::traits<Ahead::User>::ref_type user);
Ahead::Holder held(IDL::traits<Ahead::Far>::ref_type far);

}  // namespace ahead
