package session_test

import (
	"os"
	"testing"

	"kubewalk/playground/demofile"
	"kubewalk/playground/recording"
	"kubewalk/playground/scenario"
	"kubewalk/playground/scene"
	"kubewalk/playground/session"
)

func demo(b *testing.B) *scenario.Scenario {
	b.Helper()
	const file = "../../content/demos/replicaset-scale.yaml"
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
			text, err := r.File(l)
			if err != nil {
				b.Fatal(err)
			}
			size += len(text)
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
				recording.NewFilm(rec, l).Frames(1)
			}
		})
	}
}
