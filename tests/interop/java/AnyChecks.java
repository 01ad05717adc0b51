import Interop.Colour;
import Interop.ColourHelper;
import Interop.ForestHelper;
import Interop.RecordHelper;
import Interop.Tree;
import Interop.TreeHelper;
import Interop.WorkshopHelper;
import InteropTypes.ArraysHelper;
import InteropTypes.BasicsHelper;
import InteropTypes.BranchHelper;
import InteropTypes.ByBooleanHelper;
import InteropTypes.ByCharHelper;
import InteropTypes.ByLongHelper;
import InteropTypes.ByLongLongHelper;
import InteropTypes.ByShortHelper;
import InteropTypes.BySuitHelper;
import InteropTypes.ByULongHelper;
import InteropTypes.ByULongLongHelper;
import InteropTypes.ByUShortHelper;
import InteropTypes.FewShortTextsHelper;
import InteropTypes.ManyBasicsHelper;
import InteropTypes.ManyWidesHelper;
import InteropTypes.MatrixHelper;
import InteropTypes.OuterHelper;
import InteropTypes.SequencesHelper;
import InteropTypes.ShortTextHelper;
import InteropTypes.StringsHelper;
import InteropTypes.Suit;
import InteropTypes.SuitHelper;
import InteropTypes.TermHelper;
import InteropTypes.UnionsHelper;
import InteropTypes.Wides;
import InteropTypes.WordsHelper;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.omg.CORBA.Any;
import org.omg.CORBA.AnyHolder;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;

/** Anys of values of every kind, and TypeCodes. */
final class AnyChecks {
  private final Checks checks;
  private final Peer peer;

  private AnyChecks(Checks checks, Peer peer) {
    this.checks = checks;
    this.peer = peer;
  }

  static void add(Checks checks, Peer peer) {
    AnyChecks anys = new AnyChecks(checks, peer);
    checks.group("anys");
    anys.addBasicTypes();
    anys.addConstructedTypes();
    anys.addUnions();
    anys.addOthers();
    checks.group("typecodes");
    anys.addTypeCodes();
  }

  /** Adds a check that anys of these values come back, in each place. */
  @SafeVarargs
  private final <T> void add(String name, BiConsumer<Any, T> insert, Function<Any, T> extract, T... values) {
    checks.add(name, () -> {
      for (int i = 0; i < values.length; ++i) {
        Any a = of(insert, values[i]);
        AnyHolder inout = new AnyHolder(of(insert, values[(i + 1) % values.length]));
        AnyHolder out = new AnyHolder();
        expect(a.type(), values[i], extract, peer.types.pass_any(a, inout, out));
        expect(a.type(), values[i], extract, inout.value);
        expect(a.type(), values[(i + 1) % values.length], extract, out.value);
        Any remade = peer.workshop.remake(a);  // perhaps as the equivalent type that the workshop knows
        Checks.that(remade.type().equivalent(a.type()), "not equivalent to " + a.type());
        Checks.same(values[i], extract.apply(remade));
      }
    });
  }

  private <T> Any of(BiConsumer<Any, T> insert, T value) {
    Any any = peer.orb.create_any();
    insert.accept(any, value);
    return any;
  }

  private static <T> void expect(TypeCode type, T value, Function<Any, T> extract, Any found) {
    Checks.that(found.type().equal(type), "another type: " + type + " became " + found.type());
    Checks.same(value, extract.apply(found));
  }

