package endpointslicemirroring

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

var endpointsKind = api.GroupVersionKind{Version: "v1", Kind: "Endpoints"}

// group is what one slice is to hold: addresses of one family that answer at the same ports.
type group struct {
	addressType discoveryv1.AddressType
	ports       []discoveryv1.EndpointPort
	endpoints   []discoveryv1.Endpoint
	existing    []*discoveryv1.EndpointSlice
}

// slicesByAction is what is to be done. Upstream: reconciler_helpers.go, the same name.
type slicesByAction struct{ toCreate, toUpdate, toDelete []*discoveryv1.EndpointSlice }

// reconcile makes the slices of Endpoints be what those say. Upstream: reconciler.go, reconcile.
func (c *Controller) reconcile(p *sim.Proc, endpoints *corev1.Endpoints, existing []*discoveryv1.EndpointSlice) error {
	groups, order, invalid, skipped := c.desired(p.Logger(), endpoints)
	if invalid > 0 {
		c.eventRecorder.Eventf(endpoints, corev1.EventTypeWarning, "InvalidIPAddress",
			"Skipped %d invalid IP addresses when mirroring to EndpointSlices", invalid)
	}
	if skipped > invalid {
		p.Logger().Info("Addresses in Endpoints were skipped due to exceeding MaxEndpointsPerSubset", "skippedAddresses", skipped,
			"endpoints", controller.KObj(endpoints))
		c.eventRecorder.Eventf(endpoints, corev1.EventTypeWarning, "TooManyAddressesToMirror",
			"A max of %d addresses can be mirrored to EndpointSlices per Endpoints subset. %d addresses were skipped", c.maxEndpointsPerSubset, skipped)
	}
	var todo slicesByAction
	for _, slice := range existing {
		if g := groups[portMapKey(slice.AddressType, slice.Ports)]; g != nil {
			g.existing = append(g.existing, slice)
		} else {
			todo.toDelete = append(todo.toDelete, slice) // nobody answers at these ports any more
		}
	}
	for _, key := range order {
		c.reconcileByPortMapping(endpoints, groups[key], &todo)
	}
	return c.finalize(p, endpoints, &todo)
}

// desired is what there is to be, by ports and family of addresses. skipped counts the addresses that are left out, the invalid ones among them.
// Upstream: reconciler_helpers.go, desiredCalc.
func (c *Controller) desired(log sim.Logger, endpoints *corev1.Endpoints) (groups map[string]*group, order []string, invalid, skipped int) {
	groups = map[string]*group{}
	for _, subset := range repackSubsets(endpoints.Subsets) {
		ports := make([]discoveryv1.EndpointPort, len(subset.Ports))
		for i := range subset.Ports {
			p := subset.Ports[i]
			ports[i] = discoveryv1.EndpointPort{Name: &p.Name, Port: &p.Port, Protocol: &p.Protocol, AppProtocol: p.AppProtocol}
		}
		for _, family := range []discoveryv1.AddressType{"IPv4", "IPv6"} {
			if key := portMapKey(family, ports); groups[key] == nil {
				groups[key], order = &group{addressType: family, ports: ports}, append(order, key)
			}
		}
		added := 0
		add := func(addresses []corev1.EndpointAddress, ready bool) {
			for _, address := range addresses {
				if added >= c.maxEndpointsPerSubset {
					return
				}
				endpoint, family, ok := addressToEndpoint(address, ready)
				if !ok {
					invalid++
					log.Info("Address in Endpoints is not a valid IP, it will not be mirrored to an EndpointSlice",
						"endpoints", controller.KObj(endpoints), "IP", address.IP)
					continue
				}
				added++
				g := groups[portMapKey(family, ports)]
				g.endpoints = append(g.endpoints, endpoint)
			}
		}
		add(subset.Addresses, true)
		add(subset.NotReadyAddresses, false)
		skipped += len(subset.Addresses) + len(subset.NotReadyAddresses) - added
	}
	return groups, order, invalid, skipped
}

// reconcileByPortMapping keeps one slice of a group, and writes it only if it is to hold something else. Upstream: the same name.
func (c *Controller) reconcileByPortMapping(endpoints *corev1.Endpoints, g *group, todo *slicesByAction) {
	if len(g.endpoints) == 0 {
		todo.toDelete = append(todo.toDelete, g.existing...)
		return
	}
	next := newEndpointSlice(endpoints, g)
	if len(g.existing) == 0 {
		todo.toCreate = append(todo.toCreate, next)
		return
	}
	first := g.existing[0]
	todo.toDelete = append(todo.toDelete, g.existing[1:]...)
	foreign := slices.ContainsFunc(first.OwnerReferences, func(o metav1.OwnerReference) bool {
		return o.Kind == "Endpoints" && o.Name == endpoints.Name && o.UID != endpoints.UID
	})
	if !foreign && sameEndpoints(first.Endpoints, next.Endpoints) && maps.Equal(first.Labels, next.Labels) && maps.Equal(first.Annotations, next.Annotations) {
		if !c.tracker.Has(first) {
			c.tracker.Update(first)
		}
		return
	}
	next.Name, next.GenerateName = first.Name, ""
	todo.toUpdate = append(todo.toUpdate, next)
}

