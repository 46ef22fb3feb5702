package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubewalk/generator/dev/live"
	"kubewalk/generator/dev/server"
	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/session"
	"kubewalk/playground/httpapi"
	"kubewalk/playground/trace"
)

// pageOf is a page of a session: it has the demo as a page loads it, and is told what is done. It returns its run when the session has ended.
func pageOf(t *testing.T, s *scenario.Scenario, address string) *session.Session {
	t.Helper()
	var own scenario.Scenario
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &own)
	}
	if err != nil {
		t.Fatal(err)
	}
	run, err := session.Open(&own, nil, scene.Wide)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(strings.TrimSuffix(address, "/") + live.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		var m struct {
			Inputs []cluster.Input
			Now    int64
			Ended  string
		}
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			t.Fatal(err)
		}
		for _, in := range m.Inputs {
			if given, err := run.Give(in); !given || err != nil {
				t.Errorf("%s came at %v, when the page had run to %v (%v)", in, in.At, run.Cluster().Elapsed(), err)
			}
		}
		if m.Now > 0 {
			run.Run(time.Duration(m.Now) * time.Microsecond)
		}
		if m.Ended != "" {
			return run
		}
	}
	t.Errorf("the stream ended without saying so: %v", lines.Err())
	return run
}

// A page that follows a session runs the same: its trace is that of the session, byte for byte, whether it was there from the start or came late.
func TestAPageRunsWhatTheSessionRuns(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes, config.Network, config.Metrics, config.CEL, config.AllKinds, config.Devices = cluster.NumberedNodes(2), true, true, true, true, true
	config.Epoch = time.Date(2026, 11, 25, 1, 2, 3, 0, time.UTC)
	held := cluster.New(config, 1)
	o := httpapi.Options{Config: config, Seed: 1, Cluster: held, Speed: fastest, Listen: "127.0.0.1:0"}
	shown, err := newShow("127.0.0.1:0", nil, &o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := httpapi.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := shown.demo()
	if err != nil {
		t.Fatal(err)
	}
	f, problems := demofile.Parse(showName, showName+".yaml", text, []string{"en", "ja"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	ready, told := make(chan string, 1), make(chan error, 1)
	go func() { told <- shown.tell(ctx, s, server.New(), func(address string) { ready <- address }) }()
	address := <-ready
	pages := make(chan *session.Session, 2)
	follow := func() { go func() { pages <- pageOf(t, f.Scenario, address) }() }
	follow()
	if err := s.Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	v := visit(t, s.Kubeconfig())
	do := func(want int, method, path, contentType, body string) {
		t.Helper()
		if code, text := v.ask(method, path, contentType, body); code != want {
			t.Errorf("%s %s: %d %.300s", method, path, code, text)
		}
	}
	const apps, core = "/apis/apps/v1/namespaces/default/", "/api/v1/namespaces/default/"
	do(201, "POST", apps+"deployments", "application/json", `{"metadata":{"name":"web"},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},`+
		`"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx:1.27"}]}}}}`)
	pods := v.pods(3)
	do(201, "POST", core+"configmaps", "application/yaml", "metadata: {name: c}\ndata:\n  a: |\n    <b> é\n")
	do(201, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/json", `{"metadata":{"name":"things.example.org"},`+
		`"spec":{"group":"example.org",`+
		`"scope":"Namespaced","names":{"plural":"things","singular":"thing","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":`+
		`{"type":"object","properties":{"size":{"type":"integer","x-kubernetes-validations":[{"rule":"self < 3"}]}}}}}]}}`)
	follow()
	do(200, "PATCH", apps+"deployments/web/scale", "application/merge-patch+json", `{"spec":{"replicas":1}}`)
	v.pods(1)
	if got := v.exec(v.pods(1)[0], "hostname", ""); got != v.pods(1)[0]+"\n" {
		t.Errorf("hostname: %q of %v", got, pods)
	}
	do(200, "DELETE", apps+"deployments/web", "", "")
	v.pods(0)
	end()
	first, late := <-pages, <-pages
	if err := errors.Join(<-told, s.Close()); err != nil {
		t.Fatal(err)
	}
	want := traced(t, held.Trace())
	for _, page := range []*session.Session{first, late} {
		page.Run(held.Elapsed())
		page.Close()
		if got := traced(t, page.Cluster().Trace()); got != want {
			t.Errorf("a page differs: %s", difference(got, want))
		}
	}
	if !strings.Contains(want, "things.example.org") || !strings.Contains(want, "deployments/web") {
		t.Error("the trace has nothing of what was done")
	}
}

// difference is where two texts begin to differ.
func difference(got, want string) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	return fmt.Sprintf("from byte %d of %d on:\ngot  …%.400s\nwant …%.400s", i, len(want), got[max(0, i-200):], want[max(0, i-200):])
}

// A session that goes on from a moment of a demo is shown and saved as one that starts a cluster is: the page's trace and the saved demo's are the
// session's, byte for byte, with what the script and a reader did before, and without what somebody has kept from happening.
func TestASessionFromAMoment(t *testing.T) {
	for _, given := range []string{"replicaset-scale@too-few", "kubelet-trouble",
		"https://example.org/en/start/#demo=replicaset-scale&seed=7&inputs=16.25,scale,replicasets,default,web,1;99,delete,replicasets,default,web&at=25.000001"} {
		t.Run(given, func(t *testing.T) {
			m, err := momentOf("../content", given)
			if err != nil {
				t.Fatal(err)
			}
			o := httpapi.Options{Speed: fastest, Listen: "127.0.0.1:0"}
			if err := m.run(&o, trace.All); err != nil {
				t.Fatal(err)
			}
			held := o.Cluster
			file := filepath.Join(t.TempDir(), "session.yaml")
			save, err := newSaver(file, m.saved, &o, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			shown, err := newShow("127.0.0.1:0", m, &o)
			if err != nil {
				t.Fatal(err)
			}
			text, err := shown.demo()
			if err != nil {
				t.Fatal(err)
			}
			page, problems := demofile.Parse(showName, showName+".yaml", text, []string{"en", "ja"})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			s, err := httpapi.Start(o)
			if err != nil {
				t.Fatal(err)
			}
			ctx, end := context.WithCancel(context.Background())
			defer end()
			ready, told := make(chan string, 1), make(chan error, 1)
			go func() { told <- shown.tell(ctx, s, server.New(), func(address string) { ready <- address }) }()
			address := <-ready
			pages := make(chan *session.Session, 1)
			go func() { pages <- pageOf(t, page.Scenario, address) }()
			v := visit(t, s.Kubeconfig())
			for _, name := range []string{"a", "b"} {
				if code, text := v.ask("POST", "/api/v1/namespaces/default/configmaps", "application/json", `{"metadata":{"name":"`+name+`"}}`); code != 201 {
					t.Errorf("%d %s", code, text)
				}
			}
			end()
			follows := <-pages
			now, err := s.Elapsed()
			if err = errors.Join(err, <-told, s.Close(), save.end(now)); err != nil {
				t.Fatal(err)
			}
			want := traced(t, held.Trace())
			follows.Run(held.Elapsed())
			follows.Close()
			if got := traced(t, follows.Cluster().Trace()); got != want {
				t.Errorf("the page differs: %s", difference(got, want))
			}
			if got := repeated(t, file, held.Elapsed()); got != want {
				t.Errorf("the saved demo differs: %s", difference(got, want))
			}
			if !strings.Contains(want, "configmaps default/b") {
				t.Error("the trace has nothing of what was done")
			}
		})
	}
}

func TestWhereAPageIs(t *testing.T) {
	for _, test := range []struct {
		given     string
		arguments []string
		address   string
		others    int
	}{
		{"true", nil, showAddress, 0},
		{"true", []string{"127.0.0.1:9000"}, "127.0.0.1:9000", 0},
		{"true", []string{"replicaset-scale", "[::1]:9000"}, "[::1]:9000", 1},
		{"true", []string{"https://example.org/#demo=a&at=1"}, showAddress, 1},
		{"localhost:1", []string{"127.0.0.1:9000"}, "localhost:1", 1},
	} {
		if address, others := showAt(test.given, test.arguments); address != test.address || len(others) != test.others {
			t.Errorf("%s %v: %s, %v", test.given, test.arguments, address, others)
		}
	}
}

func TestShowRefuses(t *testing.T) {
	config := "--kubeconfig=" + filepath.Join(t.TempDir(), "kubeconfig")
	for _, test := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"--show=0.0.0.0:9000"}, `--show "0.0.0.0:9000" is not an address of this machine alone, such as 127.0.0.1:8090`},
		{[]string{"--show=9000"}, `--show "9000" is not an address of this machine alone`},
		{[]string{"--nodes=3", "replicaset-scale"}, "--nodes, --hollow-nodes and --authorization are for a new cluster, not for a demo's: leave them out"},
		{[]string{"--show", "--speed", "60"}, "a page cannot keep up with --speed 60: with --show, 10 is the most"},
	} {
		err := run(context.Background(), append([]string{"cluster", config}, test.arguments...), &strings.Builder{})
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v: %v\nwant %s", test.arguments, err, test.want)
		}
	}
}
