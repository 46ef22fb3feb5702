package apiserver

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/discovery"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// extension answers as the server behind an APIService, and keeps what it was asked.
type extension struct {
	hooks
	fails  error
	status int    // of discovery; 0 is 200
	answer string // to what is no discovery
	code   int    // of that answer; 0 is 200
	asked  []Outgoing
	at     []string // addresses
}

const extensionResources = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"wardle.example.com/v1alpha1","resources":[
	{"name":"flunders","singularName":"flunder","namespaced":true,"kind":"Flunder","shortNames":["fl"],"verbs":["list","get","create"]},
	{"name":"flunders/status","singularName":"","namespaced":true,"kind":"Flunder","verbs":["get"]}]}`

func (x *extension) Do(_ *sim.Proc, address string, r Outgoing, _ time.Duration) (int, []byte, error) {
	x.asked, x.at = append(x.asked, r), append(x.at, address)
	if err := x.shows(&r); err != nil {
		return 0, nil, err
	}
	or := func(code int) int {
		if code == 0 {
			return 200
		}
		return code
	}
	switch {
	case x.fails != nil:
		return 0, nil, x.fails
	case strings.HasSuffix(r.URL, "/apis/wardle.example.com/v1alpha1"):
		return or(x.status), []byte(extensionResources), nil
	}
	return or(x.code), []byte(x.answer), nil
}

var (
	apiServicesResource = api.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	flunders            = api.GroupVersionResource{Group: "wardle.example.com", Version: "v1alpha1", Resource: "flunders"}
)

// wardle is a request about the APIService.
func wardle(verb string) *client.Request {
	return &client.Request{Verb: verb, Resource: apiServicesResource, Name: "v1alpha1.wardle.example.com"}
}

const wardleService = `{"metadata":{"name":"v1alpha1.wardle.example.com"},"spec":{"group":"wardle.example.com","version":"v1alpha1",
	"groupPriorityMinimum":%d,"versionPriority":15,"insecureSkipTLSVerify":true,"service":{"namespace":"default","name":"wardle","port":%d}}}`

func registration(priority, port int) *client.Request {
	return post("apiservices", fmt.Sprintf(wardleService, priority, port))
}

func slice(ready bool, ports string) *client.Request {
	return post("endpointslices", fmt.Sprintf(`{"metadata":{"name":"wardle-1","labels":{"kubernetes.io/service-name":"wardle"}},"addressType":"IPv4",
		"endpoints":[{"addresses":["10.244.1.5"],"conditions":{"ready":%v}}],"ports":[%s]}`, ready, ports))
}

const (
	wardleBehind = `{"metadata":{"name":"wardle"},"spec":{"ports":[{"name":"https","port":443}]}}`
	portHTTPS    = `{"name":"https","port":6443,"protocol":"TCP"}`
)

// aggregating is a server with an APIService, a Service and an endpoint that is ready.
func aggregating(t *testing.T, x *extension, body func(w *world, p *sim.Proc)) {
	t.Helper()
	w := newWorld(t, trace.Off)
	w.s.ConnectPods(x)
	w.run(func(p *sim.Proc) {
		w.must(p, post("services", wardleBehind))
		w.must(p, slice(true, portHTTPS))
		w.must(p, registration(2000, 443))
		p.Sleep(time.Second)
		body(w, p)
	})
}

func (w *world) availability(p *sim.Proc) string {
	w.t.Helper()
	service := w.must(p, wardle(client.Get)).(*apiregistrationv1.APIService)
	c := condition(service)
	if c == nil {
		return "none"
	}
	if c.LastTransitionTime.IsZero() {
		w.t.Errorf("%s since the beginning of time", c.Reason)
	}
	return fmt.Sprintf("%s %s: %s", c.Status, c.Reason, c.Message)
}

// TestAvailability: the reasons and messages are those of upstream's AvailableConditionController.sync, each in its turn.
func TestAvailability(t *testing.T) {
	x := &extension{fails: errors.New("dial tcp 10.244.1.5:6443: connect: connection refused")}
	w := newWorld(t, trace.Off)
	w.s.ConnectPods(x)
	const at = "https://10.244.1.5:6443/apis/wardle.example.com/v1alpha1"
	w.run(func(p *sim.Proc) {
		for _, step := range []struct {
			do   func()
			want string
		}{
			{func() { w.must(p, registration(2000, 8443)) }, `False ServiceNotFound: service/wardle in "default" is not present`},
			{func() { w.must(p, post("services", wardleBehind)) }, `False ServicePortError: service/wardle in "default" is not listening on port 8443`},
			{func() {
				w.must(p, wardle(client.Delete))
				w.must(p, registration(2000, 443))
			}, `False EndpointsNotFound: cannot find endpointslices for service/wardle in "default"`},
			{func() { w.must(p, slice(false, portHTTPS)) },
				`False MissingEndpoints: endpointslices for service/wardle in "default" have no addresses with port name "https"`},
			{func() {
				w.must(p, remove(sliceResource, "wardle-1", metav1.DeleteOptions{}))
				w.must(p, slice(true, `{"name":"http","port":80,"protocol":"TCP"}`))
			}, `False MissingEndpoints: endpointslices for service/wardle in "default" have no addresses with port name "https"`},
			{func() {
				w.must(p, remove(sliceResource, "wardle-1", metav1.DeleteOptions{}))
				w.must(p, slice(true, portHTTPS))
			}, `False FailedDiscoveryCheck: failing or missing response from ` + at + `: Get "` + at + `": dial tcp 10.244.1.5:6443: connect: connection refused`},
			{func() { x.fails, x.status = nil, 403 },
				`False FailedDiscoveryCheck: failing or missing response from ` + at + `: bad status from ` + at + `: 403`},
			{func() { x.status = 0 }, `True Passed: all checks passed`},
			{func() { w.must(p, remove(servicesResource, "wardle", metav1.DeleteOptions{})) },
				`False ServiceNotFound: service/wardle in "default" is not present`},
		} {
			step.do()
			p.Sleep(31 * time.Second) // what no event tells of is found by looking again
			if got := w.availability(p); got != step.want {
				t.Errorf("got  %s\nwant %s", got, step.want)
			}
		}
	})
	// One that is well is asked every 30 seconds, as system:kube-aggregator.
	if h := x.asked[0].Header; h["X-Remote-User"][0] != "system:kube-aggregator" || h["X-Remote-Group"][0] != "system:masters" {
		t.Errorf("%v", h)
	}
}

var (
	sliceResource    = api.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}
	servicesResource = api.GroupVersionResource{Version: "v1", Resource: "services"}
)

func TestProxy(t *testing.T) {
	x := &extension{answer: `{"kind":"FlunderList","apiVersion":"wardle.example.com/v1alpha1","metadata":{"resourceVersion":"7"},
		"items":[{"metadata":{"name":"a","namespace":"default"},"spec":{"reference":"x"}}]}`}
	aggregating(t, x, func(w *world, p *sim.Proc) {
		if got := w.availability(p); got != "True Passed: all checks passed" {
			t.Fatal(got)
		}
		list := w.must(p, &client.Request{Verb: client.List, Resource: flunders, Namespace: "default", List: metav1.ListOptions{LabelSelector: "a=b,c"}}).(api.List)
		if items := list.GetItems(); len(items) != 1 || items[0].GetName() != "a" || items[0].GetObjectKind().Kind != "Flunder" || list.GetListMeta().ResourceVersion != "7" {
			t.Errorf("%v", list)
		}
		last := x.asked[len(x.asked)-1]
		if want := "https://wardle.default.svc/apis/wardle.example.com/v1alpha1/namespaces/default/flunders?labelSelector=a%3Db%2Cc"; last.URL != want {
			t.Errorf("%s", last.URL)
		}
		if last.Method != "GET" || last.Header["X-Remote-User"][0] != "tester" || x.at[len(x.at)-1] != "10.244.1.5:6443" {
			t.Errorf("%v at %s", last, x.at[len(x.at)-1])
		}
		x.answer = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"Name","type":"string","format":"name"}],
			"rows":[{"cells":["a"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"a"}}}]}`
		table := w.must(p, &client.Request{Verb: client.List, Resource: flunders, Table: true}).(*metav1.Table)
		if len(table.Rows) != 1 || table.Rows[0].Cells[0] != "a" || table.Rows[0].Object.GetName() != "a" {
			t.Errorf("%v", table)
		}
		if accept := x.asked[len(x.asked)-1].Header["Accept"][0]; !strings.Contains(accept, "as=Table") {
			t.Errorf("%s", accept)
		}
		x.code, x.answer = 201, `{"kind":"Flunder","apiVersion":"wardle.example.com/v1alpha1","metadata":{"name":"b"}}`
		code := int32(0)
		made := w.must(p, &client.Request{Verb: client.Create, Resource: flunders, Namespace: "default", Body: []byte(`{"metadata":{"name":"b"}}`),
			Answered: func(c int32) { code = c }}).(api.Object)
		if last := x.asked[len(x.asked)-1]; made.GetName() != "b" || code != 201 || last.Method != "POST" || string(last.Body) != `{"metadata":{"name":"b"}}` {
			t.Errorf("%v %d %v", made, code, last)
		}
		if n := len(w.st.At("flunders.wardle.example.com", "", w.st.Revision())); n != 0 {
			t.Errorf("%d objects in etcd", n)
		}
		for _, c := range []struct {
			code         int
			answer, want string
		}{
			{404, `{"kind":"Status","status":"Failure","code":404,"reason":"NotFound","message":"flunders.wardle.example.com \"c\" not found"}`,
				`flunders.wardle.example.com "c" not found`},
			{500, "boom", `an error on the server ("boom") has prevented the request from succeeding (get flunders.wardle.example.com c)`},
			{404, "404 page not found", "the server could not find the requested resource (get flunders.wardle.example.com c)"},
		} {
			x.code, x.answer = c.code, c.answer
			if _, err := w.do(p, get(flunders, "c")); err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		}
		x.fails = errors.New("dial tcp 10.244.1.5:6443: connect: connection refused")
		_, err := w.do(p, get(flunders, "c"))
		serves(t, err, "error trying to reach service: dial tcp 10.244.1.5:6443: connect: connection refused")
	})
}

