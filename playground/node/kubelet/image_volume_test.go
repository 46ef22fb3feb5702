//go:build !js || cel

package kubelet_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

// showing is a Pod that mounts an image, or a part of it, at /volume.
func showing(name, image string, policy corev1.PullPolicy, subPath string) *corev1.Pod {
	return bound(name, func(pod *corev1.Pod) {
		pod.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{Image: &corev1.ImageVolumeSource{Reference: image, PullPolicy: policy}}}}
		c := &pod.Spec.Containers[0]
		c.VolumeMounts = []corev1.VolumeMount{{Name: "v", MountPath: "/volume", SubPath: subPath}}
		c.Image, c.Command = "busybox", []string{"sleep", "infinity"}
	})
}

const kitten = "registry.k8s.io/e2e-test-images/kitten:1.8"

// Upstream: test/e2e/common/node/image_volume.go, and e2e_node/image_volume_test.go.
func TestImageVolume(t *testing.T) {
	n := newNode(t, 71)
	n.pass(3 * time.Second)
	n.create(showing("whole", kitten, corev1.PullAlways, ""))
	n.create(showing("part", kitten, "", "etc"))
	for _, name := range []string{"whole", "part"} {
		n.until("running", 20*time.Second, isRunning(n, name))
	}
	if got := n.pod("part").Spec.Volumes[0].Image.PullPolicy; got != corev1.PullIfNotPresent {
		t.Errorf("pull policy %q by default", got)
	}
	for _, c := range []struct{ pod, script, want string }{
		{"whole", "ls /volume; cat /volume/data.json", "data.json\netc\n{\n  \"image\": \"kitten.jpg\"\n}"},
		{"whole", "echo x > /volume/data.json", "sh: can't create /volume/data.json: Read-only file system"},
		{"whole", "echo x > /volume/new", "sh: can't create /volume/new: Read-only file system"},
		{"part", "ls /volume; head -n 1 /volume/os-release", "os-release\nNAME=\"Alpine Linux\""},
	} {
		if got := n.exec(c.pod, "web", c.script); got != c.want {
			t.Errorf("%s: %s: %q, want %q", c.pod, c.script, got, c.want)
		}
	}
	expect(t, "events", n.events("Pod", "whole")[:2], `Normal Pulling: Pulling image "`+kitten+`"`, `Normal Pulled: Successfully pulled image "`+kitten+`" in .*`)
	for _, image := range n.runtime.UnusedImages() {
		if image.Name == kitten {
			t.Error("the image that is mounted counts as unused")
		}
	}
	for _, name := range []string{"whole", "part"} {
		n.delete(name, metav1.DeleteOptions{})
		n.until("gone", 60*time.Second, isGone(n, name))
	}
	n.pass(2 * time.Minute) // the dead containers are removed
	if images := n.runtime.UnusedImages(); len(images) != 2 {
		t.Errorf("unused: %v", images)
	}
}

// An image that is not there, or has no such directory, keeps from starting what mounts it, and nothing else.
func TestImageVolumeFails(t *testing.T) {
	n := newNode(t, 72)
	n.pass(3 * time.Second)
	missing := showing("missing", "nginx:no-such-tag", corev1.PullIfNotPresent, "")
	missing.Spec.Containers = append(missing.Spec.Containers, corev1.Container{Name: "other", Image: "busybox", Command: []string{"sleep", "infinity"}})
	n.create(missing)
	n.create(showing("never", "busybox:1.99", corev1.PullNever, ""))
	n.create(showing("nowhere", kitten, corev1.PullIfNotPresent, "etc/x"))
	n.create(showing("file", kitten, corev1.PullIfNotPresent, "data.json"))
	n.until("failing", 20*time.Second, func() bool { return strings.Contains(summary(n.pod("missing")), "web:ErrImagePull") })
	n.until("backing off", 30*time.Second, func() bool { return strings.Contains(summary(n.pod("missing")), "other:running web:ImagePullBackOff") })
	n.pass(10 * time.Second)
	for _, c := range []struct{ pod, reason, message, event string }{
		{"missing", "ImagePullBackOff", `Back-off pulling image "nginx:no-such-tag": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image `,
			"Warning Failed: Error: ImagePullBackOff"},
		{"never", "ErrImageNeverPull", `Container image "busybox:1.99" is not present with pull policy of Never`, "Warning Failed: Error: ErrImageNeverPull"},
		{"nowhere", "CreateContainerError", `failed to mount image volume: ImageVolumeMountFailed: failed to ensure image subpath "etc/x" in `,
			"Warning Failed: Error: failed to mount image volume: "},
		{"file", "CreateContainerError", `failed to mount image volume: ImageVolumeMountFailed: failed to ensure image subpath "data.json" in `,
			`only directory subpath is supported, subpath: "data.json", mountpoint: `},
	} {
		s := n.pod(c.pod).Status.ContainerStatuses
		w := s[len(s)-1].State.Waiting
		for i := range s {
			if s[i].Name == "web" {
				w = s[i].State.Waiting
			}
		}
		if w == nil || w.Reason != c.reason || !strings.HasPrefix(w.Message, c.message) {
			t.Errorf("%s waits: %+v, want %s %s", c.pod, w, c.reason, c.message)
		}
		if text := strings.Join(n.events("Pod", c.pod), "\n"); !strings.Contains(text, c.event) {
			t.Errorf("%s: no event %q in\n%s", c.pod, c.event, text)
		}
	}
}
