import Interop.Busy;
import Interop.Named;
import Interop.NamedHelper;
import Interop.Point;
import Interop.Record;
import Interop.Refused;
import Interop.Workshop;
import Interop.WorkshopHelper;
import Interop.WorkshopPOA;
import java.util.ArrayList;
import java.util.List;
import org.omg.CORBA.Any;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.IntHolder;
import org.omg.CORBA.StringHolder;
import org.omg.CORBA.TypeCode;

/** The workshop of interop.idl. */
final class WorkshopServant extends WorkshopPOA {
  private final String name;
  private final Workshops workshops;
  private int value;
  private final List<String> notes = new ArrayList<>();

  WorkshopServant(String name, Workshops workshops) {
    this.name = name;
    this.workshops = workshops;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public synchronized int value() {
    return value;
  }

  @Override
  public synchronized void value(int arg) {
    value = arg;
  }

  @Override
  public synchronized int add(int amount) {
    return value += amount;
  }

  @Override
  public String echo_string(String text) {
    return text;
  }

  @Override
  public byte[] echo_octets(byte[] data) {
    return data;
  }

  @Override
  public double[] echo_doubles(double[] data) {
    return data;
  }

  @Override
  public String[] echo_names(String[] data) {
    return data;
  }

  @Override
  public Record echo_record(Record data) {
    return data;
  }

  @Override
  public Record[] echo_records(Record[] data) {
    return data;
  }

  @Override
  public short[][] echo_grid(short[][] data) {
    return data;
  }

  @Override
  public int divide(int dividend, int divisor, IntHolder remainder) throws Refused {
    if (divisor == 0) throw new Refused("division by zero", dividend, new double[] {dividend});
    remainder.value = dividend % divisor;
    return dividend / divisor;
  }

  @Override
  public void exchange(StringHolder left, StringHolder right, StringHolder together) {
    together.value = left.value + right.value;
    String old = left.value;
    left.value = right.value;
    right.value = old;
  }

  @Override
  public Point[] mirror(Point[] data, IntHolder points) {
    points.value += data.length;
    Point[] mirrored = new Point[data.length];
    for (int i = 0; i < data.length; ++i) mirrored[i] = new Point(data[i].y, data[i].x);
    return mirrored;
  }

  @Override
  public void refuse(String reason, int code) throws Refused {
    throw new Refused(reason, code, new double[0]);
  }

  @Override
  public void be_busy() throws Busy {
    throw new Busy();
  }

  @Override
  public void raise_bad_param(int minorCode) {
    throw new org.omg.CORBA.BAD_PARAM("raised by a test", minorCode, CompletionStatus.COMPLETED_YES);
  }

  @Override
  public void raise_something_else() {
    throw new IllegalStateException("raised by a test");
  }

  private org.omg.CORBA.Object self() {
    return _this_object(workshops.orb);
  }

  @Override
  public Workshop itself() {
    return WorkshopHelper.narrow(self());
  }

  @Override
  public Workshop open_branch(String branch) {
    return workshops.branch(branch);
  }

  @Override
  public Named as_named() {
    return NamedHelper.narrow(self());
  }

  @Override
  public org.omg.CORBA.Object as_object() {
    return self();
  }

  @Override
  public Workshop none() {
    return null;
  }

  @Override
  public Workshop moved() {
    return workshops.moved(itself());
  }

  @Override
  public String name_of(Named who) {
    return who.name();
  }

  @Override
  public boolean is_nil_object(org.omg.CORBA.Object who) {
    return who == null;
  }

  @Override
  public Any remake(Any data) {
    return Remade.of(workshops.orb, data);
  }

  @Override
  public TypeCode type_of(Any data) {
    return data.type();
  }

  @Override
  public TypeCode echo_type(TypeCode type) {
    return type;
  }

  @Override
  public synchronized void note(String text) {
    notes.add(text);
  }

  @Override
  public synchronized String[] notes() {
    return notes.toArray(new String[0]);
  }

  @Override
  public org.omg.CORBA.Object types() {
    return new TypesServant(workshops.orb)._this_object(workshops.orb);
  }
}