// TestProxyPassesOptions: what a request says besides its object is its server's to heed.
func TestProxyPassesOptions(t *testing.T) {
	x := &extension{answer: `{"kind":"Status","apiVersion":"v1","status":"Success"}`}
	grace, uid, policy := int64(7), types.UID("u-1"), metav1.DeletePropagationForeground
	options := metav1.DeleteOptions{GracePeriodSeconds: &grace, Preconditions: &metav1.Preconditions{UID: &uid}, PropagationPolicy: &policy,
		DryRun: []string{metav1.DryRunAll}}
	const asJSON, asApply = "application/json", "application/apply-patch+yaml"
	const deletion = `{"gracePeriodSeconds":7,"preconditions":{"uid":"u-1"},"propagationPolicy":"Foreground","dryRun":["All"]}`
	aggregating(t, x, func(w *world, p *sim.Proc) {
		for _, c := range []struct {
			r                  *client.Request
			query, body, media string
		}{
			{&client.Request{Verb: client.Create, Body: []byte(`{}`), FieldManager: "me", FieldValidation: "Strict", DryRun: true},
				"dryRun=All&fieldManager=me&fieldValidation=Strict", `{}`, asJSON},
			{&client.Request{Verb: client.Patch, Name: "a", PatchType: types.ApplyPatchType, Patch: []byte(`{}`), FieldManager: "me", Force: true},
				"fieldManager=me&force=true", `{}`, asApply},
			{&client.Request{Verb: client.Delete, Name: "a", Delete: options}, "", deletion, asJSON},
			{&client.Request{Verb: client.DeleteCollection, Delete: options, List: metav1.ListOptions{LabelSelector: "a=b"}}, "labelSelector=a%3Db", deletion, asJSON},
			{&client.Request{Verb: client.List, List: metav1.ListOptions{Limit: 2, Continue: "c", ResourceVersion: "3", ResourceVersionMatch: "Exact"}},
				"continue=c&limit=2&resourceVersion=3&resourceVersionMatch=Exact", "", ""},
			{&client.Request{Verb: client.Get, Name: "a", RawQuery: "colour=red"}, "colour=red", "", ""},
		} {
			c.r.Resource, c.r.Namespace = flunders, "default"
			if _, err := w.do(p, c.r); err != nil {
				t.Error(err)
			}
			last := x.asked[len(x.asked)-1]
			_, query, _ := strings.Cut(last.URL, "?")
			if media := strings.Join(last.Header["Content-Type"], " "); query != c.query || string(last.Body) != c.body || media != c.media {
				t.Errorf("%s: %s %s %s\nwant %s %s %s", c.r.Verb, query, last.Body, media, c.query, c.body, c.media)
			}
		}
	})
}

