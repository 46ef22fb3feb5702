package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/schema"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// started is a small cluster on a port, ready.
func started(t *testing.T) *Server {
	t.Helper()
	config := cluster.DefaultConfig()
	config.Trace, config.Nodes, config.Network = trace.Off, cluster.NumberedNodes(1), true
	s, err := Start(Options{Config: config, Seed: 1, Speed: 20, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := s.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	return s
}

// client trusts the server's CA.
func (s *Server) client() *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(s.credentials.authority)
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}, Timeout: 20 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// ask sends a request; header are pairs that come last. The answer's body is its text.
func (s *Server) ask(t *testing.T, method, path, body string, header ...string) (code int, text string, answer *http.Response) {
	t.Helper()
	r, err := http.NewRequest(method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.credentials.token)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	answer, err = s.client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(read), answer
}

func TestRequests(t *testing.T) {
	s := started(t)
	configMap := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"a"}}`
	for _, c := range []struct {
		method, path, body string
		header             []string
		code               int
		want               string // a regular expression
	}{
		{"GET", "/healthz", "", []string{"Authorization", ""}, 200, `^ok$`},
		{"GET", "/version", "", []string{"Authorization", ""}, 200, `"gitVersion":"v1\.36\.3"`},
		{"GET", "/readyz?verbose", "", nil, 200, `(?s)^\[\+\]ping ok\n\[\+\]log ok\n\[\+\]etcd ok\n\[\+\]etcd-readiness ok\n.*\[\+\]shutdown ok\nreadyz check passed\n$`},
		{"GET", "/readyz?verbose&exclude=etcd&exclude=x", "", nil, 200, `\n\[\+\]etcd excluded: ok\n(?s:.*)\n` +
			`warn: some health checks cannot be excluded: no matches for "x"\nreadyz check passed\n$`},
		{"GET", "/livez/etcd", "", nil, 200, `^ok$`},
		{"GET", "/readyz/poststarthook/rbac/bootstrap-roles", "", nil, 200, `^ok$`},
		{"GET", "/livez/etcd-readiness", "", nil, 404, `404 page not found`},
		{"GET", "/livez/etcd", "", []string{"Authorization", ""}, 401, `Unauthorized`},
		{"GET", "/api", "", []string{"Authorization", "Bearer wrong"}, 401, `"message":"Unauthorized","reason":"Unauthorized","code":401`},
		{"GET", "/metrics", "", []string{"Authorization", ""}, 401, `Unauthorized`},
		{"GET", "/api/v1/nodes", "", []string{"Host", "evil.example"}, 421, `not evil\.example`},
		{"GET", "/api/v1/nodes", "", []string{"Host", "localhost:6443"}, 200,
			`"kind":"NodeList","apiVersion":"v1","metadata":\{[^}]*\},"items":\[\{"metadata":\{"name":"node-1"`},
		{"GET", "/", "", nil, 200, `"/apis/apps/v1"`},
		{"GET", "/nothing", "", nil, 404, `404 page not found`},
		{"GET", "/apis/nothing.example/v1/things", "", nil, 404, `404 page not found`},
		{"GET", "/apis/apps", "", nil, 200, `"kind":"APIGroup","apiVersion":"v1","name":"apps"`},
		{"GET", "/apis/apps/v1", "", nil, 200, `"name":"deployments/scale".*"group":"autoscaling","version":"v1","kind":"Scale"`},
		{"GET", "/apis", "", []string{"Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}, 200, `"kind":"APIGroupDiscoveryList"`},
		{"GET", "/api/v1/nodes", "", []string{"Accept", "application/vnd.kubernetes.protobuf"}, 200, `^k8s\x00(?s:.*)NodeList`},
		{"GET", "/api/v1/nodes", "", []string{"Accept", "text/plain"}, 406,
			`application/json, application/yaml, application/vnd.kubernetes.protobuf","reason":"NotAcceptable"`},
		{"GET", "/api/v1/nodes", "", []string{"Accept", "application/vnd.kubernetes.protobuf,application/json"}, 200, `"kind":"NodeList"`},
		{"GET", "/api/v1/nodes", "", []string{"Accept", "application/yaml"}, 200, `(?m)^kind: NodeList$`},
		{"GET", "/api/v1/nodes", "", []string{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}, 200,
			`"kind":"Table".*"name":"Name","type":"string","format":"name".*"cells":\["node-1".*"object":\{"kind":"PartialObjectMetadata"`},
		{"GET", "/api/v1/nodes?includeObject=None", "", []string{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}, 200, `"rows":\[\{"cells":\[[^{]*\]\}\]`},
		{"GET", "/api/v1/nodes?includeObject=Bogus", "", []string{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}, 400,
			`"message":"Unable to convert to Table as requested: includeObject: Invalid value: \\"Bogus\\": must be 'Metadata', 'Object', 'None', or empty","reason":"BadRequest"`},
		{"GET", "/api/v1/nodes?watch=1&includeObject=Bogus", "", []string{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}, 400, `includeObject: Invalid value`},
		{"GET", "/api/v1/nodes?includeObject=Bogus", "", nil, 200, `"kind":"NodeList"`},
		{"GET", "/api/v1/nodes/nobody?includeObject=Bogus", "", []string{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}, 404, `nodes \\"nobody\\" not found`},
		{"GET", "/api/v1/nodes?watch=1&includeObject=None&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1", "",
			[]string{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1beta1"}, 200,
			`"kind":"Table","apiVersion":"meta.k8s.io/v1beta1".*"rows":\[\{"cells":\["node-1"[^{]*\]\}\](?s:.*)` +
				`"type":"BOOKMARK".*"object":\{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1".*"k8s.io/initial-events-end":"true"`},
		{"GET", "/api/v1/nodes", "", []string{"Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}, 200,
			`"items":\[\{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":\{"name":"node-1"`},
		{"GET", "/api/v1/nodes?limit=many", "", nil, 400, `strconv.ParseInt: parsing \\"many\\": invalid syntax`},
		{"GET", "/api/v1/nodes?labelSelector=a+in+(b", "", nil, 400, `unable to parse requirement`},
		{"POST", "/api/v1/namespaces/default/configmaps", configMap, []string{"User-Agent", "curl/8"}, 201, `"manager":"curl"`},
		{"POST", "/api/v1/namespaces/default/configmaps", configMap, nil, 409, `"reason":"AlreadyExists"`},
		{"POST", "/api/v1/namespaces/default/configmaps", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\n", []string{"Content-Type", "application/yaml"}, 201, `"name":"y"`},
		{"POST", "/api/v1/namespaces/default/configmaps", "a: [", []string{"Content-Type", "application/yaml"}, 400,
			`the object provided is unrecognized \(must be of type ConfigMap\): error converting YAML to JSON: yaml: line 1: .* \(613a205b\)"`},
		{"PATCH", "/api/v1/namespaces/default/configmaps/y?fieldManager=m", "a: [", []string{"Content-Type", "application/apply-patch+yaml"}, 400, `error decoding YAML`},
		{"POST", "/api/v1/namespaces/default/configmaps", configMap, []string{"Content-Type", "text/plain"}, 415, `UnsupportedMediaType`},
		{"POST", "/api/v1/namespaces/default/configmaps", "k8s\x00\xff", []string{"Content-Type", "application/vnd.kubernetes.protobuf"}, 400, `unexpected EOF`},
		{"POST", "/api/v1/namespaces/default/configmaps?dryRun=Some", configMap, nil, 422, `Unsupported value: \\"Some\\": supported values: \\"All\\"`},
		{"POST", "/api/v1/namespaces/default/configmaps", `{"data":{"a":"` + strings.Repeat("x", maxBody) + `"}}`, nil, 413, `limit is 3145728`},
		{"PUT", "/api/v1/namespaces/default/configmaps/c", `{"metadata":{"name":"c"},"data":{"a":"b"},"nope":1}`, nil, 200, `"data":\{"a":"b"\}`},
		{"PATCH", "/api/v1/namespaces/default/configmaps/c", `{"data":{"a":"c"}}`, []string{"Content-Type", "application/merge-patch+json"}, 200, `"data":\{"a":"c"\}`},
		{"PATCH", "/api/v1/namespaces/default/configmaps/c", `[]`, nil, 415, `application/json-patch\+json, application/merge-patch\+json`},
		{"PATCH", "/api/v1/namespaces/default/configmaps/s?fieldManager=m", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: s}\ndata: {a: b}\n",
			[]string{"Content-Type", "application/apply-patch+yaml"}, 201, `"operation":"Apply"`},
		{"PATCH", "/api/v1/namespaces/default/configmaps/s", "{}", []string{"Content-Type", "application/apply-patch+yaml", "User-Agent", "curl/8"}, 422,
			`fieldManager: Required value: is required for apply patch`},
		{"OPTIONS", "/api/v1/namespaces/default/configmaps/c", "", nil, 405, `MethodNotAllowed`},
		{"DELETE", "/api/v1/namespaces/default/configmaps/c", `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`, nil, 200, `"status":"Success"`},
		{"DELETE", "/api/v1/namespaces/default/configmaps/c?propagationPolicy=Never", "", nil, 422, `propagationPolicy`},
		{"DELETE", "/api/v1/namespaces/default/configmaps/c", "", nil, 200, `"status":"Success"`},
		{"GET", "/api/v1/namespaces/default/configmaps/c", "", nil, 404, `configmaps \\"c\\" not found`},
		{"GET", "/api/v1/namespaces/default/pods/p/exec?command=ls", "", nil, 404, `pods \\"p\\" not found`},
		{"GET", "/api/v1/namespaces/default/pods/p/log", "", nil, 404, `pods \\"p\\" not found`},
		{"GET", "/api/v1/namespaces/default", "", nil, 200, `"kind":"Namespace"`},
		{"GET", "/openapi/v3", "", nil, 200, `"apis/apps/v1":\{"serverRelativeURL":"/openapi/v3/apis/apps/v1\?hash=[0-9A-F]{128}"`},
		{"GET", "/openapi/v3/apis/apps/v1", "", nil, 200, `"io.k8s.api.apps.v1.Deployment"`},
		{"GET", "/openapi/v3/apis/nothing/v1", "", nil, 404, `404 page not found`},
		{"GET", "/apis/metrics.k8s.io/v1beta1/nodes", "", nil, 404, `404 page not found`},
		{"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", `{"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}}`, nil, 201, `"allowed":true`},
		{"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", `{}`, nil, 422, `exactly one of nonResourceAttributes or resourceAttributes must be specified`},
		{"GET", "/metrics", "", nil, 200, `apiserver_request_total\{code="201",group="",resource="configmaps",scope="namespace",subresource="",verb="POST",version="v1"\} 2`},
	} {
		code, text, _ := s.ask(t, c.method, c.path, c.body, c.header...)
		if code != c.code || !regexp.MustCompile(c.want).MatchString(text) {
			t.Errorf("%s %s %v: %d %.600s\nwant %d %s", c.method, c.path, c.header, code, text, c.code, c.want)
		}
	}
}

// A warning of the API server comes as a header.
// A review has no columns, so nobody can have it as a table.
func TestReviewsAreNoTables(t *testing.T) {
	s := started(t)
	for accept, want := range map[string]int{"application/json;as=Table;g=meta.k8s.io;v=v1": 406, "application/json": 201} {
		code, text, _ := s.ask(t, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
			`{"spec":{"nonResourceAttributes":{"path":"/","verb":"get"}}}`, "Accept", accept)
		if code != want {
			t.Errorf("%s: %d %s", accept, code, text)
		}
	}
}

func TestWarnings(t *testing.T) {
	s := started(t)
	_, _, answer := s.ask(t, "POST", "/api/v1/namespaces/default/configmaps?fieldValidation=Warn", `{"metadata":{"name":"w"},"nope":1}`)
	if got := answer.Header.Get("Warning"); got != `299 - "unknown field \"nope\""` {
		t.Errorf("Warning: %q", got)
	}
}

// events reads a watch's first lines.
func (s *Server) events(t *testing.T, ctx context.Context, path string, header ...string) (lines chan string) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, "GET", s.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.credentials.token)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := s.client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	lines = make(chan string, 100)
	go func() {
		defer close(lines)
		defer answer.Body.Close()
		in := bufio.NewScanner(answer.Body)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			lines <- in.Text()
		}
	}()
	return lines
}

