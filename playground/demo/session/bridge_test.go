package session_test

import (
	"encoding/json"
	"strings"
	"testing"

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
		{"nothing is open", "header", ``, &session.Bridge{}, "header: no session is open"},
		{"nothing is open", "details", ``, &session.Bridge{}, "details: no session is open"},
		{"no such function", "shut", `{}`, opened(), "shut: there is no such function"},
		{"no JSON", "open", `{`, &session.Bridge{}, "open: unexpected end of JSON input"},
		{"no JSON", "run", ``, opened(), "run: unexpected end of JSON input"},
		{"no JSON", "frames", `x`, opened(), "frames: invalid character 'x'"},
		{"no scenario", "open", `{"layout":"wide"}`, &session.Bridge{}, "open: needs a scenario"},
		{"another layout", "open", `{"scenario":{},"layout":"round"}`, &session.Bridge{}, `open: unknown layout "round": want "wide" or "narrow"`},
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
		if answer = string(b.Call("header", nil)); !strings.Contains(answer, "header: no session is open") {
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
		{"parse", map[string]any{"line": "apply -f web.yaml", "manifests": manifests}, `{"args":["apply","-f","web.yaml"],"manifest":{"kind":"ReplicaSet"}}`},
		{"parse", map[string]any{"line": "apply -f wbe.yaml", "manifests": manifests},
			`{"wrong":{"at":9,"message":"error: the path \"wbe.yaml\" does not exist","cure":"web.yaml"}}`},
		{"parse", map[string]any{"line": "apply -f -", "manifests": manifests}, `{"wrong":{"at":9,"message":"error: no objects passed to apply"}}`},
		{"parse", map[string]any{"line": "gte pods"}, `"cure":"get"`},
		{"parse", map[string]any{"line": "get 'ü𝄞 pods"}, `{"wrong":{"at":4,`},
		{"parse", map[string]any{"line": "get -l 'ü𝄞' pods --wide"}, `{"wrong":{"at":18,`},
		{"parse", map[string]any{"line": ""}, `{"wrong":{"at":0,"message":"the command line is empty`},
		{"profiles", map[string]any{"text": `[]`}, `{"profiles":[]}`},
		{"profiles", map[string]any{"text": `[{"ü": x}]`}, `{"wrong":{"at":7,"message":"invalid character 'x'`},
		{"profiles", map[string]any{"text": `[{"schedulerNam":"a"}]`}, `unknown field \"schedulerNam\"`},
	} {
		if got := string((&session.Bridge{}).Call(test.call, packed(t, test.argument))); !strings.Contains(got, test.want) {
			t.Errorf("%s(%v)\ngot  %s\nwant %s", test.call, test.argument, got, test.want)
		}
	}
}

// FuzzBridge holds for any text: an answer in JSON, and no panic.
func FuzzBridge(f *testing.F) {
	f.Add("open", opening(f))
	f.Add("open", []byte(`{"scenario":{"cluster":{"nodes":[{"name":"a"},{"name":"a","cpu":"x"}]},"steps":[{"kind":"scale"}]},"layout":"narrow"}`))
	f.Add("run", []byte(`{"until":12000000}`))
	f.Add("frames", []byte(`{"from":-1}`))
	f.Add("header", []byte(nil))
	f.Add("details", []byte("null"))
	f.Add("parse", []byte(`{"line":"apply -f a","manifests":{"a":{}}}`))
	f.Add("profiles", []byte(`{"text":"[{}]"}`))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		b := &session.Bridge{}
		if name != "open" {
			b.Call("open", opening(t))
			b.Call("run", []byte(`{"until":1000000}`))
		}
		var run struct{ Until int64 }
		if json.Unmarshal(text, &run) == nil && run.Until > 20_000_000 {
			return // it would only take long
		}
		for _, call := range []struct {
			name string
			text []byte
		}{{name, text}, {"run", []byte(`{"until":2000000}`)}, {"frames", []byte(`{"from":1}`)}, {"header", nil}, {"details", nil}} {
			if answer := b.Call(call.name, call.text); !json.Valid(answer) {
				t.Errorf("%s(%.200s) answered %.200q", call.name, call.text, answer)
			}
		}
	})
}
