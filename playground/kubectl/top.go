package kubectl

import "errors"

// errNoMetrics is what top ends with where nobody serves metrics.k8s.io.
// Upstream: kubectl pkg/cmd/top/top_pod.go.
var errNoMetrics = errors.New("Metrics API not available")

func topNode(s *session) error { return errNoMetrics }
func topPod(s *session) error  { return errNoMetrics }
