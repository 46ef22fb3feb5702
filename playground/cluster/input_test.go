package cluster_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

func number[T int32 | int64](n T) *T { return &n }

func TestValidate(t *testing.T) {
	manifest := json.RawMessage("{}")
	for _, test := range []struct {
		in   cluster.Input
		want string // "" when it is complete
	}{
		{cluster.Input{Kind: cluster.Apply, Manifest: manifest}, ""},
		{cluster.Input{Kind: cluster.Apply}, `input "apply": needs a manifest`},
		{cluster.Input{Kind: cluster.Create, Manifest: manifest}, ""},
		{cluster.Input{Kind: cluster.Create}, `input "create": needs a manifest`},
		{cluster.Input{Kind: cluster.Patch, Resource: "nodes", Name: "a", Manifest: manifest}, ""},
		{cluster.Input{Kind: cluster.Patch, Resource: "nodes", Name: "a"}, `input "patch": needs a patch`},
		{cluster.Input{Kind: cluster.Patch, Name: "a", Manifest: manifest}, `input "patch": needs a resource`},
		{cluster.Input{Kind: cluster.Patch, Resource: "nodes", Manifest: manifest}, `input "patch": needs a name`},
		{cluster.Input{Kind: cluster.Scale, Resource: "rs", Name: "web", Replicas: number[int32](0)}, ""},
		{cluster.Input{Kind: cluster.Scale, Resource: "rs", Name: "web"}, `input "scale": needs replicas`},
		{cluster.Input{Kind: cluster.Scale, Name: "web", Replicas: number[int32](1)}, `input "scale": needs a resource`},
		{cluster.Input{Kind: cluster.Scale, Resource: "rs", Replicas: number[int32](1)}, `input "scale": needs a name`},
		{cluster.Input{Kind: cluster.Delete, Resource: "pods", Name: "a"}, ""},
		{cluster.Input{Kind: cluster.Delete, Resource: "pods", Selector: "app=web"}, ""},
		{cluster.Input{Kind: cluster.Delete, Resource: "pods", FieldSelector: "status.phase=Failed"}, ""},
		{cluster.Input{Kind: cluster.Delete, Resource: "pods"}, `input "delete": needs a name`},
		{cluster.Input{Kind: cluster.Delete, Name: "a"}, `input "delete": needs a resource`},
		{cluster.Input{Kind: cluster.Delete, Selector: "app=web"}, `input "delete": needs a resource`},
		{cluster.Input{Kind: cluster.Delete, Resource: "pods", Name: "a", Selector: "app=web"},
			`input "delete": name cannot be provided when a selector is specified`},
		{cluster.Input{Kind: cluster.KillNode, Node: "node-1"}, ""},
		{cluster.Input{Kind: cluster.KillNode}, `input "kill-node": needs a node`},
		{cluster.Input{Kind: cluster.StartNode}, `input "start-node": needs a node`},
		{cluster.Input{Kind: cluster.DropWatch, Component: "kube-scheduler"}, ""},
		{cluster.Input{Kind: cluster.DropWatch, Resource: "pods"}, `input "drop-watch": needs a component`},
		{cluster.Input{Kind: cluster.Stop}, `input "stop": needs a component`},
		{cluster.Input{Kind: cluster.Start}, `input "start": needs a component`},
		{cluster.Input{Kind: cluster.Stop, Component: "x", At: -time.Second}, `input "stop": time -1s is before the start`},
		{cluster.Input{Kind: "explode"}, `input "explode": unknown kind`},
		{cluster.Input{}, `input "": unknown kind`},
	} {
		got := ""
		if err := test.in.Validate(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%+v: got %q, want %q", test.in, got, test.want)
		}
	}
}

func TestInputsInWords(t *testing.T) {
	for _, test := range []struct {
		in   cluster.Input
		want string
	}{
		{cluster.Input{Kind: cluster.Apply, Manifest: []byte("{}")}, "apply"},
		{cluster.Input{Kind: cluster.Scale, Resource: "replicasets", Namespace: "default", Name: "web", Replicas: number[int32](8)},
			"scale replicasets default/web 8"},
		{cluster.Input{Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: "web-*"}, "delete pods default/web-*"},
		{cluster.Input{Kind: cluster.Delete, Resource: "pods", Selector: "app=web", FieldSelector: "status.phase=Failed"}, "delete pods app=web,status.phase=Failed"},
		{cluster.Input{Kind: cluster.Patch, Resource: "nodes", Name: "node-1"}, "patch nodes node-1"},
		{cluster.Input{Kind: cluster.KillNode, Node: "node-1"}, "kill-node node-1"},
		{cluster.Input{Kind: cluster.StartNode, Node: "node-1"}, "start-node node-1"},
		{cluster.Input{Kind: cluster.DropWatch, Component: "kube-scheduler"}, "drop-watch kube-scheduler"},
		{cluster.Input{Kind: cluster.DropWatch, Component: "kube-scheduler", Resource: "pods"}, "drop-watch kube-scheduler pods"},
		{cluster.Input{Kind: cluster.Stop, Component: "kube-scheduler"}, "stop kube-scheduler"},
		{cluster.Input{Kind: cluster.Start, Component: "kube-scheduler"}, "start kube-scheduler"},
	} {
		if got := test.in.String(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// TestInputsTravelAsJSON is why a link can hold an experiment.
func TestInputsTravelAsJSON(t *testing.T) {
	in := cluster.Input{
		At: 1500 * time.Millisecond, Kind: cluster.Delete, Manifest: []byte(`{"a":1}`), Resource: "pods", Namespace: "n", Name: "x",
		Replicas: number[int32](3), Current: number[int32](2), Grace: number[int64](0), Node: "node-1", Component: "c",
		Selector: "a=b", FieldSelector: "c=d", Cascade: "orphan",
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var back cluster.Input
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(in, back) {
		t.Errorf("%v\n%+v\n%+v", err, in, back)
	}
}

func TestResourceFor(t *testing.T) {
	for name, want := range map[string]string{
		"rs": "replicasets", "replicaset": "replicasets", "replicasets.apps": "replicasets", "po": "pods", "Pod": "pods", "no": "nodes", "": "", "pdo": "",
	} {
		if got, ok := cluster.ResourceFor(name); got != want || ok != (want != "") {
			t.Errorf("ResourceFor(%q) = %q, %v", name, got, ok)
		}
	}
}
