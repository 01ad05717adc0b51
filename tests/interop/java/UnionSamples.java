import InteropTypes.ByBoolean;
import InteropTypes.ByChar;
import InteropTypes.ByLong;
import InteropTypes.ByLongLong;
import InteropTypes.ByOneBoolean;
import InteropTypes.ByShort;
import InteropTypes.BySuit;
import InteropTypes.ByULong;
import InteropTypes.ByULongLong;
import InteropTypes.ByUShort;
import InteropTypes.Suit;
import InteropTypes.Unions;
import java.util.function.Consumer;

/**
 * Unions over every discriminator, with each member, each label of a member, and the default case with the
 * discriminator that generated code selects: it cannot set others. Code that JacORB's IDL compiler generated
 * also loses the discriminators of implicit default members, which are samples of their own.
 */
final class UnionSamples {
  private UnionSamples() {}

  private static <U> U with(U union, Consumer<U> set) {
    set.accept(union);
    return union;
  }

  static ByBoolean[] byBoolean() {
    return new ByBoolean[] {with(new ByBoolean(), u -> u.yes("yes")), with(new ByBoolean(), u -> u.yes("")),
        with(new ByBoolean(), u -> u.no(-0.5))};
  }

  static ByOneBoolean[] byOneBoolean() {
    return new ByOneBoolean[] {with(new ByOneBoolean(), u -> u.yes("yes")),
        with(new ByOneBoolean(), ByOneBoolean::__default)};
  }

  static ByChar[] byChar() {
    return new ByChar[] {with(new ByChar(), u -> u.letter('a', Integer.MAX_VALUE)),
        with(new ByChar(), u -> u.letter('z', -1)), with(new ByChar(), u -> u.digit((byte) 9)),
        with(new ByChar(), u -> u.other("other"))};
  }

  static ByShort[] byShort() {
    return new ByShort[] {with(new ByShort(), u -> u.lowest(0.5)),
        with(new ByShort(), u -> u.near((short) -1, "near")),
        with(new ByShort(), u -> u.near((short) 0, "")), with(new ByShort(), u -> u.highest((byte) -1))};
  }

  static ByUShort[] byUShort() {
    return new ByUShort[] {with(new ByUShort(), u -> u.lowest(0.5)),
        with(new ByUShort(), u -> u.high("high")), with(new ByUShort(), u -> u.other((byte) 7))};
  }

  static ByLong[] byLong() {
    return new ByLong[] {with(new ByLong(), u -> u.low(0.5)), with(new ByLong(), u -> u.highest("highest")),
        with(new ByLong(), u -> u.other((byte) 7))};
  }

  static ByULong[] byULong() {
    return new ByULong[] {with(new ByULong(), u -> u.lowest(0.5)), with(new ByULong(), u -> u.high("high"))};
  }

  static ByLongLong[] byLongLong() {
    return new ByLongLong[] {with(new ByLongLong(), u -> u.low(0.5)),
        with(new ByLongLong(), u -> u.high("high"))};
  }

  static ByULongLong[] byULongLong() {
    return new ByULongLong[] {with(new ByULongLong(), u -> u.one(0.5)),
        with(new ByULongLong(), u -> u.high("high")), with(new ByULongLong(), u -> u.other((byte) 7))};
  }

  static BySuit[] bySuit() {
    return new BySuit[] {with(new BySuit(), u -> u.all(Samples.basics(5))),
        with(new BySuit(), u -> u.names(Suit.hearts, new String[] {"one"})),
        with(new BySuit(), u -> u.names(Suit.spades, new String[0])),
        with(new BySuit(), u -> u.other(Integer.MIN_VALUE))};
  }

  static ByShort noShort() {
    return with(new ByShort(), ByShort::__default);
  }

  static ByULong noULong() {
    return with(new ByULong(), ByULong::__default);
  }

  static ByLongLong noLongLong() {
    return with(new ByLongLong(), ByLongLong::__default);
  }

  static Unions[] unions() {
    return new Unions[] {unions(0, "", 1), unions(3, "odd", 0)};
  }

  private static Unions unions(int n, String text, int m) {
    return new Unions((byte) 1, with(new ByBoolean(), u -> u.yes(text)), (byte) 2, byShort()[n], (byte) 3,
        byULong()[m], (byte) 4, byLongLong()[m], (byte) 5, bySuit()[n]);
  }
}
