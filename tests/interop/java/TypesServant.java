import InteropTypes.Arrays;
import InteropTypes.ArraysHolder;
import InteropTypes.Basics;
import InteropTypes.BasicsHolder;
import InteropTypes.BasicsPairHolder;
import InteropTypes.Branch;
import InteropTypes.BranchHolder;
import InteropTypes.ByBoolean;
import InteropTypes.ByBooleanHolder;
import InteropTypes.ByChar;
import InteropTypes.ByCharHolder;
import InteropTypes.ByLong;
import InteropTypes.ByLongHolder;
import InteropTypes.ByLongLong;
import InteropTypes.ByLongLongHolder;
import InteropTypes.ByOneBoolean;
import InteropTypes.ByOneBooleanHolder;
import InteropTypes.ByShort;
import InteropTypes.ByShortHolder;
import InteropTypes.BySuit;
import InteropTypes.BySuitHolder;
import InteropTypes.ByULong;
import InteropTypes.ByULongHolder;
import InteropTypes.ByULongLong;
import InteropTypes.ByULongLongHolder;
import InteropTypes.ByUShort;
import InteropTypes.ByUShortHolder;
import InteropTypes.ManyBasicsHolder;
import InteropTypes.ManyWidesHolder;
import InteropTypes.MatrixHolder;
import InteropTypes.Outer;
import InteropTypes.OuterHolder;
import InteropTypes.Sequences;
import InteropTypes.SequencesHolder;
import InteropTypes.Suit;
import InteropTypes.SuitHolder;
import InteropTypes.Term;
import InteropTypes.TermHolder;
import InteropTypes.TypesHelper;
import InteropTypes.TypesPOA;
import InteropTypes.Unions;
import InteropTypes.UnionsHolder;
import InteropTypes.Wides;
import InteropTypes.WordsHolder;
import InteropTypes.Wrong;
import org.omg.CORBA.Any;
import org.omg.CORBA.AnyHolder;
import org.omg.CORBA.BooleanHolder;
import org.omg.CORBA.ByteHolder;
import org.omg.CORBA.CharHolder;
import org.omg.CORBA.DoubleHolder;
import org.omg.CORBA.FloatHolder;
import org.omg.CORBA.IntHolder;
import org.omg.CORBA.LongHolder;
import org.omg.CORBA.ORB;
import org.omg.CORBA.ObjectHolder;
import org.omg.CORBA.ShortHolder;
import org.omg.CORBA.StringHolder;

/** The servant of types.idl: returns what it is given. */
final class TypesServant extends TypesPOA {
  private final ORB orb;

  TypesServant(ORB orb) {
    this.orb = orb;
  }

  @Override
  public boolean pass_boolean(boolean a, BooleanHolder b, BooleanHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public char pass_char(char a, CharHolder b, CharHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public byte pass_octet(byte a, ByteHolder b, ByteHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public short pass_short(short a, ShortHolder b, ShortHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public short pass_ushort(short a, ShortHolder b, ShortHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public int pass_long(int a, IntHolder b, IntHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public int pass_ulong(int a, IntHolder b, IntHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public long pass_longlong(long a, LongHolder b, LongHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public long pass_ulonglong(long a, LongHolder b, LongHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public float pass_float(float a, FloatHolder b, FloatHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public double pass_double(double a, DoubleHolder b, DoubleHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Suit pass_suit(Suit a, SuitHolder b, SuitHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public String pass_string(String a, StringHolder b, StringHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public String pass_short_text(String a, StringHolder b, StringHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public char pass_wchar(char a, CharHolder b, CharHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public String pass_wstring(String a, StringHolder b, StringHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Basics pass_basics(Basics a, BasicsHolder b, BasicsHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Basics[] pass_many_basics(Basics[] a, ManyBasicsHolder b, ManyBasicsHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Wides[] pass_wides(Wides[] a, ManyWidesHolder b, ManyWidesHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Sequences pass_sequences(Sequences a, SequencesHolder b, SequencesHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public double[][] pass_matrix(double[][] a, MatrixHolder b, MatrixHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public String[] pass_words(String[] a, WordsHolder b, WordsHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Basics[] pass_basics_pair(Basics[] a, BasicsPairHolder b, BasicsPairHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Arrays pass_arrays(Arrays a, ArraysHolder b, ArraysHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Outer pass_outer(Outer a, OuterHolder b, OuterHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Branch pass_branch(Branch a, BranchHolder b, BranchHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Term pass_term(Term a, TermHolder b, TermHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public ByBoolean pass_by_boolean(ByBoolean a, ByBooleanHolder b, ByBooleanHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public ByOneBoolean pass_by_one_boolean(ByOneBoolean a, ByOneBooleanHolder b, ByOneBooleanHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public ByChar pass_by_char(ByChar a, ByCharHolder b, ByCharHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public ByShort pass_by_short(ByShort a, ByShortHolder b, ByShortHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public ByUShort pass_by_ushort(ByUShort a, ByUShortHolder b, ByUShortHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public ByLong pass_by_long(ByLong a, ByLongHolder b, ByLongHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public ByULong pass_by_ulong(ByULong a, ByULongHolder b, ByULongHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public ByLongLong pass_by_longlong(ByLongLong a, ByLongLongHolder b, ByLongLongHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public ByULongLong pass_by_ulonglong(ByULongLong a, ByULongLongHolder b, ByULongLongHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public BySuit pass_by_suit(BySuit a, BySuitHolder b, BySuitHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Unions pass_unions(Unions a, UnionsHolder b, UnionsHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Any pass_any(Any a, AnyHolder b, AnyHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public org.omg.CORBA.Object pass_object(
      org.omg.CORBA.Object a, ObjectHolder b, ObjectHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public void raise_wrong(Basics all, Term why, Arrays where, Any more) throws Wrong {
    throw new Wrong(all, why, where, more, TypesHelper.narrow(_this_object(orb)));
  }

  @Override
  public long sum_of_octets(byte[] data) {
    long sum = 0;
    for (byte octet : data) sum += octet & 0xff;
    return sum;
  }

  @Override
  public byte[] octets_of(int length) {
    byte[] data = new byte[length];
    for (int i = 0; i < length; ++i) data[i] = (byte) (i % 251);
    return data;
  }
}
