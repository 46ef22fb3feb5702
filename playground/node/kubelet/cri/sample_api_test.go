//go:build !js

package cri

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/sim"
)

// TestSampleAPI: the answers of sample-apiserver, each after those above.
func TestSampleAPI(t *testing.T) {
	etcd := &etcdServer{revision: 1}
	etcd.serve(nil, Request{URL: "grpc://10.244.1.2:2379/grpc.health.v1.Health/Check"}, func(r Response) {
		if r.Status != 200 {
			t.Errorf("a probe gets %d", r.Status)
		}
	})
	random, now := sim.NewRand(1), time.Date(2026, 1, 15, 22, 30, 15, 0, time.UTC)
	ask := func(etcd *etcdServer, method, path, body string, header map[string][]string) (int, string) {
		return (&sampleCall{Request: Request{Method: method, URL: "https://10.244.1.2" + path, Body: body, Header: header}, now: now, rand: random, etcd: etcd,
			unreachable: "dial tcp 127.0.0.1:2379: connect: connection refused"}).answer()
	}
	const (
		alpha, beta = "/apis/wardle.example.com/v1alpha1", "/apis/wardle.example.com/v1beta1"
		in          = "/namespaces/a/flunders"
		merge       = "application/merge-patch+json"
	)
	table := map[string][]string{"Accept": {"application/json;as=Table;v=v1;g=meta.k8s.io"}}
	patch := func(kind string) map[string][]string { return map[string][]string{"Content-Type": {kind}} }
	for _, c := range []struct {
		method, path, body string
		header             map[string][]string
		code               int
		want               string // in the answer
	}{
		{"GET", "/readyz", "", nil, 200, "ok"},
		{"GET", "/apis", "", nil, 200, `"kind":"APIGroupList"`},
		{"GET", "/apis/wardle.example.com", "", nil, 200, `"preferredVersion":{"groupVersion":"wardle.example.com/v1beta1","version":"v1beta1"}`},
		{"GET", "/apis/wardle.example.com/v1", "", nil, 404, "404 page not found"},
		{"GET", alpha, "", nil, 200, `{"kind":"Fischer","name":"fischers","namespaced":false,"singularName":"fischer","verbs":["create","delete",`},
		{"GET", beta + "/fischers", "", nil, 404, "404 page not found"},
		{"GET", alpha + in, "", nil, 200, `{"apiVersion":"wardle.example.com/v1alpha1","items":[],"kind":"FlunderList","metadata":{"resourceVersion":"1"}}`},
		{"GET", alpha + in + "/x", "", nil, 404, `"message":"flunders.wardle.example.com \"x\" not found","reason":"NotFound"`},
		{"POST", alpha + in, `{"metadata":{"name":"x","labels":{"a":"b"}},"spec":{"reference":"y"}}`, nil, 201,
			`"namespace":"a","uid":"`},
		{"GET", alpha + in + "/x", "", nil, 200, `"resourceVersion":"2","creationTimestamp":"2026-01-15T22:30:15Z","labels":{"a":"b"}},"spec":{"reference":"y","referenceType":"Flunder"},"status":{}}`},
		{"GET", beta + in + "/x", "", nil, 200, `"spec":{"flunderReference":"y","referenceType":"Flunder"}`},
		{"POST", alpha + in, `{"metadata":{"name":"x"}}`, nil, 409, `flunders.wardle.example.com \"x\" already exists`},
		{"POST", alpha + in, `{"metadata":{"name":"x/y"}}`, nil, 422, `Flunder.wardle.example.com \"x/y\" is invalid: metadata.name: Invalid value: \"x/y\": may not contain '/'`},
		{"POST", alpha + in, `{"metadata":{}}`, nil, 422, `metadata.name: Required value: name or generateName is required`},
		{"POST", alpha + in, `{"metadata":{"name":"y","namespace":"b"}}`, nil, 400, "the namespace of the provided object does not match the namespace sent on the request"},
		{"POST", alpha + in, `{"kind":"Fischer","metadata":{"name":"y"}}`, nil, 400,
			`Fischer in version \"v1alpha1\" cannot be handled as a Flunder: converting (wardle.example.com/v1alpha1, Kind=Fischer) to (`},
		{"POST", alpha + in, `{"apiVersion":"wardle.example.com/v1beta1","kind":"Flunder","metadata":{"name":"y"}}`, nil, 400,
			`the API version in the data (wardle.example.com/v1beta1) does not match the expected API version (wardle.example.com/v1alpha1)`},
		{"POST", alpha + in + "?fieldValidation=Strict", `{"metadata":{"name":"y"},"spec":{"other":1}}`, nil, 400, `strict decoding error: unknown field \"spec.other\"`},
		{"POST", alpha + in, `[`, nil, 400, "the object provided is unrecognized (must be of type Flunder)"},
		{"POST", alpha + "/flunders", `{"metadata":{"name":"y"}}`, nil, 405, `create is not supported on resources of kind \"flunders.wardle.example.com\"`},
		{"POST", beta + in, `{"metadata":{"name":"y"},"spec":{"flunderReference":"a","fischerReference":"b"}}`, nil, 422,
			`spec.fischerReference: Invalid value: \"b\": cannot be set with flunderReference at the same time`},
		{"POST", beta + in, `{"metadata":{"name":"y"},"spec":{"flunderReference":"a"}}`, nil, 422, "cannot be set if referenceType is not Flunder"},
		{"POST", beta + in, `{"metadata":{"name":"y"},"spec":{"fischerReference":"a"}}`, nil, 422, "cannot be set if referenceType is not Fischer"},
		{"POST", beta + in, `{"metadata":{"name":"y"},"spec":{"referenceType":"Flunder"}}`, nil, 422, "cannot be empty if referenceType is Flunder"},
		{"POST", beta + in, `{"metadata":{"name":"y"},"spec":{"referenceType":"Fischer"}}`, nil, 422, "cannot be empty if referenceType is Fischer"},
		{"POST", beta + in, `{"metadata":{"name":"y"},"spec":{"referenceType":"Other"}}`, nil, 422, "must be Flunder or Fischer"},
		{"POST", alpha + in, `{"metadata":{"name":"y","resourceVersion":"9"}}`, nil, 500, "resourceVersion should not be set on objects to be created"},
		{"POST", alpha + in + "?dryRun=All", `{"metadata":{"name":"y"}}`, nil, 201, `"name":"y"`},
		{"POST", alpha + in, `{"metadata":{"generateName":"y-"}}`, nil, 201, `"generateName":"y-"`},
		{"POST", alpha + "/fischers", `{"metadata":{"name":"f"},"disallowedFlunders":["bad"]}`, nil, 201, `"disallowedFlunders":["bad"]`},
		{"POST", alpha + in, `{"metadata":{"name":"bad"}}`, nil, 403,
			`flunders.wardle.example.com \"bad\" is forbidden: this name may not be used, please change the resource name`},
		{"PUT", alpha + in + "/x", `{"metadata":{"name":"x"}}`, nil, 422, `metadata.resourceVersion: Invalid value: 0: must be specified for an update`},
		{"PUT", alpha + in + "/x", `{"metadata":{"name":"z","resourceVersion":"2"}}`, nil, 400, "the name of the object (z) does not match the name on the URL (x)"},
		{"PUT", alpha + in + "/x", `{"metadata":{"name":"x","resourceVersion":"1"}}`, nil, 409,
			`Operation cannot be fulfilled on flunders.wardle.example.com \"x\": the object has been modified; please apply your changes to the latest version and try again`},
		{"PUT", alpha + in + "/x", `{"metadata":{"name":"x","resourceVersion":"2","uid":"other"}}`, nil, 409, "Precondition failed: UID in precondition: other"},
		{"PUT", alpha + in + "/x", `{"metadata":{"name":"x","resourceVersion":"2","labels":{"a":"c"},"finalizers":["k/f"]}}`, nil, 200, `"resourceVersion":"5"`},
		{"PATCH", alpha + in + "/x", `{"metadata":{"labels":{"a":"c"}}}`, patch(merge), 200, `"resourceVersion":"5"`},
		{"PATCH", alpha + in + "/x", `{"metadata":{"labels":{"a":"d"}}}`, patch("application/strategic-merge-patch+json"), 200, `"labels":{"a":"d"},"finalizers":["k/f"]`},
		{"PATCH", alpha + in + "/x", `[{"op":"add","path":"/spec/reference","value":"z"}]`, patch("application/json-patch+json"), 200, `"reference":"z"`},
		{"PATCH", alpha + in + "/x", `{}`, patch("application/apply-patch+yaml"), 415, "the body of the request was in an unknown format"},
		{"PATCH", alpha + in + "/none", `{}`, patch(merge), 404, "not found"},
		{"PATCH", alpha + in + "/x", `{"metadata":{"labels":{"-":"d"}}}`, patch(merge), 422, "metadata.labels: Invalid value"},
		{"PATCH", alpha + in + "/x", `{"spec":1}`, patch(merge), 422, " is invalid: patch: Invalid value: "},
		{"GET", alpha + "/flunders?labelSelector=a%3Dd", "", table, 200, `"rows":[{"cells":["x","2026-01-15T22:30:15Z"],"object":{"apiVersion":"meta.k8s.io/v1"`},
		{"GET", alpha + "/flunders?fieldSelector=metadata.namespace%3Db", "", nil, 200, `"items":[]`},
		{"GET", alpha + "/flunders?fieldSelector=spec.x%3Db", "", nil, 400, `\"spec.x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"`},
		{"GET", alpha + "/flunders?watch=true", "", nil, 405, "watch is not supported on resources of kind"},
		{"DELETE", alpha + in + "/x", `{"preconditions":{"uid":"other"}}`, nil, 409, "Precondition failed: UID in precondition: other"},
		{"DELETE", alpha + in + "/x", "", nil, 200, `"deletionTimestamp":"2026-01-15T22:30:15Z"`},
		{"PATCH", alpha + in + "/x", `{"metadata":{"finalizers":null}}`, patch(merge), 200, `"name":"x"`},
		{"DELETE", alpha + in + "/x", "", nil, 404, "not found"},
		{"DELETE", alpha + in, "", nil, 200, `"generateName":"y-"`},
		{"GET", alpha + "/flunders", "", nil, 200, `"items":[]`},
		{"DELETE", alpha + "/fischers/f", "", nil, 200, `"status":"Success","details":{"name":"f","group":"wardle.example.com","kind":"fischers","uid":"`},
	} {
		if code, body := ask(etcd, c.method, c.path, c.body, c.header); code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s %s %s: %d %s\nwant %d %s", c.method, c.path, c.body, code, body, c.code, c.want)
		} else if c.code != 404 && c.path != "/readyz" && !json.Valid([]byte(body)) {
			t.Errorf("%s %s: no JSON: %s", c.method, c.path, body)
		}
	}
	if code, body := ask(nil, "GET", "/readyz", "", nil); code != 500 || !strings.HasSuffix(body, "[-]etcd failed: reason withheld\nreadyz check failed\n") {
		t.Errorf("without etcd: %d %s", code, body)
	}
	if code, body := ask(nil, "GET", alpha+in, "", nil); code != 500 || !strings.Contains(body, "dial tcp 127.0.0.1:2379: connect: connection refused") {
		t.Errorf("without etcd: %d %s", code, body)
	}
}

// TestSampleAPIServer: its command line, and that of its etcd.
func TestSampleAPIServer(t *testing.T) {
	const image, etcd = "registry.k8s.io/e2e-test-images/sample-apiserver:1.29.2", "registry.k8s.io/etcd:3.6.8-0"
	if p := NewProgram(image, nil, []string{"--etcd-servers=http://127.0.0.1:2379"}); p.Endpoints == nil || len(p.Ports) != 1 || p.Ports[0] != 443 {
		t.Errorf("%+v", p)
	}
	for _, arg := range []string{"--secure-port=many", "--secure-port=8443"} {
		if p := NewProgram(image, nil, []string{arg}); p.ExitCode != 1 || p.Endpoints != nil {
			t.Errorf("%s: %+v", arg, p)
		}
	}
	for url, guest := range map[string]string{"http://127.0.0.1:12379": "", "https://127.0.0.1:2379,https://10.0.0.1:2379": "etcd"} {
		p := NewProgram(etcd, []string{"/usr/local/bin/etcd", "--listen-client-urls", url}, nil)
		if p.Guest != guest || guest == "" && (len(p.Ports) != 1 || p.Ports[0] != 12379) {
			t.Errorf("%s: %+v", url, p)
		}
	}
}