// finalize writes. Upstream: the same name.
func (c *Controller) finalize(p *sim.Proc, endpoints *corev1.Endpoints, todo *slicesByAction) error {
	todo.recycle()
	client, what := c.client.DiscoveryV1().EndpointSlices(endpoints.Namespace), controller.KObj(endpoints)
	if endpoints.DeletionTimestamp == nil {
		for _, slice := range todo.toCreate {
			created, err := client.Create(p, slice, metav1.CreateOptions{})
			if err != nil {
				if apierrors.HasStatusCause(err, controller.NamespaceTerminatingCause) {
					return nil
				}
				return fmt.Errorf("failed to create EndpointSlice for Endpoints %s: %w", what, err)
			}
			c.tracker.Update(created)
		}
	}
	for _, slice := range todo.toUpdate {
		updated, err := client.Update(p, slice, metav1.UpdateOptions{})
		if err != nil {
			return fmt.Errorf("failed to update %s EndpointSlice for Endpoints %s: %w", slice.Name, what, err)
		}
		c.tracker.Update(updated)
	}
	for _, slice := range todo.toDelete {
		if err := client.Delete(p, slice.Name, metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("failed to delete %s EndpointSlice for Endpoints %s: %w", slice.Name, what, err)
		}
		c.tracker.ExpectDeletion(slice)
	}
	return nil
}

// recycle writes what is new into slices that would be deleted. Upstream: reconciler_helpers.go, recycleSlices.
func (s *slicesByAction) recycle() {
	var create []*discoveryv1.EndpointSlice
	for _, slice := range s.toCreate {
		i := slices.IndexFunc(s.toDelete, func(d *discoveryv1.EndpointSlice) bool { return d.AddressType == slice.AddressType })
		if i < 0 {
			create = append(create, slice)
			continue
		}
		slice.Name, slice.GenerateName = s.toDelete[i].Name, ""
		s.toUpdate, s.toDelete = append(s.toUpdate, slice), slices.Delete(slices.Clone(s.toDelete), i, i+1)
	}
	s.toCreate = create
}

// deleteMirroredSlices clears up. Upstream: reconciler.go, deleteEndpoints.
func (c *Controller) deleteMirroredSlices(p *sim.Proc, namespace, name string) error {
	c.tracker.DeleteService(namespace, name)
	mirrored, err := c.mirroredSlices(namespace, name)
	if err != nil {
		return err
	}
	var first error
	failed := 0
	for _, slice := range mirrored {
		if err := c.client.DiscoveryV1().EndpointSlices(namespace).Delete(p, slice.Name, metav1.DeleteOptions{}); err != nil {
			failed++
			first = cmp.Or(first, err)
		}
	}
	if failed > 0 {
		return fmt.Errorf("error(s) deleting %d/%d EndpointSlices for %s/%s Endpoints, including: %w", failed, len(mirrored), namespace, name, first)
	}
	return nil
}

// newEndpointSlice is the slice of a group. Upstream: utils.go, the same name.
func newEndpointSlice(endpoints *corev1.Endpoints, g *group) *discoveryv1.EndpointSlice {
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Namespace: endpoints.Namespace, GenerateName: endpoints.Name + "-", Labels: map[string]string{},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(endpoints, endpointsKind)}},
		AddressType: g.addressType, Ports: g.ports, Endpoints: g.endpoints,
	}
	maps.Copy(slice.Labels, endpoints.Labels)
	slice.Labels[discoveryv1.LabelServiceName], slice.Labels[discoveryv1.LabelManagedBy] = endpoints.Name, managedBy
	slice.Annotations = maps.Clone(endpoints.Annotations)
	delete(slice.Annotations, corev1.EndpointsLastChangeTriggerTime)
	delete(slice.Annotations, corev1.LastAppliedConfigAnnotation)
	if len(endpoints.Name) >= 63 { // a dash would be too long for a name
		slice.GenerateName = endpoints.Name
	}
	return slice
}

// addressToEndpoint says false for what is no address. Upstream: utils.go, the same name.
func addressToEndpoint(address corev1.EndpointAddress, ready bool) (discoveryv1.Endpoint, discoveryv1.AddressType, bool) {
	ip, err := netip.ParseAddr(address.IP)
	if err != nil {
		return discoveryv1.Endpoint{}, "", false
	}
	family := discoveryv1.AddressType("IPv4")
	if ip = ip.Unmap(); ip.Is6() {
		family = "IPv6"
	}
	endpoint := discoveryv1.Endpoint{Addresses: []string{ip.String()}, Conditions: discoveryv1.EndpointConditions{Ready: &ready},
		TargetRef: address.TargetRef, NodeName: address.NodeName}
	if address.Hostname != "" {
		endpoint.Hostname = &address.Hostname
	}
	return endpoint, family, true
}

// sameEndpoints compares sets.
func sameEndpoints(a, b []discoveryv1.Endpoint) bool {
	byAddress := func(list []discoveryv1.Endpoint) []discoveryv1.Endpoint {
		list = slices.Clone(list)
		sorting.Stable(list, func(a, b discoveryv1.Endpoint) int { return slices.Compare(a.Addresses, b.Addresses) })
		return list
	}
	return api.SemanticDeepEqual(byAddress(a), byAddress(b))
}

// portMapKey is the same for the same ports in any order. Upstream: utils.go, newAddrTypePortMapKey, and endpointslice/util, NewPortMapKey.
func portMapKey(family discoveryv1.AddressType, ports []discoveryv1.EndpointPort) string {
	keys := make([]string, len(ports))
	for i, p := range ports {
		keys[i] = text(p.Name) + "/" + text(p.Protocol) + "/" + text(p.Port) + "/" + text(p.AppProtocol)
	}
	slices.Sort(keys)
	return string(family) + "-" + strings.Join(keys, " ")
}

// text is what is pointed to; "" for nothing.
func text[T any](p *T) string {
	if p == nil {
		return ""
	}
	return fmt.Sprint(*p)
}
