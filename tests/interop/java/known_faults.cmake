# Tests of interop_orbweaver_calls and interop_values_tests that fail because of a fault of the server's ORB.
# Faults that the clients find are in KnownFaults.java; docs/interoperability.md describes them.

# Code that JacORB's IDL compiler generates loses discriminators that select no member, or a default case.
# Both ORBs read the label of a default case in a TypeCode as an octet.
set(of_both OrbweaverPassesTypes.OfUnionsWithoutAMember
  OrbweaverPassesTypes.OfUnionsWithAnyDiscriminatorOfTheDefaultCase
  OrbweaverPassesTypes.OfUnionsByLongLongWithADefaultCaseInAnys)

# JacORB takes a leading U+FEFF for a byte-order mark, reads wide characters of GIOP 1.1 without their
# alignment, and does not skip the end tag of a value box in a value.
set(jacorb_server_faults ${of_both}
  OrbweaverPassesTypes.OfWideStringsThatBeginWithAByteOrderMark)
set(jacorb_server_faults_1.0 "")
set(jacorb_server_faults_1.1 OrbweaverPassesTypes.OfWideStrings)
set(jacorb_value_faults ForeignValues.ReturnsDerivedValuesWithBoxes)

# GlassFish's ORB serves the requests of a connection in any order, copies strings of anys in ISO 8859-1,
# takes a leading U+FEFF of GIOP 1.1 for a byte-order mark, and does not truncate a value if it has a class of
# the most derived type, even without a factory.
set(glassfish_server_faults ${of_both} OrbweaverCalls.KeepsTheOrderOfOneWays*
  OrbweaverPassesTypes.OfStringsOfOtherAlphabetsInAnys)
set(glassfish_server_faults_1.0 "")
set(glassfish_server_faults_1.1 OrbweaverPassesTypes.OfWideStringsThatBeginWithAByteOrderMark)
set(glassfish_value_faults ForeignValues.ReturnsTruncatedValues)

# As filters of GoogleTest.
foreach(vendor IN ITEMS jacorb glassfish)
  foreach(faults IN ITEMS server_faults server_faults_1.0 server_faults_1.1 value_faults)
    list(JOIN ${vendor}_${faults} ":" ${vendor}_${faults})
  endforeach()
endforeach()
