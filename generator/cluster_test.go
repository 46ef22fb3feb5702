package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/demofile/rehearsal"
	"kubewalk/playground/demo/session"
	"kubewalk/playground/httpapi"
	"kubewalk/playground/trace"
)

// visitor is a client of a server on a port.
type visitor struct {
	*testing.T
	url, token string
	tls        *tls.Config
	http       *http.Client
}

func visit(t *testing.T, kubeconfig []byte) *visitor {
	t.Helper()
	field := func(name string) string {
		m := regexp.MustCompile(name + `: (\S+)`).FindSubmatch(kubeconfig)
		if m == nil {
			t.Fatalf("the kubeconfig has no %s:\n%s", name, kubeconfig)
		}
		return string(m[1])
	}
	ca, err := base64.StdEncoding.DecodeString(field("certificate-authority-data"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	config := &tls.Config{RootCAs: roots}
	return &visitor{t, field("server"), field("token"), config,
		&http.Client{Transport: &http.Transport{TLSClientConfig: config}, Timeout: 30 * time.Second}}
}

// ask sends a request and returns what comes back.
func (v *visitor) ask(method, path, contentType, body string) (code int, answer string) {
	v.Helper()
	r, err := http.NewRequest(method, v.url+path, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + v.token}, "Content-Type": {contentType}, "User-Agent": {"visitor/1.0"}}
	a, err := v.http.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		v.Fatal(err)
	}
	return a.StatusCode, string(text)
}

// pods waits until so many Pods run, and returns their names. Each look is a request.
func (v *visitor) pods(n int) []string {
	v.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_, text := v.ask("GET", "/api/v1/namespaces/default/pods", "", "")
		var list corev1.PodList
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			v.Fatal(err)
		}
		var names []string
		for _, p := range list.Items {
			if p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil {
				names = append(names, p.Name)
			}
		}
		if len(names) == n {
			return names
		}
	}
	v.Fatalf("there are not %d Pods that run", n)
	return nil
}

// exec runs a command in a Pod that reads input, and returns what it prints.
func (v *visitor) exec(pod, command, input string) (out string) {
	v.Helper()
	query := "stdout=true&command=" + command
	messages := []string{"\x00" + input, "\xff\x00"} // its standard input, and that this is closed
	if input == "" {
		messages = nil
	} else {
		query += "&stdin=true"
	}
	dialer := &websocket.Dialer{TLSClientConfig: v.tls, Subprotocols: []string{"v5.channel.k8s.io"}}
	conn, _, err := dialer.Dial("wss"+strings.TrimPrefix(v.url, "https")+"/api/v1/namespaces/default/pods/"+pod+"/exec?"+query,
		http.Header{"Authorization": {"Bearer " + v.token}})
	if err != nil {
		v.Fatal(err)
	}
	defer conn.Close()
	for _, message := range messages {
		if err := conn.WriteMessage(websocket.BinaryMessage, []byte(message)); err != nil {
			v.Fatal(err)
		}
	}
	for {
		_, message, err := conn.ReadMessage()
		if err != nil {
			return out
		}
		if len(message) > 0 && message[0] == 1 {
			out += string(message[1:])
		}
	}
}

