package apiserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/api/x509"
	"kubewalk/playground/controlplane/apiserver/serviceresolver"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/discovery"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// The aggregation layer: an APIService that names a Service has another server answer for its version. This one finds out whether
// that server can be reached (availability), asks it what it has (discovery), and sends requests on to it (proxy).
//
// Simplified: of TLS there is the certificate that a server shows, which package x509 verifies; this one shows none. An APIService has two
// processes of its own instead of keys in two queues with workers. The five attempts at a check come one after the other. Discovery is
// asked for one version at a time. Answers are read whole, and watches are not sent on: a server says that it has none.
// Upstream: kube-aggregator/pkg/apiserver/apiserver.go, handler_proxy.go and handler_discovery.go;
// pkg/controllers/status/remote/remote_available_controller.go.

const registrations = "apiservices"

// aggregated is an APIService behind which another server is.
type aggregated struct {
	service   *apiregistrationv1.APIService // as the watch cache has it
	available bool                          // the condition in it
	removed   bool

	check, ask loop

	kinds []*api.Kind // what its server has; one that is stale, if that is not known
}

// loop is one of an APIService's two processes.
type loop struct {
	proc  *sim.Proc
	dirty bool
	cause trace.ID // of the last wake
}

// wake has the process look again.
func (l *loop) wake() {
	if l.dirty = true; l.proc != nil {
		l.cause = l.proc.Kernel().Cause()
		l.proc.Wake()
	}
}

// run does something whenever there is a reason to, and again after a while. What fails is tried again sooner.
func (l *loop) run(p *sim.Proc, over *bool, again, first, longest time.Duration, do func(*sim.Proc) error) {
	l.proc = p
	for failures := 0; !*over; {
		l.dirty = false
		wait := again
		if err := do(p); err != nil {
			wait = min(first<<min(failures, 20), longest)
			failures++
		} else {
			failures = 0
		}
		for until := p.Now() + wait; !l.dirty && !*over && p.Now() < until; {
			p.ParkFor(until - p.Now())
		}
		if l.dirty && l.cause != 0 {
			p.Due(l.cause)
		}
	}
}

// Upstream: the queues' rate limiters, and how often the two look again.
const (
	availabilityResync = 30 * time.Second
	discoveryRefresh   = time.Minute
	checkTimeout       = 5 * time.Second
	checkAttempts      = 5
)

// aggregate begins to look after an APIService, or takes note of a change. With another service it begins anew.
func (s *Server) aggregate(c *sim.Component, service *apiregistrationv1.APIService) {
	a := s.aggregated[service.Name]
	if service.Spec.Service == nil {
		s.forget(service.Name)
		s.setLocal(c, service)
		return
	}
	if a == nil {
		a = &aggregated{}
		s.aggregated[service.Name] = a
	}
	a.service, a.available = service, available(service) == apiregistrationv1.ConditionTrue
	if a.kinds == nil {
		a.kinds = []*api.Kind{a.stale()}
		s.kindsChanged()
		c.Go("availability "+service.Name, func(p *sim.Proc) {
			a.check.run(p, &a.removed, availabilityResync, 5*time.Millisecond, 30*time.Second, func(p *sim.Proc) error { return s.checkAvailability(p, a) })
		})
		c.Go("discovery "+service.Name, func(p *sim.Proc) {
			a.ask.run(p, &a.removed, discoveryRefresh, 500*time.Millisecond, discoveryRefresh, func(p *sim.Proc) error { return s.discover(p, a) })
		})
		return
	}
	a.check.wake()
	a.ask.wake()
}

// forget ends what is served of an APIService.
func (s *Server) forget(name string) {
	a := s.aggregated[name]
	if a == nil {
		return
	}
	delete(s.aggregated, name)
	a.removed = true
	a.check.wake()
	a.ask.wake()
	s.kindsChanged()
}

// aggregationChanged is called with every event of etcd.
func (s *Server) aggregationChanged(c *sim.Component, e store.Event) {
	if e.Key.Resource == registrations {
		if service := e.Object.(*apiregistrationv1.APIService); e.Type == store.Deleted {
			s.forget(service.Name)
		} else {
			s.aggregate(c, service)
		}
		return
	}
	if len(s.aggregated) == 0 {
		return
	}
	name := e.Key.Name
	switch e.Key.Resource {
	case "services":
	case "endpointslices":
		name = e.Object.GetLabels()[discoveryv1.LabelServiceName]
	default:
		return
	}
	for _, a := range s.byPriority() {
		if ref := a.service.Spec.Service; ref.Namespace == e.Key.Namespace && ref.Name == name {
			a.check.wake()
		}
	}
}

