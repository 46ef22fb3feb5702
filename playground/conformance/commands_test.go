package conformance

import "testing"

// TestCommands plays what no other test here plays, for what kubectl prints.
func TestCommands(t *testing.T) {
	for _, test := range []struct {
		transcript string
		until      string
		atLeast    int
		skip       map[string]string
	}{
		{"02-deployment-rollout", "", 24, nil},
		{"03-service-endpoints", "", 12, nil},
		{"07-ownership", "", 15, nil},
		{"08-config-and-apply", "", 21, nil},
	} {
		t.Run(test.transcript, func(t *testing.T) {
			w := newWorld(t, test.transcript, 1)
			w.skip = skipping(test.skip)
			w.play(test.until)
			w.atLeast(test.atLeast)
		})
	}
}
