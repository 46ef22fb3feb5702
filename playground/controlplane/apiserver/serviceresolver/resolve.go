// Package serviceresolver finds a Pod behind a Service, for what the API server itself sends: to webhooks, and to the servers behind
// APIServices.
package serviceresolver

import (
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// ResolveEndpoint finds the address of a ready endpoint of a Service. Of several it takes one by chance.
// Upstream: apiserver/pkg/util/proxy/proxy.go, ResolveEndpoint.
func ResolveEndpoint(st *store.Store, chance *sim.Rand, namespace, name string, port int32) (string, error) {
	svc, _ := st.Current(store.Key{Resource: "services", Namespace: namespace, Name: name}).(*corev1.Service)
	if svc == nil {
		return "", apierrors.NewNotFound(api.GroupResource{Resource: "service"}, name)
	}
	if svc.Spec.Type == corev1.ServiceTypeExternalName {
		return "", fmt.Errorf("unsupported service type %q", svc.Spec.Type)
	}
	wanted := -1
	for i := range svc.Spec.Ports {
		if svc.Spec.Ports[i].Port == port {
			wanted = i
		}
	}
	if wanted < 0 {
		return "", fmt.Errorf("no service port %d found for service %q", port, name)
	}
	for _, obj := range st.At("endpointslices", namespace, st.Revision()) {
		slice := obj.(*discoveryv1.EndpointSlice)
		if slice.Labels[discoveryv1.LabelServiceName] != name || len(slice.Endpoints) == 0 {
			continue
		}
		for i := range slice.Ports {
			p := &slice.Ports[i]
			if p.Port == nil || p.Name == nil || *p.Name != svc.Spec.Ports[wanted].Name {
				continue
			}
			from := chance.IntN(len(slice.Endpoints))
			for j := range slice.Endpoints {
				e := &slice.Endpoints[(from+j)%len(slice.Endpoints)]
				if e.Conditions.Ready == nil || *e.Conditions.Ready {
					return fmt.Sprintf("%s:%d", e.Addresses[0], *p.Port), nil
				}
			}
		}
	}
	return "", fmt.Errorf("no endpoints available for service %q", name)
}
