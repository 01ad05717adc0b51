import InteropTypes.Arrays;
import InteropTypes.Basics;
import InteropTypes.Branch;
import InteropTypes.Inner;
import InteropTypes.Middle;
import InteropTypes.TermPackage.Operand;
import InteropTypes.Outer;
import InteropTypes.Sequences;
import InteropTypes.Suit;
import InteropTypes.Term;
import java.util.function.Consumer;

/** Values of types.idl; `n` varies them, and the alignment of what follows strings. */
final class Samples {
  private Samples() {}

  static Basics basics(int n) {
    return new Basics(n % 2 == 0, n / 7.0, (char) ('a' + n % 26), Long.MIN_VALUE + n, (byte) (255 - n),
        -1L - n, (short) (Short.MIN_VALUE + n), Float.MIN_VALUE * n, (short) -n, Integer.MIN_VALUE + n,
        "t".repeat(n % 9), -1 - n, Suit.from_int(n % 4));
  }

  static Basics[] manyBasics(int count) {
    Basics[] all = new Basics[count];
    for (int i = 0; i < count; ++i) all[i] = basics(i);
    return all;
  }

  static Sequences noSequences() {
    return new Sequences(new boolean[0], new char[0], new byte[0], new short[0], new short[0], new int[0],
        new int[0], new long[0], new long[0], new float[0], new double[0], new String[0], new Suit[0],
        new int[0][], new String[0]);
  }

  static Sequences sequences() {
    return new Sequences(new boolean[] {true, false, true}, new char[] {'a', '\0', '~'},
        new byte[] {0, 1, -1, Byte.MIN_VALUE, Byte.MAX_VALUE},
        new short[] {0, -1, Short.MIN_VALUE, Short.MAX_VALUE, 1}, new short[] {-1, 0, 1},
        new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}, new int[] {-1},
        new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}, new long[] {-1},
        new float[] {0, -0f, Float.NaN, Float.NEGATIVE_INFINITY, Float.MAX_VALUE},
        new double[] {0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.MIN_VALUE},
        new String[] {"", "a", "two", "\u00fc"}, new Suit[] {Suit.spades, Suit.clubs},
        new int[][] {{}, {1}, {2, 3, 4}}, new String[] {"", "1", "12345678"});
  }

  static double[][] matrix(int n) {
    return new double[][] {{n, -n, 0.5}, {Double.MAX_VALUE, Double.NaN, Double.NEGATIVE_INFINITY}};
  }

  static Arrays arrays(int n) {
    return new Arrays((byte) n, new long[] {Long.MIN_VALUE, n}, new char[][] {{'a', 'b'}, {'c', '\0'}},
        new boolean[] {true, false, true}, new String[] {"w".repeat(n), "", "word"},
        new short[] {Short.MIN_VALUE, 0, (short) n}, matrix(n), new Suit[] {Suit.diamonds, Suit.hearts},
        new int[][] {{n}, {}}, new byte[] {1, 2, 3, -4, -5});
  }

  static Inner inner(int n) {
    return new Inner((byte) n, n / 3.0, n % 2 == 0 ? new String[0] : new String[] {"i".repeat(n), ""});
  }

  static Middle middle(int n) {
    return new Middle(n % 2 == 0, inner(n), new Inner[] {inner(n + 1), inner(n + 2)});
  }

  static Outer outer(int n) {
    return new Outer('o', middle(n), (byte) -n, middle(n + 1));
  }

  static Branch branch(int depth) {
    Branch[] branches = new Branch[depth == 0 ? 0 : 2];
    for (int i = 0; i < branches.length; ++i) branches[i] = branch(depth - 1 - i % depth);
    return new Branch((short) -depth, branches, "b".repeat(depth));
  }

  /** A chain of branches. */
  static Branch chain(int length) {
    Branch last = new Branch((short) 0, new Branch[0], "end");
    for (int i = 1; i < length; ++i) last = new Branch((short) i, new Branch[] {last}, "x".repeat(i % 5));
    return last;
  }

  private static Term term(Consumer<Operand> set) {
    Operand value = new Operand();
    set.accept(value);
    return new Term((byte) 1, value);
  }

  static Term number(double value) {
    return term(operand -> operand.number(value));
  }

  static Term name(String value) {
    return term(operand -> operand.name(value));
  }

  static Term operands(Term... value) {
    return term(operand -> operand.operands(value));
  }

  static Term term() {
    return operands(number(1), operands(name("x"), operands(), number(Double.NaN)), name("y"));
  }
}