  private void addBasicTypes() {
    add("of_booleans", Any::insert_boolean, Any::extract_boolean, true, false);
    add("of_chars", Any::insert_char, Any::extract_char, 'a', '\0', '~');
    add("of_octets", Any::insert_octet, Any::extract_octet, (byte) 0, (byte) -1, Byte.MIN_VALUE);
    add("of_shorts", Any::insert_short, Any::extract_short, Short.MIN_VALUE, Short.MAX_VALUE, (short) -1);
    add("of_unsigned_shorts", Any::insert_ushort, Any::extract_ushort, Short.MIN_VALUE, (short) 1,
        (short) -1);
    add("of_longs", Any::insert_long, Any::extract_long, Integer.MIN_VALUE, Integer.MAX_VALUE, -1);
    add("of_unsigned_longs", Any::insert_ulong, Any::extract_ulong, Integer.MIN_VALUE, 1, -1);
    add("of_long_longs", Any::insert_longlong, Any::extract_longlong, Long.MIN_VALUE, Long.MAX_VALUE, -1L);
    add("of_unsigned_long_longs", Any::insert_ulonglong, Any::extract_ulonglong, Long.MIN_VALUE, 1L, -1L);
    add("of_floats", Any::insert_float, Any::extract_float, -0f, Float.NaN, Float.POSITIVE_INFINITY,
        Float.MIN_VALUE, Float.MAX_VALUE);
    add("of_doubles", Any::insert_double, Any::extract_double, -0.0, Double.NaN, Double.NEGATIVE_INFINITY,
        Double.MIN_VALUE, Double.MAX_VALUE);
    add("of_strings", Any::insert_string, Any::extract_string, "", "a", "Z\u00fcrich", "x".repeat(10_000));
    add("of_strings_of_other_alphabets", Any::insert_string, Any::extract_string, "\u20ac", "\u4e2d\u6587",
        "\ud83d\ude00");
    add("of_sequences_of_strings_of_other_alphabets", StringsHelper::insert, StringsHelper::extract,
        new String[] {"\u20ac", "\u4e2d\u6587"});
    add("of_bounded_strings", ShortTextHelper::insert, ShortTextHelper::extract, "", "12345678");
    add("of_enums", SuitHelper::insert, SuitHelper::extract, Suit.clubs, Suit.spades);
    add("of_enums_of_a_workshop", ColourHelper::insert, ColourHelper::extract, Colour.blue, Colour.red);
    if (Orbs.GIOP.equals("1.0")) return;  // it has no wide characters
    add("of_wide_characters", Any::insert_wchar, Any::extract_wchar, 'a', '\u20ac', '\0');
    add("of_wide_strings", Any::insert_wstring, Any::extract_wstring, "", "\u20ac", "w".repeat(1001));
    add("of_wide_strings_beyond_the_basic_plane", Any::insert_wstring, Any::extract_wstring, "\ud83d\ude00",
        "a\udbff\udfff");
    add("of_structs_with_wide_strings", ManyWidesHelper::insert, ManyWidesHelper::extract, new Wides[0],
        new Wides[] {new Wides((byte) 1, 'w', (byte) 2, "\u20ac", -0.5)});
  }

  private void addConstructedTypes() {
    add("of_structs", BasicsHelper::insert, BasicsHelper::extract, Samples.basics(0), Samples.basics(3));
    add("of_structs_of_a_workshop", RecordHelper::insert, RecordHelper::extract, StructChecks.record(1),
        StructChecks.record(4));
    add("of_nested_structs", OuterHelper::insert, OuterHelper::extract, Samples.outer(1), Samples.outer(2));
    add("of_sequences_of_structs", ManyBasicsHelper::insert, ManyBasicsHelper::extract, Samples.manyBasics(0),
        Samples.manyBasics(50));
    add("of_bounded_sequences", FewShortTextsHelper::insert, FewShortTextsHelper::extract, new String[0],
        new String[] {"", "12345678", "3"});
    add("of_structs_with_sequences", SequencesHelper::insert, SequencesHelper::extract, Samples.noSequences(),
        Samples.sequences());
    add("of_arrays", MatrixHelper::insert, MatrixHelper::extract, Samples.matrix(1), Samples.matrix(-1));
    add("of_arrays_of_strings", WordsHelper::insert, WordsHelper::extract, new String[] {"", "b", "three"});
    add("of_structs_with_arrays", ArraysHelper::insert, ArraysHelper::extract, Samples.arrays(0),
        Samples.arrays(3));
    add("of_recursive_structs", BranchHelper::insert, BranchHelper::extract, Samples.branch(0),
        Samples.branch(4));
    add("of_recursive_unions", TermHelper::insert, TermHelper::extract, Samples.number(1), Samples.term());
  }

  private void addUnions() {
    add("of_unions_by_boolean", ByBooleanHelper::insert, ByBooleanHelper::extract, UnionSamples.byBoolean());
    add("of_unions_by_char", ByCharHelper::insert, ByCharHelper::extract, UnionSamples.byChar());
    add("of_unions_by_short", ByShortHelper::insert, ByShortHelper::extract, UnionSamples.byShort());
    add("of_unions_by_unsigned_short", ByUShortHelper::insert, ByUShortHelper::extract,
        UnionSamples.byUShort());
    add("of_unions_by_long", ByLongHelper::insert, ByLongHelper::extract, UnionSamples.byLong());
    add("of_unions_by_unsigned_long", ByULongHelper::insert, ByULongHelper::extract, UnionSamples.byULong());
    add("of_unions_by_long_long", ByLongLongHelper::insert, ByLongLongHelper::extract,
        UnionSamples.byLongLong());
    add("of_unions_by_unsigned_long_long", ByULongLongHelper::insert, ByULongLongHelper::extract,
        UnionSamples.byULongLong());
    add("of_unions_by_enum", BySuitHelper::insert, BySuitHelper::extract, UnionSamples.bySuit());
    add("of_structs_with_unions", UnionsHelper::insert, UnionsHelper::extract, UnionSamples.unions());
  }