// serves holds an error to what client-go makes of 503 with a text: NewGenericServerResponse.
func serves(t *testing.T, err error, text string) {
	t.Helper()
	var status *apierrors.StatusError
	if !errors.As(err, &status) || status.ErrStatus.Code != 503 || len(status.ErrStatus.Details.Causes) != 1 || status.ErrStatus.Details.Causes[0].Message != text ||
		!strings.HasPrefix(status.ErrStatus.Message, "the server is currently unable to handle the request (get flunders.wardle.example.com") {
		t.Errorf("%v", err)
	}
}

// TestUnavailable: nobody is asked, the version is stale, and comes back as soon as its server does.
func TestUnavailable(t *testing.T) {
	x := &extension{answer: "{}"}
	aggregating(t, x, func(w *world, p *sim.Proc) {
		kind := w.s.Kinds().Resolve("fl")
		if kind == nil || kind.GroupVersionKind.Kind != "Flunder" || !slices.Equal(kind.Aggregated.Verbs, []string{"create", "get", "list"}) ||
			len(kind.Subresources) != 1 || w.s.Kinds().Incomplete() != nil {
			t.Fatalf("%v", kind)
		}
		w.must(p, remove(sliceResource, "wardle-1", metav1.DeleteOptions{}))
		p.Sleep(time.Second)
		asked := len(x.asked)
		_, err := w.do(p, get(flunders, "a"))
		serves(t, err, "service unavailable")
		if len(x.asked) != asked {
			t.Error("a server that is not available was asked")
		}
		if w.s.Kinds().Resolve("fl") != nil {
			t.Error("a stale version has kinds")
		}
		const incomplete = "unable to retrieve the complete list of server APIs: wardle.example.com/v1alpha1: stale GroupVersion discovery: wardle.example.com/v1alpha1"
		if err := w.s.Kinds().Incomplete(); err == nil || err.Error() != incomplete {
			t.Errorf("%v", err)
		}
		known := discovery.API{Kinds: w.s.Kinds()}
		if !known.Unavailable("/apis/wardle.example.com/v1alpha1") || known.Unavailable("/apis/apps/v1") {
			t.Error("which versions are stale")
		}
		if _, ok := known.Group("wardle.example.com"); !ok {
			t.Error("the group is gone")
		}
		w.must(p, slice(true, portHTTPS))
		p.Sleep(2 * time.Second)
		if w.s.Kinds().Resolve("fl") == nil || w.s.Kinds().Incomplete() != nil {
			t.Error("it is not back")
		}
		w.must(p, wardle(client.Delete))
		p.Sleep(time.Second)
		if _, err := w.do(p, get(flunders, "a")); !apierrors.IsNotFound(err) || len(w.s.Kinds().Custom()) != 0 {
			t.Errorf("%v", err)
		}
		asked = len(x.asked)
		p.Sleep(3 * time.Minute)
		if len(x.asked) != asked {
			t.Error("who is not registered any more is asked")
		}
	})
}

