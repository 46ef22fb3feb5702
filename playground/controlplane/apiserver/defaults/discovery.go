package defaults

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
)

// setEndpointSlice is upstream's pkg/apis/discovery/v1/defaults.go, SetDefaults_EndpointPort.
func setEndpointSlice(s *discoveryv1.EndpointSlice) {
	for i := range s.Ports {
		orElse(&s.Ports[i].Name, "")
		orElse(&s.Ports[i].Protocol, corev1.ProtocolTCP)
	}
}
