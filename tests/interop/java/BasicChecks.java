import InteropTypes.Suit;

/** Basic types at their limits. */
final class BasicChecks {
  private BasicChecks() {}

  static void add(Checks checks, Peer peer) {
    Passing passing = new Passing(checks, peer);
    checks.group("basic");
    passing.add("booleans", "pass_boolean", true, false);
    passing.add("chars", "pass_char", 'a', '\0', '\u0001', '~', '\u007f');
    passing.add("octets", "pass_octet", (byte) 0, (byte) 1, Byte.MAX_VALUE, Byte.MIN_VALUE, (byte) -1);
    passing.add("shorts", "pass_short", (short) 0, (short) 1, (short) -1, Short.MAX_VALUE, Short.MIN_VALUE,
        (short) 0x0102);
    passing.add("unsigned_shorts", "pass_ushort", (short) 0, (short) 1, (short) -1, Short.MAX_VALUE,
        Short.MIN_VALUE);
    passing.add("longs", "pass_long", 0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x01020304);
    passing.add("unsigned_longs", "pass_ulong", 0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE);
    passing.add("long_longs", "pass_longlong", 0L, 1L, -1L, Long.MAX_VALUE, Long.MIN_VALUE,
        0x0102030405060708L);
    passing.add("unsigned_long_longs", "pass_ulonglong", 0L, 1L, -1L, Long.MAX_VALUE, Long.MIN_VALUE);
    passing.add("floats", "pass_float", 0f, -0f, 1f / 3, -1f, Float.MAX_VALUE, -Float.MAX_VALUE,
        Float.MIN_VALUE, Float.MIN_NORMAL);
    passing.add("floats_that_are_no_numbers", "pass_float", Float.NaN, Float.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY);
    passing.add("doubles", "pass_double", 0.0, -0.0, 1.0 / 3, -1.0, Double.MAX_VALUE, -Double.MAX_VALUE,
        Double.MIN_VALUE, Double.MIN_NORMAL);
    passing.add("doubles_that_are_no_numbers", "pass_double", Double.NaN, Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY);
    passing.add("enumerators", "pass_suit", Suit.clubs, Suit.diamonds, Suit.hearts, Suit.spades);
  }
}
