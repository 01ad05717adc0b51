import InteropTypes.Wides;

/** Strings and wide strings. */
final class StringChecks {
  private static final String GRIN = "\ud83d\ude00";  // U+1F600
  private static final String LAST = "\udbff\udfff";  // U+10FFFF

  private StringChecks() {}

  static void add(Checks checks, Peer peer) {
    Passing passing = new Passing(checks, peer);
    checks.group("strings");
    checks.add("of_every_length_around_alignment", () -> {
      for (int length = 0; length < 40; ++length)
        passing.pass("pass_string", "x".repeat(length), "y".repeat(40 - length));
    });
    passing.add("long_ones", "pass_string", "x".repeat(255), "y".repeat(8192), "z".repeat(100_000));
    passing.add("of_other_alphabets", "pass_string", "Z\u00fcrich, 3 \u00b5s", "\u20ac\u00a0\u4e2d\u6587",
        GRIN + LAST + "a" + GRIN);
    passing.add("bounded", "pass_short_text", "", "1", "12345678");
    checks.add("beyond_the_bound_are_rejected", () -> Checks.raises(org.omg.CORBA.SystemException.class,
        () -> passing.pass("pass_short_text", "123456789", "")));
    checks.add("of_a_workshop", () -> {
      for (String text : new String[] {"", "a", "left", "\u00e9t\u00e9", "x".repeat(70_000)})
        Checks.same(text, peer.workshop.echo_string(text));
    });

    if (Orbs.GIOP.equals("1.0")) return;  // it has no wide characters
    checks.group("wide");
    passing.add("characters", "pass_wchar", 'a', '\0', '\u00e9', '\u20ac', '\uffff', '\ud7ff', '\ue000');
    passing.add("byte_order_marks", "pass_wchar", '\ufeff', '\ufffe');
    passing.add("empty_strings", "pass_wstring", "", "");
    checks.add("strings_of_every_length_around_alignment", () -> {
      for (int length = 1; length < 20; ++length)
        passing.pass("pass_wstring", "\u20ac".repeat(length), "y".repeat(20 - length));
    });
    passing.add("long_strings", "pass_wstring", "\u20ac".repeat(8192), "z".repeat(100_000));
    passing.add("strings_beyond_the_basic_plane", "pass_wstring", GRIN, "a" + LAST + "b", GRIN + GRIN + LAST);
    passing.add("strings_that_begin_with_a_byte_order_mark", "pass_wstring", "\ufeffa", "\ufffea");
    passing.add("in_structs", "pass_wides", new Wides[0], wides("", 'a'), wides("b", '\u20ac'),
        wides("\u20ac" + GRIN, '\uffff'));
  }

  private static Object wides(String text, char letter) {
    Wides[] all = new Wides[8];
    for (int i = 0; i < all.length; ++i)
      all[i] = new Wides((byte) i, letter, (byte) -i, text + "w".repeat(i), i / 3.0);
    return all;
  }
}
