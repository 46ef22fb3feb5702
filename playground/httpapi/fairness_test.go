package httpapi

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// Answers say which FlowSchema and priority level the request belonged to, where a cluster has them.
func TestClassification(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Trace, config.Nodes, config.AllKinds = trace.Off, cluster.NumberedNodes(1), true
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
	names := map[string]string{"": ""}
	for _, resource := range []string{"flowschemas", "prioritylevelconfigurations"} {
		_, text, _ := s.ask(t, "GET", "/apis/flowcontrol.apiserver.k8s.io/v1/"+resource, "")
		var list struct {
			Items []struct{ Metadata struct{ Name, UID string } }
		}
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatal(err)
		}
		for _, item := range list.Items {
			names[item.Metadata.UID] = item.Metadata.Name
		}
	}
	const account = "system:serviceaccount:default:web"
	for _, c := range []struct {
		method, path, as, schema, level string
		header                          []string
	}{
		{"GET", "/api/v1/pods", account, "service-accounts", "workload-low", []string{"Impersonate-Group", "system:serviceaccounts"}},
		{"POST", "/api/v1/namespaces/default/configmaps", account, "service-accounts", "workload-low", []string{"Impersonate-Group", "system:serviceaccounts"}},
		{"GET", "/api/v1/pods?watch=1&timeoutSeconds=1", "ann", "global-default", "global-default", nil},
		{"GET", "/api/v1/namespaces/default/pods/nobody", "ann", "global-default", "global-default", nil},
		{"GET", "/apis", "ann", "global-default", "global-default", nil},
		{"GET", "/openapi/v3", "ann", "global-default", "global-default", nil},
		{"GET", "/healthz", "", "probes", "exempt", []string{"Authorization", ""}},
		{"GET", "/api/v1/namespaces/default/pods/nobody/log", "ann", "", "", nil},
		{"GET", "/api/v1/nodes/node-1/proxy/healthz", "ann", "", "", nil},
	} {
		header := c.header
		if c.as != "" {
			header = append(header, "Impersonate-User", c.as)
		}
		_, _, answer := s.ask(t, c.method, c.path, `{"metadata":{"name":"c"}}`, header...)
		schema, level := answer.Header.Get("X-Kubernetes-PF-FlowSchema-UID"), answer.Header.Get("X-Kubernetes-PF-PriorityLevel-UID")
		if names[schema] != c.schema || names[level] != c.level {
			t.Errorf("%s %s as %s: %q (%s) and %q (%s), want %s and %s", c.method, c.path, c.as, schema, names[schema], level, names[level], c.schema, c.level)
		}
	}
}
