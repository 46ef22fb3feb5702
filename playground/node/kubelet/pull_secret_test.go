package kubelet_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
)

// Who names Secrets for pulling images that are not there is told so, and the Pod runs nevertheless.
func TestPullSecretsThatAreNotThere(t *testing.T) {
	n := newNode(t, 1)
	n.secret("here", map[string][]byte{".dockerconfigjson": []byte("{}")})
	n.create(bound("web", func(pod *corev1.Pod) {
		pod.Spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "gone"}, {Name: "here"}, {}, {Name: "lost"}}
	}))
	n.create(bound("api", func(pod *corev1.Pod) { pod.Spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "here"}} }))
	for _, name := range []string{"web", "api"} {
		n.until("running", time.Minute, isRunning(n, name))
	}
	n.pass(5 * time.Second)
	told := "Warning FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (gone, lost); attempting to pull the image may not succeed."
	if events := n.events("Pod", "web"); !slices.Contains(events, told) {
		t.Errorf("events: %s", strings.Join(events, "\n"))
	}
	if events := strings.Join(n.events("Pod", "api"), "\n"); strings.Contains(events, "FailedToRetrieve") {
		t.Errorf("nothing is missing: %s", events)
	}
}