// byPriority are all, those of the group that counts most first.
func (s *Server) byPriority() []*aggregated {
	var out []*aggregated
	for _, a := range s.aggregated { // order: sorted below
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b *aggregated) int { return strings.Compare(a.service.Name, b.service.Name) })
	slices.SortStableFunc(out, func(a, b *aggregated) int {
		return int(b.service.Spec.GroupPriorityMinimum - a.service.Spec.GroupPriorityMinimum)
	})
	return out
}

// startAggregation looks after the APIServices that were there before the server started.
func (s *Server) startAggregation(c *sim.Component) {
	s.aggregated = map[string]*aggregated{}
	for _, obj := range s.store.At(registrations, "", s.revision) {
		s.aggregate(c, obj.(*apiregistrationv1.APIService))
	}
}

func (a *aggregated) groupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: a.service.Spec.Group, Version: a.service.Spec.Version}
}

// stale stands for a version of which nothing is known.
func (a *aggregated) stale() *api.Kind {
	spec := &a.service.Spec
	return &api.Kind{GroupVersionKind: a.groupVersion().WithKind(""),
		Aggregated: &api.Aggregated{GroupPriority: spec.GroupPriorityMinimum, VersionPriority: spec.VersionPriority, Stale: true}}
}

// condition finds an APIService's, nil if nobody has looked yet.
func condition(service *apiregistrationv1.APIService) *apiregistrationv1.APIServiceCondition {
	for i := range service.Status.Conditions {
		if c := &service.Status.Conditions[i]; c.Type == apiregistrationv1.Available {
			return c
		}
	}
	return nil
}

func available(service *apiregistrationv1.APIService) apiregistrationv1.ConditionStatus {
	if c := condition(service); c != nil {
		return c.Status
	}
	return apiregistrationv1.ConditionUnknown
}

// setAvailable writes the condition, if it says something new.
// Upstream: updateAPIServiceStatus; apiregistration/v1/helper, SetAPIServiceCondition.
func (s *Server) setAvailable(p *sim.Proc, name string, status apiregistrationv1.ConditionStatus, reason, message string) error {
	_, err := s.store.GuaranteedUpdate(p, store.Key{Resource: registrations, Name: name}, func(current api.Object) (api.Object, error) {
		next := current.DeepCopyObject().(*apiregistrationv1.APIService)
		c := condition(next)
		if c == nil {
			next.Status.Conditions = append(next.Status.Conditions, apiregistrationv1.APIServiceCondition{Type: apiregistrationv1.Available})
			c = condition(next)
		}
		if c.Status == status && c.Reason == reason && c.Message == message {
			return next, nil // the same is not written
		}
		p.Logger().V(2).Info("changing APIService availability", "name", name, "oldStatus", string(available(current.(*apiregistrationv1.APIService))),
			"newStatus", string(status), "message", message, "reason", reason)
		if c.Status != status {
			c.LastTransitionTime = metav1.NewTime(p.Time()).Rfc3339Copy()
		}
		c.Status, c.Reason, c.Message = status, reason, message
		return next, nil
	})
	if err == store.ErrNotFound {
		return nil
	}
	return err
}

// setLocal says of a version that this server has that it is there. Upstream: pkg/controllers/status/local/local_available_controller.go.
func (s *Server) setLocal(c *sim.Component, service *apiregistrationv1.APIService) {
	if now := condition(service); now != nil && now.Reason == "Local" {
		return
	}
	c.Go("availability "+service.Name, func(p *sim.Proc) {
		if err := s.setAvailable(p, service.Name, apiregistrationv1.ConditionTrue, "Local", "Local APIServices are always available"); err != nil {
			p.Logger().Error(err, "Unable to update an APIService", "apiService", service.Name)
		}
	})
}

