/** Unions over every discriminator. */
final class UnionChecks {
  private UnionChecks() {}

  static void add(Checks checks, Peer peer) {
    Passing passing = new Passing(checks, peer);
    checks.group("unions");
    passing.add("by_boolean", "pass_by_boolean", (Object[]) UnionSamples.byBoolean());
    passing.add("by_a_boolean_without_false", "pass_by_one_boolean", (Object[]) UnionSamples.byOneBoolean());
    passing.add("by_char", "pass_by_char", (Object[]) UnionSamples.byChar());
    passing.add("by_short", "pass_by_short", (Object[]) UnionSamples.byShort());
    passing.add("by_unsigned_short", "pass_by_ushort", (Object[]) UnionSamples.byUShort());
    passing.add("by_long", "pass_by_long", (Object[]) UnionSamples.byLong());
    passing.add("by_unsigned_long", "pass_by_ulong", (Object[]) UnionSamples.byULong());
    passing.add("by_long_long", "pass_by_longlong", (Object[]) UnionSamples.byLongLong());
    passing.add("by_unsigned_long_long", "pass_by_ulonglong", (Object[]) UnionSamples.byULongLong());
    passing.add("by_enum", "pass_by_suit", (Object[]) UnionSamples.bySuit());
    checks.add("without_a_member", () -> {
      passing.passes("pass_by_short", UnionSamples.noShort());
      passing.passes("pass_by_ulong", UnionSamples.noULong());
      passing.passes("pass_by_longlong", UnionSamples.noLongLong());
    });
    passing.add("in_structs", "pass_unions", (Object[]) UnionSamples.unions());
  }
}
