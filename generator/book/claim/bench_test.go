package claim

import "testing"

// BenchmarkHold is what a claim about a demo costs that is not open yet, and one
// more about it.
func BenchmarkHold(b *testing.B) {
	run, err := scale()
	if err != nil {
		b.Fatal(err)
	}
	record, err := run.Encode()
	if err != nil {
		b.Fatal(err)
	}
	c, err := Parse("demo:replicaset-scale@healed count pods -l app=web")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			if _, err := Open(record, []byte(`{"objects": {}, "base": {}}`)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ask", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.On(run); err != nil {
				b.Fatal(err)
			}
		}
	})
}
