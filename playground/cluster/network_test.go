package cluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

const webManifest = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},"spec":{"replicas":3,
	"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
	"spec":{"containers":[{"name":"web","image":"nginx:1.27","ports":[{"containerPort":80,"name":"http"}]}]}}}}`

const clientManifest = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"client"},"spec":{"containers":[
	{"name":"sh","image":"busybox:1.36","command":["sleep","infinity"]}]}}`

func service(name, spec string) string {
	return `{"apiVersion":"v1","kind":"Service","metadata":{"name":"` + name + `"},"spec":` + spec + `}`
}

// netWorld is a cluster with a network, three web Pods and a client.
type netWorld struct {
	*testing.T
	*cluster.Cluster
	seed uint64
}

func newNetWorld(t *testing.T, seed uint64, ingress bool, manifests ...string) *netWorld {
	config := cluster.DefaultConfig()
	config.Network, config.Ingress = true, ingress
	w := &netWorld{t, cluster.New(config, seed), seed}
	t.Cleanup(w.Close)
	for _, m := range append([]string{webManifest, clientManifest}, manifests...) {
		w.do(cluster.Input{At: 12 * time.Second, Kind: cluster.Apply, Manifest: []byte(m)})
	}
	w.RunUntil(40 * time.Second)
	for _, o := range w.Outcomes() {
		if o.Error != "" {
			t.Fatalf("seed %d: %s: %s", seed, o.Input, o.Error)
		}
	}
	return w
}

func (w *netWorld) do(in cluster.Input) {
	w.Helper()
	if in.At == 0 {
		in.At = w.Elapsed()
	}
	if err := w.Schedule(in); err != nil {
		w.Fatalf("seed %d: %v", w.seed, err)
	}
}

// ask sends a request and returns what came of it.
func (w *netWorld) ask(from, url string) cluster.Outcome {
	w.Helper()
	w.do(cluster.Input{Kind: cluster.Ask, URL: url, From: from})
	end := w.Elapsed() + 15*time.Second
	for {
		all := w.Outcomes()
		if o := all[len(all)-1]; o.Done {
			return o
		}
		if w.Elapsed() > end {
			w.Fatalf("seed %d: a request to %s was never answered", w.seed, url)
		}
		at, _ := w.Next()
		w.RunUntil(at)
	}
}

func (w *netWorld) service(name string) *corev1.Service {
	w.Helper()
	svc, ok := w.Trace().Now()[trace.Cell{Kind: trace.CellObject, Owner: "services", Key: "default/" + name}].(*corev1.Service)
	if !ok {
		w.Fatalf("there is no Service %s", name)
	}
	return svc
}

func TestARequestFindsAPod(t *testing.T) {
	w := newNetWorld(t, 1, true,
		service("web", `{"selector":{"app":"web"},"ports":[{"port":80,"targetPort":"http"}]}`),
		service("np", `{"type":"NodePort","selector":{"app":"web"},"ports":[{"port":80,"nodePort":30080}]}`),
		service("peers", `{"clusterIP":"None","selector":{"app":"web"},"ports":[{"port":80}]}`),
		service("alias", `{"type":"ExternalName","externalName":"web.default.svc.cluster.local"}`),
		service("empty", `{"selector":{"app":"nobody"},"ports":[{"port":80}]}`),
		`{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"shop"},"spec":{"ingressClassName":"nginx","rules":[
			{"host":"shop.example","http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"web","port":{"number":80}}}},
			{"path":"/none","pathType":"Exact","backend":{"service":{"name":"empty","port":{"number":80}}}}]}}]}}`)
	for _, test := range []struct{ from, url, want string }{
		{"client", "http://web", "200 web-"},
		{"client", "http://web.default.svc.cluster.local", "200 web-"},
		{"client", "http://web.default", "200 web-"},
		{"client", "http://" + w.service("web").Spec.ClusterIP, "200 web-"},
		{"client", "http://np", "200 web-"},
		{"client", "http://peers", "200 web-"},
		{"client", "http://alias", "200 web-"},
		{"client", "http://nosuch", "http://nosuch: could not resolve host"},
		{"client", "http://empty", "http://empty: connection refused"},
		{"client", "http://web:81", "http://web:81: timed out"},
		{"client", "http://10.0.0.11:30080", "200 web-"},
		{"client", "http://10.0.0.11:30081", "http://10.0.0.11:30081: connection refused"},
		{"node-2", "http://" + w.service("web").Spec.ClusterIP, "200 web-"},
		{"outside", "http://10.0.0.12:30080", "200 web-"},
		{"outside", "http://shop.example/", "200 web-"},
		{"outside", "http://shop.example/none", "503 503 Service Temporarily Unavailable"},
		{"outside", "http://10.0.0.10/", "404 default backend - 404"},
		{"nobody", "http://web", `there is no pod "nobody" that runs`},
	} {
		o := w.ask(test.from, test.url)
		if got := o.Output + o.Error; !strings.HasPrefix(got, test.want) {
			t.Errorf("%s asks for %s: %q, want %q…", test.from, test.url, got, test.want)
		}
	}
}

