#pragma once

#include <string>
#include <vector>

#include "idlc/cpp/constructs.h"

/// The lines that move one call's values to and from CDR; stubs and skeletons differ only in which they use
/// where.
namespace orbweaver::idl::cpp {

bool travels_in(const ir::Parameter& parameter);   // with the request
bool travels_out(const ir::Parameter& parameter);  // with the reply

/// "::orbweaver::cdr::encode(_out, text);"
std::string encode_line(const ir::Parameter& parameter, const std::string& expression);
/// "::orbweaver::cdr::decode(_in, text);"
std::string decode_line(const ir::Parameter& parameter, const std::string& expression);
/// The bounds of several expressions added up: "0" where there are none. Lines after the first are moved
/// right by `spaces`.
std::string bound_sum(const std::vector<std::string>& expressions, int spaces);

}  // namespace orbweaver::idl::cpp