func traced(t *testing.T, rec *trace.Recorder) string {
	t.Helper()
	var b bytes.Buffer
	if err := rec.Print(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// repeated is the trace of a saved demo up to a moment.
func repeated(t *testing.T, file string, until time.Duration) string {
	t.Helper()
	f, err := rehearsal.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	run, err := session.Open(f.Scenario, nil)
	if err != nil {
		t.Fatal(err)
	}
	run.Run(until)
	run.Close()
	return traced(t, run.Cluster().Trace())
}

// A cluster on a port has what makes its objects true, and a file for it says so.
func TestAClusterOnAPort(t *testing.T) {
	for _, f := range []flags{{}, {nodes: "1", authorization: cluster.RBAC}, {nodes: "2", hollow: "3"}, {hollow: "3"}} {
		o, err := clusterOptions(f)
		if err != nil {
			t.Fatal(err)
		}
		if c := o.Config; c.NetworkPolicies != (len(c.Nodes) > 0) || !c.CEL || !c.AllKinds || !c.Devices {
			t.Errorf("%+v: %+v", f, c)
		}
		if s := sessionOf("session", []string{"en", "ja"}, &o); len(o.Config.Nodes) > 0 {
			s.Setup, s.End = time.Second, 2*time.Second
			if _, err := demofile.Write(&s); err != nil {
				t.Errorf("%+v: %v", f, err)
			}
		}
	}
}

// What somebody does on a port is saved as a demo that does the same: its trace is that of the session, byte for byte, with all names, UIDs and
// versions, although the session's clients also read and watch.
func TestASessionIsSavedAsADemo(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes, config.Network, config.Metrics = cluster.NumberedNodes(2), true, true
	config.Epoch = time.Date(2026, 11, 25, 1, 2, 3, 0, time.UTC)
	live := cluster.New(config, 1)
	o := httpapi.Options{Config: config, Seed: 1, Cluster: live, Speed: 20, Listen: "127.0.0.1:0"}
	file := filepath.Join(t.TempDir(), "session.yaml")
	var said bytes.Buffer
	save, err := newSaver(file, started(sessionOf("session", []string{"en", "ja"}, &o)), &o, &said)
	if err != nil {
		t.Fatal(err)
	}
	s, err := httpapi.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	v := visit(t, s.Kubeconfig())
	watching, stop := context.WithCancel(context.Background())
	defer stop()
	watch, err := http.NewRequestWithContext(watching, "GET", v.url+"/api/v1/pods?watch=1&allowWatchBookmarks=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	watch.Header.Set("Authorization", "Bearer "+v.token)
	if answer, err := v.http.Do(watch); err != nil {
		t.Fatal(err)
	} else {
		go io.Copy(io.Discard, answer.Body)
	}

	const apps, core = "/apis/apps/v1/namespaces/default/", "/api/v1/namespaces/default/"
	web := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},` +
		`"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx:1.27"}]}}}}`
	do := func(want int, method, path, contentType, body string) {
		t.Helper()
		if code, text := v.ask(method, path, contentType, body); code != want {
			t.Errorf("%s %s: %d %.300s", method, path, code, text)
		}
		v.ask("GET", core+"events", "", "")
	}
	do(201, "POST", apps+"deployments?fieldManager=kubectl-create", "application/json", web)
	do(409, "POST", apps+"deployments?fieldManager=kubectl-create", "application/json", web)
	pods := v.pods(3)
	do(200, "PATCH", apps+"deployments/web/scale", "application/merge-patch+json", `{"spec":{"replicas":4}}`)
	do(201, "PATCH", core+"configmaps/applied?fieldManager=me", "application/apply-patch+yaml", "apiVersion: v1\nkind: ConfigMap\ndata: {a: \"yes\"}\n")
	do(201, "POST", core+"configmaps", "application/yaml", "metadata: {name: c}\ndata:\n  a: |\n    x\n    y\n")
	do(200, "PUT", core+"configmaps/c", "application/json", ` {"metadata" : {"name":"c", "labels":{"a":"b"}}, "data":{"e":"<b> é"}} `)
	do(400, "PUT", core+"configmaps/c", "application/json", `{"metadata"`)
	do(415, "PATCH", core+"configmaps/c", "application/json", `{}`)
	do(201, "POST", core+"pods/"+pods[0]+"/eviction", "application/json", `{"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"`+pods[0]+`"}}`)
	do(201, "POST", core+"pods", "application/json",
		`{"metadata":{"generateName":"own-"},"spec":{"schedulerName":"nobody","containers":[{"name":"a","image":"busybox","command":["sleep","9999"]}]}}`)
	_, text := v.ask("GET", core+"pods?fieldSelector=spec.schedulerName%3Dnobody", "", "")
	own := regexp.MustCompile(`"name":"(own-\w+)"`).FindStringSubmatch(text)
	if own == nil {
		t.Fatalf("no Pod own-: %.300s", text)
	}
	do(201, "POST", core+"pods/"+own[1]+"/binding", "application/json", `{"metadata":{"name":"`+own[1]+`"},"target":{"kind":"Node","name":"node-2"}}`)
	v.pods(5)
	for _, input := range []string{"text: \"é\"\n", "\x00\xff\xfe binary"} {
		if v.exec(own[1], "tee&command=/f", input); v.exec(own[1], "cat&command=/f", "") != input {
			t.Errorf("what was %q comes back otherwise", input)
		}
	}
	if got := v.exec(own[1], "hostname", ""); got != own[1]+"\n" {
		t.Errorf("hostname: %q", got)
	}
	do(200, "DELETE", core+"configmaps?labelSelector=a%3Db", "", "")
	do(404, "DELETE", core+"configmaps/c", "", "")
	do(200, "DELETE", apps+"deployments/web", "application/json", `{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground"}`)
	v.pods(1)
	now, err := s.Elapsed()
	if err == nil {
		err = errors.Join(s.Close(), save.end(now))
	}
	if err != nil {
		t.Fatal(err)
	}
	if said.String() != "saved: kubewalk trace "+file+"\n" {
		t.Errorf("said %q", said.String())
	}

	if got, want := repeated(t, file, live.Elapsed()), traced(t, live.Trace()); got != want {
		t.Errorf("the demo differs: %s", difference(got, want))
	}
	f, err := rehearsal.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, problems, err := rehearsal.Run(f); err != nil || len(problems) > 0 {
		t.Errorf("the demo has problems: %v %v", problems, err)
	}
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"\n      path: /apis/apps/v1/namespaces/default/deployments?fieldManager=kubectl-create\n      body:\n        apiVersion: apps/v1\n",
		"\n    fails: deployments.apps \"web\" already exists\n", "\n      agent: visitor\n", "/exec?command=hostname&stdout=true\n",
		"      contentType: application/octet-stream\n      body: AP/+IGJpbmFyeQ==\n",
		"\n          a: |\n            x\n            y\n", "\n      body: \"{\\\"metadata\\\"\"\n",
	} {
		if !strings.Contains(string(saved), part) {
			t.Errorf("the file lacks %q", part)
		}
	}
	if t.Failed() {
		t.Logf("%s", saved)
	}
}

