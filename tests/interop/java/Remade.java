import Interop.ColourHelper;
import Interop.ForestHelper;
import Interop.NamesHelper;
import Interop.RecordHelper;
import Interop.ShapeHelper;
import Interop.TrackHelper;
import Interop.TreeHelper;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;

/** Extracts the value of an any, and inserts it into another. */
final class Remade {
  private Remade() {}

  /** `data` itself if its type is none of interop.idl. */
  static Any of(ORB orb, Any data) {
    TypeCode type = data.type();
    Any made = orb.create_any();
    if (type.kind() == TCKind.tk_any)
      made.insert_any(of(orb, data.extract_any()));
    else if (type.equivalent(ColourHelper.type()))
      ColourHelper.insert(made, ColourHelper.extract(data));
    else if (type.equivalent(RecordHelper.type()))
      RecordHelper.insert(made, RecordHelper.extract(data));
    else if (type.equivalent(TreeHelper.type()))
      TreeHelper.insert(made, TreeHelper.extract(data));
    else if (type.equivalent(Forests.type(orb)))
      Forests.insert(orb, made, ForestHelper.extract(data));
    else if (type.equivalent(ShapeHelper.type()))
      ShapeHelper.insert(made, ShapeHelper.extract(data));
    else if (type.equivalent(NamesHelper.type()))
      NamesHelper.insert(made, NamesHelper.extract(data));
    else if (type.equivalent(TrackHelper.type()))
      TrackHelper.insert(made, TrackHelper.extract(data));
    else
      return data;
    return made;
  }
}