// Every one of a Service's Pods gets some, and nobody else.
func TestRequestsSpread(t *testing.T) {
	for seed := range uint64(3) {
		w := newNetWorld(t, seed, false, service("web", `{"selector":{"app":"web"},"ports":[{"port":80}]}`))
		got := map[string]int{}
		for range 60 {
			got[w.ask("client", "http://web").Output]++
		}
		if len(got) != 3 {
			t.Errorf("seed %d: %v", seed, got)
		}
		for who, n := range got {
			if n < 8 || !strings.HasPrefix(who, "200 web-") {
				t.Errorf("seed %d: %q answers %d of 60", seed, who, n)
			}
		}
	}
}

// A client with affinity stays where it is until that Pod is gone.
func TestAffinity(t *testing.T) {
	w := newNetWorld(t, 2, false, service("web", `{"selector":{"app":"web"},"sessionAffinity":"ClientIP","ports":[{"port":80}]}`))
	first := w.ask("client", "http://web").Output
	for range 10 {
		if o := w.ask("client", "http://web"); o.Output != first {
			t.Fatalf("first %q, then %q %s", first, o.Output, o.Error)
		}
	}
	pod := strings.Fields(first)[1]
	w.do(cluster.Input{Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: pod})
	w.RunUntil(w.Elapsed() + 20*time.Second)
	o := w.ask("client", "http://web")
	if o.Output == "" || o.Output == first {
		t.Errorf("%s is gone and %q answers (%s)", pod, o.Output, o.Error)
	}
}

// Rules outlive the program that wrote them, and go on naming Pods that are gone.
func TestStaleRules(t *testing.T) {
	w := newNetWorld(t, 3, false, service("web", `{"selector":{"app":"web"},"ports":[{"port":80}]}`))
	for i := 1; i <= 3; i++ {
		w.do(cluster.Input{Kind: cluster.Stop, Component: fmt.Sprintf("kube-proxy/node-%d", i)})
	}
	w.RunUntil(w.Elapsed() + time.Second)
	zero := int32(0)
	w.do(cluster.Input{Kind: cluster.Scale, Resource: "replicasets", Namespace: "default", Name: "web", Replicas: &zero})
	w.RunUntil(w.Elapsed() + 40*time.Second)
	if o := w.ask("client", "http://web"); !strings.HasSuffix(o.Error, "timed out") {
		t.Errorf("with stale rules: %q %q", o.Output, o.Error)
	}
	for i := 1; i <= 3; i++ {
		w.do(cluster.Input{Kind: cluster.Start, Component: fmt.Sprintf("kube-proxy/node-%d", i)})
	}
	w.RunUntil(w.Elapsed() + 5*time.Second)
	if o := w.ask("client", "http://web"); !strings.HasSuffix(o.Error, "connection refused") {
		t.Errorf("with new rules: %q %q", o.Output, o.Error)
	}
}

