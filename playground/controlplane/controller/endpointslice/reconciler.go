package endpointslice

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/endpoint"
	"kubewalk/playground/sim"
)

const ipv4 discoveryv1.AddressType = "IPv4"

var serviceKind = api.GroupVersionKind{Version: "v1", Kind: "Service"}

// reconciler makes the slices of a Service what its Pods want them to be.
// Upstream: staging/src/k8s.io/endpointslice/reconciler.go, Reconciler.
type reconciler struct {
	client               *client.Clientset
	nodeLister           listers.NodeLister
	maxEndpointsPerSlice int
	tracker              *Tracker
	services             map[types.NamespacedName]*known
	nodeChanges          int // how often a Node has changed
}

// portGroup are the endpoints that answer at the same ports: a name may mean another number in another Pod.
type portGroup struct {
	key       string
	ports     []discoveryv1.EndpointPort
	existing  []*discoveryv1.EndpointSlice
	endpoints map[string]*desired // by address
	known     *known
}

// reconcile compares and writes. Upstream: Reconciler.Reconcile and reconcileByAddressType.
func (r *reconciler) reconcile(p *sim.Proc, svc *corev1.Service, pods []*corev1.Pod, existing []*discoveryv1.EndpointSlice, trigger time.Time) error {
	log := p.Logger()
	var toCreate, toUpdate, toDelete []*discoveryv1.EndpointSlice
	var errs []error
	groups := map[string]*portGroup{}
	group := func(ports []discoveryv1.EndpointPort) *portGroup {
		key := portMapKey(ports)
		if groups[key] == nil {
			groups[key] = &portGroup{key: key, ports: ports}
		}
		return groups[key]
	}
	for _, s := range existing {
		// The address type cannot be changed, and whoever else owns it is gone.
		if s.AddressType != ipv4 || !metav1.IsControlledBy(s, svc) {
			toDelete = append(toDelete, s)
			continue
		}
		g := group(s.Ports)
		g.existing = append(g.existing, s)
	}
	known := r.knownOf(svc)
	step := known.begin(len(pods))
	ready, serving, terminating := 0, 0, 0
	var last *portGroup // one after the other, Pods have the same ports more often than not
	var ports []discoveryv1.EndpointPort
	for _, pod := range pods {
		if !endpoint.ShouldPodBeInEndpoints(pod, true) {
			continue
		}
		e := step.before(pod)
		if e == nil || !r.sameNode(e) {
			node, err := r.nodeLister.Get(pod.Spec.NodeName)
			if err != nil {
				if !apierrors.IsNotFound(err) {
					return err
				}
				node = nil
				if !svc.Spec.PublishNotReadyAddresses {
					log.Info("skipping Pod for Service, Node not found", "pod", controller.KObj(pod), "service", controller.KObj(svc), "node", pod.Spec.NodeName)
					errs = append(errs, fmt.Errorf("skipping Pod %s for Service %s: Node %s Not Found", pod.Name, controller.KObj(svc), pod.Spec.NodeName))
					continue
				}
			}
			e = &desired{Endpoint: podToEndpoint(pod, node, svc), pod: pod, node: node, nodeChanges: r.nodeChanges, ports: getEndpointPorts(log, svc, pod)}
		}
		ready += one(*e.Conditions.Ready)
		serving += one(*e.Conditions.Serving)
		terminating += one(*e.Conditions.Terminating)
		if last != nil && samePorts(ports, e.ports) {
			e.ports = ports
		} else {
			ports, last = e.ports, group(e.ports)
		}
		e.key = last.key
		step.add(e)
	}
	step.end()
	for _, g := range groups { // order: each gets its own
		g.endpoints, g.known = known.endpoints[g.key], known
	}
	log.V(4).Info("Endpoints desired", "service", controller.KObj(svc), "ready", ready, "serving", serving, "terminating", terminating, "slices", len(existing))

	known.slices, known.before = nil, known.slices
	for _, key := range endpoint.SortedKeys(groups) {
		g := groups[key]
		if len(g.endpoints) == 0 {
			toDelete = append(toDelete, g.existing...)
			continue
		}
		c, u, d := r.reconcileByPortMapping(svc, g)
		toCreate, toUpdate, toDelete = append(toCreate, c...), append(toUpdate, u...), append(toDelete, d...)
	}
	// A Service without endpoints has one slice that says so.
	if len(existing)-len(toDelete)+len(toCreate) == 0 {
		placeholder := newEndpointSlice(svc, nil)
		if len(toDelete) == 1 && api.SemanticDeepEqual(toDelete[0].Endpoints, placeholder.Endpoints) &&
			len(toDelete[0].Ports) == 0 && maps.Equal(toDelete[0].Labels, placeholder.Labels) {
			toDelete = nil
		} else {
			toCreate = append(toCreate, placeholder)
		}
	}
	if err := r.finalize(p, svc, toCreate, toUpdate, toDelete, trigger); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// reconcileByPortMapping distributes the endpoints of one set of ports. First the slices that are there keep what is still
// wanted; then changed slices are filled up, then the one that is fullest and takes the rest, then new ones are made.
// Upstream: Reconciler.reconcileByPortMapping.
func (r *reconciler) reconcileByPortMapping(svc *corev1.Service, g *portGroup) (toCreate, toUpdate, toDelete []*discoveryv1.EndpointSlice) {
	wantedLabels := setEndpointSliceLabels(svc)
	open := len(g.endpoints)
	byName := map[string]*discoveryv1.EndpointSlice{}
	var unchanged, changed []string
	for _, s := range g.existing {
		if n := g.known.place(s); n > 0 {
			open -= n
			byName[s.Name] = s
			unchanged = append(unchanged, s.Name)
			continue
		}
		kept := make([]*desired, 0, len(s.Endpoints))
		same := maps.Equal(s.Labels, wantedLabels)
		for i := range s.Endpoints {
			e := &s.Endpoints[i]
			want, ok := g.endpoints[e.Addresses[0]]
			if !ok || want.placed || !sameTarget(e, &want.Endpoint) {
				same = false
				continue
			}
			if same && !sameEndpoint(e, &want.Endpoint) {
				same = false
			}
			kept = append(kept, want)
			want.placed = true
			open--
		}
		switch {
		case same:
			byName[s.Name] = s
			unchanged = append(unchanged, s.Name)
			g.known.hold(s, kept)
		case len(kept) == 0:
			toDelete = append(toDelete, s)
		default:
			next := withoutEndpoints(s)
			next.Endpoints, next.Labels = make([]discoveryv1.Endpoint, len(kept)), maps.Clone(wantedLabels)
			for i, want := range kept {
				next.Endpoints[i] = want.Endpoint
			}
			byName[s.Name] = next
			changed = append(changed, s.Name)
		}
	}
	rest := make([]string, 0, open)
	if open > 0 {
		for address, want := range g.endpoints { // order: they are sorted below
			if !want.placed {
				rest = append(rest, address)
			}
		}
		slices.Sort(rest)
	}
	take := func(s *discoveryv1.EndpointSlice) {
		n := min(r.maxEndpointsPerSlice-len(s.Endpoints), len(rest))
		for _, address := range rest[:max(n, 0)] {
			s.Endpoints = append(s.Endpoints, g.endpoints[address].Endpoint)
		}
		rest = rest[max(n, 0):]
	}
	// The fullest of those that change anyway come first.
	sort.SliceStable(changed, func(i, j int) bool {
		return len(byName[changed[i]].Endpoints) > len(byName[changed[j]].Endpoints)
	})
	for _, name := range changed {
		take(byName[name])
		toUpdate = append(toUpdate, byName[name])
	}
	for len(rest) > 0 {
		if i := r.closestToFull(byName, unchanged, len(rest)); i >= 0 && len(rest) < r.maxEndpointsPerSlice {
			full := byName[unchanged[i]]
			next := withoutEndpoints(full)
			next.Endpoints = slices.Clone(full.Endpoints)
			unchanged = append(unchanged[:i:i], unchanged[i+1:]...)
			take(next)
			toUpdate = append(toUpdate, next)
			continue
		}
		s := newEndpointSlice(svc, g.ports)
		take(s)
		toCreate = append(toCreate, s)
	}
	return toCreate, toUpdate, toDelete
}

// withoutEndpoints is a copy whose endpoints are still to be set: what it shares of them is never changed.
func withoutEndpoints(s *discoveryv1.EndpointSlice) *discoveryv1.EndpointSlice {
	head := *s
	head.Endpoints = nil
	return head.DeepCopy()
}

// closestToFull is the fullest slice that takes n more, -1 for none. Upstream: getSliceToFill.
func (r *reconciler) closestToFull(byName map[string]*discoveryv1.EndpointSlice, names []string, n int) int {
	best, most := -1, -1
	for i, name := range names {
		if total := len(byName[name].Endpoints) + n; total <= r.maxEndpointsPerSlice && total > most {
			best, most = i, total
		}
	}
	return best
}

func sameTarget(a, b *discoveryv1.Endpoint) bool {
	return a.TargetRef != nil && b.TargetRef != nil && a.TargetRef.UID == b.TargetRef.UID
}

// sameEndpoint is SemanticDeepEqual of two endpoints, whose parts are mostly the same without a look at each field.
func sameEndpoint(a, b *discoveryv1.Endpoint) bool {
	same := len(a.Addresses) == 1 && len(b.Addresses) == 1 && a.Addresses[0] == b.Addresses[0] && equal(a.NodeName, b.NodeName) && equal(a.Zone, b.Zone) &&
		equal(a.Hostname, b.Hostname) && equal(a.Conditions.Ready, b.Conditions.Ready) && equal(a.Conditions.Serving, b.Conditions.Serving) &&
		equal(a.Conditions.Terminating, b.Conditions.Terminating) && equal(a.TargetRef, b.TargetRef) &&
		a.Hints == nil && b.Hints == nil && len(a.DeprecatedTopology)+len(b.DeprecatedTopology) == 0
	return same || api.SemanticDeepEqual(*a, *b)
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// samePorts tells whether two Pods have the same ports in the same order.
func samePorts(a, b []discoveryv1.EndpointPort) bool {
	return slices.EqualFunc(a, b, func(x, y discoveryv1.EndpointPort) bool {
		return equal(x.Name, y.Name) && equal(x.Protocol, y.Protocol) && equal(x.Port, y.Port) && x.AppProtocol == y.AppProtocol
	})
}

// finalize writes. A slice to be created takes over one to be deleted of the same service: that saves a write, and
// watchers never see the Service without it. Upstream: Reconciler.finalize.
func (r *reconciler) finalize(p *sim.Proc, svc *corev1.Service, toCreate, toUpdate, toDelete []*discoveryv1.EndpointSlice, trigger time.Time) error {
	log := p.Logger()
	for i := 0; i < len(toDelete); {
		if len(toCreate) == 0 {
			break
		}
		old := toDelete[i]
		if old.AddressType != toCreate[0].AddressType || !metav1.IsControlledBy(old, svc) {
			i++
			continue
		}
		toDelete = append(toDelete[:i:i], toDelete[i+1:]...)
		next := toCreate[0]
		toCreate = toCreate[1:]
		next.Name, next.GenerateName, next.ResourceVersion, next.UID = old.Name, old.GenerateName, old.ResourceVersion, old.UID
		next.Generation, next.CreationTimestamp = old.Generation, old.CreationTimestamp
		toUpdate = append(toUpdate, next)
	}
	if len(toCreate)+len(toUpdate)+len(toDelete) > 0 {
		log.V(2).Info("Updating EndpointSlices", "service", controller.KObj(svc), "create", len(toCreate), "update", len(toUpdate), "delete", len(toDelete))
	}
	slices := r.client.DiscoveryV1().EndpointSlices(svc.Namespace)
	if svc.DeletionTimestamp == nil { // for one that goes away, new slices would only have to go too
		for _, s := range toCreate {
			addTriggerTimeAnnotation(s, trigger)
			created, err := slices.Create(p, s, metav1.CreateOptions{})
			if err != nil {
				if apierrors.HasStatusCause(err, controller.NamespaceTerminatingCause) {
					return nil
				}
				return fmt.Errorf("failed to create EndpointSlice for Service %s: %w", controller.KObj(svc), err)
			}
			r.tracker.Update(created)
		}
	}
	for _, s := range toUpdate {
		addTriggerTimeAnnotation(s, trigger)
		updated, err := slices.Update(p, s, metav1.UpdateOptions{})
		if err != nil {
			return fmt.Errorf("failed to update %s EndpointSlice for Service %s: %w", s.Name, controller.KObj(svc), err)
		}
		r.tracker.Update(updated)
	}
	for _, s := range toDelete {
		if err := slices.Delete(p, s.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("failed to delete %s EndpointSlice for Service %s: %w", s.Name, controller.KObj(svc), err)
		}
		r.tracker.ExpectDeletion(s)
	}
	return nil
}

func addTriggerTimeAnnotation(s *discoveryv1.EndpointSlice, trigger time.Time) {
	if trigger.IsZero() {
		delete(s.Annotations, corev1.EndpointsLastChangeTriggerTime)
		return
	}
	if s.Annotations == nil {
		s.Annotations = map[string]string{}
	}
	s.Annotations[corev1.EndpointsLastChangeTriggerTime] = trigger.UTC().Format(time.RFC3339Nano)
}

// podToEndpoint is what a Pod looks like in a slice. ready is for those who only want Pods that stay; a Pod that ends may
// still be serving. Upstream: staging/src/k8s.io/endpointslice/utils.go, podToEndpoint.
func podToEndpoint(pod *corev1.Pod, node *corev1.Node, svc *corev1.Service) discoveryv1.Endpoint {
	serving := controller.IsPodReady(pod)
	terminating := pod.DeletionTimestamp != nil
	ready := svc.Spec.PublishNotReadyAddresses || serving && !terminating
	e := discoveryv1.Endpoint{
		Addresses:  []string{pod.Status.PodIP},
		Conditions: discoveryv1.EndpointConditions{Ready: &ready, Serving: &serving, Terminating: &terminating},
		TargetRef:  &corev1.ObjectReference{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
	}
	if name := pod.Spec.NodeName; name != "" {
		e.NodeName = &name
	}
	if node != nil {
		if zone := node.Labels[corev1.LabelTopologyZone]; zone != "" {
			e.Zone = &zone
		}
	}
	if endpoint.ShouldSetHostname(pod, svc) {
		hostname := pod.Spec.Hostname
		e.Hostname = &hostname
	}
	setHints(&e, svc)
	return e
}

// setHints says for whom an endpoint is meant. Upstream: staging/src/k8s.io/endpointslice/trafficdist/trafficdist.go.
func setHints(e *discoveryv1.Endpoint, svc *corev1.Service) {
	if svc.Spec.TrafficDistribution == nil || !*e.Conditions.Ready {
		return
	}
	hints := &discoveryv1.EndpointHints{}
	switch *svc.Spec.TrafficDistribution {
	case "PreferSameNode":
		if e.NodeName != nil {
			hints.ForNodes = []discoveryv1.ForNode{{Name: *e.NodeName}}
		}
		fallthrough
	case "PreferSameZone", "PreferClose":
		if e.Zone != nil {
			hints.ForZones = []discoveryv1.ForZone{{Name: *e.Zone}}
		}
	}
	if hints.ForZones != nil || hints.ForNodes != nil {
		e.Hints = hints
	}
}

// getEndpointPorts are the numbers behind a Service's ports in one Pod. A name that the Pod does not have is left out.
// Upstream: utils.go, getEndpointPorts.
func getEndpointPorts(log sim.Logger, svc *corev1.Service, pod *corev1.Pod) []discoveryv1.EndpointPort {
	out := []discoveryv1.EndpointPort{}
	for i := range svc.Spec.Ports {
		sp := &svc.Spec.Ports[i]
		number, err := endpoint.FindPort(pod, sp)
		if err != nil {
			log.V(4).Info("Failed to find port for service", "service", controller.KObj(svc), "pod", controller.KObj(pod), "port", sp.TargetPort.String())
			continue
		}
		name, protocol := sp.Name, sp.Protocol
		out = append(out, discoveryv1.EndpointPort{Name: &name, Port: &number, Protocol: &protocol, AppProtocol: sp.AppProtocol})
	}
	return out
}

// portMapKey is the same for the same ports in any order. Upstream: endpointslice/util, NewPortMapKey.
func portMapKey(ports []discoveryv1.EndpointPort) string {
	keys := make([]string, len(ports))
	for i, p := range ports {
		if p.Name != nil {
			keys[i] = *p.Name
		}
		if p.Protocol != nil {
			keys[i] += "/" + string(*p.Protocol)
		}
		if p.Port != nil {
			keys[i] += "/" + strconv.Itoa(int(*p.Port))
		}
	}
	sort.Strings(keys)
	return strings.Join(keys, " ")
}

// newEndpointSlice is an empty slice of a Service. Upstream: utils.go, newEndpointSlice.
func newEndpointSlice(svc *corev1.Service, ports []discoveryv1.EndpointPort) *discoveryv1.EndpointSlice {
	if ports == nil {
		ports = []discoveryv1.EndpointPort{}
	}
	return &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: svc.Namespace, GenerateName: getEndpointSlicePrefix(svc.Name), Labels: setEndpointSliceLabels(svc),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(svc, serviceKind)},
		},
		AddressType: ipv4, Ports: ports, Endpoints: []discoveryv1.Endpoint{},
	}
}

// getEndpointSlicePrefix leaves the dash out when the name would be too long for it. Upstream: utils.go, the same name.
func getEndpointSlicePrefix(name string) string {
	if len(name) >= 63 {
		return name
	}
	return name + "-"
}

// setEndpointSliceLabels are the Service's labels and those by which slices are found. Upstream: utils.go, setEndpointSliceLabels.
func setEndpointSliceLabels(svc *corev1.Service) map[string]string {
	out := map[string]string{}
	for k, v := range svc.Labels { // order: a map into a map
		switch k {
		case discoveryv1.LabelServiceName, discoveryv1.LabelManagedBy, corev1.IsHeadlessService:
		default:
			out[k] = v
		}
	}
	if svc.Spec.ClusterIP == corev1.ClusterIPNone {
		out[corev1.IsHeadlessService] = ""
	}
	out[discoveryv1.LabelServiceName], out[discoveryv1.LabelManagedBy] = svc.Name, managedBy
	return out
}