func TestWatch(t *testing.T) {
	s := started(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	whole := s.events(t, ctx, "/api/v1/namespaces/default/configmaps?watch=1&fieldSelector=metadata.name%3Dc&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")
	table := s.events(t, ctx, "/api/v1/watch/namespaces/default/configmaps/c", "Accept", "application/json;as=Table;g=meta.k8s.io;v=v1")
	next := func(from chan string, want string) {
		t.Helper()
		select {
		case line := <-from:
			if !regexp.MustCompile(want).MatchString(line) {
				t.Errorf("event %s\nwant %s", line, want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("no event, want %s", want)
		}
	}
	next(whole, `^\{"type":"BOOKMARK","object":\{"kind":"ConfigMap".*"k8s.io/initial-events-end":"true"`)
	s.ask(t, "POST", "/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"c"},"data":{"k":"v"}}`)
	next(whole, `^\{"type":"ADDED",.*"name":"c".*"managedFields":\[\{"manager":`)
	if _, list, _ := s.ask(t, "GET", "/api/v1/namespaces/default/configmaps", ""); !strings.Contains(list, `"managedFields":[{"manager":`) {
		t.Errorf("a list without managed fields: %s", list)
	}
	next(table, `^\{"type":"ADDED","object":\{"kind":"Table".*"columnDefinitions":\[\{"name":"Name".*"cells":\["c",1,`)
	s.ask(t, "DELETE", "/api/v1/namespaces/default/configmaps/c", "")
	next(whole, `^\{"type":"DELETED",.*"name":"c"`)
	next(table, `^\{"type":"DELETED","object":\{"kind":"Table".*"columnDefinitions":null,"rows":\[\{"cells":\["c",1,`)
	if n := s.watches.Load(); n != 2 {
		t.Errorf("%d watches are open, want 2", n)
	}
	cancel()
	for end := time.Now().Add(10 * time.Second); s.watches.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d watches are open after their clients have gone", s.watches.Load())
		}
	}
}

// A watch ends with the server, and the server with its watches.
func TestCloseEndsWatches(t *testing.T) {
	s := started(t)
	lines := s.events(t, context.Background(), "/api/v1/nodes?watch=1")
	<-lines
	begin := time.Now()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range lines { // until it ends
	}
	if d := time.Since(begin); d > 10*time.Second {
		t.Errorf("closing took %v", d)
	}
	if err := s.loop.do(func(*cluster.Cluster) {}); err != errStopped {
		t.Errorf("a request to a closed server: %v", err)
	}
}

// A kubeconfig has what a client needs, and can be read as YAML that holds no surprise.
func TestKubeconfig(t *testing.T) {
	s := started(t)
	text := s.Kubeconfig()
	for _, want := range []string{"server: " + s.URL() + "\n", "token: " + s.credentials.token + "\n", "current-context: kubewalk\n"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the kubeconfig lacks %q", want)
		}
	}
}

func TestOptions(t *testing.T) {
	for want, o := range map[string]Options{
		`speed 5000 is not between 0.01 and 1000`: {Speed: 5000, Listen: "127.0.0.1:0"},
		`address "nowhere"`:                       {Listen: "nowhere"},
		`ingress needs network`:                   {Listen: "127.0.0.1:0", Config: cluster.Config{Ingress: true}},
	} {
		if s, err := Start(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", o, err, want)
			if s != nil {
				s.Close()
			}
		}
	}
}

// recorded are the paths of a real API server and what can be done at each.
func TestPathsAsRecorded(t *testing.T) {
	files, err := os.ReadDir("../api/openapi/types")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, file := range files {
		text, _ := os.ReadFile("../api/openapi/types/" + file.Name())
		var recorded struct {
			GroupVersion string
			Paths        map[string]map[string]string
		}
		if err := json.Unmarshal(text, &recorded); err != nil {
			t.Fatal(err)
		}
		gv := groupVersion(t, recorded.GroupVersion)
		ours := describe(gv)["paths"].(map[string]any)
		for path, methods := range recorded.Paths {
			if strings.Contains(path, "/watch/") || absentPaths[path] {
				continue
			}
			found, _ := ours[path].(map[string]operation)
			for method, action := range methods {
				if found[method].Action != action {
					t.Errorf("%s %s: %q, recorded %q", method, path, found[method].Action, action)
				}
				compared++
			}
			for method, o := range found {
				if methods[method] == "" {
					t.Errorf("%s %s: %q is not in the recording", method, path, o.Action)
				}
			}
			delete(ours, path)
		}
		for path := range ours {
			t.Errorf("%s is not in the recording", path)
		}
	}
	if compared < 300 {
		t.Errorf("only %d methods were compared", compared)
	}
}

func groupVersion(t *testing.T, text string) schema.GroupVersion {
	t.Helper()
	gv, err := schema.ParseGroupVersion(text)
	if err != nil {
		t.Fatal(err)
	}
	return gv
}

// absentPaths are those of a real API server that are not here.
var absentPaths = map[string]bool{}

// Version 2 has all kinds in one document, those of definitions among them.
func TestOpenAPIv2(t *testing.T) {
	s := started(t)
	type schema struct {
		Type       string
		Ref        string `json:"$ref"`
		Format     string
		Items      *schema
		Properties map[string]schema
		OneOf      []any
	}
	var doc struct {
		Swagger     string
		Paths       map[string]any
		Definitions map[string]schema
	}
	read := func() {
		t.Helper()
		_, text, _ := s.ask(t, "GET", "/openapi/v2", "")
		doc.Definitions = nil
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
	}
	read()
	pod := doc.Definitions["io.k8s.api.core.v1.Pod"]
	if doc.Swagger != "2.0" || pod.Properties["spec"].Ref != "#/definitions/io.k8s.api.core.v1.PodSpec" {
		t.Errorf("swagger %s, spec of a Pod: %+v", doc.Swagger, pod.Properties["spec"])
	}
	if q := doc.Definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]; q.Type != "string" || q.Format != "int-or-string" || q.OneOf != nil {
		t.Errorf("IntOrString is %+v", q)
	}
	if doc.Paths["/api/v1/namespaces/{namespace}/pods/{name}"] == nil {
		t.Error("no path of a Pod")
	}
	for name, d := range doc.Definitions {
		for field, p := range d.Properties {
			if _, ok := doc.Definitions[strings.TrimPrefix(p.Ref, "#/definitions/")]; p.Ref != "" && !ok {
				t.Errorf("%s.%s is a %s, which is not there", name, field, p.Ref)
			}
		}
	}
	code, text, _ := s.ask(t, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"metadata":{"name":"foos.example.com"},"spec":{
		"group":"example.com","scope":"Namespaced","names":{"kind":"Foo","plural":"foos"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{
			"some":{"type":"array","items":{"type":"string"}},"any":{"type":"integer","nullable":true}}}}}}}]}}`)
	if code != 201 {
		t.Fatal(text)
	}
	s.ask(t, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"metadata":{"name":"bars.example.com"},"spec":{
		"group":"example.com","scope":"Namespaced","names":{"kind":"Bar","plural":"bars"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`)
	there := func(kind string) bool { return doc.Definitions["com.example.v1."+kind].Type != "" }
	for end := time.Now().Add(20 * time.Second); !there("Foo") || !there("Bar"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the definition's kind never came")
		}
		read()
	}
	_, text, _ = s.ask(t, "GET", "/openapi/v2", "")
	want := `"com.example.v1.Bar":{"type":"object","x-kubernetes-group-version-kind":[{"group":"example.com","kind":"Bar","version":"v1"}]}`
	if !strings.Contains(text, want) {
		t.Errorf("of a kind whose fields are unknown it does not say %s", want)
	}
	spec := doc.Definitions["com.example.v1.Foo"].Properties["spec"]
	if some := spec.Properties["some"]; some.Items == nil || some.Items.Type != "string" || spec.Properties["any"].Type != "" {
		t.Errorf("the spec of a Foo: %+v", spec)
	}
}