// A request that is on its way has exactly one end, and nothing stays on the wire.
func TestNothingStaysOnTheWire(t *testing.T) {
	w := newNetWorld(t, 4, false, service("web", `{"selector":{"app":"web"},"ports":[{"port":80}]}`))
	w.do(cluster.Input{Kind: cluster.KillNode, Node: "node-2"})
	for range 12 {
		w.ask("client", "http://web")
		w.ask("outside", "http://10.0.0.11:30999")
	}
	w.RunUntil(w.Elapsed() + 3*time.Minute)
	for _, kind := range []trace.CellKind{trace.CellPacket, trace.CellConnection} {
		if left := w.Trace().Now().Cells(kind); len(left) > 0 {
			t.Errorf("%d of %s are left: %v", len(left), kind, left)
		}
	}
}

// Policies close a Pod, and open it for those that they name.
func TestNetworkPolicies(t *testing.T) {
	policy := func(name, spec string) string {
		return `{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"` + name + `"},"spec":` + spec + `}`
	}
	config := cluster.DefaultConfig()
	config.Network, config.NetworkPolicies = true, true
	w := &netWorld{t, cluster.New(config, 5), 5}
	t.Cleanup(w.Close)
	friend := strings.Replace(clientManifest, `"name":"client"`, `"name":"friend","labels":{"role":"friend"}`, 1)
	for _, m := range []string{webManifest, clientManifest, friend,
		service("web", `{"type":"NodePort","selector":{"app":"web"},"ports":[{"port":80,"nodePort":30080,"targetPort":"http"}]}`)} {
		w.do(cluster.Input{At: 12 * time.Second, Kind: cluster.Apply, Manifest: []byte(m)})
	}
	w.RunUntil(40 * time.Second)
	expect := func(when string, want map[string]bool) {
		t.Helper()
		for _, from := range []string{"client", "friend", "outside"} {
			url := "http://web"
			if from == "outside" {
				url = "http://10.0.0.10:30080"
			}
			o := w.ask(from, url)
			if (o.Error == "") != want[from] || o.Error != "" && !strings.HasSuffix(o.Error, "timed out") && !strings.HasSuffix(o.Error, "could not resolve host") {
				t.Errorf("%s, %s gets %q %q, want an answer: %v", when, from, o.Output, o.Error, want[from])
			}
		}
	}
	apply := func(manifest string) {
		w.do(cluster.Input{Kind: cluster.Apply, Manifest: []byte(manifest)})
		w.RunUntil(w.Elapsed() + 2*time.Second)
	}
	expect("without policies", map[string]bool{"client": true, "friend": true, "outside": true})
	apply(policy("deny", `{"podSelector":{"matchLabels":{"app":"web"}}}`))
	expect("closed", map[string]bool{})
	apply(policy("friends", `{"podSelector":{"matchLabels":{"app":"web"}},"ingress":[{"from":[{"podSelector":{"matchLabels":{"role":"friend"}}}],"ports":[{"port":"http"}]}]}`))
	expect("open for friends", map[string]bool{"friend": true})
	apply(policy("other-port", `{"podSelector":{"matchLabels":{"app":"web"}},"ingress":[{"ports":[{"port":8080,"endPort":8090}]}]}`))
	expect("another port", map[string]bool{"friend": true})
	apply(policy("nodes", `{"podSelector":{"matchLabels":{"app":"web"}},"ingress":[{"from":[{"ipBlock":{"cidr":"10.0.0.0/24","except":["10.0.0.99/32"]}}]}]}`))
	expect("open for nodes", map[string]bool{"friend": true, "outside": true})
	// A friend that may only speak to web cannot ask for its name, until that is allowed too.
	apply(policy("egress", `{"podSelector":{"matchLabels":{"role":"friend"}},"policyTypes":["Egress"],"egress":[{"to":[{"podSelector":{"matchLabels":{"app":"web"}}}]}]}`))
	expect("no name server", map[string]bool{"outside": true})
	apply(policy("dns", `{"podSelector":{"matchLabels":{"role":"friend"}},"policyTypes":["Egress"],"egress":[{"to":[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"kube-system"}},"podSelector":{"matchLabels":{"k8s-app":"kube-dns"}}}],"ports":[{"protocol":"UDP","port":53}]}]}`))
	expect("with the name server", map[string]bool{"friend": true, "outside": true})
}