  private void addOthers() {
    checks.add("of_nothing", () -> {
      TypeCode type = peer.workshop.remake(peer.orb.create_any()).type();
      Checks.same(TCKind.tk_null.value(), type.kind().value());
    });
    checks.add("of_trees_with_anys", () -> {
      Tree tree = TreeHelper.extract(peer.workshop.remake(of(TreeHelper::insert, tree())));
      expectTree(tree);
      Any forest = peer.orb.create_any();
      Forests.insert(peer.orb, forest, new Tree[] {tree, tree});
      expectTree(ForestHelper.extract(peer.workshop.remake(forest))[1]);
    });
    checks.add("of_anys", () -> {
      Any outer = of(Any::insert_any, of(Any::insert_any, of(TreeHelper::insert, tree())));
      expectTree(TreeHelper.extract(peer.workshop.remake(outer).extract_any().extract_any()));
    });
    checks.add("of_references", () -> {
      Any back = peer.workshop.remake(of(WorkshopHelper::insert, peer.workshop));
      Checks.same("peer", WorkshopHelper.extract(back).name());
      Checks.same(null, WorkshopHelper.extract(peer.workshop.remake(of(WorkshopHelper::insert, null))));
    });
    checks.add("of_typecodes", () -> {
      Any back = peer.workshop.remake(of(Any::insert_TypeCode, TreeHelper.type()));
      Checks.same(TreeHelper.type(), back.extract_TypeCode());
    });
  }

  private Tree tree() {
    Tree leaf = new Tree("leaf", of(ColourHelper::insert, Colour.blue), new Tree[0]);
    return new Tree("root", of(TreeHelper::insert, leaf), new Tree[] {leaf,
        new Tree("branch", peer.orb.create_any(), new Tree[] {leaf})});
  }

  private static void expectTree(Tree found) {
    Checks.same("root", found.name);
    Checks.same(Colour.blue, ColourHelper.extract(TreeHelper.extract(found.leaf).leaf));
    Checks.same("leaf", found.kids[1].kids[0].name);
  }

  private void addTypeCodes() {
    TypeCode[] types = {ColourHelper.type(), RecordHelper.type(), TreeHelper.type(),
        WorkshopHelper.type(), BasicsHelper.type(), SequencesHelper.type(), ArraysHelper.type(),
        OuterHelper.type(), BranchHelper.type(), TermHelper.type(), MatrixHelper.type(),
        FewShortTextsHelper.type(), ManyWidesHelper.type(), Interop.RefusedHelper.type(),
        InteropTypes.WrongHelper.type(), InteropTypes.TypesHelper.type()};
    addTypes("are_returned", types);
    checks.add("of_recursive_sequences_are_returned", () ->
        Checks.same(Forests.type(peer.orb), peer.workshop.echo_type(Forests.type(peer.orb))));
    addTypes("of_unions_are_returned", ByBooleanHelper.type(), ByCharHelper.type(), ByShortHelper.type(),
        ByUShortHelper.type(), ByLongHelper.type(), ByULongHelper.type(), ByLongLongHelper.type(),
        ByULongLongHelper.type(), BySuitHelper.type(), UnionsHelper.type());
    checks.add("of_basic_types_are_returned", () -> {
      for (TCKind kind : new TCKind[] {TCKind.tk_null, TCKind.tk_void, TCKind.tk_short, TCKind.tk_ulonglong,
          TCKind.tk_boolean, TCKind.tk_char, TCKind.tk_wchar, TCKind.tk_any, TCKind.tk_TypeCode})
        Checks.same(kind.value(),
            peer.workshop.echo_type(peer.orb.get_primitive_tc(kind)).kind().value());
      Checks.same(7, peer.workshop.echo_type(peer.orb.create_wstring_tc(7)).length());
    });
    checks.add("of_anys_are_returned", () -> {
      Checks.same(TreeHelper.type(), peer.workshop.type_of(of(TreeHelper::insert, tree())));
      Checks.same(TCKind.tk_short.value(),
          peer.workshop.type_of(of(Any::insert_short, (short) 1)).kind().value());
    });
  }

  private void addTypes(String name, TypeCode... types) {
    checks.add(name, () -> {
      for (TypeCode type : types) Checks.same(type, peer.workshop.echo_type(type));
    });
  }
}
