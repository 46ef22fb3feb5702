package jsapi

import (
	"encoding/json"
	"strings"
	"testing"
)

// page is a program that calls the bridge as the module's worker does.
type page struct {
	t      *testing.T
	bridge *Bridge
	now    int64
	last   int
	bodies map[int]*answer
}

type answer struct {
	status  int
	body    string
	ended   bool
	failed  string
	outcome *Outcome
}

func newPage(t *testing.T, open string) *page {
	t.Helper()
	p := &page{t: t, bridge: &Bridge{}, bodies: map[int]*answer{}}
	if got := string(p.bridge.Call("open", []byte(open))); got != `{"epoch":"2026-01-15T09:00:00Z"}` {
		t.Fatalf("open answered %s", got)
	}
	p.run(runArgument{Until: 60_000_000, Ready: true})
	return p
}

func (p *page) call(name string, in, out any) {
	p.t.Helper()
	text, err := json.Marshal(in)
	if err != nil {
		p.t.Fatal(err)
	}
	got := p.bridge.Call(name, text)
	if strings.HasPrefix(string(got), `{"error"`) {
		p.t.Fatalf("%s answered %s", name, got)
	}
	if err := json.Unmarshal(got, out); err != nil {
		p.t.Fatalf("%s answered %s: %v", name, got, err)
	}
}

func (p *page) run(in runArgument) {
	p.t.Helper()
	for {
		var out runAnswer
		p.call("run", in, &out)
		p.now = out.Now
		for _, m := range out.Messages {
			a := p.bodies[m.ID]
			if m.Head != nil {
				a.status = m.Head.Status
			}
			a.body += m.Text
			a.ended = a.ended || m.End || m.Failed != "" || m.Outcome != nil
			a.failed += m.Failed
			if m.Outcome != nil {
				a.outcome = m.Outcome
			}
		}
		if out.Done {
			return
		}
	}
}

// begin sends a request; header are pairs.
func (p *page) begin(method, url, body string, header ...string) *answer {
	p.t.Helper()
	p.last++
	in := fetchArgument{ID: p.last, Method: method, URL: url, Body: body, Header: [][2]string{{"user-agent", "test"}}}
	for i := 0; i < len(header); i += 2 {
		in.Header = append(in.Header, [2]string{header[i], header[i+1]})
	}
	p.bodies[p.last] = &answer{}
	p.call("fetch", in, &nothing{})
	return p.bodies[p.last]
}

// ask sends a request and waits for its answer.
func (p *page) ask(method, url, body string, header ...string) *answer {
	p.t.Helper()
	a := p.begin(method, url, body, header...)
	p.run(runArgument{Until: p.now + 60_000_000, For: p.last})
	return a
}

// give does something to the cluster. Its outcome comes while time passes.
func (p *page) give(input string) *answer {
	p.t.Helper()
	p.last++
	p.bodies[p.last] = &answer{}
	p.call("give", map[string]any{"id": p.last, "input": json.RawMessage(input)}, &nothing{})
	return p.bodies[p.last]
}

