package apiserver

import (
	"testing"

	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// A request to create says what it is about as soon as it is sent: the name
// that its body carries, or what the server is to begin the name with.
func TestCreateSaysWhatItIsAbout(t *testing.T) {
	for _, c := range []struct{ body, name, generateName string }{
		{`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}}`, "a", ""},
		{`{"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"a-"},"spec":{"containers":[{"name":"c","image":"i"}]}}`, "", "a-"},
		{`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","generateName":"b-"},"spec":{}}`, "a", ""},
		{`{"metadata":7}`, "", ""},
		{`no JSON`, "", ""},
	} {
		w := newWorld(t, trace.All)
		w.run(func(p *sim.Proc) {
			w.s.Do(p, &client.Request{Verb: client.Create, Resource: podsResource, Namespace: "default", Body: []byte(c.body)})
		})
		seen := 0
		for _, e := range w.k.Trace().Events(1) {
			if e.Op != trace.RequestSend && e.Op != trace.RequestReceive || e.Text("verb") != client.Create {
				continue
			}
			seen++
			if e.Object.Name != c.name || e.Text("generateName") != c.generateName {
				t.Errorf("%s: %s is about %q, %q", c.body, e.Op, e.Object, e.Text("generateName"))
			}
		}
		if seen != 2 {
			t.Errorf("%s: %d events of sending and receiving", c.body, seen)
		}
	}
}
