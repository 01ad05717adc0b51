import Interop.Colour;
import Interop.Point;
import Interop.Record;
import InteropTypes.Basics;

/** Structs, sequences, arrays and recursive types. */
final class StructChecks {
  private StructChecks() {}

  static void add(Checks checks, Peer peer) {
    Passing passing = new Passing(checks, peer);
    checks.group("structs");
    passing.add("of_all_basic_types", "pass_basics", Samples.basics(0), Samples.basics(1), Samples.basics(8));
    passing.add("in_sequences", "pass_many_basics", Samples.manyBasics(0), Samples.manyBasics(1),
        Samples.manyBasics(300));
    passing.add("nested", "pass_outer", Samples.outer(0), Samples.outer(3), Samples.outer(6));
    passing.add("with_sequences", "pass_sequences", Samples.noSequences(), Samples.sequences());
    checks.add("of_a_workshop", () -> {
      Checks.same(record(1), peer.workshop.echo_record(record(1)));
      Record[] records = new Record[300];
      for (int i = 0; i < records.length; ++i) records[i] = record(i);
      Checks.same(records, peer.workshop.echo_records(records));
    });

    checks.group("arrays");
    passing.add("of_doubles", "pass_matrix", Samples.matrix(1), Samples.matrix(2));
    passing.add("of_strings", "pass_words", new String[] {"", "a", "three"},
        new String[] {"1", "", "\u00e9"});
    passing.add("of_structs", "pass_basics_pair", new Basics[] {Samples.basics(1), Samples.basics(2)},
        new Basics[] {Samples.basics(3), Samples.basics(8)});
    passing.add("in_structs", "pass_arrays", Samples.arrays(0), Samples.arrays(3), Samples.arrays(6));
    checks.add("of_the_wrong_length_are_rejected", () -> Checks.raises(org.omg.CORBA.SystemException.class,
        () -> passing.pass("pass_words", new String[] {"one"}, new String[] {"1", "2", "3"})));
    checks.add("of_a_workshop", () -> {
      short[][] grid = {{1, 2, 3}, {-4, -5, Short.MIN_VALUE}};
      Checks.same(grid, peer.workshop.echo_grid(grid));
    });

    checks.group("recursive");
    passing.add("structs", "pass_branch", Samples.branch(0), Samples.branch(3), Samples.branch(6));
    passing.add("deep_structs", "pass_branch", Samples.chain(60), Samples.chain(61));
    passing.add("unions", "pass_term", Samples.number(-0.0), Samples.name(""), Samples.operands(),
        Samples.term());
  }

  static Record record(int n) {
    return new Record((byte) 0xfe, 1.0 / 3, true, (short) -12345, 'q', -0x123456789abcdefL,
        0xfedcba9876543210L, "p".repeat(n % 9), 0.1f, Colour.blue, (short) 65535,
        new String[] {"one", "", "seventeen letters"},
        new Point[] {new Point(1.5, -2.5), new Point(1e300, -1e-300)},
        new short[][] {{0, -1, -2}, {10, 9, 8}}, new int[] {0, -1, -2, Integer.MIN_VALUE});
  }
}
