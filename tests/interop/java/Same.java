import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.omg.CORBA.Any;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.portable.IDLEntity;

/** Compares values of IDL types: members, elements, and the discriminators of unions. */
final class Same {
  private Same() {}

  /** Null if the values are equal; otherwise where they differ and how. NaN equals NaN, 0.0 not -0.0. */
  static String difference(Object a, Object b) {
    if (a == b) return null;
    if (a == null || b == null) return differ(a, b);
    if (a instanceof Any) return ofAnys((Any) a, (Any) b);
    if (a instanceof TypeCode) return ((TypeCode) a).equal((TypeCode) b) ? null : differ(a, b);
    if (a instanceof org.omg.CORBA.Object)
      return ((org.omg.CORBA.Object) a)._is_equivalent((org.omg.CORBA.Object) b) ? null : differ(a, b);
    if (a.getClass() != b.getClass()) return differ(a, b);
    if (a instanceof byte[] && Arrays.equals((byte[]) a, (byte[]) b)) return null;  // may be large
    if (a.getClass().isArray()) return ofArrays(a, b);
    if (a instanceof IDLEntity) return ofFields(a, b);
    return a.equals(b) ? null : differ(a, b);
  }

  private static String ofArrays(Object a, Object b) {
    int length = Array.getLength(a);
    if (length != Array.getLength(b)) return ".length" + differ(length, Array.getLength(b));
    for (int i = 0; i < length; ++i) {
      String found = difference(Array.get(a, i), Array.get(b, i));
      if (found != null) return "[" + i + "]" + found;
    }
    return null;
  }

  private static String ofFields(Object a, Object b) {
    for (Field field : a.getClass().getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers())) continue;
      field.setAccessible(true);
      try {
        String found = difference(field.get(a), field.get(b));
        if (found != null) return "." + field.getName() + found;
      } catch (IllegalAccessException e) {
        throw new IllegalStateException(e);
      }
    }
    return null;
  }

  private static String ofAnys(Any a, Any b) {
    if (!a.type().equivalent(b.type())) return ".type()" + differ(a.type(), b.type());
    return a.equal(b) ? null : differ(a, b);
  }

  private static String differ(Object a, Object b) {
    return ": " + text(a) + " became " + text(b);
  }

  private static String text(Object value) {
    if (!(value instanceof String)) return String.valueOf(value);
    StringBuilder escaped = new StringBuilder("\"");
    String all = (String) value;
    for (int i = 0; i < all.length() && i < 80; ++i) {
      char each = all.charAt(i);
      escaped.append(each >= ' ' && each < 127 ? String.valueOf(each) : String.format("\\u%04x", (int) each));
    }
    return escaped.append("\" of ").append(all.length()).toString();
  }
}
