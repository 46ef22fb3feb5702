package phrase_test

import (
	"encoding/json"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/trace"
)

const web = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},
"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx:1.27"}]}}}}`

// Whatever a reader follows is a sentence, and no sentence asks for what the
// event does not carry. What a component logs now and then, and nobody follows,
// may be shown as it is.
func TestEveryEventOfAClusterIsSaid(t *testing.T) {
	c := cluster.New(cluster.DefaultConfig(), 7)
	two, eight := int32(2), int32(8)
	for _, in := range []cluster.Input{
		{At: 10 * time.Second, Kind: cluster.Apply, Manifest: json.RawMessage(web)},
		{At: 20 * time.Second, Kind: cluster.Scale, Resource: "replicasets", Name: "web", Replicas: &eight},
		{At: 30 * time.Second, Kind: cluster.Delete, Resource: "pods", Name: "web-*"},
		{At: 40 * time.Second, Kind: cluster.Scale, Resource: "replicasets", Name: "web", Replicas: &two},
		{At: 50 * time.Second, Kind: cluster.Stop, Component: "replicaset-controller"},
		{At: 55 * time.Second, Kind: cluster.Start, Component: "replicaset-controller"},
		{At: 60 * time.Second, Kind: cluster.DropWatch, Component: "kube-scheduler"},
		{At: 60200 * time.Millisecond, Kind: cluster.DropWatch, Component: "kube-scheduler"},
		{At: 61 * time.Second, Kind: cluster.KillNode, Node: "node-1"},
		{At: 61 * time.Second, Kind: cluster.KillNode, Node: "node-2"},
		{At: 130 * time.Second, Kind: cluster.StartNode, Node: "node-1"},
		{At: 150 * time.Second, Kind: cluster.Delete, Resource: "replicasets", Name: "web"},
	} {
		if err := c.Schedule(in); err != nil {
			t.Fatal(err)
		}
	}
	c.RunUntil(170 * time.Second)
	c.Close()
	quiet := scene.NewQuiet(scene.Options{Insides: scene.DefaultInsides})
	reported := map[string]bool{}
	logs := 0
	for _, e := range c.Trace().Events(1) {
		e := e
		followed := !quiet.Judge(&e)
		key := phrase.Of(&e)
		if e.Op == trace.Log && followed {
			logs++
			if key == "log" && !reported[e.Text("message")] {
				reported[e.Text("message")] = true
				t.Errorf("%s logs %q, and neither en.json nor ja.json has a sentence for it (%d)", e.Component, e.Text("message"), e.ID)
			}
		}
		args := phrase.Args(&e)
		for _, name := range phrase.Names(phrase.Word("en", key)) {
			if _, ok := args[name]; !ok && !reported[key+name] {
				reported[key+name] = true
				t.Errorf("%q asks for {%s}, which event %d does not carry: %+v", key, name, e.ID, e.Attrs)
			}
		}
	}
	if logs < 200 {
		t.Errorf("only %d logs are followed", logs)
	}
}
