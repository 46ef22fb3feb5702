package cri

import (
	"strings"
	"testing"
	"time"
)

func TestClockAPI(t *testing.T) {
	p := NewProgram("kubewalk.dev/clock-apiserver", nil, []string{"--secure-port=8443"})
	if p.API == nil || len(p.Ports) != 1 || p.Ports[0] != 8443 {
		t.Fatalf("%+v", p)
	}
	now := time.Date(2026, 1, 15, 22, 30, 15, 0, time.UTC)
	const group = "/apis/clock.example.com/v1"
	for _, c := range []struct {
		method, path, body string
		table              bool
		code               int
		want               string // in the answer
	}{
		{"GET", group, "", false, 200, `"groupVersion":"clock.example.com/v1"`},
		{"GET", "/apis/clock.example.com/v2", "", false, 404, "404 page not found"},
		{"GET", group + "/hours", "", false, 404, "404 page not found"},
		{"GET", group + "/times/tokyo", "", false, 200, `"status":{"zone":"Asia/Tokyo","time":"07:30:15"}`},
		{"GET", group + "/times", "", false, 200, `"kind":"TimeList"`},
		{"GET", group + "/times?limit=500", "", true, 200, `"cells":["delhi","Asia/Kolkata","04:00:15"]`},
		{"GET", group + "/times/paris", "", false, 404, `"message":"times.clock.example.com \"paris\" not found"`},
		{"GET", group + "/times?watch=true", "", false, 405, `watch is not supported on resources of kind \"times.clock.example.com\"`},
		{"POST", group + "/times", "{}", false, 405, `create is not supported on resources of kind \"times.clock.example.com\"`},
		{"POST", group + "/namespaces/a/alarms", `{"metadata":{"name":"x"},"spec":{"zone":"tokyo","at":"07:00"}}`, false, 201, `"setBy":"me","ringsIn":"23h29m"`},
		{"POST", group + "/namespaces/a/alarms", `{"metadata":{"name":"x"},"spec":{"zone":"utc","at":"07:00"}}`, false, 409, `"reason":"AlreadyExists"`},
		{"POST", group + "/namespaces/a/alarms", `{"metadata":{"name":"y"},"spec":{"zone":"mars","at":"07:00"}}`, false, 422, `"reason":"Invalid"`},
		{"POST", group + "/namespaces/a/alarms", `{"metadata":{"name":"y"},"spec":{"zone":"utc","at":"7 am"}}`, false, 422, `"reason":"Invalid"`},
		{"POST", group + "/namespaces/a/alarms", `[`, false, 400, `"reason":"BadRequest"`},
		{"POST", group + "/alarms", `{"metadata":{"name":"y"},"spec":{"zone":"utc","at":"07:00"}}`, false, 400, "namespace must be provided"},
		{"POST", group + "/namespaces/b/alarms", `{"metadata":{"name":"z"},"spec":{"zone":"utc","at":"23:00"}}`, false, 201, `"ringsIn":"29m"`},
		{"GET", group + "/namespaces/b/alarms", "", true, 200, `"rows":[{"cells":["z","utc","23:00","29m"]`},
		{"GET", group + "/alarms", "", false, 200, `"metadata":{"resourceVersion":"2"}`},
		{"PUT", group + "/namespaces/b/alarms/z", "{}", false, 405, `update is not supported`},
		{"DELETE", group + "/namespaces/b/alarms/none", "", false, 404, `"reason":"NotFound"`},
		{"DELETE", group + "/namespaces/b/alarms/z", "", false, 200, `"status":"Success"`},
		{"DELETE", group + "/namespaces/a/alarms", "", false, 200, `"status":"Success"`},
		{"GET", group + "/alarms", "", false, 200, `"items":[]`},
	} {
		header := map[string][]string{"X-Remote-User": {"me"}}
		if c.table {
			header["Accept"] = []string{"application/json;as=Table;v=v1;g=meta.k8s.io"}
		}
		code, body := p.API.serve(now, Request{Method: c.method, URL: "https://10.244.1.2:8443" + c.path, Body: c.body, Header: header}, func() string { return "u" })
		if code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %s", c.method, c.path, code, body)
		}
	}
	if p := NewProgram("kubewalk.dev/clock-apiserver", nil, []string{"--secure-port=many"}); p.ExitCode != 1 || p.API != nil {
		t.Errorf("%+v", p)
	}
}
