package network

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// pods answers at every address of a node's range, with that address.
type pods struct{}

func (pods) Serve(ip string, _ int32, r Request, done func(Response)) {
	done(Response{Status: 200, Body: ip + " to " + r.From})
}

// wire is two nodes without rules.
func wire(t *testing.T, seed uint64) *Fabric {
	k := sim.New(seed, time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	f := New(k)
	f.Boot("node-1", "10.0.0.10", "10.244.1.0/24", pods{})
	f.Boot("node-2", "10.0.0.11", "10.244.2.0/24", pods{})
	return f
}

func (f *Fabric) try(from Source, url string) (out Response) {
	answered := 0
	f.Dial(from, Request{URL: url}, func(r Response) { out = r; answered++ })
	f.kernel.RunUntil(f.kernel.Elapsed() + 3*time.Minute)
	if answered != 1 {
		out.Failure = Failure(fmt.Sprintf("answered %d times", answered))
	}
	return out
}

var client = Source{Node: "node-1", Namespace: "default", Pod: "client", IP: "10.244.1.2"}

// balance sends a Service's address to endpoints as kube-proxy's rules do.
func balance(ip string, endpoints ...string) *Ruleset {
	r := &Ruleset{NAT: []Chain{{Name: "KUBE-SERVICES", Rules: []Rule{{Protocol: "tcp", Destination: ip, Port: 80, Target: "SVC"}}}, {Name: "SVC"}}}
	for i, e := range endpoints {
		name := fmt.Sprint("SEP-", i)
		r.NAT[1].Rules = append(r.NAT[1].Rules, Rule{OneOf: len(endpoints) - i, Target: name})
		ip, _ := splitAddress(e)
		r.NAT = append(r.NAT, Chain{Name: name, Rules: []Rule{{Source: ip, Target: "KUBE-MARK-MASQ"}, {Protocol: "tcp", Target: DNAT, To: e}}})
	}
	return r
}

func TestDial(t *testing.T) {
	f := wire(t, 1)
	f.Node("node-1").Restore(balance("10.96.0.9", "10.244.2.5:8080"), map[string]string{})
	reject := &Ruleset{Filter: []Chain{{Name: "KUBE-SERVICES", Rules: []Rule{{Destination: "10.96.0.9", Target: Reject}}}}}
	f.Node("node-2").Restore(reject, map[string]string{})
	second := Source{Node: "node-2", Namespace: "default", Pod: "other", IP: "10.244.2.7"}
	for _, test := range []struct {
		from Source
		url  string
		want string
	}{
		{client, "http://10.244.2.9:80/", "200 10.244.2.9 to 10.244.1.2"},
		{client, "http://10.96.0.9/", "200 10.244.2.5 to 10.244.1.2"},
		{client, "http://10.96.0.9:81/", "timed out"},
		{second, "http://10.96.0.9/", "connection refused"},
		{client, "http://10.0.0.11:30000/", "connection refused"},
		{client, "http://192.0.2.1/", "timed out"},
		{client, "http://web/", "could not resolve host"},
		{Source{}, "http://10.244.1.9/", "timed out"},
		{Source{}, "http://10.96.0.9/", "timed out"},
		{Source{Node: "node-2"}, "http://10.244.1.9/", "200 10.244.1.9 to 10.0.0.11"},
	} {
		r := f.try(test.from, test.url)
		got := string(r.Failure)
		if got == "" {
			got = fmt.Sprint(r.Status, " ", r.Body)
		}
		if got != test.want {
			t.Errorf("%s asks for %s: %q, want %q", test.from.name(), test.url, got, test.want)
		}
	}
	if left := f.kernel.Trace().Now().Cells(trace.CellPacket); len(left) > 0 {
		t.Errorf("packets are left: %v", left)
	}
}

// A Pod that reaches itself through a Service sees its node as the client, else it would answer to itself.
func TestHairpin(t *testing.T) {
	f := wire(t, 1)
	f.Node("node-1").Restore(balance("10.96.0.9", "10.244.1.2:80"), map[string]string{})
	if r := f.try(client, "http://10.96.0.9"); r.Body != "10.244.1.2 to 10.0.0.10" {
		t.Errorf("%+v", r)
	}
}

// The shares of endpoints are equal although each rule's probability is another one, and only named endpoints are reached.
func TestSharesAreEqual(t *testing.T) {
	for seed := range uint64(5) {
		f := wire(t, seed)
		var endpoints []string
		n := 1 + int(seed)
		for i := range n {
			endpoints = append(endpoints, fmt.Sprintf("10.244.2.%d:80", 10+i))
		}
		f.Node("node-1").Restore(balance("10.96.0.9", endpoints...), map[string]string{})
		got := map[string]int{}
		for range 200 * n {
			w := &flow{fabric: f, protocol: "tcp", client: "10.244.1.2", dst: "10.96.0.9:80"}
			f.Node("node-1").evaluate(w)
			got[w.dst]++
		}
		if len(got) != n {
			t.Errorf("seed %d: %v", seed, got)
		}
		for to, times := range got {
			if times < 140 || times > 260 {
				t.Errorf("seed %d: %s gets %d of %d", seed, to, times, 200*n)
			}
		}
	}
}

func TestCandidates(t *testing.T) {
	for name, want := range map[string]string{
		"web":         "web.shop.svc.cluster.local web.svc.cluster.local web.cluster.local web",
		"web.shop":    "web.shop.shop.svc.cluster.local web.shop.svc.cluster.local web.shop.cluster.local web.shop",
		"a.b.c.d.e.f": "a.b.c.d.e.f a.b.c.d.e.f.shop.svc.cluster.local a.b.c.d.e.f.svc.cluster.local a.b.c.d.e.f.cluster.local",
		"web.":        "web",
	} {
		if got := strings.Join(candidates("shop", name), " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := ResolvConf("shop"); got != "search shop.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n" {
		t.Errorf("%q", got)
	}
}

func TestParseURL(t *testing.T) {
	for text, want := range map[string]Target{
		"http://web":            {"http", "web", "/", 80},
		"web:8080/a?b":          {"http", "web", "/a?b", 8080},
		"https://shop.example/": {"https", "shop.example", "/", 443},
		"tcp://db:5432":         {"tcp", "db", "/", 5432},
	} {
		if got := ParseURL(text); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func TestProbability(t *testing.T) {
	for n, want := range map[int]string{2: "0.5000000000", 3: "0.3333333333", 4: "0.2500000000", 6: "0.1666666667", 10: "0.1000000000"} {
		if got := probability(n); got != want {
			t.Errorf("1/%d: %s, want %s", n, got, want)
		}
	}
}

// TestRoute: packets to another node's Pods need a route, each way; those to the nodes themselves and within a node do not.
func TestRoute(t *testing.T) {
	f := wire(t, 1)
	f.Node("node-2").Restore(balance("10.0.0.11", "10.244.1.9:80"), map[string]string{}) // a port of the node
	node := Source{Node: "node-1"}
	outside := Source{}
	for _, test := range []struct {
		routes      string
		from        Source
		url, answer string
	}{
		{"none", client, "http://10.244.2.5", "timed out"},
		{"none", node, "http://10.244.2.5", "timed out"},
		{"none", client, "http://10.244.1.5", "10.244.1.5 to 10.244.1.2"},
		{"none", outside, "http://10.0.0.11", "timed out"},
		{"10.244.2.0/24", client, "http://10.244.2.5", "timed out"}, // the answer is lost
		{"10.244.2.0/24", node, "http://10.244.2.5", "10.244.2.5 to 10.0.0.10"},
		{"10.244.1.0/24", client, "http://10.244.2.5", "timed out"},
		{"10.244.1.0/24 10.244.2.0/24", client, "http://10.244.2.5", "10.244.2.5 to 10.244.1.2"},
		{"10.244.1.0/24", outside, "http://10.0.0.11", "10.244.1.9 to 203.0.113.7"},
	} {
		f.Route([]string{})
		if test.routes != "none" {
			f.Route(strings.Fields(test.routes))
		}
		r := f.try(test.from, test.url)
		if got := r.Body + string(r.Failure); got != test.answer {
			t.Errorf("routes to %s: %s asks %s: got %q, want %q", test.routes, test.from.name(), test.url, got, test.answer)
		}
	}
}

// A rule for everybody but some addresses is about no other.
func TestARuleForOthers(t *testing.T) {
	f := wire(t, 1)
	e := &evaluation{node: f.Node("node-1"), flow: &flow{fabric: f, protocol: "tcp", client: "10.244.1.2", dst: "10.96.0.9:80"}}
	for rule, want := range map[Rule]bool{{NotSource: "10.244.0.0/16"}: false, {NotSource: "10.245.0.0/16"}: true, {NotSource: "10.244.1.2"}: false,
		{Source: "10.244.0.0/16"}: true, {Source: "10.245.0.0/16"}: false, {Source: "10.244.0.0/16", NotSource: "10.244.1.0/24"}: false} {
		if got := e.matches(&rule); got != want {
			t.Errorf("%+v: %v", rule, got)
		}
	}
}
