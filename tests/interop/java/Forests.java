import Interop.ForestHelper;
import Interop.Tree;
import Interop.TreeHelper;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.portable.OutputStream;

/**
 * Anys of Interop::Forest. The TypeCode that JacORB's IDL compiler generates for it has a recursive TypeCode
 * outside of the struct that contains it.
 */
final class Forests {
  private Forests() {}

  static TypeCode type(ORB orb) {
    return orb.create_alias_tc(ForestHelper.id(), "Forest", orb.create_sequence_tc(0, TreeHelper.type()));
  }

  static void insert(ORB orb, Any any, Tree[] forest) {
    OutputStream out = orb.create_output_stream();
    ForestHelper.write(out, forest);
    any.read_value(out.create_input_stream(), type(orb));
  }
}