// checkAvailability is upstream's AvailableConditionController.sync. Its ServiceAccessError and EndpointsAccessError, for caches that cannot
// be read, cannot happen here.
func (s *Server) checkAvailability(p *sim.Proc, a *aggregated) error {
	name, ref := a.service.Name, a.service.Spec.Service
	port := *ref.Port
	unavailable := func(reason, format string, args ...any) error {
		return s.setAvailable(p, name, apiregistrationv1.ConditionFalse, reason, fmt.Sprintf(format, args...))
	}
	svc, _ := s.caches["services"].Get(store.Key{Resource: "services", Namespace: ref.Namespace, Name: ref.Name}).(*corev1.Service)
	if svc == nil {
		return unavailable("ServiceNotFound", "service/%s in %q is not present", ref.Name, ref.Namespace)
	}
	if svc.Spec.Type == corev1.ServiceTypeClusterIP {
		i := slices.IndexFunc(svc.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == port })
		if i < 0 {
			return unavailable("ServicePortError", "service/%s in %q is not listening on port %d", ref.Name, ref.Namespace, port)
		}
		var endpoints []*discoveryv1.EndpointSlice
		for _, obj := range s.caches["endpointslices"].List(ref.Namespace) {
			if obj.GetLabels()[discoveryv1.LabelServiceName] == ref.Name {
				endpoints = append(endpoints, obj.(*discoveryv1.EndpointSlice))
			}
		}
		portName := svc.Spec.Ports[i].Name
		switch {
		case len(endpoints) == 0:
			return unavailable("EndpointsNotFound", "cannot find endpointslices for service/%s in %q", ref.Name, ref.Namespace)
		case !slices.ContainsFunc(endpoints, func(e *discoveryv1.EndpointSlice) bool { return answersAt(e, portName) }):
			return unavailable("MissingEndpoints", "endpointslices for service/%s in %q have no addresses with port name %q", ref.Name, ref.Namespace, portName)
		}
	}
	if err := x509.CheckBundle(a.service.Spec.CABundle); err != nil {
		return err
	}
	var err error
	for range checkAttempts {
		if err = s.checkDiscovery(p, a); err == nil {
			break
		}
	}
	if err != nil {
		if wrong := unavailable("FailedDiscoveryCheck", "%v", err); wrong != nil {
			return wrong
		}
		return err
	}
	return s.setAvailable(p, name, apiregistrationv1.ConditionTrue, "Passed", "all checks passed")
}

// answersAt tells whether somebody in a slice is ready and has a port. Upstream: hasAvailableEndpoint.
func answersAt(slice *discoveryv1.EndpointSlice, portName string) bool {
	return slices.ContainsFunc(slice.Endpoints, func(e discoveryv1.Endpoint) bool { return e.Conditions.Ready == nil || *e.Conditions.Ready }) &&
		slices.ContainsFunc(slice.Ports, func(p discoveryv1.EndpointPort) bool { return p.Name != nil && *p.Name == portName && p.Port != nil })
}

// checkDiscovery tries what each server has to answer.
func (s *Server) checkDiscovery(p *sim.Proc, a *aggregated) error {
	address, err := s.resolve(a)
	if err != nil {
		return err
	}
	at := "https://" + address + "/apis/" + a.groupVersion().String()
	status, _, err := s.dial(p, address, a.request(p.Time(), "GET", "/apis/"+a.groupVersion().String(), "system:kube-aggregator", "system:masters"), checkTimeout)
	if err != nil {
		return fmt.Errorf("failing or missing response from %s: Get %q: %w", at, at, err)
	}
	if status < 200 || status >= 300 {
		return fmt.Errorf("failing or missing response from %s: bad status from %[1]s: %d", at, status)
	}
	return nil
}

func (s *Server) resolve(a *aggregated) (string, error) {
	ref := a.service.Spec.Service
	return serviceresolver.ResolveEndpoint(s.store, s.kernel.Rand("apiserver/aggregator"), ref.Namespace, ref.Name, *ref.Port)
}

// request is one to an APIService's server, on behalf of somebody. The server believes the header because of who sends it.
// Upstream: client-go/transport/round_trippers.go, SetAuthProxyHeaders.
func (a *aggregated) request(now time.Time, method, path, user string, groups ...string) Outgoing {
	spec := &a.service.Spec
	host := spec.Service.Name + "." + spec.Service.Namespace + ".svc"
	r := Outgoing{Method: method, URL: "https://" + host + path,
		Header: map[string][]string{"X-Remote-User": {user}, "Accept": {"application/json"}}}
	r.Verify = func(shown string) error {
		if spec.InsecureSkipTLSVerify && shown != x509.Plain {
			return nil
		}
		return x509.Verify(shown, spec.CABundle, host, now)
	}
	if len(groups) > 0 {
		r.Header["X-Remote-Group"] = groups
	}
	return r
}

func (s *Server) dial(p *sim.Proc, address string, r Outgoing, timeout time.Duration) (int, []byte, error) {
	if s.dialer == nil {
		return 0, nil, fmt.Errorf("dial tcp %s: connect: network is unreachable", address)
	}
	return s.dialer.Do(p, address, r, timeout)
}