// TestAggregatedOrder: groups come by groupPriorityMinimum, so that of two kinds with the same name the more important is meant.
func TestAggregatedOrder(t *testing.T) {
	for priority, want := range map[int][2]string{17100: {"policy", "rbac.authorization.k8s.io"}, 2000: {"discovery.k8s.io", ""}} {
		w := newWorld(t, trace.Off)
		w.s.ConnectPods(&extension{})
		w.run(func(p *sim.Proc) {
			w.must(p, registration(priority, 443))
			p.Sleep(time.Second)
			var groups []string
			for _, g := range (discovery.API{Kinds: w.s.Kinds()}).Aggregated(false).Items {
				groups = append(groups, g.Metadata.Name)
				if g.Metadata.Name == "wardle.example.com" && g.Versions[0].Freshness != "Stale" {
					t.Errorf("%v", g)
				}
			}
			i := slices.Index(groups, "wardle.example.com")
			if groups = append(groups, ""); i < 1 || groups[i-1] != want[0] || groups[i+1] != want[1] {
				t.Errorf("%d: %q", priority, groups)
			}
		})
	}
}

// TestAggregationAfterRestart: a server that starts looks after the APIServices that it finds.
func TestAggregationAfterRestart(t *testing.T) {
	aggregating(t, &extension{}, func(w *world, p *sim.Proc) {
		w.s.Component().Stop("test")
		w.s.Start(w.k.Start("kube-apiserver"))
		p.Sleep(2 * time.Second)
		if w.s.Kinds().Resolve("flunders") == nil {
			t.Error("the kinds are gone")
		}
	})
}

// TestLocalAPIService: with a Service taken away from it, an APIService is local.
func TestLocalAPIService(t *testing.T) {
	aggregating(t, &extension{}, func(w *world, p *sim.Proc) {
		service := w.must(p, wardle(client.Get)).(*apiregistrationv1.APIService).DeepCopy()
		service.Spec.Service, service.Spec.InsecureSkipTLSVerify = nil, false
		w.must(p, update(apiServicesResource, "", service))
		p.Sleep(time.Second)
		if got := w.availability(p); got != "True Local: Local APIServices are always available" {
			t.Error(got)
		}
		if len(w.s.Kinds().Custom()) != 0 {
			t.Error("it has kinds")
		}
	})
}
