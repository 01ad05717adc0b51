// The values that the machines pass to each other, and their text, which is the same on every machine.
#pragma once

#include <string>

#include "foreignS.h"

namespace foreign {

/// Every type at its lowest and its highest value; long doubles that every machine can represent.
Foreign::Numbers lowest();
Foreign::Numbers highest();
/// Infinities, zeros and the smallest numbers.
Foreign::Numbers special();
/// One of each case.
Foreign::Choices choices();
Foreign::Table table();
/// Three nodes; the second is in the content of the first, too. Contents: a struct, a union, a sequence.
IDL::traits<Foreign::Node>::ref_type nodes();

std::string text(const Foreign::Numbers& n);
std::string text(const Foreign::Choices& c);
std::string text(const Foreign::Table& t);
/// Of the types above, of numbers and of strings; "?" of others.
std::string text(const CORBA::Any& a);
std::string text(const IDL::traits<Foreign::Node>::ref_type& n);

/// "32-bit big-endian"
std::string this_machine();

}  // namespace foreign
