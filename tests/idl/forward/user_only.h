#pragma once

#include "userC.h"

namespace user_only {

bool is_nil(IDL::traits<Forward::Far>::ref_type far);
IDL::traits<Forward::Far>::ref_type passed_on(IDL::traits<Forward::User>::ref_type user,
                                              IDL::traits<Forward::Far>::ref_type far);
IDL::traits<Forward::Far>::ref_type nil_from(IDL::traits<Forward::User>::ref_type user);
Forward::Holder held(IDL::traits<Forward::Far>::ref_type far);

}  // namespace user_only