// discover asks an APIService's server what it has. Until it answers, its version is stale.
// Upstream: discoveryManager.syncAPIService and fetchFreshDiscoveryForService, the older form.
func (s *Server) discover(p *sim.Proc, a *aggregated) error {
	kinds, err := s.fetchDiscovery(p, a)
	if err != nil {
		kinds = []*api.Kind{a.stale()}
	}
	if !a.removed && !sameKinds(a.kinds, kinds) {
		a.kinds = kinds
		s.kindsChanged()
	}
	return err
}

func (s *Server) fetchDiscovery(p *sim.Proc, a *aggregated) ([]*api.Kind, error) {
	if !a.available {
		return nil, errors.New("service unavailable")
	}
	address, err := s.resolve(a)
	if err != nil {
		return nil, err
	}
	status, body, err := s.dial(p, address, a.request(p.Time(), "GET", "/apis/"+a.groupVersion().String(), "system:kube-aggregator"), checkTimeout)
	if err != nil {
		return nil, err
	}
	var list discovery.APIResourceList
	if status != 200 {
		return nil, fmt.Errorf("failed to download legacy discovery for /apis/%s: %s", a.groupVersion(), body)
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	var kinds []*api.Kind
	for _, r := range list.APIResources {
		if main, sub, ok := strings.Cut(r.Name, "/"); ok {
			if i := slices.IndexFunc(kinds, func(k *api.Kind) bool { return k.Resource == main }); i >= 0 {
				kinds[i].Subresources = append(kinds[i].Subresources, api.Subresource{Name: sub})
			}
			continue
		}
		kinds = append(kinds, a.kind(&r))
	}
	return kinds, nil
}

// kind is one that discovery has named.
func (a *aggregated) kind(r *discovery.APIResource) *api.Kind {
	k := &api.Kind{GroupVersionKind: a.groupVersion().WithKind(r.Kind), Resource: r.Name, Singular: r.SingularName, ShortNames: r.ShortNames,
		Categories: r.Categories, Namespaced: r.Namespaced, Aggregated: a.stale().Aggregated}
	k.Aggregated.Verbs, k.Aggregated.Stale = slices.Sorted(slices.Values(r.Verbs)), false
	k.New = func() api.Object { return api.NewUnstructured(k) }
	if k.Supports("list") {
		k.NewList = func() api.List { return api.NewUnstructuredList(k) }
	}
	return k
}

func sameKinds(a, b []*api.Kind) bool {
	return slices.EqualFunc(a, b, func(a, b *api.Kind) bool {
		return a.GroupVersionKind == b.GroupVersionKind && a.Resource == b.Resource && a.Singular == b.Singular && a.Namespaced == b.Namespaced &&
			slices.Equal(a.ShortNames, b.ShortNames) && slices.Equal(a.Categories, b.Categories) && slices.Equal(a.Subresources, b.Subresources) &&
			slices.Equal(a.Aggregated.Verbs, b.Aggregated.Verbs) && a.Aggregated.Stale == b.Aggregated.Stale &&
			a.Aggregated.GroupPriority == b.Aggregated.GroupPriority && a.Aggregated.VersionPriority == b.Aggregated.VersionPriority
	})
}

// aggregatedAt is who serves a version; nil is this server.
func (s *Server) aggregatedAt(gv schema.GroupVersion) *aggregated {
	if len(s.aggregated) == 0 {
		return nil
	}
	return s.aggregated[gv.Version+"."+gv.Group]
}

// proxy sends a request on. Upstream: proxyHandler.ServeHTTP.
func (s *Server) proxy(p *sim.Proc, c *call, a *aggregated) (client.Result, int32, error) {
	r := c.Request
	c.phase = "" // it passes none of this server's
	if !a.available {
		return nil, 0, unexpected(r, 503, "service unavailable")
	}
	if err := x509.CheckBundle(a.service.Spec.CABundle); err != nil {
		return nil, 0, unexpected(r, 500, err.Error())
	}
	address, err := s.resolve(a)
	if err != nil {
		p.Logger().Error(nil, fmt.Sprintf("error resolving %s/%s: %v", a.service.Spec.Service.Namespace, a.service.Spec.Service.Name, err))
		return nil, 0, unexpected(r, 503, "service unavailable")
	}
	out := a.request(p.Time(), r.Method(), r.Path(), c.user.Username, c.user.Groups...)
	if query := r.Query(); query != "" {
		out.URL += "?" + query
	}
	if r.Table {
		out.Header["Accept"] = []string{"application/json;as=Table;v=v1;g=meta.k8s.io"}
	}
	switch {
	case r.Verb == client.Patch:
		out.Body = r.PatchText()
		out.Header["Content-Type"] = []string{string(r.PatchType)}
	case r.Body != nil:
		out.Body = r.Body
	case r.Object != nil:
		out.Body, err = api.Encode(r.Object)
	case r.Verb == client.Delete, r.Verb == client.DeleteCollection:
		out.Body, err = api.Encode(r.Delete)
	}
	if err != nil {
		return nil, 0, err
	}
	if out.Body != nil && r.Verb != client.Patch {
		out.Header["Content-Type"] = []string{"application/json"}
	}
	status, body, err := s.dial(p, address, out, max(p.Deadline()-p.Now(), 0))
	if err != nil {
		return nil, 0, unexpected(r, 503, "error trying to reach service: "+err.Error())
	}
	result, err := s.readAnswer(r, status, body)
	if err == nil && r.Verb == client.Watch {
		err = apierrors.NewMethodNotSupported(r.Resource.GroupResource(), r.Verb)
	}
	return result, int32(status), err
}

// readAnswer makes of an answer what the client gets of it.
func (s *Server) readAnswer(r *client.Request, code int, body []byte) (client.Result, error) {
	var head metav1.TypeMeta
	if err := json.Unmarshal(body, &head); err != nil || head.Kind == "" {
		if code >= 200 && code < 300 {
			return &client.Text{Body: string(body)}, nil
		}
		return nil, unexpected(r, int32(code), strings.TrimSpace(string(body)))
	}
	var err error
	switch kind := s.kinds.ForResource(r.Resource); {
	case head.Kind == "Status":
		status := &metav1.Status{}
		if err = json.Unmarshal(body, status); err == nil && status.Status != metav1.StatusSuccess {
			err = &apierrors.StatusError{ErrStatus: *status}
		}
		return status, err
	case head.Kind == "Table":
		return readTable(kind, body)
	case kind != nil && kind.NewList != nil && head.Kind == kind.GroupVersionKind.Kind+"List":
		return readList(kind, body)
	case kind != nil:
		obj := kind.New()
		return obj, json.Unmarshal(body, obj)
	}
	return &client.Text{Body: string(body)}, nil
}

func readList(kind *api.Kind, body []byte) (client.Result, error) {
	var list struct {
		Metadata metav1.ListMeta   `json:"metadata"`
		Items    []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	out := kind.NewList()
	api.SetListKind(out)
	*out.GetListMeta() = list.Metadata
	var items []api.Object
	for _, text := range list.Items {
		obj := kind.New()
		if err := json.Unmarshal(text, obj); err != nil {
			return nil, err
		}
		api.SetKind(obj)
		items = append(items, obj)
	}
	out.SetItems(items)
	return out, nil
}

func readTable(kind *api.Kind, body []byte) (client.Result, error) {
	var t struct {
		metav1.Table
		Rows []struct {
			Cells  []any           `json:"cells"`
			Object json.RawMessage `json:"object"`
		} `json:"rows"`
	}
	if err := json.Unmarshal(body, &t); err != nil {
		return nil, err
	}
	out := t.Table
	out.Rows = []metav1.TableRow{}
	for _, row := range t.Rows {
		obj := api.NewUnstructured(kind)
		if len(row.Object) > 0 {
			if err := json.Unmarshal(row.Object, obj); err != nil {
				return nil, err
			}
		}
		out.Rows = append(out.Rows, metav1.TableRow{Cells: row.Cells, Object: obj})
	}
	return &out, nil
}

// unexpected is what a client makes of an answer that is plain text.
// Upstream: apimachinery/pkg/api/errors/errors.go, NewGenericServerResponse.
func unexpected(r *client.Request, code int32, text string) error {
	reason, message := metav1.StatusReasonUnknown, fmt.Sprintf("the server responded with the status code %d but did not return more information", code)
	switch {
	case code == 404:
		reason, message = metav1.StatusReasonNotFound, "the server could not find the requested resource"
	case code == 503:
		reason, message = metav1.StatusReasonServiceUnavailable, "the server is currently unable to handle the request"
	case code >= 500:
		reason, message = metav1.StatusReasonInternalError, fmt.Sprintf("an error on the server (%q) has prevented the request from succeeding", text)
	}
	message += " (" + strings.ToLower(r.Method()) + " " + r.Resource.GroupResource().String()
	if r.Name != "" {
		message += " " + r.Name
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message + ")",
		Details: &metav1.StatusDetails{Name: r.Name, Group: r.Resource.Group, Kind: r.Resource.Resource,
			Causes: []metav1.StatusCause{{Type: metav1.CauseTypeUnexpectedServerResponse, Message: text}}}}}
}