// A cluster can begin at a moment of a demo: it has the objects that the page has there, and goes on as the page does.
func TestAClusterFromAMoment(t *testing.T) {
	const demo = "../content/demos/replicaset-scale.yaml"
	for _, given := range []string{demo, "replicaset-scale",
		"https://example.org/en/start/#demo=replicaset-scale&seed=7&inputs=16.25,scale,replicasets,default,web,1&at=25.000001"} {
		m, err := momentOf("../content", given)
		if err != nil {
			t.Fatal(err)
		}
		o := httpapi.Options{Listen: "127.0.0.1:0", Speed: httpapi.MaxSpeed}
		if err := m.run(&o, trace.Off); err != nil {
			t.Fatal(err)
		}
		ses, err := session.Open(m.scenario, m.inputs)
		if err != nil {
			t.Fatal(err)
		}
		ses.Run(m.at)
		state := func(c *cluster.Cluster) string { // the server's memory is the store's, to whom no time passes
			return fmt.Sprint(c.Elapsed(), c.Count("pods"), c.Count("events"), c.Count("replicasets"), c.Count("leases"), c.Count("nodes"))
		}
		if got, want := state(o.Cluster), state(ses.Cluster()); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
		ses.Close()

		steps := len(o.Cluster.Outcomes())
		s, err := httpapi.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		v := visit(t, s.Kubeconfig())
		if code, text := v.ask("POST", "/api/v1/namespaces/default/configmaps", "application/json", `{"metadata":{"name":"mine"}}`); code != 201 {
			t.Errorf("%s: %d %s", given, code, text)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		outcomes := o.Cluster.Outcomes()
		mine := outcomes[len(outcomes)-1]
		if len(outcomes) != steps+1 || !mine.Done {
			t.Errorf("%s: %d outcomes after %d, the last is done: %v", given, len(outcomes), steps, mine.Done)
		}
		for _, step := range outcomes[:steps] { // the script falls silent
			if step.Done && step.Input.At > mine.Input.At {
				t.Errorf("%s: %s happened at %v, after somebody took over at %v", given, step.Input, step.Input.At, mine.Input.At)
			}
		}
	}
}

func TestMomentsOfMarks(t *testing.T) {
	f, err := rehearsal.Read("../content/demos/replicaset-scale.yaml")
	if err != nil {
		t.Fatal(err)
	}
	mark := f.Scenario.Marks[0]
	m, err := momentOf("../content", "../content/demos/replicaset-scale.yaml@"+mark.ID)
	if err != nil {
		t.Fatal(err)
	}
	run, err := rehearsal.Script("../content/demos/replicaset-scale.yaml")
	if err != nil {
		t.Fatal(err)
	}
	id, err := f.Scenario.Find(mark, run.Cluster().Trace())
	if want := run.Cluster().Trace().Event(id).At; err != nil || m.at != want || len(m.inputs) != 0 {
		t.Errorf("%s is at %v, not %v (%v)", mark.ID, m.at, want, err)
	}
}

func TestMomentsThatAreNone(t *testing.T) {
	for given, want := range map[string]string{
		"replicaset-scal":                                    `no demo "replicaset-scal" in ../content/demos (did you mean "replicaset-scale"?)`,
		"replicaset-scale@nothing":                           `demo "replicaset-scale" has no mark "nothing" (`,
		"https://example.org/en/#top":                        "the link is incomplete or broken: it names no demo: copy one from",
		"#demo=replicaset-scale":                             `the link is incomplete or broken: seed "" is not a number`,
		"#demo=../x&seed=1&at=1":                             `the link is incomplete or broken: "../x" is not the name of a demo`,
		"#demo=nothing-here&seed=1&at=1":                     `no demo "nothing-here" in ../content/demos`,
		"#demo=replicaset-scale&seed=1&at=9999999":           "the link is incomplete or broken: its moment is",
		"#demo=replicaset-scale&seed=1&at=1&what-if=nothing": `demo "replicaset-scale": unknown counterfactual "nothing"`,
		"#demo=replicaset-scale&seed=1&at=1&inputs=1,api-request,GET,/api/v1/pods": "GET only reads",
	} {
		m, err := momentOf("../content", given)
		if err == nil {
			err = m.run(&httpapi.Options{}, trace.Off)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", given, err, want)
		}
	}
}

func TestClusterRefuses(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there.yaml")
	if err := os.WriteFile(there, []byte("title: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := "--kubeconfig=" + filepath.Join(t.TempDir(), "kubeconfig")
	for _, test := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"a", "b"}, "cluster runs one cluster, not 2 demos (a link has an & in it: put it in quotes)"},
		{[]string{"--save", "x"}, `--save "x" does not end with .yaml, as a demo's file does`},
		{[]string{"--save", there}, there + " is there already: name another file with --save"},
		{[]string{"--authorization=rbac", "replicaset-scale"}, "--nodes, --hollow-nodes and --authorization are for a new cluster, not for a demo's: leave them out"},
		{[]string{"--save", filepath.Join(t.TempDir(), "x.yaml"), "--content=../content", "#demo=expectations&seed=1&what-if=forgetful&at=1"},
			"a demo's file cannot begin in a what-if: copy a link that is not in one"},
		{[]string{"--content=../content", "nothing"}, `no demo "nothing" in ../content/demos`},
	} {
		err := run(context.Background(), append([]string{"cluster", config}, test.arguments...), io.Discard)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v: %v\nwant %s", test.arguments, err, test.want)
		}
	}
}
