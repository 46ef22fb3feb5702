package session_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/session"
)

func demo(b *testing.B) *scenario.Scenario {
	b.Helper()
	const file = "../../../content/demos/replicaset-scale.yaml"
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	f, problems := demofile.Parse("replicaset-scale", file, text, nil)
	if len(problems) > 0 {
		b.Fatal(problems)
	}
	return f.Scenario
}

// BenchmarkRecord is a demo as the build makes it: run, checked, filmed in both
// layouts, written.
func BenchmarkRecord(b *testing.B) {
	s := demo(b)
	b.ReportAllocs()
	var events, size int
	for range b.N {
		r, err := session.Record(s, scene.Wide, scene.Narrow)
		if err != nil || len(r.Failures) > 0 {
			b.Fatal(err, r.Failures)
		}
		size = 0
		for _, l := range []scene.Layout{scene.Wide, scene.Narrow} {
			files, err := r.Files(l)
			if err != nil {
				b.Fatal(err)
			}
			for _, text := range files {
				size += len(text)
			}
		}
		events = r.Session.Cluster().Trace().Len()
	}
	b.ReportMetric(float64(events), "events")
	b.ReportMetric(float64(size)/1000, "kB")
}

// BenchmarkRun is the demo without pictures: what a reader's branch costs to reach.
func BenchmarkRun(b *testing.B) {
	s := demo(b)
	b.ReportAllocs()
	for range b.N {
		ses, err := session.Open(s, nil)
		if err != nil {
			b.Fatal(err)
		}
		ses.Run(s.End)
		ses.Close()
	}
}

// BenchmarkFrame is one event made into a frame.
func BenchmarkFrame(b *testing.B) {
	s := demo(b)
	ses, err := session.Open(s, nil)
	if err != nil {
		b.Fatal(err)
	}
	ses.Run(s.End)
	ses.Close()
	rec := ses.Cluster().Trace()
	for _, l := range []scene.Layout{scene.Wide, scene.Narrow} {
		b.Run(string(l), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i += rec.Len() {
				recording.NewFilm(rec, scene.Options{Layout: l, Insides: scene.DefaultInsides}).Frames(1)
			}
		})
	}
}

// BenchmarkStart is what a reader waits for after changing something late in a
// demo: the run up to there, and the frames from there on, as JSON.
func BenchmarkStart(b *testing.B) {
	s := demo(b)
	const at = 40 * time.Second
	replicas := int32(8)
	open, err := json.Marshal(map[string]any{"scenario": s, "layout": scene.Wide, "inputs": []cluster.Input{
		{At: at, Kind: cluster.Scale, Resource: "replicasets", Namespace: "default", Name: "web", Replicas: &replicas},
	}})
	if err != nil {
		b.Fatal(err)
	}
	var bridge session.Bridge
	calls := []struct{ name, text string }{
		{"open", string(open)},
		{"run", fmt.Sprintf(`{"until":%d}`, (at + 500*time.Millisecond).Microseconds())},
		{"frames", `{"from":4200}`},
	}
	took := make([]time.Duration, len(calls))
	b.ResetTimer()
	for range b.N {
		for i, c := range calls {
			start := time.Now()
			bridge.Call(c.name, []byte(c.text))
			took[i] += time.Since(start)
		}
	}
	for i, c := range calls {
		b.ReportMetric(float64(took[i].Microseconds())/float64(b.N)/1000, "ms-"+c.name)
	}
}