const replicaSet = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},` +
	`"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx"}]}}}}`

func TestRequests(t *testing.T) {
	p := newPage(t, `{"seed":1,"nodes":1}`)
	configMap := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"x":"y"}}`
	const maps = "/api/v1/namespaces/default/configmaps"
	for _, c := range []struct {
		method, url, body string
		header            []string
		status            int
		want              string
	}{
		{"GET", "/version", "", nil, 200, `"gitVersion":"v1.36.3"`},
		{"GET", "/readyz?verbose", "", nil, 200, "[+]etcd ok\n"},
		{"GET", "/livez/etcd", "", nil, 200, "ok"},
		{"GET", "/livez/nosuch", "", nil, 404, ""},
		{"GET", "/apis/apps/v1", "", nil, 200, `"name":"deployments/scale"`},
		{"GET", "/api", "", []string{"accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}, 200, `"kind":"APIGroupDiscoveryList"`},
		{"GET", "/openapi/v3", "", nil, 404, "404 page not found"},
		{"HEAD", "/api/v1/nodes", "", nil, 200, ""},
		{"GET", "/api/v1/nodes", "", []string{"accept", "application/yaml"}, 406, `only the following media types are accepted: application/json"`},
		{"GET", "/api/v1/nodes", "", []string{"accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}, 200, `"cells":["node-1","Ready"`},
		{"POST", maps, configMap, nil, 201, `"manager":"test"`},
		{"POST", maps, configMap, nil, 409, `"message":"configmaps \"c\" already exists","reason":"AlreadyExists"`},
		{"POST", maps, configMap, []string{"Content-Type", "text/plain"}, 415, `"reason":"UnsupportedMediaType"`},
		{"PATCH", maps + "/c", `{"data":{"a":"b"}}`, []string{"content-type", "application/merge-patch+json"}, 200, `"data":{"a":"b","x":"y"}`},
		{"GET", maps + "/d", "", nil, 404, `"message":"configmaps \"d\" not found","reason":"NotFound"`},
		{"GET", maps + "/c", "", []string{"impersonate-user", "nobody"}, 200, `"a":"b"`},
		{"GET", maps + "?watch=1&labelSelector=a+in+(b", "", nil, 400, `unable to parse requirement`},
		{"POST", "/api/v1/namespaces/default/pods/p/exec?command=ls", "", nil, 400, `exec needs a connection`},
	} {
		a := p.ask(c.method, c.url, c.body, c.header...)
		if a.status != c.status || !strings.Contains(a.body, c.want) || !a.ended {
			t.Errorf("%s %s: %d %.500s\nwant %d %s", c.method, c.url, a.status, a.body, c.status, c.want)
		}
	}
}

func TestWatchAndLog(t *testing.T) {
	p := newPage(t, `{"seed":1,"nodes":1}`)
	watch := p.ask("GET", "/api/v1/namespaces/default/pods?watch=true", "")
	watching := p.last
	if watch.status != 200 || watch.ended {
		t.Fatalf("watch: %+v", watch)
	}
	p.ask("POST", "/apis/apps/v1/namespaces/default/replicasets", replicaSet)
	p.run(runArgument{Until: p.now + 20_000_000})
	running := map[string]bool{}
	for line := range strings.Lines(watch.body) {
		var event struct {
			Type   string
			Object struct {
				Metadata struct{ Name string }
				Status   struct{ Phase string }
			}
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%.200s: %v", line, err)
		}
		running[event.Object.Metadata.Name] = event.Object.Status.Phase == "Running"
	}
	name := ""
	for pod, is := range running { // order: any of them
		if name = pod; !is {
			t.Errorf("pod %s does not run", pod)
		}
	}
	if len(running) != 2 {
		t.Fatalf("%d Pods in %s", len(running), watch.body)
	}

	// A watch that nobody wants any more says nothing more; a log that goes on ends with its container.
	p.call("cancel", cancelArgument{watching}, &nothing{})
	before := watch.body
	log := p.ask("GET", "/api/v1/namespaces/default/pods/"+name+"/log?follow=true&tailLines=1", "")
	if log.status != 200 || log.ended || strings.Count(log.body, "\n") != 1 {
		t.Fatalf("log: %+v", log)
	}
	p.ask("DELETE", "/api/v1/namespaces/default/pods/"+name+"?gracePeriodSeconds=1", "")
	p.run(runArgument{Until: p.now + 20_000_000})
	if !log.ended {
		t.Errorf("the log goes on: %+v", log)
	}
	if watch.body != before {
		t.Errorf("a watch that was given up: %s", watch.body[len(before):])
	}
}

func TestFaultsAndTrace(t *testing.T) {
	events := func() string {
		p := newPage(t, `{"seed":7,"nodes":2}`)
		p.ask("POST", "/apis/apps/v1/namespaces/default/replicasets", replicaSet)
		down := p.give(`{"kind":"kill-node","node":"node-2"}`)
		printed := p.give(`{"kind":"kubectl","args":["get","rs","web","-o","name"]}`)
		p.run(runArgument{Until: p.now + 60_000_000})
		if down.outcome == nil || down.outcome.Error != "" || printed.outcome == nil || printed.outcome.Output != "replicaset.apps/web" {
			t.Errorf("outcomes %+v and %+v", down.outcome, printed.outcome)
		}
		if nodes := p.ask("GET", "/api/v1/nodes/node-2", ""); !strings.Contains(nodes.body, "NodeStatusUnknown") {
			t.Errorf("node-2 after its machine went down: %s", nodes.body)
		}

		// Without its server, a request has no response.
		p.give(`{"kind":"stop","component":"kube-apiserver"}`)
		p.run(runArgument{Until: p.now + 1_000_000})
		if a := p.ask("GET", "/api/v1/nodes", ""); a.status != 0 || !strings.Contains(a.failed, "refused") {
			t.Errorf("a request to a server that is down: %+v", a)
		}

		var out strings.Builder
		for from, more := 1, true; more; {
			var part traceAnswer
			p.call("trace", traceArgument{from}, &part)
			for _, e := range part.Events {
				out.WriteString(text(t, e) + "\n")
				if e.ID != from || e.Cause >= e.ID {
					t.Fatalf("event %d: %s", from, text(t, e))
				}
				from++
			}
			more = part.More
		}
		return out.String()
	}
	first := events()
	for _, want := range []string{`"op":"input"`, `"op":"pod.assume"`, `"kind":"object"`, `"component":"kubelet/node-1"`, `"method":"POST"`} {
		if !strings.Contains(first, want) {
			t.Errorf("the trace has no %s", want)
		}
	}
	if first != events() {
		t.Error("one seed, two traces")
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestMistakes(t *testing.T) {
	b := &Bridge{}
	for _, c := range []struct{ name, in, want string }{
		{"run", `{"until":1}`, `{"error":"run: no cluster is open"}`},
		{"open", `{"nodes":1000}`, `{"error":"open: nodes 1000 is not a number between 0 and 100"}`},
		{"open", `{"config":{"node":1}}`, `{"error":"open: config: json: unknown field \"node\""}`},
		{"open", `{"config":{"ingress":true}}`, `{"error":"open: config: ingress needs network"}`},
		{"open", `{"nodes":1,"config":{"cel":true}}`, `{"error":"open: config: this build of the control plane does not evaluate CEL"}`},
		{"open", `{"nodes":1}`, `{"epoch":"2026-01-15T09:00:00Z"}`},
		{"open", `{"nodes":1}`, `{"error":"open: a cluster is open"}`},
		{"fetch", `{"id":1,"url":"api"}`, `{"error":"fetch: parse \"api\": invalid URI for request"}`},
		{"give", `{"id":1,"input":{"kind":"kill-node"}}`, `{"error":"give: input \"kill-node\": needs a node"}`},
		{"run", `{"until":-1}`, `{"error":"run: until -1 is no time between 0 and a year"}`},
		{"stop", `{}`, `{"error":"stop: there is no such function"}`},
		{"cancel", `{"id":9}`, `{}`},
	} {
		if got := string(b.Call(c.name, []byte(c.in))); got != c.want {
			t.Errorf("%s %s: %s\nwant %s", c.name, c.in, got, c.want)
		}
	}
}
