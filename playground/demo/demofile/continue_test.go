package demofile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/scenario"
)

// Every demo of the book can go on after any of its steps, with whatever the steps of the book do, and its file is read as what went on: Continue
// sees to that itself.
func TestContinue(t *testing.T) {
	paths, err := filepath.Glob("../../../content/demos/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal("no demos", err)
	}
	written := map[cluster.Kind]bool{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, problems := demofile.Parse(name, path, text, nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		s := f.Scenario
		for _, script := range []int{0, len(s.Steps) / 2, len(s.Steps)} {
			c := demofile.Continuation{Script: script, End: s.End + time.Hour}
			for _, st := range s.Steps[script:] {
				named := st.Kind == cluster.Command && len(st.Manifest) > 0 && !slices.Equal(cluster.ManifestsOf(st.Args), []string{"-"})
				switch st.Kind {
				case cluster.Apply, cluster.Create, cluster.Own, cluster.Reconfigure: // which only authors do
				default:
					if named {
						continue
					}
					written[st.Kind] = true
					c.Steps = append(c.Steps, scenario.Step{Input: st.Input, Fails: st.Fails})
				}
			}
			if script > 0 {
				c.Title = map[string]string{"en": "mine", "ja": "自分の"}
				c.Controls = []scenario.Control{{Kind: cluster.Command, Examples: []string{"get pods"}}}
			}
			out, err := f.Continue(c)
			if err != nil {
				t.Fatalf("%s after %d steps: %v\n%s", name, script, err, out)
			}
		}
	}
	text := []byte("title: {en: A}\ncluster: {nodes: 2, network: true, allKinds: true}\nsteps: [{at: 1s, kill-node: node-2}]\n")
	f, problems := demofile.Parse("a", "a.yaml", text, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	grace := int64(0)
	rare := []cluster.Input{ // what no demo does
		{Kind: cluster.APIRequest, Method: "DELETE", URL: "/api/v1/namespaces/default/pods/a"},
		{Kind: cluster.APIRequest, Method: "POST", URL: "/api/v1/namespaces/default/pods/a/exec?command=sh&stdin=true", Connection: "1"},
		{Kind: cluster.Type, Value: "yes", Connection: "1"}, {Kind: cluster.Type, Connection: "2"}, {Kind: cluster.Type, Value: "\x04", Connection: "2"},
		{Kind: cluster.FillDisk, Node: "node-1", Value: "95Gi"},
		{Kind: cluster.RegistryDown}, {Kind: cluster.RegistryUp}, {Kind: cluster.RestoreImage, Name: "nginx:1.28"},
		{Kind: cluster.SetMetric, Metric: "queue_length", Value: "30"},
		{Kind: cluster.SetMetric, Resource: "services", Namespace: "shop", Name: "web", Metric: "requests"},
		{Kind: cluster.Slow, Component: "kube-scheduler", Value: "2s"}, {Kind: cluster.SlowKubelet, Node: "node-1", Value: "1m30s"},
		{Kind: cluster.UseCPU, Resource: "pods", Name: "web-*", Container: "web", Value: "500m"},
		{Kind: cluster.UseMemory, Resource: "pods", Namespace: "default", Name: "no", Value: "200Mi"},
		{Kind: cluster.Delete, Resource: "pods", Namespace: "shop", Name: "yes", Grace: &grace},
		{Kind: cluster.Fail, Component: "kube-apiserver", Value: "503 30%"}, {Kind: cluster.Fail, Component: "kube-scheduler"},
		{Kind: cluster.Heal, Node: "node-1"}, {Kind: cluster.Heal, Component: "kube-apiserver", Value: "fail"}, {Kind: cluster.Partition, Node: "node-1"},
		{Kind: cluster.Type, Value: "echo 'a: b' # c"}, {Kind: cluster.Type}, {Kind: cluster.Type, Value: "\x03"},
		{Kind: cluster.Command, Args: []string{"create", "configmap", "c", "--from-literal=a=it's: \"b\" # c", ""}},
		{Kind: cluster.Command, Args: []string{"apply", "-f", "-"}, Manifest: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"b":"1.50","a":"x\ny\n"}}`)},
	}
	c := demofile.Continuation{Script: 1, End: time.Minute}
	for _, in := range rare {
		written[in.Kind] = true
		in.At = 20 * time.Second
		c.Steps = append(c.Steps, scenario.Step{Input: in})
	}
	if out, err := f.Continue(c); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, kind := range cluster.Kinds() {
		switch kind {
		case cluster.Apply, cluster.Create, cluster.Patch, cluster.Own, cluster.Reconfigure, cluster.TerminateInstance:
		default:
			if !written[kind] {
				t.Errorf("%s was not tried", kind)
			}
		}
	}
	for _, in := range []cluster.Input{
		{Kind: cluster.Patch, Resource: "pods", Name: "a", Manifest: []byte(`{}`)},
		{Kind: cluster.Command, Args: []string{"apply", "-f", "edited"}, Manifest: []byte(`{"kind":"ConfigMap"}`)},
	} {
		in.At = 20 * time.Second
		c.Steps = []scenario.Step{{Input: in}}
		if out, err := f.Continue(c); err == nil {
			t.Errorf("%s was written, which a file cannot tell:\n%s", in, out)
		}
	}
}
