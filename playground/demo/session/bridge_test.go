package session_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/session"
)

func packed(t testing.TB, v any) []byte {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func opening(t testing.TB) []byte {
	return packed(t, map[string]any{"scenario": small(), "inputs": []any{}, "layout": "wide"})
}

// TestBridge plays a page: it opens, runs, asks for frames, and gets what the
// build would have recorded.
func TestBridge(t *testing.T) {
	b := &session.Bridge{}
	call := func(name string, in, out any) {
		t.Helper()
		answer := b.Call(name, packed(t, in))
		if err := json.Unmarshal(answer, out); err != nil {
			t.Fatalf("%s answered %.200s: %v", name, answer, err)
		}
	}
	if got := string(b.Call("open", opening(t))); got != "{}" {
		t.Fatalf("open answered %s", got)
	}
	var ran struct{ Now, Next int64 }
	var frames []recording.Frame
	for until := int64(3_000_000); until <= 24_000_000; until += 3_000_000 {
		call("run", map[string]int64{"until": until}, &ran)
		if ran.Now != until || ran.Next <= until {
			t.Errorf("run until %d: %+v", until, ran)
		}
		var more []recording.Frame
		call("frames", map[string]int{"from": len(frames) + 1}, &more)
		frames = append(frames, more...)
	}
	whole := record(t, small())
	if got, want := text(t, frames), text(t, whole.Session.Frames(scene.Wide, 1)); got != want {
		t.Errorf("the bridge's %d bytes of frames are not the recording's %d", len(got), len(want))
	}
	var header recording.Header
	call("header", nil, &header)
	if string(packed(t, header)) != string(packed(t, whole.Session.Header(scene.Wide))) {
		t.Errorf("header %+v", header)
	}
	var details recording.Details
	call("details", nil, &details)
	if len(details.Stacks) < 10 || len(details.Objects) < 10 {
		t.Errorf("%d stacks and %d objects", len(details.Stacks), len(details.Objects))
	}
	// In another layout, what has happened is drawn as if that had been the layout from the start.
	var answer struct{}
	call("relayout", map[string]string{"layout": "narrow"}, &answer)
	frames = nil
	call("frames", map[string]int{"from": 100}, &frames)
	narrow := record(t, small()).Session
	if got, want := text(t, frames), text(t, narrow.Frames(scene.Narrow, 100)); got != want {
		t.Errorf("the bridge's %d bytes of narrow frames are not the recording's %d", len(got), len(want))
	}
	call("header", nil, &header)
	if header.Layout != scene.Narrow {
		t.Errorf("header of layout %s", header.Layout)
	}
	// Opening again begins anew.
	b.Call("open", opening(t))
	call("run", map[string]int64{"until": 0}, &ran)
	if ran.Now != 0 {
		t.Errorf("a new session is at %d", ran.Now)
	}
}

func TestBridgeAnswersMistakes(t *testing.T) {
	opened := func() *session.Bridge {
		b := &session.Bridge{}
		b.Call("open", opening(t))
		return b
	}
	noCPU := small()
	noCPU.Cluster.Nodes[0].CPU = "much"
	for _, test := range []struct {
		name, call, text string
		bridge           *session.Bridge
		want             string // part of the error
	}{
		{"nothing is open", "run", `{"until":1}`, &session.Bridge{}, "run: no session is open"},
		{"nothing is open", "frames", `{}`, &session.Bridge{}, "frames: no session is open"},
		{"nothing is open", "header", `{}`, &session.Bridge{}, "header: no session is open"},
		{"nothing is open", "details", `{}`, &session.Bridge{}, "details: no session is open"},
		{"no such function", "shut", `{}`, opened(), "shut: there is no such function"},
		{"no JSON", "open", `{`, &session.Bridge{}, "open: unexpected end of JSON input"},
		{"no JSON", "run", ``, opened(), "run: unexpected end of JSON input"},
		{"no JSON", "frames", `x`, opened(), "frames: invalid character 'x'"},
		{"no scenario", "open", `{"layout":"wide"}`, &session.Bridge{}, "open: needs a scenario"},
		{"another layout", "open", `{"scenario":{},"layout":"round"}`, &session.Bridge{}, `open: unknown layout "round": want "wide" or "narrow"`},
		{"another layout", "relayout", `{"layout":"round"}`, opened(), `relayout: unknown layout "round": want "wide" or "narrow"`},
		{"another type", "run", `{"until":"soon"}`, opened(), "run: json: cannot unmarshal string"},
		{"a time before the start", "run", `{"until":-1}`, opened(), "run: until -1 is no time between 0 and a year"},
		{"a time too far", "run", `{"until":9223372036854775807}`, opened(), "is no time between 0 and a year"},
		{"an input that lacks something", "open", `{"scenario":{"name":"x"},"layout":"wide","inputs":[{"at":1,"kind":"stop"}]}`, &session.Bridge{},
			`open: demo "x": input "stop": needs a component`},
		{"an unknown input", "open", `{"scenario":{"name":"x"},"layout":"wide","inputs":[{"at":1,"kind":"explode"}]}`, &session.Bridge{},
			`input "explode": unknown kind`},
	} {
		t.Run(test.name+" "+test.call, func(t *testing.T) {
			var answer struct{ Error string }
			if err := json.Unmarshal(test.bridge.Call(test.call, []byte(test.text)), &answer); err != nil || !strings.Contains(answer.Error, test.want) {
				t.Errorf("got %q (%v), want %q", answer.Error, err, test.want)
			}
		})
	}
	t.Run("a panic ends the session", func(t *testing.T) {
		b := &session.Bridge{}
		b.Call("open", packed(t, map[string]any{"scenario": noCPU, "layout": "wide"}))
		answer := string(b.Call("run", []byte(`{"until":5000000}`)))
		if !strings.Contains(answer, "error") {
			t.Fatalf("got %s", answer)
		}
		if answer = string(b.Call("header", []byte("{}"))); !strings.Contains(answer, "header: no session is open") {
			t.Errorf("got %s", answer)
		}
	})
	t.Run("frames from anywhere", func(t *testing.T) {
		b := opened()
		b.Call("run", []byte(`{"until":1000000}`))
		all := string(b.Call("frames", []byte(`{"from":1}`)))
		for text, want := range map[string]string{`{}`: all, `{"from":-5}`: all, `{"from":999999}`: "[]"} {
			if got := string(b.Call("frames", []byte(text))); got != want {
				t.Errorf("frames %s: got %.100s, want %.100s", text, got, want)
			}
		}
	})
}

// TestBridgeJudges is what a reader is told before anything runs.
func TestBridgeJudges(t *testing.T) {
	manifests := map[string]any{"web": map[string]string{"kind": "ReplicaSet"}}
	for _, test := range []struct {
		call     string
		argument any
		want     string
	}{
		{"parse", map[string]any{"line": "kubectl get pods"}, `{"args":["get","pods"]}`},
		{"parse", map[string]any{"line": "edit deploy web"}, `{"args":["edit","deploy","web"],"edits":"deployments default/web"}`},
		{"parse", map[string]any{"line": "apply edit-last-applied deploy/web"}, `"edits":"deployments default/web","lastApplied":true`},
		{"parse", map[string]any{"line": "create secret tls s --cert=./a.crt --key nosuch", "manifests": map[string]any{"a.crt": "PEM", "b.crt": ""}},
			`"manifest":{"a.crt":"PEM"}`},
		{"parse", map[string]any{"line": "create cm c --from-file=k=./d,a.env --from-file e --from-env-file=x.yaml",
			"manifests": map[string]any{"a.env": "A", "b.env": "B", "d/f": map[string]any{}, "d/e/x": "", "e": map[string]any{}, "x": []any{}, "y": []any{}},
			"texts":     map[string]any{"x.yaml": "a: b # c", "y.yaml": ""}},
			`"manifest":{"a.env":"A","d/e/x":"","d/f.yaml":{},"x.yaml":"a: b # c"}}`},
		{"parse", map[string]any{"line": "create secret generic c --from-file=.", "manifests": map[string]any{"a.env": "A", "d/e": ""}}, `"manifest":{"a.env":"A","d/e":""}}`},
		{"parse", map[string]any{"line": "apply -f web.yaml", "manifests": manifests}, `{"args":["apply","-f","web.yaml"],"manifest":{"kind":"ReplicaSet"}}`},
		{"parse", map[string]any{"line": "apply -f wbe.yaml", "manifests": manifests},
			`{"wrong":{"at":9,"message":"error: the path \"wbe.yaml\" does not exist","cure":"web.yaml"}}`},
		{"parse", map[string]any{"line": "apply -f -", "manifests": manifests}, `{"wrong":{"at":9,"message":"error: no objects passed to apply"}}`},
		{"parse", map[string]any{"line": "gte pods"}, `"message":"error: unknown command \"gte\" for \"kubectl\"\n\nDid you mean this?\n\tget"}}`},
		{"parse", map[string]any{"line": "rollout udno web"}, `"cure":"undo"}}`},
		{"parse", map[string]any{"line": "kubectl"}, `{"args":["help"]`},
		{"parse", map[string]any{"line": "get 'ü𝄞 pods"}, `{"wrong":{"at":4,`},
		{"parse", map[string]any{"line": "get -l 'ü𝄞' pods --wide"}, `{"wrong":{"at":18,`},
		{"parse", map[string]any{"line": ""}, `{"wrong":{"at":0,"message":"the command line is empty`},
		{"complete", map[string]any{"line": "ge"}, `{"from":0,"words":["get "]}`},
		{"complete", map[string]any{"line": "get -l 'ü𝄞' pod/"}, `{"from":13,"resource":"pods","prefix":"pod/","namespace":"default"}`},
		{"profiles", map[string]any{"text": `[]`}, `{"profiles":[]}`},
		{"profiles", map[string]any{"text": `[{"ü": x}]`}, `{"wrong":{"at":7,"message":"invalid character 'x'`},
		{"profiles", map[string]any{"text": `[{"schedulerNam":"a"}]`}, `unknown field \"schedulerNam\"`},
	} {
		if got := string((&session.Bridge{}).Call(test.call, packed(t, test.argument))); !strings.Contains(got, test.want) {
			t.Errorf("%s(%v)\ngot  %s\nwant %s", test.call, test.argument, got, test.want)
		}
	}
}

// parked is a bridge with a world that waits for what is fuzzed: one that came up a moment ago, in which the API server and kubectl run and a ReplicaSet
// is. It takes a fraction of what a cluster with nodes takes. A call that changes the world has it to itself, so whatever is found is found again from
// its input alone; calls that change nothing share one, by the thousand.
type parked struct {
	bridge *session.Bridge
	state  string
}

// parkedAt is the world's time, µs.
const parkedAt = "30000"

func park(t testing.TB) *parked {
	s := small()
	s.Cluster.Nodes = cluster.NumberedNodes(1)
	s.Cluster.Controllers = []string{"replicaset-controller"}
	s.Steps[0].At = 5 * time.Millisecond
	p := &parked{bridge: &session.Bridge{}}
	p.bridge.Call("open", packed(t, map[string]any{"scenario": s, "inputs": []any{}, "layout": "wide"}))
	p.bridge.Call("run", []byte(`{"until":`+parkedAt+`}`))
	p.state = p.now()
	return p
}

// now is the world's time, the time of what comes next, and the number of events, as run tells it when nothing is due.
func (p *parked) now() string { return string(p.bridge.Call("run", []byte(`{"until":0}`))) }

// given are inputs that a world takes, of every kind.
var given = []string{
	`{"at":40000000,"kind":"scale","resource":"rs","namespace":"default","name":"web","replicas":5}`,
	`{"at":40000000,"kind":"delete","resource":"rs","name":"w*"}`,
	`{"at":40000000,"kind":"kubectl","args":["get","rs","-o","jsonpath={.items[*].metadata.name}"]}`,
	`{"at":40000000,"kind":"kubectl","args":["apply","-f","-"],"manifest":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[]}}}`,
	`{"at":40000000,"kind":"stop","component":"etcd"}`, `{"at":40000000,"kind":"start","component":"etcd"}`,
	`{"at":40000000,"kind":"patch","resource":"rs","namespace":"default","name":"web","manifest":{"spec":null}}`,
	`{"at":40000000,"kind":"kill-node","node":"node-1"}`, `{"at":40000000,"kind":"start-node","node":"node-1"}`,
	`{"at":40000000,"kind":"apply","manifest":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"b"}}}`,
	`{"at":40000000,"kind":"create","manifest":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a"}}}`,
	`{"at":40000000,"kind":"drop-watch","component":"replicaset-controller","resource":"pods"}`,
	`{"at":40000000,"kind":"type","value":"ls"}`, `{"at":40000000,"kind":"crash-container","resource":"pods","namespace":"default","name":"web-*","value":"137"}`,
	`{"at":40000000,"kind":"use-memory","resource":"pods","namespace":"default","name":"web-*","value":"1Gi"}`,
	`{"at":40000000,"kind":"use-cpu","resource":"pods","namespace":"default","name":"web-*","value":"500m"}`,
	`{"at":40000000,"kind":"registry-down"}`, `{"at":40000000,"kind":"registry-up"}`,
	`{"at":40000000,"kind":"lose-image","name":"nginx"}`, `{"at":40000000,"kind":"restore-image","name":"nginx"}`,
	`{"at":40000000,"kind":"fill-memory","node":"node-1","value":"7Gi"}`, `{"at":40000000,"kind":"fill-disk","node":"node-1","value":"95Gi"}`,
	`{"at":40000000,"kind":"slow-kubelet","node":"node-1","value":"1s"}`, `{"at":40000000,"kind":"terminate-instance","node":"node-1"}`,
	`{"at":40000000,"kind":"partition","node":"node-1"}`, `{"at":40000000,"kind":"slow","component":"etcd","value":"1s"}`,
	`{"at":40000000,"kind":"fail","component":"kube-apiserver","value":"503"}`, `{"at":40000000,"kind":"heal","node":"node-1"}`,
	`{"at":40000000,"kind":"load","resource":"deployments","namespace":"default","name":"web","value":"500m"}`,
	`{"at":40000000,"kind":"set-metric","metric":"queue","value":"3"}`, `{"at":40000000,"kind":"request","url":"http://web"}`,
	`{"at":40000000,"kind":"api-request","method":"POST","url":"/api/v1/namespaces/default/configmaps","body":"{\"metadata\":{\"name\":\"b\"}}"}`,
	`{"at":40000000,"kind":"own","resource":"configmaps","namespace":"default","name":"a","value":"b"}`,
	`{"at":40000000,"kind":"reconfigure","profiles":[{"schedulerName":"default-scheduler"}]}`,
}

// TestGiven holds the seeds to what they are for: a world takes each of them.
func TestGiven(t *testing.T) {
	missing := map[cluster.Kind]bool{}
	for _, kind := range cluster.Kinds() {
		missing[kind] = true
	}
	for _, input := range given {
		var in cluster.Input
		if err := json.Unmarshal([]byte(input), &in); err != nil {
			t.Fatal(err)
		}
		delete(missing, in.Kind)
		if answer := park(t).bridge.Call("give", []byte(`{"input":`+input+`}`)); string(answer) != "{}" {
			t.Errorf("%s is answered %s", input, answer)
		}
	}
	for kind := range missing { // order: of no matter
		t.Errorf("there is no seed of kind %s", kind)
	}
}

// FuzzBridge holds for any text: an answer in JSON, no panic of a world that was all right, and whoever is refused has changed nothing.
func FuzzBridge(f *testing.F) {
	f.Add("open", opening(f))
	f.Add("open", []byte(`{"scenario":{"cluster":{"nodes":[{"name":"a"},{"name":"a","cpu":"x"}]},"steps":[{"kind":"scale"}]},"layout":"narrow"}`))
	f.Add("run", []byte(`{"until":40000}`))
	f.Add("run", []byte(`{"until":400000,"pass":true}`))
	f.Add("frames", []byte(`{"from":-1}`))
	f.Add("header", []byte(nil))
	f.Add("details", []byte("null"))
	f.Add("managers", []byte(`{"object":"replicasets default/web"}`))
	f.Add("exercise", []byte(`{"id":"x"}`))
	f.Add("close", []byte(`{}`))
	f.Add("parse", []byte(`{"line":"apply -f a","manifests":{"a":{}}}`))
	f.Add("complete", []byte(`{"line":"get po"}`))
	f.Add("profiles", []byte(`{"text":"[{}]"}`))
	for _, input := range given {
		f.Add("give", []byte(`{"input":`+input+`}`))
	}
	var p *parked
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		if wouldTakeLong(text) {
			return
		}
		if p == nil {
			p = park(t)
		}
		call := func(name string, text []byte) string {
			answer := p.bridge.Call(name, text)
			if !json.Valid(answer) {
				t.Errorf("%s(%.200s) answered %.200q", name, text, answer)
			}
			return string(answer)
		}
		answer := call(name, text)
		var failed struct{ Error string }
		_ = json.Unmarshal([]byte(answer), &failed)
		refused, replay := failed.Error != "", answer == `{"replay":true}`
		// A refusal begins with the call's name, as JSON can hold it; a panic does not.
		if whole := strings.ToValidUTF8(name, "\ufffd"); refused && name == whole && name != "open" && !strings.HasPrefix(failed.Error, name+": ") {
			t.Errorf("%s(%.200s) panicked: %s", name, text, failed.Error)
		}
		changes := !refused && !replay && (name == "open" || name == "run" || name == "give" || name == "close")
		if !changes {
			if now := p.now(); now != p.state {
				if name != "open" { // which may have closed it already when it fails
					t.Errorf("%s(%.200s) answered %.200s, and the world was %s and is %s", name, text, answer, p.state, now)
				}
				p = nil
			}
			return
		}
		var to struct{ World int }
		_ = json.Unmarshal(text, &to)
		about := fmt.Sprintf(`{"world":%d,`, to.World)
		var ran struct{ Now int64 }
		_ = json.Unmarshal([]byte(call("run", []byte(about+`"until":0}`))), &ran)
		call("run", fmt.Appendf(nil, `%s"until":%d}`, about, ran.Now+100_000))
		for _, more := range []string{"frames", "header", "details"} {
			call(more, []byte(about+`"from":1}`))
		}
		p.bridge.Call("close", []byte(about+`"from":0}`))
		p.bridge.Call("close", nil)
		p = nil
	})
}

// wouldTakeLong tells whether an argument asks for more time, or for a larger cluster, than teaches anything.
func wouldTakeLong(text []byte) bool {
	var in struct {
		Until    int64
		Scenario struct{ Cluster cluster.Config }
	}
	_ = json.Unmarshal(text, &in)
	c := in.Scenario.Cluster
	return in.Until > 2_000_000 || c.HollowNodes != nil || c.Preload != nil || len(c.Nodes) > 5 || c.Schedulers > 3 || c.ControllerManagers > 3
}
