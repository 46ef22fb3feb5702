//go:build !js || cel

package cluster_test

import (
	"strings"
	"testing"
	"time"
)

// TestImageVolume: a Pod reads the files of an image, and kubectl tells of its volume. Upstream: test/e2e/common/node/image_volume.go.
func TestImageVolume(t *testing.T) {
	w := newNetWorld(t, 1, false, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"cat"},"spec":{"containers":[{"name":"c","image":"busybox",
		"command":["sh","-c","while true; do echo test; sleep 1; done"],"volumeMounts":[{"name":"v","mountPath":"/volume"}]}],
		"volumes":[{"name":"v","image":{"reference":"registry.k8s.io/e2e-test-images/kitten:1.8"}}]}}`)
	w.pass(10 * time.Second)
	if got := typed(t, w.Cluster, "exec cat -- /bin/cat /volume/data.json /volume/etc/os-release", ""); !strings.Contains(got, "kitten.jpg") ||
		!strings.Contains(got, "Alpine Linux") {
		t.Errorf("the image's files: %s", got)
	}
	const want = "    Type:        Image (a container image or OCI artifact)\n    Reference:   registry.k8s.io/e2e-test-images/kitten:1.8\n    PullPolicy:  IfNotPresent\n"
	if got := typed(t, w.Cluster, "describe pod cat", ""); strings.Count(got, want) != 1 {
		t.Errorf("no %q in:\n%s", want, got)
	}
}
