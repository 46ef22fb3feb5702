package demofile

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/trace"
)

// played is what a session on a port comes to.
func played(steps ...scenario.Step) *scenario.Scenario {
	config := cluster.DefaultConfig()
	config.Nodes, config.Network, config.NetworkPolicies, config.Metrics = cluster.NumberedNodes(2), true, true, true
	config.Epoch = time.Date(2026, 11, 25, 1, 2, 3, 0, time.UTC)
	return &scenario.Scenario{Name: "session", Title: map[string]string{"en": "session", "ja": "session"}, Seed: 1, Cluster: config,
		Setup: 12 * time.Second, End: 40*time.Second + 5*time.Millisecond, Steps: steps,
		Controls: []scenario.Control{{Kind: cluster.Command, Examples: []string{"get pods"}}}}
}

func request(at time.Duration, method, path, contentType, body string) scenario.Step {
	return scenario.Step{Input: cluster.Input{At: at, Kind: cluster.APIRequest, Method: method, URL: path, ContentType: contentType, Body: body}}
}

func TestWrite(t *testing.T) {
	failed := request(13*time.Second, "DELETE", "/api/v1/namespaces/default/pods/a", "", "")
	failed.Fails = "pods \"a\" not found\nand: more"
	asked := scenario.Step{Input: cluster.Input{At: 14 * time.Second, Kind: cluster.Ask, URL: "http://10.244.1.2:80/", From: "default/web", Method: "POST", Body: "a: b"}}
	named := request(15*time.Second+123_456*time.Microsecond, "PATCH", "/api/v1/namespaces/default/pods/a/status?x=%2F", "application/json-patch+json",
		`[{"op":"add","path":"/a","value":null}]`)
	named.Agent = "curl"
	s := played(request(12*time.Second+1500*time.Microsecond, "POST", "/api/v1/namespaces/default/configmaps?fieldManager=kubectl-create", "",
		`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","creationTimestamp":null},"data":{"b":"1.50","a":"x\ny\n","yes":"true"}}`),
		failed, asked, named)
	got, err := Write(s)
	if err != nil {
		t.Fatal(err)
	}
	want := `title:
  en: session
  ja: session
seed: 1
cluster:
  nodes: 2
  network: true
  networkPolicies: true
  metrics: true
  epoch: "2026-11-25T01:02:03Z"
setup: 12s
end: 28.005s

steps:
  - at: 1.5ms
    api-request:
      method: POST
      path: /api/v1/namespaces/default/configmaps?fieldManager=kubectl-create
      body:
        kind: ConfigMap
        apiVersion: v1
        metadata:
          name: c
          creationTimestamp: null
        data:
          b: "1.50"
          a: |
            x
            y
          "yes": "true"
  - at: 1s
    api-request:
      method: DELETE
      path: /api/v1/namespaces/default/pods/a
    fails: |-
      pods "a" not found
      and: more
  - at: 2s
    request:
      url: http://10.244.1.2:80/
      from: default/web
      method: POST
      body: "a: b"
  - at: 3.123456s
    api-request:
      method: PATCH
      path: /api/v1/namespaces/default/pods/a/status?x=%2F
      contentType: application/json-patch+json
      agent: curl
      body:
        - op: add
          path: /a
          value: null

controls:
  - kubectl:
      examples:
        - get pods
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Whatever a body is, the file gives it back.
func TestWriteKeepsBodies(t *testing.T) {
	for _, body := range []string{
		"", "x", "{", "[1,", "1", "null", `"text"`, "{}", "[]", `{"a":{}}`, `{"a":[],"b":[[]]}`, `{"a":1.0,"b":1e3,"c":-0,"d":123456789012345678901234567890}`,
		`{"a":1,"a":2}`, `{"<<":{"a":1}}`, `{"a":"*x","b":"&x","c":"!!str","d":"# no","e":" x ","f":"- a","g":"a: b","h":"'","i":"\""}`,
		`{"a":"\u00e9","b":"é","c":"\ud83d\ude00","d":"😀","e":"\u0000","f":"\t","g":"\r\n","h":"\n","i":"\n\n x","j":"\u2028"}`,
		`{"":"","~":"~","null":"null","y":"n","0x1":"0x1","2026-01-01":"2026-01-01","1_000":"1_000",".5":".5"}`, `{"a":"\u003cb\u003e \u0026"}`,
		`{"a":true,"b":false,"c":null,"d":[1,{"e":[2]}]}`, "{\"a\":\n1}", "a\nb", "  x", `{"a":"` + strings.Repeat("long ", 100) + `"}`,
		strings.Repeat(`{"a":`, 80) + "1" + strings.Repeat("}", 80), "\u00a0", "\ufeff{}", "---", "%", "\t", "0o7", "1:2",
	} {
		s := played(request(12*time.Second, "PUT", "/api/v1/namespaces/default/configmaps/c", "", body))
		if _, err := Write(s); err != nil {
			t.Errorf("%q: %v", body, err)
		}
	}
}

func FuzzWrite(f *testing.F) {
	f.Add(`{"a":"b: c"}`, "not found")
	f.Add("a\n b\n", "\n x")
	f.Add("\n\n", "\n")
	f.Fuzz(func(t *testing.T, body, fails string) {
		if strings.ToValidUTF8(body, "") != body || strings.ToValidUTF8(fails, "") != fails {
			return
		}
		step := request(12*time.Second, "PUT", "/api/v1/namespaces/default/configmaps/c", "", body)
		step.Fails = fails
		if _, err := Write(played(step)); err != nil {
			t.Errorf("%q, %q: %v", body, fails, err)
		}
	})
}

func TestWriteRefusesWhatItCannotTell(t *testing.T) {
	for want, change := range map[string]func(*scenario.Scenario){
		"is longer than a day":                       func(s *scenario.Scenario) { s.End += 25 * time.Hour },
		"the scenario has what its file cannot tell": func(s *scenario.Scenario) { s.Cluster.Ingress = true },
	} {
		s := played()
		change(s)
		if _, err := Write(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	hollow := played()
	hollow.Cluster.Nodes, hollow.Cluster.HollowNodes, hollow.Cluster.Trace = cluster.NumberedNodes(0), &cluster.HollowNodes{Count: 5}, trace.Objects
	if _, err := Write(hollow); err != nil {
		t.Error(err)
	}
}

// A cluster that asks who may do what, and requests of whom somebody acts as.
func TestWriteOfAnAuthorizedCluster(t *testing.T) {
	acting := request(13*time.Second, "DELETE", "/api/v1/namespaces/default/pods/a", "", "")
	acting.As, acting.AsGroups = "system:serviceaccount:default:robot", []string{"developers", "yes"}
	s := played(acting)
	s.Cluster.Authorization = cluster.RBAC
	got, err := Write(s) // it reads the file back
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n  authorization: rbac\n",
		"\n      as: system:serviceaccount:default:robot\n      asGroups:\n        - developers\n        - \"yes\"\n",
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}
