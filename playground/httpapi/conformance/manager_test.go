package conformance

import _ "sigs.k8s.io/controller-runtime"
