import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Checks that fail because of known faults of JacORB or GlassFish's ORB, with the reason. Those of servers
 * that Orbweaver calls are in known_faults.cmake; docs/interoperability.md describes them.
 */
final class KnownFaults {
  private static final String BYTE_ORDER_MARK = "it takes a leading U+FEFF for a byte-order mark";
  private static final String LATIN_1_IN_ANYS =
      "it copies strings of anys in ISO 8859-1, unless the any has nothing else";
  private static final String NO_CODE_SETS = "in GIOP 1.0, which negotiates no code set, it sends ISO 8859-1";

  private final Map<String, String> always = new HashMap<>();
  private final Set<String> sometimes = new HashSet<>();

  /** Those of this client's ORB, and those of the server's ORB. */
  KnownFaults(String server) {
    addOfBoth(server);
    if (Vendor.NAME.equals("jacorb")) addOfJacorb(server);
    if (Vendor.NAME.equals("glassfish")) addOfGlassfish(server);
  }

  /** Those of JacORB's IDL compiler, which generates the code for both, and one that both have. */
  private void addOfBoth(String server) {
    always.put("unions.without_a_member", "generated code loses the discriminator");
    always.put("anys.of_recursive_unions",
        "the TypeCode of a struct that contains itself through a union has an inner struct without members");
    // Orbweaver accepts it, and returns TypeCodes as they are in GIOP 1.2.
    if (!server.equals("orbweaver") || Orbs.GIOP.equals("1.2")) return;
    String label = "the label of a default case is encoded as an octet, not as a discriminator";
    always.put("anys.of_unions_by_unsigned_long_long", label);
    always.put("typecodes.of_unions_are_returned", label);
  }

  private void addOfJacorb(String server) {
    if (Orbs.GIOP.equals("1.2"))
      always.put("wide.strings_that_begin_with_a_byte_order_mark", BYTE_ORDER_MARK);
    if (Orbs.GIOP.equals("1.2") && server.equals("jacorb"))
      always.put("wide.byte_order_marks", BYTE_ORDER_MARK);
    if (Orbs.GIOP.equals("1.1")) {
      always.put("wide.in_structs", "it reads wide characters of GIOP 1.1 without their alignment");
      always.put("anys.of_structs_with_wide_strings", "as wide.in_structs");
    }
  }

  private void addOfGlassfish(String server) {
    always.put("references.of_corbalocs_are_resolved",
        "it decodes octets beyond 0x7f of an object key as UTF-8");
    always.put("anys.of_sequences_of_strings_of_other_alphabets", LATIN_1_IN_ANYS);
    if (Orbs.GIOP.equals("1.0")) {
      always.put("strings.of_other_alphabets", NO_CODE_SETS);
      always.put("anys.of_strings_of_other_alphabets", NO_CODE_SETS);
    }
    if (Orbs.GIOP.equals("1.1"))
      always.put("wide.strings_that_begin_with_a_byte_order_mark", BYTE_ORDER_MARK);
    if (server.equals("glassfish")) {
      always.put("references.are_narrowed", "its objects do not know the repository id of CORBA::Object");
      sometimes.add("calls.keep_the_order_of_one_ways");  // served by several threads
    }
  }

  /** Null if the check has no known fault. */
  String reason(String check) {
    return always.get(check);
  }

  /** Whether the result of the check depends on the timing in an ORB. */
  boolean depends(String check) {
    return sometimes.contains(check);
  }
}