// Who may use pods/proxy may use all paths behind it, and nobody else any.
func TestProxyIsAuthorized(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Trace, config.Nodes, config.Network, config.Authorization = trace.Off, cluster.NumberedNodes(1), true, cluster.RBAC
	s, err := Start(Options{Config: config, Seed: 1, Speed: 20, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := s.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	rbac := "/apis/rbac.authorization.k8s.io/v1/namespaces/default/"
	s.ask(t, "POST", rbac+"roles", `{"metadata":{"name":"p"},"rules":[{"apiGroups":[""],"resources":["pods/proxy"],"verbs":["get"]}]}`)
	s.ask(t, "POST", rbac+"rolebindings", `{"metadata":{"name":"p"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"p"},
		"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"ann"}]}`)
	const path = "/api/v1/namespaces/default/pods/web/proxy/a/b"
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) { // the authorizer reads from caches
		code, text, _ := s.ask(t, "GET", path, "", "Impersonate-User", "ann")
		if code == 404 { // there is no such Pod
			break
		}
		if time.Now().After(end) {
			t.Fatalf("ann: %d %s", code, text)
		}
	}
	if code, text, _ := s.ask(t, "POST", path, "", "Impersonate-User", "ann"); code != 403 {
		t.Errorf("ann may not create: %d %s", code, text)
	}
	if code, text, _ := s.ask(t, "OPTIONS", path, "", "Impersonate-User", "ann"); code != 403 {
		t.Errorf("ann may not do what has no verb: %d %s", code, text)
	}
	if code, text, _ := s.ask(t, "OPTIONS", path, ""); code != 404 {
		t.Errorf("who may do everything: %d %s", code, text)
	}
	if code, text, _ := s.ask(t, "GET", path, "", "Impersonate-User", "bob"); code != 403 {
		t.Errorf("bob: %d %s", code, text)
	}
}

// What the API server sends on to Pods and Services.
func TestProxy(t *testing.T) {
	s := started(t)
	s.ask(t, "POST", "/api/v1/namespaces/default/pods", `{"metadata":{"name":"web","labels":{"app":"web"}},"spec":{"containers":[
		{"name":"web","image":"agnhost","args":["netexec"],"ports":[{"containerPort":8080}]}]}}`)
	s.ask(t, "POST", "/api/v1/namespaces/default/services", `{"metadata":{"name":"web"},"spec":{"selector":{"app":"web"},"ports":[{"name":"http","port":80,"targetPort":8080}]}}`)
	s.ask(t, "POST", "/api/v1/namespaces/default/pods", `{"metadata":{"name":"porter"},"spec":{"containers":[
		{"name":"a","image":"agnhost","args":["porter"],"env":[{"name":"SERVE_PORT_80","value":"<a href=\"/page\">test</a>"},
			{"name":"SERVE_TLS_PORT_443","value":"secret"}]}]}}`)
	pod := "/api/v1/namespaces/default/pods/"
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		code, _, _ := s.ask(t, "GET", "/api/v1/namespaces/default/services/web/proxy/", "")
		porter, _, _ := s.ask(t, "GET", pod+"porter/proxy/", "")
		if code == 200 && porter == 200 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the Service never answered")
		}
	}
	for _, c := range []struct {
		method, path string
		code         int
		text         string
	}{
		{"GET", pod + "web/proxy/", 200, "NOW: "},
		{"GET", pod + "web:8080/proxy/hostname", 200, "web"},
		{"GET", pod + "http:web:8080/proxy/echo?msg=hello", 200, "hello"},
		{"PUT", pod + "web/proxy/hostname", 200, "web"},
		{"OPTIONS", pod + "web/proxy/hostname", 200, "web"},
		{"OPTIONS", pod + "web", 405, `options is not supported on resources of kind \"pods\"`},
		{"GET", pod + "porter/proxy/", 200, `<a href="` + pod + `porter/proxy/page">test</a>`},
		{"GET", pod + "http:porter:80/proxy/some/where", 200, `<a href="` + pod + `http:porter:80/proxy/page">test</a>`},
		{"GET", pod + "https:porter:443/proxy/", 200, "secret"},
		{"GET", pod + "porter:443/proxy/", 400, "Client sent an HTTP request to an HTTPS server."},
		{"GET", pod + "web:81/proxy/", 503, "error trying to reach service: connection refused"},
		{"GET", pod + "nobody/proxy/", 404, `pods \"nobody\" not found`},
		{"GET", "/api/v1/namespaces/default/services/web:http/proxy/hostName", 200, "web"},
		{"GET", "/api/v1/namespaces/default/services/web:80/proxy/echo?msg=a/b", 200, "a/b"},
		{"GET", "/api/v1/namespaces/default/services/web:81/proxy/", 503, `no service port \"81\" found for service \"web\"`},
		{"GET", "/api/v1/namespaces/default/services/a:b:c:d/proxy/", 400, "invalid service request"},
	} {
		code, text, _ := s.ask(t, c.method, c.path, "")
		if code != c.code || !strings.Contains(text, c.text) {
			t.Errorf("%s %s: %d %s\nwant %d %s", c.method, c.path, code, text, c.code, c.text)
		}
	}
	if code, _, answer := s.ask(t, "GET", pod+"web/proxy", ""); code != 301 || answer.Header.Get("Location") != pod+"web/proxy/" {
		t.Errorf("without a slash: %d %s", code, answer.Header.Get("Location"))
	}
}
