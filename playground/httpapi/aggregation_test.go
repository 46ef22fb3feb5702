package httpapi

import (
	"regexp"
	"testing"
	"time"
)

// A server behind the port's: its kinds are in discovery, its tables are its own, and its failures come as text.
func TestAggregation(t *testing.T) {
	s := started(t)
	s.ask(t, "POST", "/api/v1/namespaces/default/pods", `{"metadata":{"name":"clock","labels":{"app":"clock"}},"spec":{"containers":[
		{"name":"c","image":"kubewalk.dev/clock-apiserver","ports":[{"containerPort":6443}]}]}}`)
	s.ask(t, "POST", "/apis/apiregistration.k8s.io/v1/apiservices", `{"metadata":{"name":"v1.clock.example.com"},"spec":{"group":"clock.example.com","version":"v1",
		"groupPriorityMinimum":1000,"versionPriority":15,"insecureSkipTLSVerify":true,"service":{"namespace":"default","name":"clock"}}}`)
	const group = "/apis/clock.example.com/v1"
	asTable := []string{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}
	discovery := []string{"Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}
	try := func(method, path, body string, header []string, code int, want string) {
		t.Helper()
		if got, text, _ := s.ask(t, method, path, body, header...); got != code || !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%s %s: %d %.600s\nwant %d %s", method, path, got, text, code, want)
		}
	}
	try("GET", group+"/times", "", nil, 503, "^service unavailable\n$")
	try("GET", group, "", nil, 503, "^service unavailable\n$")
	try("GET", "/apis", "", discovery, 200, `"name":"clock.example.com"},"versions":\[\{"version":"v1","freshness":"Stale"`)
	s.ask(t, "POST", "/api/v1/namespaces/default/services", `{"metadata":{"name":"clock"},"spec":{"selector":{"app":"clock"},"ports":[{"port":443,"targetPort":6443}]}}`)
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if code, _, _ := s.ask(t, "GET", group+"/times", ""); code == 200 {
			break
		}
		if time.Now().After(until) {
			t.Fatal("the server behind this one never answered")
		}
	}
	time.Sleep(200 * time.Millisecond) // four seconds of the cluster's
	try("GET", "/apis", "", discovery, 200, `"name":"clock.example.com".*"resource":"alarms","responseKind":\{"group":"clock.example.com","version":"v1","kind":"Alarm"\}`)
	try("GET", "/apis/clock.example.com", "", nil, 200, `"preferredVersion":\{"groupVersion":"clock.example.com/v1"`)
	try("GET", group, "", nil, 200, `"name":"times","singularName":"time","namespaced":false,"kind":"Time","verbs":\["get","list"\]`)
	try("GET", group+"/times", "", nil, 200, `"kind":"TimeList"`)
	try("GET", group+"/times/utc", "", nil, 200, `"kind":"Time","metadata":\{"name":"utc"`)
	try("GET", group+"/times", "", asTable, 200, `"name":"Zone".*"cells":\["tokyo","Asia/Tokyo","\d\d:\d\d:\d\d"\],"object":\{"kind":"PartialObjectMetadata"`)
	try("GET", group+"/times/mars", "", nil, 404, `times.clock.example.com \\"mars\\" not found`)
	try("GET", group+"/times?watch=true", "", nil, 405, `watch is not supported on resources of kind \\"times.clock.example.com\\"`)
	try("POST", group+"/namespaces/default/alarms", `{"metadata":{"name":"a"},"spec":{"zone":"utc","at":"07:00"}}`, nil, 201, `"setBy":"kubectl"`)
	try("GET", group+"/namespaces/default/alarms", "", asTable, 200, `"cells":\["a","utc","07:00"`)
	try("GET", "/openapi/v3", "", nil, 200, `"paths"`)
	try("DELETE", group+"/namespaces/default/alarms/a", "", nil, 200, `"status":"Success"`)
	try("GET", "/apis/apiregistration.k8s.io/v1/apiservices/v1.clock.example.com", "", asTable, 200, `"cells":\["v1.clock.example.com","default/clock","True"`)
}
