#include "sca/runtime/component_servant.h"

namespace orbweaver::sca {

template class ResourceServant<::orbweaver::framework::ObservableResource>;

}  // namespace orbweaver::sca
